//! What must see all values at once: quantiles and the most frequent value.
//! Zeros that are not stored are counted, never made.

use axtile_core::Result;

use super::accumulate::Signs;
use super::lane::Lane;
use super::piece::{Piece, accumulated};

/// Spans of whole numbers up to this many are counted in a table.
const TABLE: u64 = 1 << 12;

/// Quantile `p` of each slot: type 7, NaN if any value is.
///
/// # Errors
/// Indices that leave the matrix.
pub fn quantiles(piece: &impl Piece<f64>, p: f64, results: &mut [f64]) -> Result<()> {
    let signs: Vec<Signs> = accumulated(piece, |_| Signs::default())?;
    let mut wanted = vec![false; results.len()];
    for (slot, result) in results.iter_mut().enumerate() {
        let Some(signs) = signs.get(slot) else {
            continue;
        };
        let size = piece.size(slot);
        *result = match size {
            _ if signs.has_nan => f64::NAN,
            0 => 0.0,
            _ => {
                let (low, high, _) = ranks(p, size);
                let negative = signs.negative as usize;
                let positive = size.saturating_sub(signs.positive as usize);
                if let Some(wanted) = wanted.get_mut(slot) {
                    *wanted = low < negative || high >= positive;
                }
                0.0
            }
        };
    }
    each_batch(piece, &wanted, &signs, |slot, values, _| {
        let (Some(signs), Some(result)) = (signs.get(slot), results.get_mut(slot)) else {
            return;
        };
        *result = quantile(values, signs, piece.size(slot), p);
    })
}

/// Calls `visit` with the stored values of each wanted slot, to be reordered
/// at will, and its lead; no more of them are gathered at a time than the
/// piece allows.
fn each_batch<L: Lane>(
    piece: &impl Piece<L>,
    wanted: &[bool],
    signs: &[Signs],
    mut visit: impl FnMut(usize, &mut [L], usize),
) -> Result<()> {
    let mut from = 0;
    while let Some(first) = wanted.iter().skip(from).position(|&is| is) {
        let start = from + first;
        let mut n = 0;
        let mut end = start;
        while end < wanted.len() {
            if wanted.get(end) == Some(&true) {
                n += signs.get(end).map_or(0, Signs::n_stored);
                if end > start && n > piece.max_gathered() {
                    break;
                }
            }
            end += 1;
        }
        let batch: Vec<bool> = wanted
            .iter()
            .enumerate()
            .map(|(slot, &is)| is && (start..end).contains(&slot))
            .collect();
        let mut gathered = piece.gather(&batch)?;
        for (slot, (values, lead)) in gathered.slots().enumerate() {
            if batch.get(slot) == Some(&true) {
                piece.check()?;
                visit(slot, values, lead);
            }
        }
        from = end;
    }
    Ok(())
}

/// The ranks around quantile `p` of `size` values, from 0, and how far it is
/// from the lower to the upper one.
fn ranks(p: f64, size: usize) -> (usize, usize, f64) {
    let last = size.saturating_sub(1);
    let place = p * last as f64;
    let low = (place.floor() as usize).min(last);
    let part = place - low as f64;
    let high = if part > 0.0 { (low + 1).min(last) } else { low };
    (low, high, part)
}

/// The quantile of `values` and as many zeros as `size` leaves.
fn quantile(values: &mut [f64], signs: &Signs, size: usize, p: f64) -> f64 {
    let (low_rank, high_rank, part) = ranks(p, size);
    let zeros = size.saturating_sub(values.len());
    let negative = signs.negative as usize;
    let first_positive = size.saturating_sub(signs.positive as usize);
    let mut at = |rank: usize| {
        if (negative..first_positive).contains(&rank) {
            return 0.0;
        }
        let place = if rank < negative { rank } else { rank - zeros };
        match place < values.len() {
            true => *values.select_nth_unstable_by(place, f64::total_cmp).1,
            false => 0.0,
        }
    };
    let low = at(low_rank);
    if high_rank == low_rank {
        return low;
    }
    let high = if low_rank >= first_positive {
        // All above the lower one stand behind it now.
        let after = values.get(high_rank - zeros..).unwrap_or_default();
        after.iter().copied().fold(f64::INFINITY, f64::min)
    } else {
        at(high_rank)
    };
    if low == high {
        return low;
    }
    low + part * (high - low)
}

/// The most frequent value of each slot; among equals the first. NaN if any
/// value is.
///
/// # Errors
/// Indices that leave the matrix.
pub fn modes<L: Lane>(piece: &impl Piece<L>, results: &mut [L]) -> Result<()> {
    let mut wanted = vec![true; results.len()];
    let mut signs = Vec::new();
    if piece.is_sparse() {
        signs = accumulated(piece, |_| Signs::default())?;
        for (slot, signs) in signs.iter().enumerate() {
            let others = signs.negative as usize + signs.positive as usize;
            // More zeros than anything else together need no closer look.
            let clear = piece.size(slot) > 2 * others;
            if let (Some(wanted), Some(result)) = (wanted.get_mut(slot), results.get_mut(slot)) {
                *wanted = !clear && !signs.has_nan;
                *result = if signs.has_nan { L::NAN } else { L::default() };
            }
        }
    }
    let mut room = Room::default();
    each_batch(piece, &wanted, &signs, |slot, values, lead| {
        if let Some(result) = results.get_mut(slot) {
            let zeros = piece.size(slot).saturating_sub(values.len());
            *result = mode(values, zeros, lead, &mut room);
        }
    })
}

