//! Anchors and names of files.

use super::Draft;
use crate::plot::Plot;
use crate::report::model::{Section, Table};
use crate::show::Grid;
use std::collections::BTreeSet;

/// Names that are anchors and names of files, each given once.
#[derive(Default)]
pub(super) struct Ids(BTreeSet<String>);

impl Ids {
    /// Two names in one, and a number where that is taken.
    pub(super) fn unique(&mut self, first: &str, second: &str) -> String {
        let joined = match (stem(first), stem(second)) {
            (first, second) if second.is_empty() || second == first => first,
            (first, second) if second.starts_with(&format!("{first}-")) => second,
            (first, second) => format!("{first}-{second}"),
        };
        let base = if joined.is_empty() { "run".to_string() } else { joined };
        let numbered = (2..).map(|count| format!("{base}-{count}"));
        // The endless numbers always have one that is free.
        let id =
            std::iter::once(base.clone()).chain(numbered).find(|id| !self.0.contains(id)).unwrap_or(base);
        self.0.insert(id.clone());
        id
    }

    /// A section with its plots and tables, whose names begin with its id. Tables are named by `name`, or else by their titles.
    pub(super) fn draft(
        &mut self,
        section: Section,
        mut plots: Vec<Plot>,
        grids: impl IntoIterator<Item = Grid>,
        name: Option<&str>,
    ) -> Draft {
        for plot in &mut plots {
            plot.id = self.unique(&section.id, &plot.id);
        }
        let table = |grid: Grid| Table { id: self.unique(&section.id, name.unwrap_or(&grid.title)), grid };
        let tables = grids.into_iter().map(table).collect();
        (Section { tables, ..section }, plots)
    }
}

/// Lower-case letters, digits and hyphens of a text, at most some words of it.
pub(super) fn stem(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut stem = String::new();
    for c in text.to_lowercase().chars() {
        if c.is_ascii_alphanumeric() {
            stem.push(c);
        } else if !stem.ends_with('-') && !stem.is_empty() {
            stem.push('-');
        }
        if stem.len() >= LONGEST {
            break;
        }
    }
    stem.trim_end_matches('-').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_fit_for_anchors_and_files() {
        let mut ids = Ids::default();
        assert_eq!(ids.unique("table1", "table1"), "table1");
        assert_eq!(ids.unique("table1", "Seconds (scope kernel), κ"), "table1-seconds-scope-kernel");
        assert_eq!(ids.unique("table1", ""), "table1-2");
        assert_eq!(ids.unique("<script>", "../../x"), "script-x");
        assert_eq!(ids.unique("κ", ""), "run");
    }
}
