/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_MECHANISM_H
#define SIM_MECHANISM_H
/*
 * A mechanism for branches, wired from units of the library. It forms the warps and chooses the
 * warp that issues; the core executes warps and reports the outcome. The core owns a warp from
 * pick() until it calls one of step() .. barrier(), which it does when the instruction has
 * completed.
 *
 * For the rest of the runner a mechanism is a system of flavour SIM_ALONE, with its own cores.
 */
#include "../port/run.h"
#include "../port/system.h"
#include "simt_core.h"

/* Receives the place of a thread: the PC at which the mechanism lets it continue. */
typedef void flow_place(void *state, uint32_t slot, uint32_t pc);

/* Are static warps whole in code that no branch divides? */
enum flow_restores {
	FLOW_RESTORES_NOT,
	FLOW_RESTORES_FULL_BLOCKS, /* while no thread of the block has ended */
	FLOW_RESTORES,
};

/* All return 0, or -EINVAL after sim_fail(). */
struct flow_mechanism {
	struct sim_system_class class; /* its config begins with a struct flow_config */
	enum flow_restores restores;
	/* Its warps are static: a fence waits for all threads of the warp, whatever lanes are
	 * active. */
	bool fixed;
	/* A warp takes a branch that the kernel calls uniform as a whole: go() is called, not
	 * branch(). */
	bool uniform;
	/* Sets core->warps and their number, and adds units to core->gpu->port. 0, -EINVAL or
	 * -ENOMEM; free() is called in all cases, with NULL if there is none, when the units have
	 * been freed. */
	int (*make)(struct flow_core *core, const void *config, void **out);
	void (*free)(void *state);
	/* The block in slot s of the core starts. */
	int (*launch)(struct flow_core *core, uint32_t s);
	/* The warp to issue now, or NULL. */
	struct flow_warp *(*pick)(struct flow_core *core);
	/* Nothing could issue for this many issue slots; NULL: the mechanism ignores that. */
	void (*skip)(struct flow_core *core, uint64_t slots);
	/* A cycle of its own clock; sets core->mechanism_due. NULL if it has none. */
	int (*tick)(struct flow_core *core);
	/* The warp continues as a whole at next, within its block or elsewhere. */
	int (*step)(struct flow_core *core, struct flow_warp *warp, uint32_t next);
	int (*go)(struct flow_core *core, struct flow_warp *warp, uint32_t next);
	/* It is at the end of a block that may divide it; warp->taken are the lanes that take the
	 * branch. */
	int (*branch)(struct flow_core *core, struct flow_warp *warp,
		      const struct kernel_block *block);
	/* Lanes have ended; the other lanes, if any, continue at next. */
	int (*exit)(struct flow_core *core, struct flow_warp *warp, uint32_t lanes,
		    uint32_t next, bool last);
	/* It waits at the barrier of its block and then continues at next. */
	int (*barrier)(struct flow_core *core, struct flow_warp *warp, uint32_t next);
	/* Save or load its state besides warps and units. */
	void (*io)(struct flow_core *core, struct sim_io *io);
	/* Report the places of all live threads. */
	void (*places)(const struct flow_core *core, flow_place *place, void *state);
};

/* The class of a mechanism: its roles are the core's, and those of its units. */
#define FLOW_CLASS(NAME, SUMMARY, CONFIG, ROLES, INIT, SETTLE, UNUSED)                         \
	.class = {                                                                             \
		.name = (NAME), .summary = (SUMMARY), .flavour = SIM_ALONE,                    \
		.config_size = sizeof(CONFIG), .role = (ROLES),                                \
		.role_count = sizeof(ROLES) / sizeof((ROLES)[0]), .init = (INIT),              \
		.own = &flow_cores, .tie = flow_ties, .unused = (UNUSED),                      \
		.settle = (SETTLE),                                                            \
	}
#define FLOW_CORE_ROLES 2
#define FLOW_ROLES                                                                             \
	{ "core", flow_core_params, offsetof(struct flow_config, core) },                      \
	{                                                                                      \
		"access_coalescer", gputm_access_coalescer_params,                             \
			offsetof(struct flow_config, coalescer)                                \
	}
void flow_config_init(struct flow_config *config);
/* Of mechanisms on a machine; the second one is for those that use its scheduler. */
extern const struct sim_tie flow_ties[];
extern const struct sim_unused flow_unused[];
#define FLOW_SCHEDULED (flow_unused + 1)
extern const struct sim_own_machine flow_cores;

/* The PC of the first instruction of a block, for units with stacks; UINT64_MAX: no block. */
static inline uint64_t flow_point(const struct flow_core *core, uint32_t block)
{
	return block == KERNEL_NONE ? UINT64_MAX : core->kernel->code->block[block].first;
}

/* All mechanisms, NULL-ended (mechanisms.c). */
extern const struct flow_mechanism *const flow_mechanisms[];
const char *flow_mechanism_name(const void *unused, size_t index);
/* The mechanism of this name; NULL, with the reason on stderr, if there is none. */
const struct flow_mechanism *flow_mechanism_named(const char *name);
extern const struct flow_mechanism flow_pdom, flow_pdom_lcp, flow_dwf, flow_dwf_wb;
extern const struct flow_mechanism flow_tbc, flow_tbc_lcp;

#endif /* SIM_MECHANISM_H */
