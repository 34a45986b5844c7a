#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Reports: levels, shapes, single figures, and the point that a report is of.
. "${srcdir:-.}/tests/build/sim.sh"
kernels=$(cd "$srcdir/examples/kernels" && pwd)
page=$(cd "$srcdir/man" && pwd)/gputm-reports.7
cd "$work" || exit 1
bank='--workload bank --threads 512'

case_shapes() {
	n=0
	# Here, for a line of a report is as long as a path of it needs.
	cp "$kernels/eddy.kernel" .
	for of in "$bank --check" "--system getm $bank" '--system si-tm --workload skew' \
		'--system hetm --workload w1 --threads 100 --set workload.kilobytes=64' '--system local-tm --workload k-means-8' \
		'--kernel ./eddy.kernel --divergence tbc --check'; do
		n=$((n + 1))
		for level in summary roles instances; do
			of_level="0 $of --report $level"
			echo "$of_level > $n.$level.text"
			echo "$of_level --format json >> json"
			echo "$of_level --format jsonl > $n.$level.jsonl"
			echo "$of_level --format jsonl > again"
			echo "same $n.$level.jsonl again"
			echo "$of_level --format gem5 |~ ^cycles  *[1-9][0-9]*    # "
		done
	done >table
	runs <table
	cat json *.jsonl | "$tests/json-lint" 36 || complain 'a report is no JSON'
	awk '
		FILENAME ~ /text$/ && length($0) > 80 { print FILENAME ": more than 80 columns: " $0 }
		FILENAME ~ /jsonl$/ { if (FNR > 1) print FILENAME ": more than one line"; lines++ }
		FILENAME ~ /summary.jsonl$/ && length($0) + 1 >= 2048 {
			print FILENAME ": a summary of " length($0) + 1 " bytes"
		}
		END { if (lines != 18) print lines " lines" }' *.text *.jsonl >wrong
	[ ! -s wrong ] || complain "$(cat wrong)"
}

# All units of a role are the sum of each. Each reason of an abort is explained.
case_roles() {
	runs <<-TABLE
		0 $bank --format csv --report instances > instances
		0 $bank --format csv --report roles > roles
	TABLE
	awk -F, '
		FILENAME == "instances" {
			if ($2 == "simt_stack" && $4 == "lanes_committed") { units++; lanes += $5 }
			if ($2 == "simt_stack" && $4 == "max_depth" && $5 > deepest) deepest = $5
			if ($2 == "access_coalescer" && $4 == "per_group.samples") each += $5
			next
		}
		FILENAME == "roles" {
			role[$2 "." $4] = $5
			if ($2 == "traffic" && $4 ~ /flits/ && $4 !~ /total/) flits += $5
			if ($2 == "aborts_by_reason") { reason[$4] = 1; reasons++ }
			next
		}
		/^[.]Ss Why transactions abort/ { why = 1 }
		why && /^[.]El/ { why = 0 }
		why && /^[.]It Cm / { delete reason[substr($0, 8)] }
		END {
			if (units != 720 || lanes != 1024) print "instances: " units, lanes
			if (role["simt_stack.lanes_committed"] != 1024) print "roles: counters are not added"
			if (role["simt_stack.max_depth"] != deepest || !deepest)
				print "roles: maxima are not the largest"
			if (role["access_coalescer.per_group.samples"] != each || !each)
				print "roles: histograms"
			if (role["traffic.total.flits"] != flits || !flits) print "roles: the total of traffic"
			if (reasons < 11) print reasons + 0 " reasons"
			for (name in reason) print "gputm-reports(7) does not explain aborts for " name
		}' instances roles "$page" >wrong
	[ ! -s wrong ] || complain "$(cat wrong)"
}

