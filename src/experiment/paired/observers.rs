//! One observer for two lanes: whose line it is, and how far both are together.

use super::super::Observer;
use super::Both;
use crate::record::Side;
use std::cell::RefCell;

/// What both lanes show.
pub struct Shown<'a> {
    observer: &'a mut dyn Observer,
    latest: Both<Latest>,
}

/// How far a lane was when it last said so.
#[derive(Clone, Copy, Default)]
struct Latest {
    done: usize,
    of: usize,
    remaining_s: Option<f64>,
}

impl<'a> Shown<'a> {
    pub fn new(observer: &'a mut dyn Observer) -> Self {
        Self { observer, latest: Both::default() }
    }

    pub fn note(&mut self, line: &str) {
        self.observer.note(line);
    }

    fn progress(&mut self, side: Side, doing: &str, latest: Latest) {
        *self.latest.get_mut(side) = latest;
        let Both { base, new } = self.latest;
        let remaining_s = base.remaining_s.zip(new.remaining_s).map(|(base, new)| base + new);
        self.observer.progress(
            &format!("{side}: {doing}"),
            base.done + new.done,
            base.of + new.of,
            remaining_s,
        );
    }
}

/// One lane's view of it.
pub struct Seen<'s, 'a> {
    side: Side,
    shown: &'s RefCell<Shown<'a>>,
}

impl<'s, 'a> Seen<'s, 'a> {
    pub fn new(side: Side, shown: &'s RefCell<Shown<'a>>) -> Self {
        Self { side, shown }
    }
}

impl Observer for Seen<'_, '_> {
    fn note(&mut self, line: &str) {
        self.shown.borrow_mut().note(&format!("{}: {line}", self.side));
    }

    fn progress(&mut self, doing: &str, done: usize, of: usize, remaining_s: Option<f64>) {
        self.shown.borrow_mut().progress(self.side, doing, Latest { done, of, remaining_s });
    }
}
