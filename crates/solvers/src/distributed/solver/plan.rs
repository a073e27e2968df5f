//! How a matrix is shared among devices: blocks of rows and columns, dealt out in turn over a grid of devices.

use super::{DEPTH, TILE};
use crate::register_blocked::usual_tile;
use crate::{Block, Parameters, Target};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;

/// Devices in rows and columns; device number `row * columns + column`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grid {
    pub rows: usize,
    pub columns: usize,
}

impl Grid {
    pub fn devices(self) -> usize {
        self.rows * self.columns
    }

    /// The row and the column of a device.
    pub fn place(self, device: usize) -> (usize, usize) {
        (device / self.columns, device % self.columns)
    }
}

/// A solve's blocks. A round takes the paths through the vertices of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    pub n: usize,
    /// Vertices a side of a tile, 64 or 128.
    pub tile: usize,
    /// Tiles a side of a block.
    pub depth: usize,
    pub grid: Grid,
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { tile, depth, grid: Grid { rows, columns }, .. } = self;
        write!(f, "tile = {tile}, depth = {depth}, grid {rows}x{columns}")
    }
}

impl Plan {
    /// Tile and depth depend on n and not on the number of devices, so that a solve can go on on another number of them.
    pub fn of(n: usize, grid: Grid, target: Target, parameters: &Parameters) -> Self {
        let tile = match TILE.of(parameters) {
            0 => usual_tile(n, target),
            given => given as usize,
        };
        let depth = match DEPTH.of(parameters) {
            0 if tile == 64 => 1,
            0 => match n {
                ..8_192 => 1,
                8_192..16_384 => 2,
                _ => 4,
            },
            given => given as usize,
        };
        Self { n, tile, depth: depth.min(n.div_ceil(tile)), grid }
    }

    /// Vertices of a block.
    pub fn block(&self) -> usize {
        self.tile * self.depth
    }

    pub fn rounds(&self) -> usize {
        self.n.div_ceil(self.block())
    }

    /// Tiles a side of the matrix.
    fn tiles(&self) -> usize {
        self.n.div_ceil(self.tile)
    }

    /// Tiles of a block, fewer of the last.
    pub fn tiles_of(&self, block: usize) -> usize {
        self.depth.min(self.tiles() - block * self.depth)
    }

    /// The part of a line, a row or a column of the grid, that has so many devices, of its device number `own`.
    pub fn side(&self, devices: usize, own: usize) -> Side {
        Side { plan: *self, devices, own }
    }

    pub fn rows_of(&self, row: usize) -> Side {
        self.side(self.grid.rows, row)
    }

    pub fn columns_of(&self, column: usize) -> Side {
        self.side(self.grid.columns, column)
    }
}

/// The rows, or the columns, of the matrix that a device has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    plan: Plan,
    pub devices: usize,
    pub own: usize,
}

impl Side {
    /// Its blocks, by their numbers in the matrix.
    pub fn blocks(self) -> impl Iterator<Item = usize> {
        (self.own..self.plan.rounds()).step_by(self.devices)
    }

    pub fn tiles(self) -> usize {
        self.blocks().map(|block| self.plan.tiles_of(block)).sum()
    }

    /// Vertices, those included that fill up its last tile.
    pub fn padded(self) -> usize {
        self.tiles() * self.plan.tile
    }

    /// Vertices that are there.
    pub fn vertices(self) -> usize {
        self.blocks().map(|block| self.in_matrix(block).len()).sum()
    }

    /// The vertices of a block in the matrix.
    pub fn in_matrix(self, block: usize) -> Range<usize> {
        let first = block * self.plan.block();
        first..self.plan.n.min(first + self.plan.block())
    }

    /// The first vertex of a block on the device.
    pub fn on_device(self, block: usize) -> usize {
        block / self.devices * self.plan.block()
    }

