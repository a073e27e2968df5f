//! What is printed, and distances to standard output.

use super::{Place, ROADS, stderr};
use std::io::Read;
use std::process::Stdio;

/// Times, rates and free memory differ from run to run.
fn steady(text: &str) -> String {
    let line = |line: &str| match line.split_whitespace().next() {
        Some("time") => {
            let parts: Vec<&str> = line[16..].split(", ").filter_map(|part| part.split(' ').next()).collect();
            format!("time            {}", parts.join(", "))
        }
        Some("Floyd-Warshall") => line.split(" on ").next().unwrap()[..16].to_string(),
        Some("Dijkstra") => line[..16].to_string(),
        _ => line.to_string(),
    };
    text.lines().map(|one| line(one).trim_end().to_string() + "\n").collect()
}

#[test]
fn a_solve_shows_what_it_read_chose_checked_and_stored() {
    let place = Place::with(&[("roads.txt", ROADS)]);
    let text =
        place.succeed("solve roads.txt --out d.npy --paths next --algorithm floyd-warshall --verify=2");
    insta::assert_snapshot!("floyd-warshall", steady(&text));
    let text =
        place.succeed("solve roads.txt --out d.csv --sources Bonn,Kiel --algorithm dijkstra --verify=0");
    insta::assert_snapshot!("dijkstra", steady(&text));
}

#[test]
fn the_algorithm_of_the_lesser_estimate_is_used_and_rows_are_checked_unasked_where_that_takes_little() {
    let ring: String = (0..1500).map(|v| format!("{v} {} {}\n", (v + 1) % 1500, v % 7 + 1)).collect();
    let place = Place::with(&[("ring.txt", &ring), ("few.txt", "0 1 1\n1 2 1\n")]);
    let unasked = "against the arcs of the graph: unasked, since that should take little time\n";
    for (graph, algorithm, expected) in [
        ("ring.txt", "Dijkstra", format!("verified        8 rows {unasked}")),
        ("few.txt", "Floyd-Warshall", format!("verified        3 rows {unasked}")),
        (
            "ring.txt --sources 1,2",
            "Dijkstra",
            "not verified    checking one row would take over 5% of the solve time; --verify checks anyway"
                .into(),
        ),
    ] {
        let text = place.succeed(&format!("solve {graph} --out d.npy"));
        assert!(text.contains(&expected), "{text}");
        let algorithm = format!("\nalgorithm       {algorithm}: expected to take less time\n");
        assert!(text.contains(&algorithm), "{text}");
        for word in ["\nFloyd-Warshall  ", "\nDijkstra        ", " on the CPU, "] {
            assert!(text.contains(word), "{text}");
        }
    }
}

#[test]
fn every_result_says_what_stands_where_no_path_leads() {
    let place = Place::with(&[("n.txt", ROADS), ("ring.txt", "0 1 1\n1 0 1\n")]);
    let far = "3 pairs without a path, ";
    for (options, said, described) in [
        ("--out d.npy", "stored as 1073741823", "1073741823"),
        ("--out d.npy --type u16", "stored as 32767", "32767"),
        ("--out d.npy --type f32", "stored as inf", "\"inf\""),
        ("--out d.csv", "left out", "\"left-out\""),
    ] {
        let text = place.succeed(&format!("solve n.txt {options} --quiet"));
        assert!(text.ends_with(&format!("; {far}{said}\n")), "{options}: {text}");
        let file = options.split_whitespace().nth(1).unwrap();
        let sidecar = String::from_utf8(place.files()[&format!("{file}.json")].clone()).unwrap();
        assert!(sidecar.contains(&format!("\"no_path\":{described}")), "{sidecar}");
    }
    let text = place.succeed("solve n.txt --out d.npy --paths predecessor --marks scipy --targets Lahn -q");
    assert!(text.contains("; 3 pairs without") && text.ends_with("; -9999 where no path leads\n"), "{text}");
    assert!(place.succeed("solve ring.txt --out r.npy").contains("16 bytes; every pair has a path\n"));
}

#[test]
fn standard_input_and_output_have_the_bytes_of_files_and_standard_error_the_lines() {
    for options in [
        "--algorithm dijkstra --paths predecessor --paths-out p.npy",
        "--algorithm floyd-warshall --paths next --paths-out p.npy",
        "--algorithm floyd-warshall --type f64",
        "--sources Kiel,Bonn",
    ] {
        let place = Place::with(&[("n.txt", ROADS)]);
        let said = place.succeed(&format!("solve n.txt --verify {options} --out d.npy"));
        let mut files = place.files();
        let distances = files.remove("d.npy").unwrap();
        files.remove("d.npy.json");
        for graph in ["n.txt", "-"] {
            let place = Place::with(&[("n.txt", ROADS)]);
            let call = format!("solve {graph} --verify {options} --out -");
            let input = std::fs::File::open(place.path("n.txt")).unwrap();
            let output = place.command(&call).stdin(input).output().unwrap();
            let aside = stderr(&output);
            assert_eq!(output.status.code(), Some(0), "{aside}");
            assert!(output.stdout == distances && place.files() == files, "{call}");
            let words = |text: &str| -> Vec<String> {
                text.lines().filter_map(|line| line.split_whitespace().next().map(String::from)).collect()
            };
            assert_eq!(words(&aside), words(&said));
            assert!(aside.contains("\ndistances       standard output: "), "{aside}");
        }
    }
    let place = Place::with(&[("n.txt", ROADS)]);
    let quiet = place.run("solve n.txt --out - --quiet");
    assert_eq!(
        stderr(&quiet),
        "distances       standard output: 4 sources x 4 targets of i32, 64 bytes; 3 pairs without a path, stored as 1073741823\n"
    );
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let ring: String = (0..800).map(|v| format!("{v} {} 1\n", (v + 1) % 800)).collect();
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
