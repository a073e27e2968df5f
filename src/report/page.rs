//! A report as HTML files that ask for nothing else: fonts, style, script and pictures are inside each of them.

mod all_claims;
mod answer;
mod block;
mod claims;
mod experiments;
mod figure;
mod front;
mod further;
mod papers;
mod script;
mod shell;
mod style;
mod table;

pub(super) use claims::kind_word;
pub use papers::short;

use super::{Home, Report, Section};
use shell::Shell;
use std::collections::{BTreeMap, BTreeSet};

/// The pages of a report by their names below its folder: `index.html`, which answers, `claims.html` with all claims, `experiments/NAME.html` with all figures and
/// tables of an experiment, `history.html`, and `method.html`. `dark_variants` are pairs of colours as the figures write them, for
/// example `#FFFFFF`: the one in the picture and the one that stands for it where the reader's screen is dark.
///
/// Equal reports give equal bytes.
pub fn pages(report: &Report, dark_variants: &[(&str, &str)]) -> BTreeMap<String, String> {
    let front = Shell::new("", dark_variants);
    let below = Shell::new("../", dark_variants);
    let mut pages = BTreeMap::from([("index.html".to_string(), front::render(report, &front))]);
    if let Some(page) = all_claims::render(report, &front) {
        pages.insert(all_claims::ALL_CLAIMS.to_string(), page);
    }
    if !report.method.is_empty() || !report.machines.is_empty() {
        pages.insert("method.html".to_string(), further::method(report, &front));
    }
    let homes: BTreeSet<&Home> = report.sections.iter().map(|section| &section.home).collect();
    for home in homes {
        let shell = if matches!(home, Home::Experiment(_)) { &below } else { &front };
        pages.insert(file(home), further::sections(report, home, shell));
    }
    pages
}

/// The file that has the sections of a home, below the folder of the report.
fn file(home: &Home) -> String {
    match home {
        Home::Experiment(name) => format!("experiments/{name}.html"),
        Home::History => "history.html".to_string(),
    }
}

/// Where a section stands, below the folder of the report.
fn address(section: &Section) -> String {
    format!("{}#{}", file(&section.home), section.id)
}
