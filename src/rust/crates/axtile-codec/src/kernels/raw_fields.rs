//! How vectors of eight 16-bit numbers get the raw bits of eight nonzeros, up to
//! 8 bits each: bytes are brought to the lanes, a multiplication moves each
//! lane's bits to its top, and one shift for all moves them down.

/// For some number of bits, and a first bit at some place in its byte.
pub(super) struct RawFields {
    /// For each lane the two bytes that hold its bits.
    pub(super) bytes: [u8; 16],
    /// What moves the bits of each lane to its top.
    pub(super) factors: [u16; 8],
}

/// By number of bits, then by the place of the first bit.
static FIELDS: [[RawFields; 8]; 9] = {
    let mut all = [const {
        [const {
            RawFields {
                bytes: [0; 16],
                factors: [0; 8],
            }
        }; 8]
    }; 9];
    // Of no bits, the lanes are multiplied to 0.
    let mut n_bits = 1;
    while n_bits <= 8 {
        let mut shift = 0;
        // Fields of a whole byte start with one.
        while shift < 8 && shift + n_bits < 16 {
            let mut lane = 0;
            while lane < 8 {
                let bit = shift + lane * n_bits;
                let fields = &mut all[n_bits][shift];
                fields.bytes[2 * lane] = (bit / 8) as u8;
                fields.bytes[2 * lane + 1] = (bit / 8 + 1) as u8;
                fields.factors[lane] = 1 << (16 - n_bits - bit % 8);
                lane += 1;
            }
            shift += 1;
        }
        n_bits += 1;
    }
    all
};

impl RawFields {
    /// For `n_bits` bits each, the first at bit `shift` of its byte.
    ///
    /// # Panics
    /// For more than 8 bits, or `shift` beyond 7.
    #[inline]
    pub(super) fn get(n_bits: usize, shift: usize) -> &'static RawFields {
        &FIELDS[n_bits][shift]
    }
}
