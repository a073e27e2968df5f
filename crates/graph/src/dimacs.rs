//! The shortest-path format of the ninth DIMACS implementation challenge, `.gr`:
//! comments `c ...`, one problem line `p sp N M`, and M arcs `a U V W` between vertices 1 to N.

use std::io::BufRead;

use super::{
    Element,
    entries::EntrySink,
    read::Problem,
    text::{Lines, believable, exactly, parse_weight, unexpected, vertex, whole_number},
};

const PROBLEM_LINE: &str = "a problem line `p sp N M`";

/// Hands each arc to `sink`. At an error [`Lines::number`] is the line where it is.
///
/// # Errors
/// When the file breaks the format, or `sink` does not take an arc.
pub fn read<T: Element, S: EntrySink<T>>(
    lines: &mut Lines<impl BufRead>,
    sink: &mut S,
) -> Result<(), S::Error> {
    let (n, promised) = problem_line(lines)?;
    sink.begin(n, false)?;
    let mut found = 0;
    while let Some(line) = lines.next()? {
        match line.first() {
            None | Some(b'c') => continue,
            Some(b'a') => {}
            _ => return Err(unexpected("an arc `a U V W` or a comment", line).into()),
        }
        let [a, u, v, w] = exactly(line, "an arc `a U V W`")?;
        if a != b"a" {
            return Err(unexpected("an arc `a U V W`", line).into());
        }
        if found == promised {
            return Err(Problem::TooMany { promised }.into());
        }
        sink.add(vertex(u, n)?, vertex(v, n)?, parse_weight(w)?)?;
        found += 1;
    }
    if found < promised {
        return Err(Problem::TooFew { promised, found }.into());
    }
    Ok(believable(n, found)?)
}

/// N and M.
fn problem_line(lines: &mut Lines<impl BufRead>) -> Result<(usize, usize), Problem> {
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
    Err(Problem::MissingHeader { expected: PROBLEM_LINE })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DistanceMatrix, edges::Keep, entries::EntryCollector, oracle};
    use proptest::prelude::*;
    use std::fmt::Write;

    fn parse(text: &[u8]) -> Result<DistanceMatrix, String> {
        let mut lines = Lines::new(text);
        let mut kept = EntryCollector::new(Keep::Matrix);
        read(&mut lines, &mut kept).map_err(|problem| format!("{}: {problem}", lines.number()))?;
        kept.into_edges().unwrap().into_matrix().map_err(|error| error.to_string())
    }

    #[test]
    fn parallel_arcs_keep_the_shortest_and_self_loops_are_ignored() {
        let graph =
            parse(b"c hello\n\np sp 3 5\na 1 2 7\na 1 2 4\nc more\na 1 2 9\na 2 2 3\na 3 1 -1\n").unwrap();
        let inf = f32::INFINITY;
        assert_eq!(graph.as_slice(), [0.0, 4.0, inf, inf, 0.0, inf, -1.0, inf, 0.0]);
    }

    #[test]
    fn every_mistake_is_reported_with_its_line() {
        let cases = [
            ("c only\n", "1: the file ends without a problem line `p sp N M`"),
            ("a 1 2 3\n", "1: expected a problem line `p sp N M`, found `a 1 2 3`"),
            ("p max 3 1\n", "1: expected a problem line `p sp N M`, found `p max 3 1`"),
            ("p sp 3\n", "1: expected a problem line `p sp N M`, found `p sp 3`"),
            ("p sp -3 1\n", "1: expected the number of vertices, found `-3`"),
            ("p sp 0 0\n", "1: a graph of 0 vertices has no distances: n must be at least 1"),
            ("p sp 3 1\n\ne 1 2\n", "3: expected an arc `a U V W` or a comment, found `e 1 2`"),
            ("p sp 3 1\na 1 2\n", "2: expected an arc `a U V W`, found `a 1 2`"),
            ("p sp 3 1\na 1 2 3 4\n", "2: expected an arc `a U V W`, found `a 1 2 3 4`"),
            ("p sp 3 1\narc 1 2 3\n", "2: expected an arc `a U V W`, found `arc 1 2 3`"),
            ("p sp 3 1\na 1 x 3\n", "2: expected a vertex number, found `x`"),
            ("p sp 3 1\na 1 2 3x\n", "2: expected a weight, found `3x`"),
            ("p sp 3 1\na 0 2 3\n", "2: vertex 0 is not in 1..=3, the vertices of the header"),
            ("p sp 3 1\na 1 4 3\n", "2: vertex 4 is not in 1..=3, the vertices of the header"),
            (
                "p sp 3 1\na 1 2 nan\n",
                "2: `nan` is no weight: use a number that f32 can hold, or inf for no edge",
            ),
            (
                "p sp 3 2\na 1 2 3\n",
                "2: the file ends after 1 of 2 entries that its header promises: is it truncated?",
            ),
            (
                "p sp 3 1\na 1 2 3\na 2 1 3\n",
                "3: more entries than the 1 that the header promises: correct the header",
            ),
            (
                "p sp 3 1\na 2 2 -4\n",
                "2: vertex 2 has a self loop of weight -4, a negative cycle: shortest paths do not exist, remove it",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(parse(text.as_bytes()).unwrap_err(), message, "{text:?}");
        }
    }

    #[test]
    fn a_mistake_is_found_before_any_memory_is_taken_for_the_vertices_of_the_header() {
        // 6.4 GB, of which nothing is touched.
        let message = parse(b"p sp 40000 1000\na 1 2 3\n\n\n\ngarbage\n").unwrap_err();
        let found = message == "6: expected an arc `a U V W` or a comment, found `garbage`";
        assert!(found || message.starts_with("1: n = 40000 needs"), "{message}");
    }

    proptest! {
        #[test]
        fn a_written_graph_reads_back_equal(graph in oracle::graphs(-9)) {
            let n = graph.n();
            let mut arcs = String::new();
            let mut count = 0;
            for (at, weight) in graph.as_slice().iter().enumerate() {
                if weight.is_finite() {
                    writeln!(arcs, "a {} {} {weight}", at / n + 1, at % n + 1).unwrap();
                    count += 1;
                }
            }
            let text = format!("p sp {n} {count}\n{arcs}");
            prop_assert_eq!(parse(text.as_bytes()), Ok(graph));
        }
    }
}
