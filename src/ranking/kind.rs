//! Kinds of graphs: times on graphs of one kind may stand in one list.

use crate::graph::RandomGraph;
use crate::lists::is_one;
use crate::plan::GraphSource;
use serde::Serialize;
use std::cmp::Ordering;
use std::fmt;

/// What graphs have in common whose times are compared, whatever their seeds and the size of their weights.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum GraphKind {
    /// Each pair of vertices has an edge with this probability.
    Random {
        density: f64,
        negative: bool,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        undirected: bool,
        /// How many are solved at once.
        #[serde(skip_serializing_if = "is_one")]
        graphs: usize,
    },
    /// So many edges a vertex, of positive weights.
    Edges { edges_per_vertex: u32 },
    /// One graph from a file, by the digest of its matrix.
    File { digest: String },
}

impl GraphKind {
    pub fn of(source: &GraphSource) -> Self {
        match source {
            GraphSource::Random(random) => {
                let RandomGraph { density, negative, undirected, graphs, .. } = *random;
                Self::Random { density, negative, undirected, graphs }
            }
            GraphSource::Edges(edges) => Self::Edges { edges_per_vertex: edges.edges_per_vertex },
            GraphSource::File { digest, .. } => Self::File { digest: digest.clone() },
        }
    }

    /// Complete graphs of positive weights first, directed before undirected, then the others from dense to sparse, then files.
    pub fn in_order(&self, other: &Self) -> Ordering {
        let key = |of: &Self| match of {
            Self::Random { density, negative, undirected, graphs } => {
                (0, *negative || *undirected || *graphs > 1, -density)
            }
            Self::Edges { edges_per_vertex } => (1, false, -f64::from(*edges_per_vertex)),
            Self::File { .. } => (2, false, 0.0),
        };
        let ((one, negative, most), (other_one, other_negative, other_most)) = (key(self), key(other));
        let by_kind = (one, negative).cmp(&(other_one, other_negative)).then(most.total_cmp(&other_most));
        by_kind.then_with(|| self.to_string().cmp(&other.to_string()))
    }
}

impl fmt::Display for GraphKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        /// Enough of a digest to distinguish two files.
        const DIGITS: usize = 8;
        match self {
            Self::Random { density, negative, undirected, graphs } => {
                if *graphs > 1 {
                    write!(f, "batches of {graphs} ")?;
                }
                f.write_str(if *undirected { "undirected " } else { "" })?;
                match *density < 1.0 {
                    true => write!(f, "graphs of density {density}")?,
                    false => f.write_str("complete graphs")?,
                }
                f.write_str(if *negative { ", negative weights" } else { "" })
            }
            Self::Edges { edges_per_vertex } => write!(f, "graphs of {edges_per_vertex} edges a vertex"),
            Self::File { digest } => write!(f, "the graph {}", digest.get(..DIGITS).unwrap_or(digest)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::RandomEdges;

    fn random(density: f64, negative: bool, seed: u64) -> GraphSource {
        GraphSource::Random(RandomGraph { density, negative, ..RandomGraph::complete(seed) })
    }

    #[test]
    fn seeds_make_no_other_kind_and_densities_and_signs_do() {
        let kind = |density, negative, seed| GraphKind::of(&random(density, negative, seed));
        assert_eq!(kind(1.0, false, 1), kind(1.0, false, 2));
        assert_ne!(kind(1.0, false, 1), kind(1.0, true, 1));
        assert_ne!(kind(1.0, false, 1), kind(0.5, false, 1));
    }

    #[test]
    fn complete_graphs_come_first_and_every_kind_has_a_name() {
        let edges = |edges_per_vertex| {
            GraphKind::of(&GraphSource::Edges(RandomEdges { edges_per_vertex, max_weight: 9, seed: 1 }))
        };
        let file = GraphKind::File { digest: "0123456789ab".into() };
        let mut all = [
            file,
            edges(6),
            GraphKind::of(&random(1.0, true, 1)),
            edges(60),
            GraphKind::of(&random(0.5, false, 1)),
            GraphKind::of(&random(1.0, false, 1)),
        ];
        all.sort_by(GraphKind::in_order);
        let names = [
            "complete graphs",
            "graphs of density 0.5",
            "complete graphs, negative weights",
            "graphs of 60 edges a vertex",
            "graphs of 6 edges a vertex",
            "the graph 01234567",
        ];
        assert_eq!(all.map(|kind| kind.to_string()), names);
    }
}
