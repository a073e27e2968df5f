use super::*;
use crate::blocks::Block;
use crate::read::file_blocks;
use crate::write::NpyWriter;
use crate::{Blocks, DistanceMatrix, Element, ElementType, RandomGraph, generate};
use proptest::prelude::*;
use tempfile::TempDir;

/// The bytes of a file as NumPy's documentation lays them out, made without the code under test.
fn by_hand(version: u8, dictionary: &str, numbers: &[u8]) -> Vec<u8> {
    let start = if version == 1 { 10 } else { 12 };
    let padded = (start + dictionary.len() + 1).next_multiple_of(64) - start;
    let mut file = vec![0x93, b'N', b'U', b'M', b'P', b'Y', version, 0];
    if version == 1 {
        file.extend((padded as u16).to_le_bytes());
    } else {
        file.extend((padded as u32).to_le_bytes());
    }
    file.extend(dictionary.bytes());
    file.resize(start + padded - 1, b' ');
    file.push(b'\n');
    file.extend(numbers);
    file
}

fn dictionary(descr: &str, n: usize) -> String {
    format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({n}, {n}), }}")
}

fn open(content: &[u8], element: ElementType) -> Result<(TempDir, Box<dyn Blocks>), String> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x.npy");
    std::fs::write(&path, content).unwrap();
    let prefix = format!("{}/", folder.path().display());
    match file_blocks(&path, element) {
        Ok(blocks) => Ok((folder, blocks)),
        Err(error) => Err(error.to_string().replace(&prefix, "")),
    }
}

/// All numbers of a graph.
fn whole<T: Element>(blocks: &dyn Blocks) -> Result<Vec<T>, String> {
    let n = blocks.n();
    let mut numbers = vec![T::ZERO; n * n];
    blocks.read(0..n, 0..n, n, bytemuck::cast_slice_mut(&mut numbers)).map_err(|error| error.to_string())?;
    Ok(numbers)
}

fn read<S: Element, T: Element>(numbers: &[S], n: usize) -> Result<Vec<T>, String> {
    let file = by_hand(1, &dictionary(&NpyHeader::new(S::TYPE, &[]).descr, n), bytemuck::cast_slice(numbers));
    let (folder, blocks) = open(&file, T::TYPE)?;
    let prefix = format!("{}/", folder.path().display());
    whole(&*blocks).map_err(|error| error.replace(&prefix, ""))
}

#[test]
fn files_of_every_version_and_type_are_read() {
    const INF: f32 = f32::INFINITY;
    let numbers = [0.0_f32, INF, -2.5, 0.0];
    // Numbers begin wherever the header ends.
    let header = format!("{}   \n", dictionary("<f4", 2));
    let start = [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes()].concat();
    assert_ne!(start.len() % 4, 0);
    let unaligned = [&start, bytemuck::cast_slice(&numbers)].concat();
    let by_version =
        [1, 2, 3].map(|version| by_hand(version, &dictionary("<f4", 2), bytemuck::cast_slice(&numbers)));
    for file in by_version.into_iter().chain([unaligned]) {
        let (_folder, blocks) = open(&file, ElementType::F32).unwrap();
        assert_eq!(whole::<f32>(&*blocks).unwrap(), numbers);
    }
    let file =
        by_hand(1, "{\"shape\":(2,2),'fortran_order':False , 'descr':'<f4'}", bytemuck::cast_slice(&numbers));
    assert!(open(&file, ElementType::F32).is_ok());
    assert_eq!(read::<f64, f32>(&[-0.0, f64::INFINITY, 0.5, 0.0], 2), Ok(vec![0.0, INF, 0.5, 0.0]));
    assert_eq!(read::<i32, f32>(&[0, i32::ABSENT, -7, 0], 2), Ok(vec![0.0, INF, -7.0, 0.0]));
    assert_eq!(read::<f64, f32>(&[0.0, 0.1, -7.0, 0.0], 2), Ok(vec![0.0, 0.1, -7.0, 0.0]));
    assert_eq!(read::<u16, i32>(&[0, 32767, 32766, 0], 2), Ok(vec![0, i32::ABSENT, 32766, 0]));
    assert_eq!(read::<f32, u16>(&[0.0, INF, 9.0, 0.0], 2), Ok(vec![0, u16::ABSENT, 9, 0]));
}

