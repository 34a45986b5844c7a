/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_HOSTS_TRAFFIC_HPP
#define GPUTM_HOSTS_TRAFFIC_HPP
/*
 * What the cores of a stand-in host do: warps run attempts of a few random loads and stores on a
 * few granules, one access at a time; an attempt that fails begins again after the time that it was
 * told. At the end of an attempt its writes are released.
 */
#include <algorithm>
#include <cstdint>
#include <vector>

namespace hosts {

/* SplitMix64. */
class random {
public:
	explicit random(std::uint64_t seed) : state_(seed) {}
	std::uint64_t below(std::uint64_t limit)
	{
		std::uint64_t z = (state_ += UINT64_C(0x9e3779b97f4a7c15));

		z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
		return (z ^ (z >> 31)) % limit;
	}

private:
	std::uint64_t state_;
};

struct access {
	std::uint32_t warp;
	std::uint64_t address, time;
	bool write;
};

class traffic {
public:
	traffic(std::uint64_t seed, std::uint32_t warps) : random_(seed), warp_(warps) {}

	/* An access of a warp that waits for none. False: the warp that was drawn waits. */
	bool next(access &out)
	{
		std::uint32_t warp = static_cast<std::uint32_t>(random_.below(warp_.size()));

		if (warp_[warp].waits)
			return false;
		if (!warp_[warp].left)
			warp_[warp].left = 1 + random_.below(6);
		out = { warp, random_.below(64) * 32, warp_[warp].time, random_.below(3) == 0 };
		return true;
	}
	void sent(const access &a) { warp_[a.warp].waits = true; }
	/* An answer. True: the attempt is over, and out has what it wrote. */
	bool answered(const access &a, bool passed, std::uint64_t time,
		      std::vector<std::uint64_t> &out)
	{
		state &w = warp_[a.warp];

		w.waits = false;
		if (passed && a.write)
			w.written.push_back(a.address);
		if (passed && --w.left)
			return false;
		w.time = passed ? w.time + random_.below(2) : std::max(w.time, time) + 1;
		w.left = 0;
		out.clear();
		out.swap(w.written);
		return true;
	}

private:
	struct state {
		bool waits = false;
		std::uint64_t left = 0, time = 1;
		std::vector<std::uint64_t> written;
	};
	random random_;
	std::vector<state> warp_;
};

} // namespace hosts

#endif
