//! What is borrowed of a graph, and the graph that is made of it.

use crate::csr::rows;
use crate::dense::DenseRows;
use crate::device::Number;
use crate::error::Failure;
use crate::input::Input;
use shortest_paths::read::{Loaded, StoredGraph};
use shortest_paths::{ArcsBuilder, Control, both_ways};
use std::borrow::Cow;

/// A graph with weights of one type.
pub enum Form<'a, T: Number> {
    Dense {
        n: usize,
        weights: &'a [T],
        zeros_absent: bool,
    },
    Csr32 {
        n: usize,
        offsets: &'a [i32],
        heads: &'a [i32],
        weights: &'a [T],
        both_ways: bool,
    },
    Csr64 {
        n: usize,
        offsets: &'a [i64],
        heads: &'a [i64],
        weights: &'a [T],
        both_ways: bool,
    },
    /// Without n there are as many vertices as the arcs name.
    Arcs {
        n: Option<usize>,
        tails: &'a [i64],
        heads: &'a [i64],
        weights: &'a [T],
        both_ways: bool,
    },
    Loaded(&'a Loaded<T>),
}

impl<'a, T: Number> Form<'a, T> {
    /// The number of vertices, where it is known before the arcs are looked at.
    pub fn n(&self) -> Option<usize> {
        match self {
            Self::Dense { n, .. } | Self::Csr32 { n, .. } | Self::Csr64 { n, .. } => Some(*n),
            Self::Arcs { n, .. } => *n,
            Self::Loaded(loaded) => Some(loaded.n()),
        }
    }

    /// The number of arcs where these are listed; none of a matrix.
    pub fn listed(&self) -> Option<usize> {
        match self {
            Self::Csr32 { weights, .. } | Self::Csr64 { weights, .. } | Self::Arcs { weights, .. } => {
                Some(weights.len())
            }
            Self::Dense { .. } | Self::Loaded(_) => None,
        }
    }

    /// The graph.
    ///
    /// # Errors
    /// When it is none.
    pub fn input(&self, control: &Control) -> Result<Input<'a, T>, Failure> {
        let (input, lead_back) = self.one_way(control)?;
        if lead_back { Ok(Input::Arcs(Cow::Owned(both_ways(&input)?))) } else { Ok(input) }
    }

    /// The graph, and whether its arcs lead back as well and are listed but once.
    ///
    /// # Errors
    /// When it is none.
    pub fn one_way(&self, control: &Control) -> Result<(Input<'a, T>, bool), Failure> {
        Ok(match *self {
            Self::Dense { n, weights, zeros_absent } => {
                (Input::Dense(DenseRows::new(n, weights, zeros_absent)?), false)
            }
            Self::Csr32 { n, offsets, heads, weights, both_ways } => {
                (rows(n, offsets, heads, weights)?, both_ways)
            }
            Self::Csr64 { n, offsets, heads, weights, both_ways } => {
                (rows(n, offsets, heads, weights)?, both_ways)
            }
            Self::Arcs { n, tails, heads, weights, both_ways } => {
                (arcs(n, tails, heads, weights, both_ways, control)?, false)
            }
            Self::Loaded(loaded) => match &loaded.graph {
                StoredGraph::Arcs(arcs) => (Input::Arcs(Cow::Borrowed(arcs)), false),
                StoredGraph::Matrix(matrix) => (Input::Matrix(Cow::Borrowed(matrix)), false),
            },
        })
    }
}

fn arcs<'a, T: Number>(
    n: Option<usize>,
    tails: &[i64],
    heads: &[i64],
    weights: &[T],
    both_ways: bool,
    control: &Control,
) -> Result<Input<'a, T>, Failure> {
    let builder = match n {
        Some(n) => ArcsBuilder::with_vertices(n)?,
        None => ArcsBuilder::growing(),
    };
    let mut builder = builder.undirected(both_ways);
    builder.reserve(weights.len())?;
    for (at, ((tail, head), weight)) in tails.iter().zip(heads).zip(weights).enumerate() {
        if at % (1 << 16) == 0 {
            control.check()?;
        }
        // The Python half has refused negative numbers; what is left of them is no vertex.
        let vertex = |end: i64| usize::try_from(end).unwrap_or(usize::MAX);
        builder.add(vertex(*tail), vertex(*head), *weight)?;
    }
    Ok(Input::Arcs(Cow::Owned(builder.build()?.0)))
}
