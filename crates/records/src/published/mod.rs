//! What papers published, as typed data from `experiments/published/`: one folder a paper, facts and figures in our words.
//!
//! `paper.toml` has what the paper is and its tables, `claims.toml` what it claims and how each claim is tested.

mod claim;
mod test;

pub use claim::*;
pub use test::*;

use include_dir::{Dir, include_dir};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

static PUBLISHED: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../experiments/published");

/// One paper: its tables, what it states, and where it contradicts itself.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedPaper {
    /// The name of its folder.
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
    /// Whether it is shown after the papers that this project is about, and counted apart from them.
    #[serde(default)]
    pub beside: bool,
    #[serde(default)]
    pub tables: Vec<PublishedTable>,
    /// Everything that it states in addition to its tables, from `claims.toml`.
    #[serde(skip)]
    pub claims: Vec<Claim>,
    /// The figures that plot measurements.
    #[serde(default)]
    pub figures: Vec<PublishedPlot>,
    /// Numbers that tests of its claims need in addition to its tables.
    #[serde(default)]
    pub numbers: Vec<PublishedNumber>,
    #[serde(default)]
    pub inconsistencies: Vec<Remark>,
    /// Where this project's implementations or experiments depart from it.
    #[serde(default)]
    pub deviations: Vec<Remark>,
    /// Numbers of its own machine, and those that it cites.
    #[serde(default)]
    pub conditions: Vec<Remark>,
}

impl PublishedPaper {
    pub fn table(&self, id: &str) -> Option<&PublishedTable> {
        self.tables.iter().find(|table| table.id == id)
    }

    /// Reads the texts of `paper.toml` and `claims.toml` of the folder `id`, and checks what their types cannot.
    ///
    /// # Errors
    /// The file and what is wrong with it.
    pub fn parse(id: &str, paper: &str, claims: &str) -> Result<Self, String> {
        let wrong = |file: &str, reason: String| format!("{id}/{file}: {reason}");
        let of_paper = |reason: toml::de::Error| wrong(PAPER_FILE, reason.to_string());
        let mut paper: Self = toml::from_str(paper).map_err(of_paper)?;
        let claims: Claims = toml::from_str(claims).map_err(|error| wrong(CLAIMS_FILE, error.to_string()))?;
        paper.claims = claims.claims;
        if paper.id != id {
            let reason = format!("id = '{}' is not the name of the folder: make them the same", paper.id);
            return Err(wrong(PAPER_FILE, reason));
        }
        paper.claims.iter().try_for_each(Claim::check).map_err(|reason| wrong(CLAIMS_FILE, reason))?;
        paper.check().map_err(|reason| wrong(PAPER_FILE, reason))?;
        Ok(paper)
    }

    /// The paper in a folder of this name.
    ///
    /// # Errors
    /// When a file of it cannot be read, or what is wrong with it.
    pub fn open(folder: &Path) -> Result<Self, String> {
        let text = |file: &str| {
            let path = folder.join(file);
            std::fs::read_to_string(&path)
                .map_err(|error| format!("{}: {error}: name the folder of a paper", path.display()))
        };
        let id = folder.file_name().unwrap_or_default().to_string_lossy();
        Self::parse(&id, &text(PAPER_FILE)?, &text(CLAIMS_FILE)?)
    }

