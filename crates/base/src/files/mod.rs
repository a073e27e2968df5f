//! Files and folders that other people may have prepared.
//!
//! - [`NewFile`]: a file that has its name once it is whole. It is always made anew, so that a link with its temporary name is not
//!   followed.
//! - [`write_new`], [`write_anew`], [`open_to_append`], [`open_lock`]: files that are written where they lie, never through a link.
//! - [`refuse_links`]: that nothing in a folder which is about to be written to leads out of it.
//! - [`open_regular`], [`read_regular`], [`read_if_there`], [`read_text`]: files to read. A pipe or a device is refused, where reading could wait for ever.
//! - [`open_left_file`], [`read_whole`]: what a program that is not trusted has left.
//! - [`own_folder`]: a folder that no other user can write to.
//! - [`Scratch`]: a temporary folder, removed on drop; what killed processes left goes at the next start.
//! - [`cache_folder`], [`keep`], [`kept`]: what can be made again, between runs.
//! - [`report_size_limit`]: a file that is too large is an error and not the end.
//! - [`variable`]: a variable of the environment, of which an empty one is not set.

mod cache;
mod in_place;
mod new_file;
mod own_folder;
mod regular;
mod scratch;
mod size_limit;
mod variable;

pub use cache::{append_hash, cache_folder, cache_key, keep, kept};
pub use in_place::{
    create_new, open_lock, open_to_append, refuse_link, refuse_links, remove_if_there, write_anew, write_new,
};
pub use new_file::{NewFile, UNFINISHED, is_at, unfinished};
pub use own_folder::{FolderError, check_own_folder, own_folder};
pub use regular::{
    open_left_file, open_regular, read_at_most, read_if_there, read_regular, read_text, read_whole,
};
pub use scratch::{Scratch, remove_abandoned, scratch_file, temporary_own_folder};
pub use size_limit::report_size_limit;
pub use variable::{temporary_folder, variable};
