//! Files as other programs write them.

use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;
use repro_graph::ElementType;
use shortest_paths::read::{
    AnyGraph, Format, GraphInput, Names, Numbering, ReadOptions, Reason, StoredGraph, ZeroPolicy, read,
    read_typed,
};
use shortest_paths::{DroppedArcs, Element, Graph};
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The options that find everything out.
const PLAIN: ReadOptions =
    ReadOptions { format: None, undirected: false, numbering: None, zeros: ZeroPolicy::Arcs };

/// A file in a folder of its own.
fn file(name: &str, content: &[u8]) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    (folder, path)
}

fn read_bytes<T: Element>(
    name: &str,
    content: &[u8],
    options: &ReadOptions,
) -> Result<GraphInput<T>, String> {
    let (folder, path) = file(name, content);
    let prefix = format!("{}/", folder.path().display());
    read(&path, options).map_err(|error| error.to_string().replace(&prefix, ""))
}

/// All arcs: tail, head, weight.
fn arcs<T: Element>(loaded: &GraphInput<T>) -> Vec<(usize, usize, T)> {
    let mut all = Vec::new();
    for tail in 0..loaded.n() {
        let mut add = |head, weight| all.push((tail, head, weight));
        match &loaded.graph {
            StoredGraph::Arcs(graph) => graph.for_each_arc(tail, &mut add),
            StoredGraph::Matrix(graph) => graph.for_each_arc(tail, &mut add),
        }
    }
    all
}

/// The graph that every fixture holds.
const FIXTURE: [(usize, usize, i32); 7] =
    [(0, 1, 3), (0, 3, 7), (1, 0, 8), (1, 2, 2), (2, 0, 5), (2, 3, 1), (3, 0, 2)];

#[test]
fn files_of_numpy_and_scipy_hold_the_graph_that_was_stored() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    for (name, format, dense) in [
        ("float64.npy", Format::Npy, true),
        ("float32_fortran.npy", Format::Npy, true),
        ("arr_0.npz", Format::Npz, true),
        ("named.npz", Format::Npz, true),
        ("int64_csr.npz", Format::Npz, false),
        ("float64_csr_stored.npz", Format::Npz, false),
        ("int64_coo.mtx", Format::MatrixMarket, false),
        ("float64_array.mtx", Format::MatrixMarket, true),
    ] {
        fn check<T: Element>(path: &Path, format: Format, dense: bool) {
            let loaded = read::<T>(path, &PLAIN).unwrap();
            let wanted: Vec<_> = FIXTURE.iter().map(|(u, v, w)| (*u, *v, T::from_f64((*w).into()))).collect();
            assert_eq!(arcs(&loaded), wanted, "{}", path.display());
            assert_eq!(
                (loaded.format, loaded.gzip, loaded.dropped),
                (format, false, DroppedArcs { absent: if dense { 5 } else { 0 }, ..DroppedArcs::default() })
            );
            assert_eq!(matches!(loaded.graph, StoredGraph::Matrix(_)), dense);
        }
        let path = folder.join(name);
        check::<f32>(&path, format, dense);
        check::<i32>(&path, format, dense);
        let plain = std::fs::read(&path).unwrap();
        let packed = gzip(&plain);
        let loaded = read_bytes::<i32>(&format!("{name}.gz"), &packed, &PLAIN).unwrap();
        assert_eq!((arcs(&loaded), loaded.gzip), (FIXTURE.to_vec(), true), "{name}");
        let cut = read_bytes::<i32>("x", &packed[..packed.len() - 1], &PLAIN).unwrap_err();
        assert!(cut.contains("cannot be unpacked"), "{cut}");
        let (typed, reason) = read_typed(&path, None, &PLAIN).unwrap();
        let chosen = match name {
            "float32_fortran.npy" => (ElementType::F32, Reason::StoredAsF32),
            _ => (ElementType::I32, Reason::Integers { longest: 22.0 }),
        };
        assert_eq!((typed.element(), reason), chosen, "{name}");
    }
    let message = read::<i32>(&folder.join("int64_coo.npz"), &PLAIN).unwrap_err().to_string();
    assert!(
        message.ends_with("int64_coo.npz: is a sparse matrix in the format 'coo': save its tocsr()"),
        "{message}"
    );
}

pub fn gzip(content: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(content).unwrap();
    packed.finish().unwrap()
}

