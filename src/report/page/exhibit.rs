//! A figure or a table on a page, with the way to its numbers.

use super::table::TableView;
use crate::report::Exhibit;
use askama::Template;

#[derive(Template)]
#[template(path = "exhibit.html")]
pub(super) struct ExhibitView<'a> {
    pub(super) shown: &'a Exhibit,
    /// Of its heading.
    level: usize,
    /// The table, or the numbers behind the figure; none where these stand on another page.
    table: Option<TableView<'a>>,
    /// Where all of its experiment is, from a page that shows this alone.
    experiment: Option<String>,
    /// From the page to the report's folder: empty or `../`.
    root: &'static str,
}

impl<'a> ExhibitView<'a> {
    /// On the page of its experiment, from which the report's folder is at `root`.
    pub(super) fn new(shown: &'a Exhibit, root: &'static str) -> Self {
        let table = (!shown.grid.rows.is_empty()).then(|| TableView::new(&shown.grid));
        Self { shown, level: 2, table, experiment: None, root }
    }

    /// On the front page: the numbers behind a figure stand on the page of its experiment, at `experiment`.
    pub(super) fn on_front(shown: &'a Exhibit, experiment: Option<String>) -> Self {
        let all = Self::new(shown, "");
        let table = all.table.filter(|_| shown.figure.is_none());
        Self { level: 3, table, experiment, ..all }
    }

    /// The values to calculate with, from the folder of the report.
    fn values(&self) -> String {
        let Exhibit { id, csv, .. } = self.shown;
        if csv.is_empty() { "claims.csv".to_string() } else { format!("{}/{id}.csv", self.shown.folder()) }
    }
}
