//! Blocks of a channel in groups that threads decode independently: no two
//! groups share a row.

/// Blocks of a group, unless more of them overlap.
const GROUP_BLOCKS: usize = 8;
/// Samples from which on a group takes no more blocks.
const GROUP_SAMPLES: u64 = 1 << 20;

/// A block of a plan and the rows it takes, which may reach over the window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    /// The segment's position among the channel's segments of the plan.
    pub(crate) segment: usize,
    /// The block's position in the segment's index.
    pub(crate) block: usize,
    /// Byte of the data file.
    pub(crate) offset: u64,
    pub(crate) n_bytes: usize,
    /// Start time as stored.
    pub(crate) start: i64,
    pub(crate) n_samples: u32,
    pub(crate) slot: i64,
}

impl Placed {
    fn end_slot(&self) -> i64 {
        self.slot.saturating_add(self.n_samples.into())
    }
}

/// Rows `from..to` of a column and the blocks in them, in stored order.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) blocks: Vec<Placed>,
    /// Some blocks share rows: they are placed one by one, the last one wins.
    pub(crate) has_overlaps: bool,
}

/// Groups that cover all of `n_rows` rows; blocks outside are left out.
pub(crate) fn group(mut blocks: Vec<Placed>, n_rows: usize) -> Vec<Group> {
    let last_row = i64::try_from(n_rows).unwrap_or(i64::MAX);
    blocks.retain(|block| block.end_slot() > 0 && block.slot < last_row);
    // Stable: stored order is kept among equals, and restored in each group.
    let mut order: Vec<(usize, Placed)> = blocks.into_iter().enumerate().collect();
    order.sort_by_key(|(_, block)| block.slot);

    let mut groups: Vec<Group> = Vec::new();
    let mut open: Vec<(usize, Placed)> = Vec::new();
    let mut end = i64::MIN;
    let mut n_samples = 0_u64;
    let mut has_overlaps = false;
    let mut from = 0;
    for (at, block) in order {
        let is_full = open.len() >= GROUP_BLOCKS || n_samples >= GROUP_SAMPLES;
        if block.slot >= end && is_full {
            let to = usize::try_from(block.slot).unwrap_or(0).clamp(from, n_rows);
            groups.push(close(&mut open, from, to, has_overlaps));
            from = to;
            n_samples = 0;
            has_overlaps = false;
        } else if block.slot < end {
            has_overlaps = true;
        }
        end = end.max(block.end_slot());
        n_samples += u64::from(block.n_samples);
        open.push((at, block));
    }
    groups.push(close(&mut open, from, n_rows, has_overlaps));
    groups
}

fn close(open: &mut Vec<(usize, Placed)>, from: usize, to: usize, has_overlaps: bool) -> Group {
    open.sort_by_key(|&(at, _)| at);
    Group {
        from,
        to,
        blocks: open.drain(..).map(|(_, block)| block).collect(),
        has_overlaps,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(block: usize, slot: i64, n_samples: u32) -> Placed {
        Placed {
            segment: 0,
            block,
            offset: 0,
            n_bytes: 0,
            start: 0,
            n_samples,
            slot,
        }
    }

    #[test]
    fn groups_cover_all_rows_and_keep_overlaps_together() {
        let mut blocks: Vec<Placed> = (0..40).map(|i| placed(i, i as i64 * 10 - 5, 10)).collect();
        blocks.push(placed(40, 100, 25));
        blocks.push(placed(41, 10_000, 10));
        let groups = group(blocks, 390);
        let mut next = 0;
        let mut n_blocks = 0;
        for group in &groups {
            assert_eq!(group.from, next);
            next = group.to;
            n_blocks += group.blocks.len();
            assert!(group.blocks.is_sorted_by_key(|block| block.block));
            let overlaps = group.blocks.iter().any(|block| block.block == 40);
            assert_eq!(group.has_overlaps, overlaps);
            for block in &group.blocks {
                assert!(block.slot.max(0) as usize >= group.from);
                assert!((block.end_slot() as usize).min(390) <= group.to);
            }
        }
        assert_eq!((next, n_blocks), (390, 41));
        assert!(groups.len() >= 4);
        assert_eq!(group(Vec::new(), 7)[0].to, 7);
    }
}
