//! `repro compare`: whether a run is slower than another.

use super::folders::folder_name;
use crate::regression::{self, Across, Comparison, Ending, output};
use crate::results::{StoredRun, disambiguate_names};
use crate::timing::Scope;
use clap::ValueEnum;
use repro_terminal::output::{json, print, show};
use repro_terminal::terminal_width;
use repro_terminal::{Error, Exit};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  repro compare results/reference/h200/table1 results/runs/table1-20261121T030000Z
  repro compare 890ec84 bf5696c
      compares the runs of these commits below ./results
  repro compare main:results/reference/h200 results/reference/h200
      compares what the branch main has with what is here
  repro compare BASE NEW --format markdown
      prints a comment for a pull request

Exit codes:
  0  nothing became slower
  1  a cell became slower or failed
  2  the runs could not be compared
  3  nothing is seen to be slower, but some cells are NOISY: the first lines
     say what would decide them

Cells that only BASE has (GONE) or only NEW has (NEW) do not change the exit
code, unless NEW tried them and they failed. What a NEW that is not finished
has yet to measure is NOISY, and so is what was measured under load.")]
pub struct Arguments {
    /// The baseline: the folder of a run or of several, a commit that measured some, or COMMIT:FOLDER
    base: String,
    /// What is compared with the baseline, named in the same ways
    new: String,
    /// Which time to compare: kernel (launches alone), device (with layout changes), total (with both copies), host (by the host's clock),
    /// cuda-graph (as one CUDA graph), or another scope of samples.csv
    #[arg(long, default_value = "kernel", value_parser = scope)]
    scope: Scope,
    #[command(flatten)]
    how: How,
    /// What is printed
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    format: Format,
}

/// How runs are held against each other.
#[derive(clap::Args)]
pub struct How {
    /// Compare although the runs differ in this
    #[arg(long, value_name = "WHAT,...", value_delimiter = ',')]
    pub across: Vec<Across>,
    /// Percent of change that matters: less is neither SLOWER nor FASTER, and SAME excludes no less; more where the machine's noise is larger
    #[arg(long, value_name = "PERCENT", default_value_t = regression::LEAST_THRESHOLD * 100.0, allow_negative_numbers = true)]
    threshold: f64,
    /// Folder with stored runs: commits are looked for there, and the noise of the machine is estimated from them [default: results]
    #[arg(long, value_name = "DIR", value_parser = folder_name())]
    results: Option<PathBuf>,
    /// Also list the cells that took as long as before; without it the terminal's table only counts them
    #[arg(long)]
    pub all: bool,
}

/// How a comparison is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table, what changed first
    Terminal,
    /// A comment for a pull request
    Markdown,
    /// Every number
    Json,
    /// Bencher Metric Format
    Bencher,
    /// What github-action-benchmark reads as customSmallerIsBetter
    GithubActionBenchmark,
    /// JUnit XML, a test a cell
    Junit,
    /// Annotations of GitHub Actions
    Annotations,
}

pub fn run(arguments: &Arguments) -> Result<Exit, Error> {
    let how = &arguments.how;
    let (options, results) = (how.options(arguments.scope)?, how.results()?);
    let mut base = regression::side(&arguments.base, results)?;
    let mut new = regression::side(&arguments.new, results)?;
    name_apart(&mut base.runs, &mut new.runs);
    let paired = regression::pair_up(&base.runs, &new.runs)?;
    let noise = regression::noise_of(&paired.pairs, results, None, arguments.scope);
    let mut comparison = regression::compare(&paired.pairs, &noise, &options)?;
    comparison.notes.extend(base.left_out.into_iter().chain(new.left_out).chain(paired.left_over));
    arguments.format.print(&comparison, how.all)?;
    Ok(exit(&comparison))
}

/// What a comparison ends a command with.
pub fn exit(comparison: &Comparison) -> Exit {
    match comparison.ending {
        Ending::NotSlower => Exit::Success,
        Ending::Slower => Exit::Failed,
        Ending::Noisy => Exit::Inconclusive,
    }
}

/// Gives two runs of the same folder name longer ones.
fn name_apart(base: &mut Vec<StoredRun>, new: &mut Vec<StoredRun>) {
    let bases = base.len();
    let mut all: Vec<StoredRun> = base.drain(..).chain(new.drain(..)).collect();
    disambiguate_names(&mut all);
    new.extend(all.drain(bases..));
    base.extend(all);
}

impl Format {
    /// The whole of what is printed.
    ///
    /// # Errors
    /// When a number cannot be written as JSON.
    pub fn text(self, comparison: &Comparison) -> Result<String, Error> {
        Ok(match self {
            Self::Terminal => output::terminal(comparison, true, None),
            Self::Markdown => output::markdown(comparison),
            Self::Json => json(comparison)?,
            Self::Bencher => json(&output::bencher(comparison))?,
            Self::GithubActionBenchmark => json(&output::github_action_benchmark(comparison))?,
            Self::Junit => output::junit(comparison),
            Self::Annotations => output::annotations(comparison),
        })
    }

    /// Prints a comparison; on a terminal its cells that took as long as before only where `all` are wanted.
    ///
    /// # Errors
    /// As [`Self::text`], or when it cannot be written.
    pub fn print(self, comparison: &Comparison, all: bool) -> Result<(), Error> {
        match self {
            Self::Terminal => show(&output::terminal(comparison, all, Some(terminal_width())))?,
            _ => print(&self.text(comparison)?)?,
        }
        Ok(())
    }
}

impl How {
    /// # Errors
    /// When the threshold is negative or no number.
    pub fn options(&self, scope: Scope) -> Result<regression::Options, Error> {
        let percent = self.threshold;
        if !(percent.is_finite() && percent >= 0.0) {
            return Err(format!("--threshold {percent}: expected 0 or more percent").into());
        }
        Ok(regression::Options { scope, across: self.across.clone(), least_threshold: percent / 100.0 })
    }

    /// The folder of stored runs.
    ///
    /// # Errors
    /// When one was named that is not there.
    pub fn results(&self) -> Result<&Path, Error> {
        match &self.results {
            Some(folder) if !folder.is_dir() => {
                Err(format!("--results {}: there is no such folder", folder.display()).into())
            }
            folder => Ok(folder.as_deref().unwrap_or(Path::new("results"))),
        }
    }
}

fn scope(text: &str) -> Result<Scope, String> {
    serde_json::from_value(serde_json::Value::String(text.to_string()))
        .map_err(|_| "expected what samples.csv has in its column scope, for example kernel or total".into())
}
