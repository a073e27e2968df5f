//! `[graph]`: which graphs an experiment runs on.

use super::{Limits, check_host_memory};
use repro_base::lists::{distinct, is_default};
use repro_base::text::hides;
use repro_graph::read::{ReadOptions, ReadProblem, SavedGraph, file_blocks, is_read_once, read, read_once};
use repro_graph::{ElementType, RandomEdges, RandomGraph, WeightRange};
use repro_solvers::Problem;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

/// Where graphs come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum GraphSource {
    /// Generated for each n, edge or no edge for each pair of vertices.
    Random(RandomGraph),
    /// Generated for each n, with a fixed number of edges a vertex.
    Edges(RandomEdges),
    /// One graph of a fixed size, from a DIMACS or Matrix Market file; where the matrix is sharded, also from a `.npy` file.
    File {
        /// Absolute; or relative to the folder of the run, which then holds a copy of what could be read only once.
        path: PathBuf,
        /// The digest of its distance matrix; where that is sharded, the BLAKE3 hash of the file. A changed file is another graph.
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

    /// Edges a vertex, where the generator fixes their number.
    pub fn edges_per_vertex(&self) -> Option<u32> {
        if let Self::Edges(edges) = self { Some(edges.edges_per_vertex) } else { None }
    }

    /// Whether it is generated from a seed, and not read from a file, whose contents are not known.
    pub fn is_generated(&self) -> bool {
        !matches!(self, Self::File { .. })
    }

    /// Another graph of the same kind, counted from 0 by `number`: its seed is this one's + 1 + `number`. None for a file's.
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

/// A graph and its name in cells, which is empty where an experiment has only one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedGraph {
    pub name: String,
    pub source: GraphSource,
    /// What its distances are.
    #[serde(default, skip_serializing_if = "is_default")]
    pub element: ElementType,
}

impl NamedGraph {
    /// The problem of solving it with `n` vertices.
    pub fn problem(&self, n: usize) -> Problem {
        Problem { graphs: self.source.graphs(), ..Problem::one(n, self.element, self.source.weights()) }
    }

    /// These graphs in each of these types. A type other than `f32` is added to the graph's name.
    pub fn in_each(graphs: &[Self], elements: &[ElementType]) -> Vec<Self> {
        let elements = distinct(elements.iter().copied());
        let named = |graph: &Self, element| Self { name: graph.name_in(element), element, ..graph.clone() };
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
    /// One graph for each of these numbers of edges a vertex, named m=6n and so on.
    pub edges_per_vertex: Option<Vec<u32>>,
    pub max_weight: u32,
    #[serde(default)]
    pub negative: bool,
    /// Whether edges lead both ways.
    #[serde(default)]
    pub undirected: bool,
    pub seed: u64,
    /// How many graphs are solved at once, of this seed and those that follow.
    pub graphs: Option<usize>,
    /// The element types that each graph comes in.
    #[serde(default = "default_types")]
    pub elements: Vec<ElementType>,
}

impl GraphFile {
    /// Checks the keys against each other and their ranges.
    ///
    /// # Errors
    /// The first key that is wrong, and what was expected.
    pub fn check(&self) -> Result<(), (&'static str, &'static str)> {
        let (has_density, edges) = (self.density.is_some(), self.edges_per_vertex.as_deref());
        let is_share = self.density.is_none_or(|density| (0.0..=1.0).contains(&density));
        let has_none = edges.is_some_and(|edges| edges.is_empty() || edges.contains(&0));
        let is_drawn = edges.is_some() && !has_density;
        let (is_two_way, is_cyclic) = (is_drawn && self.undirected, self.undirected && self.negative);
        let rules = [
            (
                self.name.contains(hides) || self.name != self.name.trim(),
                "name",
                "expected one line without control characters, and no blanks around it",
            ),
            (!(1..=65535).contains(&self.max_weight), "max_weight", "expected 1 to 65535"),
            (self.elements.is_empty(), "elements", "expected one or more of f32, i32, u16 and f64"),
            (self.graphs == Some(0), "graphs", "expected at least 1"),
            (
                is_drawn && self.graphs.is_some(),
                "graphs",
                "graphs with edges_per_vertex are solved one by one: give density",
            ),
            (has_density == edges.is_some(), "[graph]", "expected either density or edges_per_vertex"),
            (!is_share, "density", "expected 0 to 1"),
            (has_none, "edges_per_vertex", "expected numbers of at least 1"),
            (is_drawn && self.negative, "negative", "graphs with edges_per_vertex have positive weights"),
            (is_two_way, "undirected", "graphs with edges_per_vertex are directed: give density"),
            (is_cyclic, "undirected", "an edge of negative weight both ways is a negative cycle"),
        ];
        let broken = rules.into_iter().find(|(is_broken, ..)| *is_broken);
        broken.map_or(Ok(()), |(_, key, expected)| Err((key, expected)))
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

fn default_types() -> Vec<ElementType> {
    vec![ElementType::F32]
}

/// A graph that was read once and found usable.
pub struct UserGraph {
    pub source: GraphSource,
    /// The number of vertices.
    pub n: usize,
    /// Its bytes, where they cannot be read a second time.
    pub saved: Option<SavedGraph>,
}

impl UserGraph {
    /// Reads the graph at `path`, or from standard input where that is `-`, and checks that `limits` leave room for it. What
    /// can be read only once is kept.
    ///
    /// # Errors
    /// What is wrong with the graph, or with its size.
    pub fn read(path: &Path, limits: &Limits) -> Result<Self, String> {
        let named = |problem: &dyn Display| format!("{}: {problem}", path.display());
        let read = match is_read_once(path) {
            true => read_once(path).map(|(loaded, saved)| (loaded, Some(saved))),
            false => read(path, &ReadOptions::default()).map(|loaded| (loaded, None)),
        };
        let (loaded, saved) = read.map_err(|error| error.to_string())?;
        let n = loaded.n();
        // Checked before the matrix is made, so that nobody waits for one that does not fit three times.
        check_host_memory(n, 1, ElementType::F32, limits, true).map_err(|error| named(&error))?;
        let matrix = loaded.graph.into_matrix().map_err(|error| named(&error))?;
        repro_graph::potentials(&matrix, &|_| Ok(())).map_err(|error| named(&error))?;
        let digest = repro_graph::digest(matrix.as_slice()).to_string();
        let place = saved.as_ref().map_or_else(|| std::path::absolute(path), |saved| Ok(saved.name().into()));
        let path = place.map_err(|error| unreadable(path, error))?;
        Ok(Self { source: GraphSource::File { path, digest }, n, saved })
    }

    /// Opens the graph at `path` for a sharded matrix: of a list of edges that list alone is kept, of a `.npy` file nothing.
    ///
    /// # Errors
    /// What is wrong with the file. What can be read only once is refused: every process reads the graph for itself.
    pub fn open_sharded(path: &Path, element: ElementType) -> Result<Self, String> {
        if is_read_once(path) {
            let problem = "a sharded graph is read more than once, by every process: give the path of a file";
            return Err(format!("{}: {problem}", path.display()));
        }
        let n = file_blocks(path, element).map_err(|error| error.to_string())?.n();
        let digest = repro_graph::file_digest(path).map_err(|error| unreadable(path, error))?;
        let path = std::path::absolute(path).map_err(|error| unreadable(path, error))?;
        Ok(Self { source: GraphSource::File { path, digest }, n, saved: None })
    }
}

fn unreadable(path: &Path, error: io::Error) -> String {
    ReadProblem::Unreadable(error).at(path, None).to_string()
}
