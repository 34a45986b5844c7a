/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become transactions and edges, against the rules and, by default, the graph. */
#include "tests/fuzz/fuzz.h"
#include "tests/oracle/timestamp_table.h"

struct pair {
	struct gputm_timestamp_table *table;
	struct oracle_timestamp_table oracle;
	struct oracle_order order;
};

static void edge(struct pair *p, uint32_t pred, uint32_t succ)
{
	int result = gputm_timestamp_table_edge_probe(p->table, pred, succ);

	FUZZ_CHECK(gputm_timestamp_table_edge(p->table, pred, succ) == result);
	FUZZ_CHECK(oracle_timestamp_table_edge(&p->oracle, pred, succ) == result);
	if (result != GPUTM_TIMESTAMP_TABLE_OK)
		return;
	FUZZ_CHECK(p->oracle.config.literal ||
		   !oracle_order_closes_loop(&p->order, pred, succ));
	oracle_order_add(&p->order, pred, succ);
}

static void end(struct pair *p, uint32_t tx, bool committed)
{
	int result = gputm_timestamp_table_retire(p->table, tx, committed);

	FUZZ_CHECK(oracle_timestamp_table_retire(&p->oracle, tx, committed) == result);
	if (result == GPUTM_TIMESTAMP_TABLE_OK && !committed)
		oracle_order_forget(&p->order, tx);
}

static void release(struct pair *p, uint32_t tx)
{
	int result = gputm_timestamp_table_release(p->table, tx);

	FUZZ_CHECK(oracle_timestamp_table_release(&p->oracle, tx) == result);
	if (!result)
		oracle_order_forget(&p->order, tx);
}

static void step(struct pair *p, struct fuzz *fuzz)
{
	uint8_t what = fuzz_u8(fuzz), who = fuzz_u8(fuzz);
	uint32_t tx = (who & 15) % p->oracle.config.transactions;
	uint64_t start = 1 + (who >> 4);

	if (what < 160)
		edge(p, tx, (who >> 4) % p->oracle.config.transactions);
	else if (what < 200)
		FUZZ_CHECK(gputm_timestamp_table_begin(p->table, tx, start) ==
			   oracle_timestamp_table_begin(&p->oracle, tx, start));
	else if (what < 240)
		end(p, tx, what & 1);
	else
		release(p, tx);
	FUZZ_CHECK(!gputm_unit_check(gputm_timestamp_table_unit(p->table)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_timestamp_table_config config = GPUTM_TIMESTAMP_TABLE_CONFIG_INIT;
	struct fuzz fuzz = { data, size < 600 ? size : 600 };
	struct pair p = { .order = { { 0 } } };

	config.transactions = 2 + fuzz_below(&fuzz, 15);
	config.stamp_bits = 6 + fuzz_below(&fuzz, 26);
	config.increment = 1 + fuzz_u8(&fuzz);
	config.literal = fuzz_below(&fuzz, 4) == 0;
	config.signed_unset = config.literal && fuzz_below(&fuzz, 2);
	FUZZ_CHECK(!gputm_timestamp_table_new(NULL, &config, &p.table));
	oracle_timestamp_table_open(&p.oracle, &config);
	while (fuzz_more(&fuzz))
		step(&p, &fuzz);
	gputm_timestamp_table_free(p.table);
	return 0;
}
