/* SPDX-License-Identifier: BSD-2-Clause */
#include "record.h"

#include <errno.h>
#include <inttypes.h>

#define LOWEST UINT64_C(0x1000)	   /* addresses of traces */
#define HIGHEST UINT64_C(0x7ffffffc)

struct record {
	FILE *out;
	uint64_t transactions, lowest, highest, less;
};

static void measure(void *state, uint32_t thread, bool committed, const struct sim_access *access,
		    uint32_t plain, uint32_t count)
{
	struct record *r = state;

	(void)thread;
	r->transactions += committed && count > plain;
	for (uint32_t i = plain; committed && i < count; i++) {
		r->lowest = access[i].address < r->lowest ? access[i].address : r->lowest;
		r->highest = access[i].address > r->highest ? access[i].address : r->highest;
	}
}

static void write_line(void *state, uint32_t thread, bool committed,
		       const struct sim_access *access, uint32_t plain, uint32_t count)
{
	struct record *r = state;

	if (!committed || count == plain)
		return;
	fprintf(r->out, "t %" PRIu32, thread);
	for (uint32_t i = plain; i < count; i++)
		fprintf(r->out, " %c%" PRIx64 "=%" PRIx32, access[i].write ? 'w' : 'r',
			access[i].address - r->less, access[i].value);
	putc('\n', r->out);
}

int sim_check_record(const struct sim_check *check, const char *workload, FILE *out)
{
	struct record r = { .out = out, .lowest = UINT64_MAX };

	sim_check_each(check, measure, &r);
	if (r.transactions && r.highest > HIGHEST)
		r.less = r.lowest / LOWEST * LOWEST - LOWEST;
	if (r.highest - r.less > HIGHEST)
		return -EINVAL;
	fprintf(out, "# name: %s\n# recorded by gputm-sim; addresses are less by 0x%" PRIx64
		"\n# transactions: %" PRIu64 "\n", workload, r.less, r.transactions);
	sim_check_each(check, write_line, &r);
	return 0;
}
