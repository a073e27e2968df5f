//! What a report holds, before it is a page: everything a reader sees is in here, and nothing of how it looks.

pub use crate::plot::Figure;

use super::findings::Finding;
use crate::judge::{ClaimRow, Verdict};
use crate::published::{ClaimKind, EvidenceKind, PublishedPaper};
use crate::show::Grid;

/// A whole report.
pub struct Report {
    /// In the order in which the page shows them; sections, claims and findings name them by label.
    pub machines: Vec<Machine>,
    /// How many claims by construction got which verdict, which is of no machine.
    pub any: Vec<Tally>,
    /// The GPUs of the machines that claims were judged on, in their order.
    pub hardware: Vec<Hardware>,
    /// What matters most, computed from the records.
    pub findings: Vec<Finding>,
    pub claims: Vec<ClaimRow>,
    /// The cells that were timed, of every run: rows of `cells.csv`.
    pub cells: Vec<Vec<String>>,
    pub papers: Vec<PublishedPaper>,
    /// The speed-ups that papers state in numbers on one axis, with a mark for each machine; None where fewer than two were compared.
    pub stated: Option<Figure>,
    /// As `stated`, of every claim about two times.
    pub ratios: Option<Figure>,
    /// One an experiment and machine, with its figures and tables.
    pub sections: Vec<Section>,
    /// How it was measured, decided and can be repeated.
    pub method: Vec<Topic>,
    /// What a reader must know before anything else: records that are torn, unfinished or lacking. Empty when all is well.
    pub notices: Vec<String>,
}

impl Report {
    /// The machines whose runs decided a claim.
    pub fn judged(&self) -> Vec<&Machine> {
        self.machines.iter().filter(|machine| !machine.tally.is_empty()).collect()
    }

    /// The claims that get a verdict: all but the places where papers contradict themselves.
    pub fn claims_with_verdicts(&self) -> impl Iterator<Item = &ClaimRow> {
        self.claims.iter().filter(|row| row.kind != ClaimKind::Inconsistency)
    }

    /// How many papers the project is about.
    pub fn own_papers(&self) -> usize {
        self.papers.iter().filter(|paper| !paper.beside).count()
    }
}

/// Where runs come from. Runs of one GPU model, driver, compiler and host model are of one machine.
pub struct Machine {
    /// Short and unique, for example `NVIDIA H200`.
    pub label: String,
    /// The first and the last day of its runs, for example `2026-11-21 to 2026-11-23`.
    pub dates: Option<String>,
    /// Name and value: device, driver, compiler, host, dates, commits.
    pub facts: Vec<(String, String)>,
    /// How many claims got which verdict, by what the verdicts rest on. Kinds are never added up.
    pub tally: Vec<Tally>,
}

/// What a verdict may depend on, of the GPU of one machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Hardware {
    /// The machine's.
    pub label: String,
    pub multiprocessors: u32,
    pub clock_mhz: u32,
    pub l2_mib: u64,
    /// The fastest copy in its memory of all its runs, bytes read and written, GB/s.
    pub copy_gbs: f64,
}

/// How many claims of one kind of evidence got which verdict on a machine.
pub struct Tally {
    pub kind: EvidenceKind,
    /// In the order of [`Verdict::ALL`].
    pub counts: Vec<(Verdict, usize)>,
    /// How many of those REPRODUCED hold a bound on one side.
    pub one_sided: usize,
}

/// The page of a report that has a section in full.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Home {
    /// That of the experiment: lower-case letters, digits and hyphens.
    Experiment(String),
    /// Everything that compares machines with their own past.
    #[default]
    History,
}

/// What an experiment is to the front page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lead {
    /// The paper whose claims it tests; none where it goes beyond the papers.
    pub paper: Option<String>,
    /// So many of its figures stand on the front page, the first ones. The others stand on the page of the experiment.
    pub figures: usize,
    /// Whether they take the whole width of the page.
    pub across: bool,
}

/// One experiment on one machine.
#[derive(Default)]
pub struct Section {
    /// Unique; an anchor and the stem of file names: lower-case letters, digits and hyphens.
    pub id: String,
    pub title: String,
    /// The machine's label; shown where there are several.
    pub machine: String,
    /// The one run that it is of, by its folder's name.
    pub run: Option<String>,
    pub home: Home,
    /// Whether and how the front page shows it: the fullest run of an experiment is, further runs are not.
    pub lead: Option<Lead>,
    /// What was run, after which paper, when, from which commit: a sentence each.
    pub intro: Vec<String>,
    pub figures: Vec<Figure>,
    /// Computed sentences.
    pub findings: Vec<String>,
    pub tables: Vec<Table>,
}

/// A table with a name for its files.
pub struct Table {
    /// Unique; an anchor and the stem of file names.
    pub id: String,
    pub grid: Grid,
}

/// A part of the method.
pub struct Topic {
    /// Unique; an anchor.
    pub id: String,
    pub title: String,
    pub blocks: Vec<Block>,
}

/// A piece of running text.
pub enum Block {
    Text(String),
    List(Vec<String>),
    /// Lines to type into a shell.
    Commands(Vec<String>),
    Table(Table),
}
