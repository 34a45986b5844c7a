/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_ALONE_H
#define SIM_ALONE_H
/*
 * Proof that a run did what the threads would do each alone. The kernel is executed thread by
 * thread first (reference.h). During the run the check finds that
 *   - every thread executes its own next instruction, in its home lane;
 *   - every branch takes the thread where it went alone;
 *   - every load gets what it got alone (of the first FLOW_LOADS_MAX ones);
 *   - whenever control flow changes, every live thread has exactly one place, which is its own;
 *   - outside of what branches divide, static warps are whole (all mechanisms but plain dwf);
 * and after it that every thread has ended with the same registers and the same trail, and that
 * memory is the same.
 */
#include <signal.h>

#include "../check/check.h"
#include "simt_core.h"

struct flow_check;

/* NULL if out of memory. *stop ends a run alone; NULL: nothing does. */
struct flow_check *flow_check_new(uint64_t seed, uint64_t most_instructions,
				  const volatile sig_atomic_t *stop);
void flow_check_free(struct flow_check *check);

/* Call this when the kernel is launched: runs each thread alone. 0; -ENOEXEC, with the error of a
 * thread in message; -EINVAL likewise, if the check has failed before; -EINTR; -ENOMEM. */
int flow_check_launch(struct flow_check *check, const struct kernel *kernel, char *message,
		      size_t size);
/* The launch has ended, and another launch follows. */
void flow_check_compare(struct flow_check *check, const struct flow_gpu *gpu);

/* A warp issues the instruction at pc; a warp has completed it. */
void flow_check_issue(struct flow_check *check, const struct flow_core *core,
		      const struct flow_warp *warp);
void flow_check_complete(struct flow_check *check, const struct flow_core *core,
			 const struct flow_warp *warp);
/* A warp has executed a load. */
void flow_check_load(struct flow_check *check, const struct flow_core *core,
		     const struct flow_warp *warp, const struct flow_effect *effect);
/* Control flow has changed. */
void flow_check_places(struct flow_check *check, const struct flow_core *core);
/* True if the check has failed and the threads have executed far more than they do alone, so that
 * they may never end. */
bool flow_check_hopeless(const struct flow_check *check);
/* The run could not continue: counts as a failure, unless there is one already. */
void flow_check_stopped(struct flow_check *check, const char *reason);
/* Check the invariants of a unit after the run. */
void flow_check_unit(struct flow_check *check, const struct sim_unit_info *unit);
/* Is the run equivalent (out->serializable), and the first failure? True if it has come to its
 * end. */
bool flow_check_judge(struct flow_check *check, const struct flow_gpu *gpu,
		      struct sim_verdict *out);
/* What was compared, by name; false past the last one. All are 0 of NULL. */
bool flow_check_count(const struct flow_check *check, size_t index, const char **name,
		      uint64_t *value);

#endif /* SIM_ALONE_H */
