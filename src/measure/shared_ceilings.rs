//! One measurement of ceilings for several runs.

use crate::graph::ElementType;
use crate::measure::supervisor::{Answer, Executor};
use crate::protocol::{Reply, Request};
use std::time::Duration;

/// A worker for several runs one after another, which measures the ceilings of each set of element types once: they are those of
/// the machine, and take longer than the cells of an experiment in the small.
pub struct SharedCeilings<'a> {
    pub worker: &'a mut dyn Executor,
    known: Vec<(Vec<ElementType>, Reply)>,
}

impl<'a> SharedCeilings<'a> {
    pub fn new(worker: &'a mut dyn Executor) -> Self {
        Self { worker, known: Vec::new() }
    }
}

impl Executor for SharedCeilings<'_> {
    fn ask(&mut self, request: &Request, limit: Duration) -> Answer {
        let Request::MeasureCeilings { elements } = request else { return self.worker.ask(request, limit) };
        if let Some((_, reply)) = self.known.iter().find(|(known, _)| known == elements) {
            return Ok(reply.clone());
        }
        let reply = self.worker.ask(request, limit)?;
        if let Reply::Ceilings(_) = reply {
            self.known.push((elements.clone(), reply.clone()));
        }
        Ok(reply)
    }

    fn ask_fresh(&mut self, request: &Request, limit: Duration) -> Answer {
        self.worker.ask_fresh(request, limit)
    }
}
