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
    /// Whether the machine was calibrated; else the default floor of 0.8% counts.
    pub calibrated: bool,
    /// Whether samples are taken in pairs, as `track` does.
    pub paired: bool,
    pub change: Change,
}

const ROW: Row = Row {
    cells: 20,
    samples: 6,
    within: 0.2,
    own: 0.0,
    shared: 0.0,
    calibrated: false,
    paired: false,
    change: Change::None,
};
/// As four H100s were seen to be at n = 4096.
const STEADY: Row = Row { own: 0.25, shared: 0.1, ..ROW };
/// As one whose processes differ more than others do.
const UNEVEN: Row = Row { own: 1.0, shared: 0.2, ..ROW };
/// As one whose clocks or neighbours change from day to day.
const CHANGING: Row = Row { own: 0.4, shared: 2.0, ..ROW };

const fn calibrated(row: Row) -> Row {
    Row { calibrated: true, ..row }
}

const fn paired(row: Row) -> Row {
    Row { paired: true, ..row }
}

const fn changed(row: Row, change: Change) -> Row {
    Row { change, ..row }
}

pub const ROWS: [Row; 40] = [
    // Nothing between runs.
    ROW,
    Row { within: 1.0, ..ROW },
    Row { within: 1.0, samples: 15, ..ROW },
    Row { within: 1.0, samples: 3, ..ROW },
    Row { within: 1.0, cells: 6, ..ROW },
    Row { within: 1.0, cells: 50, ..ROW },
    // What machines differ by.
    STEADY,
    calibrated(STEADY),
    paired(STEADY),
    paired(calibrated(STEADY)),
    UNEVEN,
    calibrated(UNEVEN),
    Row { cells: 50, ..calibrated(UNEVEN) },
    paired(UNEVEN),
    paired(calibrated(UNEVEN)),
    CHANGING,
    calibrated(CHANGING),
    paired(CHANGING),
    paired(calibrated(CHANGING)),
    Row { within: 4.0, ..paired(CHANGING) },
    // What is to be found.
    changed(STEADY, Change::All(3)),
    changed(calibrated(STEADY), Change::All(3)),
    changed(paired(STEADY), Change::All(3)),
    changed(paired(calibrated(STEADY)), Change::All(3)),
    changed(paired(STEADY), Change::Half(3)),
    changed(paired(STEADY), Change::One(3)),
    changed(STEADY, Change::One(5)),
    changed(calibrated(STEADY), Change::One(5)),
    changed(paired(STEADY), Change::One(5)),
    changed(Row { within: 1.0, ..paired(STEADY) }, Change::One(5)),
    changed(calibrated(UNEVEN), Change::All(5)),
    changed(paired(calibrated(UNEVEN)), Change::All(5)),
    changed(calibrated(UNEVEN), Change::One(8)),
    changed(paired(calibrated(UNEVEN)), Change::One(8)),
    changed(calibrated(CHANGING), Change::All(5)),
    changed(paired(CHANGING), Change::All(3)),
    changed(paired(CHANGING), Change::All(5)),
    changed(paired(CHANGING), Change::One(5)),
    changed(calibrated(CHANGING), Change::One(30)),
    changed(Row { samples: 3, ..STEADY }, Change::All(30)),
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
