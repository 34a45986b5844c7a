// SPDX-License-Identifier: BSD-2-Clause
// A C++ program outside the project, built with nothing but pkg-config: a filter, and one
// transaction through a commit unit, which reads a word whose value has changed and fails.
#include <cstdio>
#include <memory>

#include <gputm/gputm.h>

struct Deleter {
	void operator()(gputm_recency_bloom *filter) const
	{
		gputm_recency_bloom_free(filter);
	}
	void operator()(gputm_commit_unit *unit) const
	{
		gputm_commit_unit_free(unit);
	}
};

static bool filter()
{
	gputm_recency_bloom_config config = GPUTM_RECENCY_BLOOM_CONFIG_INIT;
	gputm_recency_bloom *made = nullptr;
	uint64_t stamp = 0;

	if (gputm_recency_bloom_config_preset(&config, "tcd") ||
	    gputm_recency_bloom_new(nullptr, &config, &made))
		return false;
	std::unique_ptr<gputm_recency_bloom, Deleter> owner(made);
	return !gputm_recency_bloom_update(made, 0x1000, 7) &&
	       !gputm_recency_bloom_query(made, 0x1000, &stamp) && stamp == 7 &&
	       !gputm_unit_check(gputm_recency_bloom_unit(made));
}

static bool push(gputm_commit_unit *unit, uint32_t kind, uint64_t yes)
{
	gputm_commit_unit_message message = gputm_commit_unit_message();

	message.kind = kind;
	message.first_cid = gputm_commit_unit_oldest(unit);
	message.lanes = 1;
	message.mask = 1;
	message.yes = yes;
	if (kind == GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG) {
		message.words = 1;
		message.word[0].address = 0x10;
		message.word[0].value = 5;
	}
	return gputm_commit_unit_push(unit, &message) == GPUTM_COMMIT_UNIT_ACCEPTED;
}

static bool fails(gputm_commit_unit *unit)
{
	gputm_mem_request request;
	gputm_commit_unit_report report;
	uint32_t changed[GPUTM_MEM_WORDS_MAX] = { 99 };

	for (int cycle = 0; cycle < 1000; cycle++) {
		gputm_commit_unit_tick(unit);
		if (gputm_commit_unit_mem_peek(unit, GPUTM_COMMIT_UNIT_PORT_VALIDATION, &request)) {
			gputm_commit_unit_mem_pop(unit, GPUTM_COMMIT_UNIT_PORT_VALIDATION);
			if (gputm_commit_unit_mem_complete(unit, request.tag, changed))
				return false;
		}
		if (gputm_commit_unit_peek(unit, &report))
			return report.kind == GPUTM_COMMIT_UNIT_REPORT_OUTCOME && report.yes == 0;
	}
	return false;
}

static bool commit()
{
	gputm_commit_unit_config config = GPUTM_COMMIT_UNIT_CONFIG_INIT;
	gputm_commit_unit *made = nullptr;

	if (gputm_commit_unit_config_preset(&config, "kilo-tm") ||
	    gputm_commit_unit_new(nullptr, &config, &made))
		return false;
	std::unique_ptr<gputm_commit_unit, Deleter> owner(made);
	return push(made, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 0) &&
	       push(made, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 1) && fails(made) &&
	       !gputm_unit_check(gputm_commit_unit_unit(made));
}

int main()
{
	bool filter_works = filter(), commit_works = commit();

	std::printf("libgputm %s: recency_bloom %s, commit_unit %s\n", gputm_version(),
		    filter_works ? "ok" : "failed", commit_works ? "ok" : "failed");
	return filter_works && commit_works ? 0 : 1;
}
