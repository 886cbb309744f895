//! The numbers that genes get when a tile is decoded.

use std::ops::Deref;

use super::layout::Tile;
use crate::genes::GeneMap;

/// The numbers that genes get, by cluster and position in the cluster's order;
/// those of the tile and order that were decoded last. Positions beyond a map
/// are genes already: a tile of few bytes may have any number of genes.
#[derive(Debug, Default)]
pub(super) struct Maps {
    key: Option<(u64, Option<u64>)>,
    /// Empty where the numbers are the positions.
    pub(super) clusters: Vec<Vec<u32>>,
}

impl Maps {
    pub(super) fn settle<B: Deref<Target = [u8]>>(
        &mut self,
        tile: &Tile<B>,
        order: Option<&GeneMap>,
    ) {
        let key = Some((tile.id(), order.map(GeneMap::id)));
        if self.key == key {
            return;
        }
        self.key = key;
        self.clusters.clear();
        self.clusters
            .extend(tile.model.clusters.iter().map(|cluster| {
                match order {
                    Some(order) => cluster
                        .order(tile.n_genes())
                        .map(|gene| order.get(gene))
                        .collect(),
                    None if cluster.is_plain() => Vec::new(),
                    None => cluster.order(cluster.levels.len() as u32).collect(),
                }
            }));
    }
}
