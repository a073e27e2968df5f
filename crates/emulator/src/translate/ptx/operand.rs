//! An operand of an `asm` statement.

#[derive(Debug)]
pub struct Operand {
    /// `r` 32 bits, `l` 64, `h` 16, `f` and `d` floating point, `n` a constant.
    pub letter: char,
    pub output: bool,
    pub input: bool,
    /// In C++.
    pub expression: String,
}

impl Operand {
    pub fn bits(&self) -> u32 {
        match self.letter {
            'h' => 16,
            'r' | 'f' => 32,
            _ => 64,
        }
    }
}
