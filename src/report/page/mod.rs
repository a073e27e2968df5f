//! A report as HTML files that ask for nothing else: fonts, style, script and pictures are inside each of them.

mod claim;
mod claims;
mod exhibit;
mod experiment;
mod front;
mod marks;
mod method;
mod papers;
mod shell;
mod summary;
mod table;

pub(super) use claim::kind_word;
pub use papers::author_year;

use super::Report;
use shell::Shell;
use std::collections::BTreeMap;

/// The pages of a report by their names below its folder: `index.html`, which answers, `claims.html` with all claims,
/// `experiments/NAME.html` with all figures and tables of an experiment, `history.html`, and `method.html`.
///
/// Equal reports give equal bytes.
pub fn pages(report: &Report) -> BTreeMap<String, String> {
    let front = Shell::new("");
    let below = Shell::new("../");
    let mut pages = BTreeMap::from([("index.html".to_string(), front::render(report, &front))]);
    let mut add = |name: String, page: String| drop(pages.insert(name, page));
    if let Some(page) = claims::render(report, &front) {
        add(claims::CLAIMS.to_string(), page);
    }
    add(method::METHOD.to_string(), method::MethodPage { shell: &front, report }.to_string());
    if !report.history.is_empty() {
        add(experiment::HISTORY.to_string(), experiment::render_history(report, &front));
    }
    for one in &report.experiments {
        add(experiment::file(one), experiment::render(report, one, &below));
    }
    pages
}
