//! Edge lists as other programs write them: the distances are the file's, or the file is refused.

use super::{Place, assert_refused};

#[test]
fn names_keep_their_quotes_and_columns_their_headings() {
    for (text, expected) in [
        ("\"Bad Ems, Lahn\",\"the \"\"Rock\"\"\",4\n", "\"Bad Ems, Lahn\",\"the \"\"Rock\"\"\",4"),
        ("to\tkm\tfrom\nb\t5\ta\n", "a,b,5"),
        // What may be counts or a matrix, and is neither.
        ("0 1\n1 0\n", "0,1,1"),
        ("0 1 4\n1 2 3\n", "0,2,7"),
    ] {
        let place = Place::with(&[("x.txt", text)]);
        place.succeed("solve x.txt --out d.csv --verify=0 --quiet");
        let table = String::from_utf8(place.files()["d.csv"].clone()).unwrap();
        assert!(table.lines().any(|line| line == expected), "{text}: {table}");
    }
}

#[test]
fn what_may_be_another_graph_is_refused_with_its_line_and_the_remedy() {
    let arc = "expected an arc `FROM TO` or `FROM TO WEIGHT`";
    let (same, one) = (
        "expected as many fields as in the first line",
        "expected blanks, commas, semicolons or tabs in all lines",
    );
    let (counts, matrix) = ("put # before counts", "choose the format edge-list for arcs");
    let heading = "a heading of columns called source, target and weight";
    let name = "expected a name in printable UTF-8";
    for (name, text, line, part) in [
        // Counts of vertices and arcs.
        ("x.txt", "3 2\n0 1 10\n1 2 5\n", ":2", same),
        ("x.txt", "3 2\n0 1\n1 2\n", ":1", counts),
        ("x.txt", "# n m\n3,2,0\n1,2,7\n2,3,7\n", ":2", counts),
        ("x.txt", "3 2\na b\nb c\n", ":1", counts),
        ("x.txt", "3 2 0\na b 1\n#c a 2\n", ":1", counts),
        ("x.txt", "3 2\na 51\nb c\n", ":1", counts),
        ("x.tsv", "u\tv\t\nv\tu\t1\n", ":1", heading),
        // A matrix.
        ("x.csv", "0,3,7\n8,0,2\n5,1,0\n", ":1", matrix),
        ("x.txt", "0 3 inf\n8 0.0 2\n5 1 0\n", ":1", matrix),
        ("x.txt", "0 5\n3 0\n", ":1", matrix),
        ("x.txt", "0 nan 3\nnan 0 2\n3 2 0\n", ":1", matrix),
        ("x.txt", "- 4 1\n9 - 9\n9 2 0\n", ":1", matrix),
        ("x.csv", "1,0.5,0.2\n0.5,1,0.3\n0.2,0.3,1\n", ":1", matrix),
        ("x.txt", "1 2 1e-400\n", ":1", "`1e-400` is no weight"),
        ("x.txt", "0 1 1\n1 2,\n", ":2", one),
        ("x.csv", "0,1,2,3\n1,0,1,2\n2,1,0,1\n3,2,1,0\n", ":1", "store a matrix as .npy"),
        // Headings in words that are not known, or that may be an arc.
        ("x.csv", "gewicht,von,nach\n4,0,1\n", ":1", heading),
        ("x.csv", "source,target,timestamp\n0,1,7\n", ":1", heading),
        ("x.csv", "von,nach\n0,1\n1,2\n", ":1", "a heading of columns called source and target"),
        ("x.txt", "u v\nv w\n", ":1", "put # before a heading, or another arc above it"),
        ("x.txt", "v u\nx w\n", ":1", "words that other lines have too"),
        // Fields.
        ("x.csv", "a,b,3\na,b\n", ":2", same),
        ("x.csv", "a,b,3\na,b,\n", ":2", "expected a weight"),
        ("x.tsv", "\tb\t3\n", ":1", name),
        ("x.csv", "a,b,3,9\n", ":1", arc),
        ("x.csv", "a;b;1,5\n", ":1", one),
        ("x.txt", "0 1 5\n0,1,5\n", ":2", one),
        ("x.txt", "1 2\t5\t7\n", ":1", name),
        ("x.txt", "a\tb 5\n", ":1", one),
        ("x.txt", "Berlin,Mitte Bonn 3\n", ":1", one),
        ("x.txt", "x;y \"Bad Ems, Lahn\" \"9\"\n", ":1", one),
        ("x.txt", "x;y \"Bad Ems, Lahn\"\n", ":1", one),
        ("x.csv", "\"a\"b,c,3\n", ":1", "quotes around a whole field"),
        ("x.csv", "\"a,b,3\n", ":1", "quotes around a whole field"),
        ("x.csv", "a,#b,3\n", ":1", name),
        ("x.txt", "0 1\r2 3\r", ":1", name),
        (
            "x.txt",
            "0 1 {'a': 1, 'b': 2}\n",
            ":1",
            "no dict of NetworkX (write the graph with nx.write_weighted_edgelist",
        ),
        // Other formats.
        ("x.geojson", "{\"type\": \"FeatureCollection\", \"features\": []}\n", "", "is in no known format"),
        ("x.txt", "[[0, 1], [1, 0]]\n", "", "is in no known format"),
        ("x.txt", "<graphml>\n<graph id=\"G\">\n", "", "is in no known format"),
    ] {
        println!("{text}");
        let place = Place::with(&[(name, text)]);
        assert_refused(&place.run(&format!("solve {name} --out d.csv")), &[&format!("{name}{line}: "), part]);
        assert_eq!(place.names(), [name]);
    }
    let place = Place::with(&[("x.txt", "0 3 7\n8 0 2\n5 1 0\n")]);
    assert!(place.succeed("solve x.txt --out d.csv --format edge-list").contains("3 arcs"));
}

#[cfg(target_os = "linux")]
mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn names_for_which_there_is_no_room_are_refused_and_do_not_end_the_program() {
        let named: String = (0..600_000).map(|v| format!("a{v} b{v} 1\n")).collect();
        let numbered: String = (0..600_000).map(|v| format!("{} {} 1\n", v * 1000, v * 1000 + 7)).collect();
        let place = Place::with(&[("named.txt", &named), ("numbered.txt", &numbered)]);
        for graph in ["named.txt", "numbered.txt"] {
            for kibibytes in [60_000, 100_000, 140_000] {
                let call = format!("solve {graph} --out d.csv --sources 1 --quiet");
                let mut limited = std::process::Command::new("bash");
                let script = format!("ulimit -v {kibibytes}; exec \"$0\" {call}");
                limited
                    .args(["-c", &script])
                    .arg(place.command("").get_program())
                    .current_dir(place.folder());
                // Threads and their arenas take addresses too.
                limited.envs([("RAYON_NUM_THREADS", "1"), ("MALLOC_ARENA_MAX", "1")]);
                let output = limited.output().unwrap();
                assert_refused(&output, &[graph, "the list of vertex names needs", "available"]);
            }
        }
    }
}
