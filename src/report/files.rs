//! A report on disk: the page, and beside it everything that it shows as files to calculate with.

mod claims;

pub use claims::{ResultWords, claim_value, stored_claims};

use super::assemble::CELL_HEADER;
use super::{Block, Report, Table, pages};
use crate::show::Grid;
use crate::store::{RecordError, json_text, read_json, write_atomically};
use repro_files::{UNFINISHED, refuse_link, refuse_links, unfinished};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

/// The list of what this program wrote into the folder. A folder with it is a report, and only what it lists is ever removed.
const LIST: &str = "files.json";
const SCHEMA_VERSION: u32 = 1;
/// Folders of the report, for what is listed below them.
const FOLDERS: [&str; 3] = ["experiments", "figures", "tables"];

#[derive(Serialize, Deserialize)]
struct List {
    schema_version: u32,
    /// Relative to the folder, with `/` between folder and name.
    files: BTreeSet<String>,
}

/// Writes `report` into the folder `out`: its [`pages`], `cells.csv`, `claims.csv`, `claims.json`, `claims.md`, `figures/ID.svg`, `.png` and
/// `.csv`, `tables/ID.csv` and `.md`. `dark` is as in [`pages`].
///
/// An older report in `out` is replaced file by file; its figures and tables that are not in this one are removed. The same
/// report gives the same bytes.
///
/// # Errors
/// When `out` is a file, or a folder that holds something else than a report: nothing is then written. When an id cannot be
/// the name of a file. When something in `out` is a link. When a file cannot be written.
pub fn write(report: &Report, out: &Path, dark: &[(&str, &str)]) -> Result<(), RecordError> {
    let old = old_files(out)?;
    refuse_link(out)
        .and_then(|()| refuse_links(out))
        .map_err(|source| RecordError::Write { path: out.to_path_buf(), source })?;
    let files = contents(report, dark, out)?;
    make_folder(out)?;
    // First, since it is what makes the folder a report that the next call replaces, wherever this one stops. Until all is done
    // it holds the old and the new names: then nothing is left that nobody knows.
    let new: BTreeSet<String> = files.keys().cloned().collect();
    let all: BTreeSet<String> = old.union(&new).cloned().collect();
    write_list(out, all.clone())?;
    FOLDERS.into_iter().try_for_each(|folder| make_folder(&out.join(folder)))?;
    for (name, content) in &files {
        write_atomically(&out.join(name), content)?;
    }
    for name in old.difference(&new).filter(|name| removable(name)) {
        remove(&out.join(name))?;
    }
    // What a call that was killed had not yet renamed.
    for name in all.iter().filter(|name| new.contains(*name) || removable(name)) {
        remove(&unfinished(&out.join(name)))?;
    }
    write_list(out, new)
}

/// Whether `out` holds a whole report: one whose writer was stopped lacks files of its list.
pub fn is_whole(out: &Path) -> bool {
    let list: Result<List, RecordError> = read_json(&out.join(LIST));
    list.is_ok_and(|list| !list.files.is_empty() && list.files.iter().all(|name| out.join(name).is_file()))
}

fn make_folder(path: &Path) -> Result<(), RecordError> {
    std::fs::create_dir_all(path).map_err(|source| RecordError::Write { path: path.to_path_buf(), source })
}

/// What an older report in `out` lists; nothing where `out` is empty or not there, or holds no more than the beginning of a
/// first list.
fn old_files(out: &Path) -> Result<BTreeSet<String>, RecordError> {
    let refuse = |path: &Path, reason: &str| {
        Err(RecordError::Write { path: path.to_path_buf(), source: io::Error::other(reason.to_string()) })
    };
    let path = out.join(LIST);
    if path.is_file() {
        let List { schema_version, files } = read_json(&path)?;
        if schema_version != SCHEMA_VERSION {
            let problem = format!(
                "schema version {schema_version} is not the {SCHEMA_VERSION} that this repro writes: choose another folder with --out"
            );
            return Err(RecordError::Malformed { path, problem });
        }
        let in_the_way = FOLDERS.into_iter().map(|folder| out.join(folder));
        return match in_the_way.into_iter().find(|path| path.exists() && !path.is_dir()) {
            Some(path) => {
                refuse(&path, "it is in the way of a folder of the report, and nothing was changed")
            }
            None => Ok(files),
        };
    }
    let refuse = |reason| refuse(out, reason);
    let is_foreign = |entry: io::Result<std::fs::DirEntry>| {
        entry.map_or(true, |entry| entry.file_name() != format!("{LIST}{UNFINISHED}").as_str())
    };
    match std::fs::read_dir(out) {
        Ok(mut entries) => match entries.any(is_foreign) {
            false => Ok(BTreeSet::new()),
            true => refuse("the folder holds something that is no report, and nothing in it was changed"),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            refuse("it is a file, and a report is a folder")
        }
        Err(source) => Err(RecordError::Read { path: out.to_path_buf(), source }),
    }
}

