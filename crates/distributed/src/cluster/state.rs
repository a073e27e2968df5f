//! What a process knows of its group at a moment.

use crate::cluster::frame::Kind;
use crate::cluster::messages::Doing;
use repro_solvers::Progress;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// What is known of a member.
#[derive(Clone, Debug)]
pub struct Peer {
    /// When it last gave a sign of life.
    pub seen: Instant,
    pub doing: Doing,
    /// When what it does last changed.
    pub changed: Instant,
    /// It called `finish`.
    pub left: bool,
    /// It closed its connection.
    pub closed: bool,
}

impl Peer {
    pub fn new(now: Instant) -> Self {
        Self { seen: now, doing: Doing::default(), changed: now, left: false, closed: false }
    }

    pub fn does(&mut self, doing: Doing, now: Instant) {
        if self.doing != doing {
            self.doing = doing;
            self.changed = now;
        }
    }
}

/// Why a group ended.
#[derive(Clone, Debug)]
pub enum End {
    Finished,
    Lost { rank: usize, message: String },
}

/// Bytes that arrived from one member and were not asked for yet, by kind.
type Inbox = [VecDeque<Vec<u8>>; Kind::OF_CALLERS];

pub struct State {
    own: usize,
    pub peers: Vec<Peer>,
    inboxes: Vec<Inbox>,
    progress: Progress,
    /// How many calls of this process wait for other members.
    blocked: usize,
    work: Option<String>,
    pub stall: Duration,
    /// Rank 0 asks no more.
    pub no_more_requests: bool,
    /// A loss was found, and the others are being informed.
    pub is_ending: bool,
    pub end: Option<End>,
}

impl State {
    pub fn new(own: usize, size: usize, stall: Duration) -> Self {
        let now = Instant::now();
        Self {
            own,
            peers: vec![Peer::new(now); size],
            inboxes: (0..size).map(|_| Inbox::default()).collect(),
            progress: Progress { steps: 0, waits: false },
            blocked: 0,
            work: None,
            stall,
            no_more_requests: false,
            is_ending: false,
            end: None,
        }
    }

    pub fn inbox(&mut self, from: usize, kind: Kind) -> &mut VecDeque<Vec<u8>> {
        &mut self.inboxes[from][kind.index()]
    }

    /// The first of each other member, by rank. None before each has sent one.
    pub fn take_of_all_others(&mut self, kind: Kind) -> Option<Vec<Vec<u8>>> {
        let others: Vec<usize> = (0..self.peers.len()).filter(|rank| *rank != self.own).collect();
        if others.iter().any(|rank| self.inbox(*rank, kind).is_empty()) {
            return None;
        }
        others.iter().map(|rank| self.inbox(*rank, kind).pop_front()).collect()
    }

    pub fn report(&mut self, progress: Progress) {
        self.progress = progress;
        self.refresh();
    }

    pub fn set_work(&mut self, work: Option<String>) {
        self.work = work;
        self.refresh();
    }

    pub fn block(&mut self) {
        self.blocked += 1;
        self.refresh();
    }

    pub fn unblock(&mut self) {
        self.blocked -= 1;
        self.refresh();
    }

    /// A process in a call that waits for others waits, whatever it reported.
    fn refresh(&mut self) {
        let Progress { steps, waits } = self.progress;
        let doing = Doing { steps, waits: waits || self.blocked > 0, work: self.work.clone() };
        self.peers[self.own].does(doing, Instant::now());
    }

    pub fn own_doing(&self) -> Doing {
        self.peers[self.own].doing.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_in_a_call_that_waits_waits() {
        let mut state = State::new(0, 2, Duration::ZERO);
        state.set_work(Some("w".into()));
        state.report(Progress { steps: 3, waits: false });
        assert!(!state.own_doing().waits);
        state.block();
        assert_eq!(state.own_doing(), Doing { steps: 3, waits: true, work: Some("w".into()) });
        state.unblock();
        assert!(!state.own_doing().waits);
    }

    #[test]
    fn what_all_sent_is_taken_when_the_last_has_sent() {
        let mut state = State::new(0, 3, Duration::ZERO);
        state.inbox(1, Kind::Answer).extend([vec![1], vec![11]]);
        assert_eq!(state.take_of_all_others(Kind::Answer), None);
        state.inbox(2, Kind::Exchange).push_back(vec![3]);
        assert_eq!(state.take_of_all_others(Kind::Answer), None);
        state.inbox(2, Kind::Answer).push_back(vec![2]);
        assert_eq!(state.take_of_all_others(Kind::Answer), Some(vec![vec![1], vec![2]]));
        assert_eq!(state.inbox(1, Kind::Answer).len(), 1);
    }
}