# Single figures. A limit that holds no warp back is none: 16 blocks of 4 warps on 15 cores.
case_only() {
	runs <<-TABLE
		0 $bank --only cycles,commit_unit.hazards,traffic.*.packets --format jsonl |~ ^[{]"version":"[^"]*","point.hash":"[0-9a-f]*","point.system":"kilo-tm","point.workload":"bank","point.threads":512,"point.seed":1,"cycles":[0-9]*,"traffic.load.packets":[0-9]*,.*,"commit_unit.hazards":[0-9]*[}]$
		0 $bank --only cycles |~ ^  cycles  *[0-9]*$
		0 $bank --only cycles --format csv !| check
		0 $bank --only cycles --check --format csv |~ ^[0-9a-f]*,check,,passed,true$
		0 $bank --only cycles --check --format json | "passed": true
		2 $bank --only cycles,check.* : --only: got "check.*", which needs --check
		2 $bank --only cycels : did you mean "cycles"
		2 $bank --only tx_throttle.admisions : did you mean "tx_throttle.admissions"
		2 $bank --only cycles,hazard : --only: got "hazard", expected a figure of the run
		2 $bank --report all : --report: got "all", expected summary|roles|instances
		2 $bank --report= : --report: got "", expected summary|roles|instances
		0 --workload bank --threads 2048 --concurrency 7 !| 7 warps per core in transactions: no core has more
		0 --workload bank --threads 2048 --concurrency 8 |~ 8 warps per core in transactions: no core has more$
	TABLE
}

# What a figure is described as does not depend on the figures that are left out before it.
case_described() {
	runs <<-TABLE
		0 $bank --check --format gem5 > whole
		0 $bank --check --format gem5 --only cycles,traffic.*,commit_unit.*,check.* > part
	TABLE
	[ "$(grep -c '#' part)" -gt 40 ] || complain "$(grep -c '#' part) figures"
	grep -vxFf whole part >wrong && complain "described otherwise: $(cat wrong)"
}

# The hash of a point: equal numbers below are equal points.
case_point() {
	printf 'one two three two\n' >a
	printf 'one two three four\n' >b
	cp "$kernels/bank.kernel" same.kernel
	sed '$s/$/ # another/' same.kernel >changed.kernel
	points=
	cp a c
	n=0
	while IFS=: read -r same of; do
		n=$((n + 1))
		points="$points $same"
		echo "0$of --only cycles --format jsonl > point.$n"
	done >table <<-TABLE
		1: $bank
		1: $bank --check
		1: $bank --set machine.cores=15 --concurrency 2 --seed 1
		2: $bank --seed 2
		3: $bank --system getm
		4: $bank --concurrency 4
		5: $bank --set workload.accounts=77
		6: $bank --set commit_unit.ring=960
		7: $bank --machine reference
		8: $bank --divergence pdom-lcp
		9: --keys a
		10: --keys b
		9: --keys c
		1: --workload ./same.kernel --threads 512
		11: --workload ./changed.kernel --threads 512
		12: --workload ht-800 --threads 64
		12: --workload $kernels/hash-table.kernel:ht-800 --threads 64
	TABLE
	runs <table
	awk -v points="$points" '
		{
			match($0, /"point.hash":"[0-9a-f]*"/)
			hash[substr(FILENAME, 7)] = substr($0, RSTART + 14, RLENGTH - 15)
		}
		END {
			n = split(points, point, " ")
			for (i = 1; i <= n; i++)
				for (k = 1; k < i; k++)
					if ((point[i] == point[k]) != (hash[i] == hash[k]) || length(hash[i]) != 16)
						print "points " k " and " i " of the table"
			if (n != 17) print n " points"
		}' point.* >wrong
	[ ! -s wrong ] || complain "$(cat wrong)"
}

# The text tells the command that repeats it.
case_command() {
	run 0 --workload ht-800 --system getm --concurrency inf --set machine.cores=8 --seed 5 \
		--set validation_unit.stall_lines=16 --set machine.cores=4
	mv out once
	command=$(sed -n '/^ *gputm-sim --/,/^$/ { s/^ *gputm-sim//; s/\\$//; p; }' once)
	case $command in *cores=4*) ;; *) complain "the command: $command" ;; esac
	case $command in *cores=8*) complain 'a setting that was overruled is told' ;; esac
	# shellcheck disable=SC2086
	run 0 $command
	for of in once out; do
		grep -E 'cycles|aborted|committed' $of >$of.figures
	done
	[ -s out.figures ] && cmp -s once.figures out.figures || complain 'the command is another run'
}

