/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of HeTM: parameters, units, replicas and requests (hetm.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hetm.h"
#include "../study/setup.h"
#include "../base/arena.h"
#include "../base/heap.h"

const char *const hetm_gpu_names[] = { "coarse-lock", "fine-lock", "ideal",   "kilo-tm",
				       "warptm",      "warptm-tcd", "getm",   "si-tm" };
static const char *const device_names[] = { "both", "cpu", "gpu" };

#define ROW(type, field, lo, hi, standard, names, sentence, origin)                            \
	{ #field, (uint32_t)offsetof(type, field), sizeof(uint32_t), (lo), (hi), (standard),   \
	  false, (sentence), (origin), (names) }
#define OPTION(...) ROW(struct hetm_options, __VA_ARGS__)
static const struct gputm_param option_rows[] = {
	OPTION(gpu, 0, 7, 6, hetm_gpu_names, "System of the GPU.", ""),
	OPTION(devices, 0, 2, HETM_BOTH, device_names, "Devices that work.", "HeTM V-B"),
	OPTION(steal, 0, 1, 0, NULL, "A device may take requests from the other's queue.",
	       "HeTM V-D"),
	OPTION(cpu_share, 0, 100, 0, NULL,
	       "Percent of the threads that are for the CPU; 0: as the workload says.", ""),
	OPTION(concurrency, 0, 64, 8, NULL,
	       "Warps of a core of the GPU in transactions at a time; 0 is no limit.", ""),
	OPTION(stop_kernels, 0, 1, 1, NULL,
	       "End a running kernel at once when its round is lost.", ""),
};

#define PART(...) ROW(struct hetm_machine_config, __VA_ARGS__)
static const struct gputm_param machine_rows[] = {
	PART(workers, 1, HETM_WORKERS, 8, NULL, "Worker threads of the CPU.", "HeTM V"),
	PART(access_cycles, 1, 100000, 80, NULL, "Cycles of an access of the CPU, at 1 GHz.", ""),
	PART(plain_cycles, 1, 100000, 1, NULL, "Cycles of any other instruction.", ""),
	PART(begin_cycles, 0, 100000, 20, NULL, "Cycles to begin a transaction.", ""),
	PART(commit_cycles, 0, 100000, 40, NULL, "Cycles to commit one.", ""),
	PART(launch_cycles, 0, 10000000, 5000, NULL, "Cycles to launch a kernel.", ""),
	PART(swap_units_every, 0, UINT32_MAX, 0, NULL,
	     "Save, free, make and load the units every so many cycles; 0 is never.", ""),
};

#define PARAMS(NAME, KIND, TYPE, ROWS)                                                         \
	const struct gputm_params NAME = {                                                     \
		.kind = (KIND), .config_size = sizeof(TYPE), .param = (ROWS),                  \
		.param_count = sizeof(ROWS) / sizeof((ROWS)[0]),                               \
	}
PARAMS(hetm_options_params, "system", struct hetm_options, option_rows);
PARAMS(hetm_machine_params, "machine", struct hetm_machine_config, machine_rows);

SIM_UNIT_KIND(sync_round, SIM_OF_MACHINE);
SIM_UNIT_KIND(write_set_log, SIM_OF_MACHINE);
SIM_UNIT_KIND(device_validator, SIM_OF_MACHINE);
SIM_UNIT_KIND(dispatch_queues, SIM_OF_MACHINE);
SIM_UNIT_KIND(access_bitmap, SIM_OF_MACHINE);

/* ---- parts ---- */

/* A size that another config decides: only that value and the default are accepted. */
static bool follow(struct hetm *h, const char *field, uint64_t set, uint64_t standard,
		   const char *master, uint64_t wanted)
{
	return set == standard || sim_same(&h->port, field, set, master, wanted);
}

/* The units' configs, with the size of the region and the number of the CPU's workers. */
static bool take_sizes(struct hetm *h)
{
	static const struct gputm_write_set_log_config log = GPUTM_WRITE_SET_LOG_CONFIG_INIT;
	const struct hetm_config *c = h->config;

	h->log_config = c->log;
	h->validator_config = c->validator;
	h->reads_config = c->reads;
	h->writes_config = c->writes;
	h->log_config.threads = c->machine.workers;
	h->log_config.region_bytes = h->validator_config.region_bytes = h->region;
	h->reads_config.region_bytes = h->writes_config.region_bytes = h->region;
#define REGION(name, member)                                                                   \
	follow(h, name ".region_bytes", c->member.region_bytes, log.region_bytes,        \
	       "the bytes of the workload's data", h->region)
	return REGION("write_set_log", log) && REGION("device_validator", validator) &&
	       REGION("access_bitmap.reads", reads) && REGION("access_bitmap.writes", writes) &&
	       follow(h, "write_set_log.threads", c->log.threads, log.threads,
		      "machine.workers", c->machine.workers);
#undef REGION
}

static int add_units(struct hetm *h)
{
	const struct hetm_config *c = h->config;
	int error;

	if (!take_sizes(h))
		return -EINVAL;
	error = sim_unit_add(&h->port, "sync_round", &kind_sync_round, &c->round, &h->round);
	if (!error)
		error = sim_unit_add(&h->port, "write_set_log", &kind_write_set_log,
				     &h->log_config, &h->log);
	if (!error)
		error = sim_unit_add(&h->port, "device_validator", &kind_device_validator,
				     &h->validator_config, &h->validator);
	if (!error)
		error = sim_unit_add(&h->port, "dispatch_queues", &kind_dispatch_queues,
				     &c->queues, &h->queues);
	if (!error)
		error = sim_unit_add(&h->port, "access_bitmap.reads", &kind_access_bitmap,
				     &h->reads_config, &h->reads);
	if (!error)
		error = sim_unit_add(&h->port, "access_bitmap.writes", &kind_access_bitmap,
				     &h->writes_config, &h->writes);
	return error;
}

static int make_replicas(struct hetm *h)
{
	if (h->config->system.devices == HETM_CPU_ONLY)
		return 0;
	h->gpu = sim_memory_copy(h->port.memory);
	if (h->config->round.shadow_copy)
		h->shadow = sim_memory_copy(h->port.memory);
	return h->gpu && (h->shadow || !h->config->round.shadow_copy) ? 0 : -ENOMEM;
}

static int refuse(struct hetm *h, const char *what, const char *name)
{
	snprintf(h->port.error, sizeof(h->port.error), "%s%s", what, name);
	return -EINVAL;
}

static int make_gpu_system(struct hetm *h)
{
	const struct sim_shape shape = sim_machine_shape(&h->config->gpu);
	const char *name = hetm_gpu_names[h->config->system.gpu];
	const struct sim_system_class *const *all = h->run.options.systems;

	while (*all && strcmp((*all)->name, name))
		all++;
	h->system = *all;
	if (!h->system)
		return refuse(h, "there is no system ", name);
	if (!h->port.workload->program[h->system->flavour])
		return refuse(h, "the workload does not run on the GPU's system: ",
			      h->port.workload->missing[h->system->flavour]);
	h->system_config = sim_calloc(1, h->system->config_size + 1);
	h->batch = sim_calloc(h->config->queues.batch, sizeof(*h->batch));
	if (!h->system_config || !h->batch)
		return -ENOMEM;
	if (h->system->init)
		h->system->init(h->system_config, &shape);
	return 0;
}

/* Each write of the CPU takes a stamp of its own: refuse stamp_bits that are too few for the
 * run. */
static int fit_stamps(struct hetm *h)
{
	const struct hetm_config *c = h->config;
	const struct sim_workload *w = h->port.workload;
	uint64_t most = w->most_writes ? w->most_writes : w->transactions;
	unsigned least = sim_bits_of(most ? most : UINT32_MAX);
	bool log = c->log.stamp_bits < least;

	if (!log && c->validator.stamp_bits >= least)
		return 0;
	snprintf(h->port.error, sizeof h->port.error,
		 "%s: stamp_bits = %u is outside %u .. 63, as the CPU may write %s%llu times",
		 log ? "write_set_log" : "device_validator",
		 log ? c->log.stamp_bits : c->validator.stamp_bits, least,
		 most ? "" : "more than ", (unsigned long long)(most ? most : UINT32_MAX >> 1));
	return -EINVAL;
}

/* The device for a thread. A given share of the threads is spread as evenly as possible. */
static enum gputm_dispatch_queues_affinity affinity_of(const struct hetm *h,
						       uint32_t thread)
{
	static const enum gputm_dispatch_queues_affinity queue[] = {
		[SIM_ANY_DEVICE] = GPUTM_DISPATCH_QUEUES_AFFINITY_ANY,
		[SIM_CPU] = GPUTM_DISPATCH_QUEUES_AFFINITY_CPU,
		[SIM_GPU] = GPUTM_DISPATCH_QUEUES_AFFINITY_GPU,
	};
	const struct hetm_config *config = h->port.system_config;
	const struct sim_workload *w = h->port.workload;
	uint64_t share = config->system.cpu_share;

	if (!share)
		return queue[w->affinity ? w->affinity(w, thread) : SIM_ANY_DEVICE];
	return queue[(thread + 1) * share / 100 > thread * share / 100 ? SIM_CPU : SIM_GPU];
}

static int submit(struct hetm *h)
{
	int error = 0;

	for (uint32_t i = 0; !error && i < h->port.workload->threads; i++)
		error = gputm_dispatch_queues_push(h->queues, 0, affinity_of(h, i), i);
	return error;
}

/* The region begins at the heap and ends at the locks. A trace has no heap: its region spans its
 * accesses. */
static int find_region(struct hetm *h)
{
	const struct sim_workload *w = h->port.workload;
	uint64_t end = w->lock_base;

	h->base = SIM_HEAP;
	if (w->lock_base == SIM_HEAP && w->regions) {
		h->base = w->region[0].start;
		end = w->region[w->regions - 1].start + w->region[w->regions - 1].length;
	}
	if (end <= h->base)
		return refuse(h, "the workload has no data in the memory of both devices",
			      "");
	h->region = end - h->base;
	return 0;
}

static int make_parts(struct hetm *h)
{
	const struct hetm_config *config = h->config;
	int error = hetm_cpu_make(h);

	if (!error)
		error = find_region(h);
	if (!error)
		error = make_gpu_system(h);
	if (!error && config->system.devices != HETM_CPU_ONLY)
		error = fit_stamps(h);
	if (!error && config->system.devices != HETM_CPU_ONLY)
		error = hetm_gpu_try(h);
	if (!error)
		error = add_units(h);
	if (!error)
		error = make_replicas(h);
	if (!error && h->port.observer)
		error = hetm_exact_make(h);
	return error ? error : submit(h);
}

static int hetm_make(struct sim_run *run, const struct sim_machine_config *unused)
{
	const struct hetm_config *config = run->port.system_config;
	struct hetm *h = hetm_in(run);
	int error = sim_run_fill(run);

	(void)unused;
	run->core_mhz = 1000;
	run->swap_units_every = config->machine.swap_units_every;
	run->patience_cycles = config->gpu.patience_cycles;
	run->patient = "gpu";
	run->threads_left = run->port.workload->threads;
	h->config = config;
	return error ? error : make_parts(h);
}

static void hetm_free(struct sim_run *run)
{
	struct hetm *h = hetm_in(run);

	hetm_gpu_free(h);
	hetm_cpu_free(h);
	hetm_exact_free(h);
	sim_memory_free(h->gpu);
	sim_memory_free(h->shadow);
	sim_free(h->system_config);
	sim_free(h->batch);
}

static void hetm_io(struct sim_run *run, struct sim_io *io)
{
	struct hetm *h = hetm_in(run);

	if (h->gpu)
		sim_memory_io(h->gpu, io);
	if (h->shadow)
		sim_memory_io(h->shadow, io);
	hetm_cpu_io(h, io);
	hetm_gpu_io(h, io);
	SIM_IO(io, h->commits);
	SIM_IO(io, h->place);
	SIM_IO(io, h->spent);
	SIM_IO(io, h->time);
}

static void describe(const void *system_config, char *text, size_t size)
{
	const struct hetm_config *c = system_config;

	snprintf(text, size, "CPU with %u workers, GPU with %u cores under %s", c->machine.workers,
		 c->gpu.cores, hetm_gpu_names[c->system.gpu]);
}

static const char *lacks(const struct sim_instr *instr)
{
	if (!instr)
		return "its rounds have no end of a launch";
	if (instr->shared)
		return "the CPU has no shared memory";
	if (instr->op == SIM_BARRIER)
		return "threads of a block may be on both devices, which wait for each other at "
		       "the end of a round only";
	if (instr->op == SIM_ADD || instr->op == SIM_CAS)
		return "an atomic operation works on one device only";
	if (instr->op == SIM_ENTER || instr->op == SIM_LEAVE)
		return "a critical section is for systems with locks";
	return NULL;
}

const struct sim_run_class hetm_runs = {
	.name = "hetm",
	.summary = "a CPU and a GPU with a replica each, joined by a link",
	.size = sizeof(struct hetm),
	.make = hetm_make,
	.free = hetm_free,
	.begin = hetm_begin,
	.step = hetm_step,
	.go_on = hetm_go_on,
	.over = hetm_over,
	.io = hetm_io,
	.lacks = lacks,
	.check_kind = "replicas",
	.check_count = hetm_exact_count,
	.time = hetm_time,
	.describe = describe,
	.sum = hetm_cpu_sum,
	.waits = hetm_cpu_waits,
};
