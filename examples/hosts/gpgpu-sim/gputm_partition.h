/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_HOSTS_GPGPU_SIM_PARTITION_H
#define GPUTM_HOSTS_GPGPU_SIM_PARTITION_H
/*
 * A validation unit beside a memory partition. Fetch: the host's request, which comes back with its
 * answer; a request that has to wait is kept here and not executed again.
 */
#include <cstdint>
#include <gputm/gputm.hpp>

template <class Fetch> class gputm_partition {
public:
	gputm_partition(const char *preset, std::size_t warps) : unit_(preset), attempt_(warps) {}

	/* False: the port is full; try again after a cycle. */
	bool push(Fetch *fetch, std::uint64_t address, std::uint32_t warp, std::uint64_t time,
		  bool write)
	{
		const gputm_validation_request request = {
			reinterpret_cast<std::uintptr_t>(fetch), address, time, attempt_[warp],
			warp, write,
		};

		return unit_.check(gputm_validation_unit_push(unit_, &request)) ==
		       GPUTM_VALIDATION_UNIT_ACCEPTED;
	}
	void cycle() { unit_.check(gputm_validation_unit_tick(unit_)); }
	/* The next request that is answered; null: none. */
	Fetch *pop(gputm_validation_answer *answer)
	{
		if (!gputm_validation_unit_peek(unit_, answer))
			return nullptr;
		gputm_validation_unit_pop(unit_);
		return reinterpret_cast<Fetch *>(static_cast<std::uintptr_t>(answer->tag));
	}
	/* A write of the warp's attempt has reached memory, or the attempt has failed. */
	void release(std::uint64_t address, std::uint32_t warp)
	{
		unit_.check(gputm_validation_unit_release(unit_, address, warp, attempt_[warp], 1,
							  nullptr));
	}
	/* After the last release of an attempt: what the warp sends now is of the next one. */
	void next_attempt(std::uint32_t warp) { attempt_[warp]++; }
	gputm_unit *face() const { return unit_.face(); }

private:
	gputm::unit<gputm_validation_unit> unit_;
	std::vector<std::uint64_t> attempt_;
};

#endif
