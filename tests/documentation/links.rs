//! Links of a document to files and headings of this repository.

use crate::reports::reference_report::KEPT;
use std::path::Path;

/// Each link of `file` that leads nowhere. Links to other sites are not followed.
pub fn broken(root: &Path, file: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root.join(file)).unwrap();
    let folder = Path::new(file).parent().unwrap();
    let targets = text.split("](").skip(1).filter_map(|after| after.split(')').next());
    let is_here = |target: &&str| !target.starts_with("http");
    targets
        .filter(is_here)
        .filter(|target| is_made(target) || !exists(root, file, folder, target))
        .map(|target| format!("{file}: {target}"))
        .collect()
}

/// Whether it is of the committed report what is not in a clone, although somebody may have made it.
fn is_made(target: &str) -> bool {
    target.split_once("report/reference/").is_some_and(|(_, name)| !KEPT.contains(&name))
}

fn exists(root: &Path, file: &str, folder: &Path, target: &str) -> bool {
    let (path, heading) =
        target.split_once('#').map_or((target, None), |(path, heading)| (path, Some(heading)));
    let path = if path.is_empty() { root.join(file) } else { root.join(folder).join(path) };
    let has = |heading: &str| {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        text.lines().filter(|line| line.starts_with('#')).any(|line| anchor(line) == heading)
    };
    path.exists() && heading.is_none_or(has)
}

/// The name that a page gives to a heading: lower case, without punctuation, with hyphens for blanks.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|one| one.is_alphanumeric() || " -_".contains(*one));
    kept.map(|one| if one == ' ' { '-' } else { one }).collect()
}
