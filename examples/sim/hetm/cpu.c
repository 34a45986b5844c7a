/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU of HeTM: workers that interpret requests under a simple opaque TM (hetm.h). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hetm.h"
#include "../base/arena.h"

/* ---- memory ---- */

/* The last write of the transaction to this word, or NULL. */
static struct hetm_word *own(const struct hetm_worker *w, uint64_t address)
{
	for (uint32_t i = w->writes.count; i-- > 0;)
		if (w->writes.word[i].address == address)
			return &w->writes.word[i];
	return NULL;
}

static void observe_load(struct hetm *h, const struct hetm_worker *w,
			 uint64_t address, uint32_t value)
{
	const struct sim_observer *o = h->port.observer;

	if (o && w->in_tx)
		o->load(o->state, w->thread, address, value, 0);
}

static void observe_store(struct hetm *h, const struct hetm_worker *w, bool inside,
			  uint64_t address, uint32_t value)
{
	const struct sim_observer *o = h->port.observer;

	if (o)
		o->store(o->state, w->thread, inside, address, value);
}

/* Write a word of the CPU's replica, as part of the newest commit of the clock. */
static void publish(struct hetm *h, const struct hetm_worker *w, uint64_t address,
		    uint32_t value)
{
	sim_memory_write(h->port.memory, address, value);
	hetm_exact_write(h, address);
	if (h->config->system.devices != HETM_CPU_ONLY &&
	    gputm_write_set_log_append(h->log, (uint32_t)(w - h->worker), address - h->base, value,
				       h->commits))
		sim_fail(&h->port, -EINVAL, "a write of the CPU does not go to its log");
}

/* Does memory still hold all values that the transaction has read? If so, its snapshot becomes the
 * newest commit. */
static bool extend(struct hetm *h, struct hetm_worker *w)
{
	if (w->snapshot == h->commits)
		return true;
	for (uint32_t i = 0; i < w->reads.count; i++)
		if (sim_memory_read(h->port.memory, w->reads.word[i].address) !=
		    w->reads.word[i].value)
			return false;
	w->snapshot = h->commits;
	return true;
}

/* Words of registers: of all workers, of one worker. */
static size_t rows(const struct hetm *h)
{
	return (size_t)HETM_WORKERS * h->port.program->registers;
}

static uint32_t *row(struct hetm *h, const struct hetm_worker *w)
{
	return h->reg + (size_t)(w - h->worker) * h->port.program->registers;
}

static void abort_tx(struct hetm *h, struct hetm_worker *w)
{
	const struct sim_observer *o = h->port.observer;

	if (o)
		o->abort(o->state, w->thread, SIM_ABORT_VALIDATION);
	h->port.result.aborted++;
	h->port.result.aborted_by_reason[SIM_ABORT_VALIDATION]++;
	sim_row_again(h->port.program, ++w->attempt, row(h, w), row(h, w) + rows(h));
	w->pc = w->begin;
	w->in_tx = false;
}

static void load(struct hetm *h, struct hetm_worker *w, uint64_t address,
		 uint16_t into)
{
	struct hetm_word *mine = w->in_tx ? own(w, address) : NULL;
	uint32_t value;

	w->loaded = address;
	if (mine) {
		value = (uint32_t)mine->value;
	} else if (w->in_tx && !extend(h, w)) {
		abort_tx(h, w);
		return;
	} else {
		value = sim_memory_read(h->port.memory, address);
		if (w->in_tx)
			hetm_note(h, &w->reads, address, value);
	}
	if (into != SIM_NO_REGISTER)
		row(h, w)[into] = value;
	observe_load(h, w, address, value);
}

static void store(struct hetm *h, struct hetm_worker *w, uint64_t address,
		  uint32_t value)
{
	struct hetm_word *mine;

	if (!w->in_tx) {
		h->commits++;
		publish(h, w, address, value);
		observe_store(h, w, false, address, value);
		return;
	}
	mine = own(w, address);
	if (mine)
		mine->value = value;
	else
		hetm_note(h, &w->writes, address, value);
	observe_store(h, w, true, address, value);
}

/* ---- transactions ---- */

static void begin(struct hetm *h, struct hetm_worker *w, uint32_t pc)
{
	w->begin = pc;
	memcpy(row(h, w) + rows(h), row(h, w), h->port.program->registers * sizeof(uint32_t));
	w->in_tx = true;
	w->reads.count = w->writes.count = 0;
	w->snapshot = h->commits;
}

