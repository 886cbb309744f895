//! Which cells are asked for, and in which rows of which tiles they are.

use axtile_core::{Error, Result};
use axtile_table::ipc::Place;

/// The cells to read, in the order of the result.
#[derive(Clone, Copy, Debug)]
pub enum Cells<'a> {
    /// All cells, in their order.
    All,
    /// Cells by number, from 0, in any order and with repeats.
    List(&'a [u64]),
}

/// Finds cells in tiles.
#[derive(Clone, Debug)]
pub(super) struct Locator {
    /// The first cell of each tile, and the number of cells.
    starts: Vec<u64>,
    /// Cells of every tile but the last, if that is the same for all.
    tile_size: Option<u64>,
}

impl Locator {
    /// `None` if the cells cannot be counted.
    pub(super) fn new(tile_cells: &[u64]) -> Option<Locator> {
        let mut starts = vec![0u64];
        let mut n_cells = 0u64;
        for n in tile_cells {
            n_cells = n_cells.checked_add(*n)?;
            starts.push(n_cells);
        }
        let (last, full) = tile_cells.split_last().unwrap_or((&0, &[]));
        let size = full.first().unwrap_or(last);
        let is_even = full.iter().all(|n| n == size) && last <= size && *size > 0;
        Some(Locator {
            starts,
            tile_size: is_even.then_some(*size),
        })
    }

    pub(super) fn n_cells(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Where each of the cells is.
    pub(super) fn places(&self, cells: &[u64]) -> Result<Vec<Place>> {
        let n_cells = self.n_cells();
        let place = |cell: &u64| {
            if *cell >= n_cells {
                let problem = format!("cell {cell} of {n_cells} cells, counted from 0");
                return Err(Error::range(problem));
            }
            let tile = match self.tile_size {
                Some(size) => (cell / size) as usize,
                None => self.starts.partition_point(|start| start <= cell) - 1,
            };
            let start = self.starts.get(tile).copied().unwrap_or(0);
            Ok(Place {
                batch: tile,
                row: (cell - start) as usize,
            })
        };
        cells.iter().map(place).collect()
    }
}

/// The rows wanted of one tile.
#[derive(Clone, Debug)]
pub(super) struct TileRows {
    pub(super) tile: usize,
    /// `None` for all rows.
    pub(super) rows: Option<Vec<usize>>,
}

/// Rows by tile, and how to get from their sequence to the order asked for.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) tiles: Vec<TileRows>,
    /// For each row asked for its number among all rows of `tiles`; `None` if
    /// those are in order already.
    pub(super) from: Option<Vec<usize>>,
    pub(super) n_rows: usize,
}

impl Plan {
    pub(super) fn all(n_tiles: usize, n_rows: usize) -> Plan {
        let whole = |tile| TileRows { tile, rows: None };
        Plan {
            tiles: (0..n_tiles).map(whole).collect(),
            from: None,
            n_rows,
        }
    }

    pub(super) fn of(places: &[Place]) -> Plan {
        let is_sorted = places.is_sorted_by_key(|place| place.batch);
        let mut order: Vec<usize> = (0..places.len()).collect();
        if !is_sorted {
            order.sort_by_key(|i| places[*i].batch);
        }
        let mut tiles: Vec<TileRows> = Vec::new();
        for i in &order {
            let place = places[*i];
            match tiles.last_mut() {
                Some(TileRows {
                    tile,
                    rows: Some(rows),
                }) if *tile == place.batch => rows.push(place.row),
                _ => tiles.push(TileRows {
                    tile: place.batch,
                    rows: Some(vec![place.row]),
                }),
            }
        }
        let from = (!is_sorted).then(|| {
            let mut from = vec![0; order.len()];
            for (k, i) in order.iter().enumerate() {
                from[*i] = k;
            }
            from
        });
        Plan {
            tiles,
            from,
            n_rows: places.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_in_even_and_uneven_tiles() {
        for tile_cells in [vec![7, 7, 5], vec![7, 3, 9], vec![4], vec![2, 0, 3, 0]] {
            let locator = Locator::new(&tile_cells).unwrap();
            let cells: Vec<u64> = (0..locator.n_cells()).collect();
            let mut expected = Vec::new();
            for (tile, n) in tile_cells.iter().enumerate() {
                expected.extend((0..*n as usize).map(|row| Place { batch: tile, row }));
            }
            assert_eq!(locator.places(&cells).unwrap(), expected);
            assert!(locator.places(&[locator.n_cells()]).is_err());
        }
        assert!(Locator::new(&[u64::MAX, 1]).is_none());
        assert_eq!(Locator::new(&[]).unwrap().n_cells(), 0);
    }

    #[test]
    fn a_plan_leads_back_to_the_order_asked_for() {
        let locator = Locator::new(&[7, 7, 5]).unwrap();
        let cells = [18, 0, 8, 0, 7, 13, 2, 18];
        let plan = Plan::of(&locator.places(&cells).unwrap());
        let mut rows = Vec::new();
        for tile in &plan.tiles {
            let start = tile.tile as u64 * 7;
            rows.extend(tile.rows.iter().flatten().map(|row| start + *row as u64));
        }
        let from = plan.from.unwrap();
        let found: Vec<u64> = from.iter().map(|k| rows[*k]).collect();
        assert_eq!(found, cells);
        assert!(
            Plan::of(&locator.places(&[3, 1, 9]).unwrap())
                .from
                .is_none()
        );
    }
}
