/* SPDX-License-Identifier: BSD-2-Clause */
/* The GPU of HeTM: kernels, each a run of the machine on the replica (hetm.h). */
#include <stdlib.h>
#include <string.h>

#include "hetm.h"

/* ---- the batch as a workload ---- */

static const struct hetm_kernel *kernel_of(const struct sim_workload *workload)
{
	return (const struct hetm_kernel *)(const void *)((const char *)workload -
							  offsetof(struct hetm_kernel, workload));
}

/* Thread i of the kernel is request i of its batch. */
static void eval(const void *data, uint32_t pc, struct sim_lane *lane, struct sim_step *step)
{
	const struct hetm_kernel *k = data;
	struct sim_lane request = *lane;

	request.thread = k->request[lane->thread] | k->device_bit;
	k->inner->eval(k->inner->data, pc, &request, step);
	memcpy(lane->reg, request.reg, sizeof(lane->reg));
}

static void copy_replica(const struct sim_workload *workload, struct sim_memory *memory)
{
	const struct sim_memory *found = kernel_of(workload)->found;
	const uint32_t *page;

	for (uint64_t at = 0; (page = sim_memory_page(found, &at)); at += 1u << SIM_PAGE_BITS)
		memcpy(sim_memory_make(memory, at), page, 1u << SIM_PAGE_BITS);
}

static const char *no_invariant(const struct sim_workload *workload,
				const struct sim_memory *memory, char *error, size_t size)
{
	(void)workload;
	(void)memory;
	(void)error;
	(void)size;
	return NULL;
}

/* ---- what the kernel's transactions have accessed ---- */

/* In an attempt's list the lowest bit of an address is set for a write. */
#define WRITTEN 1u

struct listener {
	struct sim_machine *machine; /* HeTM's own */
	struct hetm_kernel *kernel;
	const struct sim_observer *check; /* of this kernel, or NULL */
};

static void on_load(void *state, uint32_t thread, uint64_t address, uint32_t value,
		    uint32_t version)
{
	struct listener *l = state;

	hetm_note(l->machine, &l->kernel->attempt[thread], address, value);
	if (l->check)
		l->check->load(l->check->state, thread, address, value, version);
}

static void on_store(void *state, uint32_t thread, bool inside, uint64_t address, uint32_t value)
{
	struct listener *l = state;

	if (address < l->kernel->workload.lock_base)
		hetm_note(l->machine,
			  inside ? &l->kernel->attempt[thread] : &l->kernel->writes,
			  address | (inside ? WRITTEN : 0), value);
	if (l->check)
		l->check->store(l->check->state, thread, inside, address, value);
}

static void on_abort(void *state, uint32_t thread, enum sim_abort_reason reason)
{
	struct listener *l = state;

	l->kernel->attempt[thread].count = 0;
	if (l->check)
		l->check->abort(l->check->state, thread, reason);
}

static void on_commit(void *state, uint32_t thread, uint64_t witness)
{
	struct listener *l = state;
	struct hetm_words *attempt = &l->kernel->attempt[thread];

	for (uint32_t i = 0; i < attempt->count; i++) {
		const struct hetm_word *w = &attempt->word[i];
		bool written = w->address & WRITTEN;

		hetm_note(l->machine, written ? &l->kernel->writes : &l->kernel->reads,
			  w->address & ~(uint64_t)WRITTEN, w->value);
	}
	attempt->count = 0;
	l->kernel->committed++;
	if (l->check)
		l->check->commit(l->check->state, thread, witness);
}

/* ---- running one ---- */

static void free_kernel(struct hetm_kernel *k)
{
	if (!k)
		return;
	for (uint32_t i = 0; k->attempt && i < k->count; i++)
		free(k->attempt[i].word);
	sim_check_free(k->check);
	free(k->attempt);
	free(k->reads.word);
	free(k->writes.word);
	free(k->request);
	free(k);
}

