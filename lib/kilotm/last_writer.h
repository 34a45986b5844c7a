/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_KILOTM_LAST_WRITER_H
#define GPUTM_LIB_KILOTM_LAST_WRITER_H
/*
 * The words of one transaction at once, for the commit unit: the same as a look-up of each
 * word read and then a record of each word written. All that it is given is valid.
 */
#include "gputm/commit_unit.h"
#include "gputm/last_writer.h"

struct gputm__writers_run {
	const struct gputm_commit_word *read, *write;
	size_t reads, writes;
	uint64_t floor; /* answers below it are of no interest: they count as none */
	uint64_t cid;	/* of the writer */
};

/*
 * @return how many words read have a youngest writer that is not below the floor; *youngest
 * is the youngest of those, if there is one.
 */
size_t gputm__writers_pass(struct gputm_last_writer *self, const struct gputm__writers_run *run,
			   uint64_t *youngest);

/* @return the commit ID recorded last, or the base. */
uint64_t gputm__writers_newest(const struct gputm_last_writer *self);

#endif /* GPUTM_LIB_KILOTM_LAST_WRITER_H */
