//! Tensor maps, and copies of boxes of tensors between global and shared memory.

use crate::bulk::{BulkCopy, BulkKind};
use crate::copies::CopyRun;
use crate::finding::FindingKind;
use crate::report::FindingDetail;
use crate::request::Request;
use crate::resident::{LaunchResult, ResidentBlocks, Site};
use crate::trace::AccessKind;

/// How a copy arranges the rows of a box in shared memory: 16-byte parts are permuted within this many bytes, differently by row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Swizzle {
    /// Rows as they are.
    #[default]
    None,
    /// Within 32 bytes.
    Bytes32,
    /// Within 64 bytes.
    Bytes64,
    /// Within 128 bytes.
    Bytes128,
}

/// What a `CUtensorMap` is on the emulated device: 128 bytes that kernels take by `__grid_constant__` or from memory. The bytes
/// themselves mean nothing to a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// The address of the first element, a multiple of 16.
    pub address: u64,
    /// Bytes an element: 1, 2, 4 or 8.
    pub element_bytes: u32,
    /// Elements in each dimension, the innermost first: one to five of them.
    pub sizes: Vec<u32>,
    /// Bytes from one element to the next in each dimension but the innermost: multiples of 16.
    pub strides: Vec<u64>,
    /// Elements of a box in each dimension: at most 256.
    pub boxes: Vec<u32>,
    /// How rows are arranged in shared memory.
    pub swizzle: Swizzle,
}

/// The most bytes of a box: as much as any block has of shared memory.
const MOST_BOX_BYTES: u64 = 227 << 10;

const MARK: u32 = 0x7e45_0a9d;

impl TensorMap {
    /// The bytes that a kernel takes as its parameter.
    pub fn bytes(&self) -> [u8; 128] {
        let mut bytes = [0; 128];
        let mut at = 0;
        let mut put = |part: &[u8]| {
            bytes[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        };
        put(&MARK.to_le_bytes());
        put(&[self.element_bytes as u8, self.sizes.len() as u8, self.swizzle as u8, 0]);
        put(&self.address.to_le_bytes());
        (0..4).for_each(|d| put(&self.strides.get(d).copied().unwrap_or(0).to_le_bytes()));
        (0..5).for_each(|d| put(&self.sizes.get(d).copied().unwrap_or(1).to_le_bytes()));
        (0..5).for_each(|d| put(&self.boxes.get(d).copied().unwrap_or(1).to_le_bytes()));
        bytes
    }

    fn of_bytes(bytes: &[u8; 128]) -> Option<Self> {
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        let dimensions = usize::from(bytes[5]);
        if word(0) != MARK || !(1..=5).contains(&dimensions) {
            return None;
        }
        let map = Self {
            address: long(8),
            element_bytes: u32::from(bytes[4]),
            sizes: (0..dimensions).map(|d| word(48 + 4 * d)).collect(),
            strides: (0..dimensions - 1).map(|d| long(16 + 8 * d)).collect(),
            boxes: (0..dimensions).map(|d| word(68 + 4 * d)).collect(),
            swizzle: match bytes[6] {
                1 => Swizzle::Bytes32,
                2 => Swizzle::Bytes64,
                3 => Swizzle::Bytes128,
                _ => Swizzle::None,
            },
        };
        map.is_possible().then_some(map)
    }

    /// Whether the driver would encode it, and a block has room for a box of it.
    fn is_possible(&self) -> bool {
        let sides = self.boxes.iter().all(|side| (1..=256).contains(side));
        let bytes =
            self.boxes.iter().map(|side| u64::from(*side)).product::<u64>() * u64::from(self.element_bytes);
        matches!(self.element_bytes, 1 | 2 | 4 | 8) && sides && bytes <= MOST_BOX_BYTES
    }

    /// Where the byte lies whose address in shared memory would be `at` without a swizzle.
    fn swizzled(&self, at: usize) -> usize {
        let rows = match self.swizzle {
            Swizzle::None => return at,
            Swizzle::Bytes32 => 1,
            Swizzle::Bytes64 => 3,
            Swizzle::Bytes128 => 7,
        };
        // 16-byte parts of every 128 bytes, exclusive-or with bits of the address: CUDA C++ Programming Guide, "Swizzle".
        at ^ (at >> 7 & rows) << 4
    }
}

/// Reads a request for a copy of a box; None for a prefetch, which moves nothing.
pub fn read_copy(all: &mut ResidentBlocks, site: Site, request: &Request) -> LaunchResult<Option<BulkCopy>> {
    let (map, dimensions, coordinates) = (request.address(1), request.address(2), request.address(3));
    let (own, dimensions) = (dimensions & 256 != 0, dimensions & 255);
    let (shared, mbarrier) = (request.address(4), request.address(5));
    let Some(kind) = BulkKind::new(request.numbers[0], request.number(6)) else { return Ok(None) };
    if !own && !all.launch.is_readable(map, 128) {
        let detail = FindingDetail::Outside { address: map, bytes: 128, kind: AccessKind::Read };
        return all.stop(site, FindingKind::OutOfBounds, detail);
    }
    // SAFETY: found to be in bounds of live memory or of the launch's arguments.
    let bytes = unsafe { (map as *const [u8; 128]).read_unaligned() };
    let map = TensorMap::of_bytes(&bytes).filter(|map| map.sizes.len() == dimensions);
    let Some(map) = map else {
        return all.misuse(site, format!("uses what is no tensor map of {dimensions} dimensions"));
    };
    if shared % 128 != 0 {
        let detail = FindingDetail::MisalignedCopy { to: shared, from: 0, bytes: 128 };
        return all.stop(site, FindingKind::Misaligned, detail);
    }
    // SAFETY: the caller's array of as many coordinates, on the stack of the suspended thread.
    let origin: Vec<i32> =
        unsafe { std::slice::from_raw_parts(coordinates as *const i32, dimensions) }.to_vec();
    // Where this is no multiple of 16 bytes, an H200 stops with an illegal instruction.
    if i64::from(origin[0]) * i64::from(map.element_bytes) % 16 != 0 {
        let words = format!(
            "copies a box at the innermost coordinate {}: {} bytes an element make no multiple of 16 bytes of it",
            origin[0], map.element_bytes
        );
        return all.stop(site, FindingKind::Misaligned, FindingDetail::Words(words));
    }
    let stores = kind == BulkKind::Store;
    if stores && origin.iter().any(|coordinate| *coordinate < 0) {
        let words = "stores a box at a negative coordinate, at which a GPU stops with an illegal instruction";
        return all.stop(site, FindingKind::OutOfBounds, FindingDetail::Words(words.into()));
    }
    let runs = map.runs(&origin, shared, stores, request.numbers[7]);
    Ok(Some(BulkCopy { kind, runs, mbarrier }))
}

impl TensorMap {
    /// The runs of bytes that a copy of the box at `origin` moves, of at most 16 bytes each. A load writes zeros for what is outside.
    fn runs(&self, origin: &[i32], shared: usize, stores: bool, operation: u64) -> Vec<CopyRun> {
        let element = self.element_bytes as usize;
        let row = self.boxes[0] as usize;
        let rows: usize = self.boxes[1..].iter().map(|size| *size as usize).product();
        let mut runs = Vec::new();
        for number in 0..rows {
            let mut rest = number;
            let mut address = self.address as i64;
            let mut inside = true;
            let outer = self.boxes.iter().zip(&self.sizes).zip(origin).skip(1).zip(&self.strides);
            for (((side, size), first), stride) in outer {
                let index = i64::from(*first) + (rest % *side as usize) as i64;
                rest /= *side as usize;
                inside &= (0..i64::from(*size)).contains(&index);
                address += index * *stride as i64;
            }
            let step = (16 / element).max(1);
            for first in (0..row).step_by(step) {
                let run = step.min(row - first);
                let index = i64::from(origin[0]) + first as i64;
                let whole = inside && index >= 0 && index + run as i64 <= i64::from(self.sizes[0]);
                let there = self.swizzled(shared + (number * row + first) * element);
                if whole {
                    runs.push(self.run_of(address, index, there, run, stores, operation));
                    continue;
                }
                for one in 0..run {
                    let index = index + one as i64;
                    let there = there + one * element;
                    if inside && (0..i64::from(self.sizes[0])).contains(&index) {
                        runs.push(self.run_of(address, index, there, 1, stores, operation));
                    } else if !stores {
                        runs.push(CopyRun { from: None, to: there, bytes: element, reduction: (0, 0) });
                    }
                }
            }
        }
        runs
    }

