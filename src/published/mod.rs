//! What papers published, as typed data from `experiments/published/`: one file a paper, facts and figures in our words.

mod answer;
mod claim;
mod condition;
mod coverage;
mod figure;
mod structural;
mod table;

pub use answer::Clause;
pub use claim::{Claim, ClaimKind, EvidenceKind, PublishedCause, Source, Unit};
pub use condition::Condition;
pub use coverage::{Coverage, NoClaim, Sentence};
pub use figure::{Deviation, Inconsistency, PublishedFigure};
pub use structural::{Figure, KernelName, StructuralClaim};
pub use table::{PublishedTable, Speedup};

use include_dir::{Dir, include_dir};
use serde::Deserialize;
use std::collections::BTreeSet;

static PUBLISHED: Dir = include_dir!("$CARGO_MANIFEST_DIR/experiments/published");

/// One paper: its tables, what it states, and where it contradicts itself.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedPaper {
    /// The name of its file.
    pub id: String,
    pub title: String,
    pub authors: String,
    /// None where neither the text nor a bibliography at hand gives it.
    pub year: Option<u32>,
    /// Where to find it.
    pub reference: String,
    /// Its address, where it can be read on the web.
    pub url: Option<String>,
    pub gpu: String,
    /// None where the paper names none.
    pub cpu: Option<String>,
    #[serde(default)]
    pub tables: Vec<PublishedTable>,
    /// Ratios of two columns of a table, which are shown beside it.
    #[serde(default)]
    pub speedups: Vec<Speedup>,
    /// What the emulated device counts.
    #[serde(default)]
    pub structural: Vec<StructuralClaim>,
    /// Everything else that the paper states.
    #[serde(default)]
    pub claims: Vec<Claim>,
    /// The figures that plot measurements.
    #[serde(default)]
    pub figures: Vec<PublishedFigure>,
    #[serde(default)]
    pub inconsistencies: Vec<Inconsistency>,
    /// Where what is run here departs from it.
    #[serde(default)]
    pub deviations: Vec<Deviation>,
    /// Numbers of its own machine, and those that it cites.
    #[serde(default)]
    pub conditions: Vec<Condition>,
    /// Its main statements, which a report opens with.
    #[serde(default)]
    pub answer: Vec<Clause>,
}

impl PublishedPaper {
    pub fn table(&self, id: &str) -> Option<&PublishedTable> {
        self.tables.iter().find(|table| table.id == id)
    }

    /// Who, when, where and on what machine, in one line without a full stop.
    pub fn cited(&self) -> String {
        let year = self.year.map_or(String::new(), |year| format!(" ({year})"));
        let cpu = self.cpu.as_ref().map_or(String::new(), |cpu| format!("; {cpu}"));
        format!("{}{year}, {}, on {}{cpu}", self.authors, self.reference, self.gpu)
    }

    /// The ids of all statements, in the order of the file's kinds.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        let claims = self.claims.iter().map(|one| &one.id);
        let speedups = self.speedups.iter().map(|one| &one.id);
        let structural = self.structural.iter().map(|one| &one.id);
        claims.chain(speedups).chain(structural).map(String::as_str)
    }

    /// Reads `text`, which `file` holds, and checks what its types cannot.
    ///
    /// # Errors
    /// The file and what is wrong with it.
    pub fn parse(file: &str, text: &str) -> Result<Self, String> {
        let paper: Self = toml::from_str(text).map_err(|error| format!("{file}: {error}"))?;
        paper.check(file).map_err(|reason| format!("{file}: {reason}"))?;
        Ok(paper)
    }

    /// What the types cannot express.
    fn check(&self, file: &str) -> Result<(), String> {
        if file.strip_suffix(".toml") != Some(&self.id) {
            return Err(format!("id = '{}' is not the name of the file: make them the same", self.id));
        }
        let mut seen = BTreeSet::new();
        let all = self
            .ids()
            .chain(self.inconsistencies.iter().map(|one| one.id.as_str()))
            .chain(self.conditions.iter().map(|one| one.id.as_str()));
        for id in all {
            if !seen.insert(id) {
                return Err(format!("id '{id}' comes twice: name one of the two otherwise"));
            }
        }
        if let Some(url) = self.url.as_ref().filter(|url| !url.starts_with("https://")) {
            return Err(format!("url = '{url}' is no address of the web: begin it with https://"));
        }
        self.claims.iter().try_for_each(Claim::check)?;
        self.speedups.iter().try_for_each(Speedup::check)?;
        self.structural.iter().try_for_each(StructuralClaim::check)?;
        self.figures.iter().try_for_each(|figure| figure.check(&self.tables))?;
        self.inconsistencies.iter().try_for_each(Inconsistency::check)?;
        self.conditions.iter().try_for_each(Condition::check)?;
        self.deviations.iter().try_for_each(Deviation::check)?;
        self.answer.iter().try_for_each(|clause| clause.check(self.ids()))
    }
}

