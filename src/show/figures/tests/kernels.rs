//! What kernels and steps are made of: times of procedures, steps, counts.

use super::*;

#[test]
fn procedures_add_up_to_the_time_of_all_kernels() {
    let run = reference("kappa-sweep");
    let plot = plot("kappa-sweep", "procedures-kappa");
    let chart = rows(&plot);
    assert_eq!(chart.rows.len(), 20);
    for row in &chart.rows {
        let params = row.label.replace("κ = ", "kappa=");
        let times = run.results.kernel_times.iter().filter(|one| one.n == 8192 && one.params == params);
        let total: f64 = times.clone().map(|one| one.seconds).sum();
        assert!((row.bars.last().unwrap().to - total).abs() < 1e-12, "{params}");
        let launches: u64 = times.map(|one| one.launches).sum();
        assert_eq!(row.note, format!("{launches} launches"));
        assert!(row.bars.windows(2).all(|pair| pair[0].to == pair[1].from));
    }
}

#[test]
fn the_waterfall_leads_from_each_step_to_the_next_and_ends_at_the_last() {
    let run = reference("ablation");
    let plot = plot("ablation", "steps");
    let chart = rows(&plot);
    let labels: Vec<&str> = chart.rows.iter().map(|row| row.label.as_str()).collect();
    assert_eq!(labels, run.manifest.experiment.steps);
    assert!(chart.rows.windows(2).all(|pair| pair[0].bars[0].to == pair[1].bars[0].from));
    let last = &chart.rows.last().unwrap().bars[0];
    let seconds = |name: &str| {
        let of = |row: &&crate::results::SummaryRow| row.implementation == name && row.n == 8192;
        run.results.summary.iter().find(of).unwrap().median_s.unwrap()
    };
    assert_eq!(last.to, seconds("staged-load-256"));
    let gained = seconds("katz-kider") / seconds("katz-kider-shifts");
    assert_eq!(chart.rows[1].bars[0].text, format!("×{gained:.2}"));
    assert!(chart.rows[1].note.starts_with('−') && chart.rows[8].note.starts_with('+'));
}

#[test]
fn conflicts_and_traffic_are_what_was_counted_of_the_main_kernel() {
    let conflicts = plot("ablation", "bank-conflicts");
    let of = |plot: &Plot, name: &str| -> Vec<f64> {
        let row = rows(plot).rows.iter().find(|row| row.label == name).unwrap();
        row.bars.iter().map(|bar| bar.to).collect()
    };
    assert_eq!(of(&conflicts, "staged-plain-order"), [4.0, 1.0]);
    assert_eq!(of(&conflicts, "staged-load"), [1.0, 1.0]);
    assert_eq!(of(&plot("ablation", "traffic"), "staged-row-major"), [0.5, 0.625]);
}

#[test]
fn a_run_that_was_counted_and_not_timed_shows_what_was_counted_alone() {
    let mut run = reference("ablation");
    run.results.summary.iter_mut().for_each(|row| row.median_s = None);
    let ids: Vec<String> = of_run(&run, &papers()).into_iter().map(|plot| plot.id).collect();
    assert_eq!(ids, ["bank-conflicts", "traffic"]);
}
