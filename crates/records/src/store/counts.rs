//! `counts.csv`: what the kernels of a cell did to memory on the emulated device, one row a kernel.

use repro_base::CellId;
use repro_device::emulated::Counts;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use std::collections::BTreeSet;
use std::fmt;

/// The name of a figure, and where it is kept.
type Figure = (&'static str, fn(&mut Counts) -> &mut u64);

/// Every figure of [`Counts`], whose documentation explains each, under the name that files have for it. This list alone knows both:
/// columns are written and read by it, and the baseline of counts takes its figures from it.
const FIGURES: [Figure; 34] = [
    ("launches", |counts| &mut counts.launches),
    ("blocks", |counts| &mut counts.blocks),
    ("threads", |counts| &mut counts.threads),
    ("barriers", |counts| &mut counts.barriers),
    ("warp_operations", |counts| &mut counts.warp_operations),
    ("atomics", |counts| &mut counts.atomics),
    ("global_load_requests", |counts| &mut counts.global_load.requests),
    ("global_load_bytes", |counts| &mut counts.global_load.bytes),
    ("global_load_distinct_bytes", |counts| &mut counts.global_load.distinct_bytes),
    ("global_load_sectors", |counts| &mut counts.global_load.sectors),
    ("global_store_requests", |counts| &mut counts.global_store.requests),
    ("global_store_bytes", |counts| &mut counts.global_store.bytes),
    ("global_store_distinct_bytes", |counts| &mut counts.global_store.distinct_bytes),
    ("global_store_sectors", |counts| &mut counts.global_store.sectors),
    ("shared_load_requests", |counts| &mut counts.shared_load.requests),
    ("shared_load_bytes", |counts| &mut counts.shared_load.bytes),
    ("shared_load_distinct_bytes", |counts| &mut counts.shared_load.distinct_bytes),
    ("shared_load_parts_32", |counts| &mut counts.shared_load.banks_32.parts),
    ("shared_load_steps_32", |counts| &mut counts.shared_load.banks_32.steps),
    ("shared_load_worst_32", |counts| &mut counts.shared_load.banks_32.worst),
    ("shared_load_parts_16", |counts| &mut counts.shared_load.banks_16.parts),
    ("shared_load_steps_16", |counts| &mut counts.shared_load.banks_16.steps),
    ("shared_load_worst_16", |counts| &mut counts.shared_load.banks_16.worst),
    ("shared_store_requests", |counts| &mut counts.shared_store.requests),
    ("shared_store_bytes", |counts| &mut counts.shared_store.bytes),
    ("shared_store_distinct_bytes", |counts| &mut counts.shared_store.distinct_bytes),
    ("shared_store_parts_32", |counts| &mut counts.shared_store.banks_32.parts),
    ("shared_store_steps_32", |counts| &mut counts.shared_store.banks_32.steps),
    ("shared_store_worst_32", |counts| &mut counts.shared_store.banks_32.worst),
    ("shared_store_parts_16", |counts| &mut counts.shared_store.banks_16.parts),
    ("shared_store_steps_16", |counts| &mut counts.shared_store.banks_16.steps),
    ("shared_store_worst_16", |counts| &mut counts.shared_store.banks_16.worst),
    ("shared_bytes", |counts| &mut counts.shared_bytes),
    ("dynamic_shared_bytes", |counts| &mut counts.dynamic_shared_bytes),
];

/// The figure of `counts` that files call `name`. None where there is none of that name.
pub fn counted(counts: &Counts, name: &str) -> Option<u64> {
    let (_, place) = FIGURES.iter().find(|(known, _)| *known == name)?;
    Some(number(place, counts))
}

fn number(place: &fn(&mut Counts) -> &mut u64, counts: &Counts) -> u64 {
    *place(&mut { *counts })
}

/// All launches of one kernel in one solve. Files have a column a figure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountRow {
    pub cell: CellId,
    pub kernel: String,
    pub counts: Counts,
    /// Tasks that its blocks did, those of padding vertices included. None of a kernel that does none.
    pub tasks: Option<u64>,
    /// After how many of its launches the matrix was none that the plain algorithm has after any iteration. None where nobody looked.
    pub unlike_plain: Option<u64>,
}

