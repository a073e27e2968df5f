//! One observer for two lanes: whose line it is, and how far both are together.

use super::Both;
use crate::measure::event::{Doing, Event, RunObserver};
use crate::store::{Derived, Journal, Side};
use repro_types::CellId;
use std::cell::RefCell;

/// What both lanes show.
pub struct SharedProgress<'a> {
    observer: &'a mut dyn RunObserver,
    latest: Both<Latest>,
}

/// How far a lane was when it last said so.
#[derive(Clone, Copy, Default)]
struct Latest {
    done: usize,
    of: usize,
    remaining_s: Option<f64>,
}

impl<'a> SharedProgress<'a> {
    pub fn new(observer: &'a mut dyn RunObserver) -> Self {
        Self { observer, latest: Both::default() }
    }

    pub fn event(&mut self, event: Event) {
        self.observer.event(event);
    }

    fn doing(&mut self, side: Side, doing: Doing, latest: Latest) {
        *self.latest.get_mut(side) = latest;
        let Both { base, new } = self.latest;
        let remaining_s = base.remaining_s.zip(new.remaining_s).map(|(base, new)| base + new);
        self.observer.doing(Doing::Of(side, &doing), base.done + new.done, base.of + new.of, remaining_s);
    }
}

/// The observer of one lane.
pub struct SideObserver<'s, 'a> {
    pub side: Side,
    pub progress: &'s RefCell<SharedProgress<'a>>,
}

impl RunObserver for SideObserver<'_, '_> {
    fn event(&mut self, event: Event) {
        self.progress.borrow_mut().event(Event::Of(self.side, &event));
    }

    fn doing(&mut self, doing: Doing, done: usize, of: usize, remaining_s: Option<f64>) {
        self.progress.borrow_mut().doing(self.side, doing, Latest { done, of, remaining_s });
    }

    fn derived(&self, journal: &Journal, cells: &[CellId]) -> Derived {
        self.progress.borrow().observer.derived(journal, cells)
    }
}
