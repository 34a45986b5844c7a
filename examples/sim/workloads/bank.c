/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bank: transfers between two accounts each.
 *
 *	a: account i at a + 8 i  = { lock, balance }         1000 at the start
 *	b: record r at b + 12 r  = { amount, src, dst }
 *
 * Thread t does the records t, t + threads, ... For each: load src and dst; then the
 * transaction R amount; R src.balance; W src.balance -= amount; R dst.balance;
 * W dst.balance += amount.
 *
 * The lock program takes the lock of the higher account first and gives it back when
 * the other one cannot be had, so that nobody waits while holding a lock.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/memory.h"
#include "../base/heap.h"
#include "../base/random.h"
#include "tables.h"

#define ACCOUNT_BYTES 8u
#define RECORD_BYTES 12u
#define OPENING_BALANCE 1000u
#define THREADS 8192u /* unless told otherwise */

struct bank_config {
	size_t size; /* of this struct, for its parameter table */
	uint32_t accounts, transfers, block_size;
};

struct bank {
	struct sim_workload base;
	uint64_t a, b;
	uint32_t accounts, transfers;
	uint64_t seed;
};

/* Sizes and seed of a reference workload. */
struct given {
	uint64_t threads, seed;
	struct bank_config config;
};

struct record {
	uint32_t amount, source, destination;
};

/* The next record of the list that starts with *state = seed. */
static struct record draw(uint64_t *state, uint32_t accounts)
{
	struct record r;

	r.amount = sim_random(state) % 50;
	r.source = sim_random(state) % accounts;
	do
		r.destination = sim_random(state) % accounts;
	while (r.destination == r.source);
	return r;
}

/* ---- programs ---- */

enum { ROUND, SOURCE, DESTINATION, AMOUNT, DONE }; /* registers */

enum {
	GET_SOURCE, GET_DESTINATION, INDEX, BEGIN, GET_AMOUNT, GET_FIRST, PUT_FIRST, GET_SECOND,
	PUT_SECOND, COMMIT, MORE, END,
};

static const struct sim_instr transaction_code[] = {
	[GET_SOURCE] = { .op = SIM_LOAD },
	[GET_DESTINATION] = { .op = SIM_LOAD },
	[INDEX] = { .op = SIM_PLAIN, .count = 1 },
	[BEGIN] = { .op = SIM_TX_BEGIN },
	[GET_AMOUNT] = { .op = SIM_LOAD },
	[GET_FIRST] = { .op = SIM_LOAD },
	[PUT_FIRST] = { .op = SIM_STORE },
	[GET_SECOND] = { .op = SIM_LOAD },
	[PUT_SECOND] = { .op = SIM_STORE },
	[COMMIT] = { .op = SIM_TX_COMMIT },
	[MORE] = { .op = SIM_BRANCH, .target = GET_SOURCE, .meet = END },
	[END] = { .op = SIM_EXIT },
};

static uint64_t balance(const struct bank *bank, uint32_t account)
{
	return bank->a + (uint64_t)ACCOUNT_BYTES * account + 4;
}

static void eval(const void *data, uint32_t pc, struct sim_lane *lane, struct sim_step *step)
{
	const struct bank *bank = data;
	uint64_t record = lane->thread + bank->base.threads * lane->reg[ROUND];
	uint64_t place = bank->b + RECORD_BYTES * record;

	switch (pc) {
	case GET_SOURCE:
		step->address = place + 4;
		break;
	case GET_DESTINATION:
		lane->reg[SOURCE] = lane->loaded;
		step->address = place + 8;
		break;
	case INDEX:
		lane->reg[DESTINATION] = lane->loaded;
		break;
	case GET_AMOUNT:
		step->address = place;
		break;
	case GET_FIRST:
		lane->reg[AMOUNT] = lane->loaded;
		step->address = balance(bank, lane->reg[SOURCE]);
		break;
	case PUT_FIRST:
		step->address = balance(bank, lane->reg[SOURCE]);
		step->value = lane->loaded - lane->reg[AMOUNT];
		break;
	case GET_SECOND:
	case PUT_SECOND:
		step->address = balance(bank, lane->reg[DESTINATION]);
		step->value = lane->loaded + lane->reg[AMOUNT];
		break;
	case MORE:
		step->taken = ++lane->reg[ROUND] < bank->transfers;
		break;
	}
}

