//! The Matrix Market exchange format, `.mtx`: entry (i, j) of value w is an edge from i to j of weight w.
//!
//! In coordinate files entries that are not listed are no edges. Array files list all: there `inf` is no edge, and 0 is an
//! edge of weight 0, although other programs take the zeros of a dense adjacency matrix for missing edges. Entries of
//! `pattern` files weigh 1.

use super::arrays::stored_matrix;
use super::text::{
    LineReader, add_arc, counted_arcs, exactly, listed_arcs, parse_weight, tokens, unexpected, vertex,
    whole_number,
};
use super::{Names, ReadOptions, ReadProblem, ReadResult};
use crate::matrix::entries;
use crate::{Element, memory_check};
use std::io::BufRead;

/// How every Matrix Market file starts, in any case.
pub(super) const BANNER: &[u8] = b"%%MatrixMarket";

const HEADER: &str = "a header `%%MatrixMarket matrix FORMAT FIELD SYMMETRY`";

#[derive(Clone, Copy, Debug, PartialEq)]
enum Field {
    Real,
    Integer,
    Pattern,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
}

struct Header {
    coordinate: bool,
    field: Field,
    symmetry: Symmetry,
}

/// Reads all entries; in a symmetric file each also gives its mirror image.
pub(super) fn read<T: Element>(lines: &mut LineReader<impl BufRead>, options: &ReadOptions) -> ReadResult<T> {
    let Some(line) = lines.next()? else {
        return Err(ReadProblem::MissingHeader { expected: HEADER });
    };
    let header = header(line)?;
    if header.coordinate { coordinates(lines, &header, options) } else { array(lines, &header, options) }
}

fn header(line: &[u8]) -> Result<Header, ReadProblem> {
    let line = line.to_ascii_lowercase();
    let [banner, object, format, field, symmetry] = exactly(&line, HEADER)?;
    if banner != BANNER.to_ascii_lowercase() || object != b"matrix" {
        return Err(unexpected(HEADER, &line));
    }
    let coordinate = match format {
        b"coordinate" => true,
        b"array" => false,
        other => return Err(unexpected("`coordinate` or `array`", other)),
    };
    let field = match field {
        b"real" => Field::Real,
        // As SciPy calls integers without a sign.
        b"integer" | b"unsigned-integer" => Field::Integer,
        b"pattern" if coordinate => Field::Pattern,
        other if coordinate => {
            return Err(unexpected("weights that are `real`, `integer` or `pattern`", other));
        }
        other => return Err(unexpected("weights that are `real` or `integer`", other)),
    };
    let symmetry = match symmetry {
        b"general" => Symmetry::General,
        b"symmetric" => Symmetry::Symmetric,
        b"skew-symmetric" if field != Field::Pattern => Symmetry::Skew,
        other => return Err(unexpected("`general`, `symmetric` or, with weights, `skew-symmetric`", other)),
    };
    Ok(Header { coordinate, field, symmetry })
}

impl Header {
    fn weight<T: Element>(&self, token: &[u8]) -> Result<T, ReadProblem> {
        let weight = parse_weight::<T>(token)?;
        let digits = token.strip_prefix(b"-").or(token.strip_prefix(b"+")).unwrap_or(token);
        if self.field == Field::Integer && !weight.is_absent() && !digits.iter().all(u8::is_ascii_digit) {
            return Err(unexpected("an integer weight, as the header says", token));
        }
        Ok(weight)
    }

    /// The weight of the mirror image of an entry of this weight; none in a general matrix.
    fn mirrored<T: Element>(&self, weight: T) -> Result<Option<T>, ReadProblem> {
        match self.symmetry {
            Symmetry::General => Ok(None),
            // The mirror image of no edge is no edge, and not an edge of weight -infinity.
            Symmetry::Skew if !weight.is_absent() => {
                let negated = -weight.to_f64();
                if negated < 0.0 && !T::TYPE.is_signed() {
                    let (element, most) = (T::TYPE, T::TYPE.most());
                    return Err(ReadProblem::NotOfType { found: format!("`{negated}`"), element, most });
                }
                Ok(Some(T::from_f64(negated)))
            }
            Symmetry::Symmetric | Symmetry::Skew => Ok(Some(weight)),
        }
    }

    /// The first row that column `j` of an array file lists.
    fn first_row(&self, j: usize) -> usize {
        match self.symmetry {
            Symmetry::General => 0,
            Symmetry::Symmetric => j,
            Symmetry::Skew => j + 1,
        }
    }
}

