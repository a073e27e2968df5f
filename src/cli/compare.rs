//! `repro compare`: whether a run is slower than another.

use super::EXIT_CODES;
use super::runs::open;
use crate::regression::{self, AllowedDifference, Comparison, ComparisonOutcome, NoiseFloors};
use crate::report::guard::{annotations, google_benchmark, markdown, terminal};
use crate::results::disambiguate_names;
use crate::timing::Scope;
use clap::ValueEnum;
use repro_base::terminal::{Error, Exit, output, terminal_width};
use std::path::PathBuf;

const NO_SCOPE: &str = "expected a scope of samples.csv, for example kernel or total";

/// Compare a run with an earlier one: which cells became slower or faster
#[derive(clap::Args)]
#[command(after_help = format!("Examples:
  repro compare results/reference/h200-e117a75b/table1 results/runs/table1-20261121T030000Z

{EXIT_CODES}"))]
pub struct CompareArgs {
    /// The baseline: the folder of a run
    base: PathBuf,
    /// What is compared with the baseline: the folder of a run. Cells that only BASE has (GONE) or only NEW has (NEW) do not change the exit
    /// code, unless NEW tried them and they failed. What an unfinished NEW has yet to measure is NOISY, and so is what was measured under load
    new: PathBuf,
    /// Which time to compare: kernel (launches alone), device (with layout changes), total (with both copies), host (by the host's clock),
    /// cuda-graph (as one CUDA graph), or another scope of samples.csv
    #[arg(long, default_value = "kernel", value_parser = |text: &str| text.parse::<Scope>().map_err(|_| NO_SCOPE))]
    scope: Scope,
    #[command(flatten)]
    how: CompareFlags,
    /// What is printed
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    format: Format,
}

/// How runs are held against each other.
#[derive(clap::Args)]
pub struct CompareFlags {
    /// Compare although the runs differ in this
    #[arg(long, value_name = "WHAT,...", value_delimiter = ',')]
    pub across: Vec<AllowedDifference>,
    /// Smallest change, in percent, to report as SLOWER or FASTER; SAME rules out a change of this size, or of 5% if that is more. Raised
    /// where the machine's noise is larger
    #[arg(long, value_name = "PERCENT", default_value_t = regression::LEAST_THRESHOLD * 100.0, allow_negative_numbers = true)]
    threshold: f64,
    /// What runs of one build differ by here, as `repro track --calibrate` wrote it; without the file stated defaults count
    #[arg(long, value_name = "FILE", default_value = "results/noise-floors.csv")]
    pub floors: PathBuf,
    /// List every cell; without it the terminal has the changes, and says what was not decided
    #[arg(long)]
    pub all: bool,
}

/// How a comparison is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table of what changed
    Terminal,
    /// A comment for a pull request
    Markdown,
    /// Every number
    Json,
    /// Google Benchmark's JSON, for Bencher (cpp_google) and github-action-benchmark (googlecpp)
    GoogleBenchmark,
    /// Annotations of GitHub Actions
    Annotations,
}

pub fn run(given: &CompareArgs) -> Result<Exit, Error> {
    let how = &given.how;
    let options = how.options(given.scope)?;
    let mut runs = [open(&given.base)?, open(&given.new)?];
    disambiguate_names(&mut runs);
    let [base, new] = &runs;
    let comparison = regression::compare(base, new, &NoiseFloors::read(&how.floors)?, &options)?;
    if base.folder.canonicalize()? == new.folder.canonicalize()? {
        return Err(format!("{} is compared with itself: name another run", base.name()).into());
    }
    given.format.print(&comparison, how.all)?;
    Ok(exit(&comparison))
}

/// What a comparison ends a command with.
pub fn exit(comparison: &Comparison) -> Exit {
    match comparison.outcome {
        ComparisonOutcome::NotSlower => Exit::Success,
        ComparisonOutcome::Slower => Exit::Failed,
        ComparisonOutcome::Noisy => Exit::Inconclusive,
    }
}

impl Format {
    /// Prints a comparison; on a terminal every cell only where `all` are wanted.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn print(self, comparison: &Comparison, all: bool) -> Result<(), Error> {
        match self {
            Self::Terminal => output::show(&terminal(comparison, all, Some(terminal_width())))?,
            Self::Markdown => output::print(&markdown(comparison))?,
            Self::Json => output::print(&output::json(comparison)?)?,
            Self::GoogleBenchmark => output::print(&output::json(&google_benchmark(comparison))?)?,
            Self::Annotations => output::print(&annotations(comparison))?,
        }
        Ok(())
    }
}

impl CompareFlags {
    /// # Errors
    /// When the threshold is negative or no number.
    pub fn options(&self, scope: Scope) -> Result<regression::Settings, Error> {
        let percent = self.threshold;
        if !(percent.is_finite() && percent >= 0.0) {
            return Err(format!("--threshold {percent}: expected 0 or more percent").into());
        }
        Ok(regression::Settings { scope, across: self.across.clone(), least_threshold: percent / 100.0 })
    }
}
