//! Graphs from files, by the readers of the crate `repro-graph`, with weights of a type that fits them.

pub use repro_graph::read::*;

use crate::{Element, ElementType, Graph};
use rayon::prelude::*;
use repro_graph::{MatrixError, NpyHeader};
use serde::Serialize;
use std::path::Path;

/// A graph with weights of one of the four types.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyGraph {
    /// `f32`.
    F32(GraphInput<f32>),
    /// `i32`.
    I32(GraphInput<i32>),
    /// `u16`.
    U16(GraphInput<u16>),
    /// `f64`.
    F64(GraphInput<f64>),
}

impl AnyGraph {
    /// The type.
    pub fn element(&self) -> ElementType {
        match self {
            Self::F32(_) => ElementType::F32,
            Self::I32(_) => ElementType::I32,
            Self::U16(_) => ElementType::U16,
            Self::F64(_) => ElementType::F64,
        }
    }
}

/// Why weights have the type that they have.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "reason")]
pub enum Reason {
    /// It was asked for.
    Asked,
    /// The file is an array of `float32`.
    StoredAsF32,
    /// All weights are integers, and no path is longer than `i32` holds exactly.
    Integers {
        /// No path is longer.
        longest: f64,
    },
    /// `i32` does not hold every weight and path, and `f32` holds each weight and every sum along a path.
    ExactInF32 {
        /// No path is longer.
        longest: f64,
    },
    /// A weight is no number of `f32`.
    NotInF32 {
        /// The first such weight.
        weight: f64,
    },
    /// `f32` holds each weight, and would round distances.
    RoundedInF32 {
        /// No path is longer.
        longest: f64,
        /// Whether there is a fraction. If not, paths may be too long for `i32`.
        fractions: bool,
    },
}

/// Reads a graph as [`read`] does, with weights of the type `element`, or of one chosen by the weights: `i32` if all are integers and no path
/// can be longer than it holds, `f32` if that holds every weight and every sum along a path, and else `f64`. `u16` has to be asked for. An array of `float32` stays what
/// it is. To choose, weights are read as `f64`, in which integers have to be below 2^53, or as `i32` if an array has integers of at most 32 bits.
///
/// # Errors
/// Those of [`read`].
pub fn read_typed(
    path: &Path,
    element: Option<ElementType>,
    options: &ReadOptions,
) -> Result<(AnyGraph, Reason), ReadError> {
    if let Some(element) = element {
        return Ok((read_as(path, element, options)?, Reason::Asked));
    }
    match stored_type(path, options).as_deref() {
        Some(b"<f4") => return Ok((read_as(path, ElementType::F32, options)?, Reason::StoredAsF32)),
        // Integers of at most 4 bytes.
        Some([_, b'i' | b'u' | b'b', b'1' | b'2' | b'4']) => {
            if let Some(typed) = of_integers(path, options) {
                return Ok(typed);
            }
        }
        _ => {}
    }
    choose(read(path, options)?).map_err(|error| ReadProblem::Matrix(error).at(path, None))
}

fn read_as(path: &Path, element: ElementType, options: &ReadOptions) -> Result<AnyGraph, ReadError> {
    Ok(match element {
        ElementType::F32 => AnyGraph::F32(read(path, options)?),
        ElementType::I32 => AnyGraph::I32(read(path, options)?),
        ElementType::U16 => AnyGraph::U16(read(path, options)?),
        ElementType::F64 => AnyGraph::F64(read(path, options)?),
    })
}

/// NumPy's word for the type of the array in a `.npy` file. `None` for any other file: what is wrong with it, the reader reports.
fn stored_type(path: &Path, options: &ReadOptions) -> Option<Vec<u8>> {
    if options.format.is_some_and(|format| format != Format::Npy) || !path.is_file() {
        return None;
    }
    let (header, _) = NpyHeader::read(unpacked(path).ok()?).ok()?;
    Some(header.descr.into_bytes())
}

/// Reads integers as `i32`, in half the memory of `f64`; `None` where another type is needed, or the file is no graph.
fn of_integers(path: &Path, options: &ReadOptions) -> Option<(AnyGraph, Reason)> {
    let loaded = read::<i32>(path, options).ok()?;
    let longest = match &loaded.graph {
        StoredGraph::Arcs(arcs) => WeightScan::of(arcs).longest,
        StoredGraph::Matrix(matrix) => WeightScan::of(matrix).longest,
    };
    (longest <= ElementType::I32.most()).then_some((AnyGraph::I32(loaded), Reason::Integers { longest }))
}

