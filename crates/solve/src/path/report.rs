//! A path as an object of JSON.

use super::result::ShortestPath;
use crate::solve::json::{JsonNumber, Vertex};
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
    pub fn new(ends: [usize; 2], found: Option<&ShortestPath>, names: &Names) -> Self {
        let vertex = |&vertex: &usize| Vertex::of(vertex, names);
        let lengths = found.and_then(|path| path.lengths.as_ref());
        Self {
            schema_version: VERSION,
            from: vertex(&ends[0]),
            to: vertex(&ends[1]),
            reachable: found.is_some(),
            distance: found.and_then(ShortestPath::length).map(JsonNumber),
            vertices: found.map(|path| path.vertices.iter().map(vertex).collect()),
            weights: lengths.map(|lengths| lengths.iter().copied().map(JsonNumber).collect()),
            weights_rounded: found.is_some_and(|path| path.is_rounded),
        }
    }
}
