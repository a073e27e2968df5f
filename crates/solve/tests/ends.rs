//! Ends without a result, which leave nothing.

use super::{Place, ROADS, assert_refused, stderr, stdout};

#[test]
fn a_negative_cycle_is_listed_by_name_with_exit_code_1_and_nothing_is_stored() {
    let place = Place::with(&[("g.txt", "a b 1\nb c -4\nc d 2\nd b 1\n")]);
    for options in ["auto --out d.npy", "johnson --out d.csv", "floyd-warshall --out d.npy", "auto --out -"] {
        let output = place
            .run(&format!("solve g.txt --quiet --paths predecessor --paths-out p.npy --algorithm {options}"));
        assert_eq!((output.status.code(), stdout(&output)), (Some(1), String::new()));
        assert_eq!(
            stderr(&output),
            "error: negative cycle of 3 arcs and length -1: b -> c -> d -> b; shortest paths do not exist: raise or remove one of its weights\n"
        );
        assert_eq!(place.names(), ["g.txt"]);
    }
}

#[test]
fn a_negative_arc_from_a_vertex_to_itself_is_a_negative_cycle_in_every_format() {
    let loops = "has an arc of weight -7 to itself, a negative cycle";
    let header = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2), }";
    let mut array = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    array.extend(format!("{header:<117}\n").bytes());
    array.extend([0_i32, 1, 2, -5].into_iter().flat_map(i32::to_le_bytes));
    for (file, text, parts) in [
        ("g.txt", &b"3 1 5\n1 1 -2\n1 1 -7\n2 2 -3\n"[..], ["g.txt:3: vertex 1", loops]),
        ("g.txt", b"Bonn Ulm 5\nUlm Ulm -7\n", ["g.txt:2: vertex Ulm", loops]),
        ("g.gr", b"p sp 2 2\na 1 2 5\na 2 2 -7\n", ["g.gr:3: vertex 2", loops]),
        ("m.mtx", b"%%MatrixMarket matrix array integer general\n2 2\n0\n1\n2\n-5\n", ["m.mtx", "-5"]),
        ("m.npy", &array, ["m.npy", "-5"]),
    ] {
        let place = Place::with(&[]);
        std::fs::write(place.path(file), text).unwrap();
        let output = place.run(&format!("solve {file} --out d.npy"));
        let message = stderr(&output);
        assert_eq!((output.status.code(), stdout(&output)), (Some(1), String::new()), "{message}");
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
        assert_eq!(place.names(), [file]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_or_a_request_to_end_leaves_nothing() {
    use rustix::process::{Pid, Signal, kill_process};
    // A ring with chords, whose solve with paths takes seconds.
    let n = 12_000;
    let arcs = |v| [1, 17, 400].map(|step| format!("{v} {} {}\n", (v + step) % n, v % 97 + step));
    let place = Place::with(&[("g.txt", &(0..n).flat_map(arcs).collect::<String>())]);
    for (signal, out) in [(Signal::INT, "d.npy"), (Signal::TERM, "d.csv")] {
        let call = format!("solve g.txt --out {out} --paths predecessor --algorithm dijkstra");
        let child = place.command(&call).spawn().unwrap();
        let begun = place.path(&format!("{out}.new"));
        while !begun.exists() {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        kill_process(Pid::from_child(&child), signal).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            (output.status.code(), stderr(&output).as_str()),
            (Some(130), "interrupted: nothing is stored\n")
        );
        assert_eq!(place.names(), ["g.txt"]);
    }
}

#[test]
fn a_file_that_cannot_be_written_leaves_nothing_and_what_was_there_before() {
    let place = Place::with(&[("n.txt", ROADS)]);
    // Under its temporary name no file can be made.
    for (out, refused) in [
        ("d.npy", "d.npy"),
        ("d.csv", "d.csv"),
        ("d.npy", "d.predecessors.npy"),
        ("d.npy", "d.npy.json"),
        ("d.csv", "d.csv.json"),
    ] {
        for algorithm in ["dijkstra", "floyd-warshall"] {
            std::fs::write(place.path(out), "before").unwrap();
            let in_the_way = place.path(&format!("{refused}.new"));
            std::fs::create_dir(&in_the_way).unwrap();
            let output =
                place.run(&format!("solve n.txt --out {out} --paths predecessor --algorithm {algorithm}"));
            let message = stderr(&output);
            assert_eq!(output.status.code(), Some(2), "{message}");
            assert!(message.contains(refused) && message.contains("directory"), "{message}");
            assert_eq!(message.lines().count(), 1, "{message}");
            std::fs::remove_dir(in_the_way).unwrap();
            assert_eq!(place.names(), [out, "n.txt"], "{refused}");
            assert_eq!(place.files()[out], b"before");
        }
        std::fs::remove_file(place.path(out)).unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_for_which_there_is_no_room_leaves_nothing() {
    let ring: String = (0..300).map(|v| format!("{v} {} 1\n", (v + 1) % 300)).collect();
    let place = Place::with(&[("g.txt", &ring)]);
    for out in ["d.npy", "d.csv"] {
        for algorithm in ["dijkstra", "floyd-warshall"] {
            let call = format!("solve g.txt --out {out} --quiet --algorithm {algorithm}");
            let mut limited = std::process::Command::new("bash");
            limited.args(["-c", &format!("trap '' XFSZ; ulimit -f 100; exec \"$0\" {call}")]);
            limited.arg(place.command("").get_program()).current_dir(place.folder());
            assert_refused(&limited.output().unwrap(), &[out, "cannot be written: File too large"]);
            assert_eq!(place.names(), ["g.txt"]);
        }
    }
}

#[test]
fn a_result_that_is_there_is_replaced_and_its_description_with_it() {
    let place = Place::with(&[("n.txt", ROADS), ("0.txt", "0 1 5\n")]);
    place.succeed("solve n.txt --out d.npy --paths predecessor");
    place.succeed("solve 0.txt --out d.npy");
    assert_eq!(place.names(), ["0.txt", "d.npy", "d.predecessors.npy", "n.txt"]);
    assert_eq!(place.numbers::<i32>("d.npy")[..2], [0, 5]);
}