static void commit(struct hetm *h, struct hetm_worker *w)
{
	const struct sim_observer *o = h->port.observer;

	if (!extend(h, w)) {
		abort_tx(h, w);
		return;
	}
	h->commits += w->writes.count > 0;
	for (uint32_t i = 0; i < w->writes.count; i++)
		publish(h, w, w->writes.word[i].address,
			(uint32_t)w->writes.word[i].value);
	if (o)
		o->commit(o->state, w->thread, h->place);
	h->place++;
	h->port.result.committed++;
	w->attempt = 0;
	w->in_tx = false;
}

/* ---- instructions ---- */

static uint64_t cycles_of(const struct hetm_machine_config *c, const struct sim_instr *instr)
{
	switch (instr->op) {
	case SIM_PLAIN:
		return (uint64_t)instr->count * c->plain_cycles;
	case SIM_LOAD:
	case SIM_STORE:
		return c->access_cycles;
	case SIM_NOTE:
		return 0;
	case SIM_TX_BEGIN:
		return c->begin_cycles;
	case SIM_TX_COMMIT:
		return c->commit_cycles;
	default:
		return c->plain_cycles;
	}
}

static void end_request(struct hetm *h, struct hetm_worker *w)
{
	h->run.threads_left--;
	h->run.last_work = h->port.now;
	w->ready_at = HETM_NEVER;
}

static void step(struct hetm *h, struct hetm_worker *w)
{
	const uint32_t pc = w->pc;
	const struct sim_instr *instr = &h->port.program->code[pc];
	uint64_t address[SIM_MAX_LANES];
	uint32_t value[SIM_MAX_LANES];
	struct sim_step does = { .mask = 1, .address = address, .value = value };

	w->ready_at += cycles_of(&h->config->machine, instr);
	if (instr->op <= SIM_EXIT_IF || instr->op == SIM_NOTE)
		sim_evaluate_lanes(&h->port, pc, &w->thread, row(h, w), &does);
	w->pc = pc + 1 + (uint32_t)instr->hop;
	h->port.result.instructions++;
	switch (instr->op) {
	case SIM_LOAD:
		if (does.chosen)
			load(h, w, address[0], does.into);
		break;
	case SIM_STORE:
		if (does.chosen)
			store(h, w, address[0], value[0]);
		break;
	case SIM_BRANCH:
		w->pc = does.chosen ? instr->target : w->pc;
		break;
	case SIM_TX_BEGIN:
		begin(h, w, pc);
		break;
	case SIM_TX_COMMIT:
		commit(h, w);
		break;
	case SIM_EXIT_IF:
		if (does.chosen)
			end_request(h, w);
		break;
	case SIM_EXIT:
		end_request(h, w);
		break;
	default: /* a fence waits for nothing on the CPU */
		break;
	}
}

/* ---- workers ---- */

/* An idle worker takes a request, if there is one. */
static void take(struct hetm *h, struct hetm_worker *w)
{
	bool steal = h->config->system.steal || h->config->system.devices == HETM_CPU_ONLY;
	uint64_t request;
	uint32_t type;

	if (gputm_dispatch_queues_dequeue(h->queues, steal, &type, &request) !=
	    GPUTM_DISPATCH_QUEUES_TAKEN)
		return;
	if (request >= h->port.workload->threads) {
		sim_fail(&h->port, -EINVAL, "a request is of no thread");
		return;
	}
	w->thread = (uint32_t)request;
	w->attempt = 0;
	memset(row(h, w), 0, h->port.program->registers * sizeof(uint32_t));
	sim_introduce(h->port.program->special, row(h, w), 1, w->thread, 1,
		      h->port.workload->block_size, h->port.workload->block_size,
		      SIM_CPU);
	w->pc = 0;
	w->loaded = HETM_NEVER;
	w->in_tx = false;
	w->ready_at = h->port.now;
}

void hetm_cpu_run(struct hetm *h)
{
	for (uint32_t i = 0; i < h->config->machine.workers; i++)
		if (h->worker[i].ready_at <= h->port.now)
			step(h, &h->worker[i]);
}

void hetm_cpu_take(struct hetm *h)
{
	for (uint32_t i = 0; i < h->config->machine.workers; i++)
		if (h->worker[i].ready_at == HETM_NEVER)
			take(h, &h->worker[i]);
}

void hetm_cpu_watch(struct hetm *h)
{
	const struct hetm_worker *w = h->worker;

	while (w < h->worker + h->config->machine.workers && w->ready_at == HETM_NEVER)
		w++;
	if (h->run.patience_cycles && w < h->worker + h->config->machine.workers)
		sim_run_watch(&h->run, w->thread, w->pc);
}

uint64_t hetm_cpu_sum(struct sim_run *run)
{
	const struct hetm *h = hetm_in(run);
	uint64_t sum = sim_sum_words(h->commits + 1, h->reg, 2 * rows(h));

	return h->running ? sum + h->port.now : sum; /* a kernel will change something */
}

