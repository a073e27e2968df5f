//! Edge lists: an arc a line, vertices by number or by name.
//!
//! Fields stand between commas, semicolons or tabs, whichever the first line has, and are what Python's `csv` reads, without the blanks around
//! them. Where the first line has none of these, fields stand between blanks. Every line has as many fields as the first, two or three.
//!
//! A first line, or a comment above it, is a heading if it calls the columns by names that are known, in any order. What may be an arc or
//! something else, such as the numbers of vertices and arcs, is refused.
//!
//! Where every name is a number without leading zeros, and the numbers from 0 or 1 up to the greatest have at most as many gaps as vertices,
//! the numbers are the vertices, and a gap is a vertex without arcs. Otherwise vertices are those that the file mentions.

use super::text::{LineReader, parse_weight, tokens, unexpected};
use super::{EdgeListForm, Names, Numbering, ReadOptions, ReadProblem, ReadResult, StoredGraph};
use crate::{ArcsBuilder, Element, GraphError, NegativeCycle, SearchError, memory_check};
use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::Hash;
use std::io::BufRead;

const ARC: &str = "an arc `FROM TO` or `FROM TO WEIGHT` with separators between (store a matrix as .npy)";
const DICT: &str = "a weight and no dict of NetworkX (write the graph with nx.write_weighted_edgelist)";
const SAME: &str = "as many fields as in the first line (put # before one that counts vertices and arcs)";
const SEPARATOR: &str = "blanks, commas, semicolons or tabs in all lines (quote names that have others)";
const QUOTES: &str = "quotes around a whole field, and two for each in it";
const WEIGHT: &str = "a weight, or a heading of columns called source, target and weight";
const UNKNOWN: &str =
    "a heading of columns called source and target, or an arc (put # before a heading of other words)";
const HEADING: &str = "either a heading or an arc, and not words that other lines have too (put # before a heading, or another arc above it)";
const COUNTS: &str =
    "an arc, and no counts of vertices and arcs (put # before counts, or another arc above it)";
const MATRIX: &str = "arcs and no matrix (store a matrix as .npy, or choose the format edge-list for arcs)";
const NAME: &str = "a name in printable UTF-8 that neither begins with # or % nor is several numbers";

const NAMES: &str = "the list of vertex names";

/// The separators of fields other than blanks, and their names.
const SEPARATORS: [(u8, &str); 3] = [(b',', "commas"), (b';', "semicolons"), (b'\t', "tabs")];

/// What columns of tails, of heads and of weights are called.
const COLUMNS: [&[&str]; 3] = [
    &["source", "src", "from", "tail", "start", "origin", "u", "node1", "fromnodeid"],
    &["target", "dst", "to", "head", "end", "destination", "v", "node2", "tonodeid"],
    &["weight", "w", "distance", "dist", "length", "cost", "time", "value", "km", "miles"],
];

/// Reads an edge list, and stores in `form` how it was understood.
pub(super) fn read<T: Element>(
    lines: &mut LineReader<impl BufRead>,
    options: &ReadOptions,
    form: &mut Option<EdgeListForm>,
) -> ReadResult<T> {
    let mut builder = ArcsBuilder::growing().undirected(options.undirected);
    let mut list = List::default();
    list.read(lines, &mut builder, options.numbering)?;
    if let Some(doubt) = list.doubt(options) {
        lines.place = Some(list.first.0);
        return Err(unexpected(doubt, &list.first.1));
    }
    lines.place = None;
    let mentioned = list.seen.count();
    let (names, numbers) = list.seen.name(options.numbering)?;
    if let Some((at, cycle)) = list.negative {
        lines.place = Some(at);
        let of = |vertex: usize| numbers.as_ref().map_or(vertex, |numbers| numbers[vertex] as usize);
        let vertex = of(cycle.vertex);
        let cycle = NegativeCycle { vertex, cycle: vec![vertex], ..cycle };
        return Err(ReadProblem::NegativeLoop { name: names.name(vertex).into_owned(), cycle });
    }
    if let Some(numbers) = &numbers {
        builder.renumber(numbers);
    }
    let (arcs, dropped) = builder.build()?;
    *form = Some(EdgeListForm { unmentioned: arcs.n() - mentioned, ..list.form });
    Ok((StoredGraph::Arcs(arcs), names, dropped))
}

