//! Those who do not know the secret of a start, and yet connect to its processes.

use super::common::{Ended, Started, end_all, port, variables};
use super::{all_went_well, start};
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

const SECRET: &str = "0123456789abcdef0123456789abcdef";
/// What a process that listens says to whoever connects: eight bytes that are always the same, and a challenge.
const GREETING: usize = 8 + 32;
/// What a member answers to it.
const ANSWER: usize = 32 + 8 + 32;

/// A member of these ranks, with this secret.
fn member(role: &str, rank: usize, size: usize, port: u16, secret: Option<&str>) -> Started {
    let mut variables = variables("torchrun", rank, size, port);
    variables.extend(secret.map(|secret| ("REPRO_SECRET", secret.to_string())));
    // Else the allocator reserves 64 MiB of addresses for a thread or not, as it happens.
    variables.push(("MALLOC_ARENA_MAX", "1".into()));
    Started::new(role, rank, &variables)
}

/// A connection to whoever listens at this port, once somebody does.
fn outsider(port: u16) -> TcpStream {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        match TcpStream::connect((Ipv4Addr::LOCALHOST, port)) {
            Ok(connection) => {
                connection.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
                return connection;
            }
            Err(error) => assert!(Instant::now() < until, "{error}"),
        }
        sleep(Duration::from_millis(5));
    }
}

/// All that comes until the other end closes.
fn all_of(mut connection: &TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Whoever has sent what is not read is told of it by an error.
    let _ = connection.read_to_end(&mut bytes);
    bytes
}

/// A frame of the group's own protocol, with a message.
fn frame(message: &str) -> Vec<u8> {
    [&[1][..], &(message.len() as u64).to_le_bytes(), message.as_bytes()].concat()
}

#[test]
fn an_outsider_gets_a_challenge_alone_and_neither_a_seat_nor_an_end_of_the_start() {
    let port = port();
    let mut group = vec![member("ring", 0, 2, port, Some(SECRET))];
    // One that says what rank 1 of this very start would, but is of another build, and one of the same build.
    let job = format!("torchrun 2 {port} {}", std::process::id());
    for build in ["another", "test"] {
        for protocol in [1, 2] {
            let caller = outsider(port);
            let hello = format!(
                r#"{{"protocol":{protocol},"job":"{job}","build":"{build}","rank":1,"host":"h","local_rank":1,"local_size":2,"port":9}}"#
            );
            (&caller).write_all(&frame(&hello)).unwrap();
            let received = all_of(&caller);
            let text = String::from_utf8_lossy(&received);
            assert!(
                received.len() <= GREETING && !text.contains("test") && !text.contains("torchrun"),
                "{text}"
            );
        }
    }
    // One that says nothing is told no more, and has its challenge when the start is complete without it.
    let silent = outsider(port);
    group.push(member("ring", 1, 2, port, Some(SECRET)));
    all_went_well(&end_all(group));
    assert_eq!(all_of(&silent).len(), GREETING);
}

#[test]
fn a_process_with_another_secret_or_none_is_refused_and_disturbs_nobody() {
    let port = port();
    let mut group = vec![member("ring", 0, 2, port, Some(SECRET))];
    for secret in [Some("another secret of as many characters"), None] {
        let Ended { code, errors } = member("come", 1, 2, port, secret).end();
        assert_eq!((code, errors.lines().count()), (Some(1), 1), "{errors}");
        assert!(errors.contains("rank 0 did not answer at 127.0.0.1"), "{errors}");
        assert!(
            errors.contains(&format!("port {port}: another job, or one with another secret")),
            "{errors}"
        );
    }
    group.push(member("ring", 1, 2, port, Some(SECRET)));
    all_went_well(&end_all(group));
}

/// Passes on what comes, until it ends, and returns it.
fn pass_on(mut from: TcpStream, mut to: TcpStream) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let (mut all, mut some) = (Vec::new(), [0; 4096]);
        while let Ok(count @ 1..) = from.read(&mut some) {
            all.extend(&some[..count]);
            if to.write_all(&some[..count]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Write);
        all
    })
}

#[test]
fn a_handshake_that_is_passed_on_or_repeated_is_of_no_use() {
    let port = port();
    // The outsider has the first port, where a member looks first, and passes all on to rank 0.
    let trap = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).unwrap();
    let mut group = vec![member("ring", 0, 2, port, Some(SECRET))];
    let to_head = outsider(port + 1);
    group.push(member("ring", 1, 2, port, Some(SECRET)));
    let (of_member, _) = trap.accept().unwrap();
    drop(trap);
    let there = pass_on(of_member.try_clone().unwrap(), to_head.try_clone().unwrap());
    let back = pass_on(to_head, of_member);
    let (answer, greeting) = (there.join().unwrap(), back.join().unwrap());
    assert_eq!((greeting.len(), answer.len()), (GREETING, ANSWER));
    // The member finds rank 0 by itself afterwards.
    all_went_well(&end_all(group));

    let mut group = vec![member("ring", 0, 2, port, Some(SECRET))];
    let again = outsider(port);
    (&again).write_all(&answer).unwrap();
    assert_eq!(all_of(&again).len(), GREETING);
    group.push(member("ring", 1, 2, port, Some(SECRET)));
    all_went_well(&end_all(group));
}

#[test]
fn one_whose_bytes_trickle_is_sent_away_when_the_time_for_all_of_them_is_over() {
    let port = port();
    let mut group = vec![member("ring", 0, 2, port, Some(SECRET))];
    let mut trickler = outsider(port);
    let begun = Instant::now();
    // As a frame with a long message begins; later ones are never complete.
    let bytes = frame(&"a".repeat(1000));
    for byte in bytes {
        if trickler.write_all(&[byte]).is_err() {
            break;
        }
        sleep(Duration::from_millis(100));
    }
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    group.push(member("ring", 1, 2, port, Some(SECRET)));
    all_went_well(&end_all(group));
}

