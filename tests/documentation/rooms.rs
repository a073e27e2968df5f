//! Which room uses which: arrows point down, docs/design.md draws them, and this test holds them. And what types and modules are called: a
//! noun of the field that few others have.

use super::budget::code_lines;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The crates below the program, each behind those that it uses.
const CRATES: [(&str, &str); 14] = [
    ("base", ""),
    ("emulator", "base"),
    ("graph", "base"),
    ("cpu", "graph"),
    ("shortest-paths", "graph"),
    ("device", "base emulator graph"),
    ("machine-code", "base device"),
    ("timing", "base cpu device"),
    ("solvers", "base cpu device graph machine-code"),
    ("user", "base device emulator graph solvers timing"),
    ("records", "base device graph solvers timing user"),
    ("dense", "device graph shortest-paths solvers"),
    ("solve", "base dense device graph shortest-paths"),
    ("python", "dense device graph shortest-paths solvers"),
];

/// Each room of `src`, behind those that it may use, with these; and the parts of the crates `records`, `user` (`external`) and `solvers` (`distributed`) that not every room may use.
/// Rooms below `report` may use its floor `text`, which knows none of them.
const MAY_USE: [(&str, &str); 17] = [
    ("lists", ""),
    ("published", ""),
    ("distributed", ""),
    ("external", ""),
    ("plan", "external lists"),
    ("store", "lists plan"),
    ("protocol", "plan store"),
    ("measure", "lists distributed plan protocol store external"),
    ("results", "lists plan published store"),
    ("text", "lists published"),
    ("verify", "lists measure plan store text"),
    ("judge", "lists published results store"),
    ("regression", "lists measure plan results store"),
    ("ranking", "lists plan results store"),
    ("inspect", "judge lists measure plan store text"),
    ("report", "judge lists measure plan published ranking regression results store text"),
    ("cli", "*"),
];

/// The rooms that know no implementation and no device: what they have to know of one stands in the records.
const KNOW_NO_SOLVER: [&str; 4] = ["crates/records/src", "src/judge", "src/ranking", "src/report"];
/// Of these crates, by the names that `src/lib.rs` has for them, what records are made of: plain data, and what is known of implementations by their
/// names.
const RECORDED: [(&str, &str, &str); 3] = [
    (
        "repro_solvers",
        "implementation",
        "DeviceTimes ImplementationFile PaperFigures Pinning Problem distributed",
    ),
    (
        "repro_device",
        "device",
        "DeviceError DeviceInfo FailureKind KernelResources Selection emulated gpus telemetry",
    ),
    ("repro_user", "external", "Variant confine read register_unlisted"),
];
/// The one file of records that asks the catalogue, and what it asks for.
const CATALOGUE: (&str, [&str; 6]) = (
    "crates/records/src/plan/catalogue.rs",
    ["Implementation", "SolverThreads", "catalogue", "find", "given_files", "names"],
);

/// All Rust files in and below a folder that are no tests.
pub fn program_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let of = |path: PathBuf| if path.is_dir() { program_files(&path) } else { vec![path] };
    let all = entries.flat_map(of).filter(|path| path.extension().is_some_and(|end| end == "rs"));
    all.filter(|path| !is_test(path)).collect()
}

fn is_test(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name == "tests.rs" || name.ends_with("_tests.rs") || path.iter().any(|part| part == "tests")
}

/// What is no comment and no test.
fn code(path: &Path) -> String {
    code_lines(&std::fs::read_to_string(path).unwrap()).join("\n")
}

