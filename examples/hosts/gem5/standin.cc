/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stand-in for gem5, which is not built here: standin/ has as much of its classes as the adapter
 * calls, and generate.py makes of GputmFilter.py what gem5's build makes of it. A cache bank tells
 * the SimObject of writes and asks who wrote last; the same filter is driven by its C functions,
 * and each answer is compared.
 */
#include <cstdlib>

#include "../shadow.hpp"
#include "../traffic.hpp"
#include "gputm_filter.hh"

#include <cstdio>
#include <memory>

namespace {

void say(const std::string &text)
{
	std::fprintf(stderr, "standin: %s\n", text.c_str());
}

gputm_recency_bloom *direct_filter()
{
	gputm_recency_bloom_config config = GPUTM_RECENCY_BLOOM_CONFIG_INIT;
	gputm_recency_bloom *filter;

	if (gputm_recency_bloom_config_preset(&config, "kilo-tm"))
		std::exit(1);
	config.entries = 128;
	if (gputm_recency_bloom_new(nullptr, &config, &filter))
		std::exit(1);
	return filter;
}

} // namespace

int main()
{
	gem5::GputmFilterParams params;
	hosts::shadow compare("recency_bloom", hosts::mode_named("shadow"), say);
	gputm_recency_bloom *direct = direct_filter();
	hosts::random random(3);

	params.name = "system.l2.filter";
	params.preset = "kilo-tm";
	params.settings = { "entries=128" };
	std::unique_ptr<gem5::GputmFilter> filter(params.create());
	for (std::uint64_t id = 0; compare.calls() < 1000000; id = (id + 1) % 512) {
		std::uint64_t address = random.below(4096) * 4, asked = random.below(4096) * 4;

		if (!id) {
			filter->clear();
			gputm_recency_bloom_clear(direct);
		}
		filter->wrote(address, id);
		if (gputm_recency_bloom_update(direct, address, id))
			return 1;
		compare([&] { return filter->lastWriter(asked); },
			[&] {
				std::uint64_t there = 0;

				if (gputm_recency_bloom_query(direct, asked, &there))
					std::exit(1);
				return there;
			});
	}
	filter->preDumpStats();
	for (const gem5::statistics::Scalar *scalar : filter->scalars)
		scalar->print();
	gputm_recency_bloom_free(direct);
	if (compare.differences())
		return 1;
	std::printf("recency_bloom: %llu updates, equal\n",
		    static_cast<unsigned long long>(compare.calls()));
	return 0;
}
