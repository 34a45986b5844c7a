/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_HOSTS_GEM5_FILTER_HH
#define GPUTM_HOSTS_GEM5_FILTER_HH
#include "gputm_unit.hh"
#include "params/GputmFilter.hh"

namespace gem5
{

/* The recency Bloom filter of a cache bank: which transaction wrote an address last, at least. */
class GputmFilter : public GputmUnit<gputm_recency_bloom> {
public:
	PARAMS(GputmFilter);
	explicit GputmFilter(const Params &p) : GputmUnit(p) {}
	void wrote(Addr address, std::uint64_t transaction)
	{
		unit_.check(gputm_recency_bloom_update(unit_, address, transaction));
	}
	std::uint64_t lastWriter(Addr address) const
	{
		std::uint64_t transaction = 0;

		unit_.check(gputm_recency_bloom_query(unit_, address, &transaction));
		return transaction;
	}
	void clear() { gputm_recency_bloom_clear(unit_); }
};

} // namespace gem5

#endif