#[test]
fn numbers_that_are_no_weights_are_named_with_their_place() {
    let wrong = |numbers: &[f32]| read::<f32, f32>(numbers, 2).unwrap_err();
    assert!(wrong(&[0.0, 1.0, f32::NAN, 0.0]).starts_with("the weight of edge (1, 0) is NaN"));
    assert!(wrong(&[0.0, f32::NEG_INFINITY, 1.0, 0.0]).starts_with("the weight of edge (0, 1) is -inf"));
    assert!(wrong(&[0.0, 1.0, 1.0, 3.0]).contains("the diagonal entry of vertex 1 (counted from 0) is 3"));
    for (refused, message) in [
        (read::<f64, f32>(&[0.0, 1.0, f64::NAN, 0.0], 2).err(), "NaN at [1, 0], which f32"),
        (
            read::<f64, f32>(&[0.0, 1e300, 1.0, 0.0], 2).err(),
            "the array holds 1e300 at [0, 1], which f32 does not hold",
        ),
        (read::<f32, i32>(&[0.0, 6e8, 1.0, 0.0], 2).err(), "600000000 at [0, 1], which i32"),
        (read::<i32, i32>(&[0, 1 << 29, 1, 0], 2).err(), "edge (0, 1) is 536870912, which i32"),
        (read::<i32, u16>(&[0, -1, 1, 0], 2).err(), "-1 at [0, 1], which u16"),
        (read::<i32, u16>(&[0, 32767, 1, 0], 2).err(), "32767 at [0, 1], which u16"),
    ] {
        let refused = refused.unwrap();
        assert!(refused.contains(message), "{refused}");
    }
}

#[test]
fn headers_that_are_wrong_say_what_was_found_and_what_is_expected() {
    let numbers = [0_u8; 16];
    let with = |from: &str, to: &str| by_hand(1, &dictionary("<f4", 2).replace(from, to), &numbers);
    let right = with("", "");
    for (file, message) in [
        (right[..7].to_vec(), "expected a header of NumPy's .npy format"),
        (right[..50].to_vec(), "expected a header of NumPy's .npy format"),
        (by_hand(4, "", &[]), "expected version 1.0, 2.0 or 3.0 of the .npy format, found version 4.0"),
        (
            b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec(),
            "a header of at most 1 MiB, found one of 4294967295 bytes",
        ),
        (with("<f4", "<f2"), "numbers of type '<f2': expected integers, float32, float64 or bool"),
        (with("'<f4'", "[('a', '<f4')]"), "expected a dictionary"),
        (with("False", "True"), "numpy.ascontiguousarray"),
        (with("False", "No"), "expected a dictionary with 'descr', 'fortran_order' and 'shape'"),
        (with("'shape': (2, 2), ", ""), "expected a dictionary"),
        (with("'shape'", "'size'"), "expected a dictionary"),
        (with("}", ""), "expected a dictionary"),
        (with("(2, 2)", "(2, -2)"), "expected a dictionary"),
        (with("(2, 2)", "(2, 99999999999999999999)"), "expected a dictionary"),
        (with("(2, 2), }", "(2, 2), } + 1"), "expected a dictionary"),
        (
            with("(2, 2)", "(4,)"),
            "has shape [4], but (n, n), a matrix with as many rows as columns was expected",
        ),
        (with("(2, 2)", "(1, 4)"), "has shape [1, 4], but (n, n)"),
        (
            right[..right.len() - 1].to_vec(),
            "x.npy: the array: has 143 bytes, and its header promises 144: is it truncated?",
        ),
    ] {
        let found = open(&file, ElementType::F32).err().unwrap_or_default();
        assert!(found.contains(message), "{found} for {message}");
        assert!(found.chars().all(|c| !c.is_control()), "{found:?}");
    }
    let folder = TempDir::new().unwrap();
    assert!(file_blocks(&folder.path().join("none"), ElementType::F32).is_err());
}

fn numbers<T: Element>(matrix: &DistanceMatrix<T>, block: &Block) -> Vec<u8> {
    let rows = block.rows.clone().map(|row| &matrix.row(row)[block.columns.clone()]);
    rows.flat_map(|row| bytemuck::cast_slice::<T, u8>(row).to_vec()).collect()
}

