//! One instruction: what it is called, what it takes and what it writes; and its operands, as listings write them: `-R4.reuse`,
//! `[R2.64+0x10]`, `c[0x0][0x28]`, `!P0`, `0x1`.

/// An instruction of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    pub predicate: Option<String>,
    /// The opcode with its modifiers, as in `LDS.128`.
    pub opcode: String,
    pub operands: Vec<Operand>,
}

/// Opcodes whose first operand is read, not written.
const WITHOUT_RESULT: [&str; 8] = ["BAR", "BRX", "CALL", "NANOSLEEP", "RET", "WARPSYNC", "BREAK", "ERRBAR"];

impl Instruction {
    /// The opcode without its modifiers.
    pub fn name(&self) -> &str {
        self.opcode.split('.').next().unwrap_or_default()
    }

    /// Whether the opcode has this modifier.
    pub fn has(&self, modifier: &str) -> bool {
        self.opcode.split('.').skip(1).any(|one| one == modifier)
    }

    /// Whether the instruction after this one can be reached by a jump alone.
    pub(crate) fn ends_control_flow(&self) -> bool {
        self.predicate.is_none() && matches!(self.name(), "EXIT" | "RET")
    }

    /// The index of the first operand that it reads, and the register that it writes, if that is neither RZ nor a uniform register.
    fn halves(&self) -> (usize, Option<u8>) {
        let is_predicate = |at: usize| self.operands.get(at).is_some_and(Operand::is_predicate);
        let mut at = 0;
        while is_predicate(at) {
            at += 1;
        }
        if WITHOUT_RESULT.contains(&self.name()) || self.name().ends_with("SETP") {
            return (at, None);
        }
        match self.operands.get(at) {
            Some(first) if first.is_register() => {
                let result = first.register();
                at += 1;
                // Predicates that take the carry.
                while is_predicate(at) {
                    at += 1;
                }
                (at, result)
            }
            _ => (at, None),
        }
    }

    /// Registers that it writes.
    pub fn written(&self) -> Vec<u8> {
        let words = if self.has("128") {
            4
        } else if self.has("64") || self.has("WIDE") || self.name() == "FADD2" {
            2
        } else {
            1
        };
        let first = self.halves().1;
        first
            .into_iter()
            .flat_map(|first| (0..words).filter_map(move |word| first.checked_add(word)))
            .collect()
    }

    /// The operands that it reads, without predicates: the last of those may be the one that chooses between minimum and maximum.
    pub fn sources(&self) -> impl Iterator<Item = &Operand> {
        self.operands.iter().skip(self.halves().0).filter(|operand| !operand.is_predicate())
    }

    /// The last operand where that is a predicate.
    pub fn last_predicate(&self) -> Option<&str> {
        self.operands.last().filter(|operand| operand.is_predicate()).map(Operand::text)
    }
}

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

    /// The number of the register that it is, perhaps with a sign or a marked half. None for RZ, which is always 0, and for an address.
    pub fn register(&self) -> Option<u8> {
        let bare = self.text.trim_start_matches(['-', '|', '~', '+']);
        let digits = bare.strip_prefix('R')?;
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        // What follows belongs to a register: `.reuse`, `.64`, `.H0_H0`, `|`.
        let follows = digits[end..].starts_with(['.', '|']) || end == digits.len();
        if follows { digits[..end].parse().ok() } else { None }
    }

    /// Whether it is a register, and no address: RZ and uniform registers included. An instruction may write such an operand.
    pub(crate) fn is_register(&self) -> bool {
        self.register().is_some() || self.text.starts_with("RZ") || self.text.starts_with("UR")
    }

    /// Whether it is a predicate: P0, !P1, PT, PR, or a uniform one such as UP0.
    pub(crate) fn is_predicate(&self) -> bool {
        let bare = self.text.trim_start_matches('!');
        let bare = bare.strip_prefix('U').unwrap_or(bare);
        bare.strip_prefix('P').is_some_and(|rest| {
            rest == "T" || rest == "R" || (rest.len() == 1 && rest.starts_with(|c: char| c.is_ascii_digit()))
        })
    }

    /// Whether it is an address in brackets, perhaps after a memory descriptor (`desc`).
    pub fn is_address(&self) -> bool {
        self.text.starts_with('[') || self.text.starts_with("desc")
    }

    /// Every register whose value it takes, those of an address included; for `R2.64` both R2 and R3.
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
pub(crate) mod tests {
    use super::*;

