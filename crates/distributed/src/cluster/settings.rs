//! How long a group waits for what.

use std::time::Duration;

/// What a process does when a member is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnLoss {
    /// Writes one line to standard error and ends with code 1 as [`crate::cluster::end_now`] does, whatever its threads do. No call of the group
    /// returns any more, so that this line is the only one.
    Exit,
    /// Calls return the error. The caller ends the process, as by [`crate::cluster::exit_within`].
    Report,
}

/// How long a group waits for what, and what it does on a loss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What the program was built from. Processes of different builds refuse each other.
    pub build: String,
    /// For all members to come.
    pub join: Duration,
    /// Between two signs of life. It also bounds the age of what is known of a member's progress.
    pub beat: Duration,
    /// A member without a sign of life for so long is lost. A thread of its own sends them, so that no solve delays one. Ten seconds are
    /// longer than a network takes to find another path, and leave twenty to end all processes.
    pub silence: Duration,
    /// A member that works without progress for so long while another waits for it is lost; see [`crate::cluster::Processes::set_stall`].
    pub stall: Duration,
    /// For all others to call [`crate::cluster::Processes::finish`] after rank 0 did.
    pub leave: Duration,
    /// For what [`crate::cluster::Processes::on_loss`] was given, before a process ends by itself.
    pub exit: Duration,
    pub on_loss: OnLoss,
}

impl Settings {
    /// The usual limits: a fault ends all processes within 30 s.
    pub fn of_build(build: impl Into<String>) -> Self {
        Self {
            build: build.into(),
            join: Duration::from_secs(60),
            beat: Duration::from_secs(1),
            silence: Duration::from_secs(10),
            stall: Duration::from_secs(20),
            leave: Duration::from_secs(60),
            exit: Duration::from_secs(5),
            on_loss: OnLoss::Exit,
        }
    }
}
