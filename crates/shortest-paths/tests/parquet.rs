//! Results as Parquet, read again by the crate that wrote them.

use parquet::basic::LogicalType;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use repro_graph::{DistanceMatrix, ElementType};
use shortest_paths::read::Names;
use shortest_paths::write::{InOrder, OutputFormat, ParquetRows, WriteRow, write_solution};
use shortest_paths::{ArcsBuilder, Options, Weight, solve};
use std::fs::File;
use std::path::Path;
use tempfile::TempDir;

/// The entries of a file, and the number of its row groups.
fn entries(path: &Path) -> (Vec<[Field; 3]>, usize) {
    let file = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let groups = file.num_row_groups();
    let rows = file.get_row_iter(None).unwrap().map(|row| {
        let row = row.unwrap();
        let names: Vec<&String> = row.get_column_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["source", "target", "distance"]);
        let fields: Vec<Field> = row.get_column_iter().map(|(_, field)| field.clone()).collect();
        fields.try_into().unwrap()
    });
    (rows.collect(), groups)
}

/// Writes a matrix and compares what is read.
pub fn round_trip<T: Weight>(matrix: &DistanceMatrix<T>) {
    let (n, folder) = (matrix.n(), TempDir::new().unwrap());
    let path = folder.path().join("x.parquet");
    let mut file = ParquetRows::<T>::begin(&path, n, None, &Names::FromOne).unwrap();
    (0..n).for_each(|source| file.write_row(source, matrix.row(source)).unwrap());
    file.finish().unwrap();
    let number = |field: &Field| match field {
        Field::UShort(number) if T::TYPE == ElementType::U16 => f64::from(*number),
        Field::Int(number) if T::TYPE == ElementType::I32 => f64::from(*number),
        Field::Float(number) if T::TYPE == ElementType::F32 => f64::from(*number),
        Field::Double(number) if T::TYPE == ElementType::F64 => *number,
        other => panic!("{other:?} in a file of {}", T::TYPE),
    };
    let present = matrix.as_slice().iter().enumerate().filter(|(_, number)| !number.is_absent());
    let expected: Vec<_> =
        present.map(|(at, distance)| (at / n + 1, at % n + 1, distance.to_f64())).collect();
    let found = entries(&path).0.into_iter().map(|[source, target, distance]| match (&source, &target) {
        (Field::Long(source), Field::Long(target)) => (*source as usize, *target as usize, number(&distance)),
        other => panic!("{other:?}"),
    });
    assert_eq!(found.collect::<Vec<_>>(), expected);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn named_vertices_are_strings_and_chosen_ones_are_those_asked_for() {
    let mut builder = ArcsBuilder::growing();
    builder.add(0, 1, 0.1_f32).unwrap();
    builder.add(1, 2, 2.0).unwrap();
    let (graph, _) = builder.build().unwrap();
    let options = Options { sources: Some(&[1, 0]), targets: Some(&[2, 0]), ..Options::default() };
    let solution = solve(&graph, &options).unwrap();
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x.Parquet");
    let names = Names::Given(["a", "b, c", "ä"].map(Box::from).to_vec());
    write_solution(&path, OutputFormat::of(&path).unwrap(), &solution, &names).unwrap();
    let text = |text: &str| Field::Str(text.to_string());
    let expected = [("b, c", "ä", 2.0), ("a", "ä", 2.1), ("a", "a", 0.0)];
    assert_eq!(entries(&path), (expected.map(|(s, t, d)| [text(s), text(t), Field::Float(d)]).to_vec(), 1));
    let file = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
    let source = file.metadata().file_metadata().schema_descr().column(0);
    assert_eq!(source.logical_type_ref(), Some(&LogicalType::String));
}

#[test]
fn many_pairs_are_written_by_groups_and_no_pair_at_all_is_a_table_too() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x.parquet");
    let n = 1040;
    let rows = InOrder::new(ParquetRows::<u16>::begin(&path, n, None, &Names::FromZero).unwrap());
    (0..n).rev().for_each(|source| rows.write(source, source, &vec![source as u16; n]).unwrap());
    rows.into_writer().unwrap().finish().unwrap();
    let (found, groups) = entries(&path);
    assert_eq!((found.len(), groups), (n * n, 2));
    let at = |at: usize| {
        [Field::Long((at / n) as i64), Field::Long((at % n) as i64), Field::UShort((at / n) as u16)]
    };
    assert!(found.iter().enumerate().all(|(place, entry)| *entry == at(place)));
    // Sources hardly change, targets repeat, and distances are as the sources.
    assert!(std::fs::metadata(&path).unwrap().len() < 4 * (n * n) as u64);
    let mut none = ParquetRows::begin(&path, 2, None, &Names::FromZero).unwrap();
    none.write_row(0, &[f32::INFINITY; 2]).unwrap();
    none.finish().unwrap();
    assert_eq!(entries(&path), (Vec::new(), 0));
}

#[cfg(unix)]
#[test]
fn without_room_nothing_is_left_and_later_rows_are_refused_with_the_reason() {
    if !crate::has_little_room(
        "parquet::without_room_nothing_is_left_and_later_rows_are_refused_with_the_reason",
        64,
    ) {
        return;
    }
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x.parquet");
    let mut file = ParquetRows::begin(&path, 1 << 16, None, &Names::FromZero).unwrap();
    // Numbers that cannot be packed, until the first group is on its way to the disk.
    let mut state = 1_u64;
    let mut row = || -> Vec<f64> {
        let next = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64
        };
        (0..1 << 16).map(next).collect()
    };
    let error = (0..17).find_map(|source| file.write_row(source, &row()).err()).unwrap().to_string();
    assert!(error.contains("x.parquet: cannot be written: File too large"), "{error}");
    let later = file.write_row(17, &row()).unwrap_err().to_string();
    assert!(
        later.contains("an earlier row could not be written: ") && later.contains("too large"),
        "{later}"
    );
    assert!(file.finish().is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
