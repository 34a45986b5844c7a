/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds without the units whether the rounds of HeTM had conflicts, by comparing the words that the
 * CPU has written with those that the GPU's committed transactions have read or written.
 *
 *	a round that succeeds	 has none of them in common
 *	a round that fails	 has a granule in common; if no word, its conflict was false
 *
 * The units must also find the same number of log entries whose granule the GPU has accessed.
 */
#include <stdio.h>

#include "hetm.h"
#include "../base/arena.h"

int hetm_exact_make(struct hetm *hetm)
{
	hetm->exact.word = sim_memory_new();
	hetm->exact.granule = sim_memory_new();
	return hetm->exact.word && hetm->exact.granule ? 0 : -ENOMEM;
}

void hetm_exact_free(struct hetm *hetm)
{
	sim_memory_free(hetm->exact.word);
	sim_memory_free(hetm->exact.granule);
	sim_free(hetm->exact.written.word);
}

void hetm_exact_write(struct hetm *h, uint64_t address)
{
	if (h->exact.word)
		hetm_note(h, &h->exact.written, address - h->base, 0);
}

/* The address in exact.granule that stands for the granule of an offset. */
static uint64_t granule_of(const struct hetm *h, uint64_t at)
{
	return at / h->config->reads.granule * 4;
}

/* Record what the GPU's transactions of this round have accessed. */
static void note_accesses(struct hetm *h)
{
	struct hetm_exact *e = &h->exact;

	for (const struct hetm_kernel *k = h->done; k; k = k->next)
		for (uint32_t i = 0; i < k->marked; i++) {
			uint64_t at = k->done.word[i].address;

			if (at == HETM_COMMIT)
				continue;
			at = (at & ~(uint64_t)HETM_WRITTEN) - h->base;
			sim_memory_write(e->word, at, e->mark);
			sim_memory_write(e->granule, granule_of(h, at), e->mark);
		}
}

static void fail(struct hetm *h, const char *what, uint64_t is, uint64_t should)
{
	char text[160];

	snprintf(text, sizeof(text), "round %llu: %s (%llu, expected %llu)",
		 (unsigned long long)h->exact.rounds, what, (unsigned long long)is,
		 (unsigned long long)should);
	sim_fail(&h->port, -EILSEQ, text);
}

/* The marks have wrapped: clear all of them. */
static bool begin_anew(struct hetm *h)
{
	sim_memory_free(h->exact.word);
	sim_memory_free(h->exact.granule);
	h->exact.mark = 1;
	return !hetm_exact_make(h);
}

void hetm_exact_judge(struct hetm *h, bool success)
{
	struct hetm_exact *e = &h->exact;
	uint64_t words = 0, granules = 0;

	if (!e->word)
		return;
	if (!++e->mark && !begin_anew(h)) {
		sim_fail(&h->port, -ENOMEM, "no memory for what a round accesses");
		return;
	}
	note_accesses(h);
	for (uint32_t i = 0; i < e->written.count; i++) {
		uint64_t at = e->written.word[i].address;

		words += sim_memory_read(e->word, at) == e->mark;
		granules += sim_memory_read(e->granule, granule_of(h, at)) == e->mark;
	}
	if (success && words)
		fail(h, "it has succeeded, and words were accessed by both", words, 0);
	if (!success && !granules)
		fail(h, "it has failed, and no granule was accessed by both", 0, 1);
	if (e->told != granules)
		fail(h, "another number of entries conflict", e->told, granules);
	e->rounds++;
	e->failed += !success;
	e->false_rounds += !success && !words;
	e->entries += granules;
	e->false_entries += granules - words;
	e->written.count = 0;
	e->told = 0;
}

bool hetm_exact_count(const struct sim_run *run, size_t index, const char **name,
		      uint64_t *value)
{
	const struct hetm *h = (const void *)run;
	const struct {
		const char *name;
		uint64_t value;
	} counts[] = {
		{ "rounds", h->exact.rounds },
		{ "failed_rounds", h->exact.failed },
		{ "false_rounds", h->exact.false_rounds },
		{ "conflicts", h->exact.entries },
		{ "false_conflicts", h->exact.false_entries },
	};

	if (index >= sizeof(counts) / sizeof(counts[0]))
		return false;
	*name = counts[index].name;
	*value = counts[index].value;
	return true;
}
