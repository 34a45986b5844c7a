/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_SIM_SERIAL_H
#define GPUTM_TESTS_SIM_SERIAL_H
/*
 * What the tests of gputm-sim's workloads share: a serial interpreter, which runs each program
 * one thread after the other.
 */
#include "examples/sim/base/memory.h"
#include "examples/sim/study/kernels.h"
#include "tests/kit.h"

struct run {
	const struct sim_workload *workload;
	struct sim_memory *memory;
	uint64_t transactions, reads, writes; /* the latter two inside */
	uint64_t plain_loads;
	/* Addresses with bit 0 for writes and values, in order, when asked for. */
	uint64_t *access;
	uint32_t *value;
	size_t recorded, capacity;
};

static inline void record(struct run *run, uint64_t address, uint32_t value)
{
	if (run->recorded == run->capacity)
		return;
	run->access[run->recorded] = address;
	run->value[run->recorded++] = value;
}

/* What transactions access lies in the regions that the workload names, below the locks. */
static inline bool in_region(const struct sim_workload *workload, uint64_t address)
{
	for (uint32_t i = 0; i < workload->regions; i++)
		if (address - workload->region[i].start < workload->region[i].length)
			return address < workload->lock_base;
	return false;
}

#define SERIAL_REGISTERS 64

/* A warp with one thread, and what it does. */
struct serial {
	uint32_t reg[32 * SERIAL_REGISTERS];
	uint64_t address[32];
	uint32_t value[32], compare[32];
	struct sim_step step;
};

static inline void serial_begin(struct serial *s, const struct sim_program *program,
				uint32_t thread)
{
	memset(s, 0, sizeof(*s));
	REQUIRE(program->registers <= SERIAL_REGISTERS);
	if (program->special[SIM_OWN_ID] != SIM_NO_REGISTER)
		s->reg[32 * program->special[SIM_OWN_ID]] = thread;
}

static inline void serial_eval(struct serial *s, const struct sim_program *program, uint32_t pc)
{
	s->step = (struct sim_step){ .reg = s->reg, .mask = 1, .whole = 1, .address = s->address,
				     .value = s->value, .compare = s->compare };
	program->eval(program->data, pc, &s->step);
	REQUIRE(!s->step.stray);
}

static inline void serial_load(struct serial *s, uint32_t value)
{
	if (s->step.into != SIM_NO_REGISTER)
		s->reg[32 * s->step.into] = value;
}

static inline void touch(struct run *run, struct serial *s, enum sim_op op, bool inside)
{
	uint64_t address = s->address[0];
	uint32_t *word;

	if (!s->step.chosen)
		return;
	REQUIRE(address % 4 == 0);
	REQUIRE(address < UINT64_C(1) << SIM_ADDRESS_BITS);
	REQUIRE(!inside || in_region(run->workload, address));
	word = sim_memory_make(run->memory, address);
	if (op == SIM_STORE) {
		run->writes += inside;
		if (inside)
			record(run, address | 1, s->value[0]);
		*word = s->value[0];
		return;
	}
	serial_load(s, *word);
	if (op == SIM_CAS && *word == s->compare[0])
		*word = s->value[0];
	if (op == SIM_LOAD) {
		run->reads += inside;
		run->plain_loads += !inside;
		if (inside)
			record(run, address, *word);
	}
}

static inline void run_thread(struct run *run, const struct sim_program *program, uint32_t thread)
{
	struct serial s;
	uint32_t pc = 0;
	bool inside = false;

	serial_begin(&s, program, thread);
	for (unsigned steps = 0; program->code[pc].op != SIM_EXIT; steps++) {
		const struct sim_instr *instr = &program->code[pc];

		REQUIRE(steps < 1000000);
		if (instr->op <= SIM_BRANCH || instr->op == SIM_NOTE)
			serial_eval(&s, program, pc);
		if (instr->op >= SIM_LOAD && instr->op <= SIM_CAS)
			touch(run, &s, instr->op, inside);
		if (instr->op == SIM_TX_BEGIN || instr->op == SIM_ENTER) {
			REQUIRE(!inside);
			inside = true;
		}
		if (instr->op == SIM_TX_COMMIT || instr->op == SIM_LEAVE) {
			REQUIRE(inside);
			inside = false;
			run->transactions++;
		}
		pc = instr->op == SIM_BRANCH && s.step.chosen ? instr->target :
							     pc + 1 + (uint32_t)instr->hop;
		REQUIRE(pc < program->length);
	}
	REQUIRE(!inside);
	REQUIRE(pc == program->length - 1);
}

