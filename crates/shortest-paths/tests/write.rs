//! Results in files, read again or left out as a whole.

use proptest::prelude::*;
use repro_graph::DistanceMatrix;
use shortest_paths::Element;
use shortest_paths::ElementType;
use shortest_paths::read::{Names, ReadOptions, StoredGraph, read};
use shortest_paths::write::{
    CsvRows, NpyWriter, OrderedWriter, OutputFormat, WriteError, WriteProblem, WriteRow,
};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Mutex;
use tempfile::TempDir;

/// The names in a folder.
fn listed(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn matrix_of<T: Element>(path: &Path) -> DistanceMatrix<T> {
    match read::<T>(path, &ReadOptions::default()).unwrap().graph {
        StoredGraph::Matrix(matrix) => matrix,
        StoredGraph::Arcs(_) => panic!("{} is no matrix", path.display()),
    }
}

/// Writes the matrix in each format and reads it again.
fn round_trip<T: Element>(n: usize, numbers: &[Option<f64>]) {
    let mut matrix = DistanceMatrix::<T>::without_edges(n).unwrap();
    for (at, number) in numbers.iter().take(n * n).enumerate().filter(|(at, _)| at / n != at % n) {
        if let Some(number) = number {
            matrix.add_edge(at / n, at % n, T::from_f64(*number));
        }
    }
    // In tmpfs a whole matrix is written as memory.
    for folder in [TempDir::new().unwrap(), TempDir::new_in("/dev/shm").unwrap()] {
        let path = folder.path().join("x.npy");
        let file = NpyWriter::begin(&path, n, n, T::TYPE).unwrap();
        file.reserve();
        file.write_whole(matrix.as_slice()).unwrap();
        file.finish_rows().unwrap();
        assert_eq!(matrix_of::<T>(&path), matrix);
    }
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x.npy");
    let file = NpyWriter::begin(&path, n, n, T::TYPE).unwrap();
    (0..n).rev().for_each(|row| file.write_row(row, matrix.row(row)).unwrap());
    file.finish_rows().unwrap();
    assert_eq!(matrix_of::<T>(&path), matrix);
    let path = folder.path().join("x.csv");
    let mut file = CsvRows::begin(&path, n, None, &Names::FromOne).unwrap();
    (0..n).for_each(|row| file.write_row(row, matrix.row(row)).unwrap());
    WriteRow::<T>::finish(Box::new(file)).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let mut again = DistanceMatrix::<T>::without_edges(n).unwrap();
    for line in text.lines().skip(1) {
        let [source, target, distance] = line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let at = |name: &str| name.parse::<usize>().unwrap() - 1;
        let distance = shortest_paths::read::parse_weight(distance.as_bytes()).unwrap();
        again.add_edge(at(source), at(target), distance);
    }
    assert_eq!(again, matrix);
    assert_eq!(listed(folder.path()), ["x.csv", "x.npy"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn what_was_written_reads_back_with_the_same_bits(
        n in 1_usize..7,
        integers in prop::collection::vec(prop::option::of(0_i32..32_000), 36),
        reals in prop::collection::vec(prop::option::of(0.0..1e30_f64), 36),
    ) {
        let integers: Vec<_> = integers.into_iter().map(|number| number.map(f64::from)).collect();
        round_trip::<u16>(n, &integers);
        round_trip::<i32>(n, &integers);
        round_trip::<f32>(n, &reals);
        round_trip::<f64>(n, &reals);
    }
}

#[test]
fn a_writer_that_is_not_finished_leaves_what_was_there() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x");
    std::fs::write(&path, "before").unwrap();
    let begin = || NpyWriter::begin(&path, 2, 2, ElementType::F32).unwrap();
    let file = begin();
    assert_eq!(listed(folder.path()), ["x", "x.new"]);
    file.write_row(1, &[1.0_f32, 2.0]).unwrap();
    drop(file);
    assert_eq!(listed(folder.path()), ["x"]);
    let file = begin();
    file.write_row(1, &[1.0_f32, 2.0]).unwrap();
    let few = file.finish_rows().unwrap_err();
    let file = begin();
    for (error, part) in [
        (few, "x: only 1 of 2 rows were written: write the others before the file is finished"),
        (file.write_whole(&[1.0_f32; 3]).unwrap_err(), "3 numbers were to be written"),
        (file.write_row(2, &[1.0_f32; 2]).unwrap_err(), "row 2 (counted from 0) of 2"),
    ] {
        assert!(error.to_string().contains(part), "{error}");
    }
    assert!(file.finish_rows().is_err());
    let mut file = CsvRows::begin(&path, 2, None, &Names::FromZero).unwrap();
    file.write_row(0, &[1_i32, 2]).unwrap();
    drop(file);
    assert_eq!(listed(folder.path()), ["x"]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "before");
}

#[test]
fn what_cannot_be_written_is_an_error_that_leaves_nothing() {
    let folder = TempDir::new().unwrap();
    let missing = folder.path().join("none/x");
    let message = NpyWriter::begin(&missing, 1, 1, ElementType::F32).unwrap_err().to_string();
    assert!(
        message.contains("none/x: cannot be written: ")
            && message.ends_with("make the folder, or choose another"),
        "{message}"
    );
    assert!(CsvRows::begin(&missing, 1, None, &Names::FromZero).is_err());
    // More than any file may have.
    assert!(NpyWriter::begin(&folder.path().join("x"), 1 << 31, 1 << 31, ElementType::F64).is_err());
    let taken = folder.path().join("taken");
    std::fs::create_dir(&taken).unwrap();
    let file = NpyWriter::begin(&taken, 1, 1, ElementType::F32).unwrap();
    file.write_row(0, &[0.0_f32]).unwrap();
    assert!(file.finish().is_err());
    assert_eq!(listed(folder.path()), ["taken"]);
    let file = NpyWriter::begin(&folder.path().join("x"), 1, 2, ElementType::F32).unwrap();
    assert!(file.write_row(1, &[0.0_f32; 2]).is_err());
    assert!(file.write_row(0, &[0.0_f32; 3]).is_err());
    for name in ["x.npz", "x.mtx", "x.parquet"] {
        let message = OutputFormat::of(Path::new(name)).unwrap_err().to_string();
        assert!(message.ends_with("stands for no format: use .npy or .csv"), "{message}");
    }
}

#[cfg(unix)]
#[test]
fn without_room_nothing_is_left() {
    if !crate::has_little_room("write::without_room_nothing_is_left", 0) {
        return;
    }
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x");
    let numbers = vec![0.0_f32; 1 << 16];
    let npy = NpyWriter::begin(&path, 1, numbers.len(), ElementType::F32)
        .and_then(|file| file.write_row(0, &numbers).and_then(|()| file.finish_rows()));
    let csv = CsvRows::begin(&path, numbers.len(), None, &Names::FromZero).and_then(|mut file| {
        file.write_row(0, &numbers).and_then(|()| WriteRow::<f32>::finish(Box::new(file)))
    });
    for written in [npy, csv] {
        let message = written.unwrap_err().to_string();
        assert!(message.contains("x: cannot be written: File too large"), "{message}");
        assert!(listed(folder.path()).is_empty());
    }
}

/// Keeps the rows that it is given, and fails at those of 13.
struct Rows<'a>(&'a Mutex<Vec<(usize, Vec<i32>)>>);

impl WriteRow<i32> for Rows<'_> {
    fn write_row(&mut self, source: usize, distances: &[i32]) -> Result<(), WriteError> {
        if distances == [13] {
            return Err(WriteProblem::Unwritable(ErrorKind::StorageFull.into()).at(self.path()));
        }
        self.0.lock().unwrap().push((source, distances.to_vec()));
        Ok(())
    }

    fn path(&self) -> &Path {
        Path::new("rows")
    }

    fn finish(self: Box<Self>) -> Result<(), WriteError> {
        Ok(())
    }
}

