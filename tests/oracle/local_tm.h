/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_LOCAL_TM_H
#define GPUTM_ORACLE_LOCAL_TM_H
/*
 * GPU-LocalTM as the paper tells it, the long way round: every work-item has a signature per
 * bank that is asked one by one, every bank has its table of <owner, value>, and every
 * question walks all of them.
 */
#include <stdbool.h>
#include <stdint.h>
#include "tests/oracle/stats.h"

#define ORACLE_LOCAL_TM_STATS                                                                  \
	begins, held, nested, normal_attempts, wavefront_attempts, group_attempts, started,    \
		committed, serial_committed, evicted, accesses, fresh, repeated, conflicts,    \
		false_conflicts, restored, released, owned, owned_max, plain, clashes,         \
		begin_cycles, access_cycles, commit_cycles

#define ORACLE_ITEMS 256
#define ORACLE_BANKS 64
#define ORACLE_WORDS 4096

struct oracle_local_wave {
	uint64_t exec, vcc, tcm, tcm_old, attempt, first;
	bool inside, due, evicted;
	int level; /* 1 all lanes, 2 one of the wavefront, 3 one of the group */
};

struct oracle_local_tm {
	unsigned waves, lanes, banks, bits, words;
	uint64_t signature[ORACLE_ITEMS][ORACLE_BANKS];
	int owner[ORACLE_WORDS]; /* work-item, or -1 */
	uint32_t data[ORACLE_WORDS], backup[ORACLE_WORDS];
	struct oracle_local_wave wave[16];
	int holder; /* wavefront, or -1 */
	bool sum;   /* the lanes of a bank cost one after the other */
	ORACLE_STATS(ORACLE_LOCAL_TM_STATS) stats;
};

struct oracle_local_answer {
	uint64_t lanes; /* that conflict, or that commit */
	unsigned cycles, passes;
	uint32_t evicted;
};

void oracle_local_tm_init(struct oracle_local_tm *o, unsigned waves, unsigned lanes,
			  unsigned banks, unsigned bits, unsigned words);
/* False: held. */
bool oracle_local_tm_begin(struct oracle_local_tm *o, unsigned wave,
			   struct oracle_local_answer *out);
void oracle_local_tm_access(struct oracle_local_tm *o, unsigned wave, bool write, uint64_t lanes,
			    const uint32_t *word, uint32_t *value,
			    struct oracle_local_answer *out);
/* True: the transaction is over. */
bool oracle_local_tm_commit(struct oracle_local_tm *o, unsigned wave,
			    struct oracle_local_answer *out);

#endif /* GPUTM_ORACLE_LOCAL_TM_H */
