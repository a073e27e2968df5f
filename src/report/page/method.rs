//! The page of the method: how claims are decided, how it was measured, on what, and how to repeat it.

use super::shell::Shell;
use super::table::TableView;
use crate::report::Report;
use askama::Template;

/// The file of this page.
pub(super) const METHOD: &str = "method.html";

#[derive(Template)]
#[template(path = "method.html")]
pub(super) struct MethodPage<'a> {
    pub(super) shell: &'a Shell,
    pub(super) report: &'a Report,
}

impl MethodPage<'_> {
    /// None where such a table would have no rows.
    fn table(&self, id: &str) -> Option<TableView<'_>> {
        self.report.method.iter().find(|one| one.id == id).map(|one| TableView::new(&one.grid))
    }
}
