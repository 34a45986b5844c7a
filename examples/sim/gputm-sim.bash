# SPDX-License-Identifier: BSD-2-Clause
# Completion of gputm-sim for bash. The program tells all names, by --help and --list.

# _gputm_sim_names PROGRAM OPTION: the names that --list has for an option.
_gputm_sim_names()
{
	"$1" --list 2>/dev/null | awk -v option="--$2" '
		/^[^ ].*:$/ { on = index($0, "(" option ")") || index($0, "(" option ";") ||
			option == "--system" && / its systems:$/ }
		on && /^  [^ ]/ { print $1 }'
}

# _gputm_sim_given OPTION: its value on the command line.
_gputm_sim_given()
{
	local i
	for ((i = 1; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} != "--$1" ]] || printf '%s\n' "${COMP_WORDS[i + 1]}"
	done
}

# _gputm_sim_settings PROGRAM: the settings of the system and the workload on the command line.
_gputm_sim_settings()
{
	local of system workload
	system=$(_gputm_sim_given system)
	workload=$(_gputm_sim_given workload)
	for of in "${system:-kilo-tm}" "${workload:-hash-table}"; do
		"$1" --list "$of" 2>/dev/null | awk '$2 == "=" { print $1 "=" }'
	done
}

_gputm_sim()
{
	local program=$1 word=$2 argument
	argument=$("$program" --help | awk -v option="$3" '
		/^  --/ && $1 == option { $0 = substr($0, 1, 35); $1 = ""; print substr($0, 2) }')
	[[ $3 == --* || $word == -* ]] || argument=FILE # of two, or of many
	COMPREPLY=()
	case $argument in
	NAME | '[NAME]')
		[[ $3 != --list ]] || set -- "$1" "$2" --system
		COMPREPLY=($(compgen -W "$(_gputm_sim_names "$program" "${3#--}")" -- "$word"))
		;;
	*'|'*) COMPREPLY=($(compgen -W "${argument//|/ }" -- "$word")) ;;
	PATH.FIELD=VALUE)
		compopt -o nospace
		COMPREPLY=($(compgen -W "$(_gputm_sim_settings "$program")" -- "$word"))
		;;
	DIR) COMPREPLY=($(compgen -d -- "$word")) ;;
	FILE* | 'A B') COMPREPLY=($(compgen -f -- "$word")) ;;
	'') COMPREPLY=($(compgen -W "$("$program" --help | awk '/^  --/ { print $1 }')" -- "$word")) ;;
	esac
}

complete -o filenames -F _gputm_sim gputm-sim
