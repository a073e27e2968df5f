//! One graph gives the same distances in every format.

use super::place::{KILOMETRES, Place, ROADS, stderr};
use parquet::file::reader::SerializedFileReader;
use parquet::record::RowAccessor;
use shortest_paths::read::{ReadOptions, Stored, read};

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
    let place = Place::with(&[("n.txt", ROADS), ("chosen.txt", "Lahn\n\n  Bonn \n")]);
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
    let place = Place::with(&[("u.txt", "0 1 4\n1 2 1\n0 3 7\n"), ("negative.txt", "0 1 4\n1 0 -4\n")]);
    let half = |options: &str| {
        let call = format!("solve {options} --out d.npy --type i32 --algorithm floyd-warshall --device cpu");
        let lines = place.succeed(&call).contains("(undirected: half of the tasks)");
        let solved: serde_json::Value =
            serde_json::from_str(&place.succeed(&format!("{call} --json"))).unwrap();
        assert_eq!(solved["device"]["half_of_tasks"], lines);
        lines
    };
    assert!(half("u.txt --undirected") && !half("u.txt") && !half("negative.txt"));
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
