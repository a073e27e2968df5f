//! What is refused in one line, with nothing left on the disk.

use super::{Place, ROADS, assert_refused};

/// What is called, and what the message has.
type Case = (&'static str, &'static [&'static str]);

const SOLVE: &[Case] = &[
    ("solve nothing.gr --out d.npy", &["nothing.gr: cannot be read"]),
    ("solve . --out d.npy", &["is a directory: name a graph file in it"]),
    ("solve binary --out d.npy", &["binary: is in no known format"]),
    ("solve n.txt --out d.parquet9", &["--out d.parquet9: the extension 'parquet9' stands for no format"]),
    ("solve n.txt --out d.npz", &["--out d.npz: the extension 'npz' stands for no format: use .npy or .csv"]),
    ("solve n.txt --out d", &["--out d: the extension '' stands for no format"]),
    ("solve n.txt --out folder.npy", &["--out folder.npy is a directory"]),
    ("solve n.txt --out gone/d.npy", &["--out gone/d.npy: there is no folder gone"]),
    ("solve dist.npy --out ./dist.npy", &["--out: ./dist.npy is the graph, and would be replaced"]),
    // Where vertices are named, a description lies beside the distances.
    (
        "solve r.csv.json --out r.csv",
        &["--out: its description: r.csv.json is the graph, and would be replaced"],
    ),
    (
        "solve n.txt --out s.csv --sources @s.csv",
        &["--out: s.csv is the list of --sources, and would be replaced"],
    ),
    (
        "solve n.txt --out k.csv --targets @./k.csv.json",
        &["--out: its description: k.csv.json is the list of --targets, and would be replaced"],
    ),
    (
        "solve n.txt --out mine.npy",
        &["--out mine.npy: mine.npy.json: does not describe a result of `solve`", "choose another name"],
    ),
    (
        "solve t.csv.new --format edge-list --out t.csv",
        &["--out t.csv: until it is whole it is t.csv.new, and there is such a file: remove that, or choose"],
    ),
    ("solve n.txt --out q.csv", &["--out: its description q.csv.json is a directory: choose another name"]),
    ("solve n.txt --out pipe.csv", &["--out pipe.csv is no file but something else"]),
    (
        "solve n.txt --out d.npy --sources Bonn,Nix",
        &["--sources: the graph has no vertex 'Nix': its 4 vertices have names such as Bonn and Lahn"],
    ),
    ("solve n.txt --out d.npy --targets @gone.txt", &["--targets @gone.txt: gone.txt cannot be read"]),
    ("solve n.txt --out d.npy --targets @empty.txt", &["--targets @empty.txt names no vertex"]),
    ("solve one.txt --out d.npy --sources 0", &["no vertex '0': its vertices are 1 to 2"]),
    ("solve n.txt --out d.npy --paths next --sources Bonn", &["--paths next", "choose --paths predecessor"]),
    ("solve n.txt --out d.npy --paths-out p.npy", &["--paths"]),
    ("solve n.txt --out d.npy --paths next --paths-out p.csv", &["--paths-out p.csv: ", "ends in .npy"]),
    ("solve n.txt --out - --json", &["--out - and --json both write to standard output: name a file"]),
    ("solve n.txt --out - --paths predecessor", &["name a .npy file by --paths-out"]),
    (
        "solve n.txt --out d.npy --paths next --paths-out ./d.npy",
        &["--paths-out ./d.npy: the distances go there"],
    ),
    ("solve n.txt --out d.npy --type i8", &["unknown element type 'i8'"]),
    ("solve minus.txt --out d.npy --type u16", &["minus.txt:1: "]),
    (
        "solve minus.txt --out d.npy --algorithm dijkstra",
        &[
            "the least weight is -1, and Dijkstra's algorithm needs weights that are not negative: choose Johnson's",
        ],
    ),
    (
        "solve long.txt --out d.npy --type i32 --algorithm floyd-warshall",
        &["dense Floyd-Warshall cannot be used: "],
    ),
    (
        "solve huge.txt --out d.npy --quiet",
        &["more than 1.7976931348623157e308, the most that f64 holds: divide all weights by the same number"],
    ),
    ("solve n.txt --out d.npy --device cuda:all", &["one device solves a graph"]),
    (
        "solve n.txt --out d.npy --device gpu",
        &["unknown device 'gpu': expected auto, cpu, cuda, cuda:N, emulated or emulated:C.C"],
    ),
    ("solve n.txt --out d.npy --device cuda --algorithm floyd-warshall", &["CUDA"]),
    ("solve n.txt --out d.npy --device emulated", &["no-compiler-for-this-test"]),
    ("solve n.txt --out d.npy --verify=many", &["--verify"]),
];

const LARGE: &[Case] = &[
    (
        "solve large.gr --out d.npy",
        &[
            "d.npy needs 16,000,000,000,000 bytes, and ",
            " bytes are free on the disk: choose --sources or --targets",
        ],
    ),
    (
        "solve large.gr --out d.npy --sources 1 --targets 2 --algorithm floyd-warshall",
        &["needs 16", "bytes are available"],
    ),
    ("solve large.gr --out d.csv --algorithm floyd-warshall", &["needs 16", "bytes are available"]),
];

const PATH: &[Case] = &[
    ("path gone.npy 0 1", &["gone.npy: there is no such file"]),
    (
        "path dist.npy 0 1",
        &["dist.npy: no paths are stored with it: solve the graph again with --paths predecessor"],
    ),
    (
        "path n.txt 0 1",
        &[
            "n.txt: is no result of solve: if it is a graph, solve it by `shortest-paths solve n.txt --out all.npy --paths predecessor`",
        ],
    ),
    (
        "path lost.npy Bonn Kiel",
        &["lost.npy: its description lost.npy.json is missing", "restore it or solve again"],
    ),
    ("path p.npy Bonn Nix", &["p.npy: the graph has no vertex 'Nix'"]),
    ("path cut.npy Bonn Kiel", &["cut.predecessors.npy: ", "is it truncated?"]),
    ("path s.npy Ulm Bonn", &["s.npy: Ulm is none of the sources that were chosen"]),
    ("path s.npy Bonn Lahn", &["s.npy: Lahn is none of the targets that were chosen"]),
    ("path p.npy Bonn Kiel --graph one.txt", &["--graph one.txt: the graph has no vertex 'Bonn'"]),
    (
        "path mixed.npy Bonn Kiel",
        &["mixed.npy: the paths, the distances and mixed.npy.json next to them are not of one result"],
    ),
];

fn place() -> Place {
    let place = Place::with(&[
        ("n.txt", ROADS),
        ("one.txt", "1 2 3\n"),
        ("empty.txt", ""),
        ("binary", "\u{1}\u{2}"),
        ("minus.txt", "0 1 -1\n1 2 3\n"),
        ("huge.txt", "0 1 1e308\n"),
        ("long.txt", "0 1 268435455\n1 2 1\n"),
        ("large.gr", "p sp 2000000 1\na 1 2000000 1\n"),
        ("r.csv.json", ROADS),
        ("s.csv", "Bonn\n"),
        ("k.csv.json", "Bonn\n"),
        ("mine.npy.json", "{}"),
        ("t.csv.new", "0 1\n"),
    ]);
    std::fs::create_dir(place.path("folder.npy")).unwrap();
    std::fs::create_dir(place.path("q.csv.json")).unwrap();
    std::os::unix::fs::symlink("/dev/null", place.path("pipe.csv")).unwrap();
    place.succeed("solve one.txt --out dist.npy");
    place.succeed("solve n.txt --out p.npy --paths predecessor");
    place.succeed("solve n.txt --out s.npy --paths predecessor --sources Bonn --targets Kiel");
    place.succeed("solve n.txt --out mixed.npy --paths predecessor");
    std::fs::copy(place.path("s.npy"), place.path("mixed.npy")).unwrap();
    place.succeed("solve n.txt --out cut.npy --paths predecessor");
    let paths = std::fs::read(place.path("cut.predecessors.npy")).unwrap();
    std::fs::write(place.path("cut.predecessors.npy"), &paths[..paths.len() - 60]).unwrap();
    place.succeed("solve n.txt --out lost.npy --paths predecessor --sources Bonn");
    std::fs::remove_file(place.path("lost.npy.json")).unwrap();
    place
}

fn assert_each_is_refused(cases: &[Case]) {
    let place = place();
    let before = place.files();
    for (call, parts) in cases {
        println!("{call}");
        assert_refused(&place.run(call), parts);
        assert!(place.files() == before, "{call} changed {:?}", place.names());
    }
}

#[test]
fn a_solve_that_cannot_be_is_refused_with_the_remedy() {
    assert_each_is_refused(SOLVE);
}

#[test]
fn a_result_that_cannot_fit_is_refused_with_its_size() {
    assert_each_is_refused(LARGE);
}

#[test]
fn a_path_that_is_not_stored_is_refused_with_the_remedy() {
    assert_each_is_refused(PATH);
}
