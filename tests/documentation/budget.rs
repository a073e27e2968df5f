//! Lines of code: the table in docs/design.md has the most that each room may have, and this test counts them.

use super::rooms::program_files;
use super::root;
use std::collections::BTreeMap;
use std::path::Path;

const PAGE: &str = "docs/design.md";
/// The line above the table.
const HEAD: &str = "|room|folders|code lines|";
/// The room of what lies in no other's folder, and that of everything.
const REST: &str = "the rest";
const ALL: &str = "all";
/// A room that is so far below its number has room to grow unseen.
const SLACK: usize = 50;

/// A row of the table: a room, its folders, and the most lines that it may have.
struct Budget {
    room: String,
    folders: Vec<String>,
    most: usize,
}

fn budgets() -> Vec<Budget> {
    let page = std::fs::read_to_string(root().join(PAGE)).unwrap();
    let rows = page.lines().skip_while(|line| *line != HEAD).skip(2).take_while(|line| line.starts_with('|'));
    let budget = |row: &str| {
        let mut cells = row.trim_matches('|').split('|');
        let mut cell = || cells.next().unwrap_or_else(|| panic!("{PAGE}: {row}: expected {HEAD}"));
        let (room, folders, most) = (cell().to_string(), cell(), cell().replace(',', ""));
        // Between backticks.
        let folders = folders.split('`').skip(1).step_by(2).map(String::from).collect();
        let most = most.parse().unwrap_or_else(|_| panic!("{PAGE}: {row}: '{most}' is no number"));
        Budget { room, folders, most }
    };
    rows.map(budget).collect()
}

/// Lines that are neither blank nor a comment alone nor in a module of tests.
pub fn code_lines(text: &str) -> Vec<&str> {
    let (mut lines, mut code) = (text.lines().peekable(), Vec::new());
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        if trimmed.starts_with("#[cfg(test)]") || trimmed.starts_with("#[cfg(all(test") {
            while lines.next_if(|line| line.trim().starts_with("#[")).is_some() {}
            let is_module = |line: &&str| {
                let begin = line.trim().split(['(', ' ']).next();
                ["pub", "mod"].map(Some).contains(&begin) && line.contains("mod ") && line.ends_with('{')
            };
            if let Some(module) = lines.next_if(is_module) {
                // The brace that ends it stands where it begins.
                let end = format!("{}}}", &module[..module.len() - module.trim_start().len()]);
                _ = lines.find(|line| *line == end);
            }
        } else if !trimmed.is_empty() && !trimmed.starts_with("//") {
            code.push(line);
        }
    }
    code
}

/// The lines of each room, of which the first whose folder has a file counts it. Of a crate its `src` belongs to a room.
fn counted(budgets: &[Budget]) -> BTreeMap<&str, usize> {
    let mut counted: BTreeMap<&str, usize> = budgets.iter().map(|budget| (budget.room.as_str(), 0)).collect();
    let all = ["src", "crates"].into_iter().flat_map(|folder| program_files(Path::new(folder)));
    for path in all {
        let is_in = |folder: &String| {
            let is_crate = folder.starts_with("crates/") && Path::new(folder).iter().count() == 2;
            let source = if is_crate { "src" } else { "" };
            path.starts_with(Path::new(folder).join(source))
        };
        let room = budgets.iter().find(|budget| budget.folders.iter().any(is_in));
        let lines = code_lines(&std::fs::read_to_string(&path).unwrap()).len();
        for room in [room.map_or(REST, |budget| budget.room.as_str()), ALL] {
            *counted.get_mut(room).unwrap_or_else(|| panic!("{PAGE}: there is no row of '{room}'")) += lines;
        }
    }
    counted
}

#[test]
fn every_room_has_the_lines_that_its_budget_says() {
    let budgets = budgets();
    let counted = counted(&budgets);
    let mut wrong = Vec::new();
    for Budget { room, most, .. } in &budgets {
        let lines = counted[room.as_str()];
        if lines > *most {
            wrong.push(format!("{room}: {lines} code lines, {} above its budget of {most}: take out as many, here or by using what another room has", lines - most));
        } else if lines + SLACK < *most {
            wrong.push(format!(
                "{room}: {lines} code lines, {} below its budget of {most}: lower it",
                most - lines
            ));
        }
    }
    assert!(wrong.is_empty(), "{PAGE}, \"{HEAD}\":\n{}", wrong.join("\n"));
    for folder in budgets.iter().flat_map(|budget| &budget.folders) {
        assert!(root().join(folder).is_dir(), "{PAGE}: there is no {folder}");
    }
}
