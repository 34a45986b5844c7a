/* SPDX-License-Identifier: BSD-2-Clause */
/* The GPU of HeTM: kernels, each a run of the machine on the replica (hetm.h). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hetm.h"
#include "../base/arena.h"

/* ---- the batch as a workload ---- */

static const struct hetm_kernel *kernel_of(const struct sim_workload *workload)
{
	return (const struct hetm_kernel *)(const void *)((const char *)workload -
							  offsetof(struct hetm_kernel, workload));
}

static void copy_replica(const struct sim_workload *workload, struct sim_memory *memory)
{
	const struct sim_memory *found = kernel_of(workload)->found;
	const uint32_t *page;

	for (uint64_t at = 0; (page = sim_memory_page(found, &at)); at += 1u << SIM_PAGE_BITS)
		memcpy(sim_memory_make(memory, at), page, 1u << SIM_PAGE_BITS);
}

/* ---- accesses of the kernel's transactions ---- */

struct listener {
	struct hetm *h;
	struct sim_run *gpu;
	struct hetm_kernel *kernel;
	const struct sim_observer *check; /* of this kernel, or NULL */
};

/* The GPU's time, in HeTM's cycles of 1 GHz. */
static uint64_t time_of(const struct listener *l)
{
	uint64_t tick_mhz = (uint64_t)l->gpu->core_mhz * l->gpu->port.core_ticks;

	return l->kernel->begins + l->gpu->port.now * 1000 / tick_mhz;
}

static void on_load(void *state, uint32_t thread, uint64_t address, uint32_t value,
		    uint32_t version)
{
	struct listener *l = state;

	hetm_note(l->h, &l->kernel->attempt[thread], address, value);
	if (l->check)
		l->check->load(l->check->state, thread, address, value, version);
}

static void on_store(void *state, uint32_t thread, bool inside, uint64_t address, uint32_t value)
{
	struct listener *l = state;

	if (address < l->kernel->workload.lock_base)
		hetm_note(l->h,
			  inside ? &l->kernel->attempt[thread] : &l->kernel->done,
			  address | HETM_WRITTEN, time_of(l));
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

	for (uint32_t i = 0; i < attempt->count; i++)
		hetm_note(l->h, &l->kernel->done, attempt->word[i].address, time_of(l));
	hetm_note(l->h, &l->kernel->done, HETM_COMMIT, time_of(l));
	attempt->count = 0;
	if (l->check)
		l->check->commit(l->check->state, thread, witness);
}

/* ---- running one ---- */

static void free_kernel(struct hetm_kernel *k)
{
	if (!k)
		return;
	for (uint32_t i = 0; k->attempt && i < k->count; i++)
		sim_free(k->attempt[i].word);
	sim_check_free(k->check);
	sim_free(k->attempt);
	sim_free(k->done.word);
	sim_free(k->writes.word);
	sim_free(k->request);
	sim_free(k);
}

static struct hetm_kernel *make_kernel(struct hetm *h, uint32_t count)
{
	const struct sim_workload *outer = h->port.workload;
	struct hetm_kernel *k = sim_calloc(1, sizeof(*k));
	enum sim_flavour flavour = h->system->flavour;

	if (!k)
		return NULL;
	k->count = count;
	k->request = sim_calloc(count, sizeof(*k->request));
	k->attempt = sim_calloc(count, sizeof(*k->attempt));
	if (!k->request || !k->attempt) {
		free_kernel(k);
		return NULL;
	}
	for (uint32_t i = 0; i < count; i++)
		k->request[i] = (uint32_t)h->batch[i];
	for (uint32_t i = 0; i < count; i++)
		if (k->request[i] >= outer->threads)
			sim_fail(&h->port, -EINVAL, "a request is of no thread");
	k->found = h->gpu;
	k->program = *outer->program[flavour];
	k->program.id = k->request; /* thread i of the kernel is request i of its batch */
	k->program.device = SIM_GPU;
	k->class = (struct sim_workload_class){ .name = outer->name, .setup = copy_replica };
	k->workload = *outer;
	k->workload.class = &k->class;
	k->workload.threads = count;
	k->workload.transactions = 0;
	k->workload.program[flavour] = &k->program;
	return k;
}

/* Count the costs of a kernel. A kernel that was stopped counts by the share of its time that it
 * ran. */
static void add_result(struct hetm *h, const struct hetm_kernel *k)
{
	const struct sim_result *result = &k->result;
	struct sim_result *sum = &h->port.result;
	uint64_t ran = k->ends > k->begins ? k->ends - k->begins : 0;
	uint64_t all = result->cycles * 1000 / result->core_mhz;
	double share = ran < all ? (double)ran / (double)all : 1;

#define ADD(field) (sum->field += (uint64_t)(share * (double)result->field))
	for (unsigned i = 0; i < SIM_ABORT_REASONS; i++) {
		sum->aborted += (uint64_t)(share * (double)result->aborted_by_reason[i]);
		ADD(aborted_by_reason[i]);
	}
	for (unsigned i = 0; i < SIM_TRAFFIC_KINDS; i++) {
		ADD(traffic[i].packets);
		ADD(traffic[i].bytes);
		ADD(traffic[i].flits);
	}
	ADD(instructions);
	ADD(l2_accesses);
	ADD(l2_misses);
	ADD(dram_bytes);
#undef ADD
}

