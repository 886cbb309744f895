//! The compressions of chunks.

use std::io::Read;

use super::blosc;

/// The most bytes that the texts of one chunk can take. Writers aim for
/// kilobytes.
pub(crate) const MAX_TEXT_CHUNK: usize = 1 << 30;

/// How a chunk is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    /// As it is.
    None,
    /// A frame of blosc 1, which says itself how its blocks are compressed.
    Blosc,
    /// Zstandard.
    Zstd,
    /// Gzip.
    Gzip,
}

impl Compression {
    /// The compression that descriptors call `name`.
    pub(crate) fn parse(name: &str) -> Option<Compression> {
        match name {
            "blosc_zstd_bitshuffle" | "blosc_lz4_bitshuffle" => Some(Compression::Blosc),
            "zstd" => Some(Compression::Zstd),
            "gzip" => Some(Compression::Gzip),
            _ => None,
        }
    }

    /// Decompresses a chunk of at most `limit` bytes.
    pub(crate) fn decompress(self, stored: &[u8], limit: usize) -> Result<Vec<u8>, String> {
        match self {
            Compression::None if stored.len() > limit => Err(too_large(limit)),
            Compression::None => Ok(stored.to_vec()),
            Compression::Blosc => blosc::decompress(stored, limit),
            Compression::Zstd => {
                let decoder = zstd::stream::read::Decoder::with_buffer(stored)
                    .map_err(|error| error.to_string())?;
                read_at_most(decoder, limit)
            }
            Compression::Gzip => read_at_most(flate2::read::MultiGzDecoder::new(stored), limit),
        }
    }
}

fn too_large(limit: usize) -> String {
    format!("more than {limit} bytes")
}

fn read_at_most(decoder: impl Read, limit: usize) -> Result<Vec<u8>, String> {
    let mut plain = Vec::new();
    decoder
        .take((limit as u64).saturating_add(1))
        .read_to_end(&mut plain)
        .map_err(|error| error.to_string())?;
    if plain.len() > limit {
        return Err(too_large(limit));
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_that_unpack_to_more_than_they_may_are_refused() {
        let plain = vec![0; 1 << 20];
        let stored = zstd::bulk::compress(&plain, 1).unwrap();
        assert_eq!(
            Compression::Zstd.decompress(&stored, plain.len()),
            Ok(plain)
        );
        assert!(Compression::Zstd.decompress(&stored, 1 << 10).is_err());
        assert!(Compression::Gzip.decompress(&stored, 1 << 30).is_err());
        assert!(Compression::None.decompress(&stored, 1).is_err());
    }
}
