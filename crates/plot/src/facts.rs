//! What is known of a drawn value in addition to its interval.

/// Of a value that is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Facts {
    /// How many samples it is the median of; of a value that is calculated from several medians, the fewest of theirs.
    pub samples: Option<usize>,
    /// What the paper states of the same.
    pub published: Option<Published>,
    /// Calculated from a part of the work that it stands for.
    pub estimated: bool,
    /// A task takes so many times as long as at the point before, by more than sizes explain.
    pub jump: Option<f64>,
}

impl Facts {
    /// One sample has no interval: nothing is known of how far the next one would lie.
    pub fn is_single(&self) -> bool {
        self.samples == Some(1)
    }

    /// Of a value that is calculated from two others.
    pub fn with(self, other: Self) -> Self {
        let samples = match (self.samples, other.samples) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        Self { samples, estimated: self.estimated || other.estimated, ..Self::default() }
    }
}

/// A published value or range, in the unit of the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    pub low: f64,
    /// None where the paper states a lower end alone, as in "more than 3 times".
    pub high: Option<f64>,
}

impl Published {
    /// One number.
    pub fn value(value: f64) -> Self {
        Self { low: value, high: Some(value) }
    }
}
