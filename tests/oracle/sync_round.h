/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_SYNC_ROUND_H
#define GPUTM_ORACLE_SYNC_ROUND_H
/*
 * Rounds the slow way: cycle by cycle, with a link that counts down, kernels that arrive and are
 * worked off one after the other, and a counter for every cycle in which a device stands.
 */
#include "tests/oracle/stats.h"

#define ORACLE_SYNC_ROUND_STATS                                                                \
	rounds, succeeded, failed, cut_short, early_chunks, chunks, shipped_bytes,             \
		shadow_bytes, copied_back, realigned, execution, validation, merge,            \
		cpu_blocked, cpu_drain, cpu_waits, cpu_merge, gpu_blocked, gpu_drain,          \
		gpu_waits, gpu_validates, gpu_merge, link_early, link_logs, link_copies,       \
		link_idle

struct oracle_sync_round {
	struct gputm_sync_round_config config;
	unsigned step;
	enum gputm_sync_round_action open;
	bool conflict, cpu_stands, gpu_stands;
	bool runs_wait;		 /* until the GPU and the link are free */
	uint64_t runs_cycles;	 /* what they will take then */
	uint64_t age, early_in;	 /* cycles of this phase; until the next early validation */
	uint64_t link_left;	 /* cycles that the link is busy */
	uint64_t *link_use;	 /* which counter counts them */
	struct {
		uint64_t arrives_in, cycles;
		bool early;
	} kernel[256];
	unsigned kernels;
	ORACLE_STATS(ORACLE_SYNC_ROUND_STATS);
};

enum { NOTHING, EXECUTING, STOPPING, SHIPPING, STOPPING_CPU, JUDGING, MERGING, COPYING, ENDING };

static bool oracle_sync_round_begin(struct oracle_sync_round *o)
{
	if (o->step != NOTHING)
		return false;
	o->step = EXECUTING;
	o->age = 0;
	o->early_in = o->config.early_cycles;
	o->conflict = false;
	o->rounds++;
	return true;
}

static bool oracle_sync_round_stop(struct oracle_sync_round *o)
{
	if (o->step != EXECUTING || o->open)
		return false;
	o->step = STOPPING;
	o->age = 0;
	return true;
}

/* What takes no time happens at once. */
static void settle(struct oracle_sync_round *o)
{
	while (o->kernels && !o->kernel[0].arrives_in && !o->kernel[0].cycles) {
		o->kernels--;
		memmove(&o->kernel[0], &o->kernel[1], o->kernels * sizeof(o->kernel[0]));
	}
	if (o->runs_wait && !o->kernels && !o->link_left) {
		o->link_left = o->runs_cycles;
		o->link_use = &o->link_copies;
		o->runs_wait = false;
	}
	if (o->gpu_stands && o->step >= COPYING && !o->kernels &&
	    (o->config.shadow_copy || (o->step == ENDING && !o->runs_wait && !o->link_left)))
		o->gpu_stands = false;
	if (o->cpu_stands && o->step == ENDING && !o->runs_wait && !o->link_left && !o->kernels)
		o->cpu_stands = false;
}

/* The counter of what a device that stands does in this cycle. */
static uint64_t *doing(struct oracle_sync_round *o, bool gpu)
{
	if (o->step == STOPPING || (o->step == STOPPING_CPU && !gpu))
		return gpu ? &o->gpu_drain : &o->cpu_drain;
	if (o->step >= MERGING)
		return gpu ? &o->gpu_merge : &o->cpu_merge;
	if (gpu && o->kernels && !o->kernel[0].arrives_in && !o->kernel[0].early)
		return &o->gpu_validates;
	return gpu ? &o->gpu_waits : &o->cpu_waits;
}

/* One cycle passes. */
static void oracle_sync_round_tick(struct oracle_sync_round *o)
{
	bool works = o->kernels && !o->kernel[0].arrives_in;

	o->cpu_blocked += o->cpu_stands;
	o->gpu_blocked += o->gpu_stands;
	*doing(o, false) += o->cpu_stands;
	*doing(o, true) += o->gpu_stands;
	*(o->link_left ? o->link_use : &o->link_idle) += o->step != NOTHING;
	o->execution += o->step == EXECUTING;
	o->validation += o->step >= STOPPING && o->step <= JUDGING;
	o->merge += o->step >= MERGING;
	o->age++;
	o->early_in -= o->early_in > 0;
	o->link_left -= o->link_left > 0;
	for (unsigned i = 0; i < o->kernels; i++)
		o->kernel[i].arrives_in -= o->kernel[i].arrives_in > 0;
	if (works)
		o->kernel[0].cycles--;
	settle(o);
}

static enum gputm_sync_round_action merge_with(const struct oracle_sync_round *o)
{
	if (o->config.shadow_copy)
		return o->conflict ? GPUTM_SYNC_ROUND_ACTION_REPLAY
				   : GPUTM_SYNC_ROUND_ACTION_SHADOW;
	return o->conflict ? GPUTM_SYNC_ROUND_ACTION_REALIGN : GPUTM_SYNC_ROUND_ACTION_COPY_BACK;
}

static enum gputm_sync_round_action look(struct oracle_sync_round *o)
{
	bool quiet = !o->link_left && !o->kernels && !o->runs_wait;

