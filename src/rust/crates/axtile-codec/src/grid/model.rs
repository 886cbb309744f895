//! The model of a tile: what decoder and encoder know about its nonzeros before
//! they look at one.

use super::huffman::DecodeTable;
use super::{MAX_BUCKETS, MAX_CLASSES, MAX_CLUSTERS, MAX_SYMBOLS, MAX_TABLES};
use crate::error::TileResult;
use crate::kernels::Dictionary;
use crate::wire::{Cursor, put_varint};

/// Gaps and counts are cut into a part in the symbol and at most this many raw
/// bits together.
pub const MAX_RAW_BITS: u8 = 25;
/// Escapes give a part as 2^n - 1 and n more bits, or as this many bits.
pub const MAX_ESCAPE_BITS: u8 = 32;
/// Shares of nonzeros are in this unit.
pub(super) const SHARE_ONE: u64 = 1 << 16;

/// All of it.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) n_genes: u32,
    pub(super) n_classes: usize,
    pub(super) clusters: Vec<Cluster>,
    pub(super) buckets: Vec<Bucket>,
}

/// Cells that express genes alike.
#[derive(Debug, Default)]
pub(super) struct Cluster {
    /// The level of each of the first genes; genes come in the order of their
    /// level, those of one level and those without in the order of the tile.
    pub(super) levels: Vec<u8>,
    /// Where the buckets start in this order, and the end of the last.
    pub(super) bounds: Vec<u32>,
}

/// What the nonzeros of one bucket share.
#[derive(Debug)]
pub(super) struct Bucket {
    /// The symbols and raw bits.
    pub(super) dictionary: Dictionary,
    /// For each escape, the bits of gap and count.
    pub(super) escapes: Vec<(u8, u8)>,
    /// For each cluster, the share of the nonzeros from here on.
    pub(super) shares: Vec<u32>,
    /// For each cluster, the counts above which the next class begins.
    pub(super) thresholds: Vec<Vec<u32>>,
    /// For each cluster and class, the table.
    pub(super) table_of: Vec<u8>,
    /// For each table, the code length of each symbol.
    pub(super) tables: Vec<Vec<u8>>,
}

impl Cluster {
    /// The genes in this cluster's order.
    pub(super) fn order(&self, n_genes: u32) -> impl Iterator<Item = u32> {
        let mut order: Vec<u32> = (0..self.levels.len() as u32).collect();
        order.sort_by_key(|&gene| self.levels[gene as usize]);
        order.into_iter().chain(self.levels.len() as u32..n_genes)
    }

    /// The place of each of the first genes in this order; all others have the
    /// place of their number.
    pub(super) fn places(&self) -> Vec<u32> {
        let n_levels = self.levels.len() as u32;
        let mut places = vec![0; self.levels.len()];
        for (place, gene) in self.order(n_levels).enumerate() {
            places[gene as usize] = place as u32;
        }
        places
    }

    /// Whether its order is the tile's.
    pub(super) fn is_plain(&self) -> bool {
        self.levels.is_sorted()
    }
}

impl Bucket {
    /// The code table of a cell of `cluster` with `count` nonzeros here.
    #[inline]
    pub(super) fn table(&self, cluster: usize, count: u32) -> usize {
        let thresholds = &self.thresholds[cluster];
        let class = thresholds
            .iter()
            .map(|&t| usize::from(count > t))
            .sum::<usize>();
        usize::from(self.table_of[cluster * (thresholds.len() + 1) + class])
    }

    pub(super) fn n_symbols(&self) -> usize {
        self.dictionary.n_regular() + self.escapes.len()
    }
}

impl Model {
    /// The place of a cell's nonzeros of bucket `bucket` in its cluster's order.
    pub(super) fn bounds(&self, cluster: usize, bucket: usize) -> std::ops::Range<u32> {
        let bounds = &self.clusters[cluster].bounds;
        bounds[bucket]..bounds[bucket + 1]
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![self.clusters.len() as u8, self.n_classes as u8];
        put_varint(&mut out, self.buckets.len() as u64);
        for cluster in &self.clusters {
            put_varint(&mut out, cluster.levels.len() as u64);
            out.extend_from_slice(&cluster.levels);
            for bounds in cluster.bounds.windows(2) {
                put_varint(&mut out, u64::from(bounds[1] - bounds[0]));
            }
        }
        for bucket in &self.buckets {
            for cluster in 0..self.clusters.len() {
                put_varint(&mut out, u64::from(bucket.shares[cluster]));
                for &threshold in &bucket.thresholds[cluster] {
                    put_varint(&mut out, u64::from(threshold));
                }
            }
            let dictionary = &bucket.dictionary;
            out.push(dictionary.gap_bits);
            out.push(dictionary.count_bits);
            let n_regular = dictionary.n_regular();
            put_varint(&mut out, n_regular as u64);
            put_varint(&mut out, bucket.escapes.len() as u64);
            out.extend_from_slice(&dictionary.gaps[..n_regular]);
            out.extend_from_slice(&dictionary.counts[..n_regular]);
            out.extend(bucket.escapes.iter().map(|escape| escape.0));
            out.extend(bucket.escapes.iter().map(|escape| escape.1));
            out.push(bucket.tables.len() as u8);
            out.extend_from_slice(&bucket.table_of);
            for table in &bucket.tables {
                out.extend_from_slice(table);
            }
        }
        out
    }