fn write_list(out: &Path, files: BTreeSet<String>) -> Result<(), RecordError> {
    let list = List { schema_version: SCHEMA_VERSION, files };
    write_atomically(&out.join(LIST), &json_text(&out.join(LIST), &list)?)
}

/// Whether a listed name is of a figure, a table or a page: a list that somebody edited removes nothing else.
fn removable(name: &str) -> bool {
    match name.split_once('/') {
        Some(("experiments" | "figures" | "tables", file)) => {
            file.split_once('.').is_some_and(|(stem, _)| is_stem(stem)) && !file.contains(['/', '\\'])
        }
        // Pages that not every report has.
        _ => name != "index.html" && name.strip_suffix(".html").is_some_and(is_stem),
    }
}

fn remove(path: &Path) -> Result<(), RecordError> {
    repro_files::remove_if_there(path)
        .map_err(|source| RecordError::Write { path: path.to_path_buf(), source })
}

fn is_stem(id: &str) -> bool {
    !id.is_empty() && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// Every file but the list, by its name in the folder.
fn contents(
    report: &Report,
    dark: &[(&str, &str)],
    out: &Path,
) -> Result<BTreeMap<String, Vec<u8>>, RecordError> {
    let mut files = BTreeMap::from([
        ("cells.csv".to_string(), rows(&CELL_HEADER, report.cells.clone())),
        ("claims.csv".to_string(), rows(claims::HEADER, claims::rows(report))),
        ("claims.md".to_string(), claims::markdown(report).into_bytes()),
        ("claims.json".to_string(), json_text(&out.join("claims.json"), &claims::Json::new(report))?),
    ]);
    for (name, page) in pages(report, dark) {
        files.insert(name, page.into_bytes());
    }
    let mut add = |folder: &str, id: &str, extension: &str, content: Vec<u8>| {
        let path = PathBuf::from(format!("{folder}/{id}.{extension}"));
        let problem = match files.insert(path.display().to_string(), content) {
            _ if !is_stem(id) => "the name may have lower-case letters, digits and hyphens only",
            Some(_) => "two parts of the report have this name: one of them needs another",
            None => return Ok(()),
        };
        Err(RecordError::Malformed { path, problem: problem.to_string() })
    };
    let of_sections = report.sections.iter().flat_map(|section| &section.figures);
    for figure in report.stated.iter().chain(&report.ratios).chain(of_sections) {
        add("figures", &figure.id, "svg", standalone(&figure.svg).into_bytes())?;
        add("figures", &figure.id, "png", figure.png.clone())?;
        add("figures", &figure.id, "csv", figure.csv.clone().into_bytes())?;
    }
    for table in tables(report) {
        let Grid { header, rows: cells, .. } = &table.grid;
        let header: Vec<String> = header.iter().map(|title| title.replace('\n', " ")).collect();
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        add("tables", &table.id, "csv", rows(&header, cells.clone()))?;
        add("tables", &table.id, "md", table.grid.markdown().into_bytes())?;
    }
    Ok(files)
}

fn tables(report: &Report) -> impl Iterator<Item = &Table> {
    let blocks = report.method.iter().flat_map(|topic| &topic.blocks);
    let of_method = blocks.filter_map(|block| match block {
        Block::Table(table) => Some(table),
        _ => None,
    });
    report.sections.iter().flat_map(|section| &section.tables).chain(of_method)
}

/// Rows as CSV. Rows that are shorter than the header stay so.
fn rows(header: &[&str], rows: Vec<Vec<String>>) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    let header = header.iter().map(ToString::to_string).collect();
    for row in std::iter::once(header).chain(rows) {
        writer.write_record(&row).expect("memory takes all that is written");
    }
    writer.into_inner().expect("memory takes all that is written")
}

/// An `<svg>` element as a file of its own.
fn standalone(element: &str) -> String {
    let element = element.trim_start();
    let opening = element.split_once('>').map_or(element, |(opening, _)| opening);
    let named = match opening.contains("xmlns=") {
        true => element.to_string(),
        false => element.replacen("<svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"", 1),
    };
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n", named.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_of_its_own_names_its_language() {
        let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
        let with = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\"><g/></svg>\n";
        assert_eq!(standalone("<svg width=\"1\"><g/></svg>"), format!("{head}{with}"));
        assert_eq!(standalone(with), format!("{head}{with}"));
    }

    #[test]
    fn only_what_a_report_has_is_ever_removed() {
        assert!(["history.html", "claims.html", "experiments/table1.html"].into_iter().all(removable));
        assert!(removable("figures/table1-seconds.svg"));
        assert!(removable("tables/a.md"));
        for name in [
            "index.html",
            "figures/../notes.txt",
            "figures/a/b.svg",
            "/etc/hosts",
            "figures/",
            "figures/A.svg",
        ] {
            assert!(!removable(name), "{name}");
        }
    }
}
