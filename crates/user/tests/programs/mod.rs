//! Foreign programs as implementations: right ones, wrong ones and hostile ones. Each failure is one solve's, and says what it was.

mod adapter;

use adapter::{
    DISTANCES, GRAPH, NO_EDGE, Noted, RIGHT, SERVE, adapter, described, failure, of_table, solve,
    solve_graph, solve_under, with_program,
};
use libtest_mimic::{Failed, Trial};
use repro_graph::ElementType;
use repro_solvers::{Implementation, Parameters, TimingPoint};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

pub fn trials() -> Vec<Trial> {
    let tests: [Test; 11] = [
        ("a_program_solves_under_a_clock_that_it_passes_point_for_point", a_program_solves),
        ("one_without_the_protocol_is_given_its_files_on_the_command_line", one_without_the_protocol),
        ("every_solve_has_a_fresh_folder", every_solve_has_a_fresh_folder),
        ("a_result_of_the_wrong_kind_is_named", a_result_of_the_wrong_kind_is_named),
        ("a_wrong_answer_is_named", a_wrong_answer_is_named),
        ("a_hostile_program_costs_one_solve", a_hostile_program_costs_one_solve),
        ("what_is_missing_is_named_with_the_remedy", what_is_missing_is_named),
        ("what_a_program_says_is_a_short_quotation", what_a_program_says_is_short),
        (
            "what_is_not_there_when_a_program_says_that_it_is_stored_never_is",
            what_is_stored_late_is_not_there,
        ),
        ("a_program_is_given_no_time_to_end", a_program_is_given_no_time_to_end),
        ("the_clock_runs_before_the_program_does", the_clock_runs_before_the_program),
    ];
    let trial = |name: String, test: Box<dyn FnOnce() + Send>| {
        Trial::test(name, move || {
            test();
            Ok::<(), Failed>(())
        })
    };
    let tests = tests.into_iter().map(|(name, test)| trial(name.into(), Box::new(test)));
    let of_adapters = adapters().into_iter().map(|path| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        // What no test installs is left out, as an ignored one. Where even SciPy is missing the test says so.
        let is_left_out = *HAS_SCIPY && from_repository(&path).solver.missing().is_some();
        let test = move || an_adapter_solves_rightly(&path);
        trial(format!("adapters::{name}_solves_rightly"), Box::new(test)).with_ignored_flag(is_left_out)
    });
    tests.chain(of_adapters).collect()
}

