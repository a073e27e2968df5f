//! How long a run will take, in words.

use crate::lists::count_of;
use crate::results::Expected;
use crate::show::rough;
use std::fmt;

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::StoredRun { seconds, run } => {
                write!(f, "{}, as the stored run {} took", rough(*seconds), run.display())
            }
            Self::Rates { seconds, model, runs, without, of } => {
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
            Self::OtherMachines { seconds, model, others, runs, without, of } => {
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
            Self::Unknown { timed: 0, counted, .. } => {
                write!(f, "not known: {} to count on the emulated device", count_of(*counted, "cell"))
            }
            Self::Unknown { model, timed, samples, budget_s, sample_s, counted } => {
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
