//! The one script of the page, since the page's policy names the hash of one.

/// What narrows and copies, and what makes figures answer.
const PARTS: [&str; 2] =
    [include_str!("../../../report/script.js"), include_str!("../../../report/charts.js")];

/// The script without comments and indentation: pages are sent around, and the sources stand in the repository.
pub(super) fn script() -> String {
    let lines = PARTS.iter().flat_map(|part| part.lines()).map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with("//")).map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_has_both_parts_and_nothing_that_only_its_authors_read() {
        let script = script();
        assert!(script.contains("class Chart") && script.contains("clipboard"));
        assert!(script.lines().all(|line| !line.starts_with([' ', '/'])));
        // Lines are cut: no text may reach over the end of one.
        assert!(PARTS.iter().flat_map(|part| part.lines()).all(|line| line.matches('`').count() % 2 == 0));
        assert!(script.len() < 24_000, "{}", script.len());
    }
}
