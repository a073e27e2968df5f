//! The one script of the page, since the page's policy names the hash of one.

/// What narrows and copies, and what makes figures answer.
const PARTS: [&str; 2] =
    [include_str!("../../../report/script.js"), include_str!("../../../report/charts.js")];

/// The script without comments and indentation: pages are sent around, and the sources stand in the repository.
pub(super) fn script() -> String {
    let lines = PARTS.iter().flat_map(|part| part.lines()).map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with("//")).map(|line| format!("{line}\n")).collect()
}
