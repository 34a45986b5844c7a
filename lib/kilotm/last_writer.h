/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_KILOTM_LAST_WRITER_H
#define GPUTM_LIB_KILOTM_LAST_WRITER_H
/*
 * The words of one transaction at once, for the commit unit: the same as a look-up of each
 * word, or a record of each. All that is given is valid.
 */
#include "gputm/commit_unit.h"
#include "gputm/last_writer.h"

/*
 * Answers below the floor are of no interest, and those of the filter count as none. @return how
 * many words have a youngest writer that is not below it; *youngest is the youngest of those.
 */
size_t gputm__writers_look_up(struct gputm_last_writer *self, const struct gputm_commit_word *word,
			      size_t count, uint64_t floor, uint64_t *youngest);
void gputm__writers_record(struct gputm_last_writer *self, const struct gputm_commit_word *word,
			   size_t count, uint64_t cid);

/* @return the commit ID recorded last, or the base. */
uint64_t gputm__writers_newest(const struct gputm_last_writer *self);

#endif /* GPUTM_LIB_KILOTM_LAST_WRITER_H */
