#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Random kernels (random-kernel.awk) pass --check under every system, on every machine, at any
# limit, with random settings, and whole or saved in the middle and restored.
# SEEDS="FIRST LAST" names other kernels than the first ones.
sim=${top_builddir:-.}/gputm-sim
script=${srcdir:-.}/tests/random-kernel.awk
systems='kilo-tm warptm warptm-tcd warptm-el getm si-tm si-tm-oracle ideal coarse-lock fine-lock hetm'
seeds='1 264'
[ "${GPUTM_TEST_SCALE:-}" != small ] || seeds='1 132'
status=0
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

for system in $systems; do
	"$sim" --list $system >"$work/$system.list"
done
"$sim" --list all | sed '/^How --concurrency/,$d' >"$work/machines"

# nth N WORD...: the Nth word, from 0, round and round.
nth() {
	n=$1
	shift
	shift $((n % $#))
	echo "$1"
}
setting() {
	awk -v seed="$seed$2" -v settings="$1" -f "$script"
}
run() {
	"$sim" "$@" >"$work/out" 2>"$work/err"
}
complain() {
	echo "FAIL: kernel $seed: gputm-sim $*: $(grep -v 'never read' "$work/err" | tail -1)"
	status=1
}
# The figures of a run, without the host's.
figures() {
	"$sim" "$@" --format json 2>"$work/err" | grep -v '"wall_seconds"\|"host\.\|"restore"\|"peak_'
}

# One kernel, system after system; each round of systems has another limit and machine.
first=${SEEDS:-$seeds} accepted=0
last=${first#* } first=${first% *}
seed=$first
while [ "$seed" -le "$last" ]; do
	system=$(nth "$seed" $systems)
	turn=$((seed / 11)) kernel=$work/$seed.kernel barriers=1
	limit="--concurrency $(nth $turn 2 inf 1 4)"
	machine="--machine $(nth $turn fermi thesis-3 reference thesis-4)"
	machine="$machine --set machine.cores=$((1 + turn % 4)) --set machine.patience_cycles=100000000"
	case $system in
	kilo-tm) machine="$machine --divergence $(nth $turn pdom tbc pdom-lcp tbc-lcp)" ;;
	*-lock) limit= ;;
	# With shorter waits the warps of kernel 281 abort one another for ever.
	si-tm-oracle) machine="$machine --set system.most_backoff=100000" ;;
	hetm)
		barriers=0 limit=
		machine="--set system.gpu=$(nth $turn getm kilo-tm warptm si-tm warptm-tcd)"
		;;
	esac
	awk -v seed="$seed" -v barriers=$barriers -f "$script" >"$kernel"
	# shellcheck disable=SC2086
	set -- --workload "$kernel" --system $system --seed $turn $machine $limit
	run "$@" --check || complain "$@" --check

	# A setting of the system and one of the machine: refused before the run, or as right.
	for choice in "$(setting "$work/$system.list" 1)" "$(setting "$work/machines" 2)"; do
		case $system,$choice in *,= | hetm,machine*) continue ;; esac
		run "$@" --check --set "$choice"
		case $? in
		0) accepted=$((accepted + 1)) ;;
		2) ;;
		*) complain "$@" --check --set "$choice" ;;
		esac
	done

	if [ $((seed % 5)) = 0 ]; then
		figures "$@" >"$work/whole"
		cycles=$(sed -n 's/.*"cycles": *\([0-9]*\),*$/\1/p' "$work/whole" | head -1)
		run "$@" --save-at $((1 + cycles * (1 + turn % 7) / 9)) "$work/state" || complain "$@" --save-at
		figures "$@" --restore "$work/state" >"$work/restored"
		cmp "$work/whole" "$work/restored" || complain "$@" --restore
	fi
	seed=$((seed + 1))
done
[ $accepted -ge $(((last - first) / 2)) ] || { echo "FAIL: only $accepted settings were accepted" && status=1; }
exit $status