static struct hetm_kernel *make_kernel(struct sim_machine *machine, uint32_t count)
{
	const struct sim_workload *outer = machine->workload;
	struct hetm *h = hetm_of(machine);
	struct hetm_kernel *k = calloc(1, sizeof(*k));
	enum sim_flavour flavour = h->system->flavour;

	if (!k)
		return NULL;
	k->count = count;
	k->request = calloc(count, sizeof(*k->request));
	k->attempt = calloc(count, sizeof(*k->attempt));
	if (!k->request || !k->attempt) {
		free_kernel(k);
		return NULL;
	}
	for (uint32_t i = 0; i < count; i++)
		k->request[i] = (uint32_t)h->batch[i];
	k->device_bit = outer->device_bit ? SIM_ON_GPU : 0;
	k->found = h->gpu;
	k->inner = outer->program[flavour];
	k->program = (struct sim_program){ k->inner->code, k->inner->length, eval, k };
	k->class = (struct sim_workload_class){
		.name = outer->name, .setup = copy_replica, .invariant = no_invariant,
	};
	k->workload = *outer;
	k->workload.class = &k->class;
	k->workload.threads = count;
	k->workload.transactions = 0;
	k->workload.program[flavour] = &k->program;
	return k;
}

static void add_result(struct sim_machine *machine, const struct sim_result *result)
{
	struct sim_result *sum = &machine->result;

	sum->aborted += result->aborted;
	for (unsigned i = 0; i < SIM_ABORT_REASONS; i++)
		sum->aborted_by_reason[i] += result->aborted_by_reason[i];
	for (unsigned i = 0; i < SIM_TRAFFIC_KINDS; i++) {
		sum->traffic[i].packets += result->traffic[i].packets;
		sum->traffic[i].bytes += result->traffic[i].bytes;
		sum->traffic[i].flits += result->traffic[i].flits;
	}
	sum->instructions += result->instructions;
	sum->l2_accesses += result->l2_accesses;
	sum->l2_misses += result->l2_misses;
	sum->dram_bytes += result->dram_bytes;
}

/* Is what the kernel did right for the replica that it found? */
static void judge(struct sim_machine *machine, struct hetm_kernel *k,
		  const struct sim_machine *gpu)
{
	struct sim_verdict verdict;

	if (!k->check)
		return;
	if (sim_check_judge(k->check, sim_machine_memory(gpu), &verdict))
		sim_fail(machine, -ENOMEM, "no memory to check a kernel");
	else if (!verdict.passed)
		sim_fail(machine, -EILSEQ, verdict.failure);
}

/* Run the kernel to its end; its writes go to the replica. Gives its time. */
static uint64_t run_kernel(struct sim_machine *machine, struct hetm_kernel *k)
{
	struct hetm *h = hetm_of(machine);
	struct listener listener = { machine, k,
				     k->check ? sim_check_observer(k->check) : NULL };
	struct sim_observer observer = { &listener, on_load, on_store, on_abort, on_commit };
	struct sim_run_options options = { .concurrency = h->config->system.concurrency,
					   .seed = machine->options.seed,
					   .observer = &observer };
	struct sim_machine *gpu;
	struct sim_result result = { 0 };
	int error = sim_machine_new(machine->ctx, &h->config->gpu, h->system, h->system_config,
				    &k->workload, &options, &gpu);

	if (!error)
		error = sim_machine_run(gpu);
	if (error) {
		sim_fail(machine, error, sim_machine_error(gpu));
	} else {
		judge(machine, k, gpu);
		sim_machine_result(gpu, &result);
		add_result(machine, &result);
		for (uint32_t i = 0; i < k->writes.count; i++)
			sim_memory_write(h->gpu, k->writes.word[i].address,
					 sim_memory_read(sim_machine_memory(gpu),
							 k->writes.word[i].address));
	}
	sim_machine_free(gpu);
	return result.cycles * 1000 / (result.core_mhz ? result.core_mhz : 1);
}

/* ---- the GPU's turn ---- */

