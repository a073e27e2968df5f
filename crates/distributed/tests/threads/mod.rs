//! Threads of a test as the processes of a group.

use repro_solvers::{Group, GroupError, Member, Progress};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

type Ends = (Vec<Sender<Vec<u8>>>, Vec<Receiver<Vec<u8>>>);

/// One of them, with ways to all and from all.
struct Thread {
    members: Vec<Member>,
    rank: usize,
    to: Vec<Sender<Vec<u8>>>,
    from: Mutex<Vec<Receiver<Vec<u8>>>>,
}

impl Group for Thread {
    fn own(&self) -> &Member {
        &self.members[self.rank]
    }

    fn members(&self) -> &[Member] {
        &self.members
    }

    fn exchange(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, GroupError> {
        let all = 0..self.members.len();
        all.clone().try_for_each(|to| self.send(to, own))?;
        all.map(|from| self.receive(from)).collect()
    }

    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), GroupError> {
        self.to[to].send(bytes.to_vec()).unwrap();
        Ok(())
    }

    fn receive(&self, from: usize) -> Result<Vec<u8>, GroupError> {
        Ok(self.from.lock().unwrap()[from].recv().unwrap())
    }

    fn report(&self, _: Progress) {}

    fn check(&self) -> Result<(), GroupError> {
        Ok(())
    }
}

/// What each of so many comes to.
pub fn together<T: Send>(count: usize, act: &(dyn Fn(Arc<dyn Group>) -> T + Sync)) -> Vec<T> {
    let mut ends: Vec<Ends> = (0..count).map(|_| Ends::default()).collect();
    for from in 0..count {
        for to in 0..count {
            let (sender, receiver) = channel();
            ends[from].0.push(sender);
            ends[to].1.push(receiver);
        }
    }
    let member = |rank| Member { rank, host: "here".into(), local_rank: rank, local_size: count };
    let members: Vec<Member> = (0..count).map(member).collect();
    let thread = |(rank, (to, from)): (usize, Ends)| -> Arc<dyn Group> {
        Arc::new(Thread { members: members.clone(), rank, to, from: Mutex::new(from) })
    };
    std::thread::scope(|scope| {
        let groups = ends.into_iter().enumerate().map(thread);
        let started: Vec<_> = groups.map(|group| scope.spawn(move || act(group))).collect();
        started.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}
