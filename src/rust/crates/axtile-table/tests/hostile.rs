//! Parquet files that declare more than they hold: nothing is reserved on their
//! word. Best run with little memory: `ulimit -v 2000000`.

use std::path::Path;

use axtile_core::ErrorKind;
use axtile_table::Column;
use axtile_table::parquet::ParquetFile;

const MAX: i64 = i32::MAX as i64;
const INT32: i64 = 1;
const BYTE_ARRAY: i64 = 6;
const ZSTD: i64 = 6;

/// Thrift's compact protocol; `step` is from the number of the field before.
fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn int(step: u8, value: i64) -> Vec<u8> {
    let zigzag = (value << 1 ^ value >> 63) as u64;
    [vec![step << 4 | 6], varint(zigzag)].concat()
}

fn i32(step: u8, value: i64) -> Vec<u8> {
    let mut bytes = int(step, value);
    bytes[0] = step << 4 | 5;
    bytes
}

fn text(step: u8, value: &str) -> Vec<u8> {
    let head = vec![step << 4 | 8, value.len() as u8];
    [head, value.as_bytes().to_vec()].concat()
}

fn structure(step: u8, fields: &[Vec<u8>]) -> Vec<u8> {
    [vec![step << 4 | 12], fields.concat(), vec![0]].concat()
}

fn list(step: u8, n: u64, elements: &[Vec<u8>]) -> Vec<u8> {
    [vec![step << 4 | 9, 0xfc], varint(n), elements.concat()].concat()
}

fn element(fields: &[Vec<u8>]) -> Vec<u8> {
    [fields.concat(), vec![0]].concat()
}

fn page(kind: i64, size: i64, n: i64, encoding: i64, bytes: &[u8]) -> Vec<u8> {
    let about = if kind == 2 {
        structure(4, &[i32(1, n), i32(1, encoding)])
    } else {
        structure(2, &[i32(1, n), i32(1, encoding), i32(1, 3), i32(1, 3)])
    };
    let head = [
        i32(1, kind),
        i32(1, size),
        i32(1, bytes.len() as i64),
        about,
    ];
    [element(&head), bytes.to_vec()].concat()
}

/// A file of one required column.
struct Claims {
    physical: i64,
    codec: i64,
    n_rows: i64,
    schema: Vec<u8>,
    n_groups: u64,
    pages: Vec<u8>,
}

impl Claims {
    fn new(physical: i64, n_rows: i64, codec: i64, pages: &[Vec<u8>]) -> Claims {
        let root = element(&[text(4, "r"), i32(1, 1)]);
        let mut column = vec![i32(1, physical), i32(2, 0), text(1, "c")];
        if physical == BYTE_ARRAY {
            column.push(i32(2, 0));
        }
        Claims {
            physical,
            codec,
            n_rows,
            schema: list(1, 2, &[root, element(&column)]),
            n_groups: 1,
            pages: pages.concat(),
        }
    }

    fn read(&self) -> axtile_core::Result<Column> {
        let size = int(1, self.pages.len() as i64);
        let encodings = vec![1 << 4 | 9, 1 << 4 | 5, 0];
        let path = vec![1 << 4 | 9, 1 << 4 | 8, 1, b'c'];
        let chunk = [
            i32(1, self.physical),
            encodings,
            path,
            i32(1, self.codec),
            int(1, self.n_rows),
            size.clone(),
            size.clone(),
            int(2, 4),
        ];
        let chunk = element(&[int(2, 0), structure(1, &chunk)]);
        let group = element(&[list(1, 1, &[chunk]), size, int(1, self.n_rows)]);
        let footer = element(&[
            i32(1, 2),
            self.schema.clone(),
            int(1, self.n_rows),
            list(1, self.n_groups, &[group]),
        ]);
        let len = (footer.len() as u32).to_le_bytes();
        let file = [b"PAR1", &self.pages[..], &footer, &len, b"PAR1"].concat();
        ParquetFile::parse(Path::new("x"), file)?.read_stored(0, 0)
    }
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(bytes, 1).unwrap()
}

