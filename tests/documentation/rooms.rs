//! Which room uses which. Arrows point down: docs/design.md draws them, and this test holds them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Each room of `src` with the rooms that it may use, and the crates `external`, `plan`, `protocol`, `published`, `distributed` and `store`, which not every room may use.
const MAY_USE: [(&str, &[&str]); 17] = [
    ("lists", &[]),
    ("published", &[]),
    ("plan", &["external", "lists"]),
    ("store", &["lists", "plan"]),
    ("external", &[]),
    ("protocol", &["plan", "store"]),
    ("distributed", &[]),
    ("measure", &["lists", "distributed", "plan", "protocol", "store", "external"]),
    ("results", &["lists", "plan", "published", "store"]),
    ("verify", &["lists", "measure", "plan", "show", "store"]),
    ("show", &["distributed", "lists", "measure", "plan", "published", "results", "store"]),
    ("inspect", &["lists", "measure", "plan", "published", "results", "show", "store", "external"]),
    ("judge", &["lists", "published", "results", "store"]),
    ("regression", &["inspect", "lists", "measure", "plan", "results", "show", "store"]),
    ("ranking", &["lists", "measure", "plan", "results", "show", "store"]),
    ("report", &["judge", "lists", "plan", "published", "ranking", "regression", "results", "show", "store"]),
    ("cli", &["*"]),
];

/// The rooms that know no implementation: what they have to know of one stands in the records.
const KNOW_NO_SOLVER: [&str; 3] = ["crates/store/src", "crates/results/src", "src/judge"];
/// Of the crate of solvers, types that records are made of.
const RECORDED: [&str; 4] = ["DeviceTimes", "GivenFile", "PaperFigures", "Pinning"];

/// All Rust files in and below a folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let of = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    entries.flat_map(of).filter(|path| path.extension().is_some_and(|end| end == "rs")).collect()
}

/// What is no comment and no test.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let code =
        text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default().replace("#[cfg(test)]\npub", "//");
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn is_test(path: &Path) -> bool {
    path.ends_with("tests.rs") || path.ends_with("fixtures.rs") || path.iter().any(|part| part == "tests")
}

/// The rooms, or crates as `src/lib.rs` calls them, that code names after `crate::`, each with what it names there.
fn named(code: &str) -> BTreeMap<String, String> {
    let mut all: BTreeMap<String, String> = BTreeMap::new();
    for after in code.split("crate::").skip(1) {
        let word = |text: &str| -> String {
            text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
        };
        let room = word(after);
        let rest = after[room.len()..].trim_start_matches("::");
        let names = match rest.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap_or_default().to_string(),
            None => word(rest),
        };
        *all.entry(room).or_default() += &format!("{names}, ");
    }
    all
}

fn room_of(path: &Path) -> String {
    let part = path.iter().nth(1).unwrap().to_string_lossy();
    part.trim_end_matches(".rs").to_string()
}

#[test]
fn a_room_uses_only_rooms_below_it() {
    let mut wrong = BTreeSet::new();
    for path in files(Path::new("src")).iter().filter(|path| !is_test(path)) {
        let room = room_of(path);
        if ["lib", "main"].contains(&room.as_str()) {
            continue;
        }
        let may = MAY_USE.iter().find(|(name, _)| *name == room);
        let (_, may) = may.unwrap_or_else(|| panic!("{room} is no room of docs/design.md"));
        let is_room = |name: &String| MAY_USE.iter().any(|(room, _)| room == name);
        for other in named(&code(path)).into_keys().filter(is_room) {
            if other != room && !may.contains(&"*") && !may.contains(&other.as_str()) {
                wrong.insert(format!("{} uses {other}", path.display()));
            }
        }
    }
    assert_eq!(wrong, BTreeSet::new());
}

#[test]
fn no_two_rooms_need_each_other() {
    let below = |room: &str| MAY_USE.iter().find(|(name, _)| *name == room).unwrap().1;
    let mut reached: Vec<&str> = Vec::new();
    // Each room in its turn, once all that it may use have had theirs.
    while reached.len() < MAY_USE.len() {
        let next = MAY_USE.iter().map(|(room, _)| *room).find(|room| {
            let rest = below(room).iter().filter(|other| **other != "*");
            !reached.contains(room) && rest.clone().all(|other| reached.contains(other))
        });
        reached.push(next.unwrap_or_else(|| panic!("a circle beyond {reached:?}")));
    }
}

#[test]
fn records_evidence_and_pictures_know_no_implementation() {
    let mut wrong = BTreeSet::new();
    let rooms = KNOW_NO_SOLVER.iter().flat_map(|room| files(Path::new(room)));
    for path in rooms.filter(|path| !is_test(path)) {
        // As rooms and as crates call it.
        let code = code(&path).replace("repro_solvers", "crate::implementation");
        let names = named(&code).remove("implementation").unwrap_or_default();
        let names = names.split([',', ' ', '\n']).filter(|name| !name.is_empty());
        wrong.extend(
            names.filter(|name| !RECORDED.contains(name)).map(|name| format!("{}: {name}", path.display())),
        );
    }
    for data in ["plot", "published"] {
        let uses = std::fs::read_to_string(format!("crates/{data}/Cargo.toml")).unwrap();
        assert!(!uses.contains("repro-solvers"), "crates/{data} has data alone");
    }
    assert_eq!(wrong, BTreeSet::new());
}
