//! What a comparison is of.

use super::kernel;
use crate::claims::{Contender, Counted, Place, Subject};

/// An implementation, with its parameters where they are not the usual ones.
pub fn contender(of: &Contender) -> String {
    match of.params.as_str() {
        "" => of.implementation.clone(),
        params => format!("{} ({})", of.implementation, params.replace(';', ", ").replace('=', " = ")),
    }
}

/// Everything of a place: `doubly dependent, n = 4096`.
pub fn place(at: &Place) -> String {
    match (&at.subject, at.n) {
        (Some(subject), Some(n)) => format!("{}, n = {n}", self::subject(subject)),
        (Some(subject), None) => self::subject(subject),
        (None, Some(n)) => format!("n = {n}"),
        (None, None) => "all".to_string(),
    }
}

pub(super) fn subject(of: &Subject) -> String {
    match of {
        Subject::Contender(one) => contender(one),
        Subject::Pair { faster, slower } => format!("{} over {}", contender(slower), contender(faster)),
        Subject::Kernel { implementation, kernel: name } if implementation.replace('-', "_") == *name => {
            implementation.clone()
        }
        Subject::Kernel { implementation, kernel: name } => format!("{implementation}, {}", kernel(name)),
        Subject::Counted { kernel: name, what } => format!("{} of {}", counted(*what), kernel(name)),
        Subject::Kappa(kappa) => format!("κ = {kappa}"),
        Subject::Resident { contender: of, most } => format!("{}, one block of {most}", contender(of)),
        Subject::Block((x, y)) => format!("against {x} x {y}"),
        Subject::Clock(scope) => scope.to_string(),
        Subject::Samples(count) => format!("{count} samples"),
        Subject::Mean { sizes } => format!("the mean over {sizes} sizes"),
        Subject::Reading => "reading".to_string(),
        Subject::CopyBack => "copy back".to_string(),
        Subject::Copy => "the copy".to_string(),
        Subject::HalfBytes => "half the bytes".to_string(),
        Subject::Kernels => "kernels".to_string(),
        Subject::Tile(side) => format!("tiles of {side} x {side}"),
        Subject::Step { waves } => format!("{waves} waves"),
        Subject::Sign { scope, sizes } => format!("{sizes} sizes by {scope}"),
    }
}

fn counted(what: Counted) -> &'static str {
    match what {
        Counted::Launches => "launches",
        Counted::Blocks => "blocks",
        Counted::StoredBytes => "stored bytes",
        Counted::Threads => "threads a block",
        Counted::SharedBytes => "shared bytes a block",
        Counted::GlobalBytesATask => "global bytes a task",
    }
}

/// Which of `all` these are: everywhere, or a list in which neighbours are drawn together.
pub(super) fn places(some: &[&Place], all: &[&Place]) -> String {
    if let ([only], [_]) = (some, all) {
        return match only.n {
            Some(_) => format!("at {}", place(only)),
            None => format!("for {}", place(only)),
        };
    }
    let mut runs: Vec<(&Place, &Place)> = Vec::new();
    let mut last_at = None;
    for (at, one) in all.iter().enumerate().filter(|(_, one)| some.contains(one)) {
        let follows = last_at.is_some_and(|last| last + 1 == at);
        match runs.last_mut() {
            Some((first, last)) if follows && first.subject == one.subject => *last = one,
            _ => runs.push((one, one)),
        }
        last_at = Some(at);
    }
    let mut known: Option<&Option<Subject>> = None;
    let mut texts: Vec<String> = Vec::new();
    for (first, last) in runs {
        // A subject is named once for all its sizes.
        let is_known = known == Some(&first.subject) && first.n.is_some();
        texts.push(match (is_known, first.n) {
            (true, Some(n)) => n.to_string(),
            _ => place(first),
        });
        known = Some(&first.subject);
        if let (Some(text), Some(n)) = (texts.last_mut(), last.n.filter(|_| first != last)) {
            *text += &format!(" to {n}");
        }
    }
    let listed = match texts.len() {
        0..=4 => texts.join(", "),
        more => format!("{} and {} others", texts[..3].join(", "), more - 3),
    };
    let are_sizes = all.iter().all(|one| one.subject.is_none());
    let things = if are_sizes { "sizes" } else { "comparisons" };
    match some.len() == all.len() {
        true => format!("at all {} {things}: {listed}", all.len()),
        false => format!("at {} of {} {things}: {listed}", some.len(), all.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_drawn_together_and_a_subject_is_named_once() {
        let of = |name: &str, n| Place::contender(name, n);
        let all = [of("a", 1), of("a", 2), of("a", 3), of("a", 5), of("b", 1), of("b", 2)];
        let refs: Vec<&Place> = all.iter().collect();
        assert_eq!(places(&refs, &refs), "at all 6 comparisons: a, n = 1 to 5, b, n = 1 to 2");
        let some = [&all[0], &all[1], &all[3], &all[4]];
        assert_eq!(places(&some, &refs), "at 4 of 6 comparisons: a, n = 1 to 2, 5, b, n = 1");
        let sizes: Vec<Place> = [1, 2, 3].map(Place::n).into();
        let refs: Vec<&Place> = sizes.iter().collect();
        assert_eq!(places(&refs[1..], &refs), "at 2 of 3 sizes: n = 2 to 3");
        assert_eq!(places(&refs[..1], &refs[..1]), "at n = 1");
    }

    #[test]
    fn a_kernel_that_is_called_as_its_implementation_is_named_once() {
        let of = |implementation: &str, kernel: &str| {
            subject(&Subject::Kernel { implementation: implementation.into(), kernel: kernel.into() })
        };
        assert_eq!(of("harish-narayanan", "harish_narayanan"), "harish-narayanan");
        assert_eq!(of("katz-kider", "doubly_dependent"), "katz-kider, doubly dependent");
    }
}