/// A frame that declares `size` bytes and holds none.
fn frame_of(size: u64) -> Vec<u8> {
    let head = [0x28, 0xb5, 0x2f, 0xfd, 0xe0];
    [&head[..], &size.to_le_bytes(), &[1, 0, 0]].concat()
}

#[test]
fn sizes_of_pages_are_not_believed() {
    let three = [7u8, 0, 0, 0].repeat(3);
    let sevens = Column::Integer {
        values: vec![7; 3],
        missing: None,
    };
    let read = |n_rows, codec, pages: &[Vec<u8>]| Claims::new(INT32, n_rows, codec, pages).read();
    let honest = page(0, 12, 3, 0, &three);
    assert_eq!(read(3, 0, &[honest]).unwrap(), sevens);
    let small = zstd(&three);
    assert_eq!(read(3, ZSTD, &[page(0, 12, 3, 0, &small)]).unwrap(), sevens);
    // What the header says of the size does not matter.
    assert!(read(3, ZSTD, &[page(0, MAX, 3, 0, &small)]).is_ok());
    for size in [1 << 20, MAX as u64, 1 << 40, u64::MAX] {
        assert!(read(3, ZSTD, &[page(0, MAX, 3, 0, &frame_of(size))]).is_err());
    }
    let bomb = zstd(&vec![0; (1 << 28) + 1]);
    assert!(read(3, ZSTD, &[page(0, MAX, 3, 0, &bomb)]).is_err());
    // More values than rows, and fewer.
    assert!(read(3, 0, &[page(0, 12, MAX, 0, &three)]).is_err());
    assert!(read(1 << 24, 0, &[page(0, 12, 3, 0, &three)]).is_err());
    // Delta encoding: its lengths come from the page.
    let unsupported = read(3, 0, &[page(0, 12, 3, 5, &three)]).unwrap_err();
    assert_eq!(unsupported.kind(), ErrorKind::Unsupported);
    let unsupported = read(3, 1, &[page(0, 12, 3, 0, &three)]).unwrap_err();
    assert_eq!(unsupported.kind(), ErrorKind::Unsupported);
}

#[test]
fn sizes_of_dictionaries_are_not_believed() {
    for physical in [INT32, BYTE_ARRAY] {
        let read = |n, bytes: &[u8]| {
            let codes = page(0, 3, 3, 8, &[1, 3 << 1, 0]);
            let pages = [page(2, MAX, n, 0, bytes), codes];
            Claims::new(physical, 3, ZSTD, &pages).read()
        };
        let one = zstd(&[0; 8]);
        assert!(read(MAX, &one).is_err());
        assert!(read(5, &one).is_err());
        // 64 Mi empty texts in 8 kB.
        assert!(read(1 << 26, &zstd(&vec![0; 1 << 28])).is_err());
    }
    let missing = page(0, 3, 3, 8, &[1, 3 << 1, 0]);
    assert!(Claims::new(INT32, 3, 0, &[missing]).read().is_err());
}

#[test]
fn sizes_in_the_footer_are_not_believed() {
    let claims = || Claims::new(INT32, 3, 0, &[page(0, 12, 3, 0, &[0; 12])]);
    assert!(claims().read().is_ok());
    for n_rows in [-1, 4, (1 << 24) + 1, 1 << 62, i64::MAX] {
        let mut more = claims();
        more.n_rows = n_rows;
        assert!(more.read().is_err());
    }
    let mut groups = claims();
    groups.n_groups = MAX as u64;
    assert!(groups.read().is_err());
    for (n, n_children) in [(1, MAX), (2, MAX), (MAX as u64, MAX - 1), (2, -1)] {
        let root = element(&[text(4, "r"), i32(1, n_children)]);
        let column = element(&[i32(1, INT32), i32(2, 0), text(1, "c")]);
        let mut children = claims();
        children.schema = list(1, n, &[root, column]);
        assert!(children.read().is_err());
    }
    let n_groups = 1 << 20;
    let group = element(&[i32(3, 0), text(1, "g"), i32(1, 1)]);
    let mut nested = claims();
    nested.schema = list(1, n_groups, &[group.repeat(n_groups as usize)]);
    assert_eq!(nested.read().unwrap_err().kind(), ErrorKind::Unsupported);
}
