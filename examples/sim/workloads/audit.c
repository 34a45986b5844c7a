/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Audit: transfers within pairs of accounts, and as many audits that only read a pair.
 *
 *	a: account i at a + 8 i  = { lock, balance }               1000 at the start
 *	b: record r at b + 16 r  = { amount, src, dst, out }       amount 0: an audit
 *
 * Thread t does the records t, t + 8192. For each: load amount, src and dst; then the
 * transaction R src.balance; R dst.balance; unless amount is 0 also W src.balance -= amount;
 * W dst.balance += amount. After the commit the sum that was read is stored to out: it is
 * that of a pair, 2000, whatever was transferred meanwhile, unless the pair was torn.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/memory.h"
#include "../base/heap.h"
#include "../base/random.h"
#include "tables.h"

#define ACCOUNT_BYTES 8u
#define RECORD_BYTES 16u
#define OPENING_BALANCE 1000u
#define ACCOUNTS 16384u
#define THREADS 8192u
#define BLOCK 128u
#define ROUNDS 2u
#define RECORDS (THREADS * ROUNDS)
#define SEED 2009u

struct audit {
	struct sim_workload base;
	uint64_t a, b;
};

struct record {
	uint32_t amount, source, destination;
};

/* The next record of the list that starts with *state = SEED. */
static struct record draw(uint64_t *state)
{
	uint32_t r = sim_random(state), pair = sim_random(state) % (ACCOUNTS / 2);
	struct record record = { .source = 2 * pair + (r >> 20 & 1) };

	record.amount = r % 100 < 50 ? 0 : 1 + r / 100 % 49;
	record.destination = record.source ^ 1;
	return record;
}

/* ---- program ---- */

enum { ROUND, AMOUNT, SOURCE, DESTINATION, SOURCE_BALANCE, DESTINATION_BALANCE }; /* registers */

enum {
	GET_AMOUNT, GET_SOURCE, GET_DESTINATION, INDEX, BEGIN, READ_SOURCE, READ_DESTINATION,
	WRITE_SOURCE, WRITE_DESTINATION, COMMIT, PUT_SUM, MORE, END,
};

static const struct sim_instr code[] = {
	[GET_AMOUNT] = { .op = SIM_LOAD },
	[GET_SOURCE] = { .op = SIM_LOAD },
	[GET_DESTINATION] = { .op = SIM_LOAD },
	[INDEX] = { .op = SIM_PLAIN, .count = 1 },
	[BEGIN] = { .op = SIM_TX_BEGIN },
	[READ_SOURCE] = { .op = SIM_LOAD },
	[READ_DESTINATION] = { .op = SIM_LOAD },
	[WRITE_SOURCE] = { .op = SIM_STORE },
	[WRITE_DESTINATION] = { .op = SIM_STORE },
	[COMMIT] = { .op = SIM_TX_COMMIT },
	[PUT_SUM] = { .op = SIM_STORE },
	[MORE] = { .op = SIM_BRANCH, .target = GET_AMOUNT, .meet = END },
	[END] = { .op = SIM_EXIT },
};

static uint64_t balance(const struct audit *audit, uint32_t account)
{
	return audit->a + (uint64_t)ACCOUNT_BYTES * account + 4;
}

static void eval(const void *data, uint32_t pc, struct sim_lane *lane, struct sim_step *step)
{
	const struct audit *audit = data;
	uint32_t *reg = lane->reg;
	uint64_t record = audit->b + RECORD_BYTES * (lane->thread + THREADS * (uint64_t)reg[ROUND]);

	switch (pc) {
	case GET_AMOUNT:
		step->address = record;
		break;
	case GET_SOURCE:
		reg[AMOUNT] = lane->loaded;
		step->address = record + 4;
		break;
	case GET_DESTINATION:
		reg[SOURCE] = lane->loaded;
		step->address = record + 8;
		break;
	case INDEX:
		reg[DESTINATION] = lane->loaded;
		break;
	case READ_SOURCE:
		step->address = balance(audit, reg[SOURCE]);
		break;
	case READ_DESTINATION:
		reg[SOURCE_BALANCE] = lane->loaded;
		step->address = balance(audit, reg[DESTINATION]);
		break;
	case WRITE_SOURCE:
		reg[DESTINATION_BALANCE] = lane->loaded;
		step->address = balance(audit, reg[SOURCE]);
		step->value = reg[SOURCE_BALANCE] - reg[AMOUNT];
		step->skip = !reg[AMOUNT];
		break;
	case WRITE_DESTINATION:
		step->address = balance(audit, reg[DESTINATION]);
		step->value = reg[DESTINATION_BALANCE] + reg[AMOUNT];
		step->skip = !reg[AMOUNT];
		break;
	case PUT_SUM:
		step->address = record + 12;
		step->value = reg[SOURCE_BALANCE] + reg[DESTINATION_BALANCE];
		break;
	case MORE:
		step->taken = ++reg[ROUND] < ROUNDS;
		break;
	}
}

