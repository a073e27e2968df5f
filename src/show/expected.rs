//! How long a run will take, in words.

use crate::lists::count_of;
use crate::results::Expected;
use crate::show::rough;
use std::fmt;

/// Says how long it will take.
pub struct ExpectedDuration<'a>(pub &'a Expected);

impl fmt::Display for ExpectedDuration<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.0 {
            Expected::StoredRun { seconds, run } => {
                write!(f, "{}, as the stored run {} took", rough(*seconds), run.display())
            }
            Expected::Rates { seconds, model, runs, without, of } => {
                let runs = count_of(*runs, "stored run");
                let time = rough(*seconds);
                match without {
                    0 => write!(f, "about {time}, an estimate from the rates of {runs} on {model}"),
                    _ => write!(
                        f,
                        "about {time} for {} of {of} cells, an estimate from the rates of {runs} on {model}; the others are counted, or have no rate there",
                        of - without
                    ),
                }
            }
            Expected::OtherMachines { seconds, model, others, runs, without, of } => {
                let (time, runs) = (rough(*seconds), count_of(*runs, "stored run"));
                let which = match without {
                    0 => String::new(),
                    _ => format!(" for {} of {of} cells", of - without),
                };
                write!(
                    f,
                    "perhaps {time}{which}, by the rates of {runs} on {}: no finished run on {model} is stored below results",
                    others.join(" and ")
                )
            }
            none if none.is_none() => f.write_str("none: no cell runs here"),
            Expected::Unknown { timed: 0, counted, .. } => {
                write!(f, "not known: {} to count on the emulated device", count_of(*counted, "cell"))
            }
            Expected::Unknown { model, timed, samples, budget_s, sample_s, counted } => {
                let (timed, times) = (count_of(*timed, "cell"), count_of(*samples, "time"));
                write!(
                    f,
                    "not known, since no finished run that times such cells on {model} is stored below results: {timed}, each solved {times} \
                     or for {budget_s} s, and stopped where one solve takes {sample_s} s"
                )?;
                match counted {
                    0 => Ok(()),
                    _ => write!(f, "; {} to count on the emulated device", count_of(*counted, "cell")),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guess_by_other_machines_says_so_and_what_is_not_known_says_what_is_planned() {
        let said = |known: &Expected| ExpectedDuration(known).to_string();
        let others = vec!["NVIDIA H100".to_string(), "NVIDIA H200".to_string()];
        let guess = Expected::OtherMachines {
            seconds: 60.0,
            model: "Loom 7".into(),
            others,
            runs: 2,
            without: 1,
            of: 8,
        };
        assert_eq!(
            said(&guess),
            format!(
                "perhaps {} for 7 of 8 cells, by the rates of 2 stored runs on NVIDIA H100 and NVIDIA H200: no finished run on Loom 7 is \
                 stored below results",
                rough(60.0)
            )
        );
        let with = |timed, counted| {
            let model = "Abacus 3".to_string();
            said(&Expected::Unknown { model, timed, samples: 3, budget_s: 2.0, sample_s: 300.0, counted })
        };
        assert_eq!(
            with(8, 0),
            "not known, since no finished run that times such cells on Abacus 3 is stored below results: 8 cells, each solved 3 times or for 2 s, and \
             stopped where one solve takes 300 s"
        );
        let both = with(1, 1);
        assert!(
            both.contains(": 1 cell, each ") && both.ends_with("; 1 cell to count on the emulated device"),
            "{both}"
        );
        assert_eq!(with(0, 5), "not known: 5 cells to count on the emulated device");
        assert_eq!(with(0, 0), "none: no cell runs here");
    }
}
