/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of words that requests of HeTM access. */

#include "hetm.h"
#include "../base/arena.h"

void hetm_note(struct hetm *h, struct hetm_words *words, uint64_t address,
	       uint64_t value)
{
	if (!SIM_ROOM(words->word, words->capacity, words->count + 1)) {
		sim_fail(&h->port, -ENOMEM, "no memory for what a transaction accesses");
		return;
	}
	words->word[words->count++] = (struct hetm_word){ address, value };
}

void hetm_words_io(struct sim_io *io, struct hetm_words *words)
{
	SIM_IO(io, words->count);
	words->capacity = io->loading ? words->count : words->capacity;
	sim_io_grown(io, "words", &words->word, words->count, sizeof(*words->word));
}
