//! `repro report`: stored runs as a page with figures, tables and a verdict for every claim.

use crate::judge::ANY_MACHINE;
use crate::published::published_papers;
use crate::regression::history::read_folder;
use crate::report;
use crate::results::{StoredRun, disambiguate_names};
use crate::store::{JournalError, find_runs, is_run};
use rayon::prelude::*;
use repro_base::terminal::output::{complain, show};
use repro_base::terminal::{Error, Exit};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  repro report results/reference --out report/reference
  repro report results/runs/table1-20261121T030000Z
  repro report results/runs --history results/history

A RUN is the folder of one run, or a folder with runs below it. Without any, the runs in ./results are taken. A folder of histories inside or beside a folder of runs is taken, too, if it is called `history`.")]
pub struct Arguments {
    /// Folders of runs, or folders with runs below them
    #[arg(value_name = "RUN", default_value = "results", hide_default_value = true)]
    runs: Vec<PathBuf>,
    /// The folder of histories, which are drawn as curves over time, with the places where a time changed
    #[arg(long, value_name = "DIR")]
    history: Option<PathBuf>,
    /// Where to write the report: index.html, figures/, tables/, claims.json
    #[arg(long, value_name = "DIR", default_value = "results/report")]
    out: PathBuf,
}

/// Writes the report and says in a few lines what is in it.
pub fn run(arguments: &Arguments) -> Result<Exit, Error> {
    let OpenedRuns { runs, mut unread, smoke } = open_runs(&arguments.runs)?;
    let read = history_folder(arguments).map(|folder| read_folder(&folder)).transpose()?;
    let (histories, damaged) = read.unwrap_or_default();
    unread.extend(damaged.iter().map(ToString::to_string));
    for error in &unread {
        complain(&format!("left out: {error}"));
    }
    if let (true, true, true, Some(smoke)) =
        (runs.is_empty(), histories.is_empty(), unread.is_empty(), &smoke)
    {
        return Err(format!("nothing to report: all that was given is {smoke}").into());
    }
    let left_out: Vec<String> = unread.iter().cloned().chain(smoke).collect();
    let report = report::assemble(&runs, &histories, published_papers()?, &left_out);
    report::write(&report, &arguments.out)?;
    let mut printed = String::new();
    let any = Some((ANY_MACHINE, &report.any)).filter(|(_, tallies)| !tallies.is_empty());
    let machines = report.machines.iter().map(|machine| (machine.label.as_str(), &machine.verdicts));
    for (label, tallies) in machines.chain(any) {
        printed += &format!("{label}\n");
        for tally in tallies {
            let counted = tally.counts.iter().filter(|(_, count)| *count > 0);
            let counted = counted.map(|(verdict, count)| {
                format!("{count} {verdict}{}", report::one_sided(*verdict, tally.one_sided))
            });
            let counted: Vec<String> = counted.collect();
            printed += &format!("  {}: {}\n", report::evidence(tally.kind), counted.join(", "));
        }
    }
    for notice in &report.notices {
        printed += &format!("note: {notice}\n");
    }
    printed += &format!("{}\n", arguments.out.join("index.html").display());
    show(&printed)?;
    Ok(if unread.is_empty() { Exit::Success } else { Exit::Failed })
}

/// The folder that was named; otherwise `history` inside or next to the first named folder of runs that has one. Who names single
/// runs gets what follows from these alone.
fn history_folder(arguments: &Arguments) -> Option<PathBuf> {
    let folders = arguments.runs.iter().filter(|folder| !is_run(folder));
    let mut usual = folders.flat_map(|folder| [folder.join("history"), folder.with_file_name("history")]);
    arguments.history.clone().or_else(|| usual.find(|folder| folder.is_dir()))
}

/// Runs to be used.
pub(super) struct OpenedRuns {
    /// Each once, in the order of their folders.
    pub runs: Vec<StoredRun>,
    /// Why others below the folders could not be read.
    pub unread: Vec<String>,
    /// That smoke runs were left out, where there are any: nothing is wrong with them.
    pub smoke: Option<String>,
}

/// The runs that are named and those below folders that are.
///
/// # Errors
/// When a run that is named cannot be used, or a folder has none.
pub(super) fn open_runs(given: &[PathBuf]) -> Result<OpenedRuns, Error> {
    let (mut runs, mut unread, mut smoke) = (Vec::new(), Vec::new(), 0);
    for path in given {
        let is_named = is_run(path);
        let folders = if is_named { vec![path.clone()] } else { find_runs(path)? };
        let opened: Vec<Result<StoredRun, JournalError>> =
            folders.par_iter().map(|folder| StoredRun::open_measurement(folder)).collect();
        for run in opened {
            match run {
                Ok(run) => runs.push(run),
                // Who names a run wants that run.
                Err(error) if is_named => return Err(error.into()),
                Err(JournalError::Smoke(_)) => smoke += 1,
                Err(error) => unread.push(error.to_string()),
            }
        }
    }
    runs.sort_by(|a, b| a.folder.cmp(&b.folder));
    let mut known = BTreeSet::new();
    runs.retain(|run| known.insert(real(&run.folder)));
    disambiguate_names(&mut runs);
    let smoke = (smoke > 0).then(|| {
        let runs = if smoke == 1 { "run" } else { "runs" };
        format!("{smoke} smoke {runs}, whose sizes are too small to judge anything by; a run without --smoke measures")
    });
    Ok(OpenedRuns { runs, unread, smoke })
}

/// The path of a folder without links, whatever name it was given by.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}
