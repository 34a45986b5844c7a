/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replay of a trace: each thread of the trace runs its transactions, with the recorded
 * addresses in the recorded order. Threads stand in ascending order, 32 to a warp and
 * 128 to a block. At step k of a warp the lanes whose access k is a load issue it,
 * then those whose access k is a store.
 *
 * Of two devices the CPU has threads 0, 2, 4 and so on, the GPU the others.
 *
 * The value stored tells transaction, access and attempt apart, so that no value comes
 * back by chance: the place of the access in the trace, shifted up, and the attempt in
 * the bits that are left. Recorded values are not used.
 *
 * The lock program takes a lock for every word of the transaction's known footprint,
 * in ascending order; a lane that misses one gives back all it has, waits for the others of its
 * warp and starts again. The lock of a word lies at LOCKS + its address.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/input.h"
#include "../base/memory.h"
#include "tables.h"
#include "trace_file.h"

#define LOCKS 0x80000000u
#define BLOCK 128u

struct trace {
	struct sim_workload base;
	struct sim_trace file;
	struct sim_program program[2]; /* transactions, locks */
	uint32_t attempt_bits;
	uint32_t *lock;	      /* footprints, ascending, one after the other */
	uint32_t *first_lock; /* [transactions + 1] */
};

/* ---- programs ---- */

/* Registers of a thread: its transaction, its access or lock; and its special values. */
enum { NTH, STEP, HELD, DONE, OWN = DONE, THREAD, ATTEMPT, LOADED, REGISTERS };

static const uint16_t special[SIM_SPECIALS] = {
	SIM_NO_REGISTER, SIM_NO_REGISTER, SIM_NO_REGISTER, SIM_NO_REGISTER,
	[SIM_OWN_ID] = THREAD,
	[SIM_OWN_WARP_ID] = SIM_NO_REGISTER,
	[SIM_OWN_ATTEMPT] = ATTEMPT,
	[SIM_OWN_DEVICE] = SIM_NO_REGISTER,
};
static const uint16_t kept[] = { STEP };

/* What a lane does next: whether it takes a branch or makes an access, and which access. */
struct deed {
	bool chosen;
	uint64_t address;
	uint32_t value;
};

typedef void do_lane(const struct trace *t, uint32_t pc, uint32_t *reg, struct deed *deed);

/* Lane by lane. */
static void eval_lanes(const struct trace *t, uint32_t pc, struct sim_step *step, do_lane *lane)
{
	for (uint32_t left = step->mask; left; left &= left - 1) {
		uint32_t l = (uint32_t)__builtin_ctz(left), reg[REGISTERS];
		struct deed deed = { 0 };

		for (uint32_t r = 0; r < REGISTERS; r++)
			reg[r] = *sim_register(step, r, l);
		lane(t, pc, reg, &deed);
		for (uint32_t r = 0; r <= OWN; r++)
			*sim_register(step, r, l) = reg[r];
		step->chosen |= (uint32_t)deed.chosen << l;
		step->address[l] = deed.address;
		step->value[l] = deed.value;
	}
}

/* Registers of a state that was loaded may be anything. */
static uint32_t within(uint32_t index, uint32_t count)
{
	return index < count ? index : count - 1;
}

/* The place of a thread's transaction among those of all threads. */
static uint32_t place(const struct trace *t, const uint32_t *reg)
{
	return t->file.first[within(reg[THREAD], t->file.threads)] + reg[NTH];
}

static uint32_t running(const struct trace *t, const uint32_t *reg)
{
	return t->file.order[within(place(t, reg), t->file.transactions)];
}

static uint32_t current(const struct trace *t, const uint32_t *reg)
{
	return within(t->file.start[running(t, reg)] + reg[STEP], t->file.accesses);
}

static bool more_transactions(const struct trace *t, uint32_t *reg)
{
	reg[STEP] = 0;
	reg[NTH]++;
	return place(t, reg) < t->file.first[within(reg[THREAD], t->file.threads) + 1];
}

static void access_word(const struct trace *t, const uint32_t *reg, bool write, struct deed *deed)
{
	uint32_t index = current(t, reg), access = t->file.access[index];
	uint32_t attempts = (uint32_t)((UINT64_C(1) << t->attempt_bits) - 1);

	deed->chosen = sim_trace_is_write(access) == write;
	deed->address = sim_trace_address(access);
	deed->value = (uint32_t)((uint64_t)(index + 1) << t->attempt_bits) |
		      (reg[ATTEMPT] & attempts);
}

static bool more_accesses(const struct trace *t, uint32_t *reg)
{
	const uint32_t transaction = running(t, reg);

	reg[STEP]++;
	return t->file.start[transaction] + reg[STEP] < t->file.start[transaction + 1];
}

enum { BEGIN, READ, WRITE, NEXT, COMMIT, MORE, END };

