//! Who a program is, asked before it is run next to another one; and why two cannot be a pair.

use crate::graph::ElementType;
use crate::measure::runner::RunError;
use crate::measure::supervisor::{Executor, NoReply};
use crate::plan::Experiment;
use crate::protocol::{Introduced, Reply, Request};
use crate::store::Side;
use std::path::{Path, PathBuf};
use std::time::Duration;
use thiserror::Error;

/// A repro answers in milliseconds, since it looks at no device. Whoever gave another program should not wait for long.
const LIMIT: Duration = Duration::from_secs(10);

/// Why two builds cannot be run side by side.
#[derive(Debug, Error)]
pub enum PairError {
    #[error(
        "{} cannot be paired: it does not say which build of repro it is ({problem}); give the path of a repro \
         that is new enough to be paired, or run both builds apart with `repro run`",
        program.display()
    )]
    Unknown { program: PathBuf, problem: String },
    #[error("the two builds do not run on one machine: {differs}; {remedy}")]
    Machines { differs: String, remedy: &'static str },
    #[error("{} does not know the element type {element}: leave it out of --elements", program.display())]
    Element { program: PathBuf, element: ElementType },
    #[error("{side} build: {source}")]
    Lane { side: Side, source: RunError },
    #[error("interrupted before anything was measured")]
    Interrupted,
}

/// Asks the worker of `program` which build it is, and what of `experiment` it cannot run.
///
/// # Errors
/// When it is no repro, or one from before this was asked; within seconds.
pub fn introduce(
    program: &Path,
    executor: &mut dyn Executor,
    experiment: &Experiment,
) -> Result<Introduced, PairError> {
    let unknown = |problem| PairError::Unknown { program: program.to_path_buf(), problem };
    match executor.ask(&Request::Introduce { variants: experiment.variants() }, LIMIT) {
        Ok(Reply::Introduced(introduced)) => {
            // It would take a graph for one of f32, and nobody would notice.
            match experiment.elements().into_iter().find(|element| !introduced.elements.contains(element)) {
                Some(element) => Err(PairError::Element { program: program.to_path_buf(), element }),
                None => Ok(introduced),
            }
        }
        Ok(_) => Err(unknown("it answered something else".to_string())),
        Err(NoReply::Interrupted) => Err(PairError::Interrupted),
        Err(why) => Err(unknown(why.message(&format!("no answer after {} s", LIMIT.as_secs())))),
    }
}
