//! Edge lists: an arc a line, vertices by number or by name.
//!
//! Where every name is a number without leading zeros, and the numbers from 0 or 1 up to the greatest have at most as many gaps as vertices,
//! the numbers are the vertices, and a gap is a vertex without arcs. Otherwise vertices are those that the file mentions.
//!
//! A first line of three words that are no numbers is a heading, if neither of the first two is a vertex of a later line. So is one of two
//! such words above a line of numbers, if all vertices are numbers.

use super::text::negative_loop;
use super::{Names, Numbering, Read, ReadOptions, ReadProblem, Stored};
use crate::{ArcsBuilder, GraphError, NegativeCycle, Weight, room};
use repro_graph::entries::{Lines, parse_weight, tokens, unexpected};
use std::collections::HashMap;
use std::io::BufRead;

const ARC: &str = "an arc `FROM TO` or `FROM TO WEIGHT`, with blanks or commas between";

/// Reads an edge list; `line` is the last line read.
pub(super) fn read<T: Weight>(
    input: impl BufRead,
    options: &ReadOptions,
    line: &mut Option<usize>,
) -> Read<T> {
    let mut lines = Lines::new(input);
    let mut builder = ArcsBuilder::growing().undirected(options.undirected);
    let mut seen = VertexNames::default();
    let listed = list(&mut lines, &mut builder, &mut seen, options.numbering);
    *line = Some(lines.number());
    let Oddities { heading, negative } = listed?;
    if let Some((at, words, problem)) = heading
        && words.iter().any(|word| seen.has(word))
    {
        *line = Some(at);
        return Err(problem);
    }
    *line = None;
    let (names, numbers) = seen.name(options.numbering)?;
    if let Some((at, cycle)) = negative {
        *line = Some(at);
        let of = |vertex: usize| numbers.as_ref().map_or(vertex, |numbers| numbers[vertex] as usize);
        let vertex = of(cycle.vertex);
        let cycle = NegativeCycle { vertex, cycle: vec![vertex], ..cycle };
        return Err(negative_loop(cycle, names.name(vertex).into_owned()));
    }
    if let Some(numbers) = &numbers {
        builder.renumber(numbers);
    }
    let (arcs, dropped) = builder.build()?;
    Ok((Stored::Arcs(arcs), names, dropped))
}

fn list<T: Weight>(
    lines: &mut Lines<impl BufRead>,
    builder: &mut ArcsBuilder<T>,
    seen: &mut VertexNames,
    numbering: Option<Numbering>,
) -> Result<Oddities, ReadProblem> {
    let (mut odd, mut is_first) = (Oddities::default(), true);
    let (mut held, mut is_above_numbers) = (None, false);
    loop {
        let at = lines.number() + 1;
        let Some(line) = lines.next()? else { break };
        if matches!(line.first(), None | Some(b'#' | b'%')) {
            continue;
        }
        let is_heading = std::mem::replace(&mut is_first, false);
        let Some((from, to, weight)) = arc(line).filter(|(.., weight)| !weight.is_some_and(is_dict)) else {
            return Err(if has_dict(line) { dict(line) } else { unexpected(ARC, line).into() });
        };
        if is_heading && weight.is_none() && [from, to].into_iter().all(is_no_number) {
            held = Some([from, to].map(<[u8]>::to_vec));
            continue;
        }
        // The first line, once the second one is known.
        if held.is_some() && !is_above_numbers {
            is_above_numbers = [from, to].into_iter().all(is_number);
            if !is_above_numbers && let Some(words) = held.take() {
                unweighted(&words, builder, seen, numbering)?;
            }
        }
        let length = match weight.map_or_else(|| Ok(T::from_f64(1.0)), parse_weight) {
            Ok(length) => length,
            Err(problem) if is_heading && [from, to].into_iter().chain(weight).all(is_no_number) => {
                let words = [from, to].map(<[u8]>::to_vec);
                odd.heading = Some((at, words, problem.into()));
                continue;
            }
            Err(problem) => return Err(problem.into()),
        };
        let (from, to) = (seen.vertex(from, numbering)?, seen.vertex(to, numbering)?);
        match builder.add(from as usize, to as usize, length) {
            // The least of all is reported.
            Err(GraphError::NegativeCycle(cycle)) => {
                if odd.negative.as_ref().is_none_or(|(_, least)| cycle.weight < least.weight) {
                    odd.negative = Some((at, cycle));
                }
            }
            added => added?,
        }
    }
    if let Some(words) = held.filter(|_| !is_above_numbers || !seen.named.is_empty()) {
        unweighted(&words, builder, seen, numbering)?;
    }
    Ok(odd)
}

