//! A figure on a page.

use crate::report::Figure;
use askama::Template;

/// Which drawings of a figure a page has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Drawings {
    /// One for wide screens and one for a phone.
    Both,
    /// The one for a phone, which also fits into a column.
    Narrow,
}

#[derive(Template)]
#[template(path = "figure.html")]
pub(super) struct FigureView<'a> {
    figure: &'a Figure,
    drawings: Drawings,
    root: &'static str,
    over: Option<Over<'a>>,
}

/// The experiment that a figure is the first of, on the front page.
pub(super) struct Over<'a> {
    pub(super) page: String,
    pub(super) title: &'a str,
}

impl<'a> FigureView<'a> {
    pub(super) fn new(figure: &'a Figure, drawings: Drawings, root: &'static str) -> Self {
        Self { figure, drawings, root, over: None }
    }

    /// With the way to the experiment.
    pub(super) fn over(self, over: Option<Over<'a>>) -> Self {
        Self { over, ..self }
    }
}
