//! The file of a machine's history.

use super::acknowledgements::ACKNOWLEDGED;
use super::row::{HistoryRow, file_for, rows_of};
use super::table::{HistoryError, Table, add, check_rows, read_table};
use crate::results::StoredRun;
use std::io;
use std::path::{Path, PathBuf};

/// A machine's history, as its file holds it.
pub type History = Table<HistoryRow>;

/// The outcome of appending rows.
#[derive(Clone, Debug, PartialEq)]
pub struct AppendReport {
    pub path: PathBuf,
    pub added: usize,
    /// Rows that the file already had: with the same time, commit, experiment, cell, device and median.
    pub skipped: usize,
    /// Rows, added or there already, that were [disturbed](HistoryRow::is_disturbed).
    pub disturbed: usize,
    /// Bytes of a last line that was no whole row and was cut off.
    pub torn_bytes: usize,
}

/// Appends the rows of `run` to its machine's file in `folder`, as [`append_rows`] does.
///
/// # Errors
/// As [`append_rows`].
pub fn append(folder: &Path, run: &StoredRun) -> Result<AppendReport, HistoryError> {
    append_rows(&folder.join(file_for(run)), &rows_of(run))
}

/// Asserts that the rows of `run` can be appended, as far as that can be checked without writing.
///
/// # Errors
/// As [`append_rows`].
pub fn check(folder: &Path, run: &StoredRun) -> Result<(), HistoryError> {
    check_rows(&folder.join(file_for(run)), &rows_of(run))
}

/// Appends the rows that the file `path` does not have yet; makes the file and its folder if they do not exist.
///
/// # Errors
/// When another version wrote the file, a line in it is no row, a row to append is not valid, or the file cannot be written.
/// Nothing is added then.
pub fn append_rows(path: &Path, rows: &[HistoryRow]) -> Result<AppendReport, HistoryError> {
    let (added, torn_bytes) = add(path, rows)?;
    let disturbed = rows.iter().filter(|row| row.is_disturbed()).count();
    Ok(AppendReport { path: path.to_path_buf(), added, skipped: rows.len() - added, disturbed, torn_bytes })
}

/// Reads a history; without a file it is empty. A last line without a line end that is no whole row is left out.
///
/// # Errors
/// When it cannot be read, another version wrote it, or a line in it is no row.
pub fn read(path: &Path) -> Result<History, HistoryError> {
    read_table(path)
}

/// Reads every `.csv` file in `folder` but that of acknowledgements, by name: the histories, and why others could not be read or are empty.
///
/// # Errors
/// When the folder cannot be read.
pub fn read_folder(folder: &Path) -> Result<(Vec<History>, Vec<HistoryError>), HistoryError> {
    let failed = |source| HistoryError::Read { path: folder.to_path_buf(), source };
    let entries =
        std::fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>).map_err(failed)?;
    let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    paths.retain(|path| {
        path.extension().is_some_and(|is| is == "csv") && !path.ends_with(ACKNOWLEDGED) && path.is_file()
    });
    paths.sort();
    let mut errors = Vec::new();
    let known = paths.iter().filter_map(|path| read(path).map_err(|error| errors.push(error)).ok());
    let (known, empty): (Vec<_>, Vec<_>) = known.partition(|history| !history.rows.is_empty());
    errors.extend(empty.into_iter().map(|History { path, .. }| HistoryError::Empty { path }));
    Ok((known, errors))
}

#[cfg(test)]
mod tests {
    //! Checks on files of histories: written and read back, torn, damaged, and written by several at once.

    use super::super::row::tests::row;
    use super::super::table::TableRow;
    use super::*;
    use crate::store::write_rows;
    use crate::timing::Estimate;
    use proptest::prelude::*;
    use repro_base::CellId;

