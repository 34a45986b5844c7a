#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Input files of CACTI: they have all of the bits of the units, and are what its parsers take.
. "${srcdir:-.}/tests/build/sim.sh"
cd "$work" || exit 1

few='--threads 64'
n=0
while read -r of; do
	n=$((n + 1))
	echo "0 --system $of --cacti cacti.$n > said.$n"
	# the same bits as in the report of a run
	echo "0 --system $of --report roles --format csv > report.$n"
done >table <<TXT
kilo-tm $few
warptm $few
warptm-tcd $few
warptm-tcd $few --machine thesis-4
eapg $few
getm $few --set validation_unit.entries=256
si-tm $few
fine-lock $few
si-tm $few --set reader_list.entries=1001
local-tm --workload k-means-8
hetm $few --workload w1
TXT
cat >>table <<TXT
2 --cacti said.1/none
2 --cacti cacti.1 --check
TXT
runs <table
for n in 1 2 3 4 5 6 7 8 9 10 11; do
	[ ! -s said.$n ] || complain "cacti.$n: it was run"
done

# What the tools refuse, misread or need is looked for.
awk '
	function is(what, ok) { if (!ok) print file ": " what }
	function end_of_file() {
		if (!(file in entries_of)) {
			is("a file that arrays.csv does not name", 0)
			return
		}
		entries = entries_of[file]; bits = bits_of[file]; padding = padding_of[file]
		read[file] = 1
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
		is("units", units)
		is("banks that nobody asked for", ports_of[file] > 1 || one_bank)
		is("apart", apart_of[file] == (apart ? "yes" : "no"))
		size = block = banks = ways = width = node = kelvin = old = new = ecc = io = keys = 0
		units = one_bank = apart = 0
	}
	{ folder = FILENAME; sub(/[/].*/, "", folder) }
	FILENAME ~ /arrays.csv$/ {
		if (FNR == 1)
			next
		split($0, f, ",")
		if (f[6] == "no")
			sum[folder, f[1]] += f[3] * f[4]
		arrays[folder]++
		if (f[8] == "below_cacti_minimum") {
			if (f[3] >= 32 && f[3] * f[4] >= 512) print folder ": " f[1] ", " f[9] " has no file"
			next
		}
		name = folder "/" f[8]
		if (name in entries_of) print name " is named twice"
		units_of[name] = f[2]; entries_of[name] = f[3]; bits_of[name] = f[4]
		ports_of[name] = f[5]; apart_of[name] = f[6]; padding_of[name] = f[7]
		next
	}
	FILENAME ~ /^report/ {
		split($0, f, ",")
		if (f[4] == "storage_bits") {
			of = FILENAME; sub(/report/, "cacti", of)
			storage[of]++
			if (f[5] != sum[of, f[2]]) print of ": " f[2] " has " f[5] " bits, its files " sum[of, f[2]]
		}
		next
	}
	FNR == 1 {
		if (file != "") end_of_file()
		file = FILENAME
	}
	$0 ~ "units: " units_of[file] "$" { units = 1 }
	/^-UCA bank count 1$/ { one_bank = 1 }
	/^# not in the paper/ { apart = 1 }
	FNR == 1 { is("the first line is no comment", /^#/) }
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
		end_of_file()
		for (name in entries_of)
			if (!(name in read)) print name " is missing"
		for (n = 1; n <= 10; n++)
			if (!storage["cacti." n]) print "cacti." n ": no units"
	}' cacti.*/arrays.csv report.* $(ls -d cacti.*/* | sed '/arrays.csv$/d') >wrong
[ ! -s wrong ] || complain "$(head -20 wrong)"
exit $failed