#[derive(Default)]
struct Room {
    keys: Vec<u64>,
    table: Vec<u32>,
    winners: Vec<u64>,
}

/// The most frequent of `values` and `zeros` zeros, the first of which stands
/// after `lead` values.
fn mode<L: Lane>(values: &[L], zeros: usize, lead: usize, room: &mut Room) -> L {
    let Some(&first) = values.first() else {
        return L::default();
    };
    if values.iter().any(|value| value.is_nan()) {
        return L::NAN;
    }
    let least = values.iter().fold(
        first,
        |least, &value| if value < least { value } else { least },
    );
    let most = values.iter().fold(
        first,
        |most, &value| if value > most { value } else { most },
    );
    let span = most.above(least);
    if L::IS_WHOLE && span < TABLE.max(values.len() as u64) {
        room.table.clear();
        room.table.resize(span as usize + 1, 0);
        for &value in values {
            if let Some(count) = room.table.get_mut(value.above(least) as usize) {
                *count += 1;
            }
        }
        let table = &room.table;
        let count =
            |value: L| table.get(value.above(least) as usize).copied().unwrap_or(0) as usize;
        let has_zero = least <= L::default() && L::default() <= most;
        let of_zero = zeros + if has_zero { count(L::default()) } else { 0 };
        let most = table.iter().max().map_or(0, |&count| count as usize);
        let best = most.max(of_zero);
        let wins = |value: L| {
            let n = if value == L::default() {
                of_zero
            } else {
                count(value)
            };
            n == best
        };
        return first_of(values, zeros, lead, wins);
    }
    room.keys.clear();
    room.keys.extend(values.iter().map(|value| value.key()));
    room.keys.sort_unstable();
    let zero = L::default().key();
    let mut best = zeros;
    for run in room.keys.chunk_by(|a, b| a == b) {
        let n = run.len() + if run.first() == Some(&zero) { zeros } else { 0 };
        best = best.max(n);
    }
    room.winners.clear();
    let mut zero_wins = zeros == best;
    for run in room.keys.chunk_by(|a, b| a == b) {
        let Some(&key) = run.first() else { continue };
        let n = run.len() + if key == zero { zeros } else { 0 };
        if n == best {
            zero_wins |= key == zero;
            room.winners.push(key);
        }
    }
    let winners = &room.winners;
    first_of(values, zeros, lead, |value| {
        let key = value.key();
        (key == zero && zero_wins) || winners.binary_search(&key).is_ok()
    })
}

/// The first of the values and zeros that wins.
fn first_of<L: Lane>(values: &[L], zeros: usize, lead: usize, wins: impl Fn(L) -> bool) -> L {
    let zero_wins = zeros > 0 && wins(L::default());
    for (at, &value) in values.iter().enumerate() {
        if zero_wins && at == lead {
            break;
        }
        if wins(value) {
            // A negative zero is a zero.
            return if value == L::default() {
                L::default()
            } else {
                value
            };
        }
    }
    L::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<L: Lane>(values: &[L], zeros: usize, lead: usize) -> L {
        mode(values, zeros, lead, &mut Room::default())
    }

    #[test]
    fn ties_go_to_the_first() {
        assert_eq!(of(&[2_i64, 1, 1, 2], 0, 4), 2);
        assert_eq!(of(&[2.5, 1.5, 1.5, 2.5], 0, 4), 2.5);
        assert_eq!(of(&[3_i64, 3], 2, 1), 3);
        assert_eq!(of(&[3_i64, 3], 2, 0), 0);
        assert_eq!(of(&[3.5, 3.5], 2, 0), 0.0);
        assert_eq!(of(&[0.5, -0.0, 0.5], 1, 3), 0.5);
        assert_eq!(of(&[-0.0, 0.5], 1, 1), 0.0);
        assert_eq!(of(&[1_i64, 1 << 40, 1 << 40], 1, 0), 1 << 40);
        assert_eq!(of(&[u64::MAX, 7, 7], 0, 3), 7);
        assert!(of(&[1.0, f64::NAN], 0, 2).is_nan());
    }

    #[test]
    fn ranks_of_type_7() {
        assert_eq!(ranks(0.5, 4), (1, 2, 0.5));
        assert_eq!(ranks(1.0, 4), (3, 3, 0.0));
        assert_eq!(ranks(0.0, 1), (0, 0, 0.0));
    }
}