/// A list while it is read.
#[derive(Default)]
struct List {
    form: EdgeListForm,
    /// The first line that is no comment, and its number.
    first: (usize, Vec<u8>),
    /// The last comment above the first line that is a heading.
    commented: Option<Heading>,
    separator: u8,
    /// Fields of each line; 0 before the first.
    count: usize,
    /// Where tails, heads and weights stand.
    order: [usize; 3],
    seen: VertexNames,
    arcs: usize,
    /// How many first lines may be rows of a matrix.
    matrix_rows: usize,
    /// The least arc from a vertex to itself, if it is negative, with its line.
    negative: Option<(usize, NegativeCycle)>,
}

/// How many columns a heading names, where those of tails, heads and weights are, and what all are called.
type Heading = (usize, [usize; 3], String);

impl List {
    fn read<T: Element>(
        &mut self,
        lines: &mut LineReader<impl BufRead>,
        builder: &mut ArcsBuilder<T>,
        numbering: Option<Numbering>,
    ) -> Result<(), ReadProblem> {
        while lines.next()?.is_some() {
            let line = lines.current();
            match line.first() {
                None => continue,
                Some(b'#' | b'%') => {
                    self.form.comments += 1;
                    self.commented = heading(&line[1..]).or(self.commented.take());
                    continue;
                }
                _ if self.count == 0 && self.begin(lines)? => continue,
                _ => {}
            }
            let (count, fields) = self.fields(lines)?;
            if count != self.count {
                return Err(unexpected(SAME, line));
            }
            let [tail, head, weight] = self.order.map(|column| &*fields[column]);
            let weight = match self.count {
                2 => T::from_f64(1.0),
                _ => parse_weight(weight).map_err(|problem| match problem {
                    ReadProblem::Unexpected { .. } if self.arcs == 0 => unexpected(WEIGHT, weight),
                    other => other,
                })?,
            };
            let (tail, head) = (self.seen.vertex(tail, numbering)?, self.seen.vertex(head, numbering)?);
            match builder.add(tail as usize, head as usize, weight) {
                // The most negative of all is reported at the end.
                Err(GraphError::NegativeCycle(cycle)) => {
                    if self.negative.as_ref().is_none_or(|(_, least)| cycle.weight < least.weight) {
                        self.negative = Some((lines.number, cycle));
                    }
                }
                added => added?,
            }
            let is_row = self.arcs < count && is_matrix_row(&fields[..count], self.arcs);
            self.matrix_rows += usize::from(is_row);
            self.arcs += 1;
            if self.arcs == 1 {
                // The first line is compared with the others, so their greatest number is found without it.
                self.seen.greatest = 0;
            }
        }
        Ok(())
    }

    /// Finds out from the first line how all are to be read, and whether it is a heading.
    fn begin(&mut self, lines: &LineReader<impl BufRead>) -> Result<bool, ReadProblem> {
        let line = lines.current();
        self.first = (lines.number, line.to_vec());
        if tokens(line).nth(2).is_some_and(|word| word.starts_with(b"{")) {
            return Err(unexpected(DICT, line));
        }
        (self.separator, self.form.separator) = separator(line)?;
        let (count, found) = self.fields(lines)?;
        if !matches!(count, 2 | 3) {
            return Err(unexpected(ARC, line));
        }
        // `a,b c 5` is more likely an arc of weight 5 than one to `b c 5`, and `a;b "c, d"` one to `c, d`.
        let last = line.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
        let last = last.strip_prefix(b"\"").and_then(|word| word.strip_suffix(b"\"")).unwrap_or(last);
        let ends_in_number = parse_weight::<f64>(last).is_ok();
        let has_quote = |field: &[u8]| field.windows(2).any(|pair| pair == b" \"");
        let is_several = |field: &Cow<[u8]>| {
            field.contains(&b' ')
                && (ends_in_number || matches!(field, Cow::Borrowed(field) if has_quote(field)))
        };
        if count == 2 && found.iter().any(is_several) {
            return Err(unexpected(SEPARATOR, line));
        }
        (self.count, self.form.weighted) = (count, count == 3);
        let has_columns = |(columns, ..): &Heading| *columns == count;
        let own = heading(line).filter(has_columns);
        let is_heading = own.is_some();
        let heading = own.or(self.commented.take().filter(has_columns));
        self.order = heading.as_ref().map_or([0, 1, 2], |(_, order, _)| *order);
        self.form.heading = heading.map(|(.., text)| text);
        Ok(is_heading)
    }

