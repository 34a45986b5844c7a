/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stand-in for GPGPU-Sim, which is not built here: it makes the same calls. A core of 48 warps of
 * 32 lanes asks the scheduler's questions and updates the stack with a next PC for each lane; a
 * memory partition pushes requests, and takes them back when they are answered. Beside each adapter
 * the same unit is driven by its C functions, and the two are compared after every call.
 */
#include <bitset>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "../shadow.hpp"
#include "../traffic.hpp"
#include "gputm_partition.h"
#include "gputm_simt_stack.h"

namespace {

constexpr unsigned warps = 48, lanes = 32, size = 8;
using address_type = unsigned long long;
using simt_mask_t = std::bitset<lanes>;
constexpr address_type never = static_cast<address_type>(-1);

void require(bool held, const char *what)
{
	if (held)
		return;
	std::fprintf(stderr, "standin: %s\n", what);
	std::exit(1);
}

void say(const std::string &text)
{
	std::fprintf(stderr, "standin: %s\n", text.c_str());
}

/* ---- the core ---- */

/* The stack by the calls that take masks: lanes are grouped and targets ordered by hand. */
class direct_stack {
public:
	void launch(address_type pc, std::uint64_t mask)
	{
		unit_.check(gputm_simt_stack_launch(unit_, pc, mask));
	}
	void update(std::uint64_t done, const std::vector<address_type> &next_pc, address_type rpc,
		    address_type fall_through)
	{
		std::uint64_t ended = active() & done, left;
		std::vector<gputm_simt_stack_target> target;

		if (ended)
			unit_.check(gputm_simt_stack_exit(unit_, ended));
		left = ended ? last_ & ~ended : last_;
		for (unsigned lane = lanes; lane-- > 0;) {
			std::size_t at = 0;

			if (!(left >> lane & 1))
				continue;
			while (at < target.size() && target[at].pc != next_pc[lane])
				at++;
			if (at == target.size())
				target.push_back({ next_pc[lane], 0 });
			target[at].mask |= std::uint64_t{ 1 } << lane;
		}
		for (std::size_t at = 1; at < target.size(); at++)
			if (target[at].pc == fall_through)
				std::rotate(target.begin(), target.begin() + static_cast<long>(at),
					    target.begin() + static_cast<long>(at) + 1);
		if (target.size() == 1)
			unit_.check(gputm_simt_stack_proceed(unit_, target[0].pc));
		else if (!target.empty())
			unit_.check(gputm_simt_stack_diverge(unit_, target.data(), target.size(),
							     rpc, GPUTM_SIMT_STACK_NO_PC));
	}
	std::uint64_t active() { return last_ = gputm_simt_stack_active_mask(unit_); }
	std::string top()
	{
		gputm_simt_stack_entry entry;
		std::size_t depth = gputm_simt_stack_depth(unit_);

		if (!depth)
			return "nothing";
		unit_.check(gputm_simt_stack_get_entry(unit_, depth - 1, &entry));
		return std::to_string(entry.mask) + " at " + std::to_string(entry.pc) + " to " +
		       std::to_string(entry.rpc);
	}

private:
	gputm::unit<gputm_simt_stack> unit_{ wide() };
	std::uint64_t last_ = 0;
	static gputm_simt_stack_config wide()
	{
		gputm_simt_stack_config made = GPUTM_SIMT_STACK_CONFIG_INIT;

		made.pc_bits = 64;
		return made;
	}
};

using adapter = gputm_warp_stack<simt_mask_t, address_type>;

std::string top_of(const adapter &stack)
{
	address_type pc, rpc;

	stack.get_pdom_stack_top_info(&pc, &rpc);
	if (stack.get_active_mask().none())
		return "nothing";
	return std::to_string(stack.get_active_mask().to_ullong()) + " at " + std::to_string(pc) +
	       " to " + std::to_string(rpc);
}

struct warp {
	std::unique_ptr<adapter> stack;
	direct_stack direct;
	simt_mask_t done;
};

/* One instruction: half of them move all lanes on, the others are branches, loops and exits. */
void issue(warp &w, hosts::random &random, hosts::shadow &compare)
{
	std::vector<address_type> next_pc(lanes);
	address_type pc, rpc, meeting = never;
	const address_type *way;

	w.stack->get_pdom_stack_top_info(&pc, &rpc);
	const address_type ways[] = { pc + size, random.below(4000) * size };

	if (random.below(2)) {
		meeting = random.below(4) || rpc == never ? random.below(4000) * size : rpc;
		if (random.below(40) == 0)
			for (unsigned lane = 0; lane < lanes; lane++)
				w.done[lane] = w.done[lane] || (w.stack->get_active_mask()[lane] &&
								random.below(2));
	}
	way = meeting == never ? ways : ways + random.below(2);
	for (unsigned lane = 0; lane < lanes; lane++)
		next_pc[lane] = meeting == never || random.below(3) ? *way : ways[random.below(2)];
	if (random.below(3) == 0 && rpc != never) /* the branch has come to its end */
		next_pc.assign(lanes, rpc);
	if (meeting == never)
		meeting = rpc;
	compare(
		[&] {
			w.stack->update(w.done, next_pc, meeting, pc + size);
			return top_of(*w.stack);
		},
		[&] {
			w.direct.update(w.done.to_ullong(), next_pc, meeting, pc + size);
			return w.direct.top();
		});
}

void run_core(std::uint64_t updates)
{
	hosts::shadow compare("simt_stack", hosts::mode_named("shadow"), say);
	hosts::random random(1);
	std::vector<warp> core(warps);

	for (unsigned i = 0; i < warps; i++)
		core[i].stack = std::make_unique<adapter>(i, lanes);
	while (compare.calls() < updates) {
		warp &w = core[random.below(warps)];

		if (w.stack->get_active_mask().none()) {
			std::uint64_t mask = 1 + random.below(UINT32_MAX);

			w.done.reset();
			w.stack->launch(0, simt_mask_t(mask));
			w.direct.launch(0, mask);
		} else {
			issue(w, random, compare);
		}
	}
	require(!compare.differences(), "the stacks differ");
	std::printf("simt_stack: %llu updates, equal\n",
		    static_cast<unsigned long long>(compare.calls()));
}

/* ---- the partition ---- */

struct mem_fetch {
	hosts::access access;
	std::uint64_t number;
};

/* The same validation unit, by its C functions; tags are numbers. */
class direct_unit {
public:
	int push(const mem_fetch &fetch)
	{
		const gputm_validation_request request = {
			fetch.number, fetch.access.address, fetch.access.time,
			attempt_[fetch.access.warp], fetch.access.warp, fetch.access.write,
		};

		return gputm_validation_unit_push(unit_, &request);
	}
	void tick() { unit_.check(gputm_validation_unit_tick(unit_)); }
	bool pop(gputm_validation_answer &answer)
	{
		return gputm_validation_unit_peek(unit_, &answer) &&
		       gputm_validation_unit_pop(unit_);
	}
	void over(std::uint32_t warp, const std::vector<std::uint64_t> &written)
	{
		for (std::uint64_t address : written)
			unit_.check(gputm_validation_unit_release(unit_, address, warp,
								  attempt_[warp], 1, nullptr));
		attempt_[warp]++;
	}
	gputm_unit *face() const { return unit_.face(); }

private:
	gputm::unit<gputm_validation_unit> unit_{ "getm-256" };
	std::vector<std::uint64_t> attempt_ = std::vector<std::uint64_t>(warps);
};

void run_partition(std::uint64_t requests)
{
	gputm_partition<mem_fetch> partition("getm-256", warps);
	hosts::traffic cores(2, warps);
	std::vector<std::uint64_t> written;
	std::uint64_t sent = 0, answered = 0, passed = 0;
	direct_unit direct;

	while (answered < requests) {
		gputm_validation_answer answer, expected;
		hosts::access access;

		for (unsigned port = 0; port < 2 && cores.next(access); port++) {
			auto fetch = std::make_unique<mem_fetch>(mem_fetch{ access, sent });
			int there = direct.push(*fetch);

			if (!partition.push(fetch.get(), access.address, access.warp, access.time,
					    access.write)) {
				require(there == GPUTM_VALIDATION_UNIT_PORT_FULL,
					"only one port is full");
				break;
			}
			require(there == GPUTM_VALIDATION_UNIT_ACCEPTED, "only one port is full");
			fetch.release();
			cores.sent(access);
			sent++;
		}
		partition.cycle();
		direct.tick();
		while (mem_fetch *fetch = partition.pop(&answer)) {
			require(direct.pop(expected) && expected.tag == fetch->number &&
					expected.result == answer.result &&
					expected.reason == answer.reason &&
					expected.time == answer.time,
				"an answer differs");
			answered++;
			passed += answer.result == GPUTM_VALIDATION_UNIT_OK;
			if (cores.answered(fetch->access, answer.result == GPUTM_VALIDATION_UNIT_OK,
					   answer.time, written)) {
				for (std::uint64_t address : written)
					partition.release(address, fetch->access.warp);
				partition.next_attempt(fetch->access.warp);
				direct.over(fetch->access.warp, written);
			}
			delete fetch;
		}
		require(!direct.pop(expected), "an answer is missing");
	}
	require(!gputm_unit_check(partition.face()) && passed && passed < answered, "no conflict");
	std::printf("partition: %llu requests, %llu passed, equal\n",
		    static_cast<unsigned long long>(answered),
		    static_cast<unsigned long long>(passed));
}

} // namespace

int main()
{
	run_core(1000000);
	run_partition(1000000);
	return 0;
}
