use axtile_core::Unwatched;
use axtile_tiles::*;
use std::path::Path;
fn main() {
    let tiny = Path::new("crates/axtile-tiles/tests/fixtures/tiny");
    let json: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(tiny.join("manifest.json")).unwrap())
            .unwrap();
    let v = |k: &str| json[k].clone();
    let section = ObsSection {
        tiles_per_file: 2,
        fingerprint: serde_json::from_value(v("obs_fingerprint")).unwrap(),
        shard_bytes: serde_json::from_value(v("obs_shard_bytes")).unwrap(),
        shard_sha256: serde_json::from_value(v("obs_shard_sha256")).unwrap(),
    };
    let obs = ObsReader::open(tiny, &section, &[7, 7, 5], &[]).unwrap();
    let out = Path::new("/tmp/interop");
    let all: Vec<usize> = (0..obs.fields().len()).collect();
    let mut w = ObsWriter::create(out, obs.fields(), 2).unwrap();
    for r in [0..7u64, 7..14, 14..19] {
        let cells: Vec<u64> = r.collect();
        w.write_tile(
            &obs.read(
                &all,
                Cells::List(&cells),
                Some(Path::new("/tmp/none")),
                1,
                &Unwatched,
            )
            .unwrap(),
        )
        .unwrap();
    }
    let s = w.finish(&[7, 7, 5]).unwrap();
    println!(
        "{}",
        serde_json::json!({"bytes": s.shard_bytes, "sha": s.shard_sha256, "fp": s.fingerprint})
    );
    let ours = ObsReader::open(out, &s, &[7, 7, 5], &[]).unwrap();
    ours.verify(1, &Unwatched).unwrap();
    ours.localize(&all, Some(&out.join("cache")), 1, &Unwatched)
        .unwrap();
    let var = read_var(tiny, 12).unwrap();
    write_var(out, &var).unwrap();
    write_var_names(out, var.names.as_ref().unwrap()).unwrap();
    write_gene_order(out, &read_gene_order(tiny, 12).unwrap()).unwrap();
    let v2 = out.join("v2");
    std::fs::create_dir_all(&v2).unwrap();
    let mut var = read_var(&Path::new("crates/axtile-tiles/tests/fixtures/tiny"), 12).unwrap();
    if let axtile_table::Kind::Category { ordered, levels } = &mut var.table.fields[1].kind {
        *ordered = true;
        levels.push("unused".into());
    }
    if let axtile_table::Column::Integer { values, missing } = &mut var.table.columns[2] {
        values[0] = 0;
        let mut m = vec![false; 12];
        m[0] = true;
        *missing = Some(m);
    }
    var.index_name = Some("symbol".into());
    write_var(&v2, &var).unwrap();
    let v3 = out.join("v3");
    std::fs::create_dir_all(&v3).unwrap();
    var.names = None;
    var.index_name = None;
    write_var(&v3, &var).unwrap();
    let v4 = out.join("v4");
    std::fs::create_dir_all(&v4).unwrap();
    write_var(&v4, &VarTable::without_columns(12)).unwrap();
}
