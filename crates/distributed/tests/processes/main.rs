//! Groups of real processes, started with the variables of each launcher, and how they end when one is lost.
#![cfg(unix)]

mod common;
mod outsiders;

use common::{Ended, ROLE, Started, end_all, port, start, variables};
use repro_distributed::cluster::{Launch, OnLoss, Processes, Settings};
use repro_solvers::{Group, Progress};
use rustix::process::Signal;
use std::hash::{BuildHasher, RandomState};
use std::net::{Ipv4Addr, TcpListener};
use std::thread::sleep;
use std::time::{Duration, Instant};

const RANKS: usize = 4;

/// Not a test of its own: what a member does when a test starts it.
#[test]
fn member() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let launch = match Launch::from_environment(|name| std::env::var(name).ok()) {
        Ok(launch) => launch.unwrap(),
        Err(error) => {
            eprintln!("error: {error}");
            std::process::exit(2);
        }
    };
    let group = match Processes::join(&launch, settings(&role)) {
        Ok(group) => group,
        Err(error) => {
            eprintln!("error: {error}");
            std::process::exit(1);
        }
    };
    act(&role, &group);
    group.finish().unwrap();
    std::process::exit(0);
}

fn settings(role: &str) -> Settings {
    let usual = Settings::of_build("test");
    let milliseconds = Duration::from_millis;
    match role {
        "come" => Settings { join: milliseconds(600), ..usual },
        "early" => Settings { join: milliseconds(800), ..usual },
        "quiet" => Settings { beat: milliseconds(100), silence: milliseconds(1500), ..usual },
        "stand" => Settings { beat: milliseconds(50), stall: milliseconds(1000), ..usual },
        "hang" | "call" => Settings { exit: milliseconds(300), ..usual },
        "report" => Settings { on_loss: OnLoss::Report, ..usual },
        _ => usual,
    }
}

fn act(role: &str, group: &Processes) {
    let own = group.own().rank;
    match role {
        "ring" => ring(group),
        "hang" => {
            hang_at_exit();
            go_round(group, usize::MAX);
        }
        "call" => {
            group.on_loss(Box::new(|_| sleep(Duration::from_secs(1000))));
            go_round(group, usize::MAX);
        }
        "report" => {
            hang_at_exit();
            group.on_loss(Box::new(|error| {
                println!("called: {error}");
                repro_distributed::cluster::exit_within(7, Duration::from_millis(300));
            }));
            println!("ready");
            // As in a call of a driver that does not return.
            sleep(Duration::from_secs(1000));
        }
        "stand" => {
            let _work = group.work("a solve");
            go_round(group, if own == 2 { 5 } else { usize::MAX });
            // As in a call of a driver that does not return.
            sleep(Duration::from_secs(1000));
        }
        "come" => {}
        "stay" => {
            println!("ready");
            sleep(Duration::from_secs(1000));
        }
        _ => go_round(group, usize::MAX),
    }
}

/// As a driver may when its device is lost.
fn hang_at_exit() {
    unsafe extern "C" {
        safe fn atexit(handler: extern "C" fn()) -> i32;
    }
    extern "C" fn hang() {
        sleep(Duration::from_secs(1000));
    }
    assert_eq!(atexit(hang), 0);
}

/// Sends 8 MB to both neighbours at once, and takes as much from both.
fn ring(group: &Processes) {
    let (own, size) = (group.own().rank, group.members().len());
    let names = group.exchange(format!("{} of {size}", own).as_bytes()).unwrap();
    for (rank, name) in names.iter().enumerate() {
        assert_eq!(*name, format!("{rank} of {size}").into_bytes());
        assert_eq!((group.members()[rank].local_rank, group.members()[rank].local_size), (rank, size));
    }
    let (next, last) = ((own + 1) % size, (own + size - 1) % size);
    for to in [next, last] {
        group.send(to, &vec![own as u8; 8 << 20]).unwrap();
    }
    for from in [last, next] {
        assert_eq!(group.receive(from).unwrap(), vec![from as u8; 8 << 20]);
    }
}

/// Goes on in step with the others, this often.
fn go_round(group: &Processes, turns: usize) {
    let (own, size) = (group.own().rank, group.members().len());
    for turn in 0..turns {
        group.report(Progress { steps: turn as u64, waits: false });
        group.send((own + 1) % size, &[7; 1000]).unwrap();
        group.exchange(&turn.to_le_bytes()).unwrap();
        group.receive((own + size - 1) % size).unwrap();
        if turn == 0 {
            println!("ready");
        }
        sleep(Duration::from_millis(1));
    }
}

fn start_ready(role: &str) -> Vec<Started> {
    let mut group = start(role, "torchrun", RANKS, port(), &[]);
    for member in &mut group {
        member.await_word("ready");
    }
    group
}

