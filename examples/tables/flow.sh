# SPDX-License-Identifier: BSD-2-Clause
# Shared by the scripts on control flow, after common.sh: runs of kernels and not of workloads.
# KERNELS is the directory of the kernels. Without MACHINE they run on one core.
MACHINE=${MACHINE:-none}
. "$(dirname "$0")/common.sh"
KERNELS=${KERNELS:-$(dirname "$0")/../kernels}
export KERNELS

# Divergent and coherent kernels, as the thesis tells them apart: below and above 76 % of SIMD
# efficiency under a stack per warp.
divergent='bfs bound break eddies manager nested'
coherent='coherent'
mechanisms='pdom pdom-lcp dwf dwf-wb tbc tbc-lcp'

# One run: "KERNEL MECHANISM NAME" gives these and the columns wanted. MECHANISM may be followed by
# settings, as in tbc:block_priority.policy=rrb; NAME is what the column is called.
POINT='
name=$1
machine=
[ "$MACHINE" = none ] || machine="--machine $MACHINE"
settings=$(echo "$2:" | sed "s/^[^:]*://; s/:\$//; s/[^,][^,]*/--set &/g; s/,/ /g")
"$SIM" --kernel "$KERNELS/$1.kernel" --divergence "${2%%:*}" $CHECK $machine $settings \
	--format csv --report instances --progress never | '$TELL
export POINT

# Points of all mechanisms over all kernels, but for the one that plain DWF executes wrongly.
all_points() {
	for kernel in $divergent $coherent; do
		for mechanism in $mechanisms; do
			[ "$kernel $mechanism" = 'manager dwf' ] || echo "$kernel $mechanism $mechanism"
		done
	done
}