#[test]
fn the_vertices_of_an_edge_list_are_numbered_or_named() {
    let read = |text: &str| read_bytes::<i32>("x.txt", text.as_bytes(), &PLAIN).unwrap();
    let zero = read("# FromNodeId ToNodeId\r\n% more\n\n2 0 5\n0\t1\t1\n0 1 4\n1 1 9\n");
    assert_eq!((arcs(&zero), &zero.names), (vec![(0, 1, 1), (2, 0, 5)], &Names::FromZero));
    assert_eq!(zero.dropped, DroppedArcs { duplicates: 1, self_loops: 1, absent: 0 });
    let one = read("2 4 0\n4 1 7\n");
    assert_eq!((arcs(&one), one.n(), &one.names), (vec![(1, 3, 0), (3, 0, 7)], 4, &Names::FromOne));
    let far = read("4000000000 7 1\n7 20 2\n");
    assert_eq!(arcs(&far), [(0, 1, 2), (2, 0, 1)]);
    assert_eq!(far.names, Names::Given(["7", "20", "4000000000"].map(Box::from).to_vec()));
    let words = read("b a 3\n1 b 1\n01 b 1\n");
    assert_eq!(words.names, Names::Given(["b", "a", "1", "01"].map(Box::from).to_vec()));
    assert_eq!(arcs(&words), [(0, 1, 3), (2, 0, 1), (3, 0, 1)]);
    assert_eq!(words.names.vertex("01", words.n()), Some(3));
}

#[test]
fn the_numbering_of_an_edge_list_can_be_asked_for() {
    let read = |text: &str, numbering| {
        read_bytes::<f32>("x.txt", text.as_bytes(), &ReadOptions { numbering: Some(numbering), ..PLAIN })
    };
    let zero = read("9 1\n", Numbering::FromZero).unwrap();
    assert_eq!((zero.n(), arcs(&zero)), (10, vec![(9, 1, 1.0)]));
    let one = read("9 1\n", Numbering::FromOne).unwrap();
    assert_eq!((one.n(), arcs(&one)), (9, vec![(8, 0, 1.0)]));
    let named = read("0 1\n", Numbering::Named).unwrap();
    assert_eq!(named.names, Names::Given(["0", "1"].map(Box::from).to_vec()));
    for (text, numbering, found) in
        [("1 2\n0 1\n", Numbering::FromOne, "0"), ("1 2\n-1 1\n", Numbering::FromZero, "-1")]
    {
        let message = read(text, numbering).unwrap_err();
        assert!(
            message.starts_with(&format!("x.txt:2: `{found}` is no number of a vertex from")),
            "{message}"
        );
    }
}

#[test]
fn undirected_files_hold_both_arcs() {
    let both = [(0, 1, 3), (1, 0, 3)];
    let undirected = ReadOptions { undirected: true, ..PLAIN };
    let text = b"%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n2 1 3\n";
    assert_eq!(arcs(&read_bytes::<i32>("x", text, &PLAIN).unwrap()), both);
    let array = b"%%MatrixMarket matrix array integer general\n2 2\n0 3\n5 0\n";
    for text in [&b"p sp 2 1\na 1 2 3\n"[..], b"1 2 3\n", array] {
        assert_eq!(arcs(&read_bytes::<i32>("x", text, &undirected).unwrap()), both);
    }
    let skew = b"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n";
    assert_eq!(arcs(&read_bytes::<i32>("x", skew, &PLAIN).unwrap()), [(0, 1, -3), (1, 0, 3)]);
    let pattern = b"%%MatrixMarket matrix coordinate pattern general\n2 2 2\n2 1\n2 2\n";
    let pattern = read_bytes::<u16>("x", pattern, &PLAIN).unwrap();
    assert_eq!((arcs(&pattern), pattern.dropped.self_loops), (vec![(1, 0, 1)], 1));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    for name in ["float64.npy", "int64_csr.npz", "int64_coo.mtx", "float64_array.mtx"] {
        let loaded = read::<i32>(&folder.join(name), &undirected).unwrap();
        let both_ways = FIXTURE.iter().flat_map(|&(u, v, weight)| [(u, v, weight), (v, u, weight)]);
        let mut wanted: Vec<_> = both_ways.collect();
        wanted.sort_unstable();
        // The least of both weights stays.
        wanted.dedup_by_key(|(u, v, _)| (*u, *v));
        assert_eq!(arcs(&loaded), wanted, "{name}");
    }
}

/// A `.npy` file by hand.
pub fn npy(descr: &str, shape: &str, numbers: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let length = (text.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], text.as_bytes(), numbers].concat()
}