fn coordinates<T: Element>(
    lines: &mut LineReader<impl BufRead>,
    header: &Header,
    options: &ReadOptions,
) -> ReadResult<T> {
    const SIZES: &str = "a line `ROWS COLUMNS ENTRIES`";
    let [rows, columns, entries] = sizes(lines, SIZES)?;
    let n = square_size(rows, columns)?;
    let promised = whole_number(entries, "the number of entries")?;
    let mut arcs = listed_arcs(n, options)?;
    let mut found = 0;
    while let Some(line) = next_content(lines)? {
        if found == promised {
            return Err(ReadProblem::TooMany { promised });
        }
        let (i, j, weight) = if header.field == Field::Pattern {
            let [i, j] = exactly(line, "an entry `ROW COLUMN`")?;
            (i, j, T::from_f64(1.0))
        } else {
            let [i, j, value] = exactly(line, "an entry `ROW COLUMN WEIGHT`")?;
            (i, j, header.weight(value)?)
        };
        let (i, j) = (vertex(i, n)?, vertex(j, n)?);
        add_arc(&mut arcs, i, j, weight)?;
        if i != j
            && let Some(weight) = header.mirrored(weight)?
        {
            add_arc(&mut arcs, j, i, weight)?;
        }
        found += 1;
    }
    counted_arcs(lines, n, arcs, found, promised)
}

fn array<T: Element>(
    lines: &mut LineReader<impl BufRead>,
    header: &Header,
    options: &ReadOptions,
) -> ReadResult<T> {
    const SIZES: &str = "a line `ROWS COLUMNS`";
    let [rows, columns] = sizes(lines, SIZES)?;
    let n = square_size(rows, columns)?;
    entries::<T>(n)?;
    // Column by column, each from its first row down. Memory grows with what is read.
    let listed = |j: usize| n - header.first_row(j);
    let promised = (0..n).map(listed).sum();
    let mut entries: Vec<T> = Vec::new();
    while let Some(line) = next_content(lines)? {
        for token in tokens(line) {
            if entries.len() == promised {
                return Err(ReadProblem::TooMany { promised });
            }
            let weight = header.weight(token)?;
            header.mirrored(weight)?;
            let left = promised - entries.len();
            memory_check::grow("the matrix", &mut entries, 1, left)?;
            entries.push(weight);
        }
    }
    if entries.len() < promised {
        return Err(ReadProblem::TooFew { promised, found: entries.len() });
    }
    lines.place = None;
    if header.symmetry == Symmetry::General {
        return stored_matrix(n, entries, true, Names::FromOne, options);
    }
    let starts: Vec<usize> =
        (0..n).scan(0, |next, j| Some(std::mem::replace(next, *next + listed(j)))).collect();
    let entry = |i: usize, j: usize| entries[starts[j] + i - header.first_row(j)];
    let mut rows: Vec<T> = memory_check::zeros("the matrix", n * n)?;
    for (i, row) in rows.chunks_mut(n).enumerate() {
        for (j, weight) in row.iter_mut().enumerate() {
            *weight = match () {
                () if i >= header.first_row(j) && i >= j => entry(i, j),
                // A skew matrix lists no diagonal, which is 0.
                () if i == j => T::ZERO,
                () => header.mirrored(entry(j, i))?.unwrap_or(T::ABSENT),
            };
        }
    }
    drop(entries);
    stored_matrix(n, rows, false, Names::FromOne, options)
}

/// The line of sizes, which comes first.
fn sizes<'a, const N: usize>(
    lines: &'a mut LineReader<impl BufRead>,
    expected: &'static str,
) -> Result<[&'a [u8]; N], ReadProblem> {
    exactly(next_content(lines)?.ok_or(ReadProblem::MissingHeader { expected })?, expected)
}

fn square_size(rows: &[u8], columns: &[u8]) -> Result<usize, ReadProblem> {
    let rows = whole_number(rows, "the number of rows")?;
    let columns = whole_number(columns, "the number of columns")?;
    if rows == columns { Ok(rows) } else { Err(ReadProblem::NotSquare { rows, columns }) }
}

