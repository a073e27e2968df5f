//! What processes write each other besides the bytes of their callers, as JSON in frames.

use crate::cluster::frame::{self, Kind};
use crate::cluster::proof::Random;
use repro_solvers::Member;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::net::SocketAddr;

/// The version of what is here. It grows with every change.
pub const PROTOCOL: u32 = 2;

/// Which program a process runs. Later versions have to keep these two.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    pub protocol: u32,
    pub build: String,
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "'{}' (protocol {})", self.build, self.protocol)
    }
}

/// What a member says of itself first, once both sides have proven to know the secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    #[serde(flatten)]
    pub version: Version,
    pub host: String,
    pub local_rank: Option<usize>,
    pub local_size: Option<usize>,
    /// Where it waits for the links of others.
    pub port: u16,
}

/// What rank 0 answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Welcome {
    /// All have come.
    Complete {
        /// What the key of the links between them is made of, besides that of the start.
        token: Random,
        /// By rank.
        seats: Vec<Seat>,
    },
    /// Another process has this rank.
    Taken,
    /// The group does not come about.
    Over { reason: String },
}

/// A member, and where it waits for the links of others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seat {
    pub rank: usize,
    pub host: String,
    pub local_rank: usize,
    pub local_size: usize,
    pub address: SocketAddr,
}

impl Seat {
    pub fn member(&self) -> Member {
        let Self { rank, local_rank, local_size, .. } = *self;
        Member { rank, host: self.host.clone(), local_rank, local_size }
    }
}

/// What a member does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doing {
    /// Of [`repro_solvers::Progress`].
    pub steps: u64,
    /// Whether it waits for another member.
    pub waits: bool,
    /// What it works on. None between two works.
    pub work: Option<String>,
}

impl std::fmt::Display for Doing {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let waits = if self.waits { ", waiting for another" } else { "" };
        match &self.work {
            Some(work) => write!(f, "at step {} of {work}{waits}", self.steps),
            None => write!(f, "outside of any solve{waits}"),
        }
    }
}

/// What travels between rank 0 and another member all the time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Control {
    /// The sender lives.
    Beat(Doing),
    /// To rank 0: the link between the sender and this member broke.
    Broken { rank: usize, reason: String },
    /// To rank 0: the sender cannot go on.
    Failed { reason: String },
    /// To all others: this member is lost. The group has ended.
    Lost { rank: usize, message: String },
    /// To rank 0: the sender is done.
    Leaving,
    /// To all others: all are done.
    AllLeft,
}

/// # Errors
/// As [`frame::write`].
pub fn write(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    frame::write(to, Kind::Control, &serde_json::to_vec(message)?)
}

/// # Errors
/// As [`frame::read`], and when it is another message.
pub fn read<M: DeserializeOwned>(from: &mut impl Read) -> io::Result<M> {
    match frame::read(from)? {
        (Kind::Control, bytes) => Ok(serde_json::from_slice(&bytes)?),
        (kind, _) => Err(frame::invalid(format!("bytes of the kind {kind:?} arrived where none are due"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_arrive_as_they_were_sent() {
        let doing = Doing { steps: 3, waits: true, work: Some("n = 100".into()) };
        for message in [
            Control::Beat(doing),
            Control::Beat(Doing::default()),
            Control::Broken { rank: 1, reason: "r".into() },
            Control::Failed { reason: "r".into() },
            Control::Lost { rank: 1, message: "m".into() },
            Control::Leaving,
            Control::AllLeft,
        ] {
            let mut wire = Vec::new();
            write(&mut wire, &message).unwrap();
            assert_eq!(read::<Control>(&mut wire.as_slice()).unwrap(), message);
        }
    }

    #[test]
    fn a_version_is_understood_whatever_a_later_one_adds() {
        let wire = br#"{"protocol": 9, "build": "b", "more": [1]}"#;
        let version: Version = serde_json::from_slice(wire).unwrap();
        assert_eq!(version, Version { protocol: 9, build: "b".into() });
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let mut wire = Vec::new();
        frame::write(&mut wire, Kind::Message, b"{}").unwrap();
        assert!(read::<Control>(&mut wire.as_slice()).is_err());
        let mut wire = Vec::new();
        frame::write(&mut wire, Kind::Control, b"no").unwrap();
        assert!(read::<Control>(&mut wire.as_slice()).is_err());
    }

    #[test]
    fn what_a_member_does_is_read_as_a_sentence_goes_on() {
        let mut doing = Doing { steps: 17, waits: true, work: Some("n = 100".into()) };
        assert_eq!(doing.to_string(), "at step 17 of n = 100, waiting for another");
        doing.waits = false;
        doing.work = None;
        assert_eq!(doing.to_string(), "outside of any solve");
    }
}
