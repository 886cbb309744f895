//! BP-128 as BPCells stores a matrix of counts: blocks of 128 over all nonzeros,
//! gene numbers as zigzagged differences, counts less 1, each block with as many
//! bits a number as its largest needs. Stands for what a format gives that only
//! packs bits: zigzag, running sums and widening are vectorised, so that it
//! comes near the speed of memory.

use axtile_codec::kernels::Count;
use bitpacking::{BitPacker, BitPacker4x};

const BLOCK: usize = BitPacker4x::BLOCK_LEN;

/// Numbers packed by blocks, the last of them filled up with zeros.
struct Packed {
    n_bits: Vec<u8>,
    bytes: Vec<u8>,
}

pub struct Bp128 {
    packer: BitPacker4x,
    n: usize,
    genes: Packed,
    counts: Packed,
}

impl Bp128 {
    pub fn encode(genes: &[u32], counts: &[u32]) -> Bp128 {
        let packer = BitPacker4x::new();
        let mut last = 0;
        let differences = genes.iter().map(|&gene| {
            let difference = gene.wrapping_sub(last) as i32;
            last = gene;
            ((difference << 1) ^ (difference >> 31)) as u32
        });
        Bp128 {
            packer,
            n: genes.len(),
            genes: pack(packer, differences.collect()),
            counts: pack(packer, counts.iter().map(|&count| count - 1).collect()),
        }
    }

    /// Size in bytes.
    pub fn len(&self) -> usize {
        let len = |packed: &Packed| packed.n_bits.len() + packed.bytes.len();
        len(&self.genes) + len(&self.counts)
    }

    /// `counts` may be `f64` or `i32`.
    pub fn decode<C: Count>(&self, genes: &mut [i32], counts: &mut [C]) {
        assert_eq!((genes.len(), counts.len()), (self.n, self.n));
        let mut block = [0u32; BLOCK];
        let mut last = 0;
        let (mut genes_at, mut counts_at) = (0, 0);
        for (idx, (genes, counts)) in genes
            .chunks_mut(BLOCK)
            .zip(counts.chunks_mut(BLOCK))
            .enumerate()
        {
            let unpack = |packed: &Packed, at: &mut usize, block: &mut [u32; BLOCK]| {
                let bytes = &packed.bytes[*at..];
                *at += self.packer.decompress(bytes, block, packed.n_bits[idx]);
            };
            unpack(&self.genes, &mut genes_at, &mut block);
            match genes.as_chunks_mut::<BLOCK>().0 {
                [genes] => last = sums(&block, genes, last),
                _ => {
                    let mut whole = [0; BLOCK];
                    last = sums(&block, &mut whole, last);
                    genes.copy_from_slice(&whole[..genes.len()]);
                }
            }
            unpack(&self.counts, &mut counts_at, &mut block);
            widen(&block, counts);
        }
    }
}

fn pack(packer: BitPacker4x, mut numbers: Vec<u32>) -> Packed {
    numbers.resize(numbers.len().next_multiple_of(BLOCK), 0);
    let mut packed = Packed {
        n_bits: Vec::new(),
        bytes: Vec::new(),
    };
    let mut room = [0; 4 * BLOCK];
    for block in numbers.chunks(BLOCK) {
        let n_bits = packer.num_bits(block);
        let len = packer.compress(block, &mut room, n_bits);
        packed.n_bits.push(n_bits);
        packed.bytes.extend_from_slice(&room[..len]);
    }
    packed
}

#[cfg(target_arch = "x86_64")]
fn sums(block: &[u32; BLOCK], out: &mut [i32; BLOCK], last: i32) -> i32 {
    if is_x86_feature_detected!("avx2") {
        // SAFETY: AVX2 was just found.
        return unsafe { sums_avx2(block, out, last) };
    }
    sums_plain(block, out, last)
}

#[cfg(not(target_arch = "x86_64"))]
use sums_plain as sums;

/// Running sums of zigzagged differences.
fn sums_plain(block: &[u32; BLOCK], out: &mut [i32; BLOCK], mut last: i32) -> i32 {
    for (&number, out) in block.iter().zip(out) {
        last = last.wrapping_add((number >> 1) as i32 ^ -((number & 1) as i32));
        *out = last;
    }
    last
}

/// # Safety
/// Needs AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn sums_avx2(block: &[u32; BLOCK], out: &mut [i32; BLOCK], last: i32) -> i32 {
    use std::arch::x86_64::*;
    let one = _mm256_set1_epi32(1);
    let mut carry = _mm256_set1_epi32(last);
    for (numbers, out) in block
        .as_chunks::<8>()
        .0
        .iter()
        .zip(out.as_chunks_mut::<8>().0)
    {
        // SAFETY: 32 bytes.
        let numbers = unsafe { _mm256_loadu_si256(numbers.as_ptr().cast()) };
        let sign = _mm256_sub_epi32(_mm256_setzero_si256(), _mm256_and_si256(numbers, one));
        let mut sums = _mm256_xor_si256(_mm256_srli_epi32::<1>(numbers), sign);
        sums = _mm256_add_epi32(sums, _mm256_bslli_epi128::<4>(sums));
        sums = _mm256_add_epi32(sums, _mm256_bslli_epi128::<8>(sums));
        // The low half's total, for the high half.
        let low = _mm256_permute2x128_si256::<0x08>(sums, sums);
        sums = _mm256_add_epi32(sums, _mm256_shuffle_epi32::<0xff>(low));
        sums = _mm256_add_epi32(sums, carry);
        carry = _mm256_permutevar8x32_epi32(sums, _mm256_set1_epi32(7));
        // SAFETY: 32 bytes.
        unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), sums) };
    }
    _mm256_cvtsi256_si32(carry)
}

fn widen<C: Count>(block: &[u32; BLOCK], out: &mut [C]) {
    #[inline(always)]
    fn plain<C: Count>(block: &[u32; BLOCK], out: &mut [C]) {
        for (&number, out) in block.iter().zip(out) {
            *out = C::from_u32(number + 1);
        }
    }
    #[cfg(target_arch = "x86_64")]
    {
        /// The compiler vectorises the loop.
        #[target_feature(enable = "avx2")]
        fn avx2<C: Count>(block: &[u32; BLOCK], out: &mut [C]) {
            plain(block, out);
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: AVX2 was just found.
            return unsafe { avx2(block, out) };
        }
    }
    plain(block, out);
}