static const struct sim_instr transaction_code[] = {
	[BEGIN] = { .op = SIM_TX_BEGIN },
	[READ] = { .op = SIM_LOAD },
	[WRITE] = { .op = SIM_STORE },
	[NEXT] = { .op = SIM_BRANCH, .target = READ, .meet = COMMIT },
	[COMMIT] = { .op = SIM_TX_COMMIT },
	[MORE] = { .op = SIM_BRANCH, .target = BEGIN, .meet = END },
	[END] = { .op = SIM_EXIT },
};

static void transact(const struct trace *t, uint32_t pc, uint32_t *reg, struct deed *deed)
{
	switch (pc) {
	case READ:
	case WRITE:
		access_word(t, reg, pc == WRITE, deed);
		break;
	case NEXT:
		deed->chosen = more_accesses(t, reg);
		break;
	case MORE:
		deed->chosen = more_transactions(t, reg);
		break;
	}
}

static void eval(const void *data, uint32_t pc, struct sim_step *step)
{
	step->into = SIM_NO_REGISTER;
	eval_lanes(data, pc, step, transact);
}

enum {
	TAKE, TAKE_NEXT, MISSED, ENTER, LOCK_READ, LOCK_WRITE, LOCK_NEXT, LEAVE, FENCE, RELEASE,
	RELEASE_NEXT, AGAIN, LOCK_MORE, LOCK_END,
};

static const struct sim_instr lock_code[] = {
	[TAKE] = { .op = SIM_CAS },
	[TAKE_NEXT] = { .op = SIM_BRANCH, .target = TAKE, .meet = MISSED },
	[MISSED] = { .op = SIM_BRANCH, .target = RELEASE, .meet = RELEASE },
	[ENTER] = { .op = SIM_ENTER },
	[LOCK_READ] = { .op = SIM_LOAD },
	[LOCK_WRITE] = { .op = SIM_STORE },
	[LOCK_NEXT] = { .op = SIM_BRANCH, .target = LOCK_READ, .meet = LEAVE },
	[LEAVE] = { .op = SIM_LEAVE },
	[FENCE] = { .op = SIM_FENCE },
	[RELEASE] = { .op = SIM_STORE },
	[RELEASE_NEXT] = { .op = SIM_BRANCH, .target = RELEASE, .meet = AGAIN },
	[AGAIN] = { .op = SIM_BRANCH, .target = TAKE, .meet = LOCK_MORE },
	[LOCK_MORE] = { .op = SIM_BRANCH, .target = TAKE, .meet = LOCK_END },
	[LOCK_END] = { .op = SIM_EXIT },
};

static uint32_t locks(const struct trace *t, const uint32_t *reg)
{
	uint32_t transaction = running(t, reg);

	return t->first_lock[transaction + 1] - t->first_lock[transaction];
}

static uint64_t lock_address(const struct trace *t, const uint32_t *reg, uint32_t nth)
{
	return LOCKS + (uint64_t)t->lock[within(t->first_lock[running(t, reg)] + nth,
						t->first_lock[t->file.transactions])];
}

static void take_locks(const struct trace *t, uint32_t pc, uint32_t *reg, struct deed *deed)
{
	switch (pc) {
	case TAKE:
		deed->chosen = true;
		deed->address = lock_address(t, reg, reg[HELD]);
		deed->value = 1;
		break;
	case TAKE_NEXT:
		if (!reg[LOADED])
			reg[HELD]++;
		deed->chosen = !reg[LOADED] && reg[HELD] < locks(t, reg);
		break;
	case MISSED:
		deed->chosen = reg[HELD] < locks(t, reg);
		reg[DONE] = !deed->chosen;
		break;
	case RELEASE:
		deed->chosen = reg[HELD] != 0;
		if (deed->chosen)
			deed->address = lock_address(t, reg, --reg[HELD]);
		break;
	case RELEASE_NEXT:
		deed->chosen = reg[HELD] != 0;
		break;
	}
}

static void lock(const struct trace *t, uint32_t pc, uint32_t *reg, struct deed *deed)
{
	switch (pc) {
	case LOCK_READ:
	case LOCK_WRITE:
		access_word(t, reg, pc == LOCK_WRITE, deed);
		break;
	case LOCK_NEXT:
		deed->chosen = more_accesses(t, reg);
		break;
	case AGAIN:
		deed->chosen = !reg[DONE];
		break;
	case LOCK_MORE:
		deed->chosen = more_transactions(t, reg);
		break;
	default:
		take_locks(t, pc, reg, deed);
		break;
	}
}

static void eval_locks(const void *data, uint32_t pc, struct sim_step *step)
{
	step->into = pc == TAKE ? LOADED : SIM_NO_REGISTER;
	if (pc == TAKE)
		memset(step->compare, 0, 32 * sizeof *step->compare);
	eval_lanes(data, pc, step, lock);
}

/* ---- footprints ---- */

