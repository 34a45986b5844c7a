/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program outside the project, built with nothing but pkg-config: a filter, and one
 * transaction through a commit unit, which reads a word, writes another and commits.
 */
#include <stdio.h>

#include <gputm/gputm.h>

static int filter(void)
{
	struct gputm_recency_bloom_config config = GPUTM_RECENCY_BLOOM_CONFIG_INIT;
	struct gputm_recency_bloom *filter;
	uint64_t stamp;
	int bad;

	if (gputm_recency_bloom_config_preset(&config, "kilo-tm") ||
	    gputm_recency_bloom_new(NULL, &config, &filter))
		return 1;
	bad = gputm_recency_bloom_update(filter, 0x1000, 7) ||
	      gputm_recency_bloom_query(filter, 0x1000, &stamp) || stamp != 7 ||
	      gputm_unit_check(gputm_recency_bloom_unit(filter));
	gputm_recency_bloom_free(filter);
	return bad;
}

/* Memory of 64 words, which answers at once. */
static uint32_t memory[64];

static int serve(struct gputm_commit_unit *unit, enum gputm_commit_unit_port port)
{
	struct gputm_mem_request request;
	uint32_t values[GPUTM_MEM_WORDS_MAX] = { 0 };

	if (!gputm_commit_unit_mem_peek(unit, port, &request))
		return 0;
	gputm_commit_unit_mem_pop(unit, port);
	for (unsigned i = 0; i < GPUTM_MEM_WORDS_MAX; i++) {
		uint32_t *word = &memory[(request.address / 4 + i) % 64];

		if (!(request.word_mask >> i & 1))
			continue;
		if (request.write)
			*word = request.value[i];
		values[i] = *word;
	}
	return gputm_commit_unit_mem_complete(unit, request.tag, values);
}

/* Run until the next report, which must be of this kind. */
static int wait_for(struct gputm_commit_unit *unit, uint32_t kind,
		    struct gputm_commit_unit_report *report)
{
	for (int cycle = 0; cycle < 1000; cycle++) {
		gputm_commit_unit_tick(unit);
		if (serve(unit, GPUTM_COMMIT_UNIT_PORT_VALIDATION) ||
		    serve(unit, GPUTM_COMMIT_UNIT_PORT_COMMIT))
			return 1;
		if (gputm_commit_unit_peek(unit, report)) {
			gputm_commit_unit_pop(unit);
			return report->kind != kind;
		}
	}
	return 1;
}

static int say(struct gputm_commit_unit *unit, uint32_t kind, uint64_t yes, uint64_t address,
	       uint32_t value)
{
	struct gputm_commit_unit_message message = { 0 };

	message.kind = kind;
	message.first_cid = gputm_commit_unit_oldest(unit);
	message.lanes = 1;
	message.mask = 1;
	message.yes = yes;
	if (address) {
		message.words = 1;
		message.word[0].address = address;
		message.word[0].value = value;
	}
	return gputm_commit_unit_push(unit, &message) != GPUTM_COMMIT_UNIT_ACCEPTED;
}

static int transaction(struct gputm_commit_unit *unit)
{
	struct gputm_commit_unit_report report;

	memory[0x10 / 4] = 5;
	if (say(unit, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 0, 0x10, 5) ||
	    say(unit, GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG, 0, 0x20, 6) ||
	    say(unit, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 1, 0, 0) ||
	    wait_for(unit, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, &report) || report.yes != 1 ||
	    say(unit, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 1, 0, 0) ||
	    wait_for(unit, GPUTM_COMMIT_UNIT_REPORT_RETIRED, &report))
		return 1;
	return memory[0x20 / 4] != 6 || gputm_unit_check(gputm_commit_unit_unit(unit));
}

static int commit(void)
{
	struct gputm_commit_unit_config config = GPUTM_COMMIT_UNIT_CONFIG_INIT;
	struct gputm_commit_unit *unit;
	int bad;

	if (gputm_commit_unit_config_preset(&config, "kilo-tm") ||
	    gputm_commit_unit_new(NULL, &config, &unit))
		return 1;
	bad = transaction(unit);
	gputm_commit_unit_free(unit);
	return bad;
}

int main(void)
{
	int no_filter = filter(), no_commit = commit();

	printf("libgputm %s: recency_bloom %s, commit_unit %s\n", gputm_version(),
	       no_filter ? "failed" : "ok", no_commit ? "failed" : "ok");
	return no_filter || no_commit;
}
