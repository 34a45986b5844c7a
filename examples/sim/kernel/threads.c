/* SPDX-License-Identifier: BSD-2-Clause */
#include "threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

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
	out->reg = calloc(out->code->registers * out->stride + 1, sizeof(*out->reg));
	out->word = calloc(flow_words(k) + 1, sizeof(*out->word));
	out->shared = calloc(k->blocks * k->shared_words + 1, sizeof(*out->shared));
	out->resident_of = calloc(k->blocks, sizeof(*out->resident_of));
	if (!out->reg || !out->word || !out->shared || !out->resident_of) {
		flow_threads_free(out);
		return -ENOMEM;
	}
	for (size_t i = 0; i < flow_words(k); i++)
		out->word[i] = sim_memory_read(k->initial, out->origin + 4 * i);
	for (size_t i = 0; k->shows_shared && i < k->shared_words; i++)
		out->shared[i] = sim_memory_read(k->initial, 4 * i);
	for (uint32_t i = 0; i < out->count; i++)
		if (flow_exists(out, i))
			sim_introduce(k->code->special, out->reg + i, out->stride,
				      flow_id_of(out, i), k->block_threads, k->lanes, 0);
	return 0;
}

void flow_threads_free(struct flow_threads *t)
{
	free(t->reg);
	free(t->word);
	free(t->shared);
	free(t->resident_of);
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
		    const struct flow_effect *effect, uint32_t on, bool shared)
{
	uint32_t *to = i->d == KERNEL_NO_COLUMN ? NULL : kernel_register(w, i->d);
	uint32_t value[LANES], compare[LANES];

	if (i->op != KERNEL_LOAD)
		kernel_words(w, i->op == KERNEL_CAS ? i->c : i->b, value);
	if (i->op == KERNEL_CAS)
		kernel_words(w, i->b, compare);
	for (; on; on &= on - 1) {
		uint32_t l = (uint32_t)__builtin_ctz(on), slot = lanes->slot[l], old;
		uint32_t *word = shared ? t->shared + effect->address[l] +
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

static bool access(struct flow_threads *t, const struct kernel_instr *i, struct kernel_lanes *w,
		   const struct flow_lanes *lanes, struct flow_effect *effect)
{
	const struct kernel *k = t->kernel;
	bool shared = k->array[k->place[i->place].array].kind == KERNEL_SHARED;
	uint32_t on = kernel_addresses(w, i, effect->address);

	if (w->stray)
		return stray(t, w, lanes, i);
	for (uint32_t left = shared ? on : 0; left; left &= left - 1)
		effect->address[__builtin_ctz(left)] /= 4;
	if (shared)
		effect->banks = sim_bank_cycles(effect->address, on);
	else
		effect->memory = on;
	effect->accesses = on;
	perform(t, i, w, lanes, effect, on, shared);
	return true;
}

bool flow_execute(struct flow_threads *t, uint32_t pc, const struct flow_lanes *lanes,
		  struct flow_effect *effect)
{
	const struct kernel_instr *i = &t->code->instr[pc];
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
	kernel_steps(&w, i);
	if (w.stray)
		return stray(t, &w, lanes, i);
	if (i->op >= KERNEL_LOAD && i->op <= KERNEL_CAS)
		return access(t, i, &w, lanes, effect);
	if (i->op == KERNEL_EXIT_IF || i->op == KERNEL_BRANCH)
		effect->taken = kernel_true(&w, i->a) ^ (i->negate ? lanes->mask : 0);
	return true;
}