/// The rooms, or crates as `src/lib.rs` calls them, that code names after `crate::`, each with what it names there.
fn named(code: &str) -> BTreeMap<String, String> {
    let mut all: BTreeMap<String, String> = BTreeMap::new();
    for after in code.replace("crate::report::text", "crate::text").split("crate::").skip(1) {
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
    if path.starts_with("src/report/text") {
        return "text".to_string();
    }
    let part = path.iter().nth(1).unwrap().to_string_lossy();
    part.trim_end_matches(".rs").to_string()
}

/// The crates of this repository that a crate uses outside of its tests.
fn used_crates(name: &str) -> Vec<String> {
    let manifest = std::fs::read_to_string(format!("crates/{name}/Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let uses = manifest["dependencies"].as_table().unwrap().keys();
    uses.filter_map(|name| name.strip_prefix("repro-")).map(String::from).collect()
}

#[test]
fn a_crate_uses_only_crates_below_it() {
    for (at, (name, uses)) in CRATES.iter().enumerate() {
        assert_eq!(used_crates(name).join(" "), *uses, "crates/{name}/Cargo.toml");
        let is_above = |used: &&str| !CRATES[..at].iter().any(|(below, _)| below == used);
        assert_eq!(uses.split_whitespace().find(is_above), None, "{name} may use what is not before it");
    }
    let folders = std::fs::read_dir("crates").unwrap().count();
    assert_eq!(folders, CRATES.len(), "a crate has no row, or a row no crate");
}

#[test]
fn a_room_uses_only_rooms_below_it() {
    let mut wrong = BTreeSet::new();
    for path in program_files(Path::new("src")).iter() {
        let room = room_of(path);
        if ["lib", "main"].contains(&room.as_str()) {
            continue;
        }
        let may = MAY_USE.iter().find(|(name, _)| *name == room);
        let (_, may) = may.unwrap_or_else(|| panic!("{room} is no room of docs/design.md"));
        let is_room = |name: &String| MAY_USE.iter().any(|(room, _)| room == name);
        for other in named(&code(path)).into_keys().filter(is_room) {
            if other != room && *may != "*" && !may.split(' ').any(|one| one == other) {
                wrong.insert(format!("{} uses {other}", path.display()));
            }
        }
    }
    assert_eq!(wrong, BTreeSet::new());
    // No two of them need each other.
    for (at, (room, may)) in MAY_USE.iter().enumerate().filter(|(_, (_, may))| *may != "*") {
        let is_above = |other: &&str| !MAY_USE[..at].iter().any(|(name, _)| name == other);
        let other = may.split_whitespace().find(is_above);
        assert_eq!(other, None, "{room} may use what is not before it");
    }
}

#[test]
fn records_judge_ranking_and_report_know_no_implementation_and_no_device() {
    let mut wrong = BTreeSet::new();
    for path in KNOW_NO_SOLVER.iter().flat_map(|room| program_files(Path::new(room))) {
        let code = code(&path);
        for (own_name, name, recorded) in RECORDED {
            // As rooms and as crates call it.
            let code = code.replace(own_name, &format!("crate::{name}"));
            let names = named(&code).remove(name).unwrap_or_default();
            let names = names.split([',', ' ', '\n']).filter(|name| !name.is_empty());
            let asks = |name: &str| path == Path::new(CATALOGUE.0) && CATALOGUE.1.contains(&name);
            let others = names.filter(|name| !recorded.split(' ').any(|one| one == *name) && !asks(name));
            wrong.extend(others.map(|other| format!("{}: {name}::{other}", path.display())));
        }
    }
    assert_eq!(wrong, BTreeSet::new());
}

/// What makes a file, or gives it a name, and may follow a link there. `tempfile` and `File::create_new` follow none.
const MAKING: [&str; 7] =
    ["File::create(", "File::options", "OpenOptions", "fs::write(", "fs::copy(", "fs::rename(", "temp_dir()"];
/// Where that is done outside of the crate for files: to read, to a file of the system, or in a scratch folder.
const ALLOWED: [(&str, &str); 5] = [
    ("crates/user/src/confine/sandbox.rs", "OpenOptions::new().read(true)"),
    ("crates/user/src/confine/child/system_calls.rs", "/proc/self/oom_score_adj"),
    ("crates/user/src/confine/supervisor/mod.rs", "/dev/null"),
    ("crates/emulator/src/compile.rs", "fs::rename(beside.join(\"kernel.so\"), path)"),
    ("crates/emulator/src/compile.rs", "fs::rename(&made, kept)"),
];

/// Files are made in one place, which follows no link that somebody has prepared.
#[test]
fn files_are_made_by_the_crate_for_files_alone() {
    let all = ["src", "crates"].into_iter().flat_map(|folder| program_files(Path::new(folder)));
    let all = all
        .filter(|path| !path.starts_with("crates/base/src/files") && path.iter().any(|part| part == "src"));
    let (mut used, mut wrong) = (BTreeSet::new(), Vec::new());
    for path in all {
        let name = path.display().to_string();
        let makes = |line: &&str| !line.starts_with("use ") && MAKING.iter().any(|word| line.contains(word));
        for line in code(&path).lines().filter(makes) {
            match ALLOWED.iter().find(|(file, text)| *file == name && line.contains(text)) {
                Some(allowed) => _ = used.insert(allowed),
                None => wrong.push(format!("{name}: {}", line.trim())),
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "use repro_base::files, which follows no links");
    assert_eq!(used.len(), ALLOWED.len(), "an exception that nothing needs: {used:?}");
}

/// As many types may have a name.
const SHARED: usize = 2;
/// Participles that stay: kinds of algorithms, devices and runs, and nouns that end so.
const STAY: &[(&str, &str)] = &[
    ("HappensBefore", "the relation of that name"),
    ("Batched", "the implementation `batched`"),
    ("Blocked", "blocked algorithms, as the papers call them"),
    ("Distributed", "solves on several devices"),
    ("Emulated", "the emulated device, beside `cuda`"),
    ("Generalized", "the paper's generalized blocked algorithm"),
    ("Published", "what papers print, beside `results`"),
    ("Sharded", "solves of a matrix in shards, beside `whole_matrix`"),
];
/// Nouns that look like participles.
const NOUNS: &str = "Ceiling Counting Encoding Ending Finding Heading Listing Nothing Numbering Pinning Ranking \
    Rounding Sampling Timing Warning";
/// Words that name no thing.
const NO_NOUNS: &str = "About Above Across After Again All Alone Any Apart Around Before Below Beside Between Beyond \
    Both Each Else Ever Far Further Gone Half Held Here How Inside Kept Lost Made Nobody Other Others Outside Shown \
    There Together Told What Which Who Whole Written";

/// Whether the last word, which says what sort of thing the name is of, is a noun.
fn is_noun(name: &str) -> bool {
    let last = name.rfind(|c: char| c == '_' || c.is_ascii_uppercase()).unwrap_or(0);
    let word = name[last..].trim_start_matches('_');
    let word = word[..1].to_uppercase() + &word[1..];
    let is_in = |words: &str| words.split_whitespace().any(|one| one == word);
    let looks_so = word.ends_with("ed") || word.ends_with("ing") || is_in(NO_NOUNS);
    let stays = |(known, _): &(&str, &str)| *known == word || *known == name;
    !looks_so || is_in(NOUNS) || STAY.iter().any(stays)
}

#[test]
fn types_and_modules_are_called_by_nouns_of_their_own() {
    let mut types: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut wrong = Vec::new();
    for path in ["src", "crates", "tools"].into_iter().flat_map(|folder| program_files(Path::new(folder))) {
        for line in code_lines(&std::fs::read_to_string(&path).unwrap()) {
            let begin = line.trim_start();
            let begin = begin
                .strip_prefix("pub")
                .and_then(|rest| rest.split_once(' '))
                .map_or(begin, |(_, rest)| rest);
            let Some((kind, rest)) = begin.split_once(' ') else { continue };
            let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            // A type of a trait is called as the trait says.
            let is_type =
                ["struct", "enum", "trait", "union"].contains(&kind) || line.trim() == line && kind == "type";
            if name.is_empty() || !(is_type || kind == "mod") || rest[name.len()..].starts_with(':') {
                continue;
            }
            if !is_noun(&name) {
                wrong.push(format!("{}: {kind} {name}", path.display()));
            }
            if is_type {
                types.entry(name).or_default().push(path.display().to_string());
            }
        }
    }
    let shared = types.into_iter().filter(|(_, all)| all.len() > SHARED);
    wrong.extend(shared.map(|(name, all)| format!("{name}: {all:?}")));
    assert!(wrong.is_empty(), "no noun, or the name of more than {SHARED} types:\n{}", wrong.join("\n"));
}