    /// Its vertices in the matrix, as far as they follow each other there, with the first of each piece on the device: one where it has all.
    pub fn pieces(self) -> Vec<(Range<usize>, usize)> {
        if self.devices == 1 {
            return std::iter::once((0..self.plan.n, 0)).collect();
        }
        self.blocks().map(|block| (self.in_matrix(block), self.on_device(block))).collect()
    }

    pub fn has(self, block: usize) -> bool {
        block % self.devices == self.own
    }

    /// Tiles on the device of blocks before this one.
    pub fn tiles_before(self, block: usize) -> usize {
        let blocks = (block + self.devices - 1 - self.own) / self.devices;
        self.tiles().min(blocks * self.plan.depth)
    }

    /// The tiles of a block on the device; none when it is another's.
    pub fn tiles_of(self, block: usize) -> Range<usize> {
        if !self.has(block) {
            return 0..0;
        }
        let first = block / self.devices * self.plan.depth;
        first..first + self.plan.tiles_of(block)
    }
}

/// The blocks of the device at a row and a column of the grid: whole rows where it has all columns.
pub fn blocks_of(rows: Side, columns: Side) -> Vec<Block> {
    let across = columns.pieces();
    let down = rows.blocks().map(|block| rows.in_matrix(block));
    down.flat_map(|rows| {
        across.iter().map(move |(columns, _)| Block { rows: rows.clone(), columns: columns.clone() })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plan(n: usize, rows: usize, columns: usize, depth: u32) -> Plan {
        let parameters = Parameters::from([("tile", 64), ("depth", depth)]);
        Plan::of(n, Grid { rows, columns }, Target::default(), &parameters)
    }

    #[test]
    fn blocks_depend_on_n_and_not_on_the_devices() {
        let of = |n, devices| {
            let plan =
                Plan::of(n, Grid { rows: devices, columns: 1 }, Target::default(), &Parameters::default());
            (plan.tile, plan.depth)
        };
        for devices in [1, 2, 4] {
            assert_eq!(of(1000, devices), (64, 1));
            assert_eq!(of(4096, devices), (128, 1));
            assert_eq!(of(8192, devices), (128, 2));
            assert_eq!(of(65_536, devices), (128, 4));
        }
        assert_eq!(plan(65, 2, 2, 8).depth, 2);
    }

    #[test]
    fn a_device_finds_its_blocks_where_they_are() {
        let side = plan(1000, 3, 1, 2).rows_of(1);
        assert_eq!(side.blocks().collect::<Vec<_>>(), [1, 4, 7]);
        assert_eq!((side.in_matrix(7), side.on_device(7)), (896..1000, 256));
        assert_eq!((side.tiles_of(4), side.tiles_of(5), side.tiles()), (2..4, 0..0, 6));
        assert_eq!([0, 1, 2, 4, 5].map(|block| side.tiles_before(block)), [0, 0, 2, 2, 4]);
        let last = plan(1000, 3, 1, 7).rows_of(2);
        assert_eq!((last.tiles_of(2), last.tiles_before(3)), (0..2, 2));
        assert_eq!((side.vertices(), side.padded()), (128 + 128 + 104, 384));
    }

    proptest! {
        #[test]
        fn every_entry_is_on_one_device(
            n in 1usize..700, rows in 1usize..5, columns in 1usize..5, depth in 1u32..4,
        ) {
            let plan = plan(n, rows, columns, depth);
            let mut owners = vec![0_u8; n * n];
            for device in 0..plan.grid.devices() {
                let (row, column) = plan.grid.place(device);
                let (down, across) = (plan.rows_of(row), plan.columns_of(column));
                let mut entries = 0;
                for block in blocks_of(down, across) {
                    entries += block.entries().unwrap();
                    for i in block.rows {
                        owners[i * n + block.columns.start..i * n + block.columns.end].iter_mut().for_each(|owner| *owner += 1);
                    }
                }
                prop_assert_eq!(entries, down.vertices() * across.vertices());
            }
            prop_assert!(owners.iter().all(|owners| *owners == 1));
        }
    }
}
