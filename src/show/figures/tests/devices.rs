//! Runs on several devices.

use super::*;

#[test]
fn a_run_on_several_devices_shows_efficiency_and_waiting_with_a_line_for_each_n() {
    crate::distributed::register();
    let cell = |n: usize, devices: usize, seconds: f64| {
        fixtures::measured(
            fixtures::cell("distributed-blocked", &format!("devices={devices}"), n),
            &[seconds, seconds * 1.01, seconds * 1.02],
        )
    };
    let mut run = fixture(vec![
        cell(16_384, 1, 0.27),
        cell(16_384, 4, 0.12),
        cell(65_536, 1, 16.9),
        cell(65_536, 2, 8.6),
        cell(65_536, 4, 4.5),
        cell(131_072, 4, 34.0),
    ]);
    run.manifest.experiment.sharded = true;
    let times = |device| crate::implementation::DeviceTimes {
        device,
        solve: 4.0,
        compute: 3.9,
        waiting: 0.1,
        communication: 0.2,
    };
    let rows = run.results.summary.iter().flat_map(|row| {
        (0..2).map(|device| DeviceTimeRow::new(&row.cell(), 0, "", &times(device))).collect::<Vec<_>>()
    });
    run.results.devices = rows.collect();
    let plots = of_run(&run, &[]);
    let ids: Vec<&str> = plots.iter().map(|plot| plot.id.as_str()).collect();
    assert_eq!(ids[..2], ["efficiency", "waiting"]);
    assert!(!ids.iter().any(|id| id.starts_with("sweep")), "{ids:?}");
    let Chart::Lines(lines) = &plots[0].chart else { panic!("lines") };
    assert_eq!(
        lines.series.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(),
        ["n = 16384", "n = 65536"]
    );
    assert_eq!(plots[0].title, "4 devices do 93.9% of what 4 single ones would at n = 65536");
    assert!(plots[1].title.starts_with("Devices wait at most 2.5% of the time: "), "{}", plots[1].title);
    for plot in &plots {
        assert!(!draw(plot).png.is_empty());
        Layout::ALL.iter().for_each(|layout| assert_eq!(illegible(plot, *layout), [""; 0], "{}", plot.id));
    }
}
