//! What a reader wants to know of a paper first: which of its main statements are still true.

use super::check_text;
use serde::Deserialize;

/// One clause of the sentence that opens a report: a claim of the paper in a few words. Its verdict decides where the clause
/// stands, so that the sentence follows what was measured.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clause {
    /// The id of the claim.
    pub claim: String,
    /// What the paper claims, as a clause without a full stop, at most [`LONGEST`] letters.
    pub says: String,
}

/// Letters in a clause: four of them still make one sentence.
const LONGEST: usize = 90;

impl Clause {
    pub(super) fn check<'a>(&self, mut ids: impl Iterator<Item = &'a str>) -> Result<(), String> {
        let what = format!("the answer for claim '{}'", self.claim);
        check_text(&what, &self.says, &self.claim)?;
        if self.says.chars().count() > LONGEST {
            return Err(format!("{what} has more than {LONGEST} letters: make it shorter"));
        }
        match ids.any(|id| id == self.claim) {
            true => Ok(()),
            false => Err(format!("{what} is of no claim of the paper: name the id of one")),
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_paper_has_an_answer_of_two_clauses_and_more() {
        for paper in super::super::published_papers().unwrap() {
            assert!((2..=6).contains(&paper.answer.len()), "{}: {} clauses", paper.id, paper.answer.len());
        }
    }
}
