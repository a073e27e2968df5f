//! Files of papers: which sentence is held by which claim, and why others are held by none (the lists of `tests/coverage`); that their page
//! names every field, figure, relation and way to combine; that they speak of what exists.

use super::{root, text_of};
use repro::published::{PublishedPaper, PublishedTable, Remark, published_papers};
use serde::Deserialize;
use std::collections::BTreeSet;

/// Every sentence, or half of one, of a paper that asserts something, in the order of the text.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Coverage {
    sentences: Vec<Sentence>,
}

/// What a sentence asserts, and what holds it.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sentence {
    /// Section, paragraph and sentence.
    place: String,
    /// In our words.
    says: String,
    /// The id of a claim, table, condition or contradiction of the same paper. Either this or `reason`.
    claim: Option<String>,
    /// Others that hold a part of it.
    #[serde(default)]
    also: Vec<String>,
    /// Why no claim holds it.
    reason: Option<String>,
}

/// Why a sentence that asserts something is no claim.
const REASONS: [(&str, &str); 6] = [
    ("definition", "it names a term or describes a step of an algorithm"),
    ("method", "it states what the authors did or used"),
    ("textbook", "general knowledge of CUDA, graphs or algorithms, to which no measurement here could add"),
    ("related-work", "it is about the work of others and does not contain enough to test it"),
    ("hardware", "it is a specification of a GPU, CPU or interface of the day"),
    ("outlook", "a plan or hope with nothing that could be tested"),
];

impl Coverage {
    /// A list of sentences that each have either a claim of the paper or a reason, and of which some hold each claim.
    fn parse(paper: &PublishedPaper, text: &str) -> Result<Self, String> {
        let list: Self = toml::from_str(text).map_err(|error| error.message().to_string())?;
        let ids = |all: &[Remark]| all.iter().map(|one| one.id.clone()).collect::<Vec<_>>();
        let claims: Vec<String> = paper.claims.iter().map(|one| one.id.clone()).collect();
        let claims = [claims, ids(&paper.inconsistencies), ids(&paper.conditions)].concat();
        let of_table = |table: &PublishedTable| {
            let columns = table.columns.keys().map(|column| format!("{}-{column}", table.id));
            columns.chain([table.id.clone()]).collect::<Vec<_>>()
        };
        let tables: Vec<String> = paper.tables.iter().flat_map(of_table).collect();
        let mut named = BTreeSet::new();
        for Sentence { place, says, claim, also, reason } in &list.sentences {
            if says.trim().is_empty() || place.trim().is_empty() {
                return Err(format!("'{says}' ({place}) says nothing or has no place"));
            }
            if claim.is_some() == reason.is_some() {
                return Err(format!("'{says}' ({place}) must have a claim or a reason"));
            }
            if let Some(reason) = reason.as_ref().filter(|one| REASONS.iter().all(|(known, _)| known != one))
            {
                return Err(format!("'{reason}' is none of {REASONS:?}"));
            }
            named.extend(claim.iter().chain(also));
        }
        if let Some(id) = named.iter().find(|id| !claims.contains(id) && !tables.contains(id)) {
            return Err(format!("a sentence names '{id}', which {} has not", paper.id));
        }
        match claims.iter().find(|id| !named.contains(id)) {
            Some(id) => Err(format!("no sentence is held by '{id}': name it where the paper says so")),
            None => Ok(list),
        }
    }
}

#[test]
fn every_sentence_of_every_paper_has_a_claim_or_a_reason_and_every_claim_a_sentence() {
    let mut sentences = 0;
    let papers = published_papers().unwrap();
    for paper in papers {
        let name = format!("tests/coverage/{}.toml", paper.id);
        let list = Coverage::parse(paper, &text_of(&name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let places: BTreeSet<&String> = list.sentences.iter().map(|sentence| &sentence.place).collect();
        assert_eq!(places.len(), list.sentences.len(), "{name}: a place comes twice");
        sentences += places.len();
    }
    assert!(sentences > 600, "{sentences}");
    let lists = std::fs::read_dir(root().join("tests/coverage")).unwrap().count();
    assert_eq!(lists, papers.len(), "a list is of no paper");
}

#[test]
fn a_sentence_without_claim_and_reason_or_with_both_is_refused() {
    let against = "[[inconsistencies]]\nid = \"a\"\nstatement = \"S\"\nplace = \"P\"\n";
    let paper = PublishedPaper::parse("p", &format!("{PAPER}{against}"), "").unwrap();
    for (says, lines, refused) in [
        ("S", "", "must have a claim or a reason"),
        ("S", "claim = \"a\"\nreason = \"method\"", "must have a claim or a reason"),
        ("S", "claim = \"a\"\nalso = [\"c\"]", "names 'c', which p has not"),
        ("S", "reason = \"dull\"", "'dull' is none of"),
        ("S", "reason = \"method\"", "no sentence is held by 'a'"),
        (" ", "claim = \"a\"", "says nothing"),
        ("S", "claim = \"a\"", ""),
    ] {
        let list = format!("[[sentences]]\nplace = \"P\"\nsays = \"{says}\"\n{lines}");
        let found = Coverage::parse(&paper, &list).err().unwrap_or_default();
        assert!(found.contains(refused) && found.is_empty() == refused.is_empty(), "{lines}: {found}");
    }
}

const PAPER: &str = "id = \"p\"\ntitle = \"T\"\nauthors = \"A\"\nreference = \"R\"\ngpu = \"G\"\n";
/// In the place of a name that there is.
const NONE: &str = "no-such-name";

/// What may stand in the place of a name that there is not, as the error says that refuses it.
fn expected(paper: &str, claims: &str) -> Vec<String> {
    let error = PublishedPaper::parse("p", paper, claims).unwrap_err();
    let names = error.split_once("expected one of ").unwrap_or_else(|| panic!("{error}")).1;
    let names = names.lines().next().unwrap_or_default();
    names.split('`').skip(1).step_by(2).map(String::from).collect()
}

#[test]
fn the_page_on_papers_names_all_that_their_files_can_have() {
    let page = text_of("docs/adding-a-paper.md");
    let claim = |line: &str| expected(PAPER, &format!("[[claims]]\n{line}\n"));
    let test = |name: &str, value: &str| claim(&format!("tests = [{{ {name} = \"{value}\" }}]"));
    let all = [
        expected(&format!("{PAPER}{NONE} = 1\n"), ""),
        claim(&format!("{NONE} = 1")),
        test(NONE, ""),
        claim(&format!("kind = \"{NONE}\"")),
        claim(&format!("evidence = \"{NONE}\"")),
        test("figure", NONE),
        test("relation", NONE),
        test("combine", NONE),
    ];
    for names in all {
        assert!(names.len() > 2, "{names:?}");
        for name in names {
            let is_named = page.contains(&format!("`{name}`"))
                || page.contains(&format!("[[{name}]]"))
                || page.contains(&format!("`{name} = "));
            assert!(is_named, "docs/adding-a-paper.md does not name `{name}`");
        }
    }
}
