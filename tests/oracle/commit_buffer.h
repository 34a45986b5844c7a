/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_COMMIT_BUFFER_H
#define GPUTM_ORACLE_COMMIT_BUFFER_H
/* All entries ever pushed, each with the number of its block; every question is answered by
 * looking at all of them. */
#include "gputm/commit_buffer.h"
#include "tests/oracle/stats.h"

#define ORACLE_ENTRIES 4096
#define ORACLE_COMMIT_BUFFER_STATS                                                             \
	cycles, entries, joined, refused, made, written, cleaned, retired, writes_in,          \
		writes_out, blocks_max, writes

enum oracle_block_state { ORACLE_WAITING, ORACLE_PORT, ORACLE_FLYING, ORACLE_DONE };

struct oracle_commit_buffer {
	struct gputm_commit_buffer_config config;
	struct {
		struct gputm_commit_entry entry;
		unsigned block;
		bool released;
	} list[ORACLE_ENTRIES];
	struct {
		enum oracle_block_state state;
		unsigned done; /* its number among the done, in order */
	} block[ORACLE_ENTRIES];
	unsigned entries, blocks, done;
	ORACLE_STATS(ORACLE_COMMIT_BUFFER_STATS) stats;
};

int oracle_commit_buffer_push(struct oracle_commit_buffer *o,
			      const struct gputm_commit_entry *entry);
void oracle_commit_buffer_tick(struct oracle_commit_buffer *o);
/* The block at the memory port, or -1; its request. */
int oracle_commit_buffer_port(const struct oracle_commit_buffer *o, struct gputm_mem_request *out);
void oracle_commit_buffer_pop(struct oracle_commit_buffer *o, int block);
void oracle_commit_buffer_complete(struct oracle_commit_buffer *o, int block);
/* The next release, marked as given. */
bool oracle_commit_buffer_release(struct oracle_commit_buffer *o,
				  struct gputm_commit_release *out);
uint64_t oracle_commit_buffer_writes(const struct oracle_commit_buffer *o);

#endif /* GPUTM_ORACLE_COMMIT_BUFFER_H */