static int by_address(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool find_footprints(struct trace *t)
{
	const struct sim_trace *file = &t->file;
	uint32_t used = 0;

	t->lock = sim_malloc(file->accesses * sizeof(*t->lock));
	t->first_lock = sim_malloc((file->transactions + 1u) * sizeof(*t->first_lock));
	if (!t->lock || !t->first_lock)
		return false;
	for (uint32_t i = 0; i < file->transactions; i++) {
		uint32_t from = used, count = file->start[i + 1] - file->start[i], k;

		t->first_lock[i] = used;
		for (k = 0; k < count; k++)
			t->lock[from + k] = sim_trace_address(file->access[file->start[i] + k]);
		qsort(t->lock + from, count, sizeof(*t->lock), by_address);
		for (k = 0; k < count; k++)
			if (!k || t->lock[from + k] != t->lock[used - 1])
				t->lock[used++] = t->lock[from + k];
	}
	t->first_lock[file->transactions] = used;
	return true;
}

/* ---- regions ---- */

#define MEGABYTE 20u
#define MEGABYTES (LOCKS >> MEGABYTE)

/* Count runs of pieces of 2^shift bytes with an access; false if there are too many. */
static bool find_runs(struct sim_workload *base, const bool *touched, uint32_t shift)
{
	uint32_t per = 1u << (shift - MEGABYTE);
	bool before = false;

	base->regions = 0;
	for (uint32_t i = 0; i < MEGABYTES; i += per) {
		bool now = memchr(touched + i, true, per);

		if (now && !before) {
			if (base->regions == SIM_REGIONS)
				return false;
			base->region[base->regions++] =
				(struct sim_region){ (uint64_t)i << MEGABYTE, 0 };
		}
		if (now)
			base->region[base->regions - 1].length += UINT64_C(1) << shift;
		before = now;
	}
	return true;
}

/* A region for each run of megabytes with an access; larger pieces if there are too many
 * regions. */
static void find_regions(struct trace *t)
{
	bool touched[MEGABYTES] = { false };
	uint32_t shift = MEGABYTE;

	for (uint32_t i = 0; i < t->file.accesses; i++)
		touched[sim_trace_address(t->file.access[i]) >> MEGABYTE] = true;
	while (!find_runs(&t->base, touched, shift))
		shift++;
}

/* ---- life ---- */

static enum sim_affinity affinity(const struct sim_workload *workload, uint32_t thread)
{
	(void)workload;
	return thread % 2 ? SIM_GPU : SIM_CPU;
}

static void destroy(struct sim_workload *workload)
{
	struct trace *t = (struct trace *)workload;

	sim_trace_free(&t->file);
	sim_free(t->lock);
	sim_free(t->first_lock);
	sim_free(t);
}

static int read_file(const char *name, struct sim_trace *out, char *error, size_t size)
{
	struct sim_input in;
	int result = sim_input_open(&in, name, error, size);

	if (result)
		return result;
	result = sim_trace_read(in.file, in.name, out, error, size);
	sim_input_close(&in);
	return result;
}

static int make(const struct sim_workload_request *request, struct sim_workload **out,
		char *error, size_t size)
{
	struct trace *t = sim_workload_new(request, sizeof(*t), error, size);
	int result;

	if (!t)
		return -ENOMEM;
	if (!request->trace) {
		snprintf(error, size, "--workload trace: expected --trace FILE");
		sim_free(t);
		return -EINVAL;
	}
	result = read_file(request->trace, &t->file, error, size);
	if (!result && !find_footprints(t)) {
		snprintf(error, size, "out of memory");
		result = -ENOMEM;
	}
	if (result) {
		destroy(&t->base);
		return result;
	}
	while (t->attempt_bits < 31 && (uint64_t)t->file.accesses + 1 <
					       UINT64_C(1) << (32 - t->attempt_bits - 1))
		t->attempt_bits++;
	t->base.threads = t->file.threads;
	t->base.transactions = t->file.transactions;
	t->base.block_size = BLOCK;
	t->base.lock_base = LOCKS;
	t->base.affinity = affinity;
	find_regions(t);
	t->program[SIM_TRANSACTIONS] = (struct sim_program){
		.code = transaction_code, .length = END + 1, .eval = eval, .data = t,
		.registers = REGISTERS, .special = special, .kept = kept, .kept_count = 1,
	};
	t->program[SIM_LOCKS] = (struct sim_program){
		.code = lock_code, .length = LOCK_END + 1, .eval = eval_locks, .data = t,
		.registers = REGISTERS, .special = special,
	};
	t->base.program[SIM_TRANSACTIONS] = &t->program[SIM_TRANSACTIONS];
	t->base.program[SIM_LOCKS] = &t->program[SIM_LOCKS];
	*out = &t->base;
	return 0;
}

static void setup(const struct sim_workload *workload, struct sim_memory *memory)
{
	(void)workload;
	(void)memory;
}

/* No invariant: the values of a trace have no meaning, and the replay of --check is complete. */
const struct sim_workload_class sim_replay = {
	.name = "trace",
	.summary = "the accesses of --trace FILE, with values of its own",
	.fixed_threads = true,
	.make = make,
	.free = destroy,
	.setup = setup,
};