    fn file() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history/nvidia-h200.csv");
        (folder, path)
    }

    const HEADER: &str = HistoryRow::HEADER;

    fn written(rows: &[HistoryRow]) -> Vec<u8> {
        [HEADER.as_bytes(), &write_rows(rows, false)].concat()
    }

    #[test]
    fn a_row_is_added_once_and_disturbed_ones_are_counted() {
        let (_folder, path) = file();
        // Two GPUs of one host, measured at once, are two.
        let other = HistoryRow { device_uuid: "GPU-2".into(), throttled: Some(true), ..row(1, 1.0) };
        for (added, skipped) in [(2, 0), (0, 2)] {
            let report = append_rows(&path, &[row(1, 1.0), other.clone()]).unwrap();
            assert_eq!((report.added, report.skipped, report.disturbed), (added, skipped, 1));
        }
    }

    #[test]
    fn a_last_line_torn_anywhere_is_cut_off_and_told_and_a_whole_one_is_kept() {
        let (_folder, path) = file();
        let rows = [
            row(1, 1.0),
            HistoryRow { sm_mhz: Some(19), cell: CellId::new("a", 2, "κ=\"4\"", ""), ..row(2, 1.5) },
        ];
        let whole = written(&rows);
        let last = written(&rows[..1]).len();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        // Around each end of a line, and at some places within.
        let ends = [0, HEADER.len(), last, whole.len()];
        for cut in
            (0..=whole.len()).filter(|cut| cut % 31 == 0 || ends.iter().any(|end| end.abs_diff(*cut) < 3))
        {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let kept = match cut {
                cut if cut + 1 >= whole.len() => 2,
                cut if cut + 1 >= last => 1,
                _ => 0,
            };
            let is_torn = ![0, HEADER.len(), last - 1, last, whole.len() - 1, whole.len()].contains(&cut);
            let found = read(&path).unwrap();
            assert_eq!((&found.rows[..], found.torn_bytes > 0), (&rows[..kept], is_torn), "{cut}");
            let new = row(3, 2.0);
            let appended = append_rows(&path, std::slice::from_ref(&new)).unwrap();
            assert_eq!((appended.added, appended.torn_bytes), (1, found.torn_bytes), "{cut}");
            let expected = [&rows[..kept], &[new]].concat();
            assert_eq!(std::fs::read(&path).unwrap(), written(&expected), "{cut}");
        }
    }

    #[test]
    fn a_damaged_file_is_named_with_the_line_and_nothing_is_written() {
        let (_folder, path) = file();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let whole = String::from_utf8(written(&[row(1, 1.0), row(2, 1.0)])).unwrap();
        let line = |at: usize| whole.lines().nth(at).unwrap();
        for (text, parts) in [
            (whole.replacen("1.0,", "one,", 1), ["line 2 is not a row", "restore the file"]),
            (whole.replacen(line(1), "<<<<<<< ours", 1), ["line 2", "mend it"]),
            (whole.replacen(line(1), "", 1), ["line 2", "empty"]),
            (whole.replacen("0123abcd", "0123", 1), ["line 2", "graph_digest = 0123"]),
            (
                whole.replacen("2026-03-01T12:00:00Z", "yesterday", 1),
                ["line 2", "yesterday is not of RFC 3339"],
            ),
            (whole.replacen("1.0,", "NaN,", 1), ["line 2", "median_s = NaN"]),
            (whole.replacen("0.999,", "2,", 1), ["line 2", "the interval 2.0 to"]),
            (whole.replacen(",staged-load", ",\"staged-load", 1), ["line 2", "mend it"]),
            (whole.replacen(",dirty", ",unclean", 1), ["line 1 is not the header", "move it away"]),
            ("not a history".into(), ["line 1 is not the header", "the repro that wrote it"]),
        ] {
            std::fs::write(&path, &text).unwrap();
            for error in [read(&path).unwrap_err(), append_rows(&path, &[row(3, 1.0)]).unwrap_err()] {
                let error = error.to_string();
                assert!(
                    error.contains("nvidia-h200.csv") && parts.iter().all(|part| error.contains(part)),
                    "{error}"
                );
            }
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn a_row_that_is_not_valid_is_refused_before_anything_is_made() {
        let (folder, path) = file();
        let of_two_lines = HistoryRow { driver: "a\nb".into(), ..row(1, 1.0) };
        let returned = HistoryRow { driver: "a\rb".into(), ..row(1, 1.0) };
        let wrong = [
            (row(1, f64::NAN), "median_s = NaN"),
            (of_two_lines, "several lines"),
            (returned, "several lines"),
        ];
        for (wrong, said) in wrong {
            let error = append_rows(&path, &[wrong]).unwrap_err().to_string();
            assert!(error.contains(said) && !folder.path().join("history").exists(), "{error}");
        }
    }

    #[test]
    fn a_file_of_another_place_is_refused_and_who_may_read_it_stays() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let (folder, path) = file();
        append_rows(&path, &[row(1, 1.0)]).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o664)).unwrap();
        append_rows(&path, &[row(2, 1.0)]).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o664);
        let bytes = std::fs::read(&path).unwrap();
        for (name, is_link) in [("link.csv", true), ("second.csv", false)] {
            let other = folder.path().join(name);
            if is_link { symlink(&path, &other) } else { std::fs::hard_link(&path, &other) }.unwrap();
            let error = append_rows(&other, &[row(3, 1.0)]).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains("nothing was added"), "{error}");
            assert_eq!(std::fs::read(&path).unwrap(), bytes);
            assert_eq!(other.is_symlink(), is_link);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn what_is_written_is_read_back(
            texts in proptest::collection::vec("[^\r\n]{0,12}", 10), dirty: bool, n in 1_usize..100_000,
            samples in 1_usize..50, median_s in 1e-9_f64..1e4, ends in (0.0_f64..1.0, 0.0_f64..1.0), ci_confidence in 0.0_f64..=1.0,
            clock: Option<u32>, beside: bool, digest: u32, power_w in proptest::option::of(0.0_f64..1e3), throttled: Option<bool>,
        ) {
            let [commit, experiment, implementation, params, graph, device, device_uuid, driver, compiler, host_cpu]: [String; 10] =
                texts.try_into().unwrap();
            let whole = HistoryRow {
                commit, dirty, experiment, cell: CellId { implementation, n, params, graph }, samples,
                seconds: Estimate { value: median_s, low: median_s * (1.0 - ends.0), high: median_s * (1.0 + ends.1) }, ci_confidence,
                device, device_uuid, driver, compiler, host_cpu, sm_mhz: clock, beside,
                power_w, temperature_c: clock, throttled, others_load: power_w, graph_digest: format!("{digest:08x}"),
                ..row(1, 1.0)
            };
            let (_folder, path) = file();
            prop_assert_eq!(append_rows(&path, std::slice::from_ref(&whole)).unwrap().added, 1);
            prop_assert_eq!(append_rows(&path, std::slice::from_ref(&whole)).unwrap().skipped, 1);
            prop_assert_eq!(read(&path).unwrap().rows, vec![whole]);
        }
    }
}