#[test]
fn integers_of_numpy_are_weights_but_for_the_one_that_is_no_arc() {
    for (descr, mark, weight, chosen) in [
        ("<u2", 32_767, 32_768, ElementType::I32),
        ("<u2", 32_767, 40_000, ElementType::I32),
        (">u2", 32_767, 65_535, ElementType::I32),
        ("<i4", (1 << 30) - 1, 1 << 29, ElementType::F32),
        ("<i4", (1 << 30) - 1, 1 << 28, ElementType::F32),
        ("<i4", (1 << 30) - 1, -(1 << 28), ElementType::F32),
        ("<i4", (1 << 30) - 1, i32::MIN, ElementType::F32),
        ("<i4", (1 << 30) - 1, 600_000_001, ElementType::F64),
        (">i4", (1 << 30) - 1, i32::MAX, ElementType::F64),
    ] {
        let bytes = |number: i32| match descr.as_bytes() {
            b"<u2" => (number as u16).to_le_bytes().to_vec(),
            b">u2" => (number as u16).to_be_bytes().to_vec(),
            b"<i4" => number.to_le_bytes().to_vec(),
            _ => number.to_be_bytes().to_vec(),
        };
        let content = npy(descr, "(2, 2)", &[0, weight, mark, 0].map(bytes).concat());
        let (_folder, path) = file("x.npy", &content);
        assert_eq!(read_typed(&path, None, &PLAIN).unwrap().0.element(), chosen, "{descr} {weight}");
        let loaded = read::<f64>(&path, &PLAIN).unwrap();
        assert_eq!((arcs(&loaded), loaded.dropped.absent), (vec![(0, 1, weight.into())], 1));
        // At once and from a stream.
        for name in ["x.npy", "x.npy.gz"] {
            let content = if name == "x.npy" { content.clone() } else { gzip(&content) };
            let message = read_bytes::<u16>(name, &content, &PLAIN).unwrap_err();
            assert!(message.contains(&weight.to_string()), "{message}");
            let in_i32 = read_bytes::<i32>(name, &content, &PLAIN);
            let is_named = |message: String| message.contains(&weight.to_string());
            assert_eq!(in_i32.err().map(is_named), descr.ends_with("i4").then_some(true));
        }
    }
}

#[test]
fn the_type_is_chosen_by_the_weights() {
    let choose = |weights: &str| {
        let (_folder, path) = file("x.txt", format!("0 1 {}\n", weights.replace(' ', "\n1 0 ")).as_bytes());
        let (typed, reason) = read_typed(&path, None, &PLAIN).unwrap();
        (typed.element(), reason)
    };
    assert_eq!(choose("5 -3.0"), (ElementType::I32, Reason::Integers { longest: 8.0 }));
    assert_eq!(choose("268435455 0"), (ElementType::I32, Reason::Integers { longest: 268_435_455.0 }));
    let longest = 268_435_456.0;
    // 2^28 itself is a multiple of itself, and with a 1 beside it sums are rounded.
    assert_eq!(choose("268435456 0"), (ElementType::F32, Reason::ExactInF32 { longest }));
    let rounded = Reason::RoundedInF32 { longest: longest + 1.0, fractions: false };
    assert_eq!(choose("268435456 1"), (ElementType::F64, rounded));
    assert_eq!(choose("0.5 2"), (ElementType::F32, Reason::ExactInF32 { longest: 2.5 }));
    let rounded = Reason::RoundedInF32 { longest: 16_777_216.5, fractions: true };
    assert_eq!(choose("16777216 0.5"), (ElementType::F64, rounded));
    assert_eq!(choose("0.1 2"), (ElementType::F64, Reason::NotInF32 { weight: 0.1 }));
    assert_eq!(choose("16777217 0.5"), (ElementType::F64, Reason::NotInF32 { weight: 16_777_217.0 }));
    assert_eq!(choose("300000001 1"), (ElementType::F64, Reason::NotInF32 { weight: 300_000_001.0 }));
    let (_folder, path) = file("x.txt", b"0 1 5\n");
    let (typed, reason) = read_typed(&path, Some(ElementType::U16), &PLAIN).unwrap();
    assert!(
        matches!(&typed, AnyGraph::U16(loaded) if arcs(loaded) == [(0, 1, 5)]) && reason == Reason::Asked
    );
    let (_folder, path) = file("x", &npy("<f4", "(1, 1)", &[0; 4]));
    assert_eq!(read_typed(&path, None, &PLAIN).unwrap().1, Reason::StoredAsF32);
}

