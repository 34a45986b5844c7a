/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends runs that make no progress, and says why. */
#include <inttypes.h>
#include <stdio.h>

#include "run.h"
#include "../base/table.h"

#define SURE_ABORTS 1000 /* commits may be rare, but not rarer than this */

/* Attempts since the last commit by the reasons of their aborts: "conflict 12, capacity 3". */
static void tell_reasons(const struct sim_run *run, char *text, size_t size)
{
	size_t length = 0;

	text[0] = 0;
	for (unsigned i = 0; i < SIM_ABORT_REASONS && length < size; i++) {
		uint64_t aborted = run->port.result.aborted_by_reason[i] -
				   run->waited.reasons_before[i];

		if (aborted)
			length += (size_t)snprintf(text + length, size - length, "%s%s %" PRIu64,
						   length ? ", " : "", sim_abort_reason_name[i],
						   aborted);
	}
}

void sim_run_look_patiently(struct sim_run *run)
{
	struct sim_patience *p = &run->waited;
	const struct sim_result *result = &run->port.result;
	uint64_t cycles = (run->port.now - p->committed_at) / run->port.core_ticks;
	uint64_t aborted = result->aborted - p->aborted_before;
	bool many = run->patience && aborted > run->patience;
	bool late = run->patience_cycles && aborted > SURE_ABORTS && cycles > run->patience_cycles;
	char message[SIM_MESSAGE], reasons[240];

	if (result->committed != p->committed_before) {
		p->committed_before = result->committed;
		p->committed_at = run->port.now;
		p->aborted_before = result->aborted;
		memcpy(p->reasons_before, result->aborted_by_reason, sizeof p->reasons_before);
	} else if (many || late) {
		tell_reasons(run, reasons, sizeof reasons);
		snprintf(message, sizeof message, "more than %s.%s = %u %s since the last "
			 "commit; attempts aborted by reason: %s", run->patient,
			 many ? "patience" : "patience_cycles",
			 many ? run->patience : run->patience_cycles,
			 many ? "attempts were aborted" : "cycles have passed", reasons);
		sim_fail(&run->port, -ETIME, message);
	}
}

void sim_fail_at(struct sim_port *port, uint32_t pc, int error, const char *reason)
{
	const struct sim_program *program = port->program;
	char message[SIM_MESSAGE];

	if (program->spot)
		snprintf(message, sizeof message, "%s:%u:%u: %s", program->file,
			 program->spot[pc].line, program->spot[pc].column, reason);
	else
		snprintf(message, sizeof message, "instruction %u: %s", pc, reason);
	sim_fail(port, error, message);
}

void sim_give_up(struct sim_port *port, uint32_t thread, uint32_t pc, const char *reason)
{
	char text[SIM_MESSAGE];

	snprintf(text, sizeof text, "thread %u %s", sim_name_of(port, thread), reason);
	sim_fail_at(port, pc, -ETIME, text);
}

/*
 * A run comes no nearer to its end if no thread ends and, where the workload knows the number of
 * its transactions, none commits. Threads that wait for each other may change memory for ever, or
 * commit transactions that find nothing new. Attempts of which none commits have rules of their
 * own, above.
 */
void sim_run_late(struct sim_run *run, uint32_t thread, uint32_t pc, bool inside)
{
	struct sim_patience *p = &run->waited;
	uint64_t most = run->port.workload->transactions, now = run->port.now;
	uint64_t committed = run->port.result.committed;
	uint64_t left = run->threads_left - (most ? committed : 0);
	uint64_t cycles = (now - p->left_at) / run->port.core_ticks;
	bool commits = p->committed_at > p->left_at;
	char reason[480], waits[240] = "";

	if (left != p->left_before) {
		p->left_before = left;
		p->left_at = now;
		cycles = 0;
	}
	if (most && committed > most)
		snprintf(reason, sizeof reason, "goes on, but the run has %" PRIu64 " transactions "
			 "(commits), and %" PRIu64 " have committed", most, committed);
	else if ((commits || !inside) && cycles > run->patience_cycles) {
		run->class->waits(run, thread, waits, sizeof waits);
		snprintf(reason, sizeof reason, "goes round: no thread has ended%s for more than "
			 "%s.patience_cycles = %u cycles%s%s", most ? " or committed" : "",
			 run->patient, run->patience_cycles,
			 most ? "" : " (expected more of them, or a line commits)", waits);
	} else
		return;
	sim_give_up(&run->port, thread, pc, reason);
}

uint64_t sim_sum_words(uint64_t sum, const uint32_t *word, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		sum = (sum ^ word[i]) * SIM_HASH_FACTOR;
		sum ^= sum >> 32;
	}
	return sum;
}

uint64_t sim_run_still(struct sim_run *run)
{
	struct sim_patience *p = &run->waited;
	uint64_t now = run->port.now, sum;

	if (now >= p->next_sum) {
		p->next_sum = now + SIM_SAMPLE;
		sum = run->class->sum(run);
		if (sum != p->sum || run->threads_left != p->still_left)
			p->still_at = now;
		p->sum = sum;
		p->still_left = run->threads_left;
	}
	return (now - p->still_at) / run->port.core_ticks;
}

void sim_run_watch(struct sim_run *run, uint32_t thread, uint32_t pc)
{
	char reason[480], waits[240] = "";

	sim_run_late(run, thread, pc, false);
	if (sim_run_still(run) <= SIM_STILL)
		return;
	run->class->waits(run, thread, waits, sizeof waits);
	snprintf(reason, sizeof reason, "goes round: no thread has ended, and no register or word "
		 "of memory has changed, for more than %" PRIu64 " cycles%s", SIM_STILL, waits);
	sim_give_up(&run->port, thread, pc, reason);
}
