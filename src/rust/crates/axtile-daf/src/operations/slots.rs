//! Which result each row (or each column) belongs to.

/// Belongs to none.
pub const NO_SLOT: u32 = u32::MAX;

/// Which of some entries are selected, in ascending order, and the group of
/// each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Members<'a> {
    /// The selected entries; none if all are.
    pub selected: Option<&'a [u32]>,
    /// The group of each selected entry, or [`NO_SLOT`]; none if they are not
    /// grouped.
    pub groups: Option<(&'a [u32], usize)>,
}

impl Members<'_> {
    /// Whether all entries are selected and there are no groups.
    pub fn is_everything(&self) -> bool {
        self.selected.is_none() && self.groups.is_none()
    }

    /// The selected entries out of `n`, whatever their groups.
    pub fn all(&self, n: usize) -> Vec<u32> {
        match self.selected {
            Some(selected) => selected.to_vec(),
            None => (0..n as u32).collect(),
        }
    }

    /// The entries of each group, in order, out of `n` entries; one group if
    /// they are not grouped.
    pub fn sets(&self, n: usize) -> Vec<Vec<u32>> {
        let n_selected = self.selected.map_or(n, <[u32]>::len);
        let entry = |idx: usize| match self.selected {
            Some(selected) => selected.get(idx).copied().unwrap_or(NO_SLOT),
            None => idx as u32,
        };
        let Some((groups, n_groups)) = self.groups else {
            return vec![(0..n_selected).map(entry).collect()];
        };
        let mut sets = vec![Vec::new(); n_groups];
        for (idx, &group) in groups.iter().take(n_selected).enumerate() {
            if let Some(set) = sets.get_mut(group as usize) {
                set.push(entry(idx));
            }
        }
        sets
    }
}

/// The slot of each row.
#[derive(Clone, Debug)]
pub struct Slots {
    /// By row; [`NO_SLOT`] for rows that are left out.
    pub of: Vec<u32>,
    /// How many rows before this one have its slot, by row.
    pub rank: Vec<u32>,
    /// Rows of each slot.
    pub sizes: Vec<usize>,
    /// The same as floats.
    pub real_sizes: Vec<f64>,
}

impl Slots {
    /// One slot for each group, or one for all selected rows of `n`.
    pub fn of_groups(n: usize, members: Members<'_>) -> Slots {
        Slots::new(n, &members.sets(n))
    }

    /// One slot for each selected row.
    pub fn of_rows(n: usize, selected: &[u32]) -> Slots {
        let sets: Vec<Vec<u32>> = selected.iter().map(|&row| vec![row]).collect();
        Slots::new(n, &sets)
    }

    /// One slot for each of `sets` of rows out of `n`.
    pub fn new(n: usize, sets: &[Vec<u32>]) -> Slots {
        let mut of = vec![NO_SLOT; n];
        let mut rank = vec![0; n];
        for (slot, set) in sets.iter().enumerate() {
            for (position, &row) in set.iter().enumerate() {
                if let (Some(of), Some(rank)) =
                    (of.get_mut(row as usize), rank.get_mut(row as usize))
                {
                    *of = slot as u32;
                    *rank = position as u32;
                }
            }
        }
        Slots {
            of,
            rank,
            sizes: sets.iter().map(Vec::len).collect(),
            real_sizes: sets.iter().map(|set| set.len() as f64).collect(),
        }
    }

    /// Whether a row with this slot is left out.
    pub fn is_none(&self, slot: u32) -> bool {
        slot as usize >= self.sizes.len()
    }

    /// Divides the result of each slot by its size.
    pub fn divide(&self, results: &mut [f64]) {
        for (result, size) in results.iter_mut().zip(&self.real_sizes) {
            *result /= size;
        }
    }
}
