//! Undoing the shuffles that blosc puts before compression.

/// Undoes the shuffle of bits in one block: the planes of bit `k` of byte `b`
/// of all elements follow each other, `b` before `k`. A block whose elements
/// are no multiple of 8 was left as it is, and so were the bytes after the
/// last element.
pub(super) fn unshuffle_bits(shuffled: &[u8], size: usize) -> Vec<u8> {
    let n_elements = shuffled.len() / size.max(1);
    if !n_elements.is_multiple_of(8) || size == 0 {
        return shuffled.to_vec();
    }
    let mut plain = shuffled.to_vec();
    let n_groups = n_elements / 8;
    for byte in 0..size {
        for group in 0..n_groups {
            let mut planes = [0; 8];
            for (bit, plane) in planes.iter_mut().enumerate() {
                *plane = shuffled[(byte * 8 + bit) * n_groups + group];
            }
            for (at, value) in transposed(planes).into_iter().enumerate() {
                plain[(group * 8 + at) * size + byte] = value;
            }
        }
    }
    plain
}

/// Undoes the shuffle of bytes in one block: byte `b` of all elements before
/// byte `b + 1`.
pub(super) fn unshuffle_bytes(shuffled: &[u8], size: usize) -> Vec<u8> {
    let mut plain = shuffled.to_vec();
    let n_elements = shuffled.len() / size.max(1);
    for byte in 0..size {
        for at in 0..n_elements {
            plain[at * size + byte] = shuffled[byte * n_elements + at];
        }
    }
    plain
}

/// The 8 by 8 bits with rows and columns exchanged.
fn transposed(rows: [u8; 8]) -> [u8; 8] {
    let mut bits = u64::from_le_bytes(rows);
    for (shift, mask) in [
        (7, 0x00aa_00aa_00aa_00aa),
        (14, 0x0000_cccc_0000_cccc),
        (28, 0x0000_0000_f0f0_f0f0),
    ] {
        let changed = (bits ^ (bits >> shift)) & mask;
        bits ^= changed ^ (changed << shift);
    }
    bits.to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shuffled_bits(plain: &[u8], size: usize) -> Vec<u8> {
        let n_elements = plain.len() / size;
        let mut shuffled = vec![0; plain.len()];
        for at in 0..n_elements {
            for bit in 0..size * 8 {
                let value = plain[at * size + bit / 8] >> (bit % 8) & 1;
                shuffled[bit * (n_elements / 8) + at / 8] |= value << (at % 8);
            }
        }
        shuffled
    }

    #[test]
    fn bits_come_back() {
        for size in [1, 2, 4, 8, 3] {
            let plain: Vec<u8> = (0..size * 32).map(|at| (at * 37 + 11) as u8).collect();
            assert_eq!(unshuffle_bits(&shuffled_bits(&plain, size), size), plain);
        }
        assert_eq!(unshuffle_bits(&[1, 2, 3], 1), [1, 2, 3]);
    }

    #[test]
    fn bytes_come_back() {
        assert_eq!(
            unshuffle_bytes(&[1, 3, 5, 2, 4, 6, 7], 2),
            [1, 2, 3, 4, 5, 6, 7]
        );
    }
}
