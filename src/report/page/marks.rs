//! Verdicts as signs on a page.

use crate::judge::Verdict;
use crate::report::words;
use askama::Template;

/// A verdict as a chip: told apart by word, and by the sign and the shape that the style gives its name, as well as by colour.
#[derive(Clone, Copy, PartialEq, Eq, Template)]
#[template(source = r#"<span class="chip {{ self.name() }}">{{ self.word() }}</span>"#, ext = "html")]
pub(super) struct Mark(pub(super) Verdict);

impl Mark {
    pub(super) fn all() -> [Self; Verdict::ALL.len()] {
        Verdict::ALL.map(Self)
    }

    /// For style and script.
    pub(super) fn name(self) -> String {
        self.0.to_string().to_lowercase().replace(' ', "-")
    }

    pub(super) fn word(self) -> String {
        words::capital(&self.0.to_string().to_lowercase())
    }
}