/// Many connections that are made again whenever they are closed: silent ones, ones that trickle, and ones that lie.
fn besiege(address: SocketAddr, count: usize, is_over: &AtomicBool, made: &AtomicBool) {
    let mut connections: Vec<Option<TcpStream>> = (0..count).map(|_| None).collect();
    while !is_over.load(Ordering::Relaxed) {
        for (at, connection) in connections.iter_mut().enumerate() {
            if connection.is_none() {
                *connection = TcpStream::connect_timeout(&address, Duration::from_secs(1)).ok();
                if let Some(connection) = connection {
                    connection.set_nonblocking(true).unwrap();
                }
            }
            let Some(open) = connection else { continue };
            let sent = match at % 3 {
                0 => Ok(()),
                1 => open.write_all(&[7]),
                _ => open.write_all(&[7; ANSWER]),
            };
            let closed = matches!(open.read(&mut [0; 100]), Ok(0)) || sent.is_err();
            if closed {
                *connection = None;
            }
        }
        made.store(true, Ordering::Relaxed);
        sleep(Duration::from_millis(10));
    }
}

/// How long a group takes to find each other once rank 0 waits, and the most memory that rank 0 had, in KiB: all, and what was used.
fn cost(outsiders: usize) -> (Duration, [u64; 2]) {
    let port = port();
    let mut group = vec![member("stay", 0, 4, port, Some(SECRET))];
    let address = outsider(port).peer_addr().unwrap();
    let (is_over, made) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| besiege(address, outsiders, &is_over, &made));
        while !made.load(Ordering::Relaxed) {
            sleep(Duration::from_millis(1));
        }
        let begun = Instant::now();
        group.extend((1..4).map(|rank| member("stay", rank, 4, port, Some(SECRET))));
        group.iter_mut().for_each(|member| member.await_word("ready"));
        let took = begun.elapsed();
        is_over.store(true, Ordering::Relaxed);
        (took, ["VmPeak", "VmHWM"].map(|name| group[0].memory(name)))
    })
}

#[cfg(target_os = "linux")]
#[test]
fn a_thousand_outsiders_cost_little_memory_and_delay_a_start_by_less_than_a_second() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).unwrap();
    let (alone, [all, used]) = cost(0);
    let (besieged, [all_besieged, used_besieged]) = cost(1000);
    println!("{alone:?} {all} {used}; with outsiders {besieged:?} {all_besieged} {used_besieged}");
    assert!(besieged < alone + Duration::from_secs(1), "{alone:?}, with outsiders {besieged:?}");
    assert!(used_besieged < used + (16 << 10), "{used} KiB, with outsiders {used_besieged} KiB");
    assert!(all_besieged < all + (16 << 10), "{all} KiB of addresses, with outsiders {all_besieged} KiB");
}

#[test]
fn a_secret_in_a_file_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let file = std::env::temp_dir().join(format!("repro-secret-of-a-start-{}", std::process::id()));
    std::fs::write(&file, SECRET).unwrap();
    let port = port();
    let start = |mode| {
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        let with_file = |rank| {
            let mut variables = variables("torchrun", rank, 2, port);
            variables.push(("REPRO_SECRET_FILE", file.to_str().unwrap().into()));
            Started::new("ring", rank, &variables)
        };
        end_all((0..2).map(with_file).collect())
    };
    for Ended { code, errors } in start(0o644) {
        assert_eq!((code, errors.lines().count()), (Some(2), 1), "{errors}");
        assert!(errors.contains("other users have access to ") && errors.contains("`chmod 600 "), "{errors}");
    }
    all_went_well(&start(0o600));
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn a_start_that_other_hosts_reach_needs_a_secret() {
    for rank in 0..2 {
        let mut variables = variables("srun", rank, 2, port());
        // An address of nobody (RFC 5737).
        variables.push(("MASTER_ADDR", "198.51.100.1".into()));
        let Ended { code, errors } = Started::new("ring", rank, &variables).end();
        assert_eq!((code, errors.lines().count()), (Some(1), 1), "{errors}");
        assert!(errors.contains("set REPRO_SECRET") && errors.contains("`srun --export=ALL`"), "{errors}");
    }
    // Processes of one host need none, and no other host finds them.
    all_went_well(&end_all(start("ring", "srun", 2, port(), &[])));
}

/// An address of this host that others reach, if it has one. Nothing is sent to find it.
fn reachable() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(198, 51, 100, 1), 9)).ok()?;
    socket.local_addr().ok().map(|own| own.ip()).filter(|own| !own.is_loopback())
}

#[test]
fn processes_meet_at_the_address_that_was_named_and_listen_at_no_other() {
    let version_6 = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_ok().then_some(Ipv6Addr::LOCALHOST.into());
    let named =
        [reachable(), version_6, cfg!(target_os = "linux").then_some(Ipv4Addr::new(127, 0, 0, 5).into())];
    for address in named.into_iter().flatten() {
        let port = port();
        let member = |rank| {
            let mut variables = variables("torchrun", rank, 2, port);
            variables.extend([("MASTER_ADDR", address.to_string()), ("REPRO_SECRET", SECRET.into())]);
            Started::new("ring", rank, &variables)
        };
        let mut group = vec![member(0)];
        let until = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect((address, port)).is_err() {
            assert!(Instant::now() < until, "rank 0 does not listen at {address}");
            sleep(Duration::from_millis(5));
        }
        assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err(), "{address}");
        group.push(member(1));
        all_went_well(&end_all(group));
    }
}
