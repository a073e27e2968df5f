//! A group of processes that are joined over TCP.

use crate::cluster::frame::{self, Kind};
use crate::cluster::join::{self, JoinError, Joined};
use crate::cluster::launch::Launch;
use crate::cluster::links::Links;
use crate::cluster::messages::Control;
use crate::cluster::settings::Settings;
use crate::cluster::shared::{Callback, Shared};
use crate::cluster::state::End;
use crate::cluster::watch;
use crate::cluster::work::Work;
use repro_solvers::{Group, GroupError, Member, Progress};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// How long a process that gives up waits until rank 0 has let all others know.
const TIME_TO_BE_HEARD: Duration = Duration::from_secs(2);

/// Processes of one start, on one host or many, that wait for each other and end together.
///
/// Beside [`Group`], rank 0 can ask all others something: [`Processes::ask_all`] and [`Processes::answers`] there,
/// [`Processes::next_request`] and [`Processes::answer`] on the others.
///
/// A process that drops it before [`Processes::finish`] is lost to the others.
pub struct Processes {
    shared: Arc<Shared>,
    links: Links,
}

impl Processes {
    /// Waits until all processes of this start have come.
    ///
    /// # Errors
    /// When one does not come in time, or they cannot be a group. The error names it, and what can be done.
    pub fn join(launch: &Launch, settings: Settings) -> Result<Self, JoinError> {
        let Joined { own, members, link_key, control, addresses, links } = join::join(launch, &settings)?;
        let (sender, events) = mpsc::channel();
        let readers: Result<Vec<_>, _> = control
            .iter()
            .enumerate()
            .filter_map(|(rank, connection)| Some((rank, connection.as_ref()?)))
            .map(|(rank, connection)| Ok((rank, connection.try_clone()?)))
            .collect();
        let readers = readers.map_err(JoinError::NoListener)?;
        let shared = Arc::new(Shared::new(own, members, settings, control, sender));
        for (rank, connection) in readers {
            let shared = shared.clone();
            thread::spawn(move || watch::read_control(&shared, rank, connection));
        }
        let links = Links::new(&shared, link_key, addresses, links).map_err(JoinError::NoListener)?;
        let watcher = shared.clone();
        thread::spawn(move || watch::watch(&watcher, &events));
        Ok(Self { shared, links })
    }

    /// Calls this once when a member is lost, with the error that names it, before the process ends if it does by itself. It is called
    /// on a thread of its own, whatever others do, and at once when a member was lost before. It must not call the group.
    pub fn on_loss(&self, callback: Callback) {
        self.shared.set_callback(callback);
    }

    /// From here on, a member that works without progress for so long while another waits for it is lost. Longer than the longest step
    /// of a solve. What counts is what rank 0 was given; it is the same on all in a program that does the same on all.
    pub fn set_stall(&self, limit: Duration) {
        self.shared.change(|state| state.stall = limit);
    }