#[test]
fn rows_in_any_order_are_handed_on_in_theirs() {
    let written = Mutex::new(Vec::new());
    let begin = || OrderedWriter::new(Rows(&written));
    let rows = begin();
    for index in [2, 0, 1, 4, 3] {
        rows.write(index, index * 10, &[index as i32]).unwrap();
    }
    rows.finish().unwrap();
    let wanted: Vec<_> = (0..5).map(|index| (index as usize * 10, vec![index])).collect();
    assert_eq!(*written.lock().unwrap(), wanted);
    let rows = begin();
    rows.write(1, 1, &[0]).unwrap();
    assert!(rows.finish().unwrap_err().to_string().starts_with("rows: only 1 of 2 rows"));
    let rows = begin();
    rows.write(0, 0, &[0]).unwrap();
    assert!(rows.write(0, 0, &[0]).is_err());
    assert!(rows.finish().is_err());
    // Whoever comes later hears of the same reason.
    let rows = begin();
    rows.write(1, 1, &[0]).unwrap();
    for index in [0, 2] {
        let message = rows.write(index, 0, &[13]).unwrap_err().to_string();
        assert!(message.ends_with("make room, or choose another folder"), "{message}");
    }
    assert!(rows.finish().is_err());
}

/// The numbers in these bytes.
fn of<T: Element>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
}

#[test]
fn a_matrix_of_many_pieces_is_written_in_its_order() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x.npy");
    // Of i32, in which what is no path is written as one number, whatever a solver leaves.
    let (rows, columns) = (700, 3000);
    let numbers: Vec<i32> = (0..rows * columns).map(|at| at as i32).collect();
    let mut left = numbers.clone();
    left[5_000] = 1 << 29;
    let file = NpyWriter::begin(&path, rows, columns, ElementType::I32).unwrap();
    file.write_whole(&left).unwrap();
    file.finish_rows().unwrap();
    left[5_000] = i32::ABSENT;
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(of::<i32>(&bytes[bytes.len() - rows * columns * 4..]), left);
}