    /// The fields of a line.
    fn fields<'a>(&self, lines: &'a LineReader<impl BufRead>) -> Result<Fields<'a>, ReadProblem> {
        // An empty field between tabs may be the first or the last.
        let line = if self.separator == b'\t' { lines.untrimmed() } else { lines.current() };
        if self.separator == b' ' && line.iter().any(|byte| matches!(byte, b',' | b';')) {
            return Err(unexpected(SEPARATOR, line));
        }
        fields(line, self.separator).ok_or_else(|| unexpected(QUOTES, line))
    }

    /// What the first line should be, if it may be something else than it was taken for.
    fn doubt(&self, options: &ReadOptions) -> Option<&'static str> {
        let (seen, is_pair, after) = (&self.seen, self.count == 2, self.arcs.checked_sub(1)? as u64);
        let ends = fields(&self.first.1, self.separator)?.1;
        let [from, to, _] = ends.map(|field| String::from_utf8_lossy(&field).into_owned());
        if heading(&self.first.1).is_some_and(|(columns, ..)| columns == self.count) {
            // `u v` above other letters is more likely an arc.
            let is_name = |end: &String| end.len() == 1 || seen.named.contains_key(&**end);
            return (is_pair && !seen.named.is_empty() && (is_name(&from) || is_name(&to)))
                .then_some(HEADING);
        }
        let are_words = [&from, &to].iter().all(|end| end.parse::<f64>().is_err());
        let is_above_numbers = seen.uses_of_names == 2 && !seen.numbered.is_empty();
        let is_count = match (number(&from), number(&to)) {
            (Some(n), Some(m)) if !seen.named.is_empty() => m == after || n > seen.greatest,
            (Some(n), Some(m)) => m == after && n >= seen.greatest,
            _ => false,
        };
        // As arcs and as a matrix this is one graph.
        let is_same = is_pair && from == "0" && to == "1" && seen.greatest == 1;
        let is_square = self.arcs == self.count && self.matrix_rows == self.arcs && !is_same;
        match () {
            () if is_pair && are_words && is_above_numbers => Some(UNKNOWN),
            () if is_count && after > 0 => Some(COUNTS),
            () if is_square && self.form.heading.is_none() && options.format.is_none() => Some(MATRIX),
            () => None,
        }
    }
}

/// Whether fields may be a row of a matrix: numbers or signs for no edge; on the diagonal 0, no edge, or 1 in a row with fractions.
fn is_matrix_row(fields: &[Cow<[u8]>], row: usize) -> bool {
    let cell = |field: &Cow<[u8]>| match &**field {
        b"-" => Some(f64::INFINITY),
        field => str::from_utf8(field).ok()?.parse::<f64>().ok(),
    };
    let Some(cells) = fields.iter().map(cell).collect::<Option<Vec<f64>>>() else { return false };
    let stay = cells[row];
    stay == 0.0 || !stay.is_finite() || (stay == 1.0 && cells.iter().any(|cell| cell.fract() != 0.0))
}

/// The line as a heading, if it calls each column by another of the known names.
fn heading(line: &[u8]) -> Option<Heading> {
    let line = line.trim_ascii();
    let (count, found) = fields(line, separator(line).ok()?.0)?;
    let place = |names: &[&str]| {
        found.iter().position(|field| names.iter().any(|name| field.eq_ignore_ascii_case(name.as_bytes())))
    };
    let order = match (count, COLUMNS.map(place)) {
        (2, [Some(tail), Some(head), None]) => [tail, head, 2],
        (3, [Some(tail), Some(head), Some(weight)]) => [tail, head, weight],
        _ => return None,
    };
    Some((count, order, String::from_utf8_lossy(&found[..count].join(&b',')).into_owned()))
}