/* Check what the kernel did, against the replica that it found. */
static void judge(struct hetm *h, struct hetm_kernel *k, const struct sim_run *gpu)
{
	struct sim_verdict verdict;

	if (!k->check)
		return;
	if (sim_check_judge(k->check, gpu->port.memory, &verdict))
		sim_fail(&h->port, -ENOMEM, "no memory to check a kernel");
	else if (!verdict.passed)
		sim_fail(&h->port, -EILSEQ, verdict.failure);
}

/* Record the final value of each word that the kernel wrote. */
static void keep_writes(struct hetm *h, struct hetm_kernel *k,
			const struct sim_memory *memory)
{
	for (uint32_t i = 0; i < k->done.count; i++) {
		uint64_t address = k->done.word[i].address;

		if (address == HETM_COMMIT || !(address & HETM_WRITTEN))
			continue;
		address &= ~(uint64_t)HETM_WRITTEN;
		hetm_note(h, &k->writes, address, sim_memory_read(memory, address));
	}
}

/* A kernel that gives up may wait for what a thread of the CPU writes in this round. */
static void give_up(struct hetm *h, int error, const char *reason)
{
	uint64_t others = gputm_dispatch_queues_waiting(h->queues,
							GPUTM_DISPATCH_QUEUES_AFFINITY_CPU);
	char text[SIM_MESSAGE];

	for (uint32_t i = 0; i < h->config->machine.workers; i++)
		others += h->worker[i].ready_at != HETM_NEVER;
	if (error == -ETIME && others) {
		snprintf(text, sizeof text, "%s; %llu threads of the CPU have not ended, and the "
			 "GPU sees what they write after the round", reason,
			 (unsigned long long)others);
		reason = text;
	}
	sim_fail(&h->port, error, reason);
}

/* Run the kernel to its end; nothing of that becomes visible yet. */
static void run_kernel(struct hetm *h, struct hetm_kernel *k)
{
	struct listener listener = { h, NULL, k,
				     k->check ? sim_check_observer(k->check) : NULL };
	struct sim_observer observer = { &listener, on_load, on_store, on_abort, on_commit,
					 NULL, NULL, NULL, NULL };
	struct sim_run_options options = { .concurrency = h->config->system.concurrency,
					   .seed = h->port.seed,
					   .observer = &observer,
					   .check = k->check != NULL,
					   .kept = &h->kept,
					   .stop = h->run.options.stop };
	int error = sim_machine_new(h->port.ctx, &h->config->gpu, h->system, h->system_config,
				    &k->workload, &options, &listener.gpu);

	k->begins = h->port.now + h->config->machine.launch_cycles;
	if (!error)
		error = sim_run_execute(listener.gpu);
	if (error) {
		give_up(h, error, sim_run_error(listener.gpu));
	} else {
		judge(h, k, listener.gpu);
		keep_writes(h, k, listener.gpu->port.memory);
		sim_run_result(listener.gpu, &k->result);
		k->ends = k->begins + k->result.cycles * 1000 / k->result.core_mhz;
	}
	sim_run_free(listener.gpu);
}

/* Make a machine for a kernel of one request and no memory, to see whether it can be made. */
int hetm_gpu_try(struct hetm *h)
{
	static const char own[] = "machine: ";
	struct sim_memory *nothing = sim_memory_new();
	struct hetm_kernel *k = nothing ? make_kernel(h, 1) : NULL;
	struct sim_run_options options = { .concurrency = h->config->system.concurrency };
	struct sim_run *gpu = NULL;
	int error = -ENOMEM;
	const char *reason;

	if (k) {
		k->found = nothing;
		error = sim_machine_new(h->port.ctx, &h->config->gpu, h->system,
					h->system_config, &k->workload, &options, &gpu);
	}
	reason = sim_run_error(gpu);
	if (!strncmp(reason, own, sizeof own - 1))
		reason += sizeof own - 1;
	if (error && *reason)
		snprintf(h->port.error, sizeof h->port.error, "gpu: %s", reason);
	sim_run_free(gpu);
	free_kernel(k);
	sim_memory_free(nothing);
	return error;
}

/* ---- the GPU's turn ---- */

void hetm_gpu_start(struct hetm *h)
{
	bool steal = h->config->system.steal || h->config->system.devices == HETM_GPU_ONLY;
	struct hetm_kernel *k;
	uint32_t type, count;

	if (gputm_dispatch_queues_dequeue_batch(h->queues, steal, true, &type, &count, h->batch) !=
	    GPUTM_DISPATCH_QUEUES_TAKEN)
		return;
	k = make_kernel(h, count);
	if (k && h->port.observer)
		k->check = sim_check_new(&k->workload);
	if (!k || (h->port.observer && !k->check)) {
		free_kernel(k);
		sim_fail(&h->port, -ENOMEM, "no memory for a kernel");
		return;
	}
	h->running = k;
	run_kernel(h, k);
}

