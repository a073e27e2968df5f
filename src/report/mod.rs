//! Pages, figures and tables from stored records; never touches a device. A [`Report`] holds everything that a reader sees, but not how it
//! looks.

mod assemble;
pub(crate) mod draw;
mod figure;
mod files;
pub mod guard;
mod machines;
mod method;
mod page;
mod ranking;
mod run;
pub mod text;
mod words;

use crate::device::DeviceInfo;
use crate::judge::{ClaimRow, Verdict};
use crate::published::{ClaimKind, EvidenceKind, PublishedPaper};
pub use assemble::{assemble, claims};
pub use draw::{Figure, PanelSvg};
pub use figure::counts;
pub use files::{ResultWords, claim_value, is_whole, stored_claims, write};
pub use machines::EMULATED;
pub use page::{author_year, pages};
pub use ranking::excluded;
pub use ranking::markdown as ranking_markdown;
pub use ranking::terminal as ranking_terminal;
pub use run::{Tables, gaps, head, marks, tables};
use text::Grid;
pub use words::history as history_words;
pub use words::{
    compared_as, contender, count, count_comparison, count_failures, count_tables, evidence, figures,
    needs_gpu, not_counted, one_sided, published, short_label, statement, verdict,
};

/// A whole report.
pub struct Report {
    /// In the order in which the page shows them; claims name them by label.
    pub machines: Vec<Machine>,
    /// How many claims that follow from code alone got which verdict; these belong to no machine.
    pub any: Vec<VerdictCounts>,
    /// The GPUs of the machines that claims were judged on, in their order.
    pub hardware: Vec<Hardware>,
    pub claims: Vec<ClaimRow>,
    /// The cells that were timed, of every run: rows of `cells.csv`.
    pub cells: Vec<Vec<String>>,
    pub papers: Vec<PublishedPaper>,
    /// The speed-ups that papers state in numbers on one axis, with a mark for each machine; None where fewer than two were compared.
    pub stated: Option<Exhibit>,
    /// By the `order` that experiment files give for reports; those without one come last, by name.
    pub experiments: Vec<ExperimentPage>,
    /// How times changed, by histories.
    pub history: Vec<Exhibit>,
    /// Tables of the method, by which the runs were measured: none without a run.
    pub method: Vec<Exhibit>,
    /// What makes these runs and this report again: lines to type into a shell.
    pub commands: Vec<String>,
    /// What a reader must know before anything else: records that are torn, unfinished or lacking. Empty when all is well.
    pub notices: Vec<String>,
}

impl Report {
    /// The machines whose runs decided a claim.
    pub fn judged(&self) -> Vec<&Machine> {
        self.machines.iter().filter(|machine| !machine.verdicts.is_empty()).collect()
    }

    /// The claims that get a verdict: all but the places where papers contradict themselves.
    pub fn claims_with_verdicts(&self) -> impl Iterator<Item = &ClaimRow> {
        self.claims.iter().filter(|row| row.kind != ClaimKind::Inconsistency)
    }

    /// Whether `paper` is the first of the papers that are shown apart, since the project is not about them.
    pub fn starts_other_papers(&self, paper: &PublishedPaper) -> bool {
        self.papers.iter().find(|one| one.beside).is_some_and(|first| first.id == paper.id)
    }

    /// The experiments that test claims of `paper`; for None, those that test no paper of this report.
    pub fn experiments_of(&self, paper: Option<&str>) -> Vec<&ExperimentPage> {
        let known = |id: &&str| self.papers.iter().any(|paper| paper.id == *id);
        self.experiments.iter().filter(|one| one.paper.as_deref().filter(known) == paper).collect()
    }
}

/// Where runs were measured. Runs with the same GPU model, driver, compiler and host model are of one machine.
pub struct Machine {
    /// Short and unique, for example `NVIDIA H200`.
    pub label: String,
    /// The first and the last day of its runs, for example `2026-11-21 to 2026-11-23`.
    pub dates: Option<String>,
    /// Name and value: device, driver, compiler, host, dates, commits.
    pub facts: Vec<(&'static str, String)>,
    /// How many claims got which verdict, by what the verdicts rest on. Kinds are never added up.
    pub verdicts: Vec<VerdictCounts>,
}

/// The GPU of one machine, as far as a verdict may depend on it.
pub struct Hardware {
    /// The machine's label.
    pub label: String,
    pub info: DeviceInfo,
    /// The fastest copy in the GPU's memory over all runs, bytes read and written, GB/s.
    pub copy_gbs: f64,
}

/// How many claims of one kind of evidence got which verdict on a machine.
pub struct VerdictCounts {
    pub kind: EvidenceKind,
    /// In the order of [`Verdict::all`].
    pub counts: Vec<(Verdict, usize)>,
    /// How many of the REPRODUCED claims were held only against bounds that are open on one side, such as "faster".
    pub one_sided: usize,
}

/// All that was measured of one experiment, on every machine.
pub struct ExperimentPage {
    /// Unique; the stem of the page's file: lower-case letters, digits and hyphens.
    pub name: String,
    pub title: String,
    /// The paper whose claims it tests; none where it goes beyond the papers.
    pub paper: Option<String>,
    pub runs: Vec<RunLine>,
    pub exhibits: Vec<Exhibit>,
    /// What is torn, unfinished or lacking in its runs.
    pub notices: Vec<String>,
}

/// A run that an experiment's page shows.
pub struct RunLine {
    pub name: String,
    /// The machine's label.
    pub machine: String,
    /// The day on which it began.
    pub date: String,
    /// The first letters of its commit.
    pub commit: String,
    /// How many cells have a time.
    pub cells: usize,
    pub samples: usize,
}

/// A figure with its numbers, or a table.
#[derive(Default)]
pub struct Exhibit {
    /// Unique; an anchor and the stem of file names: lower-case letters, digits and hyphens.
    pub id: String,
    pub title: String,
    /// What a reader needs in addition, in a sentence.
    pub caption: String,
    /// None for a table.
    pub figure: Option<Figure>,
    /// The table, or the numbers of the figure.
    pub grid: Grid,
    /// The values as CSV. Empty for a figure of claims, whose values are in `claims.csv`.
    pub csv: Vec<u8>,
    /// For each machine, its label and where its values come from: runs, days, commits.
    pub sources: Vec<(String, String)>,
    /// The names of the runs that its values are from.
    pub runs: Vec<String>,
    /// Whether the front page shows it.
    pub front: bool,
}

impl Exhibit {
    /// The folder of its files, below that of the report.
    pub fn folder(&self) -> &'static str {
        if self.figure.is_some() { "figures" } else { "tables" }
    }
}
