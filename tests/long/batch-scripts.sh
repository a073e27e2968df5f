# The batch scripts with stand-ins for the commands of Slurm and Apptainer, which run what they are given.
srun() { while [[ $1 == --* ]]; do shift; done; "$@"; }
apptainer() { while [ "$1" != repro ]; do shift; done; "$@"; }
export -f srun apptainer repro
export SLURM_JOB_ID=7 SLURM_ARRAY_JOB_ID=8 SLURM_ARRAY_TASK_ID=4
on_cpu="--device cpu --only cpu-naive --sizes 64 --samples 5"
bash scripts/slurm/run.sbatch table1 $on_cpu
# What was finished is continued by doing nothing; it is not refused.
bash scripts/slurm/run.sbatch table1 --resume results/runs/table1-7
bash scripts/slurm/run.sbatch table1 --resume=results/runs/table1-7
bash scripts/slurm/all.sbatch $on_cpu
bash scripts/slurm/apptainer.sbatch densities $on_cpu
bash scripts/slurm/apptainer.sbatch densities --resume results/runs/densities-7
DEVICE=emulated bash scripts/slurm/several-gpus.sbatch --sizes 64 --param devices=2
ls results/runs/scaling-7/summary.csv results/runs/table1-7/summary.csv results/runs/densities-8/summary.csv results/runs/densities-7/summary.csv
code=0
bash scripts/slurm/track.sbatch no-such-file $on_cpu || code=$?
[ $code -eq 2 ]
for script in run apptainer track nightly; do
    code=0
    bash scripts/slurm/$script.sbatch 2>usage || code=$?
    [ $code -eq 2 ] && grep -q '^usage: sbatch scripts/slurm/' usage
done
# The first night compares nothing, and the second with the first.
export ONLY=cpu-naive
mkdir built
cp "$(type -P repro)" built/repro
night() { code=0; SLURM_JOB_ID=$1 REPRO=built/repro bash scripts/slurm/nightly.sbatch nights --device cpu --sizes 64 --samples 5 || code=$?; }
night 7
[ $code -eq 0 ]
night 8
[ $code -eq 0 ] || [ $code -eq 3 ]
ls nights/last/repro nights/runs/*/new/summary.csv nights/runs/*/comparison.md
[ "$(grep -c cpu-naive nights/history/*.csv)" -eq 2 ]
interrupted() { [ "$1" != run ] || return 130; }
export -f interrupted
code=0
last=$(REPRO=interrupted bash scripts/slurm/run.sbatch table1 | tail -n 1) || code=$?
[ $code -eq 130 ]
[ "$last" = "to continue: sbatch scripts/slurm/run.sbatch table1 --resume results/runs/table1-7" ]
code=0
bash scripts/slurm/run.sbatch no-such-experiment || code=$?
[ $code -eq 2 ]
