use super::*;
use crate::cluster::proven_listener::ProvenListener;
use std::net::{Ipv4Addr, TcpListener};
use std::thread;
use std::time::Duration;

fn key(text: &str) -> Key {
    let secret =
        Secret::from_environment(|name| (name == crate::cluster::secret::SECRET).then(|| text.repeat(4)));
    Key::of_start(secret.unwrap().as_ref(), "job")
}

fn listener(key: Key) -> (ProvenListener, SocketAddr) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    (ProvenListener::new(listener, key, 2).unwrap(), address)
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(5)
}

/// Who proves something within half a second.
fn proven(listener: &mut ProvenListener) -> Vec<usize> {
    let until = Instant::now() + Duration::from_millis(500);
    let mut ranks = Vec::new();
    while ranks.is_empty() && Instant::now() < until {
        ranks.extend(listener.turn(Some(Duration::from_millis(5))).into_iter().map(|one| one.rank));
    }
    ranks
}

/// One that does all as a member does.
fn call(address: SocketAddr, key: &Key, rank: usize) -> io::Result<()> {
    let connection = TcpStream::connect(address)?;
    let challenge = greeted(&connection, soon())?;
    prove(&connection, key, rank, challenge, random()?, soon())
}

#[test]
fn both_sides_accept_each_other_only_if_they_have_the_same_secret_and_job() {
    let (mut listener, address) = listener(key("aaaa"));
    for (theirs, expected) in [
        (key("aaaa"), true),
        (key("bbbb"), false),
        (Key::of_start(None, "job"), false),
        (key("aaaa").of_links(&[7; 32]), false),
    ] {
        let caller = thread::spawn(move || call(address, &theirs, 1).is_ok());
        assert_eq!(proven(&mut listener) == [1], expected);
        assert_eq!(caller.join().unwrap(), expected);
    }
    assert!(Key::of_start(None, "j") != Key::of_start(None, "k"));
    // The links of two groups of one start.
    assert!(key("aaaa").of_links(&[1; 32]) != key("aaaa").of_links(&[2; 32]));
}

/// What a member writes, and to what challenge.
fn recorded(key: &Key, rank: usize, challenge: Random) -> Vec<u8> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let (key, address) = (key.clone(), listener.local_addr().unwrap());
    let member = thread::spawn(move || call(address, &key, rank));
    let (mut connection, _) = listener.accept().unwrap();
    connection.write_all(&greeting(&challenge)).unwrap();
    let mut answer = vec![0; ANSWER];
    connection.read_exact(&mut answer).unwrap();
    // It was lied to, and takes nothing for a proof, not even its own.
    connection.write_all(&answer[40..]).unwrap();
    assert!(member.join().unwrap().is_err());
    answer
}

#[test]
fn a_proof_is_of_no_use_again_or_elsewhere_or_for_another_rank() {
    let key = key("aaaa");
    let (mut listener, address) = listener(key.clone());
    let mut outsider = TcpStream::connect(address).unwrap();
    proven(&mut listener);
    let challenge = greeted(&outsider, soon()).unwrap();
    // A member that connected to the outsider answers the challenge of the true listener.
    outsider.write_all(&recorded(&key, 1, challenge)).unwrap();
    assert_eq!(proven(&mut listener), Vec::<usize>::new());

    let right = |challenge, rank| {
        let handshake = Handshake { of_listener: challenge, of_caller: [1; 32], rank, address };
        let proof = handshake.proof(&key, Side::Connects);
        [&[1; 32][..], &rank.to_le_bytes(), proof.as_bytes()].concat()
    };
    let answer: [u8; ANSWER] = right([5; 32], 1).try_into().unwrap();
    assert_eq!(check(&key, &[5; 32], address, &answer).map(|(rank, _)| rank), Some(1));
    assert_eq!(check(&key, &[6; 32], address, &answer), None);
    let elsewhere = SocketAddr::new(address.ip(), address.port() ^ 1);
    assert_eq!(check(&key, &[5; 32], elsewhere, &answer), None);
    let mut other_rank = answer;
    other_rank[32] = 2;
    assert_eq!(check(&key, &[5; 32], address, &other_rank), None);
}

#[test]
fn challenges_and_random_bytes_differ_every_time() {
    let challenges = Challenges::new().unwrap();
    let all = [challenges.next(), challenges.next(), Challenges::new().unwrap().next(), random().unwrap()];
    for (at, one) in all.iter().enumerate() {
        assert!(!all[..at].contains(one));
    }
}

#[test]
fn what_trickles_in_is_cut_off_when_the_time_for_the_whole_is_over() {
    let (mut listener, address) = listener(key("aaaa"));
    let begun = Instant::now();
    let trickler = thread::spawn(move || {
        let mut connection = TcpStream::connect(address).unwrap();
        while connection.write_all(&[0]).is_ok() && begun.elapsed() < Duration::from_secs(20) {
            thread::sleep(Duration::from_millis(100));
        }
        begun.elapsed()
    });
    while listener.failures() == 0 && begun.elapsed() < Duration::from_secs(20) {
        assert!(listener.turn(Some(Duration::from_millis(100))).is_empty());
    }
    drop(listener);
    let lasted = trickler.join().unwrap();
    assert!((4..7).contains(&lasted.as_secs()), "{lasted:?}");
}

#[test]
fn of_too_many_without_a_proof_the_first_go() {
    let (mut listener, address) = listener(key("aaaa"));
    let outsiders: Vec<TcpStream> = (0..300)
        .map(|_| {
            let outsider = TcpStream::connect(address).unwrap();
            listener.turn(Some(Duration::ZERO));
            outsider
        })
        .collect();
    listener.turn(Some(Duration::ZERO));
    assert_eq!(listener.failures(), 300 - 258);
    let member = thread::spawn(move || call(address, &key("aaaa"), 1));
    assert_eq!(proven(&mut listener), [1]);
    member.join().unwrap().unwrap();
    drop(outsiders);
}
