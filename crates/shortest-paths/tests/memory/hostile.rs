//! Files that promise much and hold little, or hold what no reader should follow: each ends in one line, without memory for the promise.

use super::most;
use crate::read::{gzip, npy};
use shortest_paths::read::{ReadError, ReadOptions, read, read_typed};
use std::io::Write;
use std::path::Path;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// What buffers of readers take.
const SMALL: usize = 6 << 20;

fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, content) in members {
        zip.start_file(*name, options).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// An archive whose bytes at the last place of `from` are `to`.
fn forged(mut archive: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    let place = archive.windows(from.len()).rposition(|bytes| bytes == from).unwrap();
    archive[place..place + to.len()].copy_from_slice(to);
    archive
}

/// A member of zeros that is a thousand times shorter in the archive.
fn bomb(shape: &str) -> Vec<u8> {
    archive(&[("arr_0.npy", &npy("<f8", shape, &vec![0; 32 << 20]))])
}

fn csr(shape: [i64; 2], offsets: (&str, &[i64]), heads: (&str, &[i64]), weights: (&str, &[i64])) -> Vec<u8> {
    let bytes =
        |numbers: &[i64]| -> Vec<u8> { numbers.iter().flat_map(|number| number.to_le_bytes()).collect() };
    let array = |(shape, numbers): (&str, &[i64])| npy("<i8", shape, &bytes(numbers));
    archive(&[
        ("format.npy", &npy("|S3", "()", b"csr")),
        ("shape.npy", &array(("(2,)", &shape))),
        ("indptr.npy", &array(offsets)),
        ("indices.npy", &array(heads)),
        ("data.npy", &array(weights)),
    ])
}

#[test]
fn hostile_files_end_in_one_line_and_take_no_memory_for_what_they_promise() {
    if !crate::is_alone(
        "memory::hostile::hostile_files_end_in_one_line_and_take_no_memory_for_what_they_promise",
    ) {
        return;
    }
    let folder = tempfile::TempDir::new().unwrap();
    let good = archive(&[("arr_0.npy", &npy("<f8", "(1, 1)", &[0; 8]))]);
    let end = b"PK\x05\x06";
    let none: (&str, &[i64]) = ("(0,)", &[]);
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        // Text.
        ("x.mtx", b"%%MatrixMarket matrix coordinate real general\n9 9 1000000000000000000\n1 1 1\n".to_vec(),
         "x.mtx:3: the file ends after 1 of 1000000000000000000 entries"),
        ("x.mtx", b"%%MatrixMarket matrix coordinate real general\n9 9 99999999999999999999999\n".to_vec(), "x.mtx:2: "),
        ("x.mtx", b"%%MatrixMarket matrix coordinate real general\n1000000000000000000 1000000000000000000 1\n1 1 1\n".to_vec(), "x.mtx:2: "),
        ("x.mtx", b"%%MatrixMarket matrix array real symmetric\n30000 30000\n1\n".to_vec(), "x.mtx:3: "),
        ("x.gr", b"p sp 4000000000 1000000000000000000\na 1 2 1\n".to_vec(), "x.gr:"),
        ("x.gr", b"p sp 3 18446744073709551616\na 1 2 1\n".to_vec(), "x.gr:1: "),
        ("x.txt", b"99999999999999999999999999 1 1\n1\n".to_vec(), "x.txt:2: expected as many fields"),
        ("x.txt", b"0 1 1e999999999\n".to_vec(), "x.txt:1: "),
        // Arrays.
        ("x", npy("<f4", "(18446744073709551615, 18446744073709551615)", &[]), "x: the array: has 107 bytes, and its header promises 340282366920938463463374607431768211455: is it truncated?"),
        ("x", npy("<f4", "(99999999999999999999, 2)", &[]), "x: the array: expected"),
        ("x", npy("<f4", "(-1, -1)", &[]), "x: the array: expected"),
        ("x", npy("<f4", "(40000, 40000)", &[0; 64]), "x: "),
        ("x", npy("<f4", "()", &[0; 4]), "x: the array has shape []"),
        ("x", npy("<f4", &format!("({}1)", "1, ".repeat(20_000)), &[0; 4]), "x: the array has shape"),
        ("x", [b"\x93NUMPY\x03\x00\xff\xff\xff\xff".to_vec(), vec![b' '; 4096]].concat(), "x: the array: "),
        ("x.gz", gzip(&npy("<f8", "(3000, 3000)", &vec![0; 1 << 20])), "x.gz: the array ends after 131072 of 9000000"),
        ("x.gz", gzip(&npy("<f8", "(10, 10)", &vec![0; 8 << 20])), "x.gz: the array goes on after the 100"),
        // Archives.
        ("x", bomb("(10, 10)"), "x: arr_0.npy goes on after the 100 numbers"),
        ("x", bomb("(99999999, 99999999)"), "x: an array of the file needs"),
        ("x", good[..good.len() - 1].to_vec(), "x: is no archive"),
        // The number of members in the directory, its size and its place.
        ("x", forged(good.clone(), end, b"PK\x05\x06\0\0\0\0\xff\xfe\xff\xfe"), "x: is no archive"),
        ("x", forged(good.clone(), end, b"PK\x05\x06\0\0\0\0\x01\0\x01\0\xff\xff\xff\xfe\xff\xff\xff\xfe"), "x: is no archive"),
        // How it is packed: LZMA, and a member that is encrypted.
        ("x", forged(good.clone(), b"PK\x01\x02", b"PK\x01\x02\x2d\0\x2d\0\0\0\x0e\0"), "x: is no archive"),
        ("x", forged(good.clone(), b"PK\x01\x02", b"PK\x01\x02\x2d\0\x2d\0\x01\0\x08\0"), "x: is no archive"),
        ("x", archive(&[]), "x: "),
        ("x", archive(&[("a.npy", b""), ("b.npy", b"")]), "x: has a.npy, b.npy in it: save one array alone"),
        ("x", archive(&[("a\n\x1b[31m.npy", b""), ("b.npy", b"")]), "x: has "),
        ("x", archive(&[(&"n".repeat(60_000), b""), ("b.npy", b"")]), "x: has "),
        ("x", archive(&[(&"n".repeat(60_000), b"")]), "x: nnn"),
        ("x", npy(&"f".repeat(60_000), "(1, 1)", &[]), "x: the array has numbers of type 'fff"),
        ("x", archive(&[("arr_0.npy", b"")]), "x: arr_0.npy: expected"),
        ("x", csr([1 << 60; 2], ("(1,)", &[0]), none, none), "x: indptr.npy has shape [1], but (1152921504606846977,)"),
        ("x", csr([-1; 2], ("(1,)", &[0]), none, none), "x: shape.npy holds -1"),
        ("x", csr([i64::MAX; 2], ("(9223372036854775808,)", &[0]), none, none), "x: an array of the file needs"),
        ("x", csr([1, 1], ("(2,)", &[0, 1 << 50]), ("(1125899906842624,)", &[0]), none), "x: an array of the file needs"),
        ("x", csr([2, 2], ("(3,)", &[0, 9, 1]), ("(1,)", &[0]), ("(1,)", &[0])), "x: rows do not follow each other from 0"),
        ("x", csr([2, 2], ("(3,)", &[0, 1, 1]), ("(1,)", &[7]), ("(1,)", &[0])), "x: arc 0 has vertex 7"),
        ("x", csr([2, 2], ("(3,)", &[0, 1, 1]), ("(1,)", &[1 << 40]), ("(1,)", &[0])), "x: indices.npy holds 1099511627776"),
        // Packed text without end.
        ("x.gz", gzip(&vec![b' '; 32 << 20]), "x.gz: "),
        ("x.txt.gz", gzip(&[&b"1 2 3\n# "[..], &vec![b'x'; 32 << 20]].concat()), "x.txt.gz:2: a line of more than"),
        ("x.gz", gzip(&archive(&[("arr_0.npy", &npy("<f8", "(10, 10)", &vec![0; 32 << 20]))])), "x.gz: arr_0.npy goes on after"),
    ];
    for (name, content, expected) in &cases {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        assert_refused(&path, expected);
    }
    // A file with a hole of 4 TiB in it, which is as long as its header promises.
    let path = folder.path().join("x");
    let header = npy("<f4", "(1048576, 1048576)", &[]);
    std::fs::write(&path, &header).unwrap();
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    if file.set_len((4 << 40) + header.len() as u64).is_ok() {
        assert_refused(&path, "x: the matrix needs 4398046511104 bytes");
    }
}

type Reader = fn(&Path) -> Result<(), ReadError>;

fn assert_refused(path: &Path, expected: &str) {
    let folder = format!("{}/", path.parent().unwrap().display());
    let readers: [Reader; 2] = [
        |path| read::<f32>(path, &ReadOptions::default()).map(|_| ()),
        |path| read_typed(path, None, &ReadOptions::default()).map(|_| ()),
    ];
    for reader in readers {
        let (found, bytes) = most(|| reader(path));
        let message = found.unwrap_err().to_string().replace(&folder, "");
        assert!(message.starts_with(expected), "{message}\nexpected {expected}");
        assert!(!message.contains(|c: char| c.is_control()), "{message:?}");
        assert!(message.len() < 1000, "{} letters: {message:.300}", message.len());
        assert!(bytes < SMALL, "{bytes} bytes for {expected}");
    }
}
