//! What programs read of `solve --json` and `path --json`.

use super::{Place, ROADS, stderr, stdout};
use serde_json::{Value, json};

fn object(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The keys of an object.
fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn a_solve_is_one_object_of_typed_values() {
    let place = Place::with(&[("roads.txt", ROADS)]);
    let call = "solve roads.txt --out d.npy --paths predecessor --algorithm dijkstra --verify=2 --json";
    let output = place.run(call);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    let mut solved = object(&stdout(&output));
    let seconds = solved["seconds"].take();
    let parts = ["choose", "read", "solve", "write"];
    assert!(parts.iter().all(|part| seconds[part].as_f64().unwrap() >= 0.0), "{seconds}");
    let [dense, search] = ["floyd_warshall", "search"].map(|algorithm| solved["algorithm"][algorithm].take());
    assert_eq!(keys(&dense), ["bytes", "device", "refused", "seconds"]);
    assert_eq!((&search["algorithm"], search["seconds"].is_f64()), (&json!("dijkstra"), true));
    assert!(search["bytes"].is_u64(), "{search}");
    let digest = solved["digest"].take();
    assert!(place.succeed(&call.replace(" --json", "")).contains(digest.as_str().unwrap()));
    assert!(solved["device"]["threads"].take().as_u64().unwrap() > 0);
    assert_eq!(
        solved,
        json!({
            "schema_version": 1,
            "outcome": "solved",
            "graph": {
                "file": "roads.txt",
                "format": "edge-list",
                "packing": "plain",
                "edge_list": {
                    "separator": "blanks",
                    "heading": "from,to,km",
                    "weighted": true,
                    "comments": 1,
                    "unmentioned": 0,
                },
                "vertices": "named",
                "n": 4,
                "arcs": 5,
                "most_negative_weight": null,
                "largest_weight": 9,
                "left_out": {"duplicates": 1, "self_loops": 1, "absent": 0},
                "zeros_as_arcs": null,
                "element": "i32",
                "element_because": {"reason": "integers", "longest": 19.0},
            },
            "algorithm": {"algorithm": "dijkstra", "why": "asked", "floyd_warshall": null, "search": null},
            "device": {
                "name": "cpu",
                "emulated": false,
                "threads": null,
                "kernels_s": null,
                "copies_s": null,
                "half_of_tasks": null,
            },
            "verified": {"rows": 2, "every_path": true, "why": "asked"},
            "distances": {
                "file": "d.npy",
                "sources": 4,
                "targets": 4,
                "element": "i32",
                "bytes": 64,
                "pairs_without_path": 3,
                "no_path": 1_073_741_823,
            },
            "paths": {"file": "d.predecessors.npy", "kind": "predecessors", "bytes": 64, "no_path": -1},
            "digest": null,
            "seconds": null,
            "error": null,
            "negative_cycle": null,
        })
    );
}

#[test]
fn an_object_says_what_lines_say_with_and_without_quiet() {
    let zeros = "%%MatrixMarket matrix array integer general\n2 2\n0\n0\n3\n0\n";
    let place = Place::with(&[("g.txt", "1 2 0.5\n"), ("z.mtx", zeros)]);
    for quiet in ["", "--quiet"] {
        let text = place.succeed(&format!("solve g.txt --out d.csv --verify=0 --json {quiet}"));
        let solved = object(&text);
        assert_eq!(solved["distances"]["no_path"], "left-out");
        assert_eq!(solved["graph"]["element_because"], json!({"reason": "exact-in-f32", "longest": 0.5}));
        assert_eq!(solved["verified"], json!({"rows": 0, "every_path": false, "why": "not-wanted"}));
        assert_eq!((&solved["paths"], &solved["graph"]["vertices"]), (&Value::Null, &json!("from-one")));
    }
    let graph = |call: &str| object(&place.succeed(&format!("solve {call} --json")))["graph"].take();
    assert_eq!(graph("z.mtx --out z.npy")["zeros_as_arcs"], 1);
    assert_eq!(graph("z.mtx --out z.npy --zeros arcs")["zeros_as_arcs"], Value::Null);
    // Of integers what stands for no path is none of the arcs either.
    place.succeed("solve z.mtx --out d.npy --zeros absent");
    assert_eq!(graph("d.npy --out e.npy")["left_out"]["absent"], 1);
}

#[test]
fn a_negative_cycle_is_an_outcome_and_an_error_leaves_standard_output_empty() {
    let place = Place::with(&[
        ("n.txt", "a b 1\nb c -4\nc d 2\nd b 1\n"),
        ("1.txt", "1 2 1\n2 1 -3\n"),
        ("loop.txt", "0 1 5\n1 1 -2\n"),
    ]);
    for (file, cycle, least) in [
        ("n.txt", json!({"vertices": ["b", "c", "d"], "length": -1}), json!(-4)),
        ("1.txt", json!({"vertices": [1, 2], "length": -2}), json!(-3)),
        ("loop.txt", Value::Null, Value::Null),
    ] {
        let output = place.run(&format!("solve {file} --out d.npy --json"));
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let ended = object(&stdout(&output));
        assert_eq!((&ended["outcome"], &ended["negative_cycle"]), (&json!("negative-cycle"), &cycle));
        assert_eq!(stderr(&output), format!("error: {}\n", ended["error"].as_str().unwrap()));
        assert!(ended.get("distances").is_none(), "{ended}");
        assert_eq!(ended["graph"]["most_negative_weight"], least);
    }
    let output = place.run("solve gone.txt --out d.npy --json");
    assert_eq!((output.status.code(), stdout(&output)), (Some(2), String::new()));
}

#[test]
fn a_path_is_one_object_and_so_is_none() {
    let place = Place::with(&[("n.txt", ROADS), ("1.txt", "1 2 0.25\n2 3 0.5\n")]);
    place.succeed("solve n.txt --out d.npy --paths predecessor");
    let path = |call: &str| object(&place.succeed(&format!("path {call} --json")));
    assert_eq!(
        path("d.npy Lahn Bonn"),
        json!({
            "schema_version": 1,
            "from": "Lahn",
            "to": "Bonn",
            "reachable": true,
            "distance": 10,
            "vertices": ["Lahn", "Ulm", "Kiel", "Bonn"],
            "weights": [5, 3, 2],
            "weights_rounded": false,
        })
    );
    let none = place.run("path d.npy Bonn Lahn --json");
    assert_eq!((none.status.code(), stderr(&none).as_str()), (Some(1), "no path leads from Bonn to Lahn\n"));
    let none = object(&stdout(&none));
    assert_eq!((&none["reachable"], &none["distance"]), (&json!(false), &Value::Null));
    assert_eq!((&none["vertices"], &none["weights"]), (&Value::Null, &Value::Null));
    // Vertices that the file counts are numbers.
    place.succeed("solve 1.txt --out one.csv --paths predecessor");
    let unknown = path("one.csv 1 3");
    assert_eq!((&unknown["vertices"], &unknown["weights"]), (&json!([1, 2, 3]), &Value::Null));
    assert_eq!(path("one.csv 1 3 --graph 1.txt")["distance"], 0.75);
    assert_eq!(path("d.npy Ulm Ulm")["distance"].to_string(), "0");
}