/// Adds an arc without a weight.
fn unweighted<T: Weight>(
    [from, to]: &[Vec<u8>; 2],
    builder: &mut ArcsBuilder<T>,
    seen: &mut VertexNames,
    numbering: Option<Numbering>,
) -> Result<(), ReadProblem> {
    let (from, to) = (seen.vertex(from, numbering)?, seen.vertex(to, numbering)?);
    Ok(builder.add(from as usize, to as usize, T::from_f64(1.0))?)
}

/// What is known to be wrong only at the end.
#[derive(Default)]
struct Oddities {
    /// A heading: its line, its first words, and what it is if it is none.
    heading: Option<(usize, [Vec<u8>; 2], ReadProblem)>,
    /// The least arc from a vertex to itself, if it is negative, with its line.
    negative: Option<(usize, NegativeCycle)>,
}

/// Whether a word neither is a number nor looks like one with a mistake in it.
fn is_no_number(word: &[u8]) -> bool {
    let text = str::from_utf8(word).unwrap_or_default();
    text.starts_with(|first: char| first.is_alphabetic() || first == '_') && text.parse::<f64>().is_err()
}

fn is_number(word: &[u8]) -> bool {
    str::from_utf8(word).is_ok_and(|word| number(word).is_some())
}

fn is_dict(word: &[u8]) -> bool {
    word.starts_with(b"{")
}

/// Whether the third word of a line begins a dict of Python.
pub(super) fn has_dict(line: &[u8]) -> bool {
    tokens(line).nth(2).is_some_and(is_dict)
}

fn dict(line: &[u8]) -> ReadProblem {
    ReadProblem::Dict {
        found: String::from_utf8_lossy(line).chars().filter(|c| !c.is_control()).take(40).collect(),
    }
}

/// Where an arc begins, where it ends, and its weight if there is one.
type ArcWords<'a> = (&'a [u8], &'a [u8], Option<&'a [u8]>);

/// The two or three words of a line: between commas where that leaves no blank within one or one is in quotes, else between blanks.
pub(super) fn arc(line: &[u8]) -> Option<ArcWords<'_>> {
    fn of<'a>(mut words: impl Iterator<Item = &'a [u8]>) -> Option<ArcWords<'a>> {
        let arc = (words.next()?, words.next()?, words.next());
        words.next().is_none().then_some(arc)
    }
    if line.contains(&b'"')
        && line.contains(&b',')
        && let Some(words) = quoted(line)
    {
        return of(words.into_iter());
    }
    let between_commas = || line.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    let is_word = |word: &[u8]| !word.is_empty() && !word.iter().any(u8::is_ascii_whitespace);
    match line.contains(&b',') && between_commas().all(is_word) {
        true => of(between_commas()),
        false => of(tokens(line)),
    }
}

/// The words between commas of a line in which some are in quotes, as in CSV, with anything but quotes within.
fn quoted(line: &[u8]) -> Option<Vec<&[u8]>> {
    let (mut words, mut rest) = (Vec::new(), line);
    loop {
        rest = rest.trim_ascii_start();
        let comma = match rest.strip_prefix(b"\"") {
            Some(inside) => {
                let end = inside.iter().position(|byte| *byte == b'"')?;
                words.push(&inside[..end]);
                rest = inside[end + 1..].trim_ascii_start();
                (!rest.is_empty()).then_some(0)
            }
            None => {
                let comma = rest.iter().position(|byte| *byte == b',');
                words.push(rest[..comma.unwrap_or(rest.len())].trim_ascii_end());
                comma
            }
        };
        let last = words.last()?;
        if last.is_empty() || last.contains(&b'"') {
            return None;
        }
        let Some(comma) = comma else { return Some(words) };
        rest = rest[comma..].strip_prefix(b",")?;
    }
}

