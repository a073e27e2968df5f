//! What stands in JSON for values of the libraries, which know of none.

use serde::{Serialize, Serializer};
use shortest_paths::read::{EdgeListForm, Format, Names, Reason};
use shortest_paths::{Algorithm, DroppedArcs};

#[derive(Serialize)]
#[serde(remote = "Algorithm", rename_all = "kebab-case")]
pub(super) enum AlgorithmWord {
    FloydWarshall,
    Dijkstra,
    Johnson,
}

#[derive(Serialize)]
#[serde(remote = "Format", rename_all = "kebab-case")]
pub(super) enum FormatWord {
    Dimacs,
    MatrixMarket,
    EdgeList,
    Npy,
    Npz,
}

/// How a file is packed.
pub(super) fn packing<S: Serializer>(gzip: &bool, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(if *gzip { "gzip" } else { "plain" })
}

#[derive(Serialize)]
#[serde(remote = "Reason", rename_all = "kebab-case", tag = "reason")]
pub(super) enum TypeReason {
    Asked,
    StoredAsF32,
    Integers { longest: f64 },
    ExactInF32 { longest: f64 },
    NotInF32 { weight: f64 },
    RoundedInF32 { longest: f64, fractions: bool },
}

#[derive(Serialize)]
#[serde(remote = "EdgeListForm")]
pub(super) struct EdgeListWords {
    separator: &'static str,
    heading: Option<String>,
    weighted: bool,
    comments: usize,
    unmentioned: usize,
}

/// An edge list's form, if it is one.
pub(super) fn edge_list<S: Serializer>(form: &Option<EdgeListForm>, to: S) -> Result<S::Ok, S::Error> {
    match form {
        Some(form) => EdgeListWords::serialize(form, to),
        None => to.serialize_none(),
    }
}

#[derive(Serialize)]
#[serde(remote = "DroppedArcs")]
pub(super) struct DroppedArcsWords {
    duplicates: u64,
    self_loops: u64,
    absent: u64,
}

/// A vertex as the graph's file has it: a number, or a word where vertices are named.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Vertex {
    Number(usize),
    Name(Box<str>),
}

impl Vertex {
    /// That of a vertex counted from 0.
    pub fn of(vertex: usize, names: &Names) -> Self {
        match names {
            Names::FromZero => Self::Number(vertex),
            Names::FromOne => Self::Number(vertex + 1),
            Names::Given(_) => Self::Name(names.name(vertex).into()),
        }
    }
}

/// A number that is an integer is written as one, whatever type held it.
pub(crate) fn number<S: Serializer>(number: &f64, to: S) -> Result<S::Ok, S::Error> {
    /// Up to here every integer is a number of `f64`.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() <= EXACT {
        to.serialize_i64(*number as i64)
    } else {
        to.serialize_f64(*number)
    }
}

/// As [`number`], of one that may be missing.
pub(crate) fn number_if_known<S: Serializer>(known: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
    match known {
        Some(known) => number(known, to),
        None => to.serialize_none(),
    }
}

/// As [`number`], of several that may be missing.
pub(crate) fn numbers_if_known<S: Serializer>(known: &Option<Vec<f64>>, to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct One(#[serde(serialize_with = "number")] f64);
    match known {
        Some(known) => to.collect_seq(known.iter().copied().map(One)),
        None => to.serialize_none(),
    }
}