#[test]
fn every_refusal_names_the_file_the_line_the_value_and_a_remedy() {
    let zeros = [0_u8; 16];
    let minus = [&zeros[..8], &(-1.0_f32).to_le_bytes(), &zeros[..4]].concat();
    let nan = [&zeros[..8], &f32::NAN.to_le_bytes(), &zeros[..4]].concat();
    let cases: &[(&str, &[u8], &str)] = &[
        ("x", b"", "x: is empty: expected"),
        ("x.txt", b"# none\n", "x.txt: a graph of 0 vertices has no paths"),
        (
            "x.txt",
            b"1 2 70000\n",
            "x.txt:1: `70000` is no weight in u16, of which this project uses integers up to 32766: choose",
        ),
        ("x.txt", b"1 2 2.5\n", "x.txt:1: `2.5` is no weight in u16"),
        ("x.txt", b"\n1 2 nan\n", "x.txt:2: `nan` is no weight: use"),
        (
            "x.txt",
            b"1 \xff 3\n",
            "x.txt:1: expected a name in printable UTF-8 that neither begins with # or % nor is several numbers, found `\\xff`",
        ),
        ("x.gr", b"p sp 2 1\na 1 3 1\n", "x.gr:2: vertex 3 is not in 1..=2"),
        (
            "x",
            &npy("<f4", "(2, 2)", &[0; 17]),
            "x: the array: has 86 bytes, and its header promises 85: store one array in it",
        ),
        ("x", &npy("<f4", "(2, 3)", &[0; 24]), "x: the array has shape [2, 3], but (n, n)"),
        ("x", &npy("<c8", "(2, 2)", &[0; 32]), "x: the array has numbers of type '<c8': expected"),
        (
            "x",
            &npy("<f4", "(2, 2)", &minus),
            "x: the array holds -1 at [1, 0], which u16 does not hold: choose",
        ),
        ("x", &npy("<f4", "(2, 2)", &nan), "x: the array holds NaN at [1, 0], which u16"),
        ("x", &npy("<f4", "(0, 0)", &[]), "x: a graph of 0 vertices"),
        (
            "x",
            &[b"\x93NUMPY\x01\x00\x44\x00{'descr': '<u2', 'fortran_order': True, 'shape': (2, 2), }          ", &[0, 0, 1, 0, 255, 255, 0, 0][..]].concat(),
            "x: the weight of edge (0, 1) is 65535, which u16",
        ),
        ("x.gz", &gzip(&gzip(b"1 2 3\n")), "x.gz: is gzip-compressed twice: unpack it first with gunzip"),
    ];
    for (name, content, expected) in cases {
        let message = read_bytes::<u16>(name, content, &PLAIN).unwrap_err();
        assert!(message.starts_with(expected), "{message}, expected {expected}");
        assert!(!message.contains('\n'), "{message}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_file_read_at_once_holds_what_its_stream_does(
        n in 1_usize..40, bytes in prop::collection::vec(0_u8..8, 1..60), types in 0_usize..9, fortran: bool, undirected: bool, absent: bool,
        wrong in prop::option::of((0_usize..1600, 0_u64..4))
    ) {
        let (descr, size) = [("<f4", 4), ("<f8", 8), ("<i4", 4), ("<u2", 2), (">i4", 4), ("|u1", 1), ("<i8", 8), (">f8", 8), ("|b1", 1)][types];
        let mut numbers = Vec::new();
        for at in 0..n * n {
            let number = if at / n == at % n { 0 } else { bytes[at % bytes.len()].into() };
            let number: u64 = match (descr, wrong) {
                // NaN, -0.0, the least number and one that is no arc.
                ("<f4", Some((place, which))) if place == at => [0x7fc0_0000, 0x8000_0000, 0xff80_0000, 0x7f80_0000][which as usize],
                ("<i4", Some((place, which))) if place == at => [1 << 31, 1 << 30, 0xffff_ffff, 1 << 28][which as usize],
                (_, Some((place, _))) if place == at => 1,
                ("<f4", _) => (number as f32).to_bits().into(),
                ("<f8" | ">f8", _) => (number as f64).to_bits(),
                _ => number,
            };
            let bytes = number.to_le_bytes();
            if descr.starts_with('>') {
                numbers.extend(bytes[..size].iter().rev());
            } else {
                numbers.extend(&bytes[..size]);
            }
        }
        let mut content = npy(descr, &format!("({n}, {n})"), &numbers);
        if fortran {
            let place = content.windows(5).position(|bytes| bytes == b"False").unwrap();
            content[place..place + 5].copy_from_slice(b"True ");
        }
        let zeros = if absent { ZeroPolicy::Absent } else { ZeroPolicy::Arcs };
        let options = ReadOptions { undirected, zeros, ..PLAIN };
        fn same<T: Element>(content: &[u8], options: &ReadOptions) {
            let plain = read_bytes::<T>("x", content, options);
            let packed = read_bytes::<T>("x", &gzip(content), options);
            match (plain, packed) {
                (Ok(plain), Ok(packed)) => {
                    assert_eq!((&plain.graph, plain.dropped), (&packed.graph, packed.dropped));
                    let StoredGraph::Matrix(graph) = plain.graph else { panic!() };
                    let mut again = graph.clone();
                    again.as_mut_slice();
                    assert_eq!(again.survey(), graph.survey());
                }
                // Where the stream names a number of the file, the file at once may name one of the matrix.
                (plain, packed) => assert_eq!(plain.is_err(), packed.is_err()),
            }
        }
        same::<f32>(&content, &options);
        same::<i32>(&content, &options);
        same::<u16>(&content, &options);
        same::<f64>(&content, &options);
    }
}
