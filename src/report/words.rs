//! Names of the program's own in words for a reader.

/// `text` without the spelling of identifiers: `doubly_dependent` becomes doubly dependent, `kappa = 4` becomes κ = 4, and the
/// name of a limit is left out before its value. A kernel that is called as its implementation is named once.
pub fn in_words(text: &str) -> String {
    let text = text
        .replace("full_cell_s = ", "")
        .replace("not run: left out: ", "not run: ")
        .replace("skipped: left out: ", "skipped: ")
        .replace("kappa = ", "κ = ")
        .replace("by kappa", "by κ");
    let mut said = String::new();
    let mut before = "";
    for part in text.split_inclusive(' ') {
        let word = part.trim_end_matches([' ', '.', ',', ';', ':']);
        if word.contains('_') && word.replace('_', "-") == before {
            said.truncate(said.trim_end().len());
            said += &part[word.len()..];
        } else {
            said += &spaced(part);
        }
        before = word;
    }
    said
}

/// Underscores between letters as spaces.
fn spaced(word: &str) -> String {
    let signs: Vec<char> = word.chars().collect();
    let is_letter = |at: Option<usize>| at.and_then(|at| signs.get(at)).is_some_and(|c| c.is_alphabetic());
    let sign = |(at, &c): (usize, &char)| match c {
        '_' if is_letter(at.checked_sub(1)) && is_letter(Some(at + 1)) => ' ',
        _ => c,
    };
    signs.iter().enumerate().map(sign).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_program_become_words_and_all_else_stays() {
        for (text, said) in [
            ("Holds for katz-kider doubly_dependent.", "Holds for katz-kider doubly dependent."),
            ("Holds for harish-narayanan harish_narayanan.", "Holds for harish-narayanan."),
            ("From 1 to 6: lead_row_and_column +0.68 ms", "From 1 to 6: lead row and column +0.68 ms"),
            (
                "12 cells not run: left out: longer than full_cell_s = 60 s",
                "12 cells not run: longer than 60 s",
            ),
            ("n = 8192: kappa = 10 is the fastest", "n = 8192: κ = 10 is the fastest"),
            ("NVRTC 13.0 (sm_90), __global__  two  spaces ", "NVRTC 13.0 (sm_90), __global__  two  spaces "),
            ("", ""),
        ] {
            assert_eq!(in_words(text), said);
        }
    }
}
