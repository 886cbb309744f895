//! CRC-32 of MEF: Koopman's polynomial, started with ones, no final inversion.
//! A stored checksum is therefore the state to go on from.

use crc::{CRC_32_MEF, Crc, Table};

static MEF: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_MEF);

/// What a checksum starts with.
pub const SEED: u32 = 0xFFFF_FFFF;

/// The checksum of `bytes`.
pub fn checksum(bytes: &[u8]) -> u32 {
    extend(SEED, bytes)
}

/// The checksum of what `state` is the checksum of, followed by `bytes`.
pub fn extend(state: u32, bytes: &[u8]) -> u32 {
    let mut digest = MEF.digest_with_initial(state.reverse_bits());
    digest.update(bytes);
    digest.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_that_of_the_format_and_goes_on() {
        assert_eq!(checksum(b"123456789"), 0xD2C2_2F51);
        // Entries 1 and 128 of the format's table.
        assert_eq!(extend(0, &[1]), 0x9695_C4CA);
        assert_eq!(extend(0, &[128]), 0xEB31_D82E);
        let bytes: Vec<u8> = (0..1000_u32).map(|i| (i * i) as u8).collect();
        assert_eq!(
            extend(checksum(&bytes[..333]), &bytes[333..]),
            checksum(&bytes)
        );
    }
}
