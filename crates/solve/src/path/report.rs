//! A path as an object of JSON.

use super::result::{Lengths, ShortestPath};
use crate::solve::words::{JsonNumber, Vertex};
use serde::Serialize;
use shortest_paths::read::Names;

/// The version of the object's form.
const VERSION: u32 = 1;

/// The path, or that there is none.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    schema_version: u32,
    from: Vertex,
    to: Vertex,
    reachable: bool,
    /// Unknown where neither it nor the weights are stored.
    distance: Option<JsonNumber>,
    vertices: Option<Vec<Vertex>>,
    /// Of each arc of the path.
    weights: Option<Vec<JsonNumber>>,
    /// Whether weights are differences of rounded distances.
    weights_rounded: bool,
}

impl Report {
    /// Of the path between two vertices, if one leads there.
    pub fn of(ends: [usize; 2], found: Option<&ShortestPath>, names: &Names) -> Self {
        let vertex = |vertex: usize| Vertex::of(vertex, names);
        let [from, to] = ends.map(vertex);
        Self {
            schema_version: VERSION,
            from,
            to,
            reachable: found.is_some(),
            distance: found.and_then(ShortestPath::length).map(JsonNumber),
            vertices: found.map(|found| found.vertices.iter().copied().map(vertex).collect()),
            weights: found.and_then(|found| match &found.lengths {
                Lengths::Arcs(lengths) => Some(lengths.iter().copied().map(JsonNumber).collect()),
                Lengths::None => None,
            }),
            weights_rounded: found.is_some_and(|found| found.is_rounded),
        }
    }
}
