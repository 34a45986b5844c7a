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
	/* From a warp of one; the value is that of A, which 8 reads and 7 writes. */
	struct gputm_commit_unit_message m = {
		.kind = kind, .first_cid = cid, .lanes = 1, .mask = 1,
		.yes = yes, .words = words, .word = { { .value = 1 } },
	};

	if (gputm_commit_unit_push_probe(unit, &m) == GPUTM_COMMIT_UNIT_FULL)
		return 1; /* the message stays in the network */
	return gputm_commit_unit_push(unit, &m);
}

static void serve_memory(struct gputm_commit_unit *unit)
{
	struct gputm_mem_request r;
	uint64_t cid, lanes;

	for (unsigned port = 0; port < 2; port++) {
		if (!gputm_commit_unit_mem_peek(unit, port, &r) ||
		    gputm_commit_unit_get_lanes(unit, r.tag, &cid, &lanes))
			continue;
		gputm_commit_unit_mem_pop(unit, port);
		memory[r.address / 4] = r.write ? r.value[0] : memory[r.address / 4];
		printf("%s A for %" PRIu64 ": %" PRIu32 "\n", r.write ? "write" : "read ", cid,
		       memory[r.address / 4]);
		if (gputm_commit_unit_mem_complete(unit, r.tag, &memory[r.address / 4]))
			printf("refused\n");
	}
}

int main(void)
{
	struct gputm_commit_unit_config config = GPUTM_COMMIT_UNIT_CONFIG_INIT;
	struct gputm_commit_unit *unit;
	struct gputm_commit_unit_report report;
	int error = 0;

	config.first_cid = 7;
	if (gputm_commit_unit_new(NULL, &config, &unit))
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
				printf("cycle %d: %" PRIu64 " %s, 7 is in state %d\n", cycle,
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