enum {
	TAKE_HIGH = INDEX + 1, NOT_HIGH, TAKE_LOW, NOT_LOW, ENTER, FIRST,
	LAST = FIRST + PUT_SECOND - GET_AMOUNT, LEAVE, FENCE, RELEASE_LOW, RELEASE_HIGH, AGAIN,
	LOCK_MORE, LOCK_END,
};

static const struct sim_instr lock_code[] = {
	[GET_SOURCE] = { .op = SIM_LOAD },
	[GET_DESTINATION] = { .op = SIM_LOAD },
	[INDEX] = { .op = SIM_PLAIN, .count = 1 },
	[TAKE_HIGH] = { .op = SIM_CAS },
	[NOT_HIGH] = { .op = SIM_BRANCH, .target = AGAIN, .meet = AGAIN },
	[TAKE_LOW] = { .op = SIM_CAS },
	[NOT_LOW] = { .op = SIM_BRANCH, .target = RELEASE_HIGH, .meet = RELEASE_HIGH },
	[ENTER] = { .op = SIM_ENTER },
	[FIRST] = { .op = SIM_LOAD },
	[FIRST + 1] = { .op = SIM_LOAD },
	[FIRST + 2] = { .op = SIM_STORE },
	[FIRST + 3] = { .op = SIM_LOAD },
	[LAST] = { .op = SIM_STORE },
	[LEAVE] = { .op = SIM_LEAVE },
	[FENCE] = { .op = SIM_FENCE },
	[RELEASE_LOW] = { .op = SIM_STORE },
	[RELEASE_HIGH] = { .op = SIM_STORE },
	[AGAIN] = { .op = SIM_BRANCH, .target = TAKE_HIGH, .meet = LOCK_MORE },
	[LOCK_MORE] = { .op = SIM_BRANCH, .target = GET_SOURCE, .meet = LOCK_END },
	[LOCK_END] = { .op = SIM_EXIT },
};

static uint64_t lock(const struct bank *bank, const struct sim_lane *lane, bool high)
{
	uint32_t source = lane->reg[SOURCE], destination = lane->reg[DESTINATION];

	return bank->a + (uint64_t)ACCOUNT_BYTES *
				 ((source > destination) == high ? source : destination);
}

static void eval_locks(const void *data, uint32_t pc, struct sim_lane *lane,
		       struct sim_step *step)
{
	const struct bank *bank = data;

	if (pc < TAKE_HIGH) {
		eval(data, pc, lane, step);
		return;
	}
	if (pc >= FIRST && pc <= LAST) {
		eval(data, pc - FIRST + GET_AMOUNT, lane, step);
		return;
	}
	switch (pc) {
	case TAKE_HIGH:
	case TAKE_LOW:
		step->address = lock(bank, lane, pc == TAKE_HIGH);
		step->value = 1;
		lane->reg[DONE] = 0;
		break;
	case NOT_HIGH:
	case NOT_LOW:
		step->taken = lane->loaded != 0;
		break;
	case RELEASE_LOW:
		lane->reg[DONE] = 1;
		step->address = lock(bank, lane, false);
		break;
	case RELEASE_HIGH:
		step->address = lock(bank, lane, true);
		break;
	case AGAIN:
		step->taken = !lane->reg[DONE];
		break;
	case LOCK_MORE:
		eval(data, MORE, lane, step);
		break;
	}
}

/* ---- life ---- */

