/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_ALONE_H
#define SIM_ALONE_H
/*
 * Proof that a run did what the threads would do each alone. The kernel is executed thread by
 * thread first (reference.h). The check observes the run, and finds that
 *   - every thread executes its own next instruction, in its home lane;
 *   - every branch takes the thread where it went alone;
 *   - every load gets what it got alone (of the first FLOW_LOADS_MAX ones);
 *   - whenever control flow changes, every live thread has exactly one place, which is its own;
 *   - outside of what branches divide, static warps are whole (all mechanisms but plain dwf);
 * and that every thread ends with the same registers and the same trail, and that memory is the
 * same. It knows threads by their number in the launch, and nothing of the cores.
 */
#include <signal.h>

#include "../check/check.h"
#include "../kernel/kernel.h"
#include "../port/result.h"

struct flow_check;
struct sim_memory;

/* Threads that are at an instruction, by lane. */
struct flow_seen {
	uint32_t pc, mask;
	const uint32_t *thread; /* number in the launch of the thread in each lane of the mask */
};

/* NULL if out of memory. *stop ends a run alone; NULL: nothing does. */
struct flow_check *flow_check_new(uint64_t seed, uint64_t most_instructions,
				  const volatile sig_atomic_t *stop);
void flow_check_free(struct flow_check *check);

/* Call this when the kernel is launched: runs each thread alone. 0; -ENOEXEC, with the error of a
 * thread in message; -EINVAL likewise, if the check has failed before; -EINTR; -ENOMEM. */
int flow_check_launch(struct flow_check *check, const struct kernel *kernel, char *message,
		      size_t size);
/* The launch has ended and left this memory, and another launch follows. */
void flow_check_compare(struct flow_check *check, const struct sim_memory *memory);

/* A warp issues the instruction. whole: static warps must be whole where nothing divides them. */
void flow_check_issue(struct flow_check *check, const struct flow_seen *seen, bool whole);
/* What a load has given: of the lanes that made an access, and the words that all lanes now have in
 * the register. */
void flow_check_loaded(struct flow_check *check, const struct flow_seen *seen, uint32_t accesses,
		       const uint64_t *address, const uint32_t *value);
/* The warp has completed the instruction; taken: lanes that take the branch, or end. */
void flow_check_complete(struct flow_check *check, const struct flow_seen *seen, uint32_t taken);
/* A thread has ended with these registers, one `stride` words after the other. */
void flow_check_exit(struct flow_check *check, uint32_t thread, const uint32_t *reg, size_t stride);
/* Control flow has changed: the places of threads follow, and then the numbers of the blocks of
 * which all live threads must have had a place. */
void flow_check_look(struct flow_check *check);
void flow_check_place(void *check, uint32_t thread, uint32_t pc);
void flow_check_block(struct flow_check *check, uint32_t block);
/* A block has ended, or the launch, with this shared memory. */
void flow_check_shared(struct flow_check *check, uint32_t block, const uint32_t *word);
/* True if the check has failed and the threads have executed far more than they do alone, so that
 * they may never end. */
bool flow_check_hopeless(const struct flow_check *check);
/* The run could not continue: counts as a failure, unless there is one already. */
void flow_check_stopped(struct flow_check *check, const char *reason);
/* Check the invariants of a unit after the run. */
void flow_check_unit(struct flow_check *check, const struct sim_unit_info *unit);
/* Is the run equivalent (out->serializable), and the first failure? True if it has come to its
 * end. */
bool flow_check_judge(struct flow_check *check, const struct sim_memory *memory,
		      struct sim_verdict *out);
/* What was compared, by name; false past the last one. All are 0 of NULL. */
bool flow_check_count(const struct flow_check *check, size_t index, const char **name,
		      uint64_t *value);

#endif /* SIM_ALONE_H */
