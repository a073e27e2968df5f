//! Results in files, read again or left out as a whole.

use proptest::prelude::*;
use repro_graph::DistanceMatrix;
use shortest_paths::Element;
use shortest_paths::ElementType;
use shortest_paths::read::{Names, ReadOptions, StoredGraph, read};
use shortest_paths::write::{CsvRows, NpyWriter, WriteRow};
use std::path::Path;
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
    #![proptest_config(ProptestConfig::with_cases(8))]
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
}

#[test]
fn a_matrix_of_many_pieces_is_written_in_its_order() {
    let (folder, n) = (TempDir::new().unwrap(), 1500);
    let path = folder.path().join("x.npy");
    let number = |row: usize, column: usize| if row == column { 0 } else { (row * n + column) as i32 };
    let mut numbers: Vec<i32> = (0..n * n).map(|at| number(at / n, at % n)).collect();
    // In i32 what is no path is written as one number, whatever a solver leaves.
    numbers[5_000] = 1 << 29;
    let file = NpyWriter::begin(&path, n, n, ElementType::I32).unwrap();
    file.write_whole(&numbers).unwrap();
    file.finish_rows().unwrap();
    numbers[5_000] = i32::ABSENT;
    assert!(matrix_of::<i32>(&path).as_slice() == numbers);
}
