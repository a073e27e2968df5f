//! A new implementation touches three places: a kernel file, a file in `crates/solvers/src`, and a line in `built_in`; and the experiment
//! that runs it. docs/adding-an-implementation.md describes them, and no other file may have to know its name.

use std::path::{Path, PathBuf};

/// Who names which implementation for a reason of their own, and need not name a new one: the CPU's columns, which every comparison
/// with the CPU begins with.
const ABOUT_SOME: [(&str, &[&str]); 3] = [
    ("src/show/subjects/clocks/mod.rs", &["cpu-naive"]),
    ("crates/results/src/host.rs", &["cpu-naive", "cpu-parallel"]),
    ("src/show/subjects/seconds/rates.rs", &["cpu-naive", "cpu-parallel"]),
];

/// The crates of implementations.
const OWN: [&str; 2] = ["crates/solvers/src", "crates/distributed/src/solver"];

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let of = |path: PathBuf| {
        if path.is_dir() { rust_files(&path) } else { vec![path] }
    };
    entries.flat_map(of).filter(|path| path.extension().is_some_and(|end| end == "rs")).collect()
}

/// What is no comment and comes before the tests at a file's foot.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn no_fourth_place_knows_the_name_of_an_implementation() {
    let files: Vec<PathBuf> =
        ["src", "crates"].into_iter().flat_map(|room| rust_files(Path::new(room))).collect();
    let is_test = |path: &Path| {
        path.components().any(|part| part.as_os_str() == "tests")
            || path.to_string_lossy().ends_with("tests.rs")
    };
    let mut fourth = Vec::new();
    repro::distributed::register();
    for implementation in repro::implementation::catalogue() {
        let module = implementation.name.replace('-', "_");
        for path in files.iter().filter(|path| !is_test(path)) {
            let shown = path.to_string_lossy().into_owned();
            let name = &*implementation.name;
            let about =
                ABOUT_SOME.iter().find(|(file, _)| *file == shown).map_or(&[][..], |(_, names)| names);
            let code = code(path);
            let is_quoted = code.contains(&format!("\"{name}\""));
            // Solvers of the CPU are used as such: the reference is one.
            let is_used = code.contains(&format!("{module}::")) && !module.starts_with("cpu_");
            let is_own = OWN.iter().any(|own| shown.starts_with(own)) || about.contains(&name);
            if (is_quoted || is_used) && !is_own {
                fourth.push(format!("{shown} names {name}"));
            }
        }
    }
    assert_eq!(fourth, [""; 0], "a new implementation would have to be added there too");
}

/// In the crates of the solvers themselves, an implementation is in its own file and in the list.
#[test]
fn in_its_crate_an_implementation_is_in_its_own_file_and_in_the_list() {
    repro::distributed::register();
    for implementation in repro::implementation::catalogue() {
        let named: Vec<String> = OWN
            .iter()
            .flat_map(|own| rust_files(Path::new(own)))
            .filter(|path| code(path).contains(&format!("\"{}\"", implementation.name)))
            .map(|path| path.to_string_lossy().into_owned())
            .collect();
        assert_eq!(named.len(), 1, "{}: {named:?}", implementation.name);
    }
    let document = "docs/adding-an-implementation.md";
    let text = std::fs::read_to_string(document).unwrap();
    for place in ["kernels/", "crates/solvers/src", "built_in"] {
        assert!(text.contains(place), "{document} does not name {place}");
    }
}
