use super::*;
use crate::cluster::launch::Launcher;
use crate::cluster::proof::{self, Key};
use crate::cluster::settings::OnLoss;
use std::net::{SocketAddr, TcpStream};
use std::sync::Barrier;
use std::sync::atomic::{AtomicU16, Ordering};

/// A port of a range that no other test takes.
fn port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let start = u16::try_from(std::process::id() % 300).unwrap_or(0);
    9_000 - 16 * (start + NEXT.fetch_add(1, Ordering::Relaxed)) % 4_000
}

/// Runs `act` as each of `size` members, one a thread, and returns what they return. Limits are short.
fn each<T: Send>(size: usize, act: impl Fn(usize, Processes) -> T + Sync) -> Vec<T> {
    each_with(size, &|settings| settings, act)
}

fn each_with<T: Send>(
    size: usize,
    change: &(dyn Fn(Settings) -> Settings + Sync),
    act: impl Fn(usize, Processes) -> T + Sync,
) -> Vec<T> {
    let port = port();
    thread::scope(|scope| {
        let one = |rank| {
            let act = &act;
            let (local_rank, local_size, address) = (Some(rank), Some(size), "127.0.0.1".to_string());
            let (launcher, job) = (Launcher::Torchrun, format!("{} {port}", std::process::id()));
            let launch =
                Launch { launcher, rank, size, local_rank, local_size, address, port, job, secret: None };
            let settings = Settings {
                beat: Duration::from_millis(20),
                on_loss: OnLoss::Report,
                ..Settings::of_build("b")
            };
            scope.spawn(move || act(rank, Processes::join(&launch, change(settings)).unwrap()))
        };
        let threads: Vec<_> = (0..size).map(one).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn an_exchange_gives_the_bytes_of_all_to_each() {
    for size in [1, 2, 4] {
        let all = each(size, |rank, group| {
            for turn in 0..3_u8 {
                let own = vec![turn; rank];
                let exchanged = group.exchange(&own).unwrap();
                assert_eq!(exchanged, (0..size).map(|rank| vec![turn; rank]).collect::<Vec<_>>());
            }
            group.finish().unwrap();
            group.finish()
        });
        assert_eq!(all, vec![Ok(()); size]);
    }
}

#[test]
fn messages_of_a_member_arrive_in_order_also_those_to_oneself() {
    each(3, |rank, group| {
        for to in 0..3 {
            for n in 0..20 {
                group.send(to, &[rank as u8, n]).unwrap();
            }
        }
        for from in 0..3 {
            for n in 0..20 {
                assert_eq!(group.receive(from).unwrap(), [from as u8, n]);
            }
        }
        group.finish().unwrap();
    });
}

#[test]
fn members_that_send_each_other_much_do_not_block_each_other() {
    each(2, |rank, group| {
        let bytes = vec![rank as u8; 8 << 20];
        for _ in 0..3 {
            group.send(1 - rank, &bytes).unwrap();
        }
        for _ in 0..3 {
            assert_eq!(group.receive(1 - rank).unwrap(), vec![1 - rank as u8; 8 << 20]);
        }
        group.finish().unwrap();
    });
}

#[test]
fn requests_of_rank_0_are_answered_by_all_others_until_it_leaves() {
    let served = each(3, |rank, group| {
        let mut served = 0;
        if rank == 0 {
            for request in [b"one", b"two"] {
                group.ask_all(request).unwrap();
                let answers = group.answers(Duration::from_secs(10)).unwrap();
                assert_eq!(answers, [[&request[..], &[1]].concat(), [&request[..], &[2]].concat()]);
            }
            // Not waited for, and yet not lost.
            group.ask_all(b"end").unwrap();
        } else {
            while let Some(request) = group.next_request().unwrap() {
                group.answer(&[&request[..], &[rank as u8]].concat()).unwrap();
                served += 1;
            }
        }
        group.finish().unwrap();
        served
    });
    assert_eq!(served, [0, 3, 3]);
}

#[test]
fn a_rank_that_does_not_exist_is_an_error() {
    each(1, |_, group| {
        assert!(
            group.send(1, b"").unwrap_err().to_string().starts_with("there is no rank 1 in a group of 1")
        );
        assert!(group.receive(1).unwrap_err().to_string().starts_with("there is no rank 1 in a group of 1"));
        group.finish().unwrap();
        assert!(group.check().unwrap_err().to_string().starts_with("this process has left the group"));
    });
}

/// The message that all but the lost one get, which is the same.
fn message(results: Vec<Option<String>>) -> String {
    let messages: Vec<String> = results.into_iter().flatten().collect();
    assert!(messages.iter().all(|message| *message == messages[0]), "{messages:?}");
    messages[0].clone()
}

#[test]
fn a_member_that_goes_without_leaving_is_named_to_all_who_wait() {
    let message = message(each(4, |rank, group| {
        if rank == 2 {
            group.report(Progress { steps: 17, waits: false });
            let _work = group.work("n = 100");
            thread::sleep(Duration::from_millis(100));
            return None;
        }
        let error = if rank == 1 { group.receive(2).unwrap_err() } else { group.exchange(b"").unwrap_err() };
        assert_eq!(group.lost().map(|member| member.rank), Some(2));
        assert_eq!((group.check(), group.send(1, b"")), (Err(error.clone()), Err(error.clone())));
        Some(error.to_string())
    }));
    assert!(message.starts_with("rank 2 on "), "{message}");
    assert!(message.contains(" is lost: its connection closed; last seen 0."), "{message}");
    assert!(message.ends_with(" s earlier, at step 17 of n = 100"), "{message}");
}

#[test]
fn rank_0_is_missed_by_all_others() {
    let message = each(3, |rank, group| (rank != 0).then(|| group.exchange(b"").unwrap_err().to_string()));
    for message in message.into_iter().flatten() {
        assert!(message.starts_with("rank 0 on "), "{message}");
        assert!(message.contains(" is lost: its connection closed; last seen 0."), "{message}");
    }
}

#[test]
fn why_a_member_gives_up_is_known_to_all() {
    for gives_up in [0, 1] {
        let message = message(each(3, |rank, group| {
            let error = if rank == gives_up {
                group.fail("it has no device any more")
            } else {
                group.check_within(Duration::from_secs(10)).unwrap_err()
            };
            Some(error.to_string())
        }));
        assert!(message.starts_with(&format!("rank {gives_up} on ")), "{message}");
        assert!(message.contains(" is lost: it has no device any more; "), "{message}");
    }
}

#[test]
fn a_member_that_stands_still_while_others_wait_is_lost() {
    let message = message(each(3, |rank, group| {
        group.set_stall(Duration::from_millis(500));
        let _work = group.work("n = 100");
        for steps in 0..4 {
            group.report(Progress { steps, waits: false });
            group.exchange(b"").unwrap();
        }
        if rank == 1 {
            while group.check().is_ok() {
                thread::sleep(Duration::from_millis(10));
            }
        }
        Some(group.exchange(b"").unwrap_err().to_string())
    }));
    assert!(message.starts_with("rank 1 on "), "{message}");
    assert!(message.contains(" is lost: it made no progress for 0."), "{message}");
    assert!(message.ends_with(" s earlier, at step 3 of n = 100"), "{message}");
}

#[test]
fn members_that_go_on_or_work_at_nothing_are_not_lost_for_standing_still() {
    each(2, |rank, group| {
        group.set_stall(Duration::from_millis(500));
        if rank == 1 {
            let work = group.work("steps");
            for steps in 0..20 {
                thread::sleep(Duration::from_millis(40));
                group.report(Progress { steps, waits: false });
            }
            drop(work);
            thread::sleep(Duration::from_millis(700));
        } else {
            let _work = group.work("steps");
            group.receive(1).unwrap();
        }
        if rank == 1 {
            group.send(0, b"").unwrap();
        }
        group.finish().unwrap();
    });
}

#[test]
fn one_that_does_not_answer_or_leave_in_time_is_lost() {
    let errors = each(3, |rank, group| match rank {
        0 => {
            group.ask_all(b"").unwrap();
            Some(group.answers(Duration::from_millis(200)).unwrap_err().to_string())
        }
        1 => {
            group.answer(b"").unwrap();
            Some(group.finish().unwrap_err().to_string())
        }
        _ => Some(group.check_within(Duration::from_secs(10)).unwrap_err().to_string()),
    });
    let error = message(errors);
    assert!(error.starts_with("rank 2 on "), "{error}");
    assert!(error.contains("is lost: it did not answer within 0.2 s; "), "{error}");

    let short = |settings| Settings { leave: Duration::from_millis(200), ..settings };
    let errors = each_with(3, &short, |rank, group| {
        let result = if rank == 1 { group.check_within(Duration::from_secs(10)) } else { group.finish() };
        Some(result.unwrap_err().to_string())
    });
    let error = message(errors);
    assert!(error.contains("is lost: it did not leave within 0.2 s after rank 0; "), "{error}");
}

#[test]
fn what_waits_for_all_when_it_is_released_is_released_by_all_before_anyone_waits() {
    let all_release = Barrier::new(3);
    each(3, |rank, group| {
        if rank > 0 {
            assert_eq!(group.next_request().unwrap(), None);
        }
        let release = || {
            all_release.wait();
        };
        group.finish_after(release).unwrap();
    });
}

#[test]
fn a_loss_is_called_back_once_whenever_that_was_asked_for() {
    each(2, |rank, group| {
        if rank == 1 {
            return;
        }
        let (sender, calls) = mpsc::channel();
        let later = sender.clone();
        group.on_loss(Box::new(move |error| sender.send(error.clone()).unwrap()));
        let error = group.exchange(b"").unwrap_err();
        assert_eq!(calls.recv_timeout(Duration::from_secs(10)), Ok(error.clone()));
        group.on_loss(Box::new(move |error| later.send(error.clone()).unwrap()));
        assert_eq!(calls.try_recv(), Ok(error));
        assert!(calls.recv_timeout(Duration::from_millis(50)).is_err());
    });
}

/// A link as another process might make it. None when it is refused.
fn link(address: SocketAddr, key: &Key, rank: usize) -> Option<TcpStream> {
    let until = Instant::now() + Duration::from_secs(5);
    let link = TcpStream::connect(address).unwrap();
    let challenge = proof::greeted(&link, until).unwrap();
    let proven = proof::prove(&link, key, rank, challenge, proof::random().unwrap(), until);
    proven.ok().map(|()| link)
}

#[test]
fn a_member_whose_link_with_another_breaks_is_lost() {
    for listener in [0, 2] {
        let message = message(each(3, |rank, group| {
            if rank == 1 {
                let (address, key) = group.links.of(listener);
                drop(link(address, &key, rank).unwrap());
            }
            Some(group.check_within(Duration::from_secs(10)).unwrap_err().to_string())
        }));
        assert!(message.starts_with("rank 1 on "), "{message}");
        assert!(message.contains(&format!(" is lost: its link with rank {listener} on ")), "{message}");
    }
}

#[test]
fn a_link_that_carries_no_frames_is_broken() {
    let message = message(each(2, |rank, group| {
        if rank == 1 {
            let (address, key) = group.links.of(0);
            let mut link = link(address, &key, rank).unwrap();
            std::io::Write::write_all(&mut link, b"GET / HTTP/1.1").unwrap();
            Some(group.check_within(Duration::from_secs(10)).unwrap_err().to_string())
        } else {
            Some(group.receive(1).unwrap_err().to_string())
        }
    }));
    assert!(message.contains(" broke (a frame of the unknown kind 71 arrived); "), "{message}");
}

#[test]
fn outsiders_at_the_port_of_links_are_not_heard() {
    each(2, |rank, group| {
        group.exchange(b"").unwrap();
        let (address, key) = group.links.of(1 - rank);
        // One that knows a key, but not that of this group's links.
        assert!(link(address, &key.of_links(&[0; 32]), rank).is_none());
        // It says nothing of itself at all.
        let mut outsider = TcpStream::connect(address).unwrap();
        let _ = frame::write(&mut outsider, Kind::Message, &[0; 100]);
        thread::sleep(Duration::from_millis(50));
        group.send(1 - rank, b"true").unwrap();
        assert_eq!(group.receive(1 - rank).unwrap(), b"true");
        drop(outsider);
        group.finish().unwrap();
    });
}

#[test]
fn outsiders_who_crowd_the_port_of_links_keep_no_member_out() {
    each(2, |rank, group| {
        let (address, _) = group.links.of(0);
        let crowd = if rank == 1 { 400 } else { 0 };
        let outsiders: Vec<TcpStream> = (0..crowd).map(|_| TcpStream::connect(address).unwrap()).collect();
        let begun = Instant::now();
        group.exchange(b"").unwrap();
        assert!(begun.elapsed() < Duration::from_millis(900), "{:?}", begun.elapsed());
        drop(outsiders);
        group.finish().unwrap();
    });
}
