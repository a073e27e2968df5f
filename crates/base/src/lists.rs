//! Helpers for lists: each thing once, things grouped by key, the nearest name, the least and the most of numbers.

/// Each of `all` once, in the order in which they first come.
pub fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut known: Vec<T> = Vec::new();
    for one in all {
        if !known.contains(&one) {
            known.push(one);
        }
    }
    known
}

/// Whether a value is the default of its type, so that it need not be written.
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The one of `known` that is a slip away from `name`: letters that are missing, too many, wrong or in each other's place, up to a third
/// of them. Or else the shortest that begins with `name`. Capitals in `name` are no slips.
pub fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let name = name.to_lowercase();
    let slips = |known: &str| strsim::osa_distance(&name, known);
    let alike = |known: &str| strsim::jaro_winkler(&name, known);
    let near = known.iter().copied().filter(|known| 3 * slips(known) <= known.len().min(name.len()));
    let nearest = near.min_by(|a, b| slips(a).cmp(&slips(b)).then(alike(b).total_cmp(&alike(a))));
    let begun = || known.iter().copied().filter(|known| name.len() > 2 && known.starts_with(&name));
    nearest.or_else(|| begun().min_by_key(|known| known.len()))
}

/// So many of a thing: `1 cell`, `2 cells`.
pub fn count_of(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// What belongs to each key, in the order in which keys first come.
pub fn grouped<K: PartialEq, V>(all: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in all {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value),
            None => groups.push((key, vec![value])),
        }
    }
    groups
}

/// The least and the most of numbers. None if there are no numbers.
pub fn extent(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    values.into_iter().fold(None, |ends, value| match ends {
        None => Some((value, value)),
        Some((least, most)) => Some((value.min(least), value.max(most))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_letters_in_each_others_place_are_one_slip() {
        let known = ["rank", "report", "run", "compare", "completions", "check"];
        for (slip, meant) in [("rnu", "run"), ("urn", "run"), ("comprae", "compare"), ("reprot", "report")] {
            assert_eq!(nearest(slip, &known), Some(meant), "{slip}");
        }
        assert_eq!(nearest("benchmark", &known), None);
    }

    #[test]
    fn things_come_once_and_together_in_their_first_order() {
        assert_eq!(distinct([3, 1, 3, 2, 1]), [3, 1, 2]);
        assert_eq!(grouped([("b", 1), ("a", 2), ("b", 3)]), [("b", vec![1, 3]), ("a", vec![2])]);
    }
}
