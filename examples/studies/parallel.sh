#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# parallel.sh STUDY N RESULTS [OPTION...]: run a study in N shards through GNU parallel, with its
# options, such as "-S host1,host2 --wd ." for hosts with this folder in common, and merge them to
# RESULTS. Shards keep what is done in RESULTS.I: after a failure the same command goes on. SIM is
# the program (default gputm-sim).
set -eu
[ $# -ge 3 ] || { sed -n '3,6s/^# //p' "$0" >&2; exit 2; }
SIM=${SIM:-gputm-sim} study=$1 shards=$2 results=$3
shift 3
# A shard in which points fail has all its results: what lacks is for the merge to find.
seq "$shards" | parallel --will-cite "$@" "$SIM" --study "$study" --shard "{}/$shards" --jobs 1 \
	--resume "$results.{}" || :
set --
for shard in $(seq "$shards"); do
	[ ! -e "$results.$shard" ] || set -- "$@" "$results.$shard"
done
[ $# -gt 0 ] || { echo "parallel.sh: no shard has any result" >&2; exit 1; }
exec "$SIM" --merge "$@" --out "$results"