    /// What the types cannot express, the claims' own checks apart.
    fn check(&self) -> Result<(), String> {
        let claims = self.claims.iter().map(|one| &one.id);
        let remarks = self.inconsistencies.iter().chain(&self.conditions).map(|one| &one.id);
        let ids: Vec<&String> = claims.chain(remarks).collect();
        if let Some((_, id)) = ids.iter().enumerate().find(|(at, id)| ids[..*at].contains(id)) {
            return Err(format!("id '{id}' comes twice: name one of the two otherwise"));
        }
        if let Some(url) = self.url.as_ref().filter(|url| !url.starts_with("https://")) {
            return Err(format!("url = '{url}' is no address of the web: begin it with https://"));
        }
        self.figures.iter().try_for_each(|figure| figure.check(&self.tables))?;
        let mut remarks = self.inconsistencies.iter().chain(&self.conditions).chain(&self.deviations);
        remarks.try_for_each(Remark::check)?;
        let contradictions = self.claims.iter().flat_map(|claim| &claim.contradicted_by);
        let is_known = |id: &&String| self.inconsistencies.iter().any(|one| one.id == **id);
        contradictions.into_iter().find(|id| !is_known(id)).map_or(Ok(()), |id| {
            Err(format!("contradicted_by = '{id}' is no inconsistency of the paper: name the id of one"))
        })
    }
}

/// What the paper is and its tables.
pub const PAPER_FILE: &str = "paper.toml";
/// What it claims and how each claim is tested.
pub const CLAIMS_FILE: &str = "claims.toml";

/// The contents of `claims.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Claims {
    #[serde(default)]
    claims: Vec<Claim>,
}

static PAPERS: LazyLock<Result<Vec<PublishedPaper>, String>> = LazyLock::new(embedded);

/// All embedded papers: those that the project is about, then the others; of each group the oldest first, without a year last.
///
/// # Errors
/// The file and what is wrong with it: a defect of this build, which a test guards against.
pub fn published_papers() -> Result<&'static [PublishedPaper], String> {
    PAPERS.as_deref().map_err(Clone::clone)
}

fn embedded() -> Result<Vec<PublishedPaper>, String> {
    let read = |folder: &Dir| {
        let text = |file: &str| {
            let file = folder.get_file(folder.path().join(file));
            file.and_then(|file| file.contents_utf8()).unwrap_or_default()
        };
        PublishedPaper::parse(&folder.path().display().to_string(), text(PAPER_FILE), text(CLAIMS_FILE))
    };
    let mut papers: Vec<PublishedPaper> = PUBLISHED.dirs().map(read).collect::<Result<_, _>>()?;
    papers.sort_by_key(|paper| (paper.beside, paper.year.unwrap_or(u32::MAX), paper.id.clone()));
    Ok(papers)
}

/// Whether the paper of this id is not one of the papers that this project is about, so that no total counts its claims.
pub fn is_beside(papers: &[PublishedPaper], id: &str) -> bool {
    papers.iter().any(|paper| paper.id == id && paper.beside)
}

/// A table of seconds by implementation and n, compared with those of scope `kernel`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedTable {
    pub id: String,
    /// Its place in the paper.
    pub place: String,
    /// The arguments of `repro run` that measure all of it.
    pub run: String,
    /// The columns that the paper solved on its CPU.
    #[serde(default)]
    pub on_cpu: Vec<String>,
    /// The seconds of each implementation at each n, ascending.
    pub columns: BTreeMap<String, Vec<(usize, f64)>>,
}

impl PublishedTable {
    /// Seconds of `implementation` at `n` vertices. None where the table is blank.
    pub fn seconds(&self, implementation: &str, n: usize) -> Option<f64> {
        let column = self.columns.get(implementation)?;
        column.iter().find(|(at, _)| *at == n).map(|(_, seconds)| *seconds)
    }
}

impl PublishedPaper {
    /// The paper's own number for an implementation: one that it states, or one that follows from its tables.
    pub fn number(&self, figure: Figure, of: &str, n: Option<usize>) -> Option<f64> {
        let is_it = |one: &&PublishedNumber| {
            one.figure == figure && one.of == of && one.n.is_none_or(|at| Some(at) == n)
        };
        let seconds = || self.tables.iter().find_map(|table| table.seconds(of, n?));
        self.numbers.iter().find(is_it).map(|one| one.value).or_else(|| match figure {
            Figure::Seconds => seconds(),
            Figure::TasksASecond => Some((n? as f64).powi(3) / seconds()?),
            _ => None,
        })
    }
}

