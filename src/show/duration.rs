//! Durations in words.

/// A time to be waited for.
pub fn rough(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => "less than a second".to_string(),
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}
