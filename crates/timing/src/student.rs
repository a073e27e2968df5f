//! Student's t distribution, for estimates of spread from few values.

use std::f64::consts::FRAC_2_PI;

/// Above this no quantile is asked for; of one degree of freedom it is that of 1 - 3e-10.
const LARGEST: f64 = 1e9;

/// The number that a t-distributed value of `degrees` of freedom, at least one, stays below with this `probability`, from one
/// half on.
pub fn t_quantile(probability: f64, degrees: usize) -> f64 {
    let inside = (2.0 * probability - 1.0).clamp(0.0, 1.0);
    let (mut low, mut high) = (0.0, LARGEST);
    // As many halvings as a double has bits, and those that the range itself takes.
    for _ in 0..90 {
        let middle = (low + high) / 2.0;
        if within(middle, degrees.max(1)) < inside { low = middle } else { high = middle }
    }
    high
}

/// The chance that a t-distributed value lies between -`t` and `t` (Abramowitz & Stegun, 26.7.3 and 26.7.4).
fn within(t: f64, degrees: usize) -> f64 {
    let angle = (t / (degrees as f64).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let odd = degrees % 2 == 1;
    // Of an odd number of degrees the series has odd powers of the cosine, of an even one even ones.
    let (mut term, mut sum) = (if odd { cosine } else { 1.0 }, 0.0);
    let mut order = if odd { 1 } else { 0 };
    while order + 2 <= degrees {
        sum += term;
        term *= cosine * cosine * (order + 1) as f64 / (order + 2) as f64;
        order += 2;
    }
    if odd { FRAC_2_PI * (angle + sine * sum) } else { sine * sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_published_tables() {
        for (degrees, at_95, at_995) in [
            (1, 6.314, 63.657),
            (2, 2.920, 9.925),
            (3, 2.353, 5.841),
            (4, 2.132, 4.604),
            (5, 2.015, 4.032),
            (9, 1.833, 3.250),
            (30, 1.697, 2.750),
            (1000, 1.646, 2.581),
        ] {
            assert!((t_quantile(0.95, degrees) - at_95).abs() < 1e-3, "{degrees}");
            assert!((t_quantile(0.995, degrees) - at_995).abs() < 1e-3, "{degrees}");
        }
        assert!(t_quantile(0.5, 7) < 1e-6);
    }
}
