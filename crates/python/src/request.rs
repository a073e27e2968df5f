//! What is to be computed, as the Python half has checked it.

use crate::device::selection;
use crate::error::raise;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use repro_device::Selection;
use shortest_paths::{Algorithm, PathSentinels, Paths};

/// What is to be computed: attributes of the Python object.
#[derive(FromPyObject)]
pub struct Request<'py> {
    sources: Option<PyReadonlyArray1<'py, i64>>,
    targets: Option<PyReadonlyArray1<'py, i64>>,
    paths: Option<String>,
    algorithm: String,
    /// Where dense graphs are solved, as it was named.
    pub device: String,
    marks: String,
    /// What is farther away counts as not reached.
    limit: f64,
    /// Whether to look for the nearest source of each vertex, and not from each.
    nearest: bool,
    /// How many threads; as many as there are cores if nothing is asked for.
    pub threads: Option<usize>,
    /// Whether to check the result.
    pub verify: bool,
    /// What to call with the stage, how much of it is done, and of how much.
    pub progress: Option<Py<PyAny>>,
}

/// What a request asks for, in the library's terms.
pub struct Wanted {
    /// Where paths begin; everywhere if nothing is named.
    pub sources: Option<Vec<usize>>,
    /// Where paths end; everywhere if nothing is named.
    pub targets: Option<Vec<usize>>,
    /// The paths wanted.
    pub paths: Paths,
    /// What stands for no vertex in them.
    pub marks: PathSentinels,
    /// What is farther away counts as not reached.
    pub limit: f64,
    /// Whether to look for the nearest source of each vertex.
    pub nearest: bool,
    /// The algorithm, if one is asked for.
    pub algorithm: Option<Algorithm>,
    /// Where dense graphs are solved.
    pub device: Selection,
    /// Whether to check the result.
    pub verify: bool,
}

impl Wanted {
    /// Whether one search finds it all.
    pub fn is_one_search(&self) -> bool {
        let is_one = self.nearest || self.sources.as_ref().is_some_and(|sources| sources.len() == 1);
        is_one
            && !self.verify
            && !matches!(self.paths, Paths::Next(_))
            && self.algorithm != Some(Algorithm::FloydWarshall)
            && matches!(self.device, Selection::Auto | Selection::Cpu)
    }
}

impl Request<'_> {
    /// Translates the request into the library's terms.
    ///
    /// # Errors
    /// Names that are none.
    pub fn wanted(&self) -> PyResult<Wanted> {
        let marks = match self.marks.as_str() {
            "plain" => PathSentinels::PLAIN,
            "scipy" => PathSentinels::SCIPY,
            other => {
                let message = format!("marks is '{other}': give 'plain' for -1, or 'scipy' for -9999");
                return Err(raise("RequestError", (message,)));
            }
        };
        let paths = match self.paths.as_deref() {
            None => Paths::No,
            Some("predecessor") => Paths::Predecessors(marks),
            Some("next") => Paths::Next(marks),
            Some(other) => {
                let message = format!("paths is '{other}': give None, 'predecessor' or 'next'");
                return Err(raise("RequestError", (message,)));
            }
        };
        let algorithm = match self.algorithm.as_str() {
            "auto" => None,
            "floyd-warshall" => Some(Algorithm::FloydWarshall),
            "dijkstra" => Some(Algorithm::Dijkstra),
            "johnson" => Some(Algorithm::Johnson),
            other => {
                let message =
                    format!("algorithm is '{other}': give 'auto', 'floyd-warshall', 'dijkstra' or 'johnson'");
                return Err(raise("RequestError", (message,)));
            }
        };
        let (sources, targets) = (vertices(self.sources.as_ref())?, vertices(self.targets.as_ref())?);
        let device = selection(&self.device)?;
        Ok(Wanted {
            sources,
            targets,
            paths,
            marks,
            limit: self.limit,
            nearest: self.nearest,
            algorithm,
            device,
            verify: self.verify,
        })
    }
}

/// The Python half has refused negative numbers; what is left of them is no vertex.
fn vertices(chosen: Option<&PyReadonlyArray1<i64>>) -> PyResult<Option<Vec<usize>>> {
    let Some(chosen) = chosen else { return Ok(None) };
    let vertices = chosen.as_slice()?.iter().map(|vertex| usize::try_from(*vertex).unwrap_or(usize::MAX));
    Ok(Some(vertices.collect()))
}

/// What the Python half calls an algorithm.
pub fn name(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::FloydWarshall => "floyd-warshall",
        Algorithm::Dijkstra => "dijkstra",
        Algorithm::Johnson => "johnson",
    }
}
