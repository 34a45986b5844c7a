/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_MECHANISM_H
#define SIM_MECHANISM_H
/*
 * A mechanism for branches, wired from units of the library. It decides which warps there are
 * and which one issues; the core executes them and says what came of it. A warp that pick()
 * has given is the core's until one of step() .. barrier() gives it back; they are called when
 * its instruction has completed.
 */
#include "../port/run.h"
#include "../port/system.h"
#include "simt_core.h"

/* Told of the place of a thread: where the mechanism lets it go on. */
typedef void flow_place(void *state, uint32_t slot, uint32_t pc);

/* Are static warps whole outside of what branches divide? */
enum flow_restores {
	FLOW_RESTORES_NOT,
	FLOW_RESTORES_FULL_BLOCKS, /* as long as no thread of the block has ended */
	FLOW_RESTORES,
};

/* All give 0 or -EINVAL with the reason in core->gpu->error. */
struct flow_mechanism {
	const char *name, *summary;
	size_t config_size;
	const struct sim_role *role; /* of its units */
	size_t role_count;
	void (*init)(void *config);
	/* Why it cannot be what it is called with this config, NULL if it can; NULL: always. */
	const char *(*flaw)(const void *config);
	enum flow_restores restores;
	/* Its warps are static: a fence waits for all threads of one, whatever lanes are active. */
	bool fixed;
	/* A branch that the kernel says is uniform takes a warp whole: go() and not branch(). */
	bool uniform;
	/* Sets core->warps, and adds units to core->gpu->port. 0, -EINVAL or -ENOMEM; free() is
	 * called in all cases, with NULL if there is none, when the units have been freed. */
	int (*make)(struct flow_core *core, const void *config, void **out);
	void (*free)(void *state);
	/* The block in slot s of the core starts. */
	int (*launch)(struct flow_core *core, uint32_t s);
	/* A warp to issue now, or NULL. */
	struct flow_warp *(*pick)(struct flow_core *core);
	/* Nothing could issue for so many issue slots; NULL: that makes no difference. */
	void (*skip)(struct flow_core *core, uint64_t slots);
	/* A cycle of its own clock; sets core->mechanism_due. NULL if it has none. */
	int (*tick)(struct flow_core *core);
	/* The warp goes on within its block, or anywhere else as one, at next. */
	int (*step)(struct flow_core *core, struct flow_warp *warp, uint32_t next);
	int (*go)(struct flow_core *core, struct flow_warp *warp, uint32_t next);
	/* It is at the end of a block that may divide it; warp->taken says how. */
	int (*branch)(struct flow_core *core, struct flow_warp *warp,
		      const struct kernel_block *block);
	/* Lanes have ended; the others, if any, go on at next. */
	int (*exit)(struct flow_core *core, struct flow_warp *warp, uint32_t lanes,
		    uint32_t next, bool last);
	/* It waits at the barrier of its block and goes on at next. */
	int (*barrier)(struct flow_core *core, struct flow_warp *warp, uint32_t next);
	/* Its warps, by flow_warp_io(), and what it keeps besides units. */
	void (*io)(struct flow_core *core, struct sim_io *io);
	/* Places of all live threads. */
	void (*places)(const struct flow_core *core, flow_place *place, void *state);
};

/* Where a block begins, as units of stacks know it. */
static inline uint64_t flow_point(const struct flow_core *core, uint32_t block)
{
	return block == KERNEL_NONE ? UINT64_MAX : core->kernel->code->block[block].first;
}

/* All mechanisms, NULL-ended (mechanisms.c). */
extern const struct flow_mechanism *const flow_mechanisms[];
const char *flow_mechanism_name(const void *unused, size_t index);
/* NULL, with the reason on stderr, if there is none. */
const struct flow_mechanism *flow_mechanism_named(const char *name);
extern const struct flow_mechanism flow_pdom, flow_pdom_lcp, flow_dwf, flow_dwf_wb;
extern const struct flow_mechanism flow_tbc, flow_tbc_lcp;

#endif /* SIM_MECHANISM_H */
