//! What a comparison is of.

use super::comparison::{counted, words};
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
        Figure::Seconds if test.relation == Relation::Clocks => {
            format!("{} over {}", test.clock, test.over_clock.unwrap_or(test.clock))
        }
        Figure::Seconds => test.clock.to_string(),
        figure => counted(figure).to_string(),
    });
    [figure, contenders].into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
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

#[cfg(test)]
mod tests {
    use super::*;

    fn test(names: &[&str]) -> Test {
        let series = names.iter().map(|name| name.parse().unwrap()).collect();
        Test { relation: Relation::Value, series, ..Test::default() }
    }

    fn of(name: &str, n: usize) -> PointSubject {
        PointSubject { of: Some(name.parse().unwrap()), n: Some(n), ..PointSubject::default() }
    }

    #[test]
    fn neighbours_are_drawn_together_and_a_subject_is_named_once() {
        let tests = [test(&["a", "b"])];
        let all = [of("a", 1), of("a", 2), of("a", 3), of("a", 5), of("b", 1), of("b", 2)];
        let refs: Vec<&PointSubject> = all.iter().collect();
        assert_eq!(places(&refs, &refs, &tests), "at all 6 comparisons: a, n = 1 to 5, b, n = 1 to 2");
        let some = [&all[0], &all[1], &all[3], &all[4]];
        assert_eq!(places(&some, &refs, &tests), "at 4 of 6 comparisons: a, n = 1 to 2, 5, b, n = 1");
        let tests = [test(&["a"])];
        let sizes = [1, 2, 3].map(|n| of("a", n));
        let refs: Vec<&PointSubject> = sizes.iter().collect();
        assert_eq!(places(&refs[1..], &refs, &tests), "at 2 of 3 sizes: n = 2 to 3");
        assert_eq!(places(&refs[..1], &refs[..1], &tests), "at n = 1");
    }

    #[test]
    fn what_differs_between_the_tests_of_a_claim_is_named() {
        let of_kernel = |figure| Test { figure, ..test(&["katz-kider:doubly_dependent"]) };
        let tests = [of_kernel(Figure::Launches), of_kernel(Figure::Blocks)];
        let at = PointSubject { test: 1, ..of("katz-kider:doubly_dependent", 64) };
        assert_eq!(place(&at, &tests), "blocks, n = 64");
        let two = [test(&["harish-narayanan:harish_narayanan", "katz-kider:doubly_dependent x=2"])];
        assert_eq!(place(&of("harish-narayanan:harish_narayanan", 64), &two), "harish-narayanan, n = 64");
        let other = of("katz-kider:doubly_dependent x=2", 64);
        assert_eq!(place(&other, &two), "katz-kider (x = 2), doubly dependent, n = 64");
    }
}
