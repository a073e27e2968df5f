//! A new implementation is two files of `kernels/`, or a file in `crates/solvers/src` and a line in `built_in`; and the experiment that runs it.
//! docs/adding-an-implementation.md describes them, and no other file may have to know its name.

use repro::implementation::{Parameters, Target};
use std::path::{Path, PathBuf};

/// Who names which implementation for a reason of their own, and need not name a new one: the CPU's columns, which every comparison
/// with the CPU begins with.
const ABOUT_SOME: [(&str, &[&str]); 1] =
    [("crates/records/src/results/summary.rs", &["cpu-naive", "cpu-parallel"])];

/// The crate of implementations.
const OWN: &str = "crates/solvers/src";

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let of = |path: PathBuf| {
        if path.is_dir() { rust_files(&path) } else { vec![path] }
    };
    entries.flat_map(of).filter(|path| path.extension().is_some_and(|end| end == "rs")).collect()
}

/// What is no comment and comes before the tests at a file's foot. Tests in files of their own are declared among the modules.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let has_body = |at: &usize| text[*at..].lines().nth(1).is_some_and(|line| line.ends_with('{'));
    let foot = text.match_indices("#[cfg(test)]").map(|(at, _)| at).find(has_body);
    let code = &text[..foot.unwrap_or(text.len())];
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn no_further_place_knows_the_name_of_an_implementation() {
    let is_test = |path: &Path| {
        path.components().any(|part| part.as_os_str() == "tests")
            || path.to_string_lossy().ends_with("tests.rs")
    };
    let files = ["src", "crates"].into_iter().flat_map(|room| rust_files(Path::new(room)));
    let codes: Vec<(String, String)> = files
        .filter(|path| !is_test(path))
        .map(|path| (path.to_string_lossy().into_owned(), code(&path)))
        .collect();
    let descriptions: Vec<String> = std::fs::read_dir("kernels")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let mut wrong = Vec::new();
    repro::distributed::register();
    for implementation in repro::implementation::catalogue() {
        let (name, module) = (&*implementation.name, implementation.name.replace('-', "_"));
        let (mut own, quoted) = (0, format!("\"{name}\""));
        for (file, code) in &codes {
            let about =
                ABOUT_SOME.iter().find(|(known, _)| known == file).map_or(&[][..], |(_, names)| names);
            // Solvers of the CPU are used as such: the reference is one.
            let is_used = code.contains(&format!("{module}::")) && !module.starts_with("cpu_");
            if file.starts_with(OWN) {
                own += usize::from(code.contains(&quoted));
            } else if (code.contains(&quoted) || is_used) && !about.contains(&name) {
                wrong.push(format!("{file} names {name}"));
            }
        }
        let kernels = implementation.kernels(Target::default(), &Parameters::default());
        let kernels = kernels.iter().flat_map(|set| set.names()).map(|kernel| format!("\"{kernel}\""));
        for kernel in kernels {
            let strange = codes.iter().filter(|(file, _)| !file.starts_with(OWN));
            let naming = strange.filter(|(_, code)| code.contains(&kernel));
            wrong.extend(naming.map(|(file, _)| format!("{file} names {kernel} of {name}")));
        }
        // In its own file, from which the list has it.
        let is_described = descriptions.iter().any(|text| text.contains(&format!("name = {quoted}\n")));
        if own + usize::from(is_described) != 1 {
            wrong
                .push(format!("{own} files of solvers name {name}, which has a description: {is_described}"));
        }
    }
    assert_eq!(wrong, [""; 0], "a new implementation would have to be added there too");
    let document = "docs/adding-an-implementation.md";
    let text = std::fs::read_to_string(document).unwrap();
    for place in ["kernels/", "crates/solvers/src", "built_in"] {
        assert!(text.contains(place), "{document} does not name {place}");
    }
}
