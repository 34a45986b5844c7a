#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# slurm.sh STUDY N RESULTS [OPTION...]: run a study in N shards as an array job of Slurm, with
# sbatch's options, such as "--partition short --time 60", merge them to RESULTS in a job that
# waits for them, and end with the status of that. A task that is killed leaves points out: then
# the merge fails. Shards keep what is done in RESULTS.I: the same command goes on. SIM is the
# program (default gputm-sim), on all nodes.
set -eu
[ $# -ge 3 ] || { sed -n '3,7s/^# //p' "$0" >&2; exit 2; }
SIM=${SIM:-gputm-sim} study=$1 shards=$2 results=$3
shift 3
export SIM study shards results
array=$(sbatch --parsable --job-name gputm-sim --array "1-$shards" --output "$results.%a.log" "$@" \
	--wrap '"$SIM" --study "$study" --shard "$SLURM_ARRAY_TASK_ID/$shards" \
		--jobs "${SLURM_CPUS_PER_TASK:-1}" --resume "$results.$SLURM_ARRAY_TASK_ID"')
sbatch --parsable --wait --dependency "afterany:${array%%;*}" --job-name gputm-merge \
	--output "$results.log" "$@" --wrap '
	set --
	for shard in $(seq "$shards"); do
		[ ! -e "$results.$shard" ] || set -- "$@" "$results.$shard"
	done
	"$SIM" --merge "$@" --out "$results"' >&2 || { status=$?; cat "$results.log" >&2; exit $status; }
