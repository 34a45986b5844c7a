/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two transactions in one partition. 8 has read A as 1, which 7 is still to write: its
 * speculative validation fails, hazard detection finds 7, and the revalidation passes.
 */
#include <inttypes.h>
#include <stdio.h>

#include <gputm/commit_unit.h>

static uint32_t memory[4]; /* of the partition; A is word 0 */

static int send(struct gputm_commit_unit *unit, uint32_t kind, uint64_t cid, uint64_t yes,
		uint32_t words)
{
	struct gputm_commit_unit_message m = { 0 };

	m.kind = kind;
	m.first_cid = cid; /* a warp of one */
	m.lanes = 1;
	m.mask = 1;
	m.yes = yes;
	m.words = words;
	m.word[0].value = 1; /* of A: read by 8, written by 7 */
	return gputm_commit_unit_push(unit, &m);
}

static void serve_memory(struct gputm_commit_unit *unit)
{
	static const enum gputm_commit_unit_port port[] = { GPUTM_COMMIT_UNIT_PORT_COMMIT,
							     GPUTM_COMMIT_UNIT_PORT_VALIDATION };
	struct gputm_mem_request r;

	for (int i = 0; i < 2; i++) {
		if (!gputm_commit_unit_mem_peek(unit, port[i], &r))
			continue;
		gputm_commit_unit_mem_pop(unit, port[i]);
		if (r.write)
			memory[r.address / 4] = r.value[0];
		printf("%s A: %" PRIu32 "\n", r.write ? "write" : "read ", memory[r.address / 4]);
		if (gputm_commit_unit_mem_complete(unit, r.tag, &memory[r.address / 4]))
			printf("refused\n");
	}
}

int main(void)
{
	struct gputm_commit_unit_config config = GPUTM_COMMIT_UNIT_CONFIG_INIT;
	struct gputm_commit_unit *unit;
	struct gputm_commit_unit_report report;
	int error;

	config.first_cid = 7;
	error = gputm_commit_unit_new(NULL, &config, &unit);
	if (error)
		return 1;
	error |= send(unit, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 8, 0, 1);
	error |= send(unit, GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG, 7, 0, 1);
	error |= send(unit, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7, 1, 0);
	error |= send(unit, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 8, 1, 0);
	for (int cycle = 1; !error && gputm_commit_unit_oldest(unit) < 9; cycle++) {
		gputm_commit_unit_tick(unit);
		serve_memory(unit);
		while (gputm_commit_unit_peek(unit, &report)) {
			gputm_commit_unit_pop(unit);
			if (report.kind == GPUTM_COMMIT_UNIT_REPORT_OUTCOME) {
				printf("cycle %d: %" PRIu64 " %s, 7 is in stage %d\n", cycle,
				       report.first_cid, report.yes ? "passes" : "fails",
				       gputm_commit_unit_entry_state(unit, 7));
				error |= send(unit, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT,
					      report.first_cid, report.yes, 0);
			} else {
				printf("cycle %d: %" PRIu64 " retires\n", cycle, report.first_cid);
			}
		}
	}
	gputm_commit_unit_free(unit);
	return error != 0;
}
