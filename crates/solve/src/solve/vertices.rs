//! Vertices that the user names.

use repro_terminal::Error;
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
    let table: Option<HashMap<&str, usize>> = match names {
        Names::Given(given) => {
            Some(given.iter().enumerate().map(|(vertex, name)| (&**name, vertex)).collect())
        }
        _ => None,
    };
    let find = |name: &&str| match &table {
        Some(table) => table.get(name).copied(),
        None => names.vertex(name, n),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_are_found_by_the_files_own_names() {
        let given = Names::Given(vec!["Ulm".into(), "Bonn".into()]);
        assert_eq!(chosen("--sources", "Bonn, Ulm,Bonn", &given, 2).unwrap(), [1, 0, 1]);
        assert_eq!(chosen("--sources", "1,3", &Names::FromOne, 3).unwrap(), [0, 2]);
        assert_eq!(chosen("--sources", "0", &Names::FromZero, 3).unwrap(), [0]);
    }

    #[test]
    fn a_file_has_one_name_on_each_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("chosen.txt");
        std::fs::write(&path, "Bad Ems, Lahn\n\n  Ulm \n").unwrap();
        let names = Names::Given(vec!["Ulm".into(), "Bad Ems, Lahn".into()]);
        let value = format!("@{}", path.display());
        assert_eq!(chosen("--targets", &value, &names, 2).unwrap(), [1, 0]);
    }

    #[test]
    fn what_is_no_vertex_is_refused_with_those_that_are() {
        let refused =
            |value: &str, names: &Names| chosen("--sources", value, names, 3).unwrap_err().to_string();
        let message = refused("1,4", &Names::FromOne);
        assert_eq!(message, "--sources: the graph has no vertex '4': its vertices are 1 to 3");
        assert!(refused("0", &Names::FromOne).contains("no vertex '0'"));
        assert!(refused("", &Names::FromZero).contains("no vertex ''"));
        assert!(refused("@not-there", &Names::FromZero).contains("not-there cannot be read"));
        let given = Names::Given(vec!["a".into(), "b".into(), "c".into()]);
        assert!(refused("d", &given).ends_with("its 3 vertices have names such as a and c"));
    }
}
