//! Distances to standard output.

use super::place::{Place, ROADS};
use crate::common::{stderr, stdout};
use std::io::Read;
use std::process::Stdio;

#[test]
fn standard_output_has_the_bytes_of_the_file_and_standard_error_the_lines() {
    let place = Place::with(&[("n.txt", ROADS)]);
    for options in ["--algorithm dijkstra", "--algorithm floyd-warshall --type f64", "--sources Kiel,Bonn"] {
        let call = format!("solve n.txt --verify {options}");
        let said = place.succeed(&format!("{call} --out d.npy"));
        let output = place.run(&format!("{call} --out -"));
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(output.stdout == place.files()["d.npy"], "{options}");
        let aside = stderr(&output);
        let words = |text: &str| -> Vec<String> {
            text.lines().filter_map(|line| line.split_whitespace().next().map(String::from)).collect()
        };
        assert_eq!(words(&aside), words(&said));
        assert!(aside.contains("\ndistances       standard output: "), "{aside}");
    }
    let quiet = place.run("solve n.txt --out - --quiet");
    assert_eq!(
        stderr(&quiet),
        "distances       standard output: 4 sources x 4 targets of i32, 64 bytes; 3 pairs without a path, stored as 1073741823\n"
    );
}

#[test]
fn a_graph_from_standard_input_goes_through_and_paths_have_a_file() {
    let place = Place::with(&[("n.txt", ROADS)]);
    for (algorithm, paths) in [("dijkstra", "predecessor"), ("floyd-warshall", "next")] {
        let graph = std::fs::File::open(place.path("n.txt")).unwrap();
        let call = format!("solve - --out - --paths {paths} --paths-out p.npy --algorithm {algorithm}");
        let output = place.command(&call).stdin(graph).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        place.succeed(&format!("solve n.txt --out d.npy --paths {paths} --paths-out q.npy"));
        let files = place.files();
        assert!(output.stdout == files["d.npy"] && files["p.npy"] == files["q.npy"]);
        ["d.npy", "d.npy.json", "p.npy", "q.npy"]
            .iter()
            .for_each(|file| std::fs::remove_file(place.path(file)).unwrap());
        assert_eq!(place.names(), ["n.txt"]);
    }
}

#[test]
fn what_has_no_distances_writes_none() {
    let place = Place::with(&[("g.txt", "a b 1\nb a -4\n")]);
    let output = place.run("solve g.txt --out -");
    assert_eq!((output.status.code(), stdout(&output)), (Some(1), String::new()));
    assert!(stderr(&output).contains("negative cycle"), "{}", stderr(&output));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let ring: String = (0..2000).map(|v| format!("{v} {} 1\n", (v + 1) % 2000)).collect();
    let place = Place::with(&[("ring.txt", &ring)]);
    for algorithm in ["dijkstra", "floyd-warshall"] {
        let call = format!("solve ring.txt --out - --quiet --algorithm {algorithm}");
        let mut child = place.command(&call).stdout(Stdio::piped()).spawn().unwrap();
        let mut start = [0; 100];
        let mut pipe = child.stdout.take().unwrap();
        pipe.read_exact(&mut start).unwrap();
        drop(pipe);
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()), "{algorithm}");
    }
}
