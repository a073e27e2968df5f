//! Matrices that are read block by block, because no memory holds all of them.

use super::{ElementType, WeightRange};
use rayon::prelude::*;
use std::any::Any;
use std::ops::Range;
use thiserror::Error;

/// Rows and columns of a matrix whose numbers are stored row after row, without gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub rows: Range<usize>,
    pub columns: Range<usize>,
}

impl Block {
    /// Numbers in the block; `None` where they are more than `usize` holds.
    pub fn entries(&self) -> Option<usize> {
        self.rows.len().checked_mul(self.columns.len())
    }
}

/// Why a block cannot be read: what of the graph or its file is wrong.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct BlockError(pub String);

/// What is known of a graph before its weights are read.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredWeights {
    /// Bounds of the weights.
    pub weights: WeightRange,
    /// Numbers p, one a vertex and none positive, with w(u, v) + p(u) - p(v) >= 0 for every edge (u, v): they show that no cycle is negative.
    /// None where no weight is negative.
    pub potentials: Option<Vec<f64>>,
}

/// The n x n weights of a graph, of which any block can be had without the rest.
pub trait Blocks: Send + Sync {
    /// Vertices.
    fn n(&self) -> usize;

    fn element(&self) -> ElementType;

    /// What its source promises of its weights, known without reading them.
    fn declared_weights(&self) -> Option<DeclaredWeights> {
        None
    }

    /// The graph itself, where it is in memory as a whole: [`Arcs`](crate::Arcs) or a [`DistanceMatrix`](crate::DistanceMatrix).
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }

    /// Writes the entries of `row` in `columns` to `into`, which has exactly their length and is aligned for [`Blocks::element`]. In this
    /// machine's byte order.
    ///
    /// # Errors
    /// When the graph or its file has something else than numbers there.
    fn read_row(&self, row: usize, columns: Range<usize>, into: &mut [u8]) -> Result<(), BlockError>;

    /// Writes the weights of `rows` x `columns` to `into`, row after row, each `pitch` numbers after the one before; what lies between
    /// rows is left as it is. In parallel.
    ///
    /// # Errors
    /// One of those of [`Blocks::read_row`].
    ///
    /// # Panics
    /// When the block is not in the matrix or `into` has no room for it.
    fn read(
        &self,
        rows: Range<usize>,
        columns: Range<usize>,
        pitch: usize,
        into: &mut [u8],
    ) -> Result<(), BlockError> {
        let (n, size, width) = (self.n(), self.element().bytes(), columns.len());
        assert!(
            rows.end <= n && columns.end <= n,
            "rows {rows:?} and columns {columns:?} are not in {n} x {n} numbers"
        );
        if rows.is_empty() || width == 0 {
            return Ok(());
        }
        assert!(width <= pitch, "a row of {width} numbers every {pitch} numbers overlaps the next");
        let needed = ((rows.len() - 1) * pitch + width) * size;
        assert!(into.len() >= needed, "{} bytes are no room for {needed}", into.len());
        into[..needed].par_chunks_mut(pitch * size).zip(rows).try_for_each(|(bytes, row)| {
            let bytes = &mut bytes[..width * size];
            if bytes.as_ptr().addr().is_multiple_of(size) {
                return self.read_row(row, columns.clone(), bytes);
            }
            // The caller's buffer may begin anywhere.
            let mut numbers = vec![0_u64; bytes.len().div_ceil(size_of::<u64>())];
            let aligned = &mut bytemuck::cast_slice_mut(&mut numbers)[..bytes.len()];
            self.read_row(row, columns.clone(), aligned)?;
            bytes.copy_from_slice(aligned);
            Ok(())
        })
    }
}

/// Runs an expression with `$T` as the number type of an [`ElementType`](crate::ElementType).
#[macro_export]
macro_rules! by_element {
    ($element:expr, $T:ident => $run:expr) => {
        match $element {
            $crate::ElementType::F32 => {
                type $T = f32;
                $run
            }
            $crate::ElementType::F64 => {
                type $T = f64;
                $run
            }
            $crate::ElementType::I32 => {
                type $T = i32;
                $run
            }
            $crate::ElementType::U16 => {
                type $T = u16;
                $run
            }
        }
    };
}
pub use by_element;

#[cfg(test)]
mod tests {
    //! Blocks of every kind of graph against the whole matrix.

