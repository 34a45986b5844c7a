#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Energy and area of a run: with the papers' numbers of cores and partitions the sums are those that
# the papers print.
. "${srcdir:-.}/tests/build/sim.sh"
cd "$work" || exit 1

# Table 6.3 of the thesis; GETM's Table V; Table 1 of the snapshot isolation paper: of all arrays of
# a system at a node in nm, milliwatts and mm2; "-": there are none
cat >papers <<'TXT'
kilo-tm 40 918 1.454
warptm 40 2512 5.074
warptm-tcd 40 3208 6.053
warptm-tcd 32 390.05 2.68
eapg 32 618.95 3.574
getm 32 176.98 .736
si-tm 40 2402.5 5.135
fine-lock 40 - -
TXT
for system in kilo-tm warptm warptm-tcd eapg getm si-tm fine-lock; do
	echo "0 --system $system --workload hash-table --threads 640 --format csv > $system"
done >table
echo '0 --system getm --workload hash-table --threads 64 --format csv --set commit_buffer.blocks=1024' \
	'> larger' >>table
runs <table
awk -F, '
	function near(what, is, want) {
		if (is < .998 * want - 2e-6 || is > 1.002 * want + 2e-6)
			print of ", " node ": " what " is " is " and not " want
	}
	FILENAME == "papers" { row[++rows] = $0; next }
	$2 == "" { value[FILENAME, $4] = $5 }
	$2 == "energy" || $2 == "area" {
		value[FILENAME, $2 "." $4] = $5
		split($4, part, ".")
		if (part[2] != "" && part[2] != "total" && part[2] != "active" && part[2] != "scaled") {
			sum[FILENAME, $2 "." part[1]] += $5
			arrays[FILENAME]++
		}
	}
	END {
		for (i = 1; i <= rows; i++) {
			split(row[i], part, " ")
			of = part[1]; node = "nm" part[2]; milliwatts = part[3]
			us = value[of, "cycles"] / value[of, "core_mhz"]
			near("leakage", value[of, "energy.leakage"], 59 * us)
			near("clock", value[of, "energy.clock"], 9.8 * us)
			first = (of, "energy.nm40.total") in value ? "nm40" : "nm32"
			near("energy.total", value[of, "energy.total"], \
				68.8 * us + value[of, "energy." first ".total"])
			if (!(us > 0))
				print of ": no time"
			if (milliwatts == "-") {
				if (arrays[of])
					print of ": there are arrays"
				continue
			}
			total = value[of, "energy." node ".total"]
			near("power", total, milliwatts / 1000 * us)
			near("area", value[of, "area." node ".total"], part[4])
			near("sum of energies", sum[of, "energy." node], total)
			near("sum of areas", sum[of, "area." node], value[of, "area." node ".total"])
			if (!(value[of, "energy." node ".active"] > 0) || \
			    value[of, "energy." node ".active"] > total)
				print of ": active: " value[of, "energy." node ".active"]
		}
		# Areas by the bits of the run: at the sizes of the paper they are those of the paper.
		if (!(value["larger", "area.nm32.scaled"] > value["larger", "area.nm32.total"] + .522))
			print "larger buffers take no area"
	}' papers kilo-tm warptm warptm-tcd eapg getm si-tm fine-lock larger >wrong
[ ! -s wrong ] || complain "$(cat wrong)"
exit $failed
