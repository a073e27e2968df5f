"""A ReFrame test (https://reframe-hpc.readthedocs.io) that runs an experiment of repro.

    reframe -C scripts/reframe/site.py -c scripts/reframe/repro_test.py -r -P experiment=table1,timers

The test passes when every sample that was timed was verified, nothing failed, and no cell is slower than its reference allows.
The performance variables are the tasks/s of each cell. The reference of a cell is the median of the runs of a report on the same model
of GPU or CPU; without any the rate is only recorded. Set the variables below by -S NAME=VALUE.
"""

import csv
import os
import sys
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import run_before, sanity_function, variable

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import stored  # noqa: E402 - it lies beside this file


@rfm.simple_test
class ReproExperiment(rfm.RunOnlyRegressionTest):
    """One experiment, as `repro run` measures it."""

    descr = "an experiment of repro"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    sourcesdir = None
    time_limit = "30m"

    # The experiment's name, or the path of its file.
    experiment = variable(str, value="table1")
    # The binary.
    repro = variable(str, value=os.environ.get("REPRO", "repro"))
    # More options of `repro run`, separated by blanks.
    options = variable(str, value="")
    # The folder of `repro report`, of the runs that references come from.
    report = variable(str, value=str(HERE.parents[1] / "results" / "report"))
    # By how much a rate may be below its reference, as a share: on a GPU, and on the CPU, whose other users move it.
    gpu_slack = variable(float, value=0.05)
    cpu_slack = variable(float, value=0.5)

    @run_before("run")
    def set_command(self):
        self.executable = self.repro
        self.executable_opts = ["run", self.experiment, "--quiet", "--json", "--out", "run", *self.options.split()]

    @sanity_function
    def every_sample_is_verified(self):
        if self.job.exitcode == 2:
            # Refused: there are no records to look at.
            return sn.assert_true(False, msg=f"repro run was refused: see {self.stagedir}/{self.job.stderr}")
        run = Path(self.stagedir) / "run"
        with open(run / "samples.csv", newline="", encoding="utf-8") as file:
            samples = [row for row in csv.DictReader(file) if row["seconds"]]
        unverified = [row for row in samples if row["verified"] != "true"]
        right = ("ok", "throttled", "counted", "skipped")
        failed = [(stored.name(cell), cell["message"]) for cell in stored.cells(run) if cell["status"] not in right]
        return sn.all([
            # Slurm without accounting does not tell it.
            sn.assert_in(self.job.exitcode, (0, None), msg="repro run ended with exit code {0}"),
            sn.assert_true(stored.manifest(run).get("finished"), msg="the run did not end"),
            sn.assert_eq(len(failed), 0, msg=f"cells that failed: {failed[:3]}"),
            sn.assert_gt(len(samples), 0, msg="nothing was timed"),
            sn.assert_eq(len(unverified), 0, msg=f"samples that were not verified: {unverified[:3]}"),
        ])

    @run_before("performance")
    def set_references(self):
        run = Path(self.stagedir) / "run"
        manifest = stored.manifest(run)
        known = stored.references(self.report, stored.machine(manifest), manifest["experiment"]["name"])
        if not known:
            print(f"{self.report}: no run of this experiment on this machine: rates are only recorded", file=sys.stderr)
        self.perf_variables = {}
        limits = {}
        for cell in stored.cells(run):
            name = stored.name(cell)
            if not cell["tasks_per_s"]:
                continue
            rate = float(cell["tasks_per_s"])
            self.perf_variables[name] = sn.make_performance_function(sn.defer(rate), "tasks/s")
            if name in known:
                slack = self.cpu_slack if stored.on_cpu(cell) else self.gpu_slack
                limits[name] = (known[name], -slack, None, "tasks/s")
        self.reference = {"*": limits} if limits else {}
