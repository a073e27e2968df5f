//! `repro run`

use super::parameter::ParameterChoice;
use super::progress::Progress;
use super::{Error, Exit, output};
use crate::device::Selection;
use crate::experiment::{
    GraphSource, Journal, Observer, Outcome, Overrides, RunError, Runner, WorkerProcess, cells,
    load_experiment, resolve, tables,
};
use crate::graph;
use crate::record::{Build, Manifest, SCHEMA_VERSION};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(clap::Args)]
pub struct Arguments {
    /// An experiment's name (see `repro list`) or the path of its TOML file
    experiment: String,
    /// Where to run: auto, cpu, cuda, cuda:N or emulated (kernels on the CPU at small sizes: checked and counted, not timed)
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: Selection,
    /// Numbers of vertices, for every implementation, in place of the experiment's
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    sizes: Option<Vec<usize>>,
    /// Implementations to run, in place of all
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    only: Option<Vec<String>>,
    /// Run every implementation that has this parameter with each of these values
    #[arg(long = "param", value_name = "NAME=VALUE,...")]
    parameters: Vec<ParameterChoice>,
    /// Exactly this many samples a cell
    #[arg(long, value_name = "COUNT")]
    samples: Option<usize>,
    /// Timed seconds a cell after which no further sample is started
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    budget: Option<f64>,
    /// Seed of the generated graphs
    #[arg(long)]
    seed: Option<u64>,
    /// Run on this graph, a DIMACS .gr or a Matrix Market file, in place of generated ones
    #[arg(long, value_name = "FILE", conflicts_with_all = ["sizes", "seed", "full"])]
    graph: Option<PathBuf>,
    /// Also fill the cells that the paper leaves blank, where one sample takes less than a minute
    #[arg(long, conflicts_with = "sizes")]
    full: bool,
    /// Folder for the records, which must not hold a run yet [default: results/runs/NAME-TIME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Continue the run in this folder, with the options that it was started with
    #[arg(long, value_name = "DIR", conflicts_with_all = [
        "device", "sizes", "only", "parameters", "samples", "budget", "seed", "graph", "full", "out",
    ])]
    resume: Option<PathBuf>,
    /// No progress, only the result
    #[arg(long, short)]
    quiet: bool,
    /// Print the summary as JSON in place of tables
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<Exit, Error> {
    let interrupted = watch_for_interrupts()?;
    let mut journal = match &arguments.resume {
        Some(folder) => resumed(folder, &arguments.experiment)?,
        None => started(arguments)?,
    };
    let mut worker = WorkerProcess::new(std::env::current_exe()?, interrupted.clone());
    let mut progress = Progress::new(arguments.quiet, "cells");
    progress.note(&format!("records: {}", journal.folder().display()));
    let ran = Runner {
        executor: &mut worker,
        journal: &mut journal,
        observer: &mut progress,
        interrupted: &interrupted,
    }
    .run();
    progress.finish();
    let how_to_resume =
        || format!("repro run {} --resume {}", arguments.experiment, journal.folder().display());
    let outcome = match ran {
        Ok(outcome) => outcome,
        Err(error @ RunError::Worker(_)) => {
            return Err(format!("{error}; continue with: {}", how_to_resume()).into());
        }
        Err(error) => {
            // What was asked for cannot be had. The same command, once it can, shall not find half a run in its way.
            let nothing_done = arguments.resume.is_none() && journal.samples().is_empty();
            if nothing_done && matches!(error, RunError::Input(_)) {
                journal.withdraw()?;
            }
            return Err(error.into());
        }
    };
    let cells = cells(journal.manifest());
    let results = journal.results(&cells);
    if arguments.json {
        let result = serde_json::json!({
            "out": journal.folder(),
            "interrupted": outcome == Outcome::Interrupted,
            "summary": results.summary,
            "scopes": results.scopes,
            "kernels": results.kernel_times,
            "counts": results.counts,
        });
        output::print(&format!("{}\n", serde_json::to_string_pretty(&result)?))?;
    } else {
        let width = terminal_width();
        output::print(&tables(journal.manifest(), &results).terminal(width))?;
    }
    Ok(match outcome {
        Outcome::Finished { failed: 0 } => Exit::Success,
        Outcome::Finished { failed } => {
            output::complain(&format!(
                "{failed} of {} cells have no valid time; samples.csv says why",
                cells.len()
            ));
            Exit::Failed
        }
        Outcome::Interrupted => {
            output::complain(&format!("interrupted; continue with: {}", how_to_resume()));
            Exit::Interrupted
        }
    })
}