fn all_went_well(ended: &[Ended]) {
    for process in ended {
        assert_eq!((process.code, process.errors.as_str()), (Some(0), ""), "{process:?}");
    }
}

/// All end with code 1 and one line, which says this of that rank.
fn all_name(ended: &[Ended], lost: usize, reason: &str) {
    for process in ended {
        assert_eq!((process.code, process.errors.lines().count()), (Some(1), 1), "{process:?}");
        assert!(process.errors.starts_with(&format!("error: rank {lost} on ")), "{process:?}");
        assert!(process.errors.contains(&format!(" is lost: {reason}")), "{process:?}");
    }
}

#[test]
fn processes_of_every_launcher_find_each_other_and_leave_without_noise() {
    for launcher in ["torchrun", "mpirun", "srun"] {
        all_went_well(&end_all(start("ring", launcher, RANKS, port(), &[])));
    }
}

#[test]
fn two_jobs_share_a_host_and_pass_over_the_server_that_has_their_port() {
    let port = port();
    let _server = TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)).unwrap();
    let mut jobs = start("ring", "torchrun", 2, port, &[]);
    jobs.extend((0..2).map(|rank| {
        let mut variables = variables("torchrun", rank, 2, port);
        variables.push(("TORCHELASTIC_RUN_ID", "other".into()));
        Started::new("ring", rank, &variables)
    }));
    all_went_well(&end_all(jobs));
}

#[test]
fn a_member_that_never_comes_ends_the_others() {
    for ended in end_all(start("come", "torchrun", RANKS, port(), &[3])) {
        assert_eq!((ended.code, ended.errors.lines().count()), (Some(1), 1), "{ended:?}");
        assert!(ended.errors.starts_with("error: rank 3 of 4 did not come within 0.6 s"), "{ended:?}");
    }
}

#[test]
fn a_member_that_is_killed_at_any_moment_is_named_by_all_others_which_end() {
    let random = RandomState::new();
    for turn in 0..20_u64 {
        let chance = random.hash_one(turn);
        let mut group = start_ready("go round");
        sleep(Duration::from_micros(chance % 30_000));
        let lost = (chance >> 32) as usize % RANKS;
        group.remove(lost).kill();
        let killed = Instant::now();
        all_name(&end_all(group), lost, "");
        assert!(killed.elapsed() < Duration::from_secs(10), "{:?}", killed.elapsed());
    }
}

#[test]
fn a_member_that_is_killed_while_all_find_each_other_is_named_by_all_others_which_end() {
    let random = RandomState::new();
    for turn in 0..5_u64 {
        let chance = random.hash_one(turn);
        let mut group = start("early", "torchrun", RANKS, port(), &[]);
        sleep(Duration::from_micros(chance % 40_000));
        let lost = (chance >> 32) as usize % RANKS;
        group.remove(lost).kill();
        for ended in end_all(group) {
            assert_eq!((ended.code, ended.errors.lines().count()), (Some(1), 1), "{ended:?}");
            assert!(ended.errors.contains(&format!("rank {lost} ")), "rank {lost} was killed: {ended:?}");
        }
    }
}

#[test]
fn a_member_that_is_stopped_is_named_by_all_others_and_ends_when_it_goes_on() {
    let mut group = start_ready("quiet");
    group[1].signal(Signal::STOP);
    let stopped = group.remove(1);
    all_name(&end_all(group), 1, "it was silent for 1.");
    stopped.signal(Signal::CONT);
    let ended = stopped.end();
    assert_eq!((ended.code, ended.errors.lines().count()), (Some(1), 1), "{ended:?}");
    assert!(ended.errors.starts_with("error: rank 1 on "), "{ended:?}");
}

#[test]
fn rank_0_that_is_stopped_is_named_by_all_others_and_by_itself() {
    let mut group = start_ready("quiet");
    group[0].signal(Signal::STOP);
    let stopped = group.remove(0);
    all_name(&end_all(group), 0, "it was silent for 1.");
    stopped.signal(Signal::CONT);
    all_name(&[stopped.end()], 0, "it stood still for ");
}

#[test]
fn a_member_that_lives_but_does_not_go_on_ends_all_even_itself() {
    let group = start_ready("stand");
    all_name(&end_all(group), 2, "it made no progress for 1.");
}

#[test]
fn a_process_ends_even_when_what_is_called_at_the_end_hangs() {
    for role in ["hang", "call"] {
        let mut group = start_ready(role);
        group.remove(3).kill();
        all_name(&end_all(group), 3, "its connection closed");
    }
}

#[test]
fn a_process_that_only_reports_a_loss_is_called_back_while_its_thread_hangs() {
    let mut group = start_ready("report");
    group.remove(1).kill();
    for mut process in group {
        process.await_word("called: rank 1 on ");
        let ended = process.end();
        assert_eq!((ended.code, ended.errors.as_str()), (Some(7), ""), "{ended:?}");
    }
}
