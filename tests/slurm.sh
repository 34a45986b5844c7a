#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# examples/studies/slurm.sh on a cluster of this host only, which root starts here and ends with
# the test (.ci/run): the same bytes as one run; and with a task killed the merge fails.
. "${srcdir:-.}/tests/build/lib.sh"
SIM=$(cd "${top_builddir:-.}" && pwd)/gputm-sim
slurm=$(cd "$srcdir/examples/studies" && pwd)/slurm.sh
export SIM
for program in munged slurmctld slurmd sbatch; do
	have $program || skip "$program is not there"
done
[ "$(id -u)" -eq 0 ] || skip 'only root starts a cluster'
cd "$work" || exit 1
chmod 755 "$work"
stop() {
	for pid in slurmd slurmctld munged; do
		[ ! -s "$work/$pid.pid" ] || kill "$(cat "$work/$pid.pid")" 2>/dev/null
	done
	sleep 1
	rm -rf "$work"
}
trap stop EXIT

# ---- one node, without systemd and control groups ----
dd if=/dev/urandom of=key bs=1024 count=1 2>/dev/null
chmod 400 key
mkdir -m 755 ctld d
munged --force --key-file "$work/key" --socket "$work/munge" --pid-file "$work/munged.pid" \
	--log-file "$work/munged.log" --seed-file "$work/munge.seed" || complain "munged: $(cat munged.log)"
host=$(hostname -s)
port=$((20000 + $$ % 20000))
cat >slurm.conf <<TXT
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$work/munge
CredType=cred/munge
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
StateSaveLocation=$work/ctld
SlurmdSpoolDir=$work/d
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0
MinJobAge=300
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(getconf _NPROCESSORS_ONLN)
PartitionName=all Nodes=$host Default=YES OverSubscribe=YES
TXT
echo 'CgroupPlugin=autodetect' >cgroup.conf
SLURM_CONF=$work/slurm.conf
export SLURM_CONF
slurmctld -c && slurmd -c || complain "Slurm does not start: $(cat slurmctld.log slurmd.log)"
for _ in $(seq 60); do
	[ "$(sinfo -h -o %t 2>/dev/null)" != idle ] || break
	sleep 0.5
done
[ "$(sinfo -h -o %t)" = idle ] || { complain "no node: $(cat slurmctld.log slurmd.log)"; exit 1; }

# ---- the same bytes ----
cat >study <<'TXT'
system kilo-tm getm
workload bank
threads 64
concurrency 1 2 4
seed 1..5
TXT
"$SIM" --study study --out all.jsonl || complain 'the study itself'
timeout 120 sh "$slurm" "$work/study" 3 "$work/merged" 2>err || complain "slurm.sh: $(cat err)"
cmp all.jsonl merged || complain 'through Slurm: other bytes than one run'

# ---- a task that is killed: the merge fails, and names what is missing; then the same again ----
cat >killed <<'TXT'
#!/bin/sh
[ "${SLURM_ARRAY_TASK_ID:-0}" -ne 2 ] || [ -e again ] || kill -9 $$
exec "$REAL" "$@"
TXT
chmod 755 killed
if REAL=$SIM SIM=$work/killed timeout 120 sh "$slurm" "$work/study" 3 "$work/other" 2>err; then
	complain 'a task was killed, and the merge has not failed'
fi
grep -q '10 of 30 points are missing: 2 5 8' err || complain "what is missing: $(cat err)"
[ ! -e other ] || complain 'a merge of some shards'
touch again
REAL=$SIM SIM=$work/killed timeout 120 sh "$slurm" "$work/study" 3 "$work/other" 2>err || complain "again: $(cat err)"
cmp all.jsonl other || complain 'gone on with: other bytes than one run'
exit $failed
