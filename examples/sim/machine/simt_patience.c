/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ends runs without a TM system that make no progress, and says which thread goes round and who
 * waits for it, as patience.c does for other runs. There are two limits, of cycles in which no
 * thread has ended: a short one, if no register and no word of memory has changed either, as in a
 * loop that waits for a lock; and a long one.
 */
#include <errno.h>

#include "mechanism.h"
#include "simt_core.h"
#include "wiring.h"
#include "../base/arena.h"

#define SAMPLE (UINT64_C(1) << 20) /* cycles between two looks at all registers and words */
#define STILL UINT64_C(50000000) /* the short limit */
#define LONG UINT64_C(500000000) /* the least long limit, which is core.most_cycles / 8 */

/* ---- has anything changed? ---- */

static uint64_t sum_of(const struct flow_gpu *gpu)
{
	const struct flow_threads *t = &gpu->threads;
	uint64_t sum = sim_sum_words(1, t->reg, t->code->registers * t->stride);

	sum = sim_sum_words(sum, t->word, flow_words(t->kernel));
	return sim_sum_words(sum, t->shared, (size_t)t->kernel->blocks * t->kernel->shared_words);
}

/* ---- who goes round? ---- */

struct places {
	const struct flow_core *core;
	uint32_t *pc, *way, *queue; /* of each thread number; of each instruction, twice */
	uint32_t spinner, waiter, least, most; /* and the lengths of their ways round */
	uint32_t warp; /* the first number of the warp that is looked at; KERNEL_NONE: of all */
};

/* Instructions of the shortest way from pc back to pc; KERNEL_NONE: there is none. */
static uint32_t way_round(struct places *p, uint32_t pc)
{
	const struct kernel_code *code = p->core->kernel->code;
	uint32_t first = 0, count = 0, way[2];

	memset(p->way, 0, code->instr_count * sizeof(*p->way));
	p->queue[count++] = pc;
	while (first < count) {
		uint32_t from = p->queue[first++];
		const struct kernel_instr *i = &code->instr[from];
		const struct kernel_block *block = &code->block[i->block];
		uint32_t ways = i->last ? block->ways : 1;

		for (uint32_t n = 0; n < ways; n++) {
			way[n] = i->last ? kernel_entry(code, block->way[n]) : from + 1;
			if (way[n] == pc)
				return p->way[from] + 1;
			if (p->way[way[n]])
				continue;
			p->way[way[n]] = p->way[from] + 1;
			p->queue[count++] = way[n];
		}
	}
	return KERNEL_NONE;
}

/* The spinner is in the shortest loop; of its warp, the thread in the longest or in none waits. */
static void look_at(void *state, uint32_t slot, uint32_t pc)
{
	struct places *p = state;
	uint32_t lanes = p->core->kernel->lanes, length;

	if (p->warp != KERNEL_NONE && slot / lanes != p->warp)
		return;
	length = way_round(p, pc);
	p->pc[slot] = pc;
	if (length < p->least) {
		p->spinner = slot;
		p->least = length;
	}
	if (p->warp != KERNEL_NONE && (p->waiter == KERNEL_NONE || length > p->most)) {
		p->waiter = slot;
		p->most = length;
	}
}

/* A thread that goes round, and one of its warp that does not; KERNEL_NONE: there is none. */
static bool find(struct places *p)
{
	p->spinner = p->waiter = p->warp = p->least = KERNEL_NONE;
	p->core->mechanism->places(p->core, look_at, p);
	if (p->spinner == KERNEL_NONE)
		return false;
	p->warp = p->spinner / p->core->kernel->lanes;
	p->core->mechanism->places(p->core, look_at, p);
	if (p->most == p->least)
		p->waiter = KERNEL_NONE;
	return true;
}

static int give_up(struct places *p, uint64_t cycles)
{
	struct flow_core *core = (struct flow_core *)(uintptr_t)p->core;
	const struct flow_threads *t = core->threads;
	char reason[400], waits[120] = "";

	if (p->waiter != KERNEL_NONE)
		snprintf(waits, sizeof(waits), "; thread %u of its warp waits for it in line %u",
			 flow_id_of(t, p->waiter),
			 core->kernel->code->instr[p->pc[p->waiter]].line);
	snprintf(reason, sizeof(reason), "thread %u goes round: no thread has ended%s for more "
		 "than %llu cycles%s%s", flow_id_of(t, p->spinner),
		 cycles == STILL ? ", and no register or word of memory has changed," : "",
		 (unsigned long long)cycles,
		 cycles == STILL ? "" : " (core.most_cycles / 8)", waits);
	flow_fail(core, p->pc[p->spinner], reason);
	return -EINVAL;
}

/* Who goes round on some core; 0 if nobody does. */
static int look_for(struct flow_gpu *gpu, uint64_t cycles)
{
	size_t length = gpu->kernel->code->instr_count, count = gpu->threads.count;
	uint32_t *words = sim_calloc(count + 2 * length + 1, sizeof(*words));
	struct places p = { .pc = words, .way = words + count };
	int error = words ? 0 : -ENOMEM;

	p.queue = p.way + length;
	for (uint32_t i = 0; !error && i < gpu->cores; i++) {
		p.core = &gpu->core[i];
		if (p.core->blocks.count && find(&p))
			error = give_up(&p, cycles);
	}
	sim_free(words);
	return error;
}

int flow_lose_patience(struct flow_gpu *gpu, uint64_t now)
{
	uint64_t left = gpu->machine->threads_left, sum;
	uint64_t most = sim_later(gpu->config.most_cycles / 8, LONG);
	struct flow_patience *p = &gpu->patience;

	if (left != p->left)
		*p = (struct flow_patience){ left, now, now, 0, now + SAMPLE };
	if (now < p->next)
		return 0;
	p->next = now + SAMPLE;
	sum = sum_of(gpu);
	if (sum != p->sum)
		p->still_at = now;
	p->sum = sum;
	if (now - p->still_at > STILL)
		return look_for(gpu, STILL);
	return now - p->left_at > most ? look_for(gpu, most) : 0;
}
