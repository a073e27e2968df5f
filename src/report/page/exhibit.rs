//! A figure or a table on a page, with the way to its numbers.

use super::table::TableView;
use crate::report::{Exhibit, Figure};
use askama::Template;

#[derive(Template)]
#[template(path = "exhibit.html")]
pub(super) struct ExhibitView<'a> {
    pub(super) id: &'a str,
    pub(super) title: &'a str,
    caption: &'a str,
    /// Of its heading.
    level: usize,
    figure: Option<&'a Figure>,
    /// The table, or the numbers behind the figure; none where these stand on another page.
    table: Option<TableView<'a>>,
    /// Where all of its experiment is, from a page that shows this alone.
    experiment: Option<String>,
    /// Of a table, whose machines have no panels that say it.
    sources: &'a [(String, String)],
    /// The values to calculate with, from the folder of the report.
    values: String,
    root: &'static str,
}

impl<'a> ExhibitView<'a> {
    /// On the page of its experiment, from which the report's folder is at `root`.
    pub(super) fn new(exhibit: &'a Exhibit, root: &'static str) -> Self {
        let Exhibit { id, title, caption, figure, grid, .. } = exhibit;
        let folder = if figure.is_some() { "figures" } else { "tables" };
        Self {
            id,
            title,
            caption,
            level: 2,
            figure: figure.as_ref(),
            table: (!grid.rows.is_empty()).then(|| TableView::new(grid)),
            experiment: None,
            sources: if figure.is_some() { &[] } else { &exhibit.sources },
            values: format!("{folder}/{id}.csv"),
            root,
        }
    }

    /// On the front page: the numbers behind a figure stand on the page of its experiment, at `experiment`.
    pub(super) fn on_front(exhibit: &'a Exhibit, experiment: String) -> Self {
        let all = Self::new(exhibit, "");
        let table = all.table.filter(|_| exhibit.figure.is_none());
        Self { level: 3, table, experiment: Some(experiment), ..all }
    }

    /// A figure of claims, whose values are those of all claims.
    pub(super) fn of_claims(figure: &'a Figure, level: usize) -> Self {
        Self {
            id: &figure.id,
            title: &figure.title,
            caption: &figure.caption,
            level,
            figure: Some(figure),
            table: None,
            experiment: None,
            sources: &[],
            values: "claims.csv".to_string(),
            root: "",
        }
    }
}
