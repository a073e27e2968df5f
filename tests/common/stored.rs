//! Committed runs, copied so that what is stored in them can be changed.

use repro::store::{Manifest, manifest_text};
use serde_json::Value;
use std::path::{Path, PathBuf};

pub const TABLE1: &str = "h200/table1";
pub const ABLATION: &str = "h200/ablation";
pub const KAPPA: &str = "h200/kappa-sweep";
pub const OCCUPANCY: &str = "h200/occupancy";
pub const SHAPES: &str = "h200/block-shapes";
pub const PHASES: &str = "h200/phases-unrolling";
pub const DEPTH: &str = "h200/stage-depth";
pub const LIMITS: &str = "h200/limits";
pub const RESIDENCY: &str = "h200/residency";
pub const WAITS: &str = "h200/launch-waits";
pub const DENSE: &str = "h200/dense-steps";
pub const TIMERS: &str = "h200/timers";
pub const STRUCTURE: &str = "emulated/structure";
pub const STRUCTURE_ORDER: &str = "emulated/structure-order";

/// The folder of a committed run, such as `h200/table1`. Where the model's cards have folders of their own, named with the first digits of
/// their UUIDs, it is the newest run in one of these.
pub fn reference(run: &str) -> PathBuf {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference");
    let (model, name) = run.split_once('/').unwrap_or((run, ""));
    let finished = |folder: &PathBuf| -> Option<String> {
        let manifest: Value =
            serde_json::from_slice(&std::fs::read(folder.join("manifest.json")).ok()?).ok()?;
        manifest["finished"].as_str().map(String::from)
    };
    let of_cards = cards(model).into_iter().map(|card| all.join(card).join(name));
    let newest = of_cards.filter(|folder| folder.is_dir()).max_by_key(finished);
    Some(all.join(run)).filter(|folder| folder.is_dir()).or(newest).unwrap_or_else(|| all.join(run))
}

/// The folders of the cards of a model.
pub fn cards(model: &str) -> Vec<String> {
    const DIGITS: usize = 8;
    let machines =
        std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference")).unwrap();
    let names = machines.map(|machine| machine.unwrap().file_name().into_string().unwrap());
    let is_card = |digits: &str| digits.len() == DIGITS && digits.bytes().all(|c| c.is_ascii_hexdigit());
    let is_of_model =
        |name: &String| name.strip_prefix(model).and_then(|rest| rest.strip_prefix('-')).is_some_and(is_card);
    let mut cards: Vec<String> = names.filter(is_of_model).collect();
    cards.sort();
    cards
}

/// A copy of a committed run in the folder `to`, which is made.
pub fn copy(run: &str, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for file in std::fs::read_dir(reference(run)).unwrap().map(Result::unwrap) {
        std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

/// Takes the digests of the run in `folder` as it is by now. One that has not finished has none, and a manifest that cannot be read stays.
pub fn redigest(folder: &Path) {
    let path = folder.join("manifest.json");
    let read = std::fs::read(&path).map(|text| serde_json::from_slice::<Manifest>(&text));
    let Ok(Ok(mut manifest)) = read else { return };
    if manifest.finished.is_some() {
        std::fs::write(path, manifest_text(folder, &mut manifest).unwrap()).unwrap();
    }
}

/// Changes the manifest of the run in `folder`, whose digests are then taken anew.
pub fn edit_manifest(folder: &Path, edit: impl FnOnce(&mut Value)) {
    let path = folder.join("manifest.json");
    let mut manifest = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    edit(&mut manifest);
    std::fs::write(path, serde_json::to_string_pretty(&manifest).unwrap()).unwrap();
    redigest(folder);
}

/// Makes the finished run in `folder` one that was stopped after its last sample.
pub fn unfinish(folder: &Path) {
    edit_manifest(folder, |manifest| {
        manifest["finished"] = Value::Null;
        manifest.as_object_mut().unwrap().remove("digests");
    });
}

/// Puts a part of a line after the last line of a file, as a kill leaves it.
pub fn tear(samples: &Path) {
    let mut text = std::fs::read(samples).unwrap();
    let last = text[..text.len() - 1].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    text.extend_from_within(last..text.len() - 20);
    std::fs::write(samples, text).unwrap();
}

/// A row of a CSV file.
pub struct Row {
    header: csv::StringRecord,
    fields: Vec<String>,
}

impl Row {
    fn at(&self, column: &str) -> Option<usize> {
        self.header.iter().position(|title| title == column)
    }

    /// A column that the file has not is empty.
    pub fn get(&self, column: &str) -> &str {
        self.at(column).map_or("", |at| &self.fields[at])
    }

    pub fn set(&mut self, column: &str, value: impl ToString) {
        let at = self.at(column).unwrap_or_else(|| panic!("no column {column}"));
        self.fields[at] = value.to_string();
    }

    pub fn n(&self) -> usize {
        self.get("n").parse().unwrap()
    }

    /// The seconds times `factor`, where there are any.
    pub fn scale(&mut self, factor: f64) {
        if let Ok(seconds) = self.get("seconds").parse::<f64>() {
            self.set("seconds", seconds * factor);
        }
    }
}

/// Writes the rows of a CSV file of a run again that `edit`, which may change them, says yes to, and takes its digests anew. Tells
/// how many rows it was.
pub fn edit_rows(file: &Path, mut edit: impl FnMut(&mut Row) -> bool) -> usize {
    let mut reader = csv::Reader::from_path(file).unwrap();
    let header = reader.headers().unwrap().clone();
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&header).unwrap();
    let mut kept = 0;
    for record in reader.records() {
        let fields = record.unwrap().iter().map(str::to_string).collect();
        let mut row = Row { header: header.clone(), fields };
        if edit(&mut row) {
            writer.write_record(&row.fields).unwrap();
            kept += 1;
        }
    }
    std::fs::write(file, writer.into_inner().unwrap()).unwrap();
    redigest(file.parent().unwrap());
    kept
}

/// Makes `row` one of a sample that failed. Tells whether to keep it, since such a sample has one row.
pub fn fail(row: &mut Row, message: &str) -> bool {
    for (column, value) in
        [("seconds", ""), ("status", "failed"), ("verified", "false"), ("message", message)]
    {
        row.set(column, value);
    }
    row.get("scope") == "kernel"
}
