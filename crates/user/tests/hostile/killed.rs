//! The moments at which a program begins and ends to compute.

use super::Test;
use super::trialled::{python, shell};
use repro_user::confine::{ExitCause, SandboxedProcess};
use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

pub const TESTS: [Test; 4] = [
    ("what_is_held_runs_when_it_is_executed_and_not_before", what_is_held_does_not_run, None),
    ("what_is_held_and_not_wanted_is_given_up", what_is_held_is_given_up, None),
    ("what_is_killed_computes_no_more", what_is_killed_computes_no_more, None),
    ("one_that_forks_all_the_time_is_killed_as_well", one_that_forks_all_the_time, None),
];

fn what_is_held_does_not_run() {
    let trial = shell("echo x > ran; read line; echo $line");
    let held = SandboxedProcess::spawn(&trial.program, &trial.limits).unwrap();
    sleep(Duration::from_millis(300));
    assert!(!trial.folder.path().join("ran").exists());
    // Its input begins with what is written to it.
    let mut held = held.resume();
    assert_eq!(held.exchange("first", Duration::from_secs(10)).unwrap(), "first");
    assert!(trial.folder.path().join("ran").exists());
}

fn what_is_held_is_given_up() {
    let trial = shell("echo x > ran; sleep 60");
    drop(SandboxedProcess::spawn(&trial.program, &trial.limits).unwrap());
    trial.assert_nothing_is_left();
    assert!(!trial.folder.path().join("ran").exists());
}

fn what_is_killed_computes_no_more() {
    // Threads, children and a daemon, each of which counts in a file of its own.
    let trial = python(
        "import os, threading, time\n\
         def count():\n    name = f'{os.getpid()}.{threading.get_native_id()}'\n    with open(name, 'w') as file:\n        for i in range(10**9): file.seek(0); file.write(str(i)); file.flush()\n\
         for i in range(3):\n    if os.fork() == 0:\n        if i: os.setsid()\n        if i == 2 and os.fork(): os._exit(0)\n        count()\n\
         threading.Thread(target=count).start()\n\
         while len(os.listdir()) < 4: time.sleep(0.01)\n\
         print('counting', flush=True)\ncount()\n",
    );
    let mut running = trial.start();
    assert_eq!(running.exchange("", Duration::from_secs(20)).unwrap(), "counting");
    let counts = || -> Vec<(std::ffi::OsString, Vec<u8>)> {
        let files = fs::read_dir(trial.folder.path()).unwrap().flatten();
        let mut all: Vec<_> = files.map(|file| (file.file_name(), fs::read(file.path()).unwrap())).collect();
        all.sort();
        all
    };
    let begin = Instant::now();
    running.kill();
    let took = begin.elapsed();
    let at_once = counts();
    let ended = running.wait();
    assert_eq!((&ended.cause, ended.left.len()), (&ExitCause::Stopped, 0), "{ended}");
    sleep(Duration::from_millis(100));
    assert_eq!(counts(), at_once);
    assert!(at_once.len() >= 4 && took < Duration::from_secs(1), "{took:?}");
    trial.assert_nothing_is_left();
}

fn one_that_forks_all_the_time() {
    // Every process starts the next one, in a session of its own, and ends.
    let mut trial = python(
        "import os\nprint('forking', flush=True)\nwhile True:\n    if os.fork(): os._exit(0)\n    os.setsid()\n",
    );
    trial.program.words = ["sh", "-c", &format!("python3 -c \"{}\"; sleep 60", trial.program.words[2])]
        .map(str::to_string)
        .into();
    for _ in 0..5 {
        let mut running = trial.start();
        assert_eq!(running.exchange("", Duration::from_secs(20)).unwrap(), "forking");
        running.kill();
        let ended = running.wait();
        assert!(
            matches!(ended.cause, ExitCause::Stopped | ExitCause::WorkedOn) && ended.left.is_empty(),
            "{ended}"
        );
        trial.assert_nothing_is_left();
    }
}
