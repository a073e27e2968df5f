//! One graph gives the same distances in every format.

use super::place::{KILOMETRES, Place, ROADS, lines, table};
use crate::common::stderr;
use parquet::file::reader::SerializedFileReader;
use parquet::record::RowAccessor;
use shortest_paths::read::{ReadOptions, Stored, read};

const ARCS: [(usize, usize, u32); 7] =
    [(0, 1, 4), (1, 2, 3), (0, 2, 9), (2, 0, 2), (1, 1, 1), (0, 1, 6), (3, 1, 5)];

/// The arcs of [`ROADS`] a line each, vertices counted from `first`.
fn listed(first: usize, before: &str) -> String {
    ARCS.map(|(tail, head, weight)| format!("{before}{} {} {weight}\n", tail + first, head + first)).concat()
}

#[test]
fn a_graph_in_any_format_has_its_own_names_and_the_same_distances() {
    let gr = format!("c roads\np sp 4 7\n{}", listed(1, "a "));
    let mtx = format!("%%MatrixMarket matrix coordinate integer general\n4 4 7\n{}", listed(1, ""));
    let (from_0, from_1) = (listed(0, ""), listed(1, ""));
    let place = Place::with(&[
        ("r.gr", &gr),
        ("r.mtx", &mtx),
        ("0.txt", &from_0),
        ("1.txt", &from_1),
        ("n.txt", ROADS),
    ]);
    let (zero, one) = (["0", "1", "2", "3"], ["1", "2", "3", "4"]);
    let packed = std::fs::File::create(place.path("z.gr.gz")).unwrap();
    let mut packed = flate2::write::GzEncoder::new(packed, flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, gr.as_bytes()).unwrap();
    packed.finish().unwrap();
    for (file, names) in [
        ("r.gr", one),
        ("r.mtx", one),
        ("0.txt", zero),
        ("1.txt", one),
        ("z.gr.gz", one),
        ("n.txt", ["Bonn", "Ulm", "Kiel", "Lahn"]),
    ] {
        place.succeed(&format!("solve {file} --out d.csv"));
        assert_eq!(lines(&place.files()["d.csv"]), table(names, KILOMETRES), "{file}");
    }
    // What was written is read again, as a graph whose arcs are distances.
    place.succeed("solve 0.txt --out d.npy");
    place.succeed("solve d.npy --out again.csv");
    assert_eq!(lines(&place.files()["again.csv"]), table(zero, KILOMETRES));
}

#[test]
fn results_of_every_format_hold_the_same_numbers() {
    let place = Place::with(&[("n.txt", ROADS)]);
    for (file, algorithm) in
        [("d.npy", "auto"), ("d.npz", "floyd-warshall"), ("d.mtx", "dijkstra"), ("e.npz", "johnson")]
    {
        place.succeed(&format!("solve n.txt --out {file} --type f64 --algorithm {algorithm} --verify"));
        let loaded = read::<f64>(&place.path(file), &ReadOptions::default()).unwrap();
        let Stored::Matrix(matrix) = loaded.graph else { panic!("{file}") };
        assert_eq!(matrix.as_slice(), KILOMETRES.as_flattened(), "{file}");
    }
}

#[test]
fn a_parquet_file_has_the_rows_of_the_csv_file() {
    let place = Place::with(&[("n.txt", ROADS)]);
    for options in
        ["--algorithm floyd-warshall", "--algorithm dijkstra --sources Kiel,Bonn --targets Ulm,Lahn,Kiel"]
    {
        place.succeed(&format!("solve n.txt --out d.csv --verify {options}"));
        place.succeed(&format!("solve n.txt --out d.parquet --verify {options}"));
        let file = std::fs::File::open(place.path("d.parquet")).unwrap();
        let rows = SerializedFileReader::new(file).unwrap().into_iter().map(|row| {
            let row = row.unwrap();
            let fields = (row.get_string(0).unwrap(), row.get_string(1).unwrap(), row.get_int(2).unwrap());
            format!("{},{},{}", fields.0, fields.1, fields.2)
        });
        let csv = String::from_utf8(place.files()["d.csv"].clone()).unwrap();
        let expected: Vec<&str> = csv.lines().skip(1).collect();
        assert_eq!(rows.collect::<Vec<_>>(), expected, "{options}");
    }
}

