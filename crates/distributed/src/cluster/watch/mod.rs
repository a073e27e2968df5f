//! The threads that watch the connections between rank 0 and the others: signs of life go out, and one thread decides who is lost.

mod stall;

use crate::cluster::messages::{self, Control};
use crate::cluster::shared::{Event, Shared};
use crate::cluster::state::End;
use repro_solvers::Member;
use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How long a member may still be found lost for a better reason, when a link to it broke: its other connections end at the same time.
const TIME_TO_EXPLAIN: Duration = Duration::from_secs(1);
/// A write of a few bytes that takes longer goes to a host that does not read.
const TIME_TO_WRITE: Duration = Duration::from_secs(2);

/// Why a connection ended, as an error goes on about it.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
            "closed".into()
        }
        _ => format!("broke ({error})"),
    }
}

/// Reads what a member writes, until the connection ends.
pub fn read_control(shared: &Arc<Shared>, rank: usize, mut connection: TcpStream) {
    let mut prepared = connection.set_read_timeout(None);
    prepared = prepared.and_then(|()| connection.set_write_timeout(Some(TIME_TO_WRITE)));
    let error = loop {
        match std::mem::replace(&mut prepared, Ok(())).and_then(|()| messages::read(&mut connection)) {
            Ok(message) => hear(shared, rank, message),
            Err(error) => break error,
        }
    };
    shared.change(|state| state.peers[rank].closed = true);
    let _ = shared.events.send(Event::Closed { rank, reason: format!("its connection {}", reason(&error)) });
}

fn hear(shared: &Arc<Shared>, rank: usize, message: Control) {
    let now = Instant::now();
    shared.state().peers[rank].seen = now;
    let is_head = shared.own == 0;
    match message {
        Control::Beat(doing) => shared.state().peers[rank].does(doing, now),
        Control::Broken { rank: broken, reason } if is_head && broken < shared.size() => {
            let reason = broken_with(&shared.members[rank], &reason);
            let _ = shared.events.send(Event::Broken { rank: broken, reason });
        }
        Control::Failed { reason } if is_head => {
            let _ = shared.events.send(Event::Failed { rank, reason });
        }
        Control::Leaving if is_head => shared.change(|state| state.peers[rank].left = true),
        Control::Lost { rank: lost, message } if !is_head && lost < shared.size() => {
            shared.end_by_loss(lost, message);
        }
        Control::AllLeft if !is_head => shared.change(|state| {
            state.end.get_or_insert(End::Finished);
        }),
        // Nobody sends these here.
        _ => {}
    }
}

/// Why a member is lost whose link with another broke.
pub fn broken_with(other: &Member, reason: &str) -> String {
    format!("its link with {other} {reason}")
}

/// Sends signs of life and decides who is lost, until the group has ended.
pub fn watch(shared: &Arc<Shared>, events: &Receiver<Event>) {
    let settings = &shared.settings;
    let turn = (settings.beat / 2).min(settings.silence / 8);
    let mut watch = Watch { suspicions: Vec::new(), last_turn: Instant::now(), pause: None };
    let mut next_beat = watch.last_turn;
    loop {
        let event = match events.recv_timeout(turn) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        if shared.has_ended() {
            return;
        }
        let now = Instant::now();
        watch.look_for_a_pause(shared, now);
        if now >= next_beat {
            next_beat = now + settings.beat;
            let doing = shared.state().own_doing();
            shared.write_to_all(&Control::Beat(doing));
        }
        let lost = event.and_then(|event| watch.heed(shared, event, now)).or_else(|| watch.look(shared, now));
        if let Some((rank, reason)) = lost {
            shared.lose(rank, &reason);
            return;
        }
    }
}

/// A member and why it is lost.
type Loss = (usize, String);

struct Watch {
    /// Members to one of whose links something happened, and when that alone is enough.
    suspicions: Vec<(Instant, usize, String)>,
    last_turn: Instant,
    /// How long this process itself stood still, and until when others may be gone because of it.
    pause: Option<(Duration, Instant)>,
}

impl Watch {
    /// A process that was stopped heard nobody, which is not their fault.
    fn look_for_a_pause(&mut self, shared: &Shared, now: Instant) {
        let silence = shared.settings.silence;
        let pause = now.duration_since(self.last_turn);
        self.last_turn = now;
        if pause < silence / 2 {
            return;
        }
        for peer in &mut shared.state().peers {
            peer.seen = now;
            peer.changed = now;
        }
        // Only then have others given up.
        if pause + 2 * shared.settings.beat >= silence {
            self.pause = Some((pause, now + silence));
        }
    }

    fn heed(&mut self, shared: &Shared, event: Event, now: Instant) -> Option<Loss> {
        match event {
            Event::Closed { rank, reason } => Some(match self.pause {
                Some((pause, until)) if now < until => {
                    let reason = format!("it stood still for {:.1} s, as if stopped", pause.as_secs_f64());
                    (shared.own, reason)
                }
                _ => (rank, reason),
            }),
            Event::Broken { rank, reason } => {
                self.suspicions.push((now + TIME_TO_EXPLAIN, rank, reason));
                None
            }
            Event::Failed { rank, reason } => Some((rank, reason)),
        }
    }

    fn look(&self, shared: &Shared, now: Instant) -> Option<Loss> {
        let silence = shared.settings.silence;
        let state = shared.state();
        let watched = if shared.own == 0 { 1..shared.size() } else { 0..1 };
        let silent = watched.into_iter().find_map(|rank| {
            let peer = &state.peers[rank];
            let since = now.duration_since(peer.seen);
            let reason = || format!("it was silent for {:.1} s", since.as_secs_f64());
            (since > silence && !peer.closed).then(|| (rank, reason()))
        });
        if silent.is_some() || shared.own != 0 {
            return silent;
        }
        let broken = self.suspicions.iter().find(|(due, ..)| now >= *due);
        let broken = broken.map(|(_, rank, reason)| (*rank, reason.clone()));
        broken.or_else(|| stall::stalled(&state.peers, state.stall, now))
    }
}
