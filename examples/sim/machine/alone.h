/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_ALONE_H
#define SIM_ALONE_H
/*
 * Proof that a run did what the threads would do each alone. The kernel is executed thread by
 * thread first (reference.h). Along the run it is found that
 *   - every thread executes the instruction that its own way leads to, in its home lane;
 *   - every branch takes it where it went alone;
 *   - every load gets what it got alone (of the first FLOW_LOADS_MAX ones);
 *   - whenever control flow changes, every live thread has exactly one place, which is its own;
 *   - outside of what branches divide, static warps are whole (all mechanisms but plain dwf);
 * and after it that every thread has ended with the same registers and the same trail, and that
 * memory is the same.
 */
#include "simt_core.h"

struct flow_check;

struct flow_verdict {
	bool equivalent, whole; /* whole: the run has come to its end */
	uint64_t threads, instructions; /* compared */
	uint64_t places;		/* times that all places were looked at */
	char failure[SIM_MESSAGE];	/* the first one */
};

/* NULL: there is no memory. *stop ends what runs alone; NULL: nothing does. */
struct flow_check *flow_check_new(uint64_t seed, uint64_t most_instructions,
				  const volatile sig_atomic_t *stop);
void flow_check_free(struct flow_check *check);

/* The kernel is launched: run it alone. 0; -ENOEXEC, with what it does wrong alone in message;
 * -EINVAL likewise, if the check has failed before; -EINTR; -ENOMEM. */
int flow_check_launch(struct flow_check *check, const struct kernel *kernel, char *message,
		      size_t size);
/* It has ended, and another one comes. */
void flow_check_compare(struct flow_check *check, const struct flow_gpu *gpu);

/* A warp issues the instruction at pc; it has completed. */
void flow_check_issue(struct flow_check *check, const struct flow_core *core,
		      const struct flow_warp *warp);
void flow_check_complete(struct flow_check *check, const struct flow_core *core,
			 const struct flow_warp *warp);
/* It has executed a load. */
void flow_check_load(struct flow_check *check, const struct flow_core *core,
		     const struct flow_warp *warp, const struct flow_effect *effect);
/* Control flow has changed. */
void flow_check_places(struct flow_check *check, const struct flow_core *core);
/* It has failed, and the threads have executed far more than they do alone: they may never end. */
bool flow_check_hopeless(const struct flow_check *check);
/* The run could not go on: a failure, if there is none yet. */
void flow_check_stopped(struct flow_check *check, const char *reason);
/* A unit after the run: its invariants must hold. */
void flow_check_unit(struct flow_check *check, const struct sim_unit_info *unit);
void flow_check_judge(struct flow_check *check, const struct flow_gpu *gpu,
		      struct flow_verdict *out);

#endif /* SIM_ALONE_H */
