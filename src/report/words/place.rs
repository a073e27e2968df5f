//! What a comparison is of.

use super::comparison::{name, words};
use crate::judge::PointSubject;
use crate::published::{Figure, Relation, Test};

/// Everything of a place among the tests of its claim: `two-phase over katz-kider, n = 4096`.
pub fn place(at: &PointSubject, tests: &[Test]) -> String {
    let subject = subject(at, tests);
    match (subject.is_empty(), at.n) {
        (false, Some(n)) => format!("{subject}, n = {n}"),
        (false, None) => subject,
        (true, Some(n)) => format!("n = {n}"),
        (true, None) => "all".to_string(),
    }
}

/// What a place is of, apart from n: as much as tells it from the others of its claim.
fn subject(at: &PointSubject, tests: &[Test]) -> String {
    let Some(test) = tests.get(at.test) else { return String::new() };
    let is_only = |test: &Test| test.pairs.len() + test.series.len() <= 1;
    let contenders = match (&at.of, &at.over) {
        _ if tests.iter().all(|other| is_only(other) && same_contenders(other, test)) => None,
        (Some(first), Some(second)) => Some(format!("{} over {}", words(second), words(first))),
        (Some(of), None) => Some(words(of)),
        _ => None,
    };
    let differs = |of: fn(&Test) -> (Figure, String)| tests.iter().any(|other| of(other) != of(test));
    let figure = differs(|test| (test.figure, test.clock.to_string())).then(|| match test.figure {
        Figure::Seconds if test.relation != Relation::Clocks => test.clock.to_string(),
        _ => name(test),
    });
    [figure, contenders].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn same_contenders(a: &Test, b: &Test) -> bool {
    (&a.pairs, &a.series) == (&b.pairs, &b.series)
}

/// Which of `all` these are: everywhere, or a list in which neighbours are drawn together.
pub(super) fn places(some: &[&PointSubject], all: &[&PointSubject], tests: &[Test]) -> String {
    if let ([only], [_]) = (some, all) {
        return match only.n {
            Some(_) => format!("at {}", place(only, tests)),
            None => format!("for {}", place(only, tests)),
        };
    }
    let of = |place: &PointSubject| subject(place, tests);
    let mut runs: Vec<(&PointSubject, &PointSubject)> = Vec::new();
    let mut last_at = None;
    for (at, one) in all.iter().enumerate().filter(|(_, one)| some.contains(one)) {
        let follows = last_at.is_some_and(|last| last + 1 == at);
        match runs.last_mut() {
            Some((first, last)) if follows && of(first) == of(one) => *last = one,
            _ => runs.push((one, one)),
        }
        last_at = Some(at);
    }
    let mut known: Option<String> = None;
    let mut texts: Vec<String> = Vec::new();
    for (first, last) in runs {
        // A subject is named once for all its sizes.
        let is_known = known.as_ref() == Some(&of(first)) && first.n.is_some();
        texts.push(match (is_known, first.n) {
            (true, Some(n)) => n.to_string(),
            _ => place(first, tests),
        });
        known = Some(of(first));
        if let (Some(text), Some(n)) = (texts.last_mut(), last.n.filter(|_| first != last)) {
            *text += &format!(" to {n}");
        }
    }
    let listed = match texts.len() {
        0..=4 => texts.join(", "),
        more => format!("{} and {} others", texts[..3].join(", "), more - 3),
    };
    let are_sizes = all.iter().all(|one| one.n.is_some() && of(one).is_empty());
    let things = if are_sizes { "sizes" } else { "comparisons" };
    match some.len() == all.len() {
        true => format!("at all {} {things}: {listed}", all.len()),
        false => format!("at {} of {} {things}: {listed}", some.len(), all.len()),
    }
}
