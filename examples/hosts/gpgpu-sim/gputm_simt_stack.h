/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_HOSTS_GPGPU_SIM_SIMT_STACK_H
#define GPUTM_HOSTS_GPGPU_SIM_SIMT_STACK_H
/* gputm_simt_stack with the calls of GPGPU-Sim's simt_stack. Mask: std::bitset; Pc: a number. */
#include <cstdint>
#include <gputm/gputm.hpp>

template <class Mask, class Pc> class gputm_warp_stack {
public:
	/* apart: the host's rpc of ways that never meet; -1 in entries of all versions, too. */
	gputm_warp_stack(unsigned warp_id, unsigned warp_size, Pc apart)
		: stack_(config(warp_size)), next_(warp_size), apart_(apart)
	{
		gputm_unit_set_name(stack_.face(), ("warp " + std::to_string(warp_id)).c_str());
		look();
	}
	void reset()
	{
		gputm_unit_reset_state(stack_.face());
		look();
	}
	void launch(Pc pc, const Mask &active)
	{
		reset();
		stack_.check(gputm_simt_stack_launch(stack_, pc, active.to_ullong()));
		look();
	}
	/* last_pc: the instruction after the branch; -1: see the README. */
	template <class Pcs> void update(const Mask &done, const Pcs &next_pc, Pc rpc, Pc last_pc)
	{
		for (std::size_t lane = 0; lane < next_.size(); lane++)
			next_[lane] = next_pc[lane];
		stack_.check(gputm_simt_stack_update(stack_, done.to_ullong(), next_.data(),
						     rpc == apart_ ? GPUTM_SIMT_STACK_NO_PC
								   : wide(rpc),
						     wide(last_pc)));
		look();
	}
	const Mask &get_active_mask() const { return active_; }
	template <class Out> void get_pdom_stack_top_info(Out *pc, Out *rpc) const
	{
		*pc = static_cast<Out>(top_.pc);
		*rpc = static_cast<Out>(top_.rpc);
	}
	Pc get_rp() const { return static_cast<Pc>(top_.rpc); }

private:
	static constexpr Pc never = static_cast<Pc>(-1);
	static std::uint64_t wide(Pc pc) { return pc == never ? GPUTM_SIMT_STACK_NO_PC : pc; }
	static gputm_simt_stack_config config(unsigned warp_size)
	{
		gputm_simt_stack_config made = GPUTM_SIMT_STACK_CONFIG_INIT;

		made.lanes = warp_size;
		made.pc_bits = 8 * sizeof(Pc);
		return made;
	}
	void look()
	{
		gputm_simt_stack_top(stack_, &top_);
		active_ = Mask(top_.mask);
	}
	gputm::unit<gputm_simt_stack> stack_;
	std::vector<std::uint64_t> next_;
	Pc apart_;
	gputm_simt_stack_entry top_;
	Mask active_;
};

#endif