    use super::*;
    use crate::read::{ReadOptions, file_blocks, read};
    use crate::{
        Arcs, DistanceMatrix, Element, ElementType, RandomEdges, RandomGraph, drawn_blocks, generate,
        generate_edges, random_blocks,
    };
    use proptest::prelude::*;
    use std::ops::Range;

    /// What lies between the rows of a block.
    const UNTOUCHED: u8 = 0xa5;

    /// Any block of a matrix of at most `most` vertices, with its n and a pitch.
    fn places(most: usize) -> impl Strategy<Value = (usize, Range<usize>, Range<usize>, usize)> {
        (1..=most).prop_flat_map(|n| {
            let range = || (0..=n, 0..=n).prop_map(|(a, b)| a.min(b)..a.max(b));
            (Just(n), range(), range(), 0usize..5)
                .prop_map(|(n, rows, columns, gap)| (n, rows, columns.clone(), columns.len() + gap))
        })
    }

    /// Reads the block at every alignment of the buffer and compares each with that of `matrix`.
    fn check<T: Element>(
        blocks: &dyn Blocks,
        matrix: &DistanceMatrix<T>,
        rows: &Range<usize>,
        columns: &Range<usize>,
        pitch: usize,
    ) -> Result<(), TestCaseError> {
        prop_assert_eq!((blocks.n(), blocks.element()), (matrix.n(), T::TYPE));
        let size = size_of::<T>();
        let needed = if rows.is_empty() { 0 } else { (rows.len() - 1) * pitch + columns.len() };
        for offset in 0..2 {
            let mut bytes = vec![UNTOUCHED; offset + needed * size + 3];
            blocks.read(rows.clone(), columns.clone(), pitch, &mut bytes[offset..]).unwrap();
            let mut expected = vec![UNTOUCHED; bytes.len()];
            for (at, row) in rows.clone().enumerate() {
                let row: &[u8] = bytemuck::cast_slice(&matrix.row(row)[columns.clone()]);
                expected[offset + at * pitch * size..][..row.len()].copy_from_slice(row);
            }
            prop_assert!(bytes == expected, "rows {:?}, columns {:?}, pitch {}", rows, columns, pitch);
        }
        Ok(())
    }

    /// A graph file and the blocks and the matrix of it.
    fn of_file<T: Element>(name: &str, text: &str) -> (Box<dyn Blocks>, DistanceMatrix<T>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let matrix = read::<f32>(&path, &ReadOptions::default()).unwrap().graph.into_matrix().unwrap();
        (file_blocks(&path, T::TYPE).unwrap(), matrix.convert().unwrap())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn blocks_of_a_random_graph_are_those_of_its_matrix(
            (n, rows, columns, pitch) in places(70), density in 0.0..=1.0f64, negative: bool, seed: u64,
        ) {
            let graph = RandomGraph { density, negative, max_weight: 30, ..RandomGraph::complete(seed) };
            for element in ElementType::ALL.into_iter().filter(|element| element.is_signed() || !negative) {
                let blocks = random_blocks(&graph, n, element).unwrap();
                by_element!(element, T => check(&*blocks, &generate::<T>(&graph, n).unwrap(), &rows, &columns, pitch)?);
            }
        }

        #[test]
        fn blocks_of_drawn_edges_are_those_of_their_matrix_with_few_edges_and_with_many(
            (n, rows, columns, pitch) in places(60), edges_per_vertex in 1u32..80, seed: u64,
        ) {
            let graph = RandomEdges { edges_per_vertex, max_weight: 20, seed };
            for element in ElementType::ALL {
                let blocks = drawn_blocks(&graph, n, element).unwrap();
                by_element!(element, T => {
                    check(&*blocks, &generate_edges::<T>(&graph, n).unwrap(), &rows, &columns, pitch)?;
                });
            }
        }

        #[test]
        fn blocks_of_a_file_are_those_of_its_matrix(
            (n, rows, columns, pitch) in places(20),
            arcs in prop::collection::vec((0usize..20, 0usize..20, -9i32..9), 0..200),
        ) {
            let mut text = format!("p sp {n} {}\n", arcs.len());
            for (u, v, weight) in &arcs {
                // A negative self loop is refused.
                let weight = if u % n == v % n { 0 } else { *weight };
                text += &format!("a {} {} {weight}\n", u % n + 1, v % n + 1);
            }
            let (blocks, matrix) = of_file::<f32>("x.gr", &text);
            check(&*blocks, &matrix, &rows, &columns, pitch)?;
            let (blocks, matrix) = of_file::<i32>("x.gr", &text);
            check(&*blocks, &matrix, &rows, &columns, pitch)?;
        }
    }