    fn run_of(
        &self,
        row: i64,
        index: i64,
        shared: usize,
        run: usize,
        stores: bool,
        operation: u64,
    ) -> CopyRun {
        let global = (row + index * i64::from(self.element_bytes)) as usize;
        let (from, to) = if stores { (shared, global) } else { (global, shared) };
        let type_of = if self.element_bytes == 8 { 3 } else { 1 };
        CopyRun {
            from: Some(from),
            to,
            bytes: run * self.element_bytes as usize,
            reduction: (operation, if operation == 0 { 0 } else { type_of }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> TensorMap {
        TensorMap {
            address: 0x1000,
            element_bytes: 4,
            sizes: vec![6, 3],
            strides: vec![32],
            boxes: vec![4, 2],
            swizzle: Swizzle::None,
        }
    }

    #[test]
    fn a_map_that_no_driver_would_encode_is_none() {
        for wrong in [
            TensorMap { element_bytes: 0, ..map() },
            TensorMap { boxes: vec![257, 1], ..map() },
            TensorMap { boxes: vec![0, 1], ..map() },
            TensorMap { element_bytes: 8, boxes: vec![256, 256], ..map() },
        ] {
            assert_eq!(TensorMap::of_bytes(&wrong.bytes()), None, "{wrong:?}");
        }
    }

    #[test]
    fn a_swizzle_goes_by_the_address() {
        let swizzled = TensorMap { swizzle: Swizzle::Bytes128, ..map() };
        assert_eq!(swizzled.swizzled(16), 16);
        assert_eq!(swizzled.swizzled(128 + 16), 128);
        assert_eq!(swizzled.swizzled(1024 + 256), 1024 + 256 + 32);
    }
}
