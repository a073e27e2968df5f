//! `repro report`: stored runs as a page with figures, tables and a verdict for every claim.

use super::runs::open_all;
use crate::judge::ANY_MACHINE;
use crate::published::published_papers;
use crate::regression::history::read_folder;
use crate::report;
use crate::store::is_run;
use repro_base::terminal::{Error, Exit, output};
use std::path::PathBuf;

/// Make a web page of stored runs: a verdict for every claim, figures, tables
#[derive(clap::Args)]
#[command(after_help = "Examples:
  repro report results/runs/table1-20261121T030000Z
  repro report results/runs --history results/history")]
pub struct ReportArgs {
    /// Folders of runs, or folders with runs below them; without any, the runs in ./results
    #[arg(value_name = "RUN", default_value = "results", hide_default_value = true)]
    runs: Vec<PathBuf>,
    /// The folder of histories, which are drawn as curves over time, with the places where a time changed; without it, the folder `history` inside or beside a
    /// folder of runs
    #[arg(long, value_name = "DIR")]
    history: Option<PathBuf>,
    /// Where to write the report: index.html, figures/, tables/, claims.json
    #[arg(long, value_name = "DIR", default_value = "results/report")]
    out: PathBuf,
}

/// Writes the report and says in a few lines what is in it.
pub fn run(given: &ReportArgs) -> Result<Exit, Error> {
    let mut opened = open_all(&given.runs)?;
    let read = history_folder(given).map(|folder| read_folder(&folder)).transpose()?;
    let (histories, damaged) = read.unwrap_or_default();
    opened.unread.extend(damaged.iter().map(ToString::to_string));
    let has_nothing = opened.runs.is_empty() && opened.unread.is_empty() && histories.is_empty();
    if let Some(smoke) = opened.smoke.as_ref().filter(|_| has_nothing) {
        return Err(format!("nothing to report: all that was given is {smoke}").into());
    }
    opened.complain();
    let left_out: Vec<String> = opened.left_out().cloned().collect();
    let report = report::assemble(&opened.runs, &histories, published_papers()?.to_vec(), &left_out);
    report::write(&report, &given.out)?;
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
    printed.extend(report.notices.iter().map(|notice| format!("note: {notice}\n")));
    printed += &format!("{}\n", given.out.join("index.html").display());
    output::show(&printed)?;
    Ok(opened.exit())
}

/// The folder that was named; otherwise `history` inside or next to the first named folder of runs that has one. Where only single runs
/// are named, no folder of histories is looked for.
fn history_folder(given: &ReportArgs) -> Option<PathBuf> {
    let folders = given.runs.iter().filter(|folder| !is_run(folder));
    let mut usual = folders.flat_map(|folder| [folder.join("history"), folder.with_file_name("history")]);
    given.history.clone().or_else(|| usual.find(|folder| folder.is_dir()))
}