#[test]
fn sources_and_targets_are_rows_and_columns_in_the_order_given() {
    let place = Place::with(&[("n.txt", ROADS), ("chosen.txt", "Lahn\nBonn\n")]);
    let far = (1 << 30) - 1;
    for algorithm in ["floyd-warshall", "dijkstra"] {
        let call = format!("solve n.txt --out d.npy --algorithm {algorithm} --verify");
        place.succeed(&format!("{call} --sources Kiel,Bonn,Kiel --targets @chosen.txt"));
        assert_eq!(place.numbers::<i32>("d.npy"), [far, 2, far, 0, far, 2], "{algorithm}");
        place.succeed(&format!("{call} --targets Ulm"));
        assert_eq!(place.numbers::<i32>("d.npy"), [4, 0, 6, 5], "{algorithm}");
    }
    let text = String::from_utf8(place.files()["d.npy.json"].clone()).unwrap();
    assert!(
        text.contains(r#""names":["Bonn","Ulm","Kiel","Lahn"]"#) && text.contains(r#""targets":[1]"#),
        "{text}"
    );
}

#[test]
fn the_type_is_chosen_by_the_weights_and_says_why() {
    let place = Place::with(&[
        ("i.txt", "0 1 3\n"),
        ("f.txt", "0 1 0.5\n"),
        ("d.txt", "0 1 0.1\n"),
        ("long.txt", "0 1 300000000\n1 0 8\n"),
    ]);
    for (file, asked, expected) in [
        ("i.txt", "", "i32: all weights are integers, and no path is longer than 3\n"),
        ("f.txt", "", "f32: f32 holds every weight and every sum of them, for no path is longer than 0.5\n"),
        ("d.txt", "", "f64: f32 does not hold the weight 0.1, and f64 does\n"),
        (
            "long.txt",
            "",
            "f64: a path may be as long as 300,000,008, i32 is used up to 268,435,455, and f32 would round\n",
        ),
        ("i.txt", "--type u16", "u16: asked for\n"),
    ] {
        let text = place.succeed(&format!("solve {file} --out d.npy {asked}"));
        assert!(text.contains(&format!("type            {expected}")), "{text}");
    }
    assert_eq!(place.numbers::<u16>("d.npy"), [0, 3, 32767, 0]);
}

#[test]
fn undirected_arcs_zeros_and_missing_arcs_are_what_the_options_say() {
    let place = Place::with(&[("n.txt", ROADS)]);
    place.succeed("solve n.txt --out d.npy --undirected --type f32 --sources Lahn");
    assert_eq!(place.numbers::<f32>("d.npy"), [9.0, 5.0, 8.0, 0.0]);
    // The distances of a graph as a matrix whose zeros are arcs or none.
    let zero = Place::with(&[("z.txt", "0 1 0\n1 2 5\n")]);
    zero.succeed("solve z.txt --out m.npy --type f32");
    let output = zero.run("solve m.npy --out d.npy --sources 0 --quiet");
    assert_eq!(
        stderr(&output),
        "warning: m.npy: 1 of 6 entries beside the diagonal is 0, which is an arc of weight 0: give --zeros absent if 0 is no arc, as in matrices \
         of SciPy and NetworkX, or --zeros arcs if it is one\n"
    );
    assert_eq!(zero.numbers::<f32>("d.npy"), [0.0, 0.0, 5.0]);
    let said = |options: &str| stderr(&zero.run(&format!("solve {options} --sources 0 --quiet")));
    assert_eq!(said("m.npy --out d.npy --zeros absent"), "");
    assert_eq!(zero.numbers::<f32>("d.npy"), [0.0, f32::INFINITY, 5.0]);
    assert_eq!(said("m.npy --out d.npy --zeros arcs"), "");
    assert_eq!(said("z.txt --out d.npy"), "");
    zero.succeed("solve z.txt --out m.mtx --type f32");
    let output = zero.run("solve m.mtx --out d.npy --quiet");
    assert!(stderr(&output).contains("m.mtx: 1 of 6 entries"), "{}", stderr(&output));
    zero.succeed("solve m.mtx --out d.npy --type f32 --sources 1 --zeros absent");
    assert_eq!(zero.numbers::<f32>("d.npy"), [0.0, f32::INFINITY, 5.0]);
}

#[test]
fn half_of_the_tasks_are_done_of_whatever_graph_is_found_to_be_undirected() {
    let symmetric = "%%MatrixMarket matrix coordinate integer symmetric\n4 4 3\n2 1 4\n3 2 1\n4 1 7\n";
    let place = Place::with(&[
        ("u.txt", "0 1 4\n1 2 1\n0 3 7\n"),
        ("there-and-back.txt", "0 1 4\n1 2 1\n0 3 7\n1 0 4\n2 1 1\n3 0 7\n"),
        ("s.mtx", symmetric),
        ("negative.txt", "0 1 4\n1 0 -4\n"),
    ]);
    let half = |options: &str| {
        let call = format!("solve {options} --out d.npy --type i32 --algorithm floyd-warshall --device cpu");
        let lines = place.succeed(&call).contains("(undirected: half of the tasks)");
        let solved: serde_json::Value =
            serde_json::from_str(&place.succeed(&format!("{call} --json"))).unwrap();
        assert_eq!(solved["device"]["half_of_tasks"], lines);
        lines
    };
    for options in ["u.txt --undirected", "there-and-back.txt", "s.mtx"] {
        assert!(half(options), "{options}");
        assert_eq!(place.numbers::<i32>("d.npy"), [0, 4, 5, 7, 4, 0, 1, 11, 5, 1, 0, 12, 7, 11, 12, 0]);
    }
    assert!(!half("u.txt") && !half("negative.txt"));
}

#[test]
fn the_emulated_device_gives_the_bytes_of_the_cpu() {
    // Negative weights and no negative cycle: potentials of a vertex were added and taken off.
    let arcs: String = (0..40_i64)
        .flat_map(|tail| [3, 7, 11].map(|step| (tail, (tail * step + step) % 40)))
        .filter(|(tail, head)| tail != head && tail % 9 != 0)
        .map(|(tail, head)| format!("{tail} {head} {}\n", (tail * 5 + head) % 13 + tail % 6 - head % 6))
        .collect();
    let place = Place::with(&[("g.txt", &arcs)]);
    // The device finds predecessors itself.
    for paths in ["next", "predecessor"] {
        let call = format!(
            "solve g.txt --vertices from-zero --algorithm floyd-warshall --paths {paths} --verify=40"
        );
        place.succeed(&format!("{call} --out cpu.npz --device cpu"));
        let text = place.succeed_emulated(&format!("{call} --out emulated.npz --device emulated"));
        assert!(text.contains("on emulated CUDA device, whose seconds mean nothing"), "{text}");
        let files = place.files();
        assert!(files["cpu.npz"] == files["emulated.npz"], "{paths}");
    }
}

#[test]
fn arcs_with_commas_and_those_of_standard_input_are_read() {
    let place = Place::with(&[("c.csv", "0,1,4\n1, 2,3\n2,0,2.5\n"), ("b.txt", "\"Berlin,Mitte\",Bonn,3\n")]);
    place.succeed("solve c.csv --out c.npy");
    assert_eq!(place.numbers::<f32>("c.npy"), [0.0, 4.0, 7.0, 5.5, 0.0, 3.0, 2.5, 6.5, 0.0]);
    place.succeed("solve b.txt --out b.csv");
    assert!(String::from_utf8(place.files()["b.csv"].clone()).unwrap().contains("\"Berlin,Mitte\",Bonn,3"));
    // What is written is read again: its heading, and names in quotes.
    place.succeed("solve b.csv --out again.csv");
    assert_eq!(place.files()["again.csv"], place.files()["b.csv"]);
    let file = std::fs::File::open(place.path("c.csv")).unwrap();
    let output = place.command("solve - --out s.npy").stdin(file).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(place.files()["s.npy"], place.files()["c.npy"]);
}