/// A figure that plots measurements.
///
/// No number is read off a picture, so there is no field for any: the values are in a table of the same paper or nowhere.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedPlot {
    pub place: String,
    /// What it plots against what, in our words.
    pub shows: String,
    /// The table of this paper that has the values that it plots. None where its text has none.
    pub table: Option<String>,
    /// What follows for a comparison.
    pub note: String,
}

/// A number that tests of the paper's claims need in addition to its tables: on the paper's own numbers they must hold, too.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedNumber {
    /// What it is, as tests name it.
    pub figure: Figure,
    /// The implementation.
    pub of: String,
    /// The number of vertices that it holds for; None where it holds for any.
    pub n: Option<usize>,
    pub value: f64,
    /// Where it stands, or what it follows from.
    pub place: String,
}

/// A statement that is no claim of the paper: where its own text contradicts itself, where what is run here departs from it, or a
/// number of its hardware or cited from elsewhere.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remark {
    /// Unique within the paper, its claims included. Empty for a deviation.
    #[serde(default)]
    pub id: String,
    /// In our words.
    pub statement: String,
    pub place: String,
    pub value: Option<f64>,
    /// As the paper writes it.
    pub unit: Option<String>,
}

impl PublishedPlot {
    /// What the types cannot express.
    pub(super) fn check(&self, tables: &[PublishedTable]) -> Result<(), String> {
        let what = format!("figure '{}'", self.place);
        check_text(&what, &self.shows, &self.place)?;
        check_text(&what, &self.note, &self.place)?;
        let unknown = self.table.as_ref().filter(|id| tables.iter().all(|one| one.id != **id));
        unknown.map_or(Ok(()), |id| {
            Err(format!("{what} names table '{id}', which this file has not: correct the name"))
        })
    }
}

impl Remark {
    /// What the types cannot express.
    pub(super) fn check(&self) -> Result<(), String> {
        let what =
            if self.id.is_empty() { "a deviation".to_string() } else { format!("remark '{}'", self.id) };
        check_text(&what, &self.statement, &self.place)?;
        match (self.value.map(f64::is_finite), &self.unit) {
            (Some(true), Some(_)) | (None, None) => Ok(()),
            _ => Err(format!("{what} has a number or a unit alone: give both, or neither")),
        }
    }
}

