//! What a process works on, while it does.

use crate::cluster::shared::Shared;

/// The most characters of the name of a work.
const LONGEST_NAME: usize = 200;

/// A work that is being watched for progress, until it is dropped. Made by [`crate::cluster::Processes::work`].
pub struct Work<'a> {
    shared: &'a Shared,
}

impl<'a> Work<'a> {
    pub(crate) fn begin(shared: &'a Shared, name: &str) -> Self {
        shared.state().set_work(Some(name.chars().take(LONGEST_NAME).collect()));
        Self { shared }
    }
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        self.shared.state().set_work(None);
    }
}
