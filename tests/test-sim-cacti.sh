#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Input files of CACTI: they have all of the bits of the units, and are what its parsers take.
. "${srcdir:-.}/tests/build/lib.sh"
sim=$(cd "${top_builddir:-.}" && pwd)/gputm-sim

# right FILE ENTRIES BITS PADDING: what the tools refuse, misread or need is looked for
right() {
	awk -v entries="$2" -v bits="$3" -v padding="$4" '
		function is(what, ok) { if (!ok) print what }
		NR == 1 { is("the first line is no comment", /^#/) }
		!NF { is("a blank line", 0) }
		/^#/ { next }
		{ is("no key: " $0, /^-[A-Za-z]/); keys++ }
		/^-size \(bytes\) [0-9]+$/ { size = $3 }
		/^-block size \(bytes\) [0-9]+$/ { block = $4 }
		/^-UCA bank count [0-9]+$/ { banks = $4 }
		/^-associativity [0-9]+$/ { ways = $2 }
		/^-output\/input bus width [0-9]+$/ { width = $4 }
		/^-technology \(u\) 0[.]0[0-9]+$/ { node = $3 }
		/^-operating temperature \(K\) [0-9]+$/ { kelvin = $4 }
		/^-Wire signalling / { old++ }
		/^-Wire signaling / { new++ }
		/^-Add ECC - "false"$/ { ecc++ }
		/^-(io state|addr_timing|mem_density|bus_freq|duty_cycle|activity_dq|activity_ca) / { io++ }
		/^-(num_dq|num_dqs|num_ca|num_clk|num_mem_dq|mem_data_width|rtt_value|ron_value) / { io++ }
		/^-(num_bobs|capacity|num_channels_per_bob|first metric|second metric|third metric) / { io++ }
		/^-(DIMM model|mirror_in_bob|dram_type) / { io++ }
		END {
			is("size is not the bits", size * 8 == entries * bits + padding)
			is("padding without need", !padding || (bits % 8 && entries / banks % 8))
			is("width is not an entry", width == (padding ? 8 * block : bits))
			is("width above the block", width <= 8 * block)
			is("banks", banks == 1 || banks == 2 || banks == 4 || banks == 8)
			is("a bank is too small", size / banks >= 64 && entries / banks >= 32)
			is("a bank is too large", size / banks < 2147483648)
			is("entries in no whole block", size / block == int(size / block))
			is("ways, node, temperature or ECC", ways == 1 && node >= .022 && node <= .09 && \
				kelvin >= 300 && kelvin <= 400 && kelvin % 10 == 0 && ecc == 1)
			is("spellings of signalling", old == 1 && new == 1)
			is("pins of DRAM: " io, io == 24)
			is("keys: " keys, keys == 70)
		}' "$1" >"$work/wrong"
	[ ! -s "$work/wrong" ] || complain "$run: $1: $(cat "$work/wrong")"
}

few='--threads 64'
for run in "kilo-tm $few" "warptm $few" "warptm-tcd $few" "warptm-tcd $few --machine thesis-4" \
	"getm $few --set validation_unit.entries=256" "si-tm $few" "fine-lock $few" \
	"si-tm $few --set reader_list.entries=1001" 'local-tm --workload k-means-8' \
	"hetm $few --workload w1"; do
	rm -rf "$work/cacti"
	# shellcheck disable=SC2086
	"$sim" --system $run --cacti "$work/cacti" >"$work/out" 2>"$work/err" ||
		{ complain "$run: $(cat "$work/err")"; continue; }
	[ ! -s "$work/out" ] || complain "$run: it was run"
	files=0
	sed 1d "$work/cacti/arrays.csv" >"$work/arrays"
	while IFS=, read -r role units entries bits ports apart padding file array; do
		case $file in
		below_cacti_minimum)
			[ "$entries" -lt 32 ] || [ $((entries * bits)) -lt 512 ] ||
				complain "$run: $role, $array has no file"
			continue
			;;
		esac
		files=$((files + 1))
		right "$work/cacti/$file" "$entries" "$bits" "$padding"
		grep -q "units: $units$" "$work/cacti/$file" || complain "$run: $file: units"
		[ "$ports" -gt 1 ] || grep -qx -- '-UCA bank count 1' "$work/cacti/$file" ||
			complain "$run: $file: banks that nobody asked for"
		grep -q '^# not in the paper' "$work/cacti/$file" && found=yes || found=no
		[ "$apart" = "$found" ] || complain "$run: $file: apart"
	done <"$work/arrays"
	# shellcheck disable=SC2012
	[ "$(ls "$work/cacti" | wc -l)" -eq $((files + 1)) ] || complain "$run: names of files"

	# the same bits as in the report of a run
	# shellcheck disable=SC2086
	"$sim" --system $run --report roles --format csv >"$work/out" || complain "$run: no report"
	awk -F, 'NR == FNR { sum[$1] += $6 == "no" ? $3 * $4 : 0; next }
		$4 == "storage_bits" { n++ }
		$4 == "storage_bits" && $5 != sum[$2] { print $2 " has " $5 " bits, its files " sum[$2] }
		END { if (!n) print "no units" }' "$work/arrays" "$work/out" >"$work/wrong"
	[ ! -s "$work/wrong" ] || complain "$run: $(cat "$work/wrong")"
done

"$sim" --cacti "$work/out/none" >/dev/null 2>&1
[ $? -eq 2 ] || complain "a folder that cannot be made"
"$sim" --cacti "$work/cacti" --check >/dev/null 2>&1
[ $? -eq 2 ] || complain "--check of nothing"
exit $failed
