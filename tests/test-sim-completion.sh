#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Completion in bash offers options, what --list names, choices, settings and files. The file for
# zsh, which asks the same program, is read by zsh where there is one.
. "${srcdir:-.}/tests/build/lib.sh"

completion=$(cd "$srcdir/examples/sim" && pwd)
program=$(pwd)/gputm-sim
have bash || skip "bash is not installed"
if have zsh; then
	zsh -f -n "$completion/_gputm-sim" || complain 'zsh does not read _gputm-sim'
fi
cd "$work" || exit 1
: >result.jsonl

# The words after gputm-sim, of which the last one is completed, and what is offered.
bash -c '
	. "$1"
	while read -r line; do
		read -ra COMP_WORDS <<<"gputm-sim ${line%% ->*}"
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_gputm_sim "$2" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" 2>/dev/null
		[[ ${COMPREPLY[*]} == "${line##*->}" || " ${COMPREPLY[*]}" == "${line##*->}" ]] ||
			echo "$line: got ${COMPREPLY[*]}"
	done' - "$completion/gputm-sim.bash" "$program" >wrong <<'END'
--conc -> --concurrency
--system warp -> warptm warptm-tcd warptm-el
--format js -> json jsonl
--system getm --set warp_clock.per -> warp_clock.per_core=
--list si-tm-o -> si-tm-oracle
--compare result.jsonl re -> result.jsonl
--series 1 ->
END
[ ! -s wrong ] || complain "$(cat wrong)"
exit $failed