/// The next line that is neither empty nor a comment.
fn next_content(lines: &mut LineReader<impl BufRead>) -> Result<Option<&[u8]>, ReadProblem> {
    while let Some(line) = lines.next()? {
        if !matches!(line.first(), None | Some(b'%')) {
            return Ok(Some(lines.current()));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INF: f32 = f32::INFINITY;

    fn parse(text: &str) -> Result<Vec<f32>, String> {
        let mut lines = LineReader::new(text.as_bytes());
        match read::<f32>(&mut lines, &ReadOptions::default()) {
            Ok((graph, ..)) => Ok(graph.into_matrix().unwrap().into_row_major()),
            Err(problem) => Err(format!("{}: {problem}", lines.place.unwrap())),
        }
    }

    #[test]
    fn an_entry_is_an_edge_from_its_row_to_its_column() {
        let text =
            "%%matrixmarket MATRIX Coordinate Real General\n% hi\n\n2 2 3\n1 2 2.5\n1 2 3.5\n%\n2 2 9\n";
        assert_eq!(parse(text), Ok(vec![0.0, 2.5, INF, 0.0]));
    }

    #[test]
    fn arrays_go_down_the_columns_and_inf_is_no_edge() {
        let text = "%%MatrixMarket matrix array real general\n2 2\n5\n1\ninf\n0\n";
        assert_eq!(parse(text), Ok(vec![0.0, INF, 1.0, 0.0]));
        assert_eq!(parse(&text.replace("real", "unsigned-integer")), Ok(vec![0.0, INF, 1.0, 0.0]));
        let text = "%%MatrixMarket matrix array integer symmetric\n3 3\n0 1 2\n0 3\n0\n";
        assert_eq!(parse(text), Ok(vec![0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0]));
        let text = "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1 inf\n3\n";
        assert_eq!(parse(text), Ok(vec![0.0, -1.0, INF, 1.0, 0.0, -3.0, INF, 3.0, 0.0]));
    }

    #[test]
    fn every_mistake_is_reported_with_its_line() {
        let coordinate = |rest| format!("%%MatrixMarket matrix coordinate integer general\n{rest}");
        let array = |rest| format!("%%MatrixMarket matrix array real general\n{rest}");
        let banner = |rest| format!("%%MatrixMarket matrix {rest}\n");
        let cases = [
            (
                banner("coordinate complex general"),
                "1: expected weights that are `real`, `integer` or `pattern`, found `complex`",
            ),
            (
                banner("coordinate real hermitian"),
                "1: expected `general`, `symmetric` or, with weights, `skew-symmetric`, found `hermitian`",
            ),
            (
                banner("array pattern general"),
                "1: expected weights that are `real` or `integer`, found `pattern`",
            ),
            (banner("sparse real general"), "1: expected `coordinate` or `array`, found `sparse`"),
            (
                banner("coordinate real"),
                "1: expected a header `%%MatrixMarket matrix FORMAT FIELD SYMMETRY`, \
                 found `%%matrixmarket matrix coordinate real`",
            ),
            (coordinate("% no sizes\n"), "2: the file ends without a line `ROWS COLUMNS ENTRIES`"),
            (coordinate("2 2\n"), "2: expected a line `ROWS COLUMNS ENTRIES`, found `2 2`"),
            (coordinate("2 3 1\n"), "2: the matrix is 2 x 3, but a graph needs as many rows as columns"),
            (coordinate("2 2 1\n1 2\n"), "3: expected an entry `ROW COLUMN WEIGHT`, found `1 2`"),
            (
                coordinate("2 2 1\n1 2 1.5\n"),
                "3: expected an integer weight, as the header says, found `1.5`",
            ),
            (coordinate("2 2 1\n3 1 1\n"), "3: vertex 3 is not in 1..=2, the vertices of the header"),
            (
                coordinate("2 2 2\n1 2 1\n"),
                "3: the file ends after 1 of 2 entries that its header promises: is it truncated?",
            ),
            (
                coordinate("2 2 0\n1 2 1\n"),
                "3: more entries than the 0 that the header promises: correct the header",
            ),
            (
                array("2 2\n0 1 2\n"),
                "3: the file ends after 3 of 4 entries that its header promises: is it truncated?",
            ),
            (array("1 1\n0\n0\n"), "4: more entries than the 1 that the header promises: correct the header"),
            (
                array("1 1\nNaN\n"),
                "3: `NaN` is no weight: use a number that f32 can hold, or inf for no edge",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(parse(&text).unwrap_err(), message, "{text:?}");
        }
    }
}
