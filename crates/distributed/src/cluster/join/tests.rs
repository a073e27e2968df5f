use super::*;
use crate::cluster::launch::Launcher;
use crate::cluster::messages::{self, Hello, Welcome};
use crate::cluster::proof;
use crate::cluster::secret::Secret;
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
        assert_eq!((one.own, &one.members), (rank, &joined[0].members));
        assert!(one.link_key == joined[0].link_key);
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
        let words = "is another build than rank 0: 'old' (protocol 2), and rank 0 'new' (protocol 2)";
        assert!(message(result).contains(words), "{}", message(result));
    }
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn two_jobs_with_one_port_do_not_mix() {
    let ranks = [(0, "j", "b"), (1, "j", "b"), (0, "k", "c"), (1, "k", "c")];
    let joined: Vec<Joined> = join_all(&ranks, 2, port(), 10_000).into_iter().map(Result::unwrap).collect();
    let same = |one: usize, other: usize| joined[one].link_key == joined[other].link_key;
    assert!(same(0, 1) && same(2, 3) && !same(0, 2));
}

/// A secret, as a variable gives it.
fn secret(letter: &str) -> Option<Secret> {
    Secret::from_environment(|name| (name == SECRET).then(|| letter.repeat(16))).unwrap()
}

#[test]
fn those_with_another_secret_or_none_or_of_another_job_take_nobodys_place_and_are_counted() {
    let port = port();
    let with = |launch: Launch, secret| Launch { secret, ..launch };
    thread::scope(|scope| {
        let head = with(launch(0, 3, port, "j"), secret("a"));
        let head = scope.spawn(move || join(&head, &settings("b", 1500)));
        let guests = [("j", secret("b")), ("j", None), ("k", secret("a"))].map(|(job, secret)| {
            let guest = with(launch(1, 3, port, job), secret);
            // Of another build, which is nothing to those of this start.
            scope.spawn(move || join(&guest, &settings("c", 300)))
        });
        for guest in guests {
            let message = message(&guest.join().unwrap());
            assert!(
                message.contains(&format!("port {port}: another job, or one with another secret")),
                "{message}"
            );
        }
        let member = with(launch(1, 3, port, "j"), secret("a"));
        let member = scope.spawn(move || join(&member, &settings("b", 10_000)));
        let message = message(&head.join().unwrap());
        assert!(message.starts_with("rank 2 of 3 did not come within 1.5 s"), "{message}");
        assert!(
            message.contains(" connections did not prove the secret of this start: REPRO_SECRET"),
            "{message}"
        );
        assert!(matches!(member.join().unwrap(), Err(JoinError::Over(reason)) if reason == message));
    });
}

#[test]
fn a_start_that_other_hosts_reach_is_refused_without_a_secret_and_says_how_to_set_one() {
    // An address of nobody (RFC 5737): nothing is sent there.
    let begun = Instant::now();
    for (launcher, how) in [
        (Launcher::Slurm, "`srun --export=ALL`"),
        (Launcher::OpenMpi, "`mpirun -x REPRO_SECRET`"),
        (Launcher::Torchrun, "set it on every host before torchrun"),
    ] {
        for rank in [0, 1] {
            let launch = Launch { address: "198.51.100.1".into(), launcher, ..launch(rank, 2, port(), "j") };
            let message = message(&join(&launch, &settings("b", 10_000)));
            let words = "other hosts reach '198.51.100.1' (198.51.100.1), and without a secret anybody there could take part: set \
                         REPRO_SECRET to the same random value in all processes";
            assert!(message.starts_with(words) && message.contains(how), "{message}");
        }
    }
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[test]
fn an_address_of_another_host_is_refused_by_rank_0() {
    let launch = Launch { address: "198.51.100.1".into(), secret: secret("a"), ..launch(0, 2, port(), "j") };
    let message = message(&join(&launch, &settings("b", 10_000)));
    let words = "rank 0 runs on this host, which has no address 198.51.100.1: set MASTER_ADDR, which is '198.51.100.1', to a name";
    assert!(message.starts_with(words), "{message}");
}

#[test]
fn rank_0_and_the_others_listen_at_the_address_that_was_named_alone() {
    let ranks = [(0, "j", "b"), (1, "j", "b")];
    let joined: Vec<Joined> = join_all(&ranks, 2, port(), 5000).into_iter().map(Result::unwrap).collect();
    for one in &joined {
        assert_eq!(one.links.as_ref().unwrap().local_addr().unwrap().ip(), Ipv4Addr::LOCALHOST);
    }
    let port = port();
    thread::scope(|scope| {
        let head = scope.spawn(move || join(&launch(0, 2, port, "j"), &settings("b", 500)));
        let until = Instant::now() + Duration::from_secs(5);
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() && Instant::now() < until {
            thread::sleep(Duration::from_millis(5));
        }
        // All of 127/8 is this host: one that listens at all its addresses is found there too.
        assert!(TcpStream::connect((Ipv4Addr::new(127, 0, 0, 2), port)).is_err());
        let message = message(&head.join().unwrap());
        assert!(
            message.contains(&format!("their hosts reach 127.0.0.1:{port}, which only this host does")),
            "{message}"
        );
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
fn one_that_is_still_saying_who_it_is_when_the_time_is_over_hears_what_became_of_the_start() {
    let port = port();
    thread::scope(|scope| {
        let head = scope.spawn(move || join(&launch(0, 3, port, "j"), &settings("b", 300)));
        let begun = Instant::now();
        thread::sleep(Duration::from_millis(100));
        let member = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        let (until, key) = (begun + Duration::from_secs(5), key(&launch(1, 3, port, "j")));
        let challenge = proof::greeted(&member, until).unwrap();
        proof::prove(&member, &key, 1, challenge, proof::random().unwrap(), until).unwrap();
        thread::sleep((begun + Duration::from_millis(400)).saturating_duration_since(Instant::now()));
        let (version, host, local_rank, local_size) = (version(&settings("b", 0)), "h".into(), None, None);
        messages::write(&mut &member, &Hello { version, host, local_rank, local_size, port: 1 }).unwrap();
        let reason = message(&head.join().unwrap());
        assert!(reason.starts_with("rank 2 of 3 did not come within 0.3 s"), "{reason}");
        assert_eq!(messages::read::<Welcome>(&mut &member).unwrap(), Welcome::Over { reason });
    });
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