/// Every integer up to this one is a number of `f32`.
const INTEGERS_OF_F32: f64 = 16_777_216.0;

/// The type that [`read_typed`] chooses for a graph: the smallest that holds it and its distances. O(n + m).
///
/// ```
/// use shortest_paths::{ArcsBuilder, ElementType, read::fitting};
///
/// let mut builder = ArcsBuilder::growing();
/// builder.add(0, 1, 2.5)?;
/// assert_eq!(fitting(&builder.build()?.0).0, ElementType::F32);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fitting(graph: &impl Graph) -> (ElementType, Reason) {
    let WeightScan { longest, fractions, not_in_f32 } = WeightScan::of(graph);
    if let Some(weight) = not_in_f32 {
        // An integer that `f32` lacks may be one of `i32`.
        if fractions || longest > ElementType::I32.most() {
            return (ElementType::F64, Reason::NotInF32 { weight });
        }
    }
    if !fractions && longest <= ElementType::I32.most() {
        return (ElementType::I32, Reason::Integers { longest });
    }
    // Sums of multiples of the grain are exact up to 2^24 times the grain.
    if longest <= INTEGERS_OF_F32 * graph.facts().range.grain {
        return (ElementType::F32, Reason::ExactInF32 { longest });
    }
    (ElementType::F64, Reason::RoundedInF32 { longest, fractions })
}

/// Converts to the smallest type that holds the graph and its distances.
fn choose(loaded: GraphInput<f64>) -> Result<(AnyGraph, Reason), MatrixError> {
    let (element, reason) = match &loaded.graph {
        StoredGraph::Arcs(arcs) => fitting(arcs),
        StoredGraph::Matrix(matrix) => fitting(matrix),
    };
    let typed = match element {
        ElementType::I32 => AnyGraph::I32(converted(loaded)?),
        ElementType::F32 => AnyGraph::F32(converted(loaded)?),
        // `u16` is never chosen.
        ElementType::F64 | ElementType::U16 => AnyGraph::F64(loaded),
    };
    Ok((typed, reason))
}

/// What the choice of a type depends on.
#[derive(Default)]
struct WeightScan {
    /// The sum of each vertex's largest weight: a path has at most one arc from each vertex.
    longest: f64,
    fractions: bool,
    not_in_f32: Option<f64>,
}

impl WeightScan {
    /// Rows are looked at in parallel, and added up in their order, so that the sum does not depend on threads.
    fn of(graph: &impl Graph) -> Self {
        let of_row = |tail| {
            let mut row = Self::default();
            graph.for_each_arc(tail, |_, weight| {
                let weight = weight.to_f64();
                row.longest = row.longest.max(weight.abs());
                row.fractions |= weight.fract() != 0.0;
                if f64::from(weight as f32) != weight {
                    row.not_in_f32.get_or_insert(weight);
                }
            });
            row
        };
        // Rows that are scanned in parallel before their results are added up.
        const ROWS: usize = 1 << 14;
        (0..graph.n()).step_by(ROWS).fold(Self::default(), |all, first| {
            let rows: Vec<Self> = (first..graph.n().min(first + ROWS)).into_par_iter().map(of_row).collect();
            rows.into_iter().fold(all, Self::and)
        })
    }

    fn and(self, next: Self) -> Self {
        Self {
            longest: self.longest + next.longest,
            fractions: self.fractions | next.fractions,
            not_in_f32: self.not_in_f32.or(next.not_in_f32),
        }
    }
}

/// Converts a graph of `f64` to another type, which holds all of its weights.
fn converted<T: Element>(loaded: GraphInput<f64>) -> Result<GraphInput<T>, MatrixError> {
    let GraphInput { graph, names, dropped, format, gzip, edge_list } = loaded;
    let graph = match graph {
        StoredGraph::Arcs(arcs) => StoredGraph::Arcs(arcs.convert()?),
        StoredGraph::Matrix(matrix) => StoredGraph::Matrix(matrix.convert()?),
    };
    Ok(GraphInput { graph, names, dropped, format, gzip, edge_list })
}
