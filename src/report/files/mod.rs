//! A report on disk: its pages and, next to them, everything that they show as files to calculate with.

mod claims;

pub use claims::{ResultWords, claim_value, stored_claims};

use super::assemble::CELL_HEADER;
use super::{Exhibit, Report, pages};
use crate::store::{RecordError, json_text, read_json, write_atomically};
use repro_base::files::{UNFINISHED, refuse_link, refuse_links, unfinished};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

/// The file that lists what this program wrote into the folder. It makes the folder a report, and only listed files are ever removed.
const LIST: &str = "files.json";
const SCHEMA_VERSION: u32 = 1;
/// The report's folders for listed files.
const FOLDERS: [&str; 3] = ["experiments", "figures", "tables"];

#[derive(Serialize, Deserialize)]
struct List {
    schema_version: u32,
    /// Relative to the folder, with `/` between folder and name.
    files: BTreeSet<String>,
}

/// Writes `report` into the folder `out`: its [`pages`], `cells.csv`, `claims.csv`, `claims.json`, `claims.md`, `figures/ID.svg`, `.png` and
/// `.csv`, `tables/ID.csv` and `.md`.
///
/// An older report in `out` is replaced file by file; its figures and tables that are not in this one are removed. The same
/// report gives the same bytes.
///
/// # Errors
/// When `out` is a file, or a folder that holds something else than a report: nothing is then written. When an id cannot be
/// the name of a file. When something in `out` is a link. When a file cannot be written.
pub fn write(report: &Report, out: &Path) -> Result<(), RecordError> {
    let old = old_files(out)?;
    refuse_link(out).and_then(|()| refuse_links(out)).map_err(cannot_write(out))?;
    let files = contents(report, out)?;
    make_folder(out)?;
    // The list comes first: wherever this call stops, the list makes the folder a report that the next call replaces. Until the end it has
    // old and new names, so that each file is listed.
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
    // Temporary files that a killed call had not renamed yet.
    for name in all.iter().filter(|name| new.contains(*name) || removable(name)) {
        remove(&unfinished(&out.join(name)))?;
    }
    write_list(out, new)
}

/// Whether `out` holds a whole report: if its writer was stopped, files of its list are missing.
pub fn is_whole(out: &Path) -> bool {
    let list: Result<List, RecordError> = read_json(&out.join(LIST));
    list.is_ok_and(|list| !list.files.is_empty() && list.files.iter().all(|name| out.join(name).is_file()))
}

fn cannot_write(path: &Path) -> impl FnOnce(io::Error) -> RecordError {
    |source| RecordError::Write { path: path.to_path_buf(), source }
}

fn refuse<T>(path: &Path, reason: &str) -> Result<T, RecordError> {
    Err(cannot_write(path)(io::Error::other(reason.to_string())))
}

fn make_folder(path: &Path) -> Result<(), RecordError> {
    std::fs::create_dir_all(path).map_err(cannot_write(path))
}

/// The files that an older report in `out` lists; none where `out` is empty or does not exist, or holds only the unfinished first list of a
/// report.
fn old_files(out: &Path) -> Result<BTreeSet<String>, RecordError> {
    let path = out.join(LIST);
    if !path.is_file() {
        return refuse_what_is_no_report(out).map(|()| BTreeSet::new());
    }
    let List { schema_version, files } = read_json(&path)?;
    if schema_version != SCHEMA_VERSION {
        let problem = format!(
            "schema version {schema_version} is not the {SCHEMA_VERSION} that this repro writes: choose another folder with --out"
        );
        return Err(RecordError::Malformed { path, problem });
    }
    let mut folders = FOLDERS.into_iter().map(|folder| out.join(folder));
    match folders.find(|path| path.exists() && !path.is_dir()) {
        Some(path) => refuse(&path, "it is in the way of a folder of the report, and nothing was changed"),
        None => Ok(files),
    }
}

