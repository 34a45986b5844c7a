/* SPDX-License-Identifier: BSD-2-Clause */
#include "threads.h"

#include <errno.h>
#include <string.h>

#include "program.h"
#include "../base/arena.h"

#define LANES KERNEL_LANES

int flow_threads_new(const struct kernel *k, uint64_t seed, struct flow_threads *out)
{
	memset(out, 0, sizeof(*out));
	out->kernel = k;
	out->code = k->code;
	out->seed = seed;
	out->warps = kernel_warps_of_block(k);
	out->count = k->blocks * out->warps * k->lanes;
	out->stride = out->count + LANES; /* 32 lanes may be read */
	out->origin = flow_origin(k);
	out->reg = sim_calloc(out->code->registers * out->stride + 1, sizeof(*out->reg));
	out->word = sim_calloc(flow_words(k) + 1, sizeof(*out->word));
	out->shared = sim_calloc(k->blocks * k->shared_words + 1, sizeof(*out->shared));
	out->resident_of = sim_calloc(k->blocks, sizeof(*out->resident_of));
	if (!out->reg || !out->word || !out->shared || !out->resident_of) {
		flow_threads_free(out);
		return -ENOMEM;
	}
	for (size_t i = 0; i < flow_words(k); i++)
		out->word[i] = sim_memory_read(k->initial, out->origin + 4 * i);
	for (size_t i = 0; k->shows_shared && i < k->shared_words; i++)
		out->shared[i] = sim_memory_read(k->initial, 4 * i);
	for (uint32_t b = 0, each = out->warps * k->lanes; b < k->blocks; b++)
		sim_introduce(k->code->special, out->reg + b * each, out->stride,
			      b * k->block_threads, each, k->block_threads, k->lanes, 0);
	return 0;
}

void flow_threads_free(struct flow_threads *t)
{
	sim_free(t->reg);
	sim_free(t->word);
	sim_free(t->shared);
	sim_free(t->resident_of);
	memset(t, 0, sizeof(*t));
}

void flow_threads_io(struct flow_threads *t, struct sim_io *io)
{
	SIM_IO_ARRAY(io, t->reg, t->code->registers * t->stride);
	SIM_IO_ARRAY(io, t->word, flow_words(t->kernel));
	SIM_IO_ARRAY(io, t->shared, t->kernel->blocks * t->kernel->shared_words);
	SIM_IO_ARRAY(io, t->resident_of, t->kernel->blocks);
}

/* ---- faults ---- */

static bool stray(struct flow_threads *t, const struct kernel_lanes *w,
		  const struct flow_lanes *lanes, const struct kernel_instr *i)
{
	uint32_t l = (uint32_t)__builtin_ctz(w->stray), slot = lanes->slot[l];
	int used = snprintf(t->fault, sizeof(t->fault), "thread %u of block %u ",
			    flow_thread_of(t, slot), flow_block_of(t, slot));
	char *rest = t->fault + used;

	if (w->stray_trace) {
		snprintf(rest, sizeof(t->fault) - (size_t)used, "has no outcome left in trace %s "
			 "after %u", w->stray_trace, w->stray_visits);
		return false;
	}
	kernel_catch_lanes(w, i);
	used += snprintf(rest, sizeof(t->fault) - (size_t)used, "uses ");
	kernel_say_stray(t->kernel, t->code, i, &w->stray_of[l], t->fault + used,
			 sizeof(t->fault) - (size_t)used);
	return false;
}

/* ---- memory ---- */

/* Lanes one after the other: the last one stays in a word. */
static void perform(struct flow_threads *t, const struct kernel_instr *i,
		    const struct kernel_lanes *w, const struct flow_lanes *lanes,
		    const struct flow_effect *effect, const uint32_t *value,
		    const uint32_t *compare)
{
	uint32_t *to = i->d == KERNEL_NO_COLUMN ? NULL : kernel_register(w, i->d);

	for (uint32_t on = effect->accesses; on; on &= on - 1) {
		uint32_t l = (uint32_t)__builtin_ctz(on), slot = lanes->slot[l], old;
		uint32_t *word = effect->banks ?
				 t->shared + effect->address[l] +
					 flow_block_of(t, slot) * t->kernel->shared_words :
				 t->word + (effect->address[l] - t->origin) / 4;

		old = *word;
		if (i->op == KERNEL_STORE || (i->op == KERNEL_CAS && old == compare[l]))
			*word = value[l];
		else if (i->op == KERNEL_ADD)
			*word += value[l];
		if (to)
			to[w->slot ? slot : l] = old;
	}
}

bool flow_execute(struct flow_threads *t, uint32_t pc, const struct flow_lanes *lanes,
		  struct flow_effect *effect)
{
	const struct kernel_instr *i = &t->code->instr[pc];
	uint32_t value[LANES], compare[LANES], chosen;
	struct sim_stray strayed[LANES];
	struct kernel_lanes w = { .kernel = t->kernel, .code = t->code, .reg = t->reg,
				  .stride = t->stride, .mask = lanes->mask, .seed = t->seed,
				  .stray_of = strayed };

	effect->taken = effect->accesses = effect->memory = effect->banks = 0;
	if (lanes->together)
		w.reg += lanes->slot[0];
	else
		w.slot = lanes->slot;
	w.whole = t->kernel->lanes == LANES ? UINT32_MAX : 0;
	chosen = kernel_evaluate(&w, i, effect->address, value, compare);
	if (w.stray)
		return stray(t, &w, lanes, i);
	if (!kernel_accesses(i)) {
		effect->taken = chosen;
		return true;
	}
	effect->accesses = chosen;
	if (kernel_shares(t->kernel, i)) {
		for (uint32_t left = chosen; left; left &= left - 1)
			effect->address[__builtin_ctz(left)] /= 4;
		effect->banks = sim_bank_cycles(effect->address, chosen);
	} else {
		effect->memory = chosen;
	}
	perform(t, i, &w, lanes, effect, value, compare);
	return true;
}
