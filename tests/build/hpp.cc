// SPDX-License-Identifier: BSD-2-Clause
// A C++17 program with gputm.hpp: it makes, drives and measures units, observes one, saves and
// loads it, and reads why the library refuses. Each line that fails is printed.
#include <gputm/gputm.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <utility>

static int failures;

#define EXPECT(condition)                                                                      \
	do {                                                                                   \
		if (!(condition)) {                                                            \
			std::cout << __LINE__ << ": not " #condition "\n";                     \
			failures++;                                                            \
		}                                                                              \
	} while (0)

static std::uint64_t value(const gputm::unit<gputm_recency_bloom> &filter, const std::string &name)
{
	for (const gputm_stat &stat : filter.statistics())
		if (stat.name == name)
			return stat.value;
	return ~UINT64_C(0);
}

static void use()
{
	gputm::unit<gputm_recency_bloom> filter("kilo-tm");
	std::uint64_t stamp = 0, told = 0, bits = 0;

	filter.observe([&told](const gputm_event &event) { told += event.value[1]; });
	filter.check(gputm_recency_bloom_update(filter, 0x1000, 7));
	filter.check(gputm_recency_bloom_query(filter, 0x1000, &stamp));
	EXPECT(stamp == 7 && told == 7);
	filter.query(0x1000, &stamp); // as a method
	EXPECT(stamp == 7 && filter.base() == 0);
	filter.observe(nullptr);
	filter.check(gputm_recency_bloom_update(filter, 0x1000, 8));
	EXPECT(told == 7 && value(filter, "updates") == 2);
	for (const gputm_storage &array : filter.storage())
		bits += array.apart ? 0 : array.entries * array.bits;
	EXPECT(bits == gputm_unit_storage_bits(filter.face()));

	gputm::unit<gputm_recency_bloom> other("kilo-tm"), moved(std::move(filter));
	other.load(moved.save());
	EXPECT(other.save_state() == moved.save_state() && other.save_state() != other.save());
	EXPECT(other.save() == moved.save() && gputm_recency_bloom_base(other) == 0);

	auto kinds = other.events();
	EXPECT(std::distance(kinds.begin(), kinds.end()) == 2);
	EXPECT(std::any_of(other.params().begin(), other.params().end(),
			   [](const gputm_param &row) { return row.name == std::string("ways"); }));
	EXPECT(!other.presets().empty() && other.presets()[0].name == std::string("kilo-tm"));
}

static void histogram()
{
	gputm::unit<gputm_commit_unit> unit;
	std::size_t histograms = 0;

	for (const gputm_stat &stat : unit.statistics()) {
		gputm::span<std::uint64_t> buckets = gputm::buckets(stat);

		EXPECT(buckets.empty() == (stat.kind != GPUTM_STAT_HISTOGRAM));
		histograms += !buckets.empty();
		EXPECT(std::all_of(buckets.begin(), buckets.end(), [](auto n) { return !n; }));
	}
	std::cout << histograms << " histograms in commit_unit\n";
}

template <class Call> static void refused(int code, const char *what, Call call)
{
	bool thrown = false;

	try {
		call();
	} catch (const gputm::error &error) {
		thrown = true;
		std::cout << error.what() << '\n';
		EXPECT(error.code() == code);
		EXPECT(std::string(error.what()).find(what) != std::string::npos);
	}
	EXPECT(thrown);
}

int main()
{
	gputm::context ctx;
	auto config = gputm::config<gputm_recency_bloom>("kilo-tm", ctx);

	use();
	histogram();
	config.ways = 99;
	refused(EINVAL, "ways", [&] { gputm::unit<gputm_recency_bloom> none(config, ctx); });
	refused(EINVAL, "kilo-tm", [] { gputm::unit<gputm_recency_bloom> none("kilo"); });
	gputm::unit<gputm_recency_bloom> filter;
	refused(ERANGE, "address", [&] {
		filter.check(gputm_recency_bloom_update(filter, ~UINT64_C(0), 1));
	});
	refused(ERANGE, "address", [&] { filter.update(~UINT64_C(0), 1); });
	gputm::unit<gputm_simt_stack> stack;
	stack.launch(0, 0xf);
	EXPECT(stack.active_mask() == 0xf && stack.tx_begin(1) >= 0 && stack.depth() == 3);
	int handled = gputm_recency_bloom_update(filter, ~UINT64_C(0), 1); // and not checked
	EXPECT(handled == -ERANGE);
	filter.check(gputm_recency_bloom_update(filter, 0x1000, 1));
	refused(EINVAL, std::strerror(EINVAL), [&] { // a call without a context is silent
		filter.check(gputm_recency_bloom_config_preset(&config, "kilo"));
	});
	refused(EINVAL, "", [&] { filter.load(gputm::unit<gputm_tx_log>().save()); });
	return failures != 0;
}
