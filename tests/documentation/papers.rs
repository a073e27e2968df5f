//! The page on papers names every field, figure, relation and way to combine that the files of a paper can have.

use super::text_of;
use repro::published::{PublishedPaper, Test, published_papers};

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
        claim(&format!("source = \"{NONE}\"")),
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

#[test]
fn claims_speak_of_implementations_that_exist() {
    for paper in published_papers().unwrap() {
        let compared = paper.claims.iter().flat_map(|one| [&one.faster, &one.slower]).flatten();
        for name in compared {
            assert!(repro::implementation::find(name).is_some(), "{}: {name}", paper.id);
        }
        for of in paper.claims.iter().flat_map(|one| &one.tests).flat_map(Test::contenders) {
            let found = repro::implementation::find(&of.implementation);
            let found = found.unwrap_or_else(|| panic!("{}: {of}", paper.id));
            of.parameters.check(&found.name, &found.parameters).unwrap();
        }
    }
}
