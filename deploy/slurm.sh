#!/usr/bin/env bash
# Trains on two nodes until the run has ended: sbatch deploy/slurm.sh [FLAG...]
# Slurm starts the job again when a node is lost or the job is preempted. Five minutes before its time is over, the ranks are told to
# stop: they finish the epoch and write a checkpoint, and the job goes back into the queue. Each start repeats the same command.
# GOSSAMER is the program: bin/gossamer of the archive, if that is not ./gossamer.
#SBATCH --job-name=gossamer
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=8
#SBATCH --mem=32G
#SBATCH --time=12:00:00
#SBATCH --signal=TERM@300
#SBATCH --requeue
#SBATCH --open-mode=append
set -u

srun --mpi=pmix --cpus-per-task="$SLURM_CPUS_PER_TASK" --cpu-bind=cores --kill-on-bad-exit=1 \
  "${GOSSAMER:-./gossamer}" train --data data/products --mode full-graph \
  --threads "$SLURM_CPUS_PER_TASK" --memory 28g --checkpoint-every 5 --run-folder runs/products --resume auto "$@"
status=$?

# 2 is wrong usage or input, 3 a training that diverged: no repetition helps. Slurm counts the starts.
case $status in
  0 | 2 | 3) ;;
  *) [ "${SLURM_RESTART_COUNT:-0}" -ge "${RESTARTS:-20}" ] || scontrol requeue "$SLURM_JOB_ID" ;;
esac
exit "$status"
