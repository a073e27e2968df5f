//! DIMACS and Matrix Market, by the grammar of the crate `repro-graph`.

use super::{Format, Names, Read, ReadOptions, ReadProblem, Stored, Zeros};
use crate::{ArcsBuilder, Dropped, GraphError, NegativeCycle, Weight, room};
use repro_graph::entries::{Edges, EntrySink, Keep, Lines, read_dimacs, read_matrix_market};
use std::io::BufRead;

/// Reads one of the two; `line` is the last line read.
pub(super) fn read<T: Weight>(
    input: impl BufRead,
    format: Format,
    options: &ReadOptions,
    line: &mut Option<usize>,
) -> Read<T> {
    let mut lines = Lines::new(input);
    let mut kept = ReadEntries {
        undirected: options.undirected,
        zeros: options.zeros,
        dropped: Dropped::default(),
        entries: None,
    };
    let read = match format {
        Format::Dimacs => read_dimacs(&mut lines, &mut kept),
        _ => read_matrix_market(&mut lines, &mut kept),
    };
    *line = Some(lines.number());
    read?;
    // What is wrong from here on is nothing of a line.
    *line = None;
    let (graph, dropped) = match kept.entries.ok_or(ReadProblem::Empty)? {
        Entries::Listed(builder) => {
            let (arcs, dropped) = builder.build()?;
            (Stored::Arcs(arcs), dropped)
        }
        Entries::All(edges) => (Stored::Matrix(edges.into_matrix()?.into()), kept.dropped),
    };
    Ok((graph, Names::FromOne, dropped))
}

/// The entries read so far.
struct ReadEntries<T> {
    undirected: bool,
    zeros: Zeros,
    dropped: Dropped,
    entries: Option<Entries<T>>,
}

enum Entries<T> {
    /// Of a file that lists arcs.
    Listed(ArcsBuilder<T>),
    /// Of a file that lists every entry.
    All(Edges<T>),
}

impl<T: Weight> EntrySink<T> for ReadEntries<T> {
    type Error = ReadProblem;

    fn begin(&mut self, n: usize, dense: bool) -> Result<(), ReadProblem> {
        self.entries = Some(if dense {
            Entries::All(Edges::new(n, Keep::Matrix)?)
        } else {
            // Each vertex takes a number in the graph, and there should be room before all arcs are read.
            room::check("the graph", (n as u128) * size_of::<usize>() as u128)?;
            Entries::Listed(ArcsBuilder::with_vertices(n)?.undirected(self.undirected))
        });
        Ok(())
    }

    fn add(&mut self, from: usize, to: usize, weight: T) -> Result<(), ReadProblem> {
        match &mut self.entries {
            Some(Entries::Listed(builder)) => builder.add(from, to, weight).map_err(|error| match error {
                GraphError::NegativeCycle(cycle) => negative_loop(cycle, (from + 1).to_string()),
                other => other.into(),
            })?,
            Some(Entries::All(edges)) => {
                // A diagonal of zeros is how a matrix has no loops.
                self.dropped.self_loops += u64::from(from == to && weight > T::ZERO && !weight.is_absent());
                let is_none = self.zeros == Zeros::Absent && from != to && weight == T::ZERO;
                let weight = if is_none { T::ABSENT } else { weight };
                edges.add(from, to, weight)?;
                if self.undirected {
                    edges.add(to, from, weight)?;
                }
            }
            None => {}
        }
        Ok(())
    }
}

/// An arc from a vertex of this name to itself that is negative.
pub(super) fn negative_loop(cycle: NegativeCycle, name: String) -> ReadProblem {
    ReadProblem::NegativeLoop { name, cycle }
}
