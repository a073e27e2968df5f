//! How much each procedure of the generalized blocked algorithm moves to and from global memory, without running it.

use super::{KernelTraffic, PART_COLUMNS, PROCEDURES, Shape};
use std::ops::Range;

/// The procedures of the paper, and its Remark 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Procedure {
    LeadBlock,
    /// TileDD of CalcLeadBlock alone, by many blocks.
    LeadBlockPart,
    LeadRowAndColumn,
    LeadRowAndColumnReverse,
    RestBlocks,
}

/// A group of rounds: the paper's kgl .. kgl + κ - 1, of Q rounds in all. The last group may have fewer than κ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundGroup {
    /// The paper's Q.
    pub tiles: usize,
    pub rounds: Range<usize>,
}

impl RoundGroup {
    /// The groups of `tiles` rounds, κ at a time.
    pub fn all(tiles: usize, kappa: usize) -> impl Iterator<Item = Self> {
        let kappa = kappa.max(1);
        (0..tiles).step_by(kappa).map(move |first| Self { tiles, rounds: first..(first + kappa).min(tiles) })
    }

    /// Tiles of a row that CalcLeadRowAndColumnReverse brings further; one more than of a column.
    pub fn reverse_of_row(&self, lead: usize) -> usize {
        self.tiles - self.rounds.end + lead + 1
    }

    /// Tiles a side that CalcRestBlocks brings through all rounds of the group.
    pub fn rest_side(&self) -> usize {
        self.tiles - self.rounds.len()
    }
}

/// What all launches of each procedure do in a solve of `n` vertices, those that are not launched left out. Bytes are those
/// that threads ask for; padding vertices count.
pub fn traffic(n: usize, shape: Shape) -> Vec<KernelTraffic> {
    let mut sums: Vec<(Procedure, Sum)> =
        PROCEDURES.iter().map(|(procedure, _)| (*procedure, Sum::default())).collect();
    let mut add = |procedure: Procedure, sum: Sum| {
        if let Some((_, known)) = sums.iter_mut().find(|(one, _)| *one == procedure) {
            known.add(sum);
        }
    };
    let tiles = shape.tiles(n);
    for group in RoundGroup::all(tiles, shape.kappa) {
        for lead in group.rounds.clone() {
            let rounds = lead - group.rounds.start;
            let spreads = shape.spread && rounds > 0;
            if spreads {
                add(Procedure::LeadBlockPart, Sum::of_part(shape, rounds));
            }
            let here = if spreads { 0 } else { rounds };
            add(Procedure::LeadBlock, Sum { closing: 1, ..Sum::of_multitiles(1, here) });
            if tiles > 1 {
                // Those outside of the earlier leads go through all rounds so far, the others through those since their own.
                let outside = 2 * (tiles - 1 - rounds);
                let doubly = outside * rounds + rounds * rounds.saturating_sub(1);
                let blocks = 2 * (tiles - 1);
                add(
                    Procedure::LeadRowAndColumn,
                    Sum {
                        launches: 1,
                        blocks,
                        doubly,
                        closing: blocks,
                        closed_read: blocks,
                        ..Sum::default()
                    },
                );
            }
        }
        for lead in group.rounds.start..group.rounds.end - 1 {
            let blocks = 2 * group.reverse_of_row(lead) - 1;
            let rounds = group.rounds.end - 1 - lead;
            add(Procedure::LeadRowAndColumnReverse, Sum::of_multitiles(blocks, rounds));
        }
        let rest = group.rest_side().pow(2);
        if rest > 0 {
            add(Procedure::RestBlocks, Sum::of_multitiles(rest, group.rounds.len()));
        }
    }
    let launched = sums.into_iter().filter(|(_, sum)| sum.launches > 0);
    launched
        .map(|(procedure, sum)| {
            let name = PROCEDURES.iter().find(|(one, _)| *one == procedure).map_or("", |(_, name)| name);
            sum.traffic(name, shape.tile as u64)
        })
        .collect()
}

/// What launches of one procedure do, in tiles.
#[derive(Clone, Copy, Default)]
struct Sum {
    launches: usize,
    blocks: usize,
    /// TileDD.
    doubly: usize,
    /// Tile.
    closing: usize,
    /// How often a closed lead tile is read.
    closed_read: usize,
    /// Words that `lead_block_part` reads, and its blocks, which own less than a tile.
    part_words: usize,
    part_blocks: usize,
}

impl Sum {
    /// One launch of `blocks` multitiles of `rounds` TileDD each.
    fn of_multitiles(blocks: usize, rounds: usize) -> Self {
        Self { launches: 1, blocks, doubly: blocks * rounds, ..Self::default() }
    }

    /// One launch of `lead_block_part` for `rounds` rounds.
    fn of_part(shape: Shape, rounds: usize) -> Self {
        let elements = shape.tile * shape.tile;
        let slices = elements / PART_COLUMNS;
        Self {
            launches: 1,
            // Every slice starts from the element itself.
            part_words: elements * (slices + 2 * rounds * shape.tile),
            part_blocks: shape.tile * shape.tile / PART_COLUMNS,
            doubly: rounds,
            ..Self::default()
        }
    }

    fn add(&mut self, other: Self) {
        self.launches += other.launches;
        self.blocks += other.blocks;
        self.doubly += other.doubly;
        self.closing += other.closing;
        self.closed_read += other.closed_read;
        self.part_words += other.part_words;
        self.part_blocks += other.part_blocks;
    }

    fn traffic(self, kernel: &'static str, side: u64) -> KernelTraffic {
        let tile_bytes = side * side * size_of::<f32>() as u64;
        let is_part = self.part_blocks > 0;
        let loaded = if is_part {
            self.part_words as u64 * size_of::<f32>() as u64
        } else {
            (self.blocks + 2 * self.doubly + self.closed_read) as u64 * tile_bytes
        };
        let stored_tiles = if is_part { self.launches } else { self.blocks };
        KernelTraffic {
            kernel: kernel.to_string(),
            launches: self.launches as u64,
            blocks: (self.blocks + self.part_blocks) as u64,
            tasks: (self.doubly + self.closing) as u64 * side.pow(3),
            loaded_bytes: loaded,
            stored_bytes: stored_tiles as u64 * tile_bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(kappa: usize, tile: usize, spread: bool) -> Shape {
        Shape { kappa, tile, spread, padding_bytes: 0 }
    }

    #[test]
    fn every_vertex_block_is_relaxed_through_every_other_once() {
        for (tiles, kappa) in (1..40).flat_map(|tiles| (1..=tiles).map(move |kappa| (tiles, kappa))) {
            for spread in [false, true] {
                let kernels = traffic(tiles * 16, shape(kappa, 16, spread));
                let tasks: u64 = kernels.iter().map(|kernel| kernel.tasks).sum();
                assert_eq!(tasks, (tiles as u64 * 16).pow(3), "{tiles} tiles, kappa {kappa}");
            }
        }
    }

    #[test]
    fn rest_tiles_are_stored_once_a_group_so_their_writes_fall_by_kappa() {
        let stored = |kappa| {
            let kernels = traffic(8192, shape(kappa, 32, false));
            kernels
                .iter()
                .find(|kernel| kernel.kernel == "rest_blocks")
                .map_or(0, |kernel| kernel.stored_bytes)
        };
        assert_eq!(stored(1), 256 * 255 * 255 * 4096);
        assert_eq!(stored(8), 32 * 248 * 248 * 4096);
        assert_eq!(stored(256), 0);
    }
}
