use super::*;
use crate::launch::Launcher;
use crate::messages;
use std::net::Ipv4Addr;
use std::thread;
use std::time::Instant;

fn launch(rank: usize, size: usize, port: u16, job: &str) -> Launch {
    Launch {
        launcher: Launcher::Torchrun,
        rank,
        size,
        local_rank: None,
        local_size: None,
        address: "127.0.0.1".into(),
        port,
        job: format!("{job} {}", std::process::id()),
        secret: None,
    }
}

fn settings(build: &str, milliseconds: u64) -> Settings {
    Settings { join: Duration::from_millis(milliseconds), ..Settings::of_build(build) }
}

/// The first of 16 ports that no other test takes, below those that systems give away.
fn port() -> u16 {
    use std::sync::atomic::{AtomicU16, Ordering};
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let start = u16::try_from(std::process::id() % 300).unwrap();
    10_000 + (start * 64 + NEXT.fetch_add(PORTS, Ordering::Relaxed)) % 20_000
}

/// All ranks at once, each with its job and build.
fn join_all(
    of_ranks: &[(usize, &str, &str)],
    size: usize,
    port: u16,
    milliseconds: u64,
) -> Vec<Result<Joined, JoinError>> {
    thread::scope(|scope| {
        let join_one = |&(rank, job, build): &(usize, &'_ str, &'_ str)| {
            let (launch, settings) = (launch(rank, size, port, job), settings(build, milliseconds));
            scope.spawn(move || join(&launch, &settings))
        };
        let threads: Vec<_> = of_ranks.iter().map(join_one).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn message(result: &Result<Joined, JoinError>) -> String {
    result.as_ref().err().expect("an error").to_string()
}

#[test]
fn all_who_come_know_each_other() {
    let ranks = [(2, "j", "b"), (0, "j", "b"), (1, "j", "b")];
    let joined: Vec<Joined> = join_all(&ranks, 3, port(), 5000).into_iter().map(Result::unwrap).collect();
    for (one, (rank, ..)) in joined.iter().zip(ranks) {
        assert_eq!((one.own, &one.members, one.token), (rank, &joined[0].members, joined[0].token));
        assert_eq!(one.addresses[2].port(), joined[0].links.as_ref().unwrap().local_addr().unwrap().port());
    }
    let places: Vec<_> = joined[0].members.iter().map(|m| (m.rank, m.local_rank, m.local_size)).collect();
    assert_eq!(places, [(0, 0, 3), (1, 1, 3), (2, 2, 3)]);
}

#[test]
fn one_process_needs_no_network() {
    let joined = join(&launch(0, 1, 1, "j"), &settings("b", 0)).unwrap();
    assert_eq!(joined.members.len(), 1);
    assert!(joined.links.is_none());
}

#[test]
fn members_that_never_come_are_named_to_all() {
    let results = join_all(&[(0, "j", "b"), (2, "j", "b")], 4, port(), 400);
    let words = "ranks 1 and 3 of 4 did not come within 0.4 s";
    assert!(results.iter().all(|result| message(result).starts_with(words)), "{}", message(&results[1]));
}

#[test]
fn a_head_that_never_comes_is_named_with_its_address() {
    let port = port();
    let results = join_all(&[(1, "j", "b")], 2, port, 200);
    let words =
        format!("rank 1: rank 0 did not answer at 127.0.0.1, ports {port} to {}, within 0.2 s", port + 15);
    assert!(message(&results[0]).starts_with(&words), "{}", message(&results[0]));
}

#[test]
fn another_build_is_an_error_on_both_sides() {
    let started = Instant::now();
    let results = join_all(&[(0, "j", "new"), (1, "j", "old")], 3, port(), 20_000);
    for result in &results {
        let words = "is another build than rank 0: 'old' (protocol 1), and rank 0 'new' (protocol 1)";
        assert!(message(result).contains(words), "{}", message(result));
    }
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn two_jobs_with_one_port_do_not_mix() {
    let ranks = [(0, "j", "b"), (1, "j", "b"), (0, "k", "c"), (1, "k", "c")];
    let joined: Vec<Joined> = join_all(&ranks, 2, port(), 10_000).into_iter().map(Result::unwrap).collect();
    assert_eq!(joined[0].token, joined[1].token);
    assert_eq!(joined[2].token, joined[3].token);
    assert_ne!(joined[0].token, joined[2].token);
}

#[test]
fn one_that_comes_for_another_job_takes_nobodys_place() {
    let port = port();
    thread::scope(|scope| {
        let head = scope.spawn(|| join(&launch(0, 2, port, "j"), &settings("b", 10_000)));
        let stranger = loop {
            if let Ok(connection) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) {
                break connection;
            }
            thread::sleep(Duration::from_millis(5));
        };
        std::io::Read::read_exact(&mut &stranger, &mut [0; 8]).unwrap();
        let theirs: Greeting = messages::read(&mut &stranger).unwrap();
        let greeting = Greeting { job: "k".into(), ..theirs };
        let (local_rank, local_size) = (None, None);
        let hello = messages::Hello { greeting, rank: 1, host: "h".into(), local_rank, local_size, port: 1 };
        messages::write(&mut &stranger, &hello).unwrap();
        assert!(messages::read::<messages::Welcome>(&mut &stranger).is_err());
        assert!(join(&launch(1, 2, port, "j"), &settings("b", 10_000)).is_ok());
        assert!(head.join().unwrap().is_ok());
    });
}

#[test]
fn a_server_that_is_silent_or_another_is_passed_over() {
    let port = port();
    let silent = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).unwrap();
    let loud = TcpListener::bind((Ipv4Addr::LOCALHOST, port + 1)).unwrap();
    thread::spawn(move || {
        for connection in loud.incoming().flatten() {
            let _ = std::io::Write::write_all(&mut &connection, b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    assert!(join_all(&[(0, "j", "b"), (1, "j", "b")], 2, port, 10_000).iter().all(Result::is_ok));
    drop(silent);
}

#[test]
fn a_second_process_of_a_rank_is_refused() {
    let results = join_all(&[(0, "j", "b"), (1, "j", "b"), (1, "j", "b")], 3, port(), 600);
    assert!(message(&results[0]).starts_with("rank 2 of 3 did not come within 0.6 s"));
    let refused = results[1..].iter().filter(|result| matches!(result, Err(JoinError::NoAnswer { .. })));
    assert_eq!(refused.count(), 1);
}

#[test]
fn a_host_without_free_ports_is_an_error() {
    let port = port();
    let _taken: Vec<_> =
        (port..port + PORTS).map(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, port))).collect();
    let results = join_all(&[(0, "j", "b")], 2, port, 200);
    let words = format!("rank 0 cannot listen on any port from {port} to {}", port + 15);
    assert!(message(&results[0]).starts_with(&words));
}

#[test]
fn many_ranks_are_cut_short() {
    assert_eq!(ranks(&[3]), "rank 3");
    assert_eq!(ranks(&[3, 5, 6]), "ranks 3, 5 and 6");
    assert_eq!(ranks(&(1..=12).collect::<Vec<_>>()), "ranks 1, 2, 3, 4, 5, 6, 7, 8 and 4 more");
}
