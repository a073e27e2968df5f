"""Settings of ReFrame for a machine that is used directly, without a batch system. Cluster sites have settings of their own.

The name of a partition does not choose references: repro_test.py finds them by the device that the run itself names.
"""

site_configuration = {
    "systems": [
        {
            "name": "here",
            "descr": "this machine",
            "hostnames": [".*"],
            "partitions": [
                {
                    "name": "local",
                    "descr": "started directly, one test at a time, since two would time each other",
                    "scheduler": "local",
                    "launcher": "local",
                    "environs": ["default"],
                    "max_jobs": 1,
                }
            ],
        },
        {
            # An example to adapt: a partition of GPU nodes under Slurm.
            "name": "cluster",
            "descr": "GPU nodes under Slurm",
            "hostnames": ["login.*"],
            "partitions": [
                {
                    "name": "gpu",
                    # "slurm" where jobs are accounted for: ReFrame then learns exit codes, too.
                    "scheduler": "squeue",
                    "launcher": "srun",
                    "access": ["--gpus=1", "--exclusive"],
                    "environs": ["default"],
                    "max_jobs": 1,
                }
            ],
        },
    ],
    "environments": [{"name": "default"}],
    "logging": [
        {
            "handlers": [{"type": "stream", "level": "info", "format": "%(message)s"}],
            "handlers_perflog": [
                {
                    "type": "filelog",
                    "prefix": "%(check_system)s/%(check_partition)s",
                    "level": "info",
                    "format": (
                        "%(check_job_completion_time)s,%(check_info)s,%(check_result)s,%(check_perfvalues)s"
                    ),
                    "format_perfvars": "%(check_perf_value)s,%(check_perf_unit)s,%(check_perf_ref)s,",
                    "append": True,
                }
            ],
        }
    ],
}