/// What separates a line's fields: the only one of [`SEPARATORS`] in it, or else outside of quotes; blanks if none is in it.
fn separator(line: &[u8]) -> Result<(u8, &'static str), ReadProblem> {
    let outside: Vec<u8> = line.split(|byte| *byte == b'"').step_by(2).flatten().copied().collect();
    let [all, bare] = [line, &outside]
        .map(|text| SEPARATORS.iter().filter(|(byte, _)| text.contains(byte)).collect::<Vec<_>>());
    match (&all[..], &bare[..]) {
        ([], _) => Ok((b' ', "blanks")),
        ([only], _) | (_, [only]) => Ok(**only),
        _ => Err(unexpected(SEPARATOR, line)),
    }
}

/// How many fields a line has, and the first three of them.
type Fields<'a> = (usize, [Cow<'a, [u8]>; 3]);

/// The fields of a line without the blanks around each. A blank as separator stands for any number of blanks and tabs. `None` where a quote
/// that begins a field does not end where the field does.
fn fields(line: &[u8], separator: u8) -> Option<Fields<'_>> {
    let is_blank = |byte: &u8| *byte == b' ' || (*byte == b'\t' && separator != b'\t');
    let is_end = |byte: &u8| *byte == separator || (separator == b' ' && is_blank(byte));
    let blanks = |text: &[u8]| text.iter().take_while(|byte| is_blank(byte)).count();
    let (mut found, mut count, mut rest) = (<[Cow<[u8]>; 3]>::default(), 0, line);
    loop {
        rest = &rest[blanks(rest)..];
        let mut quoted: Option<Vec<u8>> = None;
        while let Some(inside) = rest.strip_prefix(b"\"") {
            let end = inside.iter().position(|byte| *byte == b'"')?;
            // Two quotes stand for one.
            quoted = Some(quoted.map_or(Vec::new(), |text| [&text, &b"\""[..]].concat()));
            quoted.as_mut()?.extend(&inside[..end]);
            rest = &inside[end + 1..];
        }
        if quoted.is_some() && separator != b' ' {
            rest = &rest[blanks(rest)..];
        }
        let end = rest.iter().position(is_end).unwrap_or(rest.len());
        let field = match quoted {
            None => Cow::Borrowed(rest[..end].trim_ascii()),
            Some(text) if end == 0 => Cow::Owned(text.trim_ascii().to_vec()),
            Some(_) => return None,
        };
        if let Some(place) = found.get_mut(count) {
            *place = field;
        }
        count += 1;
        match rest.get(end + 1..) {
            Some(after) => rest = after,
            None => return Some((count, found)),
        }
    }
}

/// The vertices mentioned so far, numbered in the order in which they came.
#[derive(Default)]
struct VertexNames {
    /// Vertices named by numbers. If the file has other names too, the numbers are turned into names.
    numbered: HashMap<u64, u32>,
    named: HashMap<Box<str>, u32>,
    /// How often lines mention the vertices in `named`.
    uses_of_names: usize,
    /// The greatest number since this was set to 0.
    greatest: u64,
}