/* ---- life ---- */

static int make(const struct sim_workload_request *request, struct sim_workload **out,
		char *error, size_t size)
{
	uint64_t end = SIM_HEAP;
	struct audit *audit = sim_workload_new(request, sizeof(*audit), error, size);

	if (!audit)
		return -ENOMEM;
	audit->a = sim_heap_take(&end, ACCOUNT_BYTES * ACCOUNTS);
	audit->b = sim_heap_take(&end, RECORD_BYTES * RECORDS);
	audit->base.threads = THREADS;
	audit->base.transactions = RECORDS;
	audit->base.most_writes = 2 * RECORDS;
	audit->base.block_size = BLOCK;
	audit->base.lock_base = sim_heap_take(&end, 4);
	audit->base.region[0] = (struct sim_region){ audit->a, ACCOUNT_BYTES * ACCOUNTS };
	audit->base.regions = 1;
	audit->base.missing[SIM_LOCKS] = "audit has no lock program";
	sim_workload_runs(&audit->base, SIM_TRANSACTIONS, code, END + 1, eval);
	*out = &audit->base;
	return 0;
}

static void setup(const struct sim_workload *workload, struct sim_memory *memory)
{
	const struct audit *audit = (const struct audit *)workload;
	uint64_t state = SEED, place = audit->b;

	for (uint32_t i = 0; i < ACCOUNTS; i++)
		sim_memory_write(memory, balance(audit, i), OPENING_BALANCE);
	for (uint32_t i = 0; i < RECORDS; i++, place += RECORD_BYTES) {
		struct record record = draw(&state);

		sim_memory_write(memory, place, record.amount);
		sim_memory_write(memory, place + 4, record.source);
		sim_memory_write(memory, place + 8, record.destination);
	}
}

/* Every account against the sequential result, and every sum that was seen. */
static const char *invariant(const struct sim_workload *workload,
			     const struct sim_memory *memory, char *error, size_t size)
{
	const struct audit *audit = (const struct audit *)workload;
	uint32_t *expected = malloc(ACCOUNTS * sizeof(*expected));
	const char *broken = NULL;
	uint64_t state = SEED;

	if (!expected) {
		snprintf(error, size, "out of memory");
		return error;
	}
	for (uint32_t i = 0; i < ACCOUNTS; i++)
		expected[i] = OPENING_BALANCE;
	for (uint32_t i = 0; !broken && i < RECORDS; i++) {
		struct record record = draw(&state);
		uint32_t sum = sim_memory_read(memory, audit->b + RECORD_BYTES * i + 12);

		expected[record.source] -= record.amount;
		expected[record.destination] += record.amount;
		if (sum == 2 * OPENING_BALANCE)
			continue;
		snprintf(error, size, "record %u saw a pair with %d and not %u", i, (int)sum,
			 2 * OPENING_BALANCE);
		broken = error;
	}
	for (uint32_t i = 0; !broken && i < ACCOUNTS; i++) {
		uint32_t found = sim_memory_read(memory, balance(audit, i));

		if (found == expected[i])
			continue;
		snprintf(error, size, "account %u holds %d and not %d", i, (int)found,
			 (int)expected[i]);
		broken = error;
	}
	free(expected);
	return broken;
}

const struct sim_workload_class sim_audit = {
	.name = "audit",
	.summary = "reference: 8184 transfers within pairs of accounts, 8200 audits of a pair",
	.fixed_threads = true,
	.make = make,
	.free = sim_workload_free,
	.setup = setup,
	.invariant = invariant,
};
