//! The constants in `inst/spec` are those of the code.

use axtile_codec::{deltacells, grid};

/// The value of a constant in the table of a specification.
fn value<'a>(text: &'a str, name: &str) -> &'a str {
    text.lines()
        .find_map(|line| line.strip_prefix(&format!("| {name} | ")))
        .and_then(|rest| rest.split(" |").next())
        .unwrap_or_else(|| panic!("{name} is not in the table"))
}

#[track_caller]
fn assert_constants(text: &str, constants: &[(&str, u64)]) {
    for (name, constant) in constants {
        assert_eq!(value(text, name).parse(), Ok(*constant), "{name}");
    }
    let section = text.split("## Constants").nth(1).unwrap_or_default();
    let table = section.split("\n## ").next().unwrap_or_default();
    let n_rows = table.lines().filter(|line| line.starts_with("| ")).count();
    // The head and the magic are not among the constants.
    assert_eq!(n_rows, constants.len() + 2);
}

#[test]
fn constants_of_deltacells() {
    use deltacells::*;
    let text = include_str!("../../../../../inst/spec/deltacells.md");
    assert_eq!(value(text, "MAGIC").as_bytes(), MAGIC);
    assert_constants(
        text,
        &[
            ("VERSION", VERSION.into()),
            ("MAX_GENES", MAX_GENES as u64),
            ("MAX_COUNT", MAX_COUNT.into()),
            ("HEADER_LEN", HEADER_LEN as u64),
            ("CHUNK_ENTRY_LEN", CHUNK_ENTRY_LEN as u64),
            ("ALIGNMENT", ALIGNMENT as u64),
        ],
    );
}

#[test]
fn constants_of_tiles() {
    use grid::*;
    let text = include_str!("../../../../../inst/spec/tiles.md");
    assert_eq!(value(text, "MAGIC").as_bytes(), MAGIC);
    assert_constants(
        text,
        &[
            ("VERSION", VERSION.into()),
            ("HEADER_LEN", HEADER_LEN as u64),
            ("SLACK_LEN", SLACK_LEN as u64),
            ("MAX_GENES", MAX_GENES as u64),
            ("MAX_COUNT", MAX_COUNT.into()),
            ("MAX_CELLS", MAX_CELLS as u64),
            ("MAX_CHUNK_NNZ", MAX_CHUNK_NNZ as u64),
            ("MAX_CHUNK_CELLS", MAX_CHUNK_CELLS as u64),
            ("MAX_BLOCKS", MAX_BLOCKS as u64),
            ("MAX_BUCKETS", MAX_BUCKETS as u64),
            ("MAX_CLUSTERS", MAX_CLUSTERS as u64),
            ("MAX_CLASSES", MAX_CLASSES as u64),
            ("MAX_TABLES", MAX_TABLES as u64),
            ("MAX_SYMBOLS", MAX_SYMBOLS as u64),
            ("MAX_CODE_LEN", MAX_CODE_LEN.into()),
            ("MAX_RAW_BITS", MAX_RAW_BITS.into()),
            ("MAX_ESCAPE_BITS", MAX_ESCAPE_BITS.into()),
            ("MAX_PART_LEN", MAX_PART_LEN as u64),
            ("MIN_SPLIT", MIN_SPLIT as u64),
        ],
    );
}
