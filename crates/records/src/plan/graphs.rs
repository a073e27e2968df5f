//! `[graph]`: which graphs an experiment runs on.

use repro_base::lists::{distinct, is_default};
use repro_base::text::hides;
use repro_graph::{ElementType, RandomEdges, RandomGraph, WeightRange};
use repro_solvers::Problem;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Where graphs come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum GraphSource {
    /// Generated for each n, edge or no edge for each pair of vertices.
    Random(RandomGraph),
    /// Generated for each n, so many edges a vertex.
    Edges(RandomEdges),
    /// One graph of a fixed size, from a DIMACS or Matrix Market file; where the matrix is sharded, also from a `.npy` file.
    File {
        /// Absolute; or relative to the folder of the run, which then holds a copy of what could be read only once.
        path: PathBuf,
        /// Of its distance matrix; where that is sharded, the BLAKE3 hash of the file. A changed file is another graph.
        digest: String,
    },
}

impl GraphSource {
    /// What is known of the weights before there is a graph; nothing of a file's.
    pub fn weights(&self) -> WeightRange {
        match self {
            Self::Random(random) => random.weights(),
            Self::Edges(edges) => edges.weights(),
            Self::File { .. } => {
                let largest = f64::INFINITY;
                WeightRange { largest, negative: true, complete: false, grain: 0.0, symmetric: false }
            }
        }
    }

    /// How many graphs are solved at once.
    pub fn graphs(&self) -> usize {
        if let Self::Random(random) = self { random.graphs } else { 1 }
    }

    /// The graph of this number in a batch, counted from 0.
    pub fn of_batch(&self, number: usize) -> Self {
        if let Self::Random(random) = self { Self::Random(random.of_batch(number)) } else { self.clone() }
    }

    /// Edges a vertex, where they are so many by design.
    pub fn edges_per_vertex(&self) -> Option<u32> {
        if let Self::Edges(edges) = self { Some(edges.edges_per_vertex) } else { None }
    }

    /// Whether it is made anew from a seed, and not read from a file, of which nobody knows what is in it.
    pub fn is_generated(&self) -> bool {
        !matches!(self, Self::File { .. })
    }

    /// Another graph of the same kind, the one of this number: seeds count on from behind its own. None of a file's.
    pub fn fresh(&self, number: u64) -> Option<Self> {
        let mut fresh = self.clone();
        match &mut fresh {
            Self::Random(RandomGraph { seed, .. }) | Self::Edges(RandomEdges { seed, .. }) => {
                *seed = seed.wrapping_add(number).wrapping_add(1);
            }
            Self::File { .. } => return None,
        }
        Some(fresh)
    }

    /// This graph for a worker of the run in `folder`.
    pub fn of_run(&self, folder: &Path) -> Self {
        match self {
            Self::File { path, digest } => Self::File { path: folder.join(path), digest: digest.clone() },
            generated => generated.clone(),
        }
    }
}

/// A graph and what cells call it: nothing where an experiment has one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedGraph {
    pub name: String,
    pub source: GraphSource,
    /// What its distances are.
    #[serde(default, skip_serializing_if = "is_default")]
    pub element: ElementType,
}

impl NamedGraph {
    /// The only graph of an experiment.
    pub fn only(source: GraphSource) -> Vec<Self> {
        vec![Self { name: String::new(), source, element: ElementType::F32 }]
    }

    /// What is solved of it with `n` vertices.
    pub fn problem(&self, n: usize) -> Problem {
        Problem { graphs: self.source.graphs(), ..Problem::one(n, self.element, self.source.weights()) }
    }

    /// These graphs in each of these types. Those in another than `f32` are named after it, with what they were called before.
    pub fn in_each(graphs: &[Self], elements: &[ElementType]) -> Vec<Self> {
        let elements = distinct(elements.iter().copied());
        let named = |graph: &Self, element| Self {
            name: graph.name_in(element),
            element,
            source: graph.source.clone(),
        };
        graphs.iter().flat_map(|graph| elements.iter().map(|&element| named(graph, element))).collect()
    }