# A point read back: reports as JSON and JSONL and a config of lines give the same bytes again. The
# command line overrules it, whatever else is the default there.
case_back() {
	printf 'one two three two\n' >a
	cat >backs <<-TABLE
		--workload ht-800 --system getm --concurrency inf --seed 5 --set validation_unit.stall_lines=16 --set machine.cores=4
		--workload bank --threads 100 --machine reference --set warp_clock.backoff_base=0x10 --system getm
		--system hetm --workload w1 --threads 300 --set system.gpu=getm --set workload.kilobytes=64
		--kernel $kernels/eddy.kernel --divergence tbc --set core.warps=16
		--kernel $kernels/bank.kernel --system si-tm --threads 64
		--keys a
	TABLE
	n=0
	while read -r of; do
		n=$((n + 1))
		echo "0 $of --format jsonl > $n.jsonl"
		echo "0 $of --format json --report summary > $n.json"
	done <backs >table
	runs <table
	awk '{
		sub(/,"system".*/, ""); sub(/^[{]/, ""); gsub(/"/, "")
		n = split($0, part, ",")
		for (i = 1; i <= n; i++)
			if (sub(/^point[.]/, "", part[i]) && part[i] !~ /^hash/) {
				if (part[i] ~ /^[^:]*[.][^:]*:/) part[i] = "set " part[i]
				sub(/:/, " ", part[i])
				print part[i] >(FILENAME ".config")
			}
	}' [1-6].jsonl
	for n in 1 2 3 4 5 6; do
		for config in $n.jsonl $n.json $n.jsonl.config; do
			echo "0 --config $config --format jsonl > back"
			echo "same back $n.jsonl"
		done
	done >table
	runs <table

	printf 'system getm # a comment\nworkload bank\n\nthreads 64\nset validation_unit.stall_lines 2\n' >config
	runs <<-TABLE
		0 --seed 7 --config config --set validation_unit.stall_lines=8 --format jsonl | "point.threads":64,"point.seed":7,"point.validation_unit.stall_lines":8
		2 --config absent : cannot be read: No such file or directory
	TABLE
}

case_bad_configs() {
	run 0 $bank --format jsonl
	mv out line
	# A line is: what is said of the config <= its lines, with / between them; - is an empty one
	awk '{
		at = index($0, " <= ")
		n = split(substr($0, at + 4), line, " / ")
		for (i = 1; i <= n; i++)
			print line[i] == "-" ? "" : line[i] >("bad." NR)
		print "2 --config bad." NR " : bad." NR ":" substr($0, 1, at - 1)
	}' >table <<-TABLE
		2: got "sytem", expected an option that says what is run <= workload bank / sytem getm
		1: got "out", expected an option <= out x
		1: --threads: got "0", expected a number <= threads 0
		1: seed: got 3 values, expected one in a config <= seed 1..3
		2: seed: is on line 1 too <= seed 1 / seed 2
		1: seed: got nothing, expected values <= seed
		1: got "machine.cores", expected NAME VALUE <= machine.cores 5
		1: got "set", expected NAME VALUE <= set
		1: got "cores", expected NAME VALUE <= set cores 5
		1: got "stall_lines", expected NAME VALUE..., set PATH.FIELD VALUE... or call NAME TEXT...; stall_lines is validation_unit.stall_lines of --system getm <= set stall_lines 5
		1: tell: it belongs to studies <= tell cycles
		1: got a report for readers, expected one as JSON <= gputm-sim 0.1.0 / -
		1: got a report for readers <= run,role,instance,statistic,value
		1: expected a report with a point <= {}
		1: expected one whole report as JSON <= {"point": {"seed": 1}
		1: expected one whole report as JSON <= $(cat line) / $(cat line)
	TABLE
	runs <table
}
cases "$@"
