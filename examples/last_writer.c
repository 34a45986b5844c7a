/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hazard detection with a last writer history: transactions pass in commit order, each
 * asks for the youngest writer of the words it read and then records those it writes.
 * A writer that retired before the reader began to validate (below its RCID) is none.
 */
#include <inttypes.h>
#include <stdio.h>

#include <gputm/last_writer.h>

struct transaction {
	uint64_t cid, rcid; /* commit ID, oldest not retired when validation began */
	uint64_t read, written;
};

static const char *const source[] = { "nobody", "table", "filter" };

static int detect(struct gputm_last_writer *history, const struct transaction *t)
{
	uint64_t writer = 0;
	int result = gputm_last_writer_lookup(history, t->read, &writer);

	if (result < 0)
		return result;
	printf("%" PRIu64 " reads 0x%02" PRIx64 ": %s", t->cid, t->read, source[result]);
	if (result != GPUTM_LAST_WRITER_NONE)
		printf(" names %" PRIu64 "%s", writer,
		       writer >= t->rcid ? ", a hazard" : ", retired");
	result = gputm_last_writer_record_probe(history, t->written, t->cid);
	printf("; writes 0x%02" PRIx64 "%s\n", t->written,
	       result == GPUTM_LAST_WRITER_EVICTED ? " (evicts)" : "");
	result = gputm_last_writer_record(history, t->written, t->cid);
	return result < 0 ? result : 0;
}

int main(void)
{
	static const struct transaction passing[] = {
		{ 1, 1, 0x10, 0x20 }, { 2, 1, 0x20, 0x30 }, { 3, 3, 0x20, 0x40 },
		{ 4, 3, 0x20, 0x30 }, { 5, 1, 0x20, 0x10 },
	};
	struct gputm_last_writer_config config = GPUTM_LAST_WRITER_CONFIG_INIT;
	struct gputm_last_writer *history;
	uint64_t cycles, writer;
	int error;

	config.sets = 1;
	config.ways = 2;
	error = gputm_last_writer_new(NULL, &config, &history);
	for (size_t i = 0; !error && i < sizeof(passing) / sizeof(passing[0]); i++)
		error = detect(history, &passing[i]);
	if (!error)
		error = gputm_last_writer_expire(history, 4, &cycles);
	if (error) {
		fprintf(stderr, "last_writer: error %d\n", error);
		return 1;
	}
	printf("expire(4) takes %" PRIu64 " cycles; 0x20 was written by %s\n", cycles,
	       source[gputm_last_writer_lookup_probe(history, 0x20, &writer)]);
	gputm_last_writer_free(history);
	return 0;
}
