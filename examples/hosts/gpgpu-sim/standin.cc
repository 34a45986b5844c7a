/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stand-in for GPGPU-Sim, which is not built here: it makes the same calls. A core of 48 warps of
 * 32 lanes asks the scheduler's questions and updates the stack with a next PC for each lane; a
 * memory partition takes requests from a network and gives answers to the network. Beside each
 * adapter the same unit is driven by its C functions, and both are compared after every call.
 */
#include <bitset>
#include <cstdio>
#include <cstdlib>
#include <deque>
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
constexpr address_type never = static_cast<address_type>(-1), apart = 0;

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
			unit_.check(gputm_simt_stack_diverge(
				unit_, target.data(), target.size(),
				rpc == apart ? GPUTM_SIMT_STACK_NO_PC : rpc,
				GPUTM_SIMT_STACK_NO_PC));
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
	const address_type ways[] = { pc + size, (1 + random.below(4000)) * size };

	if (random.below(2)) {
		meeting = random.below(4) || rpc == never ? (1 + random.below(4000)) * size : rpc;
		if (rpc == never && random.below(4) == 0)
			meeting = apart; /* each way ends by itself; within others none does */
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
		core[i].stack = std::make_unique<adapter>(i, lanes, apart);
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

/* What the network brings: 32 to 128 bytes, as a sectored L2 takes them apart. */
struct mem_fetch {
	hosts::access access;
	std::uint64_t bytes, number;
};

/* The same validation unit, by its C functions: a request for each granule, and its fetch. */
class direct_unit {
public:
	void push(const mem_fetch &fetch)
	{
		const hosts::access &a = fetch.access;

		fetch_.push_back({ fetch, fetch.bytes / 32, {} });
		for (std::uint64_t part = 0; part < fetch.bytes / 32; part++) {
			piece_.push_back({ fetch.number, a.address + part * 32 });
			waiting_.push_back({ piece_.size() - 1, a.address + part * 32, a.time,
					     attempt_[a.warp], a.warp, a.write });
		}
	}
	bool full() const { return waiting_.size() + 4 > room; }
	void cycle()
	{
		while (!waiting_.empty() &&
		       unit_.check(gputm_validation_unit_push(unit_, &waiting_.front())) ==
			       GPUTM_VALIDATION_UNIT_ACCEPTED)
			waiting_.pop_front();
		unit_.check(gputm_validation_unit_tick(unit_));
	}
	/* The next fetch whose granules are all answered; null: none. */
	const mem_fetch *top(gputm_validation_unit_answer &all)
	{
		gputm_validation_unit_answer part;

		while (top_ == SIZE_MAX && gputm_validation_unit_peek(unit_, &part) &&
		       gputm_validation_unit_pop(unit_))
			settle(part);
		if (top_ == SIZE_MAX)
			return nullptr;
		all = fetch_[top_].answer;
		return &fetch_[top_].fetch;
	}
	void pop() { top_ = SIZE_MAX; }
	void over(std::uint32_t warp)
	{
		for (std::uint64_t address : held_[warp])
			unit_.check(gputm_validation_unit_release(unit_, address, warp,
								  attempt_[warp], 1, nullptr));
		held_[warp].clear();
		attempt_[warp]++;
	}
	static constexpr std::size_t room = 8;

private:
	struct answered {
		mem_fetch fetch;
		std::uint64_t left;
		gputm_validation_unit_answer answer;
	};
	struct piece {
		std::uint64_t fetch, address;
	};
	void settle(const gputm_validation_unit_answer &part)
	{
		answered &f = fetch_[piece_[part.tag].fetch];

		if (!part.result && f.fetch.access.write)
			held_[f.fetch.access.warp].push_back(piece_[part.tag].address);
		if (part.result > f.answer.result)
			f.answer.reason = part.reason;
		f.answer.result = std::max(f.answer.result, part.result);
		f.answer.time = std::max(f.answer.time, part.time);
		if (!--f.left)
			top_ = piece_[part.tag].fetch;
	}
	gputm::unit<gputm_validation_unit> unit_{ "getm-256" };
	std::size_t top_ = SIZE_MAX;
	std::vector<answered> fetch_;
	std::vector<piece> piece_;
	std::deque<gputm_validation_unit_request> waiting_;
	std::vector<std::uint64_t> attempt_ = std::vector<std::uint64_t>(warps), held_[warps];
};

/* gpgpu_sim::cycle(): answers leave by top() and pop() when the network takes them; a request is
 * taken from the network, which then is to be pushed, only if the partition is not full. */
class host {
public:
	void cycle()
	{
		gputm_validation_unit_answer answer = {}, expected = {};
		mem_fetch *fetch = partition_.top(&answer);
		const mem_fetch *other = direct_.top(expected);

		require(!fetch == !other && (!fetch || (fetch->number == other->number &&
							expected.result == answer.result &&
							expected.reason == answer.reason &&
							expected.time == answer.time)),
			"an answer differs");
		if (fetch && random_.below(4)) { /* the network has room */
			require(partition_.pop(&answer) == fetch, "top() is not what pop() gives");
			reply(fetch, answer);
		} else if (fetch) {
			refused_++;
		}
		require(partition_.full(4) == direct_.full(), "only one is full");
		if (partition_.full(4))
			full_++;
		else if (mem_fetch *request = icnt_pop())
			push(request);
		partition_.cache_cycle();
		direct_.cycle();
	}
	void done() const
	{
		require(!gputm_unit_check(partition_.face()) && passed_ && passed_ < answered_ &&
				full_ && refused_,
			"the traffic misses a case");
		std::printf("partition: %llu requests, %llu passed, full in %llu cycles, equal\n",
			    static_cast<unsigned long long>(answered_),
			    static_cast<unsigned long long>(passed_),
			    static_cast<unsigned long long>(full_));
	}
	std::uint64_t answered() const { return answered_; }

private:
	mem_fetch *icnt_pop()
	{
		hosts::access access;

		if (!cores_.next(access))
			return nullptr;
		cores_.sent(access);
		return new mem_fetch{ access, UINT64_C(32) << random_.below(3), sent_++ };
	}
	void push(mem_fetch *fetch)
	{
		const hosts::access &a = fetch->access;

		partition_.push(fetch, a.address, fetch->bytes, a.warp, a.time, a.write);
		direct_.push(*fetch);
	}
	void reply(mem_fetch *fetch, const gputm_validation_unit_answer &answer)
	{
		std::unique_ptr<mem_fetch> owner(fetch);
		bool ok = answer.result == GPUTM_VALIDATION_UNIT_OK;

		direct_.pop();
		answered_++;
		passed_ += ok;
		if (cores_.answered(fetch->access, ok, answer.time, written_)) {
			partition_.over(fetch->access.warp);
			direct_.over(fetch->access.warp);
		}
	}
	gputm_partition<mem_fetch> partition_{ "getm-256", warps, direct_unit::room };
	direct_unit direct_;
	hosts::traffic cores_{ 2, warps };
	hosts::random random_{ 5 };
	std::vector<std::uint64_t> written_;
	std::uint64_t sent_ = 0, answered_ = 0, passed_ = 0, full_ = 0, refused_ = 0;
};

void run_partition(std::uint64_t requests)
{
	host one;

	while (one.answered() < requests)
		one.cycle();
	one.done();
}

} // namespace

int main()
{
	run_core(400000);
	run_partition(200000);
	return 0;
}
