//! How much memory a device needs for its part.

use super::kernels::target_of_closure;
use super::plan::{Plan, Side};
use crate::register_blocked::{operand_words, scratch_bytes};
use crate::{Parameters, Target};

/// Panels that a device has at once: of the round that its tiles are in, and of the next.
pub const SLOTS: usize = 2;

/// Tasks of the panel's columns that are done at a time: each time about as many tiles as a GPU has at work.
const TILES_AT_A_TIME: usize = 512;

/// Sizes of a device's buffers, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    pub matrix: usize,
    /// Of one slot.
    pub right: usize,
    pub left: usize,
    /// The rows of the next round before they are multiplied, some columns at a time.
    pub old: usize,
    pub diagonal: usize,
    pub closed: usize,
    /// The closure as right operands too, where half of the tasks may be done.
    pub closed_right: usize,
    pub closure: usize,
}

impl Sizes {
    pub fn of(plan: &Plan, rows: Side, columns: Side, target: Target) -> Self {
        let (left, right) = operand_words(plan.tile, target.element);
        let depth = plan.depth;
        let columns_at_a_time = chunk_of(columns.tiles(), depth);
        Self {
            matrix: rows.padded() * columns.padded() * target.element.bytes(),
            right: columns.tiles() * depth * right * 4,
            left: rows.tiles() * depth * left * 4,
            old: columns_at_a_time * depth * right * 4,
            diagonal: plan.block() * plan.block() * target.element.bytes(),
            closed: depth * depth * left * 4,
            closed_right: if target.symmetric { depth * depth * right * 4 } else { 0 },
            closure: scratch_bytes(plan.block(), target_of_closure(target), &Parameters::default()),
        }
    }

    pub fn all(&self) -> usize {
        let panels = SLOTS * (self.right + self.left) + self.old;
        self.matrix + panels + self.diagonal + self.closed + self.closed_right + self.closure
    }
}

/// Tile columns that a panel is made of at a time.
pub fn chunk_of(tiles: usize, depth: usize) -> usize {
    let chunks = (tiles * depth / TILES_AT_A_TIME).clamp(1, 8);
    tiles.div_ceil(chunks).max(1)
}

#[cfg(test)]
mod tests {
    use super::super::plan::Grid;
    use super::*;

    #[test]
    fn what_a_device_has_beside_its_part_is_a_few_percent_of_a_large_one() {
        let extra = |n: usize, devices: usize| {
            let plan =
                Plan::of(n, Grid { rows: devices, columns: 1 }, Target::default(), &Parameters::default());
            let sizes = Sizes::of(&plan, plan.rows_of(0), plan.columns_of(0), Target::default());
            (sizes.all() - sizes.matrix) as f64 / sizes.matrix as f64
        };
        for (n, devices, percent) in [
            (16_384, 2, 25.5),
            (32_768, 2, 11.1),
            (65_536, 2, 5.11),
            (131_072, 2, 2.45),
            (65_536, 4, 8.66),
            (131_072, 4, 4.12),
        ] {
            let found = 100.0 * extra(n, devices);
            assert!((found - percent).abs() < 0.06, "n = {n} on {devices}: {found:.2}%");
        }
    }
}