fn refuse_what_is_no_report(out: &Path) -> Result<(), RecordError> {
    let is_foreign = |entry: io::Result<std::fs::DirEntry>| {
        entry.map_or(true, |entry| entry.file_name() != format!("{LIST}{UNFINISHED}").as_str())
    };
    match std::fs::read_dir(out).map(|mut entries| entries.any(is_foreign)) {
        Ok(false) => Ok(()),
        Ok(true) => {
            refuse(out, "the folder holds something that is no report, and nothing in it was changed")
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            refuse(out, "it is a file, and a report is a folder")
        }
        Err(source) => Err(RecordError::Read { path: out.to_path_buf(), source }),
    }
}

fn write_list(out: &Path, files: BTreeSet<String>) -> Result<(), RecordError> {
    let list = List { schema_version: SCHEMA_VERSION, files };
    write_atomically(&out.join(LIST), &json_text(&out.join(LIST), &list)?)
}

/// Whether a listed name may be removed: that of a figure, table or page. A list that somebody edited removes nothing else.
fn removable(name: &str) -> bool {
    match name.split_once('/') {
        Some(("experiments" | "figures" | "tables", file)) => {
            file.split_once('.').is_some_and(|(stem, _)| is_stem(stem)) && !file.contains(['/', '\\'])
        }
        // Pages that only some reports have.
        _ => name != "index.html" && name.strip_suffix(".html").is_some_and(is_stem),
    }
}

fn remove(path: &Path) -> Result<(), RecordError> {
    repro_base::files::remove_if_there(path).map_err(cannot_write(path))
}

fn is_stem(id: &str) -> bool {
    !id.is_empty() && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// The content of every file but the list, by its name in the folder.
fn contents(report: &Report, out: &Path) -> Result<BTreeMap<String, Vec<u8>>, RecordError> {
    let own = [
        ("cells.csv", csv(CELL_HEADER.split(' ').map(String::from), &report.cells)),
        ("claims.csv", csv_by_name(&claims::rows(report))),
        ("claims.md", claims::markdown(report).into_bytes()),
        ("claims.json", json_text(&out.join("claims.json"), &claims::Json::new(report))?),
    ];
    let pages = pages(report).into_iter().map(|(name, page)| (name, page.into_bytes()));
    let mut files: BTreeMap<String, Vec<u8>> = pages.collect();
    files.extend(own.map(|(name, content)| (name.to_string(), content)));
    let mut add = |folder: &str, id: &str, extension: &str, content: Vec<u8>| {
        let path = PathBuf::from(format!("{folder}/{id}.{extension}"));
        let problem = match files.insert(path.display().to_string(), content) {
            _ if !is_stem(id) => "the name may have lower-case letters, digits and hyphens only",
            Some(_) => "two parts of the report have this name: one of them needs another",
            None => return Ok(()),
        };
        Err(RecordError::Malformed { path, problem: problem.to_string() })
    };
    let of_experiments = report.experiments.iter().flat_map(|page| &page.exhibits);
    for exhibit in of_experiments.chain(&report.stated).chain(&report.history).chain(&report.method) {
        let (Exhibit { id, figure, grid, csv, .. }, folder) = (exhibit, exhibit.folder());
        if !csv.is_empty() {
            add(folder, id, "csv", csv.clone())?;
        }
        match figure {
            Some(figure) => {
                add(folder, id, "svg", figure.svg.clone().into_bytes())?;
                add(folder, id, "png", figure.png.clone())?;
            }
            None => add(folder, id, "md", grid.markdown().into_bytes())?,
        }
    }
    Ok(files)
}

/// Rows as CSV; the header has the names of the first row.
pub(super) fn csv_by_name(rows: &[Vec<(&str, String)>]) -> Vec<u8> {
    let names = rows.iter().take(1).flatten().map(|(name, _)| name.replace('\n', " "));
    let texts = |row: &Vec<(&str, String)>| row.iter().map(|(_, text)| text.clone()).collect();
    csv(names, &rows.iter().map(texts).collect::<Vec<_>>())
}

/// Rows as CSV. Rows that are shorter than the header stay so.
pub(super) fn csv(header: impl IntoIterator<Item = String>, rows: &[Vec<String>]) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    for row in std::iter::once(&header.into_iter().collect()).chain(rows) {
        writer.write_record(row).expect("memory takes all that is written");
    }
    writer.into_inner().expect("memory takes all that is written")
}

#[cfg(test)]
mod tests {
    use super::*;

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