/* Has the GPU written the word in this round, for itself? */
static bool gpu_has_written(const struct hetm *h, uint64_t address)
{
	for (const struct hetm_kernel *k = h->done; k; k = k->next)
		for (uint32_t i = 0; i < k->writes.count; i++)
			if (k->writes.word[i].address == address)
				return true;
	return false;
}

/* A worker that goes round waits for the word that it reads, and for those who store to it. */
static int tell_word(const struct hetm *h, const struct hetm_worker *w, char *text,
		     size_t size)
{
	const struct sim_workload *workload = h->port.workload;
	bool other = gpu_has_written(h, w->loaded);
	char name[80];

	if (w->loaded == HETM_NEVER)
		return 0;
	snprintf(name, sizeof name, "0x%llx", (unsigned long long)w->loaded);
	if (workload->class->name_word)
		workload->class->name_word(workload, w->loaded, true, name, sizeof name);
	return snprintf(text, size, "; it waits for %s store to %s%s", other ? "the GPU's" : "a",
			name, other ? ", which the CPU sees after the round" : "");
}

/* Threads of the kernels that have ended wait for the end of the round. */
static int tell_kernels(const struct hetm *h, uint32_t thread, char *text, size_t size)
{
	uint32_t count = 0, first = 0;
	char more[32] = "";

	for (const struct hetm_kernel *k = h->done; k; k = k->next) {
		count += k->count;
		first = k->request[0];
	}
	if (!count)
		return 0;
	if (count > 1)
		snprintf(more, sizeof more, " and %u more", count - 1);
	return snprintf(text, size, "; thread %u%s of the GPU wait%s for the end of the round, "
			"which waits for thread %u", first, more, count > 1 ? "" : "s", thread);
}

void hetm_cpu_waits(struct sim_run *run, uint32_t thread, char *text, size_t size)
{
	const struct hetm *h = hetm_in(run);
	const struct hetm_worker *w = h->worker;
	uint64_t waiting = 0;
	int used;

	while (w->thread != thread || w->ready_at == HETM_NEVER)
		w++;
	used = tell_word(h, w, text, size);
	used += tell_kernels(h, thread, text + used, size - (size_t)used);
	for (unsigned i = GPUTM_DISPATCH_QUEUES_AFFINITY_ANY;
	     i <= GPUTM_DISPATCH_QUEUES_AFFINITY_GPU; i++)
		waiting += gputm_dispatch_queues_waiting(h->queues, i);
	if (waiting)
		snprintf(text + used, size - (size_t)used,
			 "; %llu threads wait for a worker or for the GPU",
			 (unsigned long long)waiting);
}

bool hetm_cpu_idle(const struct hetm *hetm)
{
	return hetm_cpu_next(hetm) == HETM_NEVER;
}

uint64_t hetm_cpu_next(const struct hetm *hetm)
{
	uint64_t first = HETM_NEVER;

	for (uint32_t i = 0; i < hetm->config->machine.workers; i++)
		if (hetm->worker[i].ready_at < first)
			first = hetm->worker[i].ready_at;
	return first;
}

int hetm_cpu_make(struct hetm *h)
{
	for (uint32_t i = 0; i < HETM_WORKERS; i++)
		h->worker[i].ready_at = HETM_NEVER;
	h->reg = sim_calloc(2 * rows(h) + 1, sizeof(*h->reg));
	return h->reg ? 0 : -ENOMEM;
}

void hetm_cpu_free(struct hetm *hetm)
{
	sim_free(hetm->reg);
	for (uint32_t i = 0; i < HETM_WORKERS; i++) {
		sim_free(hetm->worker[i].reads.word);
		sim_free(hetm->worker[i].writes.word);
	}
}

#define LATE (UINT64_C(1) << 20) /* cycles that no worker is late by */

void hetm_cpu_io(struct hetm *h, struct sim_io *io)
{
	SIM_IO_ARRAY(io, h->reg, 2 * rows(h));
	for (uint32_t i = 0; i < HETM_WORKERS; i++) {
		struct hetm_worker *worker = &h->worker[i];

		hetm_words_io(io, &worker->reads);
		hetm_words_io(io, &worker->writes);
		SIM_IO_FROM(io, worker, thread);
		SIM_IO_FLAG(io, worker->in_tx);
		sim_io_must(io, "worker", worker->ready_at == HETM_NEVER ||
						  worker->pc < h->port.program->length);
		sim_io_below(io, "worker", worker->begin, h->port.program->length);
		sim_io_below(io, "worker", worker->thread, h->port.workload->threads);
		sim_io_must(io, "worker", worker->ready_at >= h->port.now ||
						  h->port.now - worker->ready_at < LATE);
	}
}