type Test = (&'static str, fn());

fn a_program_solves() {
    let (_folder, found) = adapter("");
    let (distances, clock) = solve(&found).unwrap();
    assert_eq!(distances, DISTANCES);
    use TimingPoint::{CopiedIn, CopiedOut, Packed, Solved, Start, Unpacked};
    assert_eq!(clock.points, [Start, CopiedIn, Packed, Solved, Unpacked, CopiedOut]);
    assert!(clock.own.unwrap() > 0.0);
}

fn one_without_the_protocol() {
    let script = format!(
        "{RIGHT}\nn = int(sys.argv[3])\nassert sys.argv[4] == 'f32'\nd = read(sys.argv[1])\nclose(d, n)\nwrite(sys.argv[2], d, n)\n"
    );
    let command = r#"command = ["python3", "{adapters}/adapter.py", "{graph}", "{out}", "{n}", "{element}"]"#;
    let (_folder, found) = of_table(&script, command);
    let (distances, clock) = solve(&found).unwrap();
    assert_eq!((distances.as_slice(), clock.points.len()), (&DISTANCES[..], 6));
    let (_folder, found) = of_table("import sys\nsys.exit('no licence')", command);
    assert_eq!(
        failure(&found),
        "python3 ended with code 1; its last line on standard error is: \"no licence\""
    );
}

fn every_solve_has_a_fresh_folder() {
    // Nothing that one solve leaves is there in the next.
    let (_folder, found) =
        adapter("assert sorted(os.listdir()) == ['graph.npy'], os.listdir()\nopen('left', 'w').close()\n");
    for _ in 0..2 {
        assert_eq!(solve(&found).unwrap().0, DISTANCES);
    }
}

fn a_result_of_the_wrong_kind_is_named() {
    let cases = [
        (
            "write(about['distances'], d[:8], 2, (2, 4))",
            "distances.npy, when the program answered that it had stored it: the array: has shape [2, 4] of '<f4', and shape [4, 4] of '<f4' was expected",
        ),
        (
            "write(about['distances'], d, n, None, '<i4')",
            "has shape [4, 4] of '<i4', and shape [4, 4] of '<f4' was expected",
        ),
        ("write(about['distances'], d[:9], n)", "its header promises"),
        ("open(about['distances'], 'w').write('0 1 2')", "the start of a .npy file"),
        ("pass", "when the program answered that it had stored it: does not exist"),
        (
            "os.symlink('graph.npy', about['distances'])",
            "is no regular file: the program has made something else",
        ),
        ("os.mkfifo(about['distances'])", "is no regular file: the program has made something else"),
        // Before it was asked to store.
        ("os.rename('early', about['distances'])", "was written before it was asked for"),
        ("os.link('early', 'second'); os.rename('early', about['distances'])", "has 2 names"),
    ];
    for (store, part) in cases {
        let early = "write('early', d, n); time.sleep(0.1); write('distances.npy', d, n)";
        let (_folder, found) = adapter(&format!(
            "\ndef solve():\n    close(d, n); {early}; answer(solved={{}})\ndef store(about):\n    {store}; answer(stored={{}})\n"
        ));
        let error = failure(&found);
        assert!(error.contains(part), "{store}: {error}");
    }
}

fn a_wrong_answer_is_named() {
    let cases = [
        (
            "print('hello', flush=True)",
            "the program answered \"hello\" to {\"solve\":{}}: expected {\"solved\": {}}",
        ),
        ("answer(stored={})", "expected {\"solved\": {}}"),
        ("answer(solved={'second': 0.5})", "expected {\"solved\": {}}"),
        ("answer(solved={'seconds': float('nan')})", "expected {\"solved\": {}}"),
        (
            "answer(failed={'reason': 'n is too large'})",
            "the program failed at {\"solve\":{}}, and says: \"n is too large\"",
        ),
        ("answer(solved={'seconds': 1e6})", "the program's own clock shows 1000000 s"),
        ("answer(solved={'seconds': -1.0})", "it is no time of this solve"),
        (
            "raise ValueError('broken')",
            "ended with code 1; its last line on standard error is: \"ValueError: broken\"",
        ),
        ("os.abort()", "python3 was ended by signal: 6 (SIGABRT)"),
    ];
    for (solve, part) in cases {
        let (_folder, found) = adapter(&format!("\ndef solve(): {solve}\n"));
        let error = failure(&found);
        assert!(error.contains(part), "{solve}: {error}");
    }
}

fn a_hostile_program_costs_one_solve() {
    let cases = [
        ("while True: time.sleep(1)", "python3 ran longer than its limit of 3 s"),
        ("while True: sys.stdout.write('x\\n' * 65536)", "the program answered \"x\""),
        (
            "[os.fork() or time.sleep(60) for i in range(40)]; time.sleep(60)",
            "processes at a time, more than its limit of 16",
        ),
        ("open('big', 'wb').truncate(1 << 40)", "File too large"),
        (
            "[open(f'f{i}', 'wb').write(bytes(1 << 22)) for i in range(70)]; time.sleep(60)",
            "in its folder, more than its limit of 256.0 MiB",
        ),
        ("x = b'x' * (200 << 20); time.sleep(60)", "of memory, more than its limit of 100.0 MiB"),
    ];
    for (solve, part) in cases {
        let change = format!("\ndef solve():\n    {solve}\n");
        // Time enough for a busy machine to start Python.
        let seconds = if part.contains("ran longer") { 3 } else { 8 };
        let more = format!("seconds = {seconds}\nmemory = {{ matrices = 0.0, mebibytes = 100 }}");
        let (_folder, found) = with_program(&format!("{RIGHT}{change}{SERVE}"), &more);
        let error = failure(&found);
        assert!(error.contains(part), "{solve}: {error}");
    }
    // The next one is as before.
    assert_eq!(solve(&adapter("").1).unwrap().0, DISTANCES);
}

fn what_is_missing_is_named() {
    let missing =
        |needs: &str| with_program("", needs).1.takes(ElementType::F32, &Parameters::default()).err();
    for (needs, expected) in [
        (
            "needs = { python = [\"no-such-package==1.2\"] }",
            "a: it needs no-such-package 1.2, which python3 does not have: install no-such-package==1.2, as into a virtual environment",
        ),
        (
            "needs = { python = [\"no-such-package==1.2\"], install = \"make install\" }",
            "a: it needs no-such-package 1.2, which python3 does not have: make install",
        ),
        (
            "probe = { command = [\"echo\", \"2.0\"], prints = \"1.0\" }",
            "a: `echo 2.0` prints `2.0`, but the adapter was tested with a version that prints 1.0",
        ),
        (
            "probe = { command = [\"no-such-program\"], prints = \"1.0\" }",
            "a: no-such-program could not be started",
        ),
    ] {
        assert!(missing(needs).unwrap().starts_with(expected), "{needs}: {:?}", missing(needs));
    }
    assert_eq!(missing("needs = { python = [] }"), None);
    assert_eq!(missing("probe = { command = [\"echo\", \"v1.0\"], prints = \"1.0\" }"), None);
    let beside = "probe = { command = [\"python3\", \"{adapters}/adapter.py\"], prints = \"3.1\" }";
    assert_eq!(with_program("print(3.1)", beside).1.takes(ElementType::F32, &Parameters::default()), Ok(()));
    if missing("needs = { python = [\"pip\"] }").is_none() {
        let other = missing("needs = { python = [\"pip==0.1|0.2\"] }").unwrap();
        assert!(other.starts_with("a: it was tested with pip 0.1 or 0.2, and python3 has "), "{other}");
    }
    if !Path::new("/dev/nvidia0").exists() {
        assert!(missing("needs = { gpu = true }").unwrap().contains("no /dev/nvidia0"));
    }
    assert!(solve(&with_program("", "needs = { python = [\"no-such-package==1.2\"] }").1).is_err());
}

/// Long after the answer, and long before the two seconds are over that programs once had to end.
const LATER: &str = "time.sleep(0.3)";

fn what_is_stored_late_is_not_there() {
    let right = "write('distances.npy', d, n)";
    let ways = [
        // By itself, by a file with another name, in a thread, in a child, in a process that nobody waits for.
        format!("answer(stored={{}}); {LATER}; {right}"),
        format!("write('x', d, n); answer(stored={{}}); {LATER}; os.rename('x', 'distances.npy')"),
        format!("threading.Thread(target=lambda: ({LATER}, {right})).start(); answer(stored={{}})"),
        format!("answer(stored={{}}) if os.fork() else ({LATER}, {right})"),
        format!("answer(stored={{}}) if os.fork() else (os.setsid(), os.fork() or ({LATER}, {right}))"),
    ];
    for way in ways {
        let (_folder, found) = adapter(&format!("import threading\ndef store(about):\n    {way}\n"));
        let error = failure(&found);
        assert!(
            error.contains("when the program answered that it had stored it: does not exist"),
            "{way}: {error}"
        );
    }
    // Solved as late as it is stored: the exploit that this is about.
    let (_folder, found) = adapter(&format!(
        "\ndef solve(): answer(solved={{}})\ndef store(about): answer(stored={{}}); {LATER}; close(d, n); {right}\n"
    ));
    assert!(failure(&found).contains("does not exist"));
}

fn what_a_program_says_is_short() {
    // As long as a file that it has read, with what would end the quotation and what terminals obey.
    let says = "'\\x1b[2J\\u202e\"; verified\\n' + 'root:' * 1300";
    let ways = [
        format!("answer(failed={{'reason': {says}}})"),
        format!("sys.exit({says})"),
        format!("print({says}, flush=True)"),
    ];
    for way in ways {
        let (_folder, found) = adapter(&format!("\ndef solve(): {way}\n"));
        let error = failure(&found);
        assert!(
            error.len() < 700 && error.chars().all(|one| !one.is_control() && one != '\u{202e}'),
            "{error}"
        );
        // Its quotation marks are none of ours, which JSON in the sentence has as well.
        assert!(!error.contains("\"; verified") && error.matches('"').count().is_multiple_of(2), "{error}");
    }
}

fn a_program_is_given_no_time_to_end() {
    // Deaf to the end of its input, as some are; and that is nobody's fault.
    let (_folder, found) = adapter("import atexit\natexit.register(time.sleep, 60)\n");
    let begin = Instant::now();
    let (distances, clock) = solve(&found).unwrap();
    assert_eq!(distances, DISTANCES);
    assert!(
        clock.whole() <= begin.elapsed() && begin.elapsed() < Duration::from_millis(1500),
        "{:?}",
        begin.elapsed()
    );
}

fn the_clock_runs_before_the_program() {
    // By its own clock it says how long it has run when it is asked for the first time.
    let (_folder, found) = adapter(
        "begun = time.monotonic()\n_load = load\ndef load(about):\n    global age\n    age = time.monotonic() - begun; _load(about)\ndef solve():\n    close(d, n); time.sleep(0.02); answer(solved={'seconds': 2e-3 if age > 0.5 else 1e-3})\n",
    );
    let slow = Noted { slow_to_start: Duration::from_secs(1), ..Noted::default() };
    let (_, clock) = solve_under(&found, &GRAPH, slow).unwrap();
    assert_eq!(clock.own, Some(1e-3), "it ran before the clock did");
}

/// The Python that adapters run: REPRO_PYTHON, or the one that `scripts/fetch` makes.
fn python() -> String {
    let fetched = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/python/bin/python3");
    std::env::var("REPRO_PYTHON").unwrap_or_else(|_| fetched.display().to_string())
}

/// Whether that Python has SciPy, asked once: it takes a moment to load.
static HAS_SCIPY: LazyLock<bool> = LazyLock::new(|| {
    let found = Command::new(python()).args(["-c", "import scipy"]).output();
    found.is_ok_and(|ended| ended.status.success())
});

fn adapters_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../adapters")
}

