//! Stored paths, and `path`.

use super::place::{Place, ROADS, stderr, stdout};

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
fn no_path_is_exit_code_1_and_a_vertex_is_its_own_path() {
    let place = Place::with(&[("n.txt", ROADS)]);
    for kind in ["predecessor", "next"] {
        place.succeed(&format!("solve n.txt --out d.npy --paths {kind}"));
        let none = place.run("path d.npy Bonn Lahn");
        assert_eq!((none.status.code(), stdout(&none)), (Some(1), String::new()));
        assert_eq!(stderr(&none), "no path leads from Bonn to Lahn\n");
        assert_eq!(place.succeed("path d.npy Ulm Ulm"), "0 arcs, distance 0\n");
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