/// Checks that fields which a reader needs, such as the place in the paper, are not empty.
fn check_text(what: &str, statement: &str, place: &str) -> Result<(), String> {
    match (statement.trim(), place.trim()) {
        ("", _) => Err(format!("{what} says nothing: state in own words what the paper says")),
        (_, "") => Err(format!("{what} has no place: say where in the paper it stands")),
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
        published_papers().unwrap().iter().find(|paper| paper.id == id).unwrap().clone()
    }

    /// The reason for which a paper is refused whose first file is a head and this.
    fn refused(text: &str) -> String {
        let message = PublishedPaper::parse("p", &format!("{HEAD}{text}"), "").unwrap_err();
        message.strip_prefix("p/paper.toml: ").unwrap_or_else(|| panic!("no file in: {message}")).to_string()
    }

    /// Why a paper with these claims is refused, without the name of the file.
    pub(super) fn refused_claims(text: &str) -> String {
        let message = PublishedPaper::parse("p", HEAD, text).unwrap_err();
        message.strip_prefix("p/claims.toml: ").unwrap_or_else(|| panic!("no file in: {message}")).to_string()
    }

    fn accepted(text: &str) -> PublishedPaper {
        PublishedPaper::parse("p", &format!("{HEAD}{text}"), CLAIM).unwrap()
    }

    pub(super) fn accepted_claims(text: &str) -> PublishedPaper {
        PublishedPaper::parse("p", HEAD, text).unwrap()
    }

    const CLAIM: &str = "[[claims]]\nid = \"c\"\nkind = \"trend\"\nstatement = \"S\"\nplace = \"P\"\n\
                         evidence = \"order\"\nuntested = \"U\"\n";
    const SLIP: &str = "[[inconsistencies]]\nid = \"a\"\nstatement = \"S\"\nplace = \"P\"\n";
    const CONDITION: &str = "[[conditions]]\nid = \"a\"\nstatement = \"S\"\nplace = \"P\"\n";
    const FIGURE: &str = "[[figures]]\nplace = \"F\"\nshows = \"S\"\nnote = \"N\"\n";
    const TABLE: &str = "[[tables]]\nid = \"t\"\nplace = \"P\"\nrun = \"r\"\ncolumns = {}\n";

    #[test]
    fn what_is_no_paper_is_refused_with_its_reason() {
        for (text, reason) in [
            ("url = \"javascript:alert(1)\"".to_string(), "begin it with https://"),
            ("vertices = 3".into(), "unknown field `vertices`"),
            (format!("{CONDITION}value = 3"), "give both, or neither"),
            (format!("{FIGURE}\nvalues = [1.0]\n{TABLE}"), "unknown field `values`"),
            (format!("{FIGURE}\nvalue = 1.0\n{TABLE}"), "unknown field `value`"),
            (format!("{FIGURE}table = \"t\""), "names table 't', which this file has not"),
            ("[[deviations]]\nstatement = \"\"\nplace = \"P\"".into(), "a deviation says nothing"),
            (SLIP.replace("\"P\"", "\"\""), "remark 'a' has no place"),
        ] {
            let message = refused(&text);
            assert!(message.contains(reason), "{text}: {message}");
        }
        let right = [
            "[[deviations]]\nstatement = \"S\"\nplace = \"P\"".to_string(),
            SLIP.into(),
            format!("{CONDITION}value = 3\nunit = \"MHz\""),
            FIGURE.to_string(),
            format!("{FIGURE}table = \"t\"\n{TABLE}"),
        ];
        right.into_iter().for_each(|text| drop(accepted(&text)));
        let twice = PublishedPaper::parse("p", &format!("{HEAD}{}", SLIP.replace("\"a\"", "\"c\"")), CLAIM);
        assert!(twice.unwrap_err().ends_with("id 'c' comes twice: name one of the two otherwise"));
        let message = PublishedPaper::parse("q", HEAD, "").unwrap_err();
        assert_eq!(message, "q/paper.toml: id = 'p' is not the name of the folder: make them the same");
    }

    #[test]
    fn table_1_has_its_55_cells() {
        let paper = paper("lund-smith-2010");
        let table = paper.table("table1").unwrap();
        let counts: Vec<(&str, usize)> =
            table.columns.iter().map(|(name, column)| (name.as_str(), column.len())).collect();
        assert_eq!(
            counts,
            [
                ("cpu-naive", 4),
                ("harish-narayanan", 7),
                ("katz-kider", 12),
                ("optimized-blocked", 15),
                ("staged-load", 17)
            ]
        );
        assert_eq!(table.seconds("staged-load", 16384), Some(53.02));
        assert_eq!(table.seconds("harish-narayanan", 7168), None);
        let total: f64 = table.columns.values().flatten().map(|(_, seconds)| seconds).sum();
        assert!((total - 1973.3932).abs() < 1e-3, "a transcription changed: the sum is {total}");
    }

    #[test]
    fn a_number_of_one_size_is_of_no_other_and_one_of_none_is_of_all() {
        let paper = paper("lund-smith-2010");
        let of = |figure| [None, Some(4096), Some(8192)].map(|n| paper.number(figure, "staged-load", n));
        assert_eq!(of(Figure::GigabytesASecond), [None, Some(36.8), None]);
        assert_eq!(of(Figure::SharedBytesOfPaper), [Some(1056.0); 3]);
    }
}
