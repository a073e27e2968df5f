//! Files are made in one place, which follows no link that somebody has prepared.

use super::root;
use std::path::{Path, PathBuf};

/// What makes a file, or gives it a name.
const MAKING: [&str; 8] = [
    "File::create",
    "File::options",
    "OpenOptions",
    "fs::write(",
    "fs::copy(",
    "fs::rename(",
    "tempfile::",
    "temp_dir()",
];
/// Where that is done outside of the crate for files, and why it harms nobody.
const ALLOWED: [(&str, &str, &str); 5] = [
    (
        "crates/confine/src/confined.rs",
        "folder: std::env::temp_dir()",
        "where a program runs that does nothing",
    ),
    ("crates/confine/src/inside/resources.rs", "/proc/self/oom_score_adj", "a file of the system"),
    ("crates/confine/src/keeper/mod.rs", "/dev/null", "a file of the system"),
    (
        "crates/emulator/src/compile.rs",
        "fs::rename(beside.join(\"kernel.so\"), path)",
        "from a scratch folder into the folder around it, the user's own",
    ),
    ("crates/emulator/src/compile.rs", "fs::rename(&made, kept)", "the same"),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            sources(&path, found);
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

/// The lines of the program in `text`, without those of its tests.
fn making(text: &str) -> Vec<&str> {
    let program = text
        .lines()
        .take_while(|line| !line.starts_with("#[cfg(test)]") && !line.starts_with("#[cfg(all(test"));
    let is_making =
        |line: &&str| !line.trim_start().starts_with("//") && MAKING.iter().any(|word| line.contains(word));
    program.filter(is_making).collect()
}

#[test]
fn files_are_made_by_the_crate_for_files_alone() {
    let mut all = Vec::new();
    sources(&root().join("src"), &mut all);
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap().path().join("src");
        if !folder.ends_with("files/src") {
            sources(&folder, &mut all);
        }
    }
    assert!(all.len() > 400, "{} files", all.len());
    let (mut used, mut wrong) = (Vec::new(), Vec::new());
    for path in all {
        let name = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        for line in making(&std::fs::read_to_string(&path).unwrap()) {
            match ALLOWED.iter().find(|(file, text, _)| *file == name && line.contains(text)) {
                Some(allowed) => used.push(allowed),
                None => wrong.push(format!("{name}: {}", line.trim())),
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "use repro_files, which follows no links");
    used.dedup();
    assert_eq!(used.len(), ALLOWED.len(), "an exception that nothing needs: {used:?}");
}

#[test]
fn what_makes_a_file_is_seen_and_tests_may_make_any() {
    let text = "let a = std::fs::write(path, b);\n// fs::write(\nlet b = File::create(x);\n#[cfg(test)]\nfs::write(y)";
    assert_eq!(making(text).len(), 2);
}
