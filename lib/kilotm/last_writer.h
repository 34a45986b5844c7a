/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_KILOTM_LAST_WRITER_H
#define GPUTM_LIB_KILOTM_LAST_WRITER_H
/* What the commit unit asks of its history beside the public functions. */
#include "gputm/last_writer.h"

/*
 * As gputm_last_writer_lookup(), for an address in range. An answer of the filter
 * below the floor counts as none.
 */
int gputm__youngest_writer(struct gputm_last_writer *self, uint64_t address, uint64_t floor,
			   uint64_t *cid);

/* @return the newest commit ID recorded, or the base. */
uint64_t gputm__writers_newest(const struct gputm_last_writer *self);

#endif /* GPUTM_LIB_KILOTM_LAST_WRITER_H */
