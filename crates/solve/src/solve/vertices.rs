//! Vertices that the user names.

use repro_base::terminal::Error;
use shortest_paths::read::Names;
use std::collections::HashMap;

/// The vertices of `--sources` or `--targets`: names with commas between them, or a file with one on each line.
///
/// # Errors
/// The option, the name that is no vertex, and which there are.
pub(super) fn chosen(option: &str, value: &str, names: &Names, n: usize) -> Result<Vec<usize>, Error> {
    let file = value.strip_prefix('@');
    let text = match file {
        Some(path) => std::fs::read_to_string(path)
            .map_err(|error| format!("{option} {value}: {path} cannot be read: {error}"))?,
        None => value.to_string(),
    };
    let listed: Vec<&str> = match file {
        Some(_) => text.lines().map(str::trim).filter(|line| !line.is_empty()).collect(),
        None => text.split(',').map(str::trim).collect(),
    };
    if listed.is_empty() {
        return Err(format!("{option} {value} names no vertex: name at least one").into());
    }
    // The names that are looked for, since the graph has many more.
    let mut table: HashMap<&str, Option<usize>> = listed.iter().map(|name| (*name, None)).collect();
    if let Names::Given(given) = names {
        for (vertex, name) in given.iter().enumerate() {
            table.entry(name).and_modify(|place| *place = Some(vertex));
        }
    }
    let find = |name: &&str| match names {
        Names::Given(_) => table.get(name).copied().flatten(),
        _ => names.vertex(name, n),
    };
    listed.iter().map(|name| find(name).ok_or_else(|| unknown(option, name, names, n))).collect()
}

/// What to answer to a name that is no vertex's.
pub(crate) fn unknown(option: &str, name: &str, names: &Names, n: usize) -> Error {
    let first = names.name(0);
    let last = names.name(n.saturating_sub(1));
    let there = match names {
        Names::Given(_) => format!("its {n} vertices have names such as {first} and {last}"),
        _ => format!("its vertices are {first} to {last}"),
    };
    format!("{option}: the graph has no vertex '{name}': {there}").into()
}
