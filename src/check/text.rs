//! What was found, as lines.

use super::CheckedKernel;
use crate::lists::count_of;
use crate::show::{Banks, CountTables};
use std::fmt::Write;

impl CheckedKernel {
    /// A line a finding, a summary, and tables of what was counted, for a terminal of `width` columns or as wide as need be.
    pub fn terminal(&self, banks: Option<Banks>, width: Option<u16>) -> String {
        let mut text = String::new();
        for found in &self.findings {
            let finding = found.finding.to_string().replace(char::is_control, " ");
            let (first, rest) =
                found.orders.split_first().map_or((0, &[][..]), |(first, rest)| (*first, rest));
            let also = if rest.is_empty() { String::new() } else { format!("; also in {}", orders(rest)) };
            let _ = writeln!(text, "order {first}: {finding}{also}");
        }
        let count = count_of(self.orders.len(), "order");
        let _ = match &self.findings[..] {
            [] => writeln!(text, "{count}, no findings"),
            [only] => writeln!(text, "{count}, 1 finding; --order {} repeats it", only.orders[0]),
            [first, ..] => writeln!(
                text,
                "{count}, {} findings; --order {} repeats the first",
                self.findings.len(),
                first.orders[0]
            ),
        };
        if let Some(counts) = self.counts {
            let columns = vec![(self.kernel.clone(), 0, counts)];
            let tables = CountTables { of: "one launch", columns, total: counts, banks };
            for grid in std::iter::once(tables.global()).chain(tables.shared()) {
                let _ = write!(text, "\n{}", grid.terminal(width));
            }
        }
        text
    }
}

/// "order 1" or "orders 1, 2".
fn orders(numbers: &[u64]) -> String {
    let all: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    let noun = if all.len() == 1 { "order" } else { "orders" };
    format!("{noun} {}", all.join(", "))
}