    /// Begins a work, which ends when what is returned is dropped. During it this process is watched for progress: see
    /// [`Group::report`] and [`Processes::set_stall`]. The name of the work is part of the error when this process is lost.
    ///
    /// To enclose only what reports progress, such as a solve; not the making or verifying of a matrix, which may take long while
    /// others wait.
    pub fn work(&self, name: &str) -> Work<'_> {
        Work::begin(&self.shared, name)
    }

    /// Asks all others, on rank 0.
    ///
    /// # Errors
    /// When a member is lost.
    pub fn ask_all(&self, request: &[u8]) -> Result<(), GroupError> {
        self.shared.check()?;
        let request = Arc::new(request.to_vec());
        (1..self.shared.size()).try_for_each(|rank| self.links.post(rank, Kind::Request, request.clone()))
    }

    /// What all others answered to the first request that has no answers yet, by rank from 1 on. Waits for the last of them. One that
    /// does not answer within `limit` is lost.
    ///
    /// # Errors
    /// When a member is lost.
    pub fn answers(&self, limit: Duration) -> Result<Vec<Vec<u8>>, GroupError> {
        let until = Instant::now() + limit;
        if let Some(answers) =
            self.shared.wait(Some(until), |state| state.take_of_all_others(Kind::Answer))?
        {
            return Ok(answers);
        }
        let late = {
            let mut state = self.shared.state();
            (1..self.shared.size()).find(|rank| state.inbox(*rank, Kind::Answer).is_empty())
        };
        let reason = format!("it did not answer within {} s", limit.as_secs_f64());
        Err(self.give_up(late.unwrap_or(0), &reason))
    }

    /// What rank 0 asks next, on all others. None when it asks no more.
    ///
    /// # Errors
    /// When a member is lost.
    pub fn next_request(&self) -> Result<Option<Vec<u8>>, GroupError> {
        let request = self.shared.wait(None, |state| match state.inbox(0, Kind::Request).pop_front() {
            Some(request) => Some(Some(request)),
            None => state.no_more_requests.then_some(None),
        });
        Ok(request?.flatten())
    }

    /// Answers what rank 0 asked.
    ///
    /// # Errors
    /// When a member is lost.
    pub fn answer(&self, answer: &[u8]) -> Result<(), GroupError> {
        self.shared.check()?;
        self.links.post(0, Kind::Answer, Arc::new(answer.to_vec()))
    }

    /// Ends the group since this process cannot go on, as without its device. `reason` is the rest of a sentence about it, such as `it
    /// has no device any more`. Returns the error that all others get; does not return when the process ends on a loss.
    #[must_use]
    pub fn fail(&self, reason: &str) -> GroupError {
        if self.shared.own != 0 {
            self.shared.write_to(0, &Control::Failed { reason: reason.into() });
            let until = Instant::now() + TIME_TO_BE_HEARD;
            if let Err(error) = self.shared.wait(Some(until), |_| None::<()>) {
                return error;
            }
        }
        self.give_up(self.shared.own, reason)
    }

    /// For whoever has an error that a loss may explain, as NCCL's when a member is gone: waits for up to `limit` for the group to find
    /// out who.
    ///
    /// # Errors
    /// When a member is lost.
    pub fn check_within(&self, limit: Duration) -> Result<(), GroupError> {
        self.shared.wait(Some(Instant::now() + limit), |_| None::<()>).map(|_| ())
    }

    /// The member that was lost.
    pub fn lost(&self) -> Option<&Member> {
        match self.shared.state().end {
            Some(End::Lost { rank, .. }) => self.shared.members.get(rank),
            _ => None,
        }
    }

    /// Leaves the group in order: waits until all do. On rank 0 it also ends the requests: [`Processes::next_request`] returns None on
    /// the others, whatever they wait for.
    ///
    /// # Errors
    /// When a member is lost, or does not leave in time after rank 0.
    pub fn finish(&self) -> Result<(), GroupError> {
        self.finish_after(|| ())
    }

    /// Ends the group once this process has released what they all release together: a communicator of NCCL waits for its other ends.
    ///
    /// # Errors
    /// As [`Processes::finish`].
    pub fn finish_after(&self, release: impl FnOnce()) -> Result<(), GroupError> {
        let has_finished = matches!(self.shared.state().end, Some(End::Finished));
        if has_finished {
            return Ok(());
        }
        if self.shared.own == 0 {
            self.finish_all(release)?
        } else {
            release();
            self.follow()?
        }
        self.close();
        Ok(())
    }

    fn finish_all(&self, release: impl FnOnce()) -> Result<(), GroupError> {
        let settings = &self.shared.settings;
        for rank in 1..self.shared.size() {
            self.links.post(rank, Kind::NoMoreRequests, Arc::default())?;
        }
        release();
        let until = Instant::now() + settings.leave;
        let left = self
            .shared
            .wait(Some(until), |state| state.peers[1..].iter().all(|peer| peer.left).then_some(()))?;
        if left.is_none() {
            let late = self.shared.state().peers[1..].iter().position(|peer| !peer.left);
            let reason = format!("it did not leave within {} s after rank 0", settings.leave.as_secs_f64());
            return Err(self.give_up(late.map_or(0, |at| at + 1), &reason));
        }
        // First, since the others close their connections as soon as they hear it.
        self.shared.change(|state| state.end.get_or_insert(End::Finished).clone());
        self.shared.write_to_all(&Control::AllLeft);
        self.shared.await_closing();
        Ok(())
    }

    fn follow(&self) -> Result<(), GroupError> {
        self.shared.write_to(0, &Control::Leaving);
        let all_left = |end: &Option<End>| matches!(end, Some(End::Finished));
        self.shared.wait(None, |state| all_left(&state.end).then_some(()))?;
        Ok(())
    }

    /// Ends the group for the loss of this member, unless it has ended for another.
    fn give_up(&self, rank: usize, reason: &str) -> GroupError {
        self.shared.lose(rank, reason);
        // Another thread may be ending the group at this moment.
        self.check_within(TIME_TO_BE_HEARD).err().unwrap_or_else(|| GroupError(reason.into()))
    }

    fn close(&self) {
        self.shared.close();
        self.links.close();
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        // The loss of the others, which see it go, is none for this one.
        self.shared.change(|state| state.end.get_or_insert(End::Finished).clone());
        self.close();
    }
}

impl Group for Processes {
    fn own(&self) -> &Member {
        &self.shared.members[self.shared.own]
    }

    fn members(&self) -> &[Member] {
        &self.shared.members
    }

    fn exchange(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, GroupError> {
        self.shared.check()?;
        if self.shared.own == 0 {
            let others = self.shared.wait(None, |state| state.take_of_all_others(Kind::Exchange))?;
            let mut all = vec![own.to_vec()];
            all.extend(others.into_iter().flatten());
            let packed = Arc::new(frame::pack(&all));
            for rank in 1..self.shared.size() {
                self.links.post(rank, Kind::Exchange, packed.clone())?;
            }
            return Ok(all);
        }
        self.links.post(0, Kind::Exchange, Arc::new(own.to_vec()))?;
        let packed = self.shared.wait(None, |state| state.inbox(0, Kind::Exchange).pop_front())?;
        let all = packed.as_deref().and_then(frame::unpack).filter(|all| all.len() == self.shared.size());
        all.ok_or_else(|| self.give_up(0, "it sent a list that is none, which is a defect of repro"))
    }

    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), GroupError> {
        self.shared.check()?;
        self.links.post(to, Kind::Message, Arc::new(bytes.to_vec()))
    }

    fn receive(&self, from: usize) -> Result<Vec<u8>, GroupError> {
        if from >= self.shared.size() {
            let size = self.shared.size();
            return Err(GroupError(format!(
                "there is no rank {from} in a group of {size}: this is a defect of repro"
            )));
        }
        let message = self.shared.wait(None, |state| state.inbox(from, Kind::Message).pop_front())?;
        Ok(message.unwrap_or_default())
    }

    fn report(&self, progress: Progress) {
        self.shared.state().report(progress);
    }

    fn check(&self) -> Result<(), GroupError> {
        self.shared.check()
    }
}

#[cfg(test)]
mod tests;
