//! How the commands of this repository talk: what goes to standard output and what to standard error, errors in one line, exit codes,
//! progress, interrupts.

mod exit;
mod interrupt;
pub mod output;
mod progress;
mod width;

pub use exit::{Error, Exit, exit_code, is_mistake, one_line};
pub use interrupt::{end_interrupted, say_when_interrupted, watch_for_interrupts};
pub use progress::Progress;
pub use width::{fitted, message_width, terminal_width, wrapped};
