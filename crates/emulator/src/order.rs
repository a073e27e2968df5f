//! The orders in which blocks, warps and lanes have their turns: the usual one, and as many others as there are seeds.

/// Numbers that look random, the same ones for a seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    /// SplitMix64 of Steele, Lea and Flood, 2014.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Fisher and Yates' shuffle.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = (self.next() % (last as u64 + 1)) as usize;
            items.swap(last, other);
        }
    }
}

/// The order in which `count` blocks or clusters start: reversed for seed 1, else shuffled. None for seed 0: as they are numbered.
pub fn of_blocks(seed: u64, count: u32) -> Option<Vec<u32>> {
    let mut order: Vec<u32> = match seed {
        0 => return None,
        1 => (0..count).rev().collect(),
        _ => (0..count).collect(),
    };
    if seed > 1 {
        Random::new(seed).shuffle(&mut order);
    }
    Some(order)
}

/// The order in which the threads of a block have their turns. Seed 0: as they are numbered. Seed 1: reversed. Others: warps
/// are shuffled, and the lanes of each are in order, reversed or shuffled.
pub fn of_threads(seed: u64, block: u32, threads: u32) -> Vec<u32> {
    let mut order: Vec<u32> = (0..threads).collect();
    match seed {
        0 => {}
        1 => order.reverse(),
        _ => {
            let mut random = Random::new(seed ^ u64::from(block) << 20);
            let mut warps: Vec<Vec<u32>> = order.chunks(32).map(<[u32]>::to_vec).collect();
            random.shuffle(&mut warps);
            for warp in &mut warps {
                match random.next() % 3 {
                    0 => {}
                    1 => warp.reverse(),
                    _ => random.shuffle(warp),
                }
            }
            order = warps.concat();
        }
    }
    order
}
