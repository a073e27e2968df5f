//! A statement of a paper as data, so that it can be compared with what is measured.

use super::{Test, check_text};
use repro_base::Scope;
use serde::{Deserialize, Serialize};

/// The most characters of a claim's short form.
pub const LONGEST_LABEL: usize = 40;
/// The most characters of a clause: four of them still make one sentence.
pub const LONGEST_CLAUSE: usize = 90;

/// One statement. A number is `value` or a range from `low` to `high`, of which one may be open; `unit` is its unit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Unique within the paper.
    pub id: String,
    pub kind: ClaimKind,
    /// What a verdict on it rests on. None for a contradiction within a paper, which needs no evidence.
    pub evidence: Option<EvidenceKind>,
    /// In our words.
    pub statement: String,
    /// The statement in at most [`LONGEST_LABEL`] characters, for the row of a figure. Claims that compare seconds have one.
    pub short: Option<String>,
    /// For a main statement, which opens a report: the statement as a clause of at most [`LONGEST_CLAUSE`] characters, no full stop.
    pub says: Option<String>,
    /// Section, figure or remark of the paper.
    pub place: String,
    pub value: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Whether the number is a floor ("over") or the best that was reached ("up to"): a measured number above it exceeds the claim.
    pub bound: Option<BoundKind>,
    pub unit: Option<Unit>,
    /// The GPU, where it is not the paper's.
    pub gpu: Option<String>,
    /// What the paper's clock enclosed. None where it does not say or no clock is involved.
    pub scope: Option<Scope>,
    /// Why there is no `scope`.
    pub scope_note: Option<String>,
    /// The implementations that the paper compares: seconds of `slower` over those of `faster`.
    pub faster: Option<String>,
    pub slower: Option<String>,
    /// The number of vertices for which the paper states it.
    pub n: Option<usize>,
    /// The number of vertices from which on the paper states it.
    pub from_n: Option<usize>,
    /// Our remark on it.
    pub note: Option<String>,
    /// Which of its numbers are ours, where the paper leaves them open.
    pub reading: Option<String>,
    /// Ids of the paper's inconsistencies that show its own numbers against this.
    #[serde(default)]
    pub contradicted_by: Vec<String>,
    /// For a number of one GPU: ids of the claims that state what the paper concludes from it.
    #[serde(default)]
    pub tested_by: Vec<String>,
    /// Why it comes out otherwise on a GPU of today.
    pub cause: Option<PublishedCause>,
    /// Whether the paper stands or falls with it.
    #[serde(default)]
    pub headline: bool,
    /// The comparisons that decide it, those of one experiment all from one run.
    #[serde(default)]
    pub tests: Vec<Test>,
    /// The arguments of `repro run` that measure what they need.
    pub run: Option<String>,
    /// Why nothing here tests it though something could: what would have to be built or measured.
    pub untested: Option<String>,
    /// Why nothing that can be measured today could be compared with it.
    pub incomparable: Option<String>,
}

/// How a single number of a paper is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoundKind {
    /// "Over", "at least".
    Floor,
    /// "Up to": the most that was reached.
    UpTo,
}

/// What a verdict rests on. Verdicts of different kinds are never added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EvidenceKind {
    /// Counts and limits that follow from code that was written to the paper's description: the same on every machine.
    Construction,
    /// Whether results are right, and what the compiler made, on the machine that ran it.
    Inspection,
    /// Which of two is faster, where they cross, what grows.
    #[default]
    Order,
    /// By how much.
    Magnitude,
}

impl EvidenceKind {
    pub const ALL: [EvidenceKind; 4] = [Self::Construction, Self::Inspection, Self::Order, Self::Magnitude];
}

/// Why something comes out otherwise than published.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedCause {
    pub statement: String,
    /// The experiments whose committed runs show it. Empty for a guess, which is called one.
    #[serde(default)]
    pub shown_by: Vec<String>,
}

/// What sort of statement it is, and so what it is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimKind {
    /// A column of a published table of seconds.
    #[serde(skip_deserializing)]
    Table,
    /// A time or a rate of the paper's machine.
    Absolute,
    /// How many times faster one implementation is than another.
    Ratio,
    /// Bytes a second.
    Bandwidth,
    /// Calculated by the paper from other numbers.
    Derived,
    /// How an algorithm or a kernel is built: follows from counting, not from timing.
    Structural,
    /// How something changes with something else.
    #[default]
    Trend,
    /// An opinion of the authors.
    Judgement,
    /// Where a paper contradicts itself.
    #[serde(skip_deserializing)]
    Inconsistency,
}

