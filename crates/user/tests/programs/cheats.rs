//! Programs that say they are done and are not: whatever they do after their answer is too late.

use super::Test;
use super::adapter::{DISTANCES, GRAPH, Noted, adapter, failure, solve, solve_under};
use std::time::{Duration, Instant};

pub const TESTS: [Test; 4] = [
    ("what_a_program_says_is_a_short_quotation", what_a_program_says_is_short),
    ("what_is_not_there_when_a_program_says_that_it_is_stored_never_is", what_is_stored_late_is_not_there),
    ("a_program_is_given_no_time_to_end", a_program_is_given_no_time_to_end),
    ("the_clock_runs_before_the_program_does", the_clock_runs_before_the_program),
];

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
