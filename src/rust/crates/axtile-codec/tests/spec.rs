//! The constants of `inst/spec/deltacells.md` are those of the code.

use axtile_codec::deltacells::{
    ALIGNMENT, CHUNK_ENTRY_LEN, HEADER_LEN, MAGIC, MAX_COUNT, MAX_GENES, VERSION,
};

#[test]
fn constants_agree_with_the_specification() {
    let text = include_str!("../../../../../inst/spec/deltacells.md");
    let value = |name: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(&format!("| {name} | ")))
            .and_then(|rest| rest.split(" |").next())
            .unwrap_or_else(|| panic!("{name} is not in the table"))
    };
    assert_eq!(value("MAGIC").as_bytes(), MAGIC);
    for (name, constant) in [
        ("VERSION", u64::from(VERSION)),
        ("MAX_GENES", MAX_GENES as u64),
        ("MAX_COUNT", u64::from(MAX_COUNT)),
        ("HEADER_LEN", HEADER_LEN as u64),
        ("CHUNK_ENTRY_LEN", CHUNK_ENTRY_LEN as u64),
        ("ALIGNMENT", ALIGNMENT as u64),
    ] {
        assert_eq!(value(name).parse(), Ok(constant), "{name}");
    }
}
