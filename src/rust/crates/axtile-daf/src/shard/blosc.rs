//! Frames of blosc 1, of which only LZ4 and Zstandard occur in packed arrays.
//! The C library is not meant for hostile frames; this reader is.
//!
//! | byte | what |
//! |---|---|
//! | 0 | version, 2 |
//! | 1 | version of the compressor |
//! | 2 | flags: 1 bytes shuffled, 2 stored, 4 bits shuffled, 16 blocks not split, top 3 bits compressor |
//! | 3 | bytes of an element |
//! | 4 | u32 bytes of the plain data |
//! | 8 | u32 bytes of a plain block |
//! | 12 | u32 bytes of the frame |
//! | 16 | i32 place of each block in the frame, unless stored |
//!
//! A block is one stream for each byte of an element, or one stream alone if
//! it is not split or is the shorter last one: i32 length, then the bytes,
//! which are plain if they are as many as they unpack to.

use super::bits::{unshuffle_bits, unshuffle_bytes};

const HEADER_LEN: usize = 16;
const VERSION: u8 = 2;
const SHUFFLED_BYTES: u8 = 1;
const STORED: u8 = 2;
const SHUFFLED_BITS: u8 = 4;
const NOT_SPLIT: u8 = 16;
const LZ4: u8 = 1;
const ZSTD: u8 = 4;

/// Decompresses a frame of at most `limit` plain bytes.
pub(super) fn decompress(frame: &[u8], limit: usize) -> Result<Vec<u8>, String> {
    let header = frame
        .first_chunk::<HEADER_LEN>()
        .ok_or("the header of the blosc frame is cut off")?;
    let number = |at: usize| {
        u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]) as usize
    };
    let (flags, size) = (header[2], usize::from(header[3]));
    let (n_plain, n_block, n_frame) = (number(4), number(8), number(12));
    if header[0] != VERSION {
        return Err(format!("version {} of blosc", header[0]));
    }
    if n_plain > limit {
        return Err(format!("more than {limit} bytes"));
    }
    let frame = frame.get(..n_frame).ok_or("the blosc frame is cut off")?;
    if flags & STORED != 0 {
        let plain = frame.get(HEADER_LEN..HEADER_LEN + n_plain);
        return Ok(plain.ok_or("the blosc frame is cut off")?.to_vec());
    }
    if n_plain == 0 {
        return Ok(Vec::new());
    }
    if n_block == 0 || size == 0 {
        return Err("blocks or elements of 0 bytes".into());
    }
    let mut plain = Vec::new();
    for number in 0..n_plain.div_ceil(n_block) {
        let len = n_block.min(n_plain - number * n_block);
        let start = int(frame, HEADER_LEN + number * 4)?;
        let is_split = flags & NOT_SPLIT == 0 && len == n_block && len % size == 0;
        let n_streams = if is_split { size } else { 1 };
        let block = block(frame, start, len, n_streams, flags >> 5)?;
        if flags & SHUFFLED_BITS != 0 {
            plain.extend(unshuffle_bits(&block, size));
        } else if flags & SHUFFLED_BYTES != 0 {
            plain.extend(unshuffle_bytes(&block, size));
        } else {
            plain.extend(block);
        }
    }
    Ok(plain)
}

/// The block of `len` plain bytes that starts at byte `start`.
fn block(
    frame: &[u8],
    start: usize,
    len: usize,
    n_streams: usize,
    compressor: u8,
) -> Result<Vec<u8>, String> {
    let stream_len = len / n_streams;
    let mut block = Vec::new();
    let mut at = start;
    for _ in 0..n_streams {
        let n_stored = int(frame, at)?;
        at += 4;
        let stored = at
            .checked_add(n_stored)
            .and_then(|end| frame.get(at..end))
            .ok_or("a stream of a blosc frame is cut off")?;
        at += n_stored;
        if n_stored == stream_len {
            block.extend_from_slice(stored);
            continue;
        }
        let plain = match compressor {
            LZ4 => lz4_flex::block::decompress(stored, stream_len)
                .map_err(|error| error.to_string())?,
            ZSTD => {
                zstd::bulk::decompress(stored, stream_len).map_err(|error| error.to_string())?
            }
            other => return Err(format!("compressor {other} of blosc")),
        };
        if plain.len() != stream_len {
            return Err(format!("{} of {stream_len} bytes in a stream", plain.len()));
        }
        block.extend(plain);
    }
    Ok(block)
}

fn int(frame: &[u8], at: usize) -> Result<usize, String> {
    frame
        .get(at..)
        .and_then(|rest| rest.first_chunk::<4>())
        .and_then(|bytes| usize::try_from(i32::from_le_bytes(*bytes)).ok())
        .ok_or_else(|| "a place or length in a blosc frame is nowhere".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(flags: u8, size: u8, n_plain: u32, n_block: u32, rest: &[u8]) -> Vec<u8> {
        let mut frame = vec![VERSION, 1, flags, size];
        frame.extend(n_plain.to_le_bytes());
        frame.extend(n_block.to_le_bytes());
        frame.extend((16 + rest.len() as u32).to_le_bytes());
        frame.extend_from_slice(rest);
        frame
    }

    fn stream(bytes: &[u8]) -> Vec<u8> {
        let mut stream = (bytes.len() as i32).to_le_bytes().to_vec();
        stream.extend_from_slice(bytes);
        stream
    }

    #[test]
    fn stored_and_compressed_frames_are_read() {
        let stored = frame(STORED, 1, 3, 3, b"abc");
        assert_eq!(decompress(&stored, 3).unwrap(), b"abc");
        assert!(decompress(&stored, 2).is_err());

        let plain = vec![7_u8; 100];
        let packed = lz4_flex::block::compress(&plain);
        let rest = [&20_i32.to_le_bytes()[..], &stream(&packed)].concat();
        let whole = frame(LZ4 << 5 | NOT_SPLIT, 1, 100, 100, &rest);
        assert_eq!(decompress(&whole, 100).unwrap(), plain);
        for len in 0..whole.len() {
            assert!(decompress(&whole[..len], 100).is_err());
        }
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut broken = whole.clone();
                broken[at] ^= 1 << bit;
                let _ = decompress(&broken, 1 << 20);
            }
        }
    }

    #[test]
    fn blocks_are_split_by_bytes() {
        let rest = [
            &20_i32.to_le_bytes()[..],
            &stream(&[1, 2]),
            &stream(&[3, 4]),
        ]
        .concat();
        let whole = frame(ZSTD << 5 | SHUFFLED_BYTES, 2, 4, 4, &rest);
        assert_eq!(decompress(&whole, 4).unwrap(), [1, 3, 2, 4]);
    }

    #[test]
    fn a_frame_that_declares_much_allocates_little() {
        let rest = [&20_i32.to_le_bytes()[..], &stream(&[0; 4])].concat();
        let huge = frame(ZSTD << 5 | NOT_SPLIT, 1, u32::MAX, u32::MAX, &rest);
        assert!(decompress(&huge, 1 << 20).is_err());
    }
}