    pub(super) fn parse(bytes: &[u8], n_genes: u32) -> TileResult<Model> {
        let mut cursor = Cursor::new(bytes, "model");
        let n_clusters = cursor.number("clusters", 1, MAX_CLUSTERS as u64)? as usize;
        let n_classes = cursor.number("classes", 1, MAX_CLASSES as u64)? as usize;
        let n_buckets = cursor.number("buckets", 1, MAX_BUCKETS as u64)? as usize;
        let clusters = (0..n_clusters)
            .map(|_| parse_cluster(&mut cursor, n_genes, n_buckets))
            .collect::<TileResult<Vec<Cluster>>>()?;
        let buckets = (0..n_buckets)
            .map(|_| parse_bucket(&mut cursor, n_clusters, n_classes))
            .collect::<TileResult<Vec<Bucket>>>()?;
        cursor.finish()?;
        Ok(Model {
            n_genes,
            n_classes,
            clusters,
            buckets,
        })
    }

    /// The decoding table number `table` of a bucket.
    pub(super) fn decode_table(&self, bucket: usize, table: usize) -> TileResult<DecodeTable> {
        let place = format!("model, bucket {bucket}, table {table}");
        DecodeTable::new(&self.buckets[bucket].tables[table], &place)
    }
}

fn parse_cluster(cursor: &mut Cursor<'_>, n_genes: u32, n_buckets: usize) -> TileResult<Cluster> {
    let n_levels = cursor.number("levels", 0, n_genes.into())? as usize;
    let levels = cursor.bytes(n_levels)?.to_vec();
    let mut bounds = vec![0u32];
    let mut end = 0u32;
    for _ in 0..n_buckets {
        end += cursor.number("bucket width", 0, u64::from(n_genes - end))? as u32;
        bounds.push(end);
    }
    if end != n_genes {
        return Err(cursor.wrong(format!("the buckets hold {end} genes of {n_genes}")));
    }
    Ok(Cluster { levels, bounds })
}

fn parse_bucket(
    cursor: &mut Cursor<'_>,
    n_clusters: usize,
    n_classes: usize,
) -> TileResult<Bucket> {
    let mut shares = Vec::with_capacity(n_clusters);
    let mut thresholds = Vec::with_capacity(n_clusters);
    for _ in 0..n_clusters {
        shares.push(cursor.number("share", 0, SHARE_ONE)? as u32);
        let cluster = (1..n_classes)
            .map(|_| Ok(cursor.number("threshold", 0, u32::MAX.into())? as u32))
            .collect::<TileResult<Vec<u32>>>()?;
        if !cluster.is_sorted() {
            return Err(cursor.wrong("thresholds that fall"));
        }
        thresholds.push(cluster);
    }
    let gap_bits = cursor.number("gap bits", 0, MAX_RAW_BITS.into())? as u8;
    let count_bits = cursor.number("count bits", 0, (MAX_RAW_BITS - gap_bits).into())? as u8;
    let n_regular = cursor.number("symbols", 0, MAX_SYMBOLS as u64)? as usize;
    let n_escapes = cursor.number("escapes", 0, (MAX_SYMBOLS - n_regular) as u64)? as usize;
    let gaps = cursor.bytes(n_regular)?;
    let counts = cursor.bytes(n_regular)?;
    if gaps.contains(&u8::MAX) || counts.contains(&u8::MAX) {
        return Err(cursor.wrong("a symbol's part of 255"));
    }
    let escape_gaps = cursor.bytes(n_escapes)?;
    let escape_counts = cursor.bytes(n_escapes)?;
    let escapes: Vec<(u8, u8)> = escape_gaps
        .iter()
        .copied()
        .zip(escape_counts.iter().copied())
        .collect();
    if let Some(wrong) = escapes
        .iter()
        .find(|escape| escape.0.max(escape.1) > MAX_ESCAPE_BITS)
    {
        return Err(cursor.wrong(format!("an escape of {} and {} bits", wrong.0, wrong.1)));
    }
    let n_tables = cursor.number("tables", 1, MAX_TABLES as u64)? as usize;
    let table_of = cursor.bytes(n_clusters * n_classes)?.to_vec();
    if let Some(&wrong) = table_of
        .iter()
        .find(|&&table| usize::from(table) >= n_tables)
    {
        return Err(cursor.wrong(format!("table {wrong} of {n_tables}")));
    }
    let tables = (0..n_tables)
        .map(|_| Ok(cursor.bytes(n_regular + n_escapes)?.to_vec()))
        .collect::<TileResult<Vec<Vec<u8>>>>()?;
    Ok(Bucket {
        dictionary: Dictionary::new(gaps, counts, gap_bits, count_bits),
        escapes,
        shares,
        thresholds,
        table_of,
        tables,
    })
}
