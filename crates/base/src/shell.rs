//! Commands that are printed for a shell.

/// A word as a shell takes it.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=:@,".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_split_or_expand_is_quoted() {
        for (word, taken) in
            [("results/runs/a-1", "results/runs/a-1"), ("my runs/a'b", "'my runs/a'\\''b'"), ("", "''")]
        {
            assert_eq!(quoted(word), taken);
        }
    }
}
