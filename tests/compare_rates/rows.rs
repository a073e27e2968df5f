//! What is simulated.

use serde::{Deserialize, Serialize};

/// What NEW does to the true times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Change {
    None,
    /// So many percent more in every cell.
    All(u32),
    Half(u32),
    One(u32),
}

/// One row of the table. Noise is in percent, one standard deviation.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub cells: usize,
    pub samples: usize,
    /// From sample to sample of one run.
    pub within: f64,
    /// From run to run, of each cell alone.
    pub own: f64,
    /// From run to run, of all cells together.
    pub shared: f64,
    /// Runs of the baseline's build, with the baseline.
    pub history: usize,
    /// Whether one of them had a tenth of its cells at 1.5 times.
    pub odd: bool,
    /// Whether samples are taken in pairs.
    pub paired: bool,
    pub change: Change,
}

const ROW: Row = Row {
    cells: 20,
    samples: 6,
    within: 1.0,
    own: 0.0,
    shared: 0.0,
    history: 5,
    odd: false,
    paired: false,
    change: Change::None,
};
/// As GPUs were seen to be.
const STEADY: Row = Row { within: 0.2, own: 0.4, shared: 0.2, ..ROW };

/// Both builds in turns, on the same days.
const PAIRS: Row = Row { history: 1, paired: true, ..ROW };
const STEADY_PAIRS: Row = Row { history: 1, paired: true, ..STEADY };

pub const ROWS: [Row; 55] = [
    // Nothing between runs.
    Row { history: 1, ..ROW },
    Row { history: 2, ..ROW },
    Row { history: 3, ..ROW },
    ROW,
    Row { history: 10, ..ROW },
    Row { samples: 15, ..ROW },
    Row { samples: 3, ..ROW },
    Row { cells: 6, ..ROW },
    // Each cell alone.
    Row { own: 2.0, history: 1, ..ROW },
    Row { own: 2.0, history: 1, cells: 50, ..ROW },
    Row { own: 2.0, history: 1, cells: 10, ..ROW },
    Row { own: 2.0, history: 1, cells: 4, ..ROW },
    Row { own: 2.0, history: 1, within: 0.2, ..ROW },
    Row { own: 2.0, history: 2, ..ROW },
    Row { own: 2.0, history: 3, ..ROW },
    Row { own: 2.0, ..ROW },
    Row { own: 2.0, within: 0.2, ..ROW },
    Row { own: 2.0, history: 10, ..ROW },
    // All together.
    Row { shared: 2.0, history: 1, ..ROW },
    Row { shared: 2.0, history: 2, ..ROW },
    Row { shared: 2.0, history: 3, ..ROW },
    Row { shared: 2.0, ..ROW },
    Row { shared: 2.0, within: 0.2, ..ROW },
    Row { shared: 2.0, history: 10, ..ROW },
    // Both, runs that stand out, pairs.
    Row { own: 1.0, shared: 1.0, ..ROW },
    STEADY,
    Row { odd: true, history: 6, ..ROW },
    Row { shared: 2.0, ..PAIRS },
    Row { shared: 2.0, within: 4.0, ..PAIRS },
    STEADY_PAIRS,
    Row { own: 0.7, ..STEADY_PAIRS },
    Row { own: 1.0, ..STEADY_PAIRS },
    // What is to be found.
    Row { change: Change::All(3), history: 1, ..ROW },
    Row { change: Change::All(3), history: 2, ..ROW },
    Row { change: Change::All(3), history: 3, ..ROW },
    Row { change: Change::All(3), ..ROW },
    Row { change: Change::All(3), history: 10, ..ROW },
    Row { change: Change::All(3), samples: 15, ..ROW },
    Row { change: Change::All(3), ..STEADY },
    Row { change: Change::All(3), shared: 2.0, ..ROW },
    Row { change: Change::All(3), shared: 2.0, ..PAIRS },
    Row { change: Change::All(3), ..STEADY_PAIRS },
    Row { change: Change::One(3), ..STEADY_PAIRS },
    Row { change: Change::One(5), shared: 2.0, ..PAIRS },
    Row { change: Change::One(5), ..STEADY_PAIRS },
    Row { change: Change::Half(3), ..ROW },
    Row { change: Change::All(5), ..ROW },
    Row { change: Change::One(5), history: 2, ..ROW },
    Row { change: Change::One(5), ..ROW },
    Row { change: Change::One(5), ..STEADY },
    Row { change: Change::All(8), history: 1, ..ROW },
    Row { change: Change::One(8), history: 1, ..ROW },
    Row { change: Change::One(8), history: 2, ..ROW },
    Row { change: Change::One(30), odd: true, history: 6, ..ROW },
    Row { change: Change::All(30), samples: 3, ..ROW },
];

impl Change {
    /// The true time of cell `at` of `cells`, relative to before.
    pub fn factor(self, at: usize, cells: usize) -> f64 {
        let (percent, is_changed) = match self {
            Self::None => (0, false),
            Self::All(percent) => (percent, true),
            Self::Half(percent) => (percent, at < cells / 2),
            Self::One(percent) => (percent, at == 0),
        };
        if is_changed { 1.0 + f64::from(percent) / 100.0 } else { 1.0 }
    }
}

impl From<Change> for String {
    fn from(change: Change) -> Self {
        match change {
            Change::None => "none".into(),
            Change::All(percent) => format!("all +{percent}%"),
            Change::Half(percent) => format!("half +{percent}%"),
            Change::One(percent) => format!("one +{percent}%"),
        }
    }
}

impl TryFrom<String> for Change {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text == "none" {
            return Ok(Self::None);
        }
        let parsed = text.trim_end_matches('%').split_once(" +").and_then(|(which, percent)| {
            let percent = percent.parse().ok()?;
            match which {
                "all" => Some(Self::All(percent)),
                "half" => Some(Self::Half(percent)),
                "one" => Some(Self::One(percent)),
                _ => None,
            }
        });
        parsed.ok_or(format!("'{text}' is no change"))
    }
}
