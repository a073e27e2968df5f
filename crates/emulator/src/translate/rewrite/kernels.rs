//! The declarations of kernels and their launch attributes.

use super::scopes::Scope;
use super::{Kernel, Pending, Problem, Rewriting, kernel};
use crate::translate::INLINING;

impl Rewriting<'_> {
    pub(super) fn kernel(&mut self, at: usize) -> Result<(), Problem> {
        if self.scopes.last() == Some(&Scope::Class) {
            return Err(self.problem(at, "a `__global__` function cannot be a member of a class"));
        }
        let name = kernel::name(&self.reader, self.begin, at).map_err(|words| self.problem(at, words))?;
        let token = self.lexed.tokens[at];
        self.edits.replace(token.start, token.end, format!(" __attribute__((used, noinline{INLINING}))"));
        let start = self.lexed.tokens[self.begin].start;
        let (file, line) = self.lexed.place(token.start);
        let head: Vec<&str> = (self.begin..at).map(|at| self.reader.text(at)).collect();
        let template = head.contains(&"template");
        let linkage = head.windows(2).any(|pair| pair[0] == "extern" && pair[1] == "\"C\"");
        let scope: Vec<&str> = self
            .scopes
            .iter()
            .filter_map(|scope| match scope {
                Scope::Namespace(name) if !name.is_empty() => Some(name.as_str()),
                _ => None,
            })
            .collect();
        self.pending = Some(Pending {
            kernel: Kernel {
                name,
                scope: scope.iter().map(|name| format!("{name}::")).collect(),
                extern_c: linkage || self.scopes.contains(&Scope::Linkage),
                template,
                file,
                line,
                ..Kernel::default()
            },
            start,
            instantiation: template && self.reader.text(self.begin + 1) != "<",
        });
        Ok(())
    }

    pub(super) fn launch_attribute(&mut self, at: usize) -> Result<usize, Problem> {
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

    /// The declaration of a kernel is read: with its body, or without.
    pub(super) fn finish_kernel(&mut self, defined: bool) {
        let Some(mut pending) = self.pending.take() else { return };
        if pending.instantiation {
            return;
        }
        let values = |inside: Option<(usize, usize)>| {
            inside.map(|(first, end)| kernel::arguments(&self.reader, first, end)).unwrap_or_default()
        };
        let (bounds, cluster) = (values(self.bounds), values(self.cluster));
        let known = |values: &[String], at: usize| values.get(at).and_then(|text| kernel::number(text));
        let kernel = &mut pending.kernel;
        kernel.launch_bounds = known(&bounds, 0).map(|most| (most, known(&bounds, 1)));
        let side = |at| known(&cluster, at).or((at >= cluster.len()).then_some(1)).map(|side| side as u32);
        if !cluster.is_empty() {
            kernel.cluster_dims = side(0).zip(side(1)).zip(side(2)).map(|((x, y), z)| [x, y, z]);
        }
        if !kernel.template {
            let mut cluster = cluster;
            if !cluster.is_empty() {
                cluster.resize(3, "1".to_string());
            }
            for (what, values) in [("bounds", bounds), ("cluster", cluster)] {
                let symbol = format!("emulated_{what}_{}", kernel.name);
                if values.is_empty() || !self.exported.insert(symbol.clone()) {
                    continue;
                }
                self.edits.insert(pending.start, kernel::exported(&symbol, &values));
                let place =
                    if what == "bounds" { &mut kernel.bounds_symbol } else { &mut kernel.cluster_symbol };
                *place = Some(symbol);
            }
        }
        let same = |other: &&mut Kernel| other.name == kernel.name && other.scope == kernel.scope;
        match self.translated.kernels.iter_mut().find(same) {
            // The definition has the place; an earlier declaration may have had more attributes of launches.
            Some(earlier) => {
                earlier.extern_c |= kernel.extern_c;
                earlier.launch_bounds = earlier.launch_bounds.or(kernel.launch_bounds);
                earlier.cluster_dims = earlier.cluster_dims.or(kernel.cluster_dims);
                earlier.bounds_symbol = earlier.bounds_symbol.take().or(kernel.bounds_symbol.take());
                earlier.cluster_symbol = earlier.cluster_symbol.take().or(kernel.cluster_symbol.take());
                if defined {
                    (earlier.file, earlier.line) = (std::mem::take(&mut kernel.file), kernel.line);
                }
            }
            None => self.translated.kernels.push(pending.kernel),
        }
    }
}
