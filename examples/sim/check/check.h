/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CHECK_H
#define SIM_CHECK_H
/*
 * Proof that a run was serialisable. While the machine runs, the accesses of every
 * committed transaction are kept with its place in the system's serial order (its
 * witness). Afterwards they are replayed one transaction after the other, in that
 * order, on a fresh copy of the initial memory:
 *
 *  - no transaction of the workload is missing,
 *  - every value a transaction read must be the one the replay reads,
 *  - the final memory must be the same, words from lock_base on apart,
 *  - the workload's invariant must hold in it.
 *
 * The order keeps each thread's transactions in program order, too. The order may differ from that
 * of real time. Reads of aborted attempts are not checked.
 *
 * Values are compared and not versions. So a system that validates values may keep a
 * read whose word was changed and changed back, which is right.
 *
 * A transaction that commits without a place of its own is put where the versions of
 * what it read allow: after the writers of what it saw and before the next writers of
 * the same words. Where that is impossible there is no serial order. One that has a place
 * by version (SIM_BY_VERSION) is put by its reads likewise, and by that place only among the
 * writers of the same words.
 *
 * Of a program of several launches each is judged on its own, from the memory that the one before
 * has left.
 *
 * Words that adds change belong to no transaction: reads of them are not compared. What each add
 * found is taken as given where stores change the word, too; where only adds do, each must have
 * found what the one before left, from the start to the end.
 *
 * Plain stores are replayed with the next transaction that their thread commits, or at
 * the end when there is none; under strong isolation each has a place of its own.
 */
#include <stdbool.h>
#include <stdint.h>

#include "../base/memory.h"
#include "../port/result.h"
#include "../workloads/workload.h"

struct sim_check;

struct sim_verdict {
	bool passed;
	/* Reads and final memory agree with the replay; of a machine that judges itself, with what
	 * its own->check_kind says. */
	bool serializable;
	bool invariant;		  /* of the workload */
	uint64_t transactions, reads, writes;
	char failure[2 * SIM_MESSAGE]; /* the first failure, as a sentence; empty if passed */
};

struct sim_check *sim_check_new(const struct sim_workload *workload); /* NULL: no memory */
void sim_check_free(struct sim_check *check);

/* For sim_run_options; valid as long as check. */
const struct sim_observer *sim_check_observer(struct sim_check *check);

/* 0 or -ENOMEM. Call it once, after the run. */
int sim_check_judge(struct sim_check *check, const struct sim_memory *memory,
		    struct sim_verdict *out);

/* An access of a committed transaction. */
struct sim_access {
	uint64_t address;
	uint32_t value;
	bool write;
};

/*
 * Call fn for each committed transaction in the serial order of the check: its accesses in
 * program order, the first `plain` of them stores that its thread made before it. At the end
 * for each thread with stores after its last transaction: all of them plain, none committed
 * (of several launches: in the last one).
 */
typedef void (*sim_access_fn)(void *state, uint32_t thread, bool committed,
			      const struct sim_access *access, uint32_t plain, uint32_t count);
void sim_check_each(const struct sim_check *check, sim_access_fn fn, void *state);

#endif /* SIM_CHECK_H */