static inline void run_all(struct run *run, enum sim_flavour flavour)
{
	const struct sim_program *program = run->workload->program[flavour];

	ck_assert_ptr_nonnull(program);
	run->memory = sim_memory_new();
	ck_assert_ptr_nonnull(run->memory);
	run->workload->class->setup(run->workload, run->memory);
	for (uint64_t i = 0; i < run->workload->threads; i++)
		run_thread(run, program, (uint32_t)i);
}

static const struct sim_workload_class *class_named(const char *name)
{
	static struct sim_workload_class *kernel[32]; /* of tests: they live until the end */
	static size_t kernels;
	char message[256] = "";

	for (size_t i = 0; sim_workload_classes[i]; i++)
		if (!strcmp(sim_workload_classes[i]->name, name))
			return sim_workload_classes[i];
	for (size_t i = 0; i < kernels; i++)
		if (!strcmp(kernel[i]->name, name))
			return kernel[i];
	ck_assert_uint_lt(kernels, sizeof(kernel) / sizeof(kernel[0]));
	ck_assert_msg(!sim_kernel_named(name, &kernel[kernels], message, sizeof(message)),
		      "no workload %s: %s", name, message);
	return kernel[kernels++];
}

static inline void configure(const struct sim_workload_class *class, void *config, size_t room,
			     const char *settings)
{
	char name[32], value[32];
	int length = 0;

	ck_assert_uint_le(class->params->config_size, room);
	gputm_params_init(class->params, config, class->params->config_size);
	for (; settings && *settings; settings += length) {
		ck_assert_int_eq(sscanf(settings, " %31[^=]=%31s%n", name, value, &length), 2);
		ck_assert_int_eq(gputm_params_set(NULL, class->params, config, name, value), 0);
	}
}

/* With settings such as "keys=64 removals=10", or NULL. */
static inline struct sim_workload *make_with(const char *name, const char *settings,
					     uint64_t threads, const char *keys, const char *trace)
{
	const struct sim_workload_class *class = class_named(name);
	struct sim_workload_request request = {
		.class = class, .threads = threads, .seed = 5, .keys = keys, .trace = trace,
	};
	uint64_t config[16];
	struct sim_workload *workload = NULL;
	char error[256] = "";

	if (class->params) {
		configure(class, config, sizeof(config), settings);
		request.config = config;
	}
	ck_assert_msg(!class->make(&request, &workload, error, sizeof(error)), "%s", error);
	ck_assert_ptr_eq(workload->class, class);
	return workload;
}

/* A run of a workload: of 0 threads as many as the workload has by itself. */
static inline struct run run_of(const char *name, const char *settings, uint64_t threads)
{
	return (struct run){ .workload = make_with(name, settings, threads, NULL, NULL) };
}

static inline void holds(const struct run *run)
{
	char error[256] = "";
	const char *broken = run->workload->class->invariant(run->workload, run->memory, error,
							     sizeof(error));

	ck_assert_msg(!broken, "%s: %s", run->workload->name, broken);
}

/* Such a run, which is over and has left what the workload promises. */
static inline struct run ran(const char *name, const char *settings, uint64_t threads,
			     enum sim_flavour flavour)
{
	struct run run = run_of(name, settings, threads);

	run_all(&run, flavour);
	holds(&run);
	return run;
}

/* A run of transactions of which the first `capacity` accesses are recorded. */
static inline struct run recorded(const char *name, uint64_t access[], uint32_t value[],
				  size_t capacity)
{
	struct run run = run_of(name, NULL, 0);

	run.access = access;
	run.value = value;
	run.capacity = capacity;
	run_all(&run, SIM_TRANSACTIONS);
	holds(&run);
	return run;
}

/* The word at an address. */
static inline uint32_t at(const struct run *run, uint64_t address)
{
	return sim_memory_read(run->memory, address);
}

static inline void broken(const struct run *run, uint64_t address, uint32_t value, const char *word)
{
	uint32_t *place = sim_memory_make(run->memory, address), saved = *place;
	char error[256] = "";
	const char *reason;

	ck_assert_uint_ne(saved, value);
	*place = value;
	reason = run->workload->class->invariant(run->workload, run->memory, error, sizeof(error));
	ck_assert_ptr_nonnull(reason);
	ck_assert_msg(strstr(reason, word) != NULL, "\"%s\" does not say \"%s\"", reason, word);
	*place = saved;
}

static inline void finish(struct run *run)
{
	sim_memory_free(run->memory);
	run->workload->class->free((struct sim_workload *)(uintptr_t)run->workload);
}

static inline uint64_t round_up(uint64_t address)
{
	return (address + 255) / 256 * 256;
}

#endif /* GPUTM_TESTS_SIM_SERIAL_H */
