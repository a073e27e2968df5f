//! The shortest-path format of the ninth DIMACS implementation challenge, `.gr`:
//! comments `c ...`, one problem line `p sp N M`, and M arcs `a U V W` between vertices 1 to N.

use super::text::{
    LineReader, add_arc, counted_arcs, exactly, listed_arcs, parse_weight, unexpected, vertex, whole_number,
};
use super::{ReadOptions, ReadProblem, ReadResult};
use crate::Element;
use std::io::BufRead;

const PROBLEM_LINE: &str = "a problem line `p sp N M`";

/// Reads all arcs. At an error, [`LineReader::place`] is the line that it is about.
pub(super) fn read<T: Element>(lines: &mut LineReader<impl BufRead>, options: &ReadOptions) -> ReadResult<T> {
    let (n, promised) = problem_line(lines)?;
    let mut arcs = listed_arcs(n, options)?;
    let mut found = 0;
    while let Some(line) = lines.next()? {
        match line.first() {
            None | Some(b'c') => continue,
            Some(b'a') => {}
            _ => return Err(unexpected("an arc `a U V W` or a comment", line)),
        }
        let [a, u, v, w] = exactly(line, "an arc `a U V W`")?;
        if a != b"a" {
            return Err(unexpected("an arc `a U V W`", line));
        }
        if found == promised {
            return Err(ReadProblem::TooMany { promised });
        }
        add_arc(&mut arcs, vertex(u, n)?, vertex(v, n)?, parse_weight(w)?)?;
        found += 1;
    }
    counted_arcs(lines, n, arcs, found, promised)
}

/// The numbers N and M of the problem line.
fn problem_line(lines: &mut LineReader<impl BufRead>) -> Result<(usize, usize), ReadProblem> {
    while let Some(line) = lines.next()? {
        match line.first() {
            None | Some(b'c') => continue,
            Some(b'p') => {}
            _ => return Err(unexpected(PROBLEM_LINE, line)),
        }
        let [b"p", b"sp", n, arcs] = exactly(line, PROBLEM_LINE)? else {
            return Err(unexpected(PROBLEM_LINE, line));
        };
        return Ok((whole_number(n, "the number of vertices")?, whole_number(arcs, "the number of arcs")?));
    }
    Err(ReadProblem::MissingHeader { expected: PROBLEM_LINE })
}
