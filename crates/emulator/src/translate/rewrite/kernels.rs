//! The declarations of kernels and their launch attributes.

use super::scopes::Scope;
use super::{Pending, Rewriter, SourceError, kernel};
use crate::translate::unit::INLINING;

impl Rewriter<'_> {
    pub(super) fn kernel(&mut self, at: usize) -> Result<(), SourceError> {
        if self.scopes.last() == Some(&Scope::Class) {
            return Err(self.problem(at, "a `__global__` function cannot be a member of a class"));
        }
        let name = kernel::name(&self.reader, self.begin, at).map_err(|words| self.problem(at, words))?;
        let token = self.lexed.tokens[at];
        self.edits.replace(token.start, token.end, format!(" __attribute__((used, noinline{INLINING}))"));
        let begin = self.begin;
        let is_template = (begin..at).any(|at| self.reader.text(at) == "template");
        self.pending = Some(Pending { name, start: self.lexed.tokens[begin].start, is_template });
        Ok(())
    }

    pub(super) fn launch_attribute(&mut self, at: usize) -> Result<usize, SourceError> {
        let end = self.reader.after_group(at + 1);
        let inside = Some((at + 2, end - 1));
        match self.reader.text(at) {
            "__launch_bounds__" => self.bounds = inside,
            "__cluster_dims__" => self.cluster = inside,
            "__maxnreg__" => self.most_registers = true,
            _ => {}
        }
        if self.most_registers && self.bounds.is_some() {
            return Err(
                self.problem(at, "`__launch_bounds__` and `__maxnreg__` cannot go together: take one away")
            );
        }
        self.edits.remove(self.lexed, at, end);
        Ok(end)
    }

    /// The declaration of a kernel is read.
    pub(super) fn finish_kernel(&mut self) {
        let Some(pending) = self.pending.take().filter(|pending| !pending.is_template) else { return };
        for (what, inside) in [("bounds", self.bounds), ("cluster", self.cluster)] {
            let Some((first, end)) = inside else { continue };
            let mut values = kernel::arguments(&self.reader, first, end);
            if what == "cluster" {
                values.resize(3, "1".to_string());
            }
            let symbol = format!("emulated_{what}_{}", pending.name);
            if self.exported.insert(symbol.clone()) {
                self.edits.insert(pending.start, kernel::exported(&symbol, &values));
            }
        }
    }
}