/// The vertices mentioned so far, numbered in the order in which they came.
#[derive(Default)]
struct VertexNames {
    /// Those whose names are numbers. The names are made of them when the file has others.
    numbered: HashMap<u64, u32>,
    named: HashMap<Box<str>, u32>,
}

/// The number that a name is, if writing the number gives the name again.
fn number(name: &str) -> Option<u64> {
    let is_plain = name.bytes().all(|byte| byte.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
    name.parse().ok().filter(|_| is_plain)
}

impl VertexNames {
    fn has(&self, word: &[u8]) -> bool {
        str::from_utf8(word).is_ok_and(|name| self.named.contains_key(name))
    }

    fn count(&self) -> usize {
        self.numbered.len() + self.named.len()
    }

    fn vertex(&mut self, word: &[u8], numbering: Option<Numbering>) -> Result<u32, ReadProblem> {
        let name = str::from_utf8(word);
        let name = name.map_err(|_| ReadProblem::NotAName {
            found: word[..word.len().min(40)].escape_ascii().to_string(),
        })?;
        let next = self.count();
        let first = match numbering {
            Some(Numbering::FromZero) => Some(0),
            Some(Numbering::FromOne) => Some(1),
            Some(Numbering::Named) | None => None,
        };
        let new = u32::try_from(next).ok().filter(|next| *next < u32::MAX);
        let new = new.ok_or(GraphError::TooManyVertices { n: next })?;
        match (number(name), first) {
            (Some(number), Some(first)) if (u64::from(first)..u64::from(u32::MAX)).contains(&number) => {
                Ok(*self.numbered.entry(number).or_insert(new))
            }
            (_, Some(first)) => {
                let found = name.chars().take(40).collect();
                Err(ReadProblem::NotANumber { found, first })
            }
            (Some(number), None) => Ok(*self.numbered.entry(number).or_insert(new)),
            (None, None) => match self.named.get(name) {
                Some(vertex) => Ok(*vertex),
                None => {
                    self.named.insert(name.into(), new);
                    Ok(new)
                }
            },
        }
    }

    /// What the vertices are called, and their new numbers if they do not stay in the order in which they came.
    fn name(self, numbering: Option<Numbering>) -> Result<(Names, Option<Vec<u32>>), ReadProblem> {
        let n = self.count();
        if n == 0 {
            return Err(GraphError::Empty.into());
        }
        if !self.named.is_empty() {
            let mut names = room::filled("the names of the vertices", n, Box::from(""))?;
            for (name, vertex) in self.named {
                names[vertex as usize] = name;
            }
            for (number, vertex) in self.numbered {
                names[vertex as usize] = number.to_string().into();
            }
            return Ok((Names::Given(names), None));
        }
        let mut ascending = room::reserved("the names of the vertices", n)?;
        ascending.extend(self.numbered.iter().map(|(number, vertex)| (*number, *vertex)));
        ascending.sort_unstable();
        let (least, greatest) = (ascending[0].0, ascending[n - 1].0);
        let first = match numbering {
            Some(Numbering::FromZero) => Some(0),
            Some(Numbering::FromOne) => Some(1),
            Some(Numbering::Named) => None,
            None => {
                let first = least.min(1);
                (greatest - first < 2 * n as u64).then_some(first)
            }
        };
        let mut numbers = room::filled("the numbers of the vertices", n, 0_u32)?;
        for (place, (number, vertex)) in ascending.iter().enumerate() {
            // Each is below 2^32: that of a place is, and the others were looked at or are below 2 n.
            numbers[*vertex as usize] = match first {
                Some(first) => u32::try_from(number - first).map_err(|_| {
                    ReadProblem::from(GraphError::TooManyVertices {
                        n: usize::try_from(*number).unwrap_or(usize::MAX),
                    })
                })?,
                None => place as u32,
            };
        }
        let names = match first {
            Some(0) => Names::FromZero,
            Some(_) => Names::FromOne,
            None => Names::Given(ascending.iter().map(|(number, _)| number.to_string().into()).collect()),
        };
        Ok((names, Some(numbers)))
    }
}