/// The unit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    #[serde(rename = "s")]
    Seconds,
    #[serde(rename = "s/task")]
    SecondsATask,
    #[serde(rename = "tasks/s")]
    TasksASecond,
    /// 1e9 bytes a second.
    #[serde(rename = "GB/s")]
    GigabytesASecond,
    /// Peak floating-point operations a second over tasks a second.
    #[serde(rename = "FLOP/task")]
    FlopsATask,
    Times,
    #[serde(rename = "%")]
    Percent,
    Bytes,
    Vertices,
    /// Resident on a multiprocessor.
    Blocks,
    /// Of a bank conflict: 1 is none.
    Ways,
}

impl Claim {
    /// The arguments of `repro run` that measure what a test of it needs.
    pub fn run_of<'a>(&'a self, test: &'a Test) -> &'a str {
        test.run.as_ref().or(self.run.as_ref()).map_or("", String::as_str)
    }

    /// What the types cannot express.
    pub(super) fn check(&self) -> Result<(), String> {
        let what = format!("claim '{}'", self.id);
        check_text(&what, &self.statement, &self.place)?;
        if [self.low, self.high].into_iter().flatten().any(|bound| !bound.is_finite()) {
            return Err(format!("{what} has a bound that is no number: leave out what is not given"));
        }
        let (low, high) = (self.low.unwrap_or(f64::NEG_INFINITY), self.high.unwrap_or(f64::INFINITY));
        if low > high {
            return Err(format!("{what}: low = {low} is above high = {high}: exchange or correct them"));
        }
        // False for NaN.
        if let Some(value) = self.value.filter(|value| !value.is_finite() || !(low..=high).contains(value)) {
            let range = format!("a number from low = {low} to high = {high}");
            return Err(format!("{what}: value = {value} is not {range}: correct one of them"));
        }
        for (name, text, most) in
            [("short", &self.short, LONGEST_LABEL), ("says", &self.says, LONGEST_CLAUSE)]
        {
            let is_fit = |text: &str| (1..=most).contains(&text.trim().chars().count());
            if let Some(text) = text.as_ref().filter(|text| !is_fit(text)) {
                let needs = format!("has to have 1 to {most} characters: cut it down or leave it out");
                return Err(format!("{what} has {name} = '{text}', which {needs}"));
            }
        }
        // Claims of these kinds mean nothing by themselves on another GPU.
        let is_of_one_gpu = matches!(self.kind, ClaimKind::Absolute | ClaimKind::Bandwidth);
        let is_ratio = self.kind == ClaimKind::Ratio;
        // These kinds have a number that was timed, or calculated from timed ones.
        let timed = is_of_one_gpu || is_ratio || self.kind == ClaimKind::Derived;
        let number = self.value.or(self.low).or(self.high).is_some();
        let [faster, slower] = [&self.faster, &self.slower].map(Option::is_some);
        let (scope, note) = (self.scope.is_some(), self.scope_note.is_some());
        let answers = [!self.tests.is_empty(), self.untested.is_some(), self.incomparable.is_some()];
        let answers = answers.iter().filter(|given| **given).count();
        let causes = |is: fn(&PublishedCause) -> bool| self.cause.as_ref().is_some_and(is);
        let (is_silent, is_guess) =
            (causes(|cause| cause.statement.trim().is_empty()), causes(|cause| cause.shown_by.is_empty()));
        let rules = [
            (self.evidence.is_none(), "does not tell what a verdict on it rests on: give evidence"),
            (timed && !number, "has no number: give value, low or high, or call it a trend"),
            (number != self.unit.is_some(), "has a number or a unit alone: give both, or neither"),
            (faster != slower, "names one of two implementations: give both faster and slower, or neither"),
            (is_ratio && !faster, "is a ratio of nothing: give faster and slower"),
            (scope && note, "has a scope and a scope_note: the note is for the lack of a scope"),
            (self.n.is_some() && self.from_n.is_some(), "holds at n and from from_n on: give one of them"),
            (timed && !scope && !note, "does not tell what its clock enclosed: give scope or scope_note"),
            (
                is_of_one_gpu && self.tested_by.is_empty(),
                "is a figure of one GPU: name in tested_by the claims that state what the paper concludes from it",
            ),
            (answers != 1, "must have tests, or say why not in untested or incomparable"),
            (is_silent, "has a cause that says nothing: leave it out"),
            (self.headline && is_guess, "is a headline with a guessed cause: name in shown_by what shows it"),
            (self.tests.is_empty() != self.run.is_none(), "must give `run` exactly if it has tests"),
        ];
        if let Some((_, reason)) = rules.iter().find(|(is_broken, _)| *is_broken) {
            return Err(format!("{what} {reason}"));
        }
        let test = |test: &Test| test.check(number).map_err(|reason| format!("{what} {reason}"));
        self.tests.iter().try_for_each(test)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{accepted_claims as accepted, refused_claims as refused};
    use super::*;

    /// A claim that is a trend, but for these lines.
    fn claim(lines: &str) -> String {
        let kind = if lines.contains("kind") { "" } else { "kind = \"trend\"\n" };
        let text = ["statement", "place", "evidence"].map(|field| {
            let value = if field == "evidence" { "order" } else { "x" };
            if lines.contains(field) { String::new() } else { format!("{field} = \"{value}\"\n") }
        });
        let tested = if lines.contains("tests") { "" } else { "untested = \"U\"\n" };
        format!("[[claims]]\nid = \"a\"\n{kind}{tested}{}{lines}\n", text.concat())
    }

    #[test]
    fn a_number_comes_with_its_unit_and_what_its_clock_enclosed() {
        let lines = "kind = \"absolute\"\ntested_by = [\"b\"]\nvalue = 2\nlow = 1\nhigh = 2\nunit = \"tasks/s\"\nscope = \"host-unsynced\"";
        let read = accepted(&claim(lines)).claims.remove(0);
        assert_eq!((read.value, read.low, read.high), (Some(2.0), Some(1.0), Some(2.0)));
        assert_eq!((read.unit, read.scope), (Some(Unit::TasksASecond), Some(Scope::HostUnsynced)));
        accepted(&claim(""));
    }

    #[test]
    fn what_is_no_claim_is_refused_with_its_id_and_reason() {
        let pairs = "tests = [{ pairs = [['a', 'b']], at_least = 1 }]";
        let (beside, boundless) =
            (format!("run = 'x'\nuntested = 'x'\n{pairs}"), pairs.replace(", at_least = 1", ""));
        let kernel = "kind = 'absolute'\nvalue = 1\nunit = 's'\nscope = 'kernel'";
        let guessed = "statement = 'x'\nheadline = true\ncause = { statement = 'x' }";
        let cases = [
            ("statement = ' '", "claim 'a' says nothing"),
            ("short = ' '", "claim 'a' has short = ' ', which has to have 1 to 40 characters"),
            ("says = ' '", "claim 'a' has says = ' ', which has to have 1 to 90 characters"),
            ("short = 'a label of more than forty characters, which no row has room for'", "cut it down"),
            ("place = ''", "claim 'a' has no place"),
            (
                "value = 3\nlow = 1\nhigh = 2\nunit = 's'",
                "value = 3 is not a number from low = 1 to high = 2",
            ),
            ("value = nan\nunit = 's'", "value = NaN is not a number"),
            ("low = 2\nhigh = 1\nunit = 's'", "low = 2 is above high = 1"),
            ("high = inf\nunit = 's'", "a bound that is no number"),
            ("value = 3", "give both, or neither"),
            ("unit = 's'", "give both, or neither"),
            ("kind = 'absolute'", "claim 'a' has no number"),
            ("kind = 'absolute'\nvalue = 1\nunit = 's'", "does not tell what its clock enclosed"),
            ("scope = 'total'\nscope_note = 'x'", "a scope and a scope_note"),
            ("kind = 'ratio'\nvalue = 3\nunit = 'times'", "a ratio of nothing"),
            ("faster = 'x'", "give both faster and slower"),
            ("n = 3\nfrom_n = 3", "give one of them"),
            (kernel, "is a figure of one GPU: name in tested_by"),
            ("incomparable = 'x'", "must have tests, or say why not"),
            (&*beside, "must have tests, or say why not"),
            (pairs, "must give `run` exactly if it has tests"),
            (&format!("run = 'x'\n{boundless}"), "claim 'a' has a test that must give exactly one of"),
            ("statement = 'x'\ncause = { statement = ' ' }", "a cause that says nothing"),
            (guessed, "a headline with a guessed cause"),
            ("figure = 3", "unknown field `figure`"),
            ("kind = 'guess'", "unknown variant `guess`"),
            ("value = 1\nunit = 'ms'", "unknown variant `ms`"),
            ("scope = 'wall'", "unknown variant `wall`"),
        ];
        for (lines, reason) in cases {
            let message = refused(&claim(lines));
            assert!(message.contains(reason), "{lines}: {message}");
        }
    }
}