impl CountRow {
    pub fn new(cell: &CellId, kernel: &str, counts: &Counts, tasks: Option<u64>) -> Self {
        Self { cell: cell.clone(), kernel: kernel.to_string(), counts: *counts, tasks, unlike_plain: None }
    }

    /// Whether it is about the same kernel of the same cell.
    pub fn is_of(&self, other: &Self) -> bool {
        (&self.cell, &self.kernel) == (&other.cell, &other.kernel)
    }
}

impl Serialize for CountRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_struct("CountRow", FIGURES.len() + 7)?;
        row.serialize_field("implementation", &self.cell.implementation)?;
        row.serialize_field("n", &self.cell.n)?;
        row.serialize_field("params", &self.cell.params)?;
        row.serialize_field("kernel", &self.kernel)?;
        for (name, place) in &FIGURES {
            row.serialize_field(name, &number(place, &self.counts))?;
        }
        row.serialize_field("graph", &self.cell.graph)?;
        row.serialize_field("tasks", &self.tasks)?;
        row.serialize_field("unlike_plain", &self.unlike_plain)?;
        row.end()
    }
}

impl<'de> Deserialize<'de> for CountRow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Columns)
    }
}

/// Reads a row by the names of its columns, in whatever order; those that are not known are passed over.
struct Columns;

impl<'de> Visitor<'de> for Columns {
    type Value = CountRow;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a row of counts.csv")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut columns: A) -> Result<CountRow, A::Error> {
        let (mut row, mut seen) = (CountRow::default(), BTreeSet::new());
        while let Some(name) = columns.next_key::<String>()? {
            match name.as_str() {
                "implementation" => row.cell.implementation = columns.next_value()?,
                "n" => row.cell.n = columns.next_value()?,
                "params" => row.cell.params = columns.next_value()?,
                "graph" => row.cell.graph = columns.next_value()?,
                "kernel" => row.kernel = columns.next_value()?,
                "tasks" => row.tasks = columns.next_value()?,
                "unlike_plain" => row.unlike_plain = columns.next_value()?,
                name => match FIGURES.iter().find(|(known, _)| *known == name) {
                    Some((_, place)) => *place(&mut row.counts) = columns.next_value()?,
                    None => drop(columns.next_value::<IgnoredAny>()?),
                },
            }
            if let Some(twice) = seen.replace(name) {
                return Err(A::Error::custom(format!("column `{twice}` comes twice")));
            }
        }
        // Runs of one graph had no column for its name at first.
        let needed = ["implementation", "n", "params", "kernel"].into_iter();
        match needed.chain(FIGURES.map(|(name, _)| name)).find(|name| !seen.contains(*name)) {
            Some(missing) => Err(A::Error::missing_field(missing)),
            None => Ok(row),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::files::read_rows;
    use crate::store::sample::write_rows;

    #[test]
    fn a_column_that_is_missing_or_comes_twice_and_what_is_no_count_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("counts.csv");
        assert_eq!(read_rows::<CountRow>(&path).unwrap(), []);
        let counts = Counts { launches: 200, ..Counts::default() };
        let row = CountRow::new(&CellId::new("a", 64, "x=1", "g"), "k", &counts, Some(300));
        let text = String::from_utf8(write_rows(&[row], true)).unwrap();
        for (from, to, told) in [
            ("atomics", "other", "missing field `atomics`"),
            ("atomics", "threads", "`threads` comes twice"),
            ("x=1,k,200", "x=1,k,-1", "invalid digit"),
        ] {
            std::fs::write(&path, text.replace(from, to)).unwrap();
            let error = read_rows::<CountRow>(&path).unwrap_err().to_string();
            assert!(error.contains("counts.csv") && error.contains(told), "{error}");
        }
    }
}