static int make(const struct sim_workload_request *request, struct sim_workload **out,
		char *error, size_t size)
{
	const struct given *given = request->class->given;
	const struct bank_config *config = given ? &given->config : request->config;
	uint64_t end = SIM_HEAP;
	struct bank *bank = sim_workload_new(request, sizeof(*bank), error, size);

	if (!bank)
		return -ENOMEM;
	bank->base.threads = request->threads ? request->threads :
			     given	      ? given->threads :
						THREADS;
	bank->base.transactions = bank->base.threads * config->transfers;
	bank->base.block_size = config->block_size;
	bank->base.most_accesses = 5;
	bank->accounts = config->accounts;
	bank->transfers = config->transfers;
	bank->seed = given ? given->seed : request->seed;
	bank->a = sim_heap_take(&end, (uint64_t)ACCOUNT_BYTES * bank->accounts);
	bank->b = sim_heap_take(&end, RECORD_BYTES * bank->base.threads * bank->transfers);
	bank->base.region[0] = (struct sim_region){ bank->a, end - bank->a };
	bank->base.regions = 1;
	bank->base.lock_base = sim_heap_take(&end, 4);
	sim_workload_runs(&bank->base, SIM_TRANSACTIONS, transaction_code, END + 1, eval);
	sim_workload_runs(&bank->base, SIM_LOCKS, lock_code, LOCK_END + 1, eval_locks);
	*out = &bank->base;
	return 0;
}

static void setup(const struct sim_workload *workload, struct sim_memory *memory)
{
	const struct bank *bank = (const struct bank *)workload;
	uint64_t state = bank->seed, place = bank->b;
	uint64_t records = bank->base.threads * bank->transfers;

	for (uint32_t i = 0; i < bank->accounts; i++)
		sim_memory_write(memory, balance(bank, i), OPENING_BALANCE);
	for (uint64_t i = 0; i < records; i++, place += RECORD_BYTES) {
		struct record r = draw(&state, bank->accounts);

		sim_memory_write(memory, place, r.amount);
		sim_memory_write(memory, place + 4, r.source);
		sim_memory_write(memory, place + 8, r.destination);
	}
}

/* Every account against the sequential result. */
static const char *invariant(const struct sim_workload *workload,
			     const struct sim_memory *memory, char *error, size_t size)
{
	const struct bank *bank = (const struct bank *)workload;
	uint64_t state = bank->seed, records = bank->base.threads * bank->transfers;
	uint32_t *expected = malloc(bank->accounts * sizeof(*expected)), i;

	if (!expected) {
		snprintf(error, size, "out of memory");
		return error;
	}
	for (i = 0; i < bank->accounts; i++)
		expected[i] = OPENING_BALANCE;
	while (records--) {
		struct record r = draw(&state, bank->accounts);

		expected[r.source] -= r.amount;
		expected[r.destination] += r.amount;
	}
	for (i = 0; i < bank->accounts; i++)
		if (sim_memory_read(memory, balance(bank, i)) != expected[i])
			break;
	if (i < bank->accounts)
		snprintf(error, size, "account %u holds %d and not %d", i,
			 (int)sim_memory_read(memory, balance(bank, i)), (int)expected[i]);
	free(expected);
	return i < bank->accounts ? error : NULL;
}

/* ---- classes ---- */

static const struct gputm_param rows[] = {
	SIM_PARAM(struct bank_config, accounts, 2, 1u << 26, 100000, "Accounts of the bank."),
	SIM_PARAM(struct bank_config, transfers, 1, 1024, 2, "Transfers of each thread."),
	SIM_PARAM(struct bank_config, block_size, 1, 1024, 128, "Threads of a block."),
};

SIM_WORKLOAD_PARAMS(struct bank_config);

#define FACE(NAME, SUMMARY)                                                                    \
	.name = (NAME), .summary = (SUMMARY), .make = make, .setup = setup,                    \
	.free = sim_workload_free, .invariant = invariant
const struct sim_workload_class sim_bank = {
	FACE("bank", "transfers between random accounts"),
	.params = &params,
};

const struct sim_workload_class sim_atm_1m = {
	FACE("atm-1m", "reference: 16384 transfers between 1000000 accounts"),
	.fixed_threads = true,
	.given = &(const struct given){ 8192, 2009, { 0, 1000000, 2, 128 } },
};

const struct sim_workload_class sim_atm_1024 = {
	FACE("atm-1024", "reference: 16384 transfers between 1024 accounts"),
	.fixed_threads = true,
	.given = &(const struct given){ 8192, 2009, { 0, 1024, 2, 128 } },
};
