//! Checking implementations without timing them, over sizes and kinds of graphs.

use super::Observer;
use super::config::{ConfigError, GraphSource, Limits};
use super::grid::Grid;
use super::protocol::{Reply, Request, Variant};
use super::supervisor::{Answer, Executor};
use crate::device::Selection;
use crate::graph::RandomGraph;
use crate::implementation::{self, Implementation, Parameters};
use std::fmt::Write;
use std::time::Duration;

/// Around multiples of 32 and 64, where tiles end, and around nothing in particular.
const SIZES: [usize; 16] = [1, 2, 31, 32, 33, 63, 64, 65, 100, 127, 255, 256, 257, 512, 1000, 1024];

/// One check: opening, solving and comparing the largest graphs on slow machines included.
const LIMIT: Duration = Duration::from_secs(600);

const LIMITS: Limits =
    Limits { warm_up_s: 0.0, sample_s: 600.0, full_cell_s: 0.0, whole_reference_n: 8192, reference_rows: 64 };

/// A kind of graph, by name.
type Kind = (&'static str, RandomGraph);

/// What is to be checked.
pub struct VerifyPlan {
    device: Selection,
    sizes: Vec<usize>,
    implementations: Vec<&'static Implementation>,
    kinds: Vec<Kind>,
}

impl VerifyPlan {
    /// Every implementation over the usual sizes, or those given.
    ///
    /// # Errors
    /// When a name is unknown or a size is 0.
    pub fn new(
        device: Selection,
        sizes: Option<Vec<usize>>,
        only: Option<Vec<String>>,
    ) -> Result<Self, ConfigError> {
        let sizes = sizes.unwrap_or_else(|| SIZES.to_vec());
        let wrong = |option, problem: String| ConfigError::Option { option, problem };
        if sizes.contains(&0) {
            return Err(wrong("--sizes", "n = 0: a graph has at least 1 vertex".into()));
        }
        let implementations = match only {
            None => implementation::catalogue().to_vec(),
            Some(names) => names
                .iter()
                .map(|name| {
                    implementation::find(name).ok_or_else(|| {
                        let known = implementation::names();
                        wrong("--only", format!("unknown implementation '{name}': expected one of {known}"))
                    })
                })
                .collect::<Result<_, _>>()?,
        };
        let graph = |density, negative| RandomGraph { density, max_weight: 1000, negative, seed: 1 };
        let kinds = vec![
            ("dense", graph(1.0, false)),
            ("sparse", graph(0.02, false)),
            ("no edges", graph(0.0, false)),
            ("dense, negative", graph(1.0, true)),
            ("sparse, negative", graph(0.02, true)),
        ];
        Ok(Self { device, sizes, implementations, kinds })
    }

    /// How many checks it makes.
    pub fn checks(&self) -> usize {
        self.sizes.len() * self.implementations.len() * self.kinds.len()
    }
}

/// What was found.
pub struct Checked {
    implementations: Vec<&'static Implementation>,
    kinds: Vec<&'static str>,
    sizes: Vec<usize>,
    /// Implementation, kind and size by index; None when right.
    results: Vec<((usize, usize, usize), Option<String>)>,
    /// Why implementations on a device were not checked.
    device_problem: Option<String>,
}

/// Checks everything in `plan`; ends early when interrupted.
///
/// # Errors
/// When no worker can be had, or the device that was asked for is missing.
pub fn verify(
    plan: &VerifyPlan,
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
) -> Result<Checked, String> {
    let variants = plan.implementations.iter().map(|one| variant(one)).collect();
    let opened = executor.ask(&Request::Open { device: plan.device.to_string(), variants }, LIMIT);
    let environment = match opened {
        Answer::Reply(Reply::Opened(opened)) => opened.environment,
        Answer::Reply(Reply::Failed(failure)) => return Err(failure.message),
        Answer::Died(words) => return Err(format!("the worker process is lost: {words}")),
        _ => return Err("the worker process does not answer".into()),
    };
    if let Some(problem) = environment.device_problem.as_ref().filter(|_| plan.device.demands_cuda()) {
        return Err(format!("--device {}: {problem}", plan.device));
    }
    let mut checked = Checked {
        implementations: plan.implementations.clone(),
        kinds: plan.kinds.iter().map(|(name, _)| *name).collect(),
        sizes: plan.sizes.clone(),
        results: Vec::new(),
        device_problem: environment.device_problem.filter(|_| environment.device.is_none()),
    };
    for (size_at, &n) in plan.sizes.iter().enumerate() {
        for (kind_at, (kind, graph)) in plan.kinds.iter().enumerate() {
            observer.progress(&format!("n = {n}, {kind}"), checked.results.len(), plan.checks(), None);
            let source = GraphSource::Random(graph.clone());
            let request = Request::LoadGraph { source, n, limits: LIMITS };
            let loaded = problem_of(executor.ask(&request, LIMIT));
            if loaded == Some(Stopped::Interrupted) {
                return Ok(checked);
            }
            for (at, implementation) in plan.implementations.iter().enumerate() {
                if implementation.needs_device() && checked.device_problem.is_some() {
                    continue;
                }
                let problem = match &loaded {
                    Some(problem) => Some(problem.clone()),
                    None => {
                        problem_of(executor.ask(&Request::Sample { variant: variant(implementation) }, LIMIT))
                    }
                };
                let problem = match problem {
                    Some(Stopped::Interrupted) => return Ok(checked),
                    Some(Stopped::Problem(problem)) => {
                        observer.note(&format!("{} n = {n}, {kind}: {problem}", implementation.name));
                        Some(problem)
                    }
                    None => None,
                };
                checked.results.push(((at, kind_at, size_at), problem));
            }
        }
    }
    Ok(checked)
}

#[derive(Clone, Debug, PartialEq)]
enum Stopped {
    Interrupted,
    Problem(String),
}

fn problem_of(answer: Answer) -> Option<Stopped> {
    let problem = match answer {
        Answer::Interrupted => return Some(Stopped::Interrupted),
        Answer::Reply(Reply::Failed(failure)) => failure.message,
        Answer::Reply(_) => return None,
        Answer::TimedOut => format!("no result after {} s", LIMIT.as_secs()),
        Answer::Died(words) => words,
    };
    Some(Stopped::Problem(problem))
}

fn variant(implementation: &Implementation) -> Variant {
    Variant { implementation: implementation.name.to_string(), parameters: Parameters::default() }
}

impl Checked {
    /// Checks that were made and failed.
    pub fn wrong(&self) -> usize {
        self.results.iter().filter(|(_, problem)| problem.is_some()).count()
    }

    /// Checks that were planned and not made.
    pub fn missing(&self) -> usize {
        self.implementations.len() * self.kinds.len() * self.sizes.len() - self.results.len()
    }

    /// A row an implementation, a column a kind of graph, and below it what was wrong.
    pub fn table(&self) -> String {
        let sizes: Vec<String> = self.sizes.iter().map(ToString::to_string).collect();
        let titles = std::iter::once("").chain(self.kinds.iter().copied());
        let rows = self.implementations.iter().enumerate().map(|(at, implementation)| {
            let cells = (0..self.kinds.len()).map(|kind| {
                let of_cell = self.results.iter().filter(|((i, k, _), _)| (*i, *k) == (at, kind));
                let (right, made) = of_cell.fold((0, 0), |(right, made), (_, problem)| {
                    (right + usize::from(problem.is_none()), made + 1)
                });
                if made == 0 { "not run".to_string() } else { format!("{right} of {made}") }
            });
            std::iter::once(implementation.name.to_string()).chain(cells).collect()
        });
        let grid = Grid {
            title: format!("Right results, n = {}", sizes.join(", ")),
            header: titles.map(str::to_string).collect(),
            rows: rows.collect(),
        };
        let mut text = grid.terminal(None);
        for ((at, kind, size), problem) in &self.results {
            if let Some(problem) = problem {
                let name = self.implementations[*at].name;
                let _ = writeln!(text, "{name} n = {}, {}: {problem}", self.sizes[*size], self.kinds[*kind]);
            }
        }
        if let Some(problem) = &self.device_problem {
            let _ = writeln!(text, "implementations on a device were not checked: {problem}");
        }
        let _ = match self.wrong() {
            0 => writeln!(text, "all {} checks passed", self.results.len()),
            wrong => writeln!(text, "{wrong} of {} checks failed", self.results.len()),
        };
        text
    }
}
