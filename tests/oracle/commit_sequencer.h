/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_ORACLE_COMMIT_SEQUENCER_H
#define GPUTM_TESTS_ORACLE_COMMIT_SEQUENCER_H
/*
 * The other end of the wire: commit units that know what the logs hold. They take
 * messages and complain about every word that is wrong, missing, doubled or out of
 * order, and answer with outcomes, resend requests and retirements of their choice. They
 * keep no order between transactions: that is the commit unit's business, not the sequencer's.
 */
#include "gputm/commit_unit.h"
#include "tests/oracle/tx_log.h"

#define ORACLE_SEQ_COMMITS 64
#define ORACLE_SEQ_PARTITIONS 8
#define ORACLE_SEQ_LANES 8

/* What one partition knows of one CID. */
struct oracle_seq_entry {
	unsigned reads, writes; /* log words to come, noted at begin */
	unsigned next;	   /* of them received */
	bool closed, skip; /* by the message DONE */
	bool answered, pass, verdict, retired;
	bool resending; /* asked for, not complete */
	uint32_t purpose;
	unsigned resent; /* words of it received */
	unsigned asked;	 /* resend requests, bounded so that runs end */
};

struct oracle_seq_commit {
	bool live, done;
	uint32_t warp, count;
	uint64_t first_cid;
	unsigned lane_of[ORACLE_SEQ_LANES]; /* by CID - first_cid */
	const struct oracle_tx_log *log;
	struct oracle_seq_entry entry[ORACLE_SEQ_LANES][ORACLE_SEQ_PARTITIONS];
};

struct oracle_commit_sequencer {
	unsigned partitions;
	bool warp_mode;
	struct oracle_seq_commit commit[ORACLE_SEQ_COMMITS];
};

void oracle_commit_sequencer_init(struct oracle_commit_sequencer *o, unsigned partitions,
				  bool warp_mode);
/* A warp has been granted CIDs for these lanes. */
void oracle_commit_sequencer_begin(struct oracle_commit_sequencer *o, uint32_t warp,
				   uint64_t first_cid, uint64_t lanes,
				   const struct oracle_tx_log *log);
/* Take a message. NULL, or what is wrong with it. */
const char *oracle_commit_sequencer_message(struct oracle_commit_sequencer *o, unsigned partition,
					    const struct gputm_commit_message *message);
/* A report that may be sent now, picked by the number; false if there is none. */
bool oracle_commit_sequencer_report(const struct oracle_commit_sequencer *o, uint64_t pick,
				    unsigned *partition, struct gputm_commit_report *report);
/* It has been sent. @return whether it was the last outcome that a verdict has waited for. */
bool oracle_commit_sequencer_sent(struct oracle_commit_sequencer *o, unsigned partition,
				  const struct gputm_commit_report *report);
/*
 * The core says done: NULL and the lanes that must have failed, or what is wrong: a verdict,
 * an outcome, or the retirement of a write that passed is missing.
 */
const char *oracle_commit_sequencer_done(struct oracle_commit_sequencer *o, uint64_t first_cid,
					 uint64_t *failed);
/* The core says retired. */
const char *oracle_commit_sequencer_retired(struct oracle_commit_sequencer *o, uint64_t first_cid,
					    uint32_t count);
/* Commits that have not retired. */
unsigned oracle_commit_sequencer_live(const struct oracle_commit_sequencer *o);

#endif
