//! What the threads of a process share: the group's state, the connections to rank 0 or from it, and how the group ends.

use crate::cluster::ending;
use crate::cluster::messages::{self, Control};
use crate::cluster::settings::{OnLoss, Settings};
use crate::cluster::state::{End, State};
use repro_solvers::{GroupError, Member};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long rank 0 waits for the others to close their connections: what it sent last has arrived then.
const TIME_TO_CLOSE: Duration = Duration::from_secs(1);

/// What [`crate::cluster::Processes::on_loss`] was given.
pub type Callback = Box<dyn Fn(&GroupError) + Send>;

/// What threads found, for the one that decides.
#[derive(Debug)]
pub enum Event {
    /// The connection between this process and a member has ended.
    Closed { rank: usize, reason: String },
    /// A link of this member has ended.
    Broken { rank: usize, reason: String },
    /// This member cannot go on, as it says.
    Failed { rank: usize, reason: String },
}

pub struct Shared {
    pub own: usize,
    pub members: Vec<Member>,
    pub settings: Settings,
    /// By rank: on rank 0 to all others, on the others to rank 0.
    pub control: Vec<Option<Mutex<TcpStream>>>,
    pub events: Sender<Event>,
    state: Mutex<State>,
    changed: Condvar,
    callback: Mutex<Option<Callback>>,
}

/// What a panic of another thread leaves behind is whole: nothing is changed in two steps.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub fn new(
        own: usize,
        members: Vec<Member>,
        settings: Settings,
        control: Vec<Option<TcpStream>>,
        events: Sender<Event>,
    ) -> Self {
        let state = Mutex::new(State::new(own, members.len(), settings.stall));
        let control = control.into_iter().map(|connection| connection.map(Mutex::new)).collect();
        let (changed, callback) = (Condvar::new(), Mutex::new(None));
        Self { own, members, settings, control, events, state, changed, callback }
    }

    pub fn size(&self) -> usize {
        self.members.len()
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Changes the state, and lets all who wait look at it.
    pub fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let result = change(&mut self.state());
        self.changed.notify_all();
        result
    }

    pub fn has_ended(&self) -> bool {
        self.state().end.is_some()
    }

    /// Waits until `ready` returns something. None when it does not before `until`.
    ///
    /// # Errors
    /// When a member is lost, or the group was left.
    pub fn wait<T>(
        &self,
        until: Option<Instant>,
        mut ready: impl FnMut(&mut State) -> Option<T>,
    ) -> Result<Option<T>, GroupError> {
        let mut state = self.state();
        state.block();
        let result = loop {
            if let Some(end @ End::Lost { .. }) = &state.end {
                break Err(end.clone());
            }
            if let Some(result) = ready(&mut state) {
                break Ok(Some(result));
            }
            if let Some(end) = &state.end {
                break Err(end.clone());
            }
            let rest = until.map(|until| until.saturating_duration_since(Instant::now()));
            state = match rest {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(Duration::ZERO) => break Ok(None),
                Some(rest) => {
                    self.changed.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        };
        state.unblock();
        drop(state);
        result.map_err(|end| self.refuse(end))
    }

    /// # Errors
    /// When a member is lost, or the group was left.
    pub fn check(&self) -> Result<(), GroupError> {
        let end = self.state().end.clone();
        end.map_or(Ok(()), |end| Err(self.refuse(end)))
    }

    /// The error of a call after the end. Does not return when the process is being ended for a loss: the one line that says why is
    /// not this thread's to write, nor is any other.
    pub fn refuse(&self, end: End) -> GroupError {
        match end {
            End::Finished => GroupError("this process has left the group: this is a defect of repro".into()),
            End::Lost { message, .. } => {
                if self.settings.on_loss == OnLoss::Exit {
                    loop {
                        thread::park();
                    }
                }
                GroupError(message)
            }
        }
    }

    /// Writes this to a member. A connection that is broken has a reader that finds out.
    pub fn write_to(&self, rank: usize, message: &Control) {
        let Some(connection) = &self.control[rank] else { return };
        let mut connection = lock(connection);
        if messages::write(&mut *connection, message).is_err() {
            // Half a message may have left.
            let _ = connection.shutdown(Shutdown::Both);
        }
    }

    /// Writes this to all that this process has such a connection to.
    pub fn write_to_all(&self, message: &Control) {
        for rank in 0..self.size() {
            self.write_to(rank, message);
        }
    }

    /// Ends the group for the loss of this member, as this process found.
    pub fn lose(self: &Arc<Self>, rank: usize, reason: &str) {
        let message = {
            let state = self.state();
            let peer = &state.peers[rank];
            let seen = if rank == self.own {
                "it was".to_string()
            } else {
                format!("last seen {:.1} s earlier,", peer.seen.elapsed().as_secs_f64())
            };
            format!("{} is lost: {reason}; {seen} {}", self.members[rank], peer.doing)
        };
        self.end_by_loss(rank, message);
    }

    /// Ends the group for the loss of this member, whoever found it.
    pub fn end_by_loss(self: &Arc<Self>, rank: usize, message: String) {
        {
            let mut state = self.state();
            if state.end.is_some() || std::mem::replace(&mut state.is_ending, true) {
                return;
            }
        }
        if self.settings.on_loss == OnLoss::Exit {
            ending::arm(1, self.settings.exit);
        }
        if self.own == 0 {
            self.write_to_all(&Control::Lost { rank, message: message.clone() });
        }
        // Last: whoever waits in this process may end it now, and the others have to know by then.
        self.change(|state| state.end.get_or_insert(End::Lost { rank, message: message.clone() }).clone());
        let shared = self.clone();
        let error = GroupError(message);
        // A thread of its own: this one may be what somebody waits for.
        thread::spawn(move || shared.after_loss(&error));
    }

    fn after_loss(&self, error: &GroupError) {
        let callback = lock(&self.callback).take();
        match self.settings.on_loss {
            OnLoss::Report => {
                if let Some(callback) = callback {
                    callback(error);
                }
            }
            OnLoss::Exit => {
                ending::complain(&error.0);
                if let Some(callback) = callback {
                    callback(error);
                }
                self.await_closing();
                ending::end_now(1)
            }
        }
    }

    pub fn set_callback(&self, callback: Callback) {
        let mut slot = lock(&self.callback);
        let end = self.state().end.clone();
        match end {
            Some(End::Lost { message, .. }) => {
                drop(slot);
                callback(&GroupError(message));
            }
            _ => *slot = Some(callback),
        }
    }

    /// On rank 0: until all others have closed their connections, but not for long.
    pub fn await_closing(&self) {
        if self.own != 0 {
            return;
        }
        for connection in self.control.iter().flatten() {
            let _ = lock(connection).shutdown(Shutdown::Write);
        }
        let until = Instant::now() + TIME_TO_CLOSE;
        let mut state = self.state();
        while !state.peers[1..].iter().all(|peer| peer.closed) {
            let rest = until.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                return;
            }
            state = self.changed.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Closes the connections. Threads that read from them end.
    pub fn close(&self) {
        for connection in self.control.iter().flatten() {
            let _ = lock(connection).shutdown(Shutdown::Both);
        }
    }
}