/* A write is also marked as a read: one test finds both kinds of conflict. */
static void mark(struct hetm *h, struct hetm_kernel *k, uint64_t address)
{
	uint64_t at = (address & ~(uint64_t)HETM_WRITTEN) - h->base;

	if (address == HETM_COMMIT)
		k->committed++;
	else if (gputm_access_bitmap_record(h->reads, at) ||
		 (address & HETM_WRITTEN && gputm_access_bitmap_record(h->writes, at)))
		sim_fail(&h->port, -EINVAL, "the GPU has accessed what is not replicated");
}

static void mark_until(struct hetm *h, struct hetm_kernel *k, uint64_t time)
{
	for (; k->marked < k->done.count && k->done.word[k->marked].value <= time; k->marked++)
		mark(h, k, k->done.word[k->marked].address);
}

void hetm_gpu_mark(struct hetm *h)
{
	if (h->running)
		mark_until(h, h->running, h->port.now);
}

static void end_kernel(struct hetm *h)
{
	struct hetm_kernel *k = h->running;

	add_result(h, k);
	k->next = h->done;
	h->done = k;
	h->running = NULL;
}

void hetm_gpu_end(struct hetm *h)
{
	const struct hetm_words *writes = &h->running->writes;

	mark_until(h, h->running, HETM_NEVER);
	for (uint32_t i = 0; i < writes->count; i++)
		sim_memory_write(h->gpu, writes->word[i].address, (uint32_t)writes->word[i].value);
	end_kernel(h);
}

/* The words written are marked and will be copied over: no need to write them to the replica. */
void hetm_gpu_stop(struct hetm *h)
{
	hetm_gpu_mark(h);
	h->running->ends = h->port.now;
	end_kernel(h);
}

/* ---- the round's end ---- */

struct teller {
	struct hetm *h;
	const struct hetm_kernel *kernel;
};

/* A committed transaction of a kernel, in the kernel's serial order; or the stores at its end. */
static void tell(void *state, uint32_t thread, bool committed, const struct sim_access *access,
		 uint32_t plain, uint32_t count)
{
	struct teller *t = state;
	const struct sim_observer *o = t->h->port.observer;
	uint32_t request = t->kernel->request[thread];

	for (uint32_t i = 0; i < count; i++)
		if (access[i].write)
			o->store(o->state, request, i >= plain, access[i].address,
				 access[i].value);
		else
			o->load(o->state, request, access[i].address, access[i].value, 0);
	if (committed)
		o->commit(o->state, request, t->h->place++);
}

static void commit_kernel(struct hetm *h, struct hetm_kernel *k)
{
	struct teller teller = { h, k };

	if (!k)
		return;
	commit_kernel(h, k->next); /* the oldest first */
	if (k->check && !h->port.failed)
		sim_check_each(k->check, tell, &teller);
	h->port.result.committed += k->committed;
	h->run.threads_left -= k->count;
	free_kernel(k);
}

void hetm_gpu_commit(struct hetm *h)
{
	(void)gputm_dispatch_queues_commit(h->queues);
	commit_kernel(h, h->done);
	h->done = NULL;
}

void hetm_gpu_abort(struct hetm *h)
{
	if (gputm_dispatch_queues_abort(h->queues))
		sim_fail(&h->port, -ENOMEM, "no memory to give requests back");
	while (h->done) {
		struct hetm_kernel *k = h->done;

		h->done = k->next;
		h->port.result.aborted += k->committed;
		h->port.result.aborted_by_reason[SIM_ABORT_ROUND] += k->committed;
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
	sim_units_forget(&hetm->kept);
}

/* ---- on the way to a file or back ---- */

/* The kernel has run: only an observer needs to know whose requests its threads were. */
static void io_kernel(struct hetm *h, struct hetm_kernel **kernel, struct sim_io *io)
{
	struct hetm_kernel *k = *kernel;
	uint32_t count = k ? k->count : 0;

	SIM_IO(io, count);
	if (io->loading && sim_io_ok(io)) {
		if (count > h->config->queues.batch)
			io->wrong = "kernel";
		k = *kernel = count && !io->wrong ? make_kernel(h, count) : NULL;
		io->starved |= count && !k && !io->wrong;
	}
	if (!k || !sim_io_ok(io))
		return;
	SIM_IO(io, k->begins);
	SIM_IO(io, k->ends);
	hetm_words_io(io, &k->done);
	hetm_words_io(io, &k->writes);
	SIM_IO(io, k->result);
	sim_io_must(io, "kernel", k->result.core_mhz != 0);
	SIM_IO(io, k->marked);
	SIM_IO(io, k->committed);
}

/* The list of kernels that are done ends with none. */
void hetm_gpu_io(struct hetm *h, struct sim_io *io)
{
	struct hetm_kernel **at = &h->done;

	io_kernel(h, &h->running, io);
	for (io_kernel(h, at, io); *at; io_kernel(h, at, io))
		at = &(*at)->next;
}
