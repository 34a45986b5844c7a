/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_CORE_TX_LOG_PRIV_H
#define GPUTM_LIB_CORE_TX_LOG_PRIV_H
/* The inside of the logs: tx_log.c works them, tx_log-face.c describes them. */
#include "gputm/tx_log.h"
#include "lib/base/partition.h"
#include "lib/base/unit.h"

#define MAX_LANES 64
#define ENTRY_BYTES 8

struct rows {
	uint64_t *mask;	   /* [count] */
	uint64_t *address; /* [count][lanes] */
	uint32_t *value;   /* [count][lanes] */
	size_t mask_room, address_room, value_room;
	size_t room;	/* rows that all three can hold */
	uint32_t count; /* rows */
	uint64_t lanes; /* OR of the masks */
	uint32_t end[MAX_LANES]; /* entries of each lane, if logs are packed; derived */
};

struct gputm_tx_log {
	struct gputm_unit unit;
	struct gputm_tx_log_config config;
	struct gputm__partition_map map;
	uint64_t lane_mask, address_max;
	uint32_t flit_shift;
	struct rows log[2];
	uint64_t signature[MAX_LANES]; /* of the write log; derived */
	uint64_t read_rows, write_rows, read_entries, write_entries, voided_entries;
	uint64_t spilled_rows, max_rows, restarts;
	uint64_t lookups, filtered, hits, in_vain, rows_walked;
};

static inline uint64_t signature_bit(uint64_t address)
{
	return UINT64_C(1) << (((address >> 2) * UINT64_C(0x9e3779b97f4a7c15)) >> 58);
}

/* Make room for `need` rows. 0, or -ENOMEM without a change. */
int gputm__tx_log_grow(struct gputm_tx_log *l, struct rows *log, size_t need);
/* No rows, no signatures. */
void gputm__tx_log_empty(struct gputm_tx_log *l);

#endif /* GPUTM_LIB_CORE_TX_LOG_PRIV_H */
