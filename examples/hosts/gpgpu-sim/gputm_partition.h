/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_HOSTS_GPGPU_SIM_PARTITION_H
#define GPUTM_HOSTS_GPGPU_SIM_PARTITION_H
/*
 * A validation unit with the calls of GPGPU-Sim's memory_sub_partition: full(), push() and
 * cache_cycle() in the L2's clock, top() and pop() in the network's. Fetch: the host's request. One
 * of several granules is a request of the unit for each, and is answered when all are: by an abort,
 * if one of them is. A request that has to wait is kept by the unit and not executed again.
 */
#include <algorithm>
#include <cstdint>
#include <deque>
#include <gputm/gputm.hpp>
#include <stdexcept>

template <class Fetch> class gputm_partition {
public:
	/* room: granules that wait in front of the unit's port, as in the host's queue. */
	gputm_partition(const char *preset, std::size_t warps, std::size_t room)
		: unit_(preset), warp_(warps), room_(room),
		  granule_(gputm::config<gputm_validation_unit>(preset).granularity) {}

	/* Whether there is no room for a fetch of so many granules: push() cannot refuse. */
	bool full(std::size_t granules) const { return waiting_.size() + granules > room_; }
	/* An access to bytes from address on, by an attempt of that time. */
	void push(Fetch *fetch, std::uint64_t address, std::uint64_t bytes, std::uint32_t warp,
		  std::uint64_t time, bool write)
	{
		std::uint64_t first = address / granule_, last = (address + bytes - 1) / granule_;
		std::uint64_t at = free_.empty() ? job_.size() : free_.back();

		if (full(last - first + 1))
			throw std::length_error("gputm_partition: a push without room");
		if (free_.empty())
			job_.emplace_back();
		else
			free_.pop_back();
		job_[at] = { fetch, first, last - first + 1, warp, write, {} };
		for (std::uint64_t part = 0; part <= last - first; part++)
			waiting_.push_back({ at << 32 | part, (first + part) * granule_, time,
					     warp_.at(warp).attempt, warp, write });
	}
	void cache_cycle()
	{
		while (!waiting_.empty() &&
		       unit_.check(gputm_validation_unit_push(unit_, &waiting_.front())) ==
			       GPUTM_VALIDATION_UNIT_ACCEPTED)
			waiting_.pop_front();
		unit_.check(gputm_validation_unit_tick(unit_));
	}
	/* The oldest fetch that is answered, and stays until pop(); null: none. */
	Fetch *top(gputm_validation_unit_answer *answer)
	{
		gputm_validation_unit_answer part;

		while (top_ == none && gputm_validation_unit_peek(unit_, &part)) {
			gputm_validation_unit_pop(unit_);
			settle(part);
		}
		if (top_ == none)
			return nullptr;
		*answer = job_[top_].answer;
		return job_[top_].fetch;
	}
	Fetch *pop(gputm_validation_unit_answer *answer)
	{
		Fetch *fetch = top(answer);

		if (fetch) {
			free_.push_back(top_);
			top_ = none;
		}
		return fetch;
	}
	/*
	 * The attempt is over: all its fetches have come back, and what it wrote has reached
	 * memory, or it has failed. Its reservations are released; what the warp sends now is of
	 * the next attempt.
	 */
	void over(std::uint32_t warp)
	{
		state &w = warp_.at(warp);

		for (std::uint64_t address : w.reserved)
			unit_.check(gputm_validation_unit_release(unit_, address, warp, w.attempt,
								  1, nullptr));
		w.reserved.clear();
		w.attempt++;
	}
	gputm_unit *face() const { return unit_.face(); }

private:
	static constexpr std::uint64_t none = UINT64_MAX;
	struct job {
		Fetch *fetch;
		std::uint64_t first, left; /* granules: the first, and those not answered */
		std::uint32_t warp;
		bool write;
		gputm_validation_unit_answer answer;
	};
	struct state {
		std::uint64_t attempt = 0;
		std::vector<std::uint64_t> reserved;
	};
	void settle(const gputm_validation_unit_answer &part)
	{
		job &j = job_[part.tag >> 32];

		if (part.result == GPUTM_VALIDATION_UNIT_OK && j.write)
			warp_[j.warp].reserved.push_back((j.first + (part.tag & UINT32_MAX)) *
							 granule_);
		if (part.result > j.answer.result)
			j.answer.reason = part.reason;
		j.answer.result = std::max(j.answer.result, part.result);
		j.answer.time = std::max(j.answer.time, part.time);
		j.answer.cycles += part.cycles;
		if (!--j.left)
			top_ = part.tag >> 32;
	}
	gputm::unit<gputm_validation_unit> unit_;
	std::vector<state> warp_;
	std::deque<gputm_validation_unit_request> waiting_;
	std::vector<job> job_;
	std::vector<std::uint64_t> free_;
	std::uint64_t top_ = none, room_, granule_;
};

#endif
