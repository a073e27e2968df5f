//! One operand of an instruction, as listings write it: `-R4.reuse`, `[R2.64+0x10]`, `c[0x0][0x28]`, `!P0`, `0x1`.

/// An operand's text, and its meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    text: String,
}

impl Operand {
    pub(crate) fn new(text: &str) -> Self {
        Self { text: text.trim().to_string() }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The register that it is, with a sign or a marked half perhaps. None of RZ, which is always 0, and of an address.
    pub fn register(&self) -> Option<u8> {
        let bare = self.text.trim_start_matches(['-', '|', '~', '+']);
        let digits = bare.strip_prefix('R')?;
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        // What follows belongs to a register: `.reuse`, `.64`, `.H0_H0`, `|`.
        let follows = digits[end..].starts_with(['.', '|']) || end == digits.len();
        if follows { digits[..end].parse().ok() } else { None }
    }

    /// Whether it is a register of any kind as such, RZ and those that all lanes share included: what an instruction may write.
    pub(crate) fn is_place(&self) -> bool {
        self.register().is_some() || self.text.starts_with("RZ") || self.text.starts_with("UR")
    }

    /// P0, !P1, PT, and those that all lanes share.
    pub(crate) fn is_predicate(&self) -> bool {
        let bare = self.text.trim_start_matches('!');
        let bare = bare.strip_prefix('U').unwrap_or(bare);
        bare.strip_prefix('P').is_some_and(|rest| {
            rest == "T" || rest == "R" || (rest.len() == 1 && rest.starts_with(|c: char| c.is_ascii_digit()))
        })
    }

    /// An address in brackets, behind what describes the memory.
    pub fn is_address(&self) -> bool {
        self.text.starts_with('[') || self.text.starts_with("desc")
    }

    /// Every register whose value it takes, an address's included; of `R2.64` both.
    pub fn registers(&self) -> Vec<u8> {
        let mut registers = Vec::new();
        let words: Vec<&str> = self.text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
        for (at, word) in words.iter().enumerate() {
            let Some(number) = word.strip_prefix('R').and_then(|digits| digits.parse::<u8>().ok()) else {
                continue;
            };
            registers.push(number);
            if words.get(at + 1) == Some(&"64") {
                registers.extend(number.checked_add(1));
            }
        }
        registers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_told_from_what_looks_like_them() {
        let register = |text| Operand::new(text).register();
        for (text, expected) in [
            ("R4", Some(4)),
            (" -R4.reuse", Some(4)),
            ("|R12|", Some(12)),
            ("R2.H0_H0", Some(2)),
            ("RZ", None),
            ("UR4", None),
            ("[R4]", None),
            ("0x4", None),
            ("c[0x0][R4]", None),
            ("SR_TID.X", None),
        ] {
            assert_eq!(register(text), expected, "{text}");
        }
        assert!(["RZ", "UR4", "URZ", "R1"].iter().all(|text| Operand::new(text).is_place()));
    }

    #[test]
    fn an_address_takes_all_its_registers() {
        let registers = |text| Operand::new(text).registers();
        assert_eq!(registers("desc[UR4][R2.64+0x10]"), [2, 3]);
        assert_eq!(registers("[R7+UR5+0x4]"), [7]);
        assert_eq!(registers("R60.reuse"), [60]);
        assert_eq!(registers("RZ"), [0u8; 0]);
    }

    #[test]
    fn predicates_are_no_registers() {
        for text in ["P0", "!P3", "PT", "!PT", "UP0", "UPT"] {
            assert!(Operand::new(text).is_predicate(), "{text}");
        }
        for text in ["PR0x", "R0", "0x0", "P"] {
            assert!(!Operand::new(text).is_predicate(), "{text}");
        }
    }
}