/// All embedded papers, the oldest first; those without a year last.
///
/// # Errors
/// The file and what is wrong with it: a defect of this build, which a test guards against.
pub fn published_papers() -> Result<Vec<PublishedPaper>, String> {
    let mut papers: Vec<PublishedPaper> = PUBLISHED
        .files()
        .map(|file| {
            PublishedPaper::parse(
                &file.path().display().to_string(),
                file.contents_utf8().unwrap_or_default(),
            )
        })
        .collect::<Result<_, _>>()?;
    papers.sort_by_key(|paper| (paper.year.unwrap_or(u32::MAX), paper.id.clone()));
    Ok(papers)
}

/// That fields which a reader needs, such as the place in the paper, are not empty.
fn check_text(what: &str, statement: &str, place: &str) -> Result<(), String> {
    match (statement.trim(), place.trim()) {
        ("", _) => Err(format!("{what} says nothing: state in own words what the paper says")),
        (_, "") => Err(format!("{what} has no place: say where in the paper it stands")),
        _ => Ok(()),
    }
}

/// `5`, `5 to 6.5`, `at least 5` or `at most 6.5`, with numbers as `number` writes them. None where both ends are open.
pub fn range_in_words(low: Option<f64>, high: Option<f64>, number: impl Fn(f64) -> String) -> Option<String> {
    Some(match (low, high) {
        (Some(low), Some(high)) if low == high => number(low),
        (Some(low), Some(high)) => format!("{} to {}", number(low), number(high)),
        (Some(low), None) => format!("at least {}", number(low)),
        (None, Some(high)) => format!("at most {}", number(high)),
        (None, None) => return None,
    })
}

/// That a range is one, and that all of it are numbers.
fn check_range(what: &str, low: Option<f64>, high: Option<f64>) -> Result<(), String> {
    if [low, high].into_iter().flatten().any(|bound| !bound.is_finite()) {
        return Err(format!(
            "{what} has a bound that is no number: leave out a bound that the paper does not give"
        ));
    }
    match (low, high) {
        (Some(low), Some(high)) if low > high => {
            Err(format!("{what}: low = {low} is above high = {high}: exchange or correct them"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = r#"
id = "p"
title = "T"
authors = "A"
reference = "R"
gpu = "G"
"#;

    fn paper(id: &str) -> PublishedPaper {
        published_papers().unwrap().into_iter().find(|paper| paper.id == id).unwrap()
    }

    /// The reason for which a file is refused that is a head and this.
    pub(super) fn refused(text: &str) -> String {
        let message = PublishedPaper::parse("p.toml", &format!("{HEAD}{text}")).unwrap_err();
        let reason = message.strip_prefix("p.toml: ").unwrap_or_else(|| panic!("no file in: {message}"));
        reason.to_string()
    }

    pub(super) fn accepted(text: &str) -> PublishedPaper {
        PublishedPaper::parse("p.toml", &format!("{HEAD}{text}")).unwrap()
    }

    #[test]
    fn statements_speak_of_implementations_that_exist() {
        for paper in published_papers().unwrap() {
            let claims = paper.claims.iter().flat_map(|one| [&one.implementation, &one.faster, &one.slower]);
            let speedups = paper.speedups.iter().flat_map(|one| [&one.faster, &one.slower]);
            let structural = paper.structural.iter().map(|one| &one.implementation);
            for name in claims.flatten().chain(speedups).chain(structural) {
                assert!(crate::implementation::find(name).is_some(), "{}: {name}", paper.id);
            }
        }
    }

    #[test]
    fn figures_whose_values_are_not_in_a_text_are_there_without_any() {
        let counts =
            [("lund-smith-2010", 0), ("likhoded-sipeyko-2019", 1), ("gaioso-2013", 4), ("pogorilyy-cuda", 6)];
        for (id, count) in counts {
            let figures = paper(id).figures;
            assert_eq!(figures.iter().filter(|figure| !figure.values_in_text).count(), count, "{id}");
            assert!(figures.iter().all(|figure| figure.values_in_text == figure.table.is_some()), "{id}");
        }
    }

    #[test]
    fn ids_are_unique_over_all_kinds_and_a_file_is_named_after_its_paper() {
        let slip = "[[inconsistencies]]\nid = \"a\"\nstatement = \"S\"\nplace = \"P\"\n";
        let speedup = "[[speedups]]\nid = \"a\"\nfaster = \"f\"\nslower = \"s\"\nlow = 1\nplace = \"P\"\n";
        accepted(slip);
        assert_eq!(refused(&format!("{slip}{speedup}")), "id 'a' comes twice: name one of the two otherwise");
        let message = PublishedPaper::parse("q.toml", HEAD).unwrap_err();
        assert_eq!(message, "q.toml: id = 'p' is not the name of the file: make them the same");
    }

    #[test]
    fn a_citation_leaves_out_what_is_not_known() {
        let paper = accepted("");
        assert_eq!(paper.cited(), "A, R, on G");
        let dated = PublishedPaper { year: Some(2010), cpu: Some("C".to_string()), ..paper };
        assert_eq!(dated.cited(), "A (2010), R, on G; C");
    }

    #[test]
    fn an_address_of_a_paper_is_one_of_the_web() {
        assert!(refused("url = \"javascript:alert(1)\"").contains("begin it with https://"));
    }

    #[test]
    fn an_unknown_field_is_refused_with_its_file_and_name() {
        assert!(refused("vertices = 3").contains("unknown field `vertices`"));
    }
}