	if (o->step == EXECUTING) {
		bool over = o->age >= o->config.round_cycles;

		if (over || (o->conflict && !o->kernels)) {
			o->cut_short += !over;
			o->step = STOPPING;
			o->age = 0;
			return GPUTM_SYNC_ROUND_ACTION_DRAIN;
		}
		if (o->config.early_cycles && !o->conflict && !o->early_in && !o->link_left)
			return GPUTM_SYNC_ROUND_ACTION_EARLY;
	} else if (o->step == SHIPPING) {
		if (!o->cpu_stands && o->age >= o->config.round_cycles) {
			o->step = STOPPING_CPU;
			return GPUTM_SYNC_ROUND_ACTION_DRAIN;
		}
		if (!o->link_left)
			return GPUTM_SYNC_ROUND_ACTION_SHIP;
	} else if (o->step == JUDGING && quiet) {
		o->step = MERGING;
		if (o->conflict && o->config.shadow_copy)
			o->cpu_stands = false;
		return merge_with(o);
	} else if (o->step == COPYING && !o->open) {
		return GPUTM_SYNC_ROUND_ACTION_COPY_BACK;
	} else if (o->step == STOPPING || o->step == STOPPING_CPU) {
		return GPUTM_SYNC_ROUND_ACTION_DRAIN;
	} else if (o->step == ENDING && quiet) {
		*(o->conflict ? &o->failed : &o->succeeded) += 1;
		o->step = NOTHING;
		return GPUTM_SYNC_ROUND_ACTION_END;
	}
	return GPUTM_SYNC_ROUND_ACTION_RUN;
}

static void oracle_sync_round_next(struct oracle_sync_round *o, struct gputm_sync_round_todo *todo)
{
	enum gputm_sync_round_action what = o->open ? o->open : look(o);

	memset(todo, 0, sizeof(*todo));
	todo->action = what;
	if (what == GPUTM_SYNC_ROUND_ACTION_DRAIN && o->step == STOPPING) {
		todo->devices = GPUTM_SYNC_ROUND_DEVICE_GPU;
		o->gpu_stands = true;
	}
	if (what == GPUTM_SYNC_ROUND_ACTION_DRAIN &&
	    (o->step == STOPPING_CPU || !o->config.non_blocking)) {
		todo->devices |= GPUTM_SYNC_ROUND_DEVICE_CPU;
		o->cpu_stands = true;
	}
	todo->partial = what == GPUTM_SYNC_ROUND_ACTION_SHIP && o->cpu_stands;
	todo->success = what >= GPUTM_SYNC_ROUND_ACTION_SHADOW && !o->conflict;
	o->open = what == GPUTM_SYNC_ROUND_ACTION_END ? GPUTM_SYNC_ROUND_ACTION_RUN : what;
}

static uint64_t cycles(uint64_t bytes, uint64_t per_cycle)
{
	uint64_t count = 0;

	for (; bytes > per_cycle; bytes -= per_cycle)
		count++;
	return count + (bytes > 0);
}

static void run_kernel(struct oracle_sync_round *o, uint64_t arrives_in, uint64_t work)
{
	o->kernel[o->kernels].arrives_in = arrives_in;
	o->kernel[o->kernels].early = o->step == EXECUTING;
	o->kernel[o->kernels++].cycles = work;
}

static void send(struct oracle_sync_round *o, const struct gputm_sync_round_done *done)
{
	o->link_left += cycles(done->bytes, o->config.link_bytes);
	o->link_use = o->step == EXECUTING ? &o->link_early : &o->link_logs;
	run_kernel(o, o->link_left + o->config.link_latency, done->cycles);
	o->conflict |= done->conflict;
	++*(o->step == EXECUTING ? &o->early_chunks : &o->chunks);
	o->shipped_bytes += done->bytes;
}

static void oracle_sync_round_complete(struct oracle_sync_round *o,
				       const struct gputm_sync_round_done *done)
{
	enum gputm_sync_round_action what = o->open;

	o->open = GPUTM_SYNC_ROUND_ACTION_RUN;
	if (what == GPUTM_SYNC_ROUND_ACTION_DRAIN) {
		o->step = SHIPPING;
	} else if (what == GPUTM_SYNC_ROUND_ACTION_EARLY) {
		if (done->bytes)
			send(o, done);
		else
			o->early_in = o->config.early_cycles;
	} else if (what == GPUTM_SYNC_ROUND_ACTION_SHIP) {
		if (done->bytes)
			send(o, done);
		else
			o->step = o->cpu_stands ? JUDGING : STOPPING_CPU;
	} else if (what == GPUTM_SYNC_ROUND_ACTION_SHADOW ||
		   what == GPUTM_SYNC_ROUND_ACTION_REPLAY) {
		o->shadow_bytes += done->bytes;
		run_kernel(o, 0, done->cycles + cycles(done->bytes, o->config.copy_bytes));
		o->step = what == GPUTM_SYNC_ROUND_ACTION_SHADOW ? COPYING : ENDING;
	} else {
		*(o->conflict ? &o->realigned : &o->copied_back) += done->bytes;
		o->runs_wait = true;
		o->runs_cycles = done->runs * o->config.link_latency +
				 cycles(done->bytes, o->config.link_bytes);
		o->step = ENDING;
	}
	settle(o);
}

static bool oracle_sync_round_may_run(const struct oracle_sync_round *o,
				      enum gputm_sync_round_device device)
{
	return !(device == GPUTM_SYNC_ROUND_DEVICE_CPU ? o->cpu_stands : o->gpu_stands);
}

#endif /* GPUTM_ORACLE_SYNC_ROUND_H */
