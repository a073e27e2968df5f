//! A report as HTML files that ask for nothing else: fonts, style, script and pictures are inside each of them. The page of the method is here.

mod claim;
mod experiment;
mod front;
mod papers;
mod shell;
mod summary;

use super::Report;
use askama::Template;
pub(super) use claim::kind_word;
use experiment::TableView;
pub use papers::author_year;
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
    if let Some(page) = claim::render(report, &front) {
        add(claim::CLAIMS.to_string(), page);
    }
    add(METHOD.to_string(), MethodPage { shell: &front, report }.to_string());
    if !report.history.is_empty() {
        add(experiment::HISTORY.to_string(), experiment::render_history(report, &front));
    }
    for one in &report.experiments {
        add(experiment::file(one), experiment::render(report, one, &below));
    }
    pages
}

/// The file of the page on the method.
pub(super) const METHOD: &str = "method.html";

#[derive(Template)]
#[template(path = "method.html")]
struct MethodPage<'a> {
    shell: &'a Shell,
    report: &'a Report,
}

impl MethodPage<'_> {
    /// The table of this id, None where it would have no rows.
    fn table(&self, id: &str) -> Option<TableView<'_>> {
        self.report.method.iter().find(|one| one.id == id).map(|one| TableView::new(&one.grid))
    }
}
