# SPDX-License-Identifier: BSD-2-Clause
# Shared by hetm-fig-3.sh, hetm-fig-5.sh and hetm-fig-6.sh: runs of system hetm with a GPU that is
# about as fast as the CPU, as in the paper.
. "$(dirname "$0")/common.sh"
GPU=${GPU:---set gpu.cores=1 --set gpu.warps=4 --set system.concurrency=1}
BASIC='--set sync_round.non_blocking=0 --set sync_round.shadow_copy=0
	--set sync_round.early_cycles=0'

COLUMNS_WANTED='cycles committed sync_round.rounds sync_round.failed sync_round.cut_short'

# point NAME ARGUMENT...: "NAME cycles committed rounds failed-rounds cut-short"
point() {
	name=$1
	shift
	# shellcheck disable=SC2086
	"$SIM" --system hetm $GPU "$@" $CHECK --format csv --report instances --progress never |
		(set -- '' '' '' && eval "$TELL")
}
