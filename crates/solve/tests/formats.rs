//! One graph gives the same distances in every format; stored paths, and `path`.

use super::{KILOMETRES, Place, ROADS, stderr, stdout};
use shortest_paths::read::{ReadOptions, StoredGraph, read};

#[test]
fn results_of_every_format_hold_the_same_numbers_whatever_the_algorithm() {
    let place = Place::with(&[("n.txt", ROADS)]);
    let call = "solve n.txt --type f64 --verify";
    let towns = ["Bonn", "Ulm", "Kiel", "Lahn"];
    let lines = (0..16).filter(|at| KILOMETRES[at / 4][at % 4].is_finite());
    let lines =
        lines.map(|at| format!("{},{},{}\n", towns[at / 4], towns[at % 4], KILOMETRES[at / 4][at % 4]));
    let csv = format!("source,target,distance\n{}", lines.collect::<String>());
    for algorithm in ["auto", "floyd-warshall", "dijkstra", "johnson"] {
        place.succeed(&format!("{call} --out d.npy --algorithm {algorithm}"));
        let loaded = read::<f64>(&place.path("d.npy"), &ReadOptions::default()).unwrap();
        let StoredGraph::Matrix(matrix) = loaded.graph else { panic!("{algorithm}") };
        assert_eq!(matrix.as_slice(), KILOMETRES.as_flattened(), "{algorithm}");
        place.succeed(&format!("{call} --out d.csv --algorithm {algorithm}"));
        assert_eq!(String::from_utf8(place.files()["d.csv"].clone()).unwrap(), csv, "{algorithm}");
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
    let array = "%%MatrixMarket matrix array real general\n3 3\n0\ninf\ninf\n0\n0\ninf\n5\n5\n0\n";
    std::fs::write(zero.path("m.mtx"), array).unwrap();
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
fn predecessors_and_next_vertices_lie_where_they_were_asked_for() {
    let place = Place::with(&[("n.txt", ROADS)]);
    let predecessors = [-1, 0, 1, -1, 2, -1, 1, -1, 2, 0, -1, -1, 2, 3, 1, -1];
    let next = [-1, 1, 1, -1, 2, -1, 2, -1, 0, 0, -1, -1, 1, 1, 1, -1];
    for algorithm in ["floyd-warshall", "dijkstra"] {
        place.succeed(&format!(
            "solve n.txt --out d.npy --paths predecessor --algorithm {algorithm} --verify"
        ));
        assert_eq!(place.numbers::<i32>("d.predecessors.npy"), predecessors, "{algorithm}");
        place.succeed(&format!(
            "solve n.txt --out d.csv --paths next --paths-out p.npy --algorithm {algorithm} --verify"
        ));
        assert_eq!(place.numbers::<i32>("p.npy"), next, "{algorithm}");
    }
    place.succeed("solve n.txt --out d.npy --paths predecessor --marks scipy --sources Bonn");
    assert_eq!(place.numbers::<i32>("d.predecessors.npy"), [-9999, 0, 1, -9999]);
}

#[test]
fn a_path_is_printed_by_the_name_of_every_kind_of_result() {
    let place = Place::with(&[("n.txt", ROADS)]);
    std::fs::create_dir(place.path("far")).unwrap();
    place.succeed("solve n.txt --out d.npy --paths next");
    assert_eq!(place.succeed("path d.npy Ulm Ulm"), "0 arcs, distance 0\n");
    let table = "from  to    length  so far\nLahn  Ulm        5       5\nUlm   Kiel       3       8\nKiel  Bonn       2      10\n3 arcs, distance 10\n";
    for solve in [
        "--paths predecessor",
        "--paths next --algorithm floyd-warshall",
        "--paths predecessor --paths-out far/p.npy",
        "--paths predecessor --sources Kiel,Lahn --marks scipy",
        "--paths predecessor --sources Lahn --targets Bonn --algorithm floyd-warshall",
    ] {
        for result in ["d.npy", "d.csv"] {
            place.succeed(&format!("solve n.txt --out {result} {solve} --verify"));
            let by_graph = place.succeed(&format!("path {result} Lahn Bonn --graph n.txt"));
            assert_eq!(by_graph, table, "{solve}");
            let output = place.run(&format!("path {result} Lahn Bonn"));
            assert_eq!(output.status.code(), Some(0));
            let (text, complaint) = (stdout(&output), stderr(&output));
            // What is not stored is unknown, and it says so.
            match (result, solve.contains("--targets")) {
                ("d.npy", false) => assert_eq!((text.as_str(), complaint.as_str()), (table, "")),
                (_, targets) => {
                    let distance = if result == "d.npy" && targets { ", distance 10" } else { "" };
                    assert!(
                        text.ends_with(&format!("Kiel  Bonn       -       -\n3 arcs{distance}\n")),
                        "{text}"
                    );
                    assert!(complaint.contains("--graph GRAPH"), "{complaint}");
                }
            }
        }
    }
}

#[test]
fn rounded_lengths_are_announced_and_the_graph_has_the_exact_ones() {
    let place = Place::with(&[("r.txt", "0 1 0.1\n1 2 0.25\n")]);
    place.succeed("solve r.txt --out d.npy --type f32 --paths predecessor --sources 0");
    for (graph, rounded) in [("", true), ("--graph r.txt", false)] {
        let json = place.succeed(&format!("path d.npy 0 2 --json {graph}"));
        assert!(json.contains(&format!(r#""weights_rounded": {rounded}"#)), "{json}");
        let output = place.run(&format!("path d.npy 0 2 {graph}"));
        assert_eq!(stderr(&output).contains("differences of rounded distances"), rounded);
        assert!(rounded || stdout(&output).contains("1     2     0.25    0.35\n"), "{}", stdout(&output));
    }
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn the_emulated_device_gives_the_bytes_of_the_cpu() {
        // Negative weights and no negative cycle: potentials of a vertex were added and taken off.
        let arcs: String = (0..40_i64)
            .flat_map(|tail| [3, 7, 11].map(|step| (tail, (tail * step + step) % 40)))
            .filter(|(tail, head)| tail != head && tail % 9 != 0)
            .map(|(tail, head)| format!("{tail} {head} {}\n", (tail * 5 + head) % 13 + tail % 6 - head % 6))
            .collect();
        let place = Place::with(&[("g.txt", &arcs)]);
        // The device finds predecessors itself.
        let call =
            "solve g.txt --vertices from-zero --algorithm floyd-warshall --paths predecessor --verify=40";
        place.succeed(&format!("{call} --out cpu.npy --device cpu"));
        let text = place.succeed_emulated(&format!("{call} --out emulated.npy --device emulated"));
        assert!(text.contains("on emulated CUDA device, whose seconds mean nothing"), "{text}");
        let files = place.files();
        assert!(files["cpu.npy"] == files["emulated.npy"]);
        assert!(files["cpu.predecessors.npy"] == files["emulated.predecessors.npy"]);
    }
}