void hetm_gpu_start(struct sim_machine *machine)
{
	struct hetm *h = hetm_of(machine);
	bool steal = h->config->system.steal || h->config->system.devices == HETM_GPU_ONLY;
	struct hetm_kernel *k;
	uint32_t type, count;

	if (gputm_dispatch_queues_pop_batch(h->queues, steal, true, &type, &count, h->batch) !=
	    GPUTM_DISPATCH_QUEUES_TAKEN)
		return;
	k = make_kernel(machine, count);
	if (k && machine->options.observer)
		k->check = sim_check_new(&k->workload);
	if (!k || (machine->options.observer && !k->check)) {
		free_kernel(k);
		sim_fail(machine, -ENOMEM, "no memory for a kernel");
		return;
	}
	h->running = k;
	k->ends = sim_now(machine) + h->config->machine.launch_cycles + run_kernel(machine, k);
}

void hetm_gpu_end(struct sim_machine *machine)
{
	struct hetm *h = hetm_of(machine);
	struct hetm_kernel *k = h->running;
	int error = 0;

	/* A write is marked as a read too: one test finds both kinds of conflict. */
	for (uint32_t i = 0; !error && i < k->reads.count; i++)
		error = gputm_access_bitmap_record(h->reads, k->reads.word[i].address - h->base);
	for (uint32_t i = 0; !error && i < k->writes.count; i++) {
		error = gputm_access_bitmap_record(h->reads, k->writes.word[i].address - h->base);
		if (!error)
			error = gputm_access_bitmap_record(h->writes,
							   k->writes.word[i].address - h->base);
	}
	if (error)
		sim_fail(machine, error, "the GPU has accessed what is not replicated");
	k->next = h->done;
	h->done = k;
	h->running = NULL;
}

/* ---- the round's end ---- */

struct teller {
	struct sim_machine *machine;
	const struct hetm_kernel *kernel;
};

/* One committed transaction of a kernel, in the kernel's serial order; or stores at its end. */
static void tell(void *state, uint32_t thread, bool committed, const struct sim_access *access,
		 uint32_t plain, uint32_t count)
{
	struct teller *t = state;
	const struct sim_observer *o = t->machine->options.observer;
	uint32_t request = t->kernel->request[thread];

	for (uint32_t i = 0; i < count; i++)
		if (access[i].write)
			o->store(o->state, request, i >= plain, access[i].address,
				 access[i].value);
		else
			o->load(o->state, request, access[i].address, access[i].value, 0);
	if (committed)
		o->commit(o->state, request, hetm_of(t->machine)->place++);
}

static void commit_kernel(struct sim_machine *machine, struct hetm_kernel *k)
{
	struct teller teller = { machine, k };

	if (!k)
		return;
	commit_kernel(machine, k->next); /* the oldest first */
	if (k->check && !machine->failed)
		sim_check_each(k->check, tell, &teller);
	machine->result.committed += k->committed;
	machine->threads_left -= k->count;
	machine->last_work = k->ends > machine->last_work ? k->ends : machine->last_work;
	free_kernel(k);
}

void hetm_gpu_commit(struct sim_machine *machine)
{
	struct hetm *h = hetm_of(machine);

	(void)gputm_dispatch_queues_commit(h->queues);
	commit_kernel(machine, h->done);
	h->done = NULL;
}

void hetm_gpu_abort(struct sim_machine *machine)
{
	struct hetm *h = hetm_of(machine);

	if (gputm_dispatch_queues_abort(h->queues))
		sim_fail(machine, -ENOMEM, "no memory to give requests back");
	while (h->done) {
		struct hetm_kernel *k = h->done;

		h->done = k->next;
		machine->result.aborted += k->committed;
		machine->result.aborted_by_reason[SIM_ABORT_ROUND] += k->committed;
		free_kernel(k);
	}
}

void hetm_gpu_free(struct hetm *hetm)
{
	while (hetm->done) {
		struct hetm_kernel *k = hetm->done;

		hetm->done = k->next;
		free_kernel(k);
	}
	free_kernel(hetm->running);
}