    /// An instruction written by hand, `[@predicate] opcode [operands]`, the operands without blanks.
    pub(crate) fn instruction(text: &str) -> Instruction {
        let mut words = text.split(' ').peekable();
        let predicate = words.next_if(|word| word.starts_with('@')).map(str::to_string);
        let opcode = words.next().unwrap_or_default().to_string();
        let operands = words.next().unwrap_or_default();
        let operands = operands.split(',').filter(|one| !one.is_empty()).map(Operand::new).collect();
        Instruction { predicate, opcode, operands }
    }

    pub(crate) fn instructions(texts: &[&str]) -> Vec<Instruction> {
        texts.iter().map(|text| instruction(text)).collect()
    }

    #[test]
    fn results_are_told_from_what_is_taken() {
        let check = |text: &str, written: &[u8], taken: &[u8]| {
            let instruction = instruction(text);
            let sources: Vec<u8> = instruction.sources().flat_map(|source| source.registers()).collect();
            assert_eq!((instruction.written(), &*sources), (written.to_vec(), taken), "{text}");
        };
        check("FADD R0,R1,R2", &[0], &[1, 2]);
        check("VIMNMX3 R3,R3,R60,R62,PT", &[3], &[3, 60, 62]);
        check("IADD3 R4,P0,R5,R6,RZ", &[4], &[5, 6]);
        check("ISETP.GE.AND P0,PT,R42,R7,PT", &[], &[42, 7]);
        check("LDS.128 R4,[R9+0x10]", &[4, 5, 6, 7], &[9]);
        check("STS.64 [R9],R4", &[], &[9, 4]);
        check("IMAD.WIDE R2,R4,0x4,R6", &[2, 3], &[4, 6]);
        check("LDG.E R1,desc[UR4][R2.64]", &[1], &[2, 3]);
        check("BAR.ARV R1,R2", &[], &[1, 2]);
        check("R2UR UR4,R1", &[], &[1]);
        check("FADD2 R0,R2,R4", &[0, 1], &[2, 4]);
        check("FADD R4,R4,c[0x0][0x28]", &[4], &[4]);
        check("IADD3 R4,RZ,0x5,UR4", &[4], &[]);
    }

    #[test]
    fn registers_are_told_from_what_looks_like_them_and_an_address_takes_all_its_registers() {
        let register = |text| Operand::new(text).register();
        for text in ["R4", " -R4.reuse", "R4.H0_H0", "|R4|"] {
            assert_eq!(register(text), Some(4), "{text}");
        }
        for text in ["RZ", "UR4", "[R4]", "0x4", "c[0x0][R4]", "SR_TID.X"] {
            assert_eq!(register(text), None, "{text}");
        }
        assert!(["RZ", "UR4", "URZ", "R1"].iter().all(|text| Operand::new(text).is_register()));
        let registers = |text| Operand::new(text).registers();
        assert_eq!(registers("desc[UR4][R2.64+0x10]"), [2, 3]);
        assert_eq!(registers("[R7+UR5+0x4]"), [7]);
        assert_eq!(registers("R60.reuse"), [60]);
        assert_eq!(registers("RZ"), [0u8; 0]);
        assert!(
            ["P0", "!P3", "PT", "!PT", "UP0", "UPT"].iter().all(|text| Operand::new(text).is_predicate())
        );
        assert!(!["PR0x", "R0", "0x0", "P"].iter().any(|text| Operand::new(text).is_predicate()));
    }
}