    /// What this graph is called in an element type, where its own is `f32`.
    pub fn name_in(&self, element: ElementType) -> String {
        match (self.name.as_str(), element) {
            (name, ElementType::F32) => name.to_string(),
            ("", element) => element.to_string(),
            (name, element) => format!("{name} {element}"),
        }
    }
}

/// `[graph]`: the seed may come from an option, everything else from here.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphFile {
    /// What sets it apart where an experiment has several.
    #[serde(default)]
    pub name: String,
    /// The probability of an edge; or else `edges_per_vertex`.
    pub density: Option<f64>,
    /// A graph of each of so many edges a vertex, named m=6n and so on.
    pub edges_per_vertex: Option<Vec<u32>>,
    pub max_weight: u32,
    #[serde(default)]
    pub negative: bool,
    /// Whether edges lead both ways.
    #[serde(default)]
    pub undirected: bool,
    pub seed: u64,
    /// How many graphs are solved at once, of this seed and those that follow.
    #[serde(default)]
    pub graphs: Option<usize>,
    /// The element types that each graph comes in.
    #[serde(default = "f32_alone")]
    pub elements: Vec<ElementType>,
}

impl GraphFile {
    /// The key that is wrong and what was expected.
    ///
    /// # Errors
    /// The first that is.
    pub fn check(&self) -> Result<(), (&'static str, &'static str)> {
        if self.name.contains(hides) || self.name != self.name.trim() {
            return Err(("name", "expected one line without control characters, and no blanks around it"));
        }
        if !(1..=65535).contains(&self.max_weight) {
            return Err(("max_weight", "expected 1 to 65535"));
        }
        if self.elements.is_empty() {
            return Err(("elements", "expected one or more of f32, i32, u16 and f64"));
        }
        if self.graphs == Some(0) {
            return Err(("graphs", "expected at least 1"));
        }
        match (self.density, &self.edges_per_vertex) {
            (None, Some(_)) if self.graphs.is_some() => {
                Err(("graphs", "graphs with edges_per_vertex are solved one by one: give density"))
            }
            (Some(_), Some(_)) | (None, None) => {
                Err(("[graph]", "expected either density or edges_per_vertex"))
            }
            (Some(density), None) if !(0.0..=1.0).contains(&density) => Err(("density", "expected 0 to 1")),
            (None, Some(edges)) if edges.is_empty() || edges.contains(&0) => {
                Err(("edges_per_vertex", "expected numbers of at least 1"))
            }
            (None, Some(_)) if self.negative => {
                Err(("negative", "graphs with edges_per_vertex have positive weights"))
            }
            (None, Some(_)) if self.undirected => {
                Err(("undirected", "graphs with edges_per_vertex are directed: give density"))
            }
            _ if self.undirected && self.negative => {
                Err(("undirected", "an edge of negative weight both ways is a negative cycle"))
            }
            _ => Ok(()),
        }
    }

    /// The graphs in `f32`, drawn with this seed in place of their own.
    pub fn graphs(&self, seed: Option<u64>) -> Vec<NamedGraph> {
        let seed = seed.unwrap_or(self.seed);
        let max_weight = self.max_weight;
        let Some(edges) = &self.edges_per_vertex else {
            let (density, negative) = (self.density.unwrap_or(1.0), self.negative);
            let (undirected, graphs) = (self.undirected, self.graphs.unwrap_or(1));
            let random = RandomGraph { density, max_weight, negative, undirected, seed, graphs };
            let (name, source) = (self.name.clone(), GraphSource::Random(random));
            return vec![NamedGraph { name, source, element: ElementType::F32 }];
        };
        let graph = |&edges_per_vertex: &u32| NamedGraph {
            name: format!("{} m={edges_per_vertex}n", self.name).trim_start().to_string(),
            source: GraphSource::Edges(RandomEdges { edges_per_vertex, max_weight, seed }),
            element: ElementType::F32,
        };
        edges.iter().map(graph).collect()
    }
}

fn f32_alone() -> Vec<ElementType> {
    vec![ElementType::F32]
}
