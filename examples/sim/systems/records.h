/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_RECORDS_H
#define SIM_RECORDS_H
/* Records of which owner has accessed which word, in a hash table by word and in a list per
 * owner. */
#include <stdbool.h>

#include "../base/slab.h"

#define SIM_RECORD_BITS 14
#define SIM_NO_RECORD UINT32_MAX

struct sim_record {
	uint64_t address;
	uint32_t owner;
	bool write;
	uint32_t before, after; /* in its bucket; before is SIM_NO_RECORD at the head */
	uint32_t next;		/* of its owner */
};

struct sim_records {
	struct sim_slab slab;
	uint32_t *first; /* by owner */
	uint32_t owners;
	uint32_t bucket[1u << SIM_RECORD_BITS];
};

/* Owners are numbered from 0 on. False: out of memory; free what exists. */
bool sim_records_make(struct sim_records *records, uint32_t owners);
void sim_records_free(struct sim_records *records);
void sim_records_io(struct sim_records *records, struct sim_io *io);
/* False: no memory. */
bool sim_records_note(struct sim_records *records, uint32_t owner, uint64_t address, bool write);
bool sim_records_noted(const struct sim_records *records, uint32_t owner, uint64_t address,
		       bool write);
/* Remove all records of an owner. */
void sim_records_forget(struct sim_records *records, uint32_t owner);
/* The next record of a word, latest first; NULL ends. Removing other records does not move it. */
const struct sim_record *sim_records_first(const struct sim_records *records, uint64_t address);
const struct sim_record *sim_records_next(const struct sim_records *records,
					  const struct sim_record *record);

#endif