/// Three rows of four blocks.
fn blocks(n: usize) -> Vec<Block> {
    let cut = |at: usize, of: usize| at * n / of..(at + 1) * n / of;
    (0..12).map(|at| Block { rows: cut(at / 4, 3), columns: cut(at % 4, 4) }).collect()
}

#[test]
fn two_writers_of_one_file_at_the_same_time_make_what_one_makes() {
    let n = 101;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x.npy");
    let graph = RandomGraph { density: 0.5, ..RandomGraph::complete(1) };
    let matrix = generate::<i32>(&graph, n).unwrap();
    // What a solver left slightly below absent is written as absent.
    let mut left = matrix.clone();
    left.as_mut_slice().iter_mut().filter(|weight| weight.is_absent()).for_each(|weight| *weight -= 5);
    let first = NpyWriter::begin(&path, n, n, ElementType::I32).unwrap();
    let second = NpyWriter::open(&path, n, ElementType::I32).unwrap();
    std::thread::scope(|scope| {
        for (turn, writer) in [&first, &second].into_iter().enumerate() {
            let left = &left;
            scope.spawn(move || {
                for block in blocks(n).iter().skip(turn).step_by(2) {
                    writer.write_block(block, &numbers(left, block)).unwrap();
                }
                writer.sync().unwrap();
            });
        }
    });
    assert!(!path.exists());
    drop(second);
    first.finish().unwrap();
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["x.npy"]);
    let expected = by_hand(1, &dictionary("<i4", n), bytemuck::cast_slice(matrix.as_slice()));
    assert_eq!(std::fs::read(&path).unwrap(), expected);
    assert_eq!(whole::<i32>(&*file_blocks(&path, ElementType::I32).unwrap()).unwrap(), matrix.as_slice());
}

#[test]
fn what_its_first_process_drops_leaves_no_file_and_what_was_begun_for_something_else_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x.npy");
    let count = || std::fs::read_dir(folder.path()).unwrap().count();
    assert!(NpyWriter::open(&path, 3, ElementType::F32).is_err());
    let first = NpyWriter::begin(&path, 3, 3, ElementType::F32).unwrap();
    let message = NpyWriter::open(&path, 4, ElementType::F32).err().unwrap().to_string();
    assert!(message.contains("(3, 3)") && message.contains("(4, 4)"), "{message}");
    drop(NpyWriter::open(&path, 3, ElementType::F32).unwrap());
    assert_eq!((count(), path.exists()), (1, false));
    drop(first);
    assert_eq!(count(), 0);
    assert!(NpyWriter::begin(&folder.path().join("none/x.npy"), 3, 3, ElementType::F32).is_err());
    assert!(NpyWriter::begin(&path, usize::MAX, usize::MAX, ElementType::F32).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn what_is_written_is_read_by_any_block(
        n in 1usize..30, seed: u64, density in 0.0..=1.0f64, a in 0usize..30, b in 0usize..30,
    ) {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("x.npy");
        let matrix = generate::<f64>(&RandomGraph { density, negative: true, ..RandomGraph::complete(seed) }, n).unwrap();
        let writer = NpyWriter::begin(&path, n, n, ElementType::F64).unwrap();
        for block in blocks(n) {
            writer.write_block(&block, &numbers(&matrix, &block)).unwrap();
        }
        writer.finish().unwrap();
        let (a, b) = (a % (n + 1), b % (n + 1));
        let part = Block { rows: a.min(b)..a.max(b), columns: (a / 2).min(b)..b };
        let width = part.columns.len();
        for element in [ElementType::F32, ElementType::F64, ElementType::I32] {
            let mut found = vec![0; part.entries().unwrap() * element.bytes()];
            let blocks = file_blocks(&path, element).unwrap();
            blocks.read(part.rows.clone(), part.columns.clone(), width, &mut found).unwrap();
            let expected: Box<dyn Blocks> = match element {
                ElementType::F32 => Box::new(matrix.convert::<f32>().unwrap()),
                ElementType::I32 => Box::new(matrix.convert::<i32>().unwrap()),
                _ => Box::new(matrix.clone()),
            };
            let mut right = vec![0; found.len()];
            expected.read(part.rows.clone(), part.columns.clone(), width, &mut right).unwrap();
            prop_assert_eq!(found, right);
        }
    }
}