fn started(arguments: &Arguments) -> Result<Journal, Error> {
    let file = load_experiment(&arguments.experiment)?;
    let overrides = Overrides {
        sizes: arguments.sizes.clone(),
        only: arguments.only.clone(),
        parameters: arguments
            .parameters
            .iter()
            .map(|choice| (choice.name.clone(), choice.values.clone()))
            .collect(),
        samples: arguments.samples,
        budget_s: arguments.budget,
        seed: arguments.seed,
        full: arguments.full,
        graph: arguments.graph.as_deref().map(graph_of).transpose()?,
    };
    let experiment = resolve(&file, &overrides, arguments.device)?;
    let time = jiff::Timestamp::now();
    let folder = match &arguments.out {
        Some(folder) => folder.clone(),
        None => fresh_folder(&experiment.name, &time.strftime("%Y%m%dT%H%M%SZ").to_string()),
    };
    let manifest = Manifest {
        schema_version: SCHEMA_VERSION,
        experiment,
        command_line: std::env::args().collect(),
        started: time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        resumed: Vec::new(),
        finished: None,
        build: Build::current(),
        environment: None,
        pair: None,
    };
    Ok(Journal::create(&folder, manifest)?)
}

/// Reads a graph file once here, where its faults are the user's to hear before anything else happens.
fn graph_of(path: &Path) -> Result<(GraphSource, usize), Error> {
    let matrix = graph::read_graph(path)?;
    graph::potentials(&matrix).map_err(|error| format!("{}: {error}", path.display()))?;
    let digest = graph::digest(matrix.as_slice()).to_string();
    Ok((GraphSource::File { path: std::path::absolute(path)?, digest }, matrix.n()))
}

/// A folder that does not exist yet: two runs may start in one second.
fn fresh_folder(name: &str, time: &str) -> PathBuf {
    let base = Path::new("results").join("runs");
    let first = base.join(format!("{name}-{time}"));
    std::iter::once(first)
        .chain((2..).map(|count| base.join(format!("{name}-{time}-{count}"))))
        .find(|folder| !folder.exists())
        .unwrap_or_default()
}

fn resumed(folder: &Path, name: &str) -> Result<Journal, Error> {
    let mut journal = Journal::resume(folder)?;
    let experiment = &journal.manifest().experiment.name;
    // A path to an experiment file resumes by the name in it.
    let asked = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
    if *experiment != asked {
        let message = format!("{} holds a run of {experiment}, not of {asked}", folder.display());
        return Err(message.into());
    }
    let build = Build::current();
    if !journal.samples().is_empty() && journal.manifest().build != build {
        let message = format!(
            "{} was measured by another build of repro (commit {}): results must not be mixed; start a new run",
            folder.display(),
            journal.manifest().build.commit
        );
        return Err(message.into());
    }
    let time = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    journal.note_resumption(time, build);
    Ok(journal)
}

/// A flag that the first Ctrl-C raises; the second ends the process at once.
pub fn watch_for_interrupts() -> Result<Arc<AtomicBool>, Error> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let raised = interrupted.clone();
    ctrlc::set_handler(move || {
        if raised.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })?;
    Ok(interrupted)
}

/// Columns of the terminal on standard output; none when it is none, and tables are then as wide as need be.
pub fn terminal_width() -> Option<u16> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    comfy_table::Table::new().width()
}