    #[test]
    fn blocks_may_begin_and_end_anywhere_in_rows_of_several_batches() {
        let n = 1100;
        let random = RandomGraph { density: 0.5, negative: true, ..RandomGraph::complete(3) };
        let drawn = RandomEdges { edges_per_vertex: 50, max_weight: 1000, seed: 4 };
        let random =
            (random_blocks(&random, n, ElementType::F32).unwrap(), generate::<f32>(&random, n).unwrap());
        let drawn = (drawn_blocks(&drawn, n, ElementType::F32).unwrap(), generate_edges(&drawn, n).unwrap());
        for (blocks, matrix) in [random, drawn] {
            for (first, last) in [(0, n), (1, 1030), (1023, 1024), (1024, 1099), (15, 1099), (1099, n)] {
                check(&*blocks, &matrix, &(1020..1030), &(first..last), last - first).unwrap();
            }
        }
    }

    #[test]
    fn few_edges_are_kept_as_rows_and_many_as_a_matrix() {
        let graph = |edges_per_vertex| RandomEdges { edges_per_vertex, max_weight: 3, seed: 1 };
        let is_list = |blocks: &dyn Blocks| blocks.as_any().is_some_and(<dyn std::any::Any>::is::<Arcs<f32>>);
        assert!(is_list(&*drawn_blocks(&graph(49), 100, ElementType::F32).unwrap()));
        assert!(!is_list(&*drawn_blocks(&graph(51), 100, ElementType::F32).unwrap()));
        let market = |format: &str| format!("%%MatrixMarket matrix {format} real general\n");
        assert!(is_list(&*of_file::<f32>("x.mtx", &(market("coordinate") + "9 9 2\n1 2 3\n1 2 -0.0\n")).0));
        assert!(!is_list(&*of_file::<f32>("x.mtx", &(market("array") + "2 2\n0 5 7 0\n")).0));
    }

    #[test]
    fn a_file_of_more_vertices_than_a_matrix_has_room_for_is_read_by_block_or_refused() {
        let n = 2_000_000;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.gr");
        std::fs::write(&path, format!("p sp {n} 1\na 2000000 2 7\n")).unwrap();
        let loaded = read::<f32>(&path, &ReadOptions::default()).unwrap();
        assert!(loaded.graph.into_matrix().is_err());
        let blocks = file_blocks(&path, ElementType::I32).unwrap();
        let mut block = [0_i32; 4];
        blocks.read(n - 1..n, 0..4, 4, bytemuck::cast_slice_mut(&mut block)).unwrap();
        assert_eq!(block, [i32::ABSENT, 7, i32::ABSENT, i32::ABSENT]);
        for (text, expected) in [
            ("p sp 5000000000 0\n", "a graph has at most 4294967295 vertices: 5000000000 is too many"),
            ("p sp 9 2\na 3 1 2\na 2 4 0.5\n", "the weight of edge (1, 3) is 0.5, which u16"),
        ] {
            std::fs::write(&path, text).unwrap();
            let message = file_blocks(&path, ElementType::U16).err().unwrap().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn graphs_that_cannot_be_made_are_refused_before_they_are() {
        let random = RandomGraph { negative: true, ..RandomGraph::complete(1) };
        assert!(random_blocks(&random, 5, ElementType::U16).is_err());
        assert!(random_blocks(&RandomGraph::complete(1), 0, ElementType::F32).is_err());
        assert!(random_blocks(&RandomGraph { density: 2.0, ..random }, 5, ElementType::F32).is_err());
        let drawn = RandomEdges { edges_per_vertex: u32::MAX, max_weight: 3, seed: 1 };
        assert!(drawn_blocks(&drawn, 0, ElementType::F32).is_err());
        let large = RandomEdges { edges_per_vertex: 1_000_000, ..drawn.clone() };
        let message = drawn_blocks(&large, 4_000_000, ElementType::F32).err().unwrap().to_string();
        assert!(message.starts_with("the list of arcs needs 48000000000000 bytes, but"), "{message}");
        // The list would be larger than the matrix, for which there is no room either.
        assert!(drawn_blocks(&drawn, 4_000_000, ElementType::F32).is_err());
    }
}