fn adapters() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(adapters_folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    assert!(files.len() >= 7, "{files:?}");
    files
}

fn from_repository(path: &Path) -> Implementation {
    let text = fs::read_to_string(path).unwrap().replace("\"python3\"", &format!("{:?}", python()));
    described(text, &adapters_folder())
}

fn an_adapter_solves_rightly(path: &Path) {
    // `scripts/test` knows a test that it skips by these words.
    assert!(*HAS_SCIPY, "missing tool: SciPy: scripts/fetch scipy gets it");
    let found = from_repository(path);
    assert_eq!(path.file_stem().unwrap().to_str(), Some(&*found.name));
    let (distances, clock) = solve(&found).unwrap_or_else(|error| panic!("{}: {error}", found.name));
    assert_eq!(distances, DISTANCES, "{}", found.name);
    // Without an edge of no weight, which some libraries take for none in some representations.
    let mut weights = GRAPH;
    weights[1] = 1.0;
    let expected =
        [0.0, 1.0, 3.0, NO_EDGE, 3.0, 0.0, 2.0, NO_EDGE, 1.0, 2.0, 0.0, NO_EDGE, 8.0, 5.0, 7.0, 0.0];
    assert_eq!(solve_graph(&found, &weights).unwrap().0, expected, "{}", found.name);
    assert!(clock.own.unwrap() > 0.0, "{}", found.name);
}
