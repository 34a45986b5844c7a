#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Energy and area of a run: with the papers' numbers of cores and partitions the sums are those that
# the papers print.
. "${srcdir:-.}/tests/build/lib.sh"
sim=${top_builddir:-.}/gputm-sim

# sums SYSTEM NODE MILLIWATTS MM2: of all arrays; "-": there are none
sums() {
	"$sim" --system "$1" --workload hash-table --threads 640 --format csv >"$work/out" ||
		complain "$1: no report"
	awk -F, -v node="nm$2" -v milliwatts="$3" -v area="$4" '
		function near(what, is, want) {
			if (is < .998 * want - 2e-6 || is > 1.002 * want + 2e-6)
				print what " is " is " and not " want
		}
		$2 == "" { value[$4] = $5 }
		$2 == "energy" || $2 == "area" { value[$2 "." $4] = $5 }
		$2 == "energy" || $2 == "area" {
			split($4, part, ".")
			if (part[2] != "" && part[2] != "total" && part[2] != "active" && part[2] != "scaled")
				sum[$2 "." part[1]] += $5
		}
		END {
			us = value["cycles"] / value["core_mhz"]
			near("leakage", value["energy.leakage"], 59 * us)
			near("clock", value["energy.clock"], 9.8 * us)
			first = "energy.nm40.total" in value ? "nm40" : "nm32"
			arrays = value["energy." first ".total"]
			near("energy.total", value["energy.total"], 68.8 * us + arrays)
			if (milliwatts == "-") {
				for (name in sum)
					print "there is " name
				exit
			}
			near("power", value["energy." node ".total"], milliwatts / 1000 * us)
			near("area", value["area." node ".total"], area)
			near("sum of energies", sum["energy." node], value["energy." node ".total"])
			near("sum of areas", sum["area." node], value["area." node ".total"])
			if (!(value["energy." node ".active"] > 0) ||
			    value["energy." node ".active"] > value["energy." node ".total"])
				print "active: " value["energy." node ".active"]
		}' "$work/out" >"$work/wrong"
	[ ! -s "$work/wrong" ] || complain "$1 at $2 nm: $(cat "$work/wrong")"
}

# Table 6.3 of the thesis; GETM's Table V; Table 1 of the snapshot isolation paper
sums kilo-tm 40 918 1.454
sums warptm 40 2512 5.074
sums warptm-tcd 40 3208 6.053
sums warptm-tcd 32 390.05 2.68
sums getm 32 176.98 .736
sums si-tm 40 2402.5 5.135
sums fine-lock 40 - -

# Areas by the bits of the run: at the paper's sizes they are the paper's.
"$sim" --system getm --workload hash-table --threads 64 --format csv \
	--set commit_buffer.blocks=1024 >"$work/out" || complain 'getm: no report'
awk -F, '$2 == "area" && $4 == "nm32.total" { total = $5 }
	$2 == "area" && $4 == "nm32.scaled" { scaled = $5 }
	END { exit !(scaled > total + .522) }' "$work/out" || complain 'larger buffers take no area'
exit $failed
