//! Kernels on the emulator: what it may run, counts, finds and withstands. One program, since linking each apart took longer than running it.

mod common;

mod ends;
mod examples;
mod features;
mod hostile;
mod hosts;
mod nsight;
mod planted;
mod state;
mod streams;