/// The number that a name is, if writing the number gives the name again.
fn number(name: &str) -> Option<u64> {
    let is_plain = name.bytes().all(|byte| byte.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
    name.parse().ok().filter(|_| is_plain)
}

/// Whether a text that is no number is a name. One with the start of a comment would be read back as a comment, and numbers with blanks
/// between are fields of a file with several separators.
fn is_name(text: &str) -> bool {
    let is_several =
        text.contains(' ') && text.split_ascii_whitespace().all(|word| word.parse::<f64>().is_ok());
    !(text.is_empty()
        || text.starts_with(['#', '%'])
        || text.contains(|c: char| c.is_control() || c == '\u{feff}')
        || is_several)
}

/// The memory that is assumed for a name's own allocation.
type AllocatedName = [u64; 8];

/// Makes room for one more vertex. Where the map grows, also checks that there is room for the names: if one of their many small
/// allocations were refused, the process would end.
fn reserve<K: Eq + Hash>(map: &mut HashMap<K, u32>) -> Result<(), SearchError> {
    if map.len() == map.capacity() {
        let count = map.len().max(1 << 10);
        map.try_reserve(count)
            .map_err(|_| memory_check::refused(NAMES, (4 * count * size_of::<(K, u32)>()) as u128))?;
        memory_check::reserved::<AllocatedName>(NAMES, count)?;
    }
    Ok(())
}

impl VertexNames {
    fn count(&self) -> usize {
        self.numbered.len() + self.named.len()
    }

    fn vertex(&mut self, word: &[u8], numbering: Option<Numbering>) -> Result<u32, ReadProblem> {
        let name = str::from_utf8(word).map_err(|_| unexpected(NAME, word))?;
        let number = number(name);
        if number.is_none() && !is_name(name) {
            return Err(unexpected(NAME, word));
        }
        let next = self.count();
        let new = u32::try_from(next).ok().filter(|next| *next < u32::MAX);
        let new = new.ok_or(GraphError::TooManyVertices { n: next })?;
        if let Some(first @ (Numbering::FromZero | Numbering::FromOne)) = numbering {
            let first = u32::from(first == Numbering::FromOne);
            if !number.is_some_and(|number| (first.into()..u32::MAX.into()).contains(&number)) {
                let found = name.chars().take(40).collect();
                return Err(ReadProblem::NotANumber { found, first });
            }
        }
        if let Some(number) = number {
            self.greatest = self.greatest.max(number);
            reserve(&mut self.numbered)?;
            return Ok(*self.numbered.entry(number).or_insert(new));
        }
        self.uses_of_names += 1;
        if let Some(vertex) = self.named.get(name) {
            return Ok(*vertex);
        }
        reserve(&mut self.named)?;
        self.named.insert(name.into(), new);
        Ok(new)
    }

    /// What the vertices are called, and their new numbers if they do not stay in the order in which they came.
    fn name(self, numbering: Option<Numbering>) -> Result<(Names, Option<Vec<u32>>), ReadProblem> {
        let n = self.count();
        if n == 0 {
            return Err(GraphError::Empty.into());
        }
        memory_check::reserved::<AllocatedName>(NAMES, n)?;
        if !self.named.is_empty() {
            let mut names = memory_check::filled(NAMES, n, Box::from(""))?;
            for (name, vertex) in self.named {
                names[vertex as usize] = name;
            }
            for (number, vertex) in self.numbered {
                names[vertex as usize] = number.to_string().into();
            }
            return Ok((Names::Given(names), None));
        }
        let mut ascending = memory_check::reserved(NAMES, n)?;
        ascending.extend(self.numbered.iter().map(|(number, vertex)| (*number, *vertex)));
        ascending.sort_unstable();
        let (least, greatest) = (ascending[0].0, ascending[n - 1].0);
        let first = match numbering {
            Some(Numbering::FromZero) => Some(0),
            Some(Numbering::FromOne) => Some(1),
            Some(Numbering::Named) => None,
            None => {
                let first = least.min(1);
                (greatest - first < u64::from(u32::MAX).min(2 * n as u64)).then_some(first)
            }
        };
        let mut numbers = memory_check::filled(NAMES, n, 0_u32)?;
        for (place, (number, vertex)) in ascending.iter().enumerate() {
            // Each number is below 2^32: a place is, and the others were checked.
            numbers[*vertex as usize] = first.map_or(place as u64, |first| number - first) as u32;
        }
        let names = match first {
            Some(0) => Names::FromZero,
            Some(_) => Names::FromOne,
            None => Names::Given(ascending.iter().map(|(number, _)| number.to_string().into()).collect()),
        };
        Ok((names, Some(numbers)))
    }
}
