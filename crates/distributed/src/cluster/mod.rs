//! Processes that solve one problem together, on one host or many: who they are, what they send each other through host memory, and
//! how all of them end when one is lost. The matrix itself travels between devices, not here.
//!
//! A launcher starts the processes (torchrun, `mpirun`, `srun`), and its variables say which *rank* each has: its number, from 0
//! ([`Launch`]).
//!
//! # How they find each other
//!
//! Rank 0 listens at the address that MASTER_ADDR names and at no other, on the first free port of 16 from MASTER_PORT on, since torchrun
//! itself or another job may have the first. The others try these in turn, again and again, until the time is over ([`Settings::join`]).
//!
//! Before anything else both sides prove to each other that they know the *secret* of the start ([`Secret`]). The frames of a proof have
//! fixed sizes of at most 72 bytes, and the whole has five seconds. Whoever proves nothing learns that a process of `repro` listens and
//! nothing else, costs rank 0 a descriptor and a few hundred bytes, and changes nothing. Only then follow messages (JSON):
//!
//! | from | to | what |
//! |---|---|---|
//! | the others | rank 0 | protocol, build, host, place within the host, the port where it waits for links |
//! | rank 0 | each, when all have come | the list of members with their addresses, and a random number |
//!
//! The *job* is what the launcher's variables say of the start. It is part of what is proven, so that processes of another job are passed
//! over. The same job of another build is an error on both sides.
//!
//! Without a secret the proof is one of the job alone, which others can guess. Such a start is refused unless MASTER_ADDR names this host
//! to itself (127.0.0.1, `localhost`), so that only users of this host can come in.
//!
//! # What they send
//!
//! The connection of each to rank 0 stays, for signs of life and for how the group ends (JSON).
//! Bytes of the callers take *links*: one connection for each direction between two members, made when first used. It begins with a proof
//! of both sides, by a key of the secret and the random number. A frame is a kind (one byte), a length (eight) and the bytes. An exchange goes through rank 0.
//!
//! # How they end
//!
//! In order: all call [`Processes::finish`], rank 0 hears it of all and lets all know.
//!
//! Otherwise rank 0 decides who is lost: whose connection ended; who gave no sign of life for ten seconds ([`Settings::silence`]); who works
//! and makes no progress while another waits ([`Processes::set_stall`]); whose links break; or who gives up ([`Processes::fail`]). It
//! lets all others know, so that all name the same one. The others decide by themselves when rank 0 is lost. Each process then writes one
//! line and ends with code 1, by a thread of its own, whatever its other threads do ([`OnLoss`]). Only a process that its system has
//! stopped stays; it ends when it goes on.
//!
//! Nothing is encrypted behind the proof: whoever can read or change what travels between the hosts can read and change this as well.

mod deadline;
mod ending;
mod frame;
mod hosts;
mod join;
mod launch;
mod links;
mod messages;
mod processes;
mod proof;
mod proven_listener;
mod secret;
mod settings;
mod shared;
mod state;
mod watch;
mod work;

pub use ending::{end_now, exit_within};
pub use hosts::own as own_host;
pub use join::JoinError;
pub use launch::{DEFAULT_PORT, Launch, LaunchError, Launcher};
pub use processes::Processes;
pub use secret::{Secret, SecretError};
pub use settings::{OnLoss, Settings};
pub use work::Work;
