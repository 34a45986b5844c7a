/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The units of lib/hetm, with glue as in examples/sim/hetm. A transaction buffers its stores, looks
 * again at what it has read, and commits at one instant; time passes in steps of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "gputm/access_bitmap.h"
#include "gputm/device_validator.h"
#include "gputm/sync_round.h"
#include "gputm/write_set_log.h"
#include "tests/explore/arena.h"
#include "tests/explore/hetm.h"
#include "tests/explore/unit.h"

#define TXS 4
#define WORDS 2
#define UNITS 5

struct tx {
	uint32_t loaded, stored;
	uint32_t foreign; /* words whose value was another's */
	uint32_t read[WORDS];
	bool done;	/* it has committed on its device */
	bool committed; /* and its round has not failed */
};

enum { CPU, GPU, SHADOW, REPLICAS };

struct pair {
	struct gputm_sync_round *round;
	struct gputm_write_set_log *log;
	struct gputm_device_validator *validator;
	struct gputm_access_bitmap *reads, *writes;
	struct gputm_unit *unit[UNITS];
	struct tx tx[TXS]; /* the CPU's first */
	uint32_t replica[REPLICAS][WORDS];
	uint64_t now, commits;
	uint32_t rounds;
	const char *wrong;
};

static struct pair *pair; /* in the arena */
static const struct hetm_trial *trial;
#define ALL_TXS (trial->hosts + trial->devices)
static unsigned verdicts; /* seen: bit 0 success, bit 1 failure */

#define OWN_VALUE(tx) ((tx) + 1) /* that a transaction writes: no other does */

enum { LOAD, STORE, COMMIT, PASS };
#define STEP(tx, what, word) ((uint32_t)(tx) << 16 | (uint32_t)(what) << 8 | (uint32_t)(word))

static unsigned device_of(uint32_t tx)
{
	return tx < trial->hosts ? CPU : GPU;
}

static bool is_running(const struct tx *tx)
{
	return !tx->done && (tx->loaded || tx->stored);
}

static void expect(bool holds, const char *otherwise)
{
	if (!holds && !pair->wrong)
		pair->wrong = otherwise;
}

/* Does no transaction run on these devices? */
static bool drained(uint32_t devices)
{
	for (uint32_t i = 0; i < ALL_TXS; i++)
		if (devices >> device_of(i) & 1 && is_running(&pair->tx[i]))
			return false;
	return true;
}

static bool all_done(bool committed)
{
	for (uint32_t i = 0; i < ALL_TXS; i++)
		if (committed ? !pair->tx[i].committed : !pair->tx[i].done)
			return false;
	return true;
}

/* ---- serial order ---- */

/* Do the transactions, one after the other from here, explain what was read and what the CPU's
 * replica holds? `left`: those that have yet to be placed. */
static bool explained(uint32_t left, const uint32_t word[WORDS])
{
	for (uint32_t i = 0; i < ALL_TXS; i++) {
		const struct tx *tx = &pair->tx[i];
		uint32_t after[WORDS];
		bool fits = left >> i & 1;

		for (uint32_t k = 0; k < WORDS; k++) {
			fits &= !(tx->foreign >> k & 1) || tx->read[k] == word[k];
			after[k] = tx->stored >> k & 1 ? OWN_VALUE(i) : word[k];
		}
		if (fits && explained(left & ~(1u << i), after))
			return true;
	}
	return !left && !memcmp(word, pair->replica[CPU], sizeof(pair->replica[CPU]));
}

static void judge_round(void)
{
	const uint32_t start[WORDS] = { 0 };
	uint32_t committed = 0;

	for (uint32_t i = 0; i < ALL_TXS; i++)
		committed |= (uint32_t)pair->tx[i].committed << i;
	expect(explained(committed, start), "no serial order explains this round");
	for (unsigned i = GPU; i < (trial->basic ? SHADOW : REPLICAS); i++)
		expect(!memcmp(pair->replica[i], pair->replica[CPU], sizeof(pair->replica[i])),
		       "the replicas differ after a round");
}

/* ---- the round ---- */

static struct gputm_sync_round_done copy_written(unsigned from, unsigned to)
{
	struct gputm_sync_round_done done = { 0 };
	struct gputm_access_bitmap_run run;

	for (uint64_t at = 0; gputm_access_bitmap_next_run(pair->writes, at, &run);
	     at = run.address + run.bytes) {
		memcpy(&pair->replica[to][run.address / 4], &pair->replica[from][run.address / 4],
		       trial->hole == HETM_STALE_ROW && to == CPU ? 4 : run.bytes);
		done.bytes += run.bytes;
		done.runs++;
	}
	return done;
}

/* Hand a chunk of a stream to the validator; what is newer goes to a replica. */
static bool push(enum gputm_write_set_log_stream stream, bool partial, unsigned to,
		 struct gputm_sync_round_done *done)
{
	static const enum gputm_device_validator_mode modes[] = {
		GPUTM_DEVICE_VALIDATOR_MODE_EARLY, GPUTM_DEVICE_VALIDATOR_MODE_APPLY,
		GPUTM_DEVICE_VALIDATOR_MODE_REPLAY
	};
	struct gputm_device_validator_result result = { 0 };
	struct gputm_write_set_log_chunk chunk;
	uint64_t apply = 0, early = gputm_write_set_log_pending(pair->log, 0);

	if (gputm_write_set_log_cut(pair->log, stream, partial, &chunk) !=
	    GPUTM_WRITE_SET_LOG_CHUNK)
		return false;
	expect(!gputm_device_validator_push(pair->validator, pair->reads, &chunk, modes[stream],
					    &apply, &result),
	       "a chunk is refused");
	if (trial->hole == HETM_NO_STAMPS && stream != GPUTM_WRITE_SET_LOG_STREAM_EARLY)
		apply = UINT64_MAX;
	for (uint32_t i = 0; i < chunk.count; i++)
		if (apply >> i & 1)
			pair->replica[to][chunk.entry[i].address / 4] = chunk.entry[i].value;
	done->bytes += chunk.bytes;
	done->cycles += result.cycles;
	done->conflict |= result.conflicts && trial->hole != HETM_NO_VERDICT &&
			  !(trial->hole == HETM_EARLY_IS_LAST && !early &&
			    stream == GPUTM_WRITE_SET_LOG_STREAM_SHIP);
	return true;
}

static void replay(struct gputm_sync_round_done *done)
{
	while (trial->hole != HETM_NO_REPLAY &&
	       push(GPUTM_WRITE_SET_LOG_STREAM_REPLAY, true, SHADOW, done))
		;
}

/* The GPU's transactions of the round are committed, or never were; the next one begins. */
static void end_merge(bool success)
{
	for (uint32_t i = trial->hosts; i < ALL_TXS; i++)
		if (success)
			pair->tx[i].committed = pair->tx[i].done;
		else if (!pair->tx[i].committed)
			pair->tx[i] = (struct tx){ 0 };
	verdicts |= success ? 1 : 2;
	judge_round();
	gputm_access_bitmap_clear(pair->reads);
	gputm_access_bitmap_clear(pair->writes);
	expect(!gputm_write_set_log_begin(pair->log) &&
		       !gputm_device_validator_begin(pair->validator,
						     gputm_write_set_log_round(pair->log)),
	       "a round does not begin");
}

static struct gputm_sync_round_done merge(enum gputm_sync_round_action what)
{
	struct gputm_sync_round_done done = { 0 };

	switch (what) {
	case GPUTM_SYNC_ROUND_ACTION_SHADOW:
		done = copy_written(GPU, SHADOW);
		replay(&done);
		break;
	case GPUTM_SYNC_ROUND_ACTION_COPY_BACK:
		done = copy_written(GPU, CPU);
		end_merge(true);
		break;
	case GPUTM_SYNC_ROUND_ACTION_REPLAY:
		replay(&done);
		if (trial->hole != HETM_NO_REALIGN)
			done.bytes = copy_written(SHADOW, GPU).bytes;
		end_merge(false);
		break;
	default: /* GPUTM_SYNC_ROUND_ACTION_REALIGN */
		if (trial->hole != HETM_NO_REALIGN)
			done = copy_written(CPU, GPU);
		end_merge(false);
		break;
	}
	done.conflict = false; /* a replay tests nothing */
	return done;
}

/* Do one thing that is to be done now: false, nothing is. */
static bool coordinate(void)
{
	struct gputm_sync_round_done done = { 0 };
	struct gputm_sync_round_todo todo;

	if (gputm_sync_round_current_state(pair->round) == GPUTM_SYNC_ROUND_STATE_IDLE)
		return false;
	expect(!gputm_sync_round_step(pair->round, pair->now, &todo), "a step is refused");
	if (todo.action == GPUTM_SYNC_ROUND_ACTION_END) {
		if (!all_done(true))
			expect(!gputm_sync_round_begin(pair->round, pair->now),
			       "a round does not begin");
		pair->rounds += pair->rounds <= trial->rounds;
		return true;
	}
	if (todo.action == GPUTM_SYNC_ROUND_ACTION_RUN)
		return gputm_sync_round_current_state(pair->round) ==
			       GPUTM_SYNC_ROUND_STATE_EXECUTION &&
		       all_done(false) && !gputm_sync_round_stop(pair->round, pair->now);
	if (todo.action == GPUTM_SYNC_ROUND_ACTION_DRAIN && !drained(todo.devices))
		return false;
	if (todo.action == GPUTM_SYNC_ROUND_ACTION_EARLY)
		push(GPUTM_WRITE_SET_LOG_STREAM_EARLY, false, GPU, &done);
	else if (todo.action == GPUTM_SYNC_ROUND_ACTION_SHIP)
		push(GPUTM_WRITE_SET_LOG_STREAM_SHIP, todo.partial, GPU, &done);
	else if (todo.action != GPUTM_SYNC_ROUND_ACTION_DRAIN)
		done = merge(todo.action);
	expect(!gputm_sync_round_complete(pair->round, pair->now, &done), "it is not complete");
	return true;
}

/* ---- what can happen ---- */

static bool may_access(const struct tx *tx, uint32_t what, uint32_t word)
{
	uint32_t done = what == LOAD ? tx->loaded : tx->stored;

	if (trial->any)
		return !(done >> word & 1);
	return !(done >> word) && (what == STORE || !tx->stored);
}

static bool may_pass(void)
{
	uint64_t next = gputm_sync_round_next_time(pair->round);

	return next != UINT64_MAX && next > pair->now &&
	       (pair->rounds < trial->rounds || all_done(false) ||
		gputm_sync_round_current_state(pair->round) != GPUTM_SYNC_ROUND_STATE_EXECUTION);
}

static unsigned choices(uint32_t choice[EXPLORE_CHOICES])
{
	unsigned count = 0;

	for (uint32_t i = 0; i < ALL_TXS; i++) {
		const struct tx *tx = &pair->tx[i];

		if (tx->done || !(is_running(tx) ||
				  gputm_sync_round_may_run(pair->round, 1u << device_of(i),
							   pair->now)))
			continue;
		for (uint32_t word = 0; word < trial->words; word++)
			for (uint32_t what = LOAD; what <= STORE; what++)
				if (may_access(tx, what, word))
					choice[count++] = STEP(i, what, word);
		if (is_running(tx))
			choice[count++] = STEP(i, COMMIT, 0);
	}
	if (may_pass())
		choice[count++] = STEP(0, PASS, 0);
	return count;
}

/* ---- what happens ---- */

static void publish(uint32_t i, uint32_t word)
{
	const struct tx *tx = &pair->tx[i];
	bool stored = tx->stored >> word & 1;
	int error = 0;

	if (stored)
		pair->replica[device_of(i)][word] = OWN_VALUE(i);
	if (device_of(i) == CPU) {
		if (stored && !(trial->hole == HETM_LOST_ENTRY && word))
			error = gputm_write_set_log_append(pair->log, i, word * 4, OWN_VALUE(i),
							   pair->commits);
	} else {
		if ((stored && trial->hole != HETM_BLIND_WRITES) ||
		    (tx->loaded >> word & 1 && trial->hole != HETM_BLIND_READS))
			error = gputm_access_bitmap_record(pair->reads, word * 4);
		if (!error && stored)
			error = gputm_access_bitmap_record(pair->writes, word * 4);
	}
	expect(!error, "a commit is refused");
}

/* An attempt in which what was read has changed leaves no trace. */
static bool still_reads(struct tx *tx, const uint32_t replica[WORDS])
{
	for (uint32_t k = 0; k < WORDS; k++)
		if (tx->foreign >> k & 1 && tx->read[k] != replica[k]) {
			*tx = (struct tx){ 0 };
			return false;
		}
	return true;
}

static void act_tx(uint32_t i, uint32_t what, uint32_t word)
{
	const uint32_t *replica = pair->replica[device_of(i)];
	struct tx *tx = &pair->tx[i];

	if (what == STORE) {
		tx->stored |= 1u << word;
		return;
	}
	if (!still_reads(tx, replica))
		return;
	if (what == LOAD) {
		tx->loaded |= 1u << word;
		if (!(tx->stored >> word & 1)) {
			tx->foreign |= 1u << word;
			tx->read[word] = replica[word];
		}
		return;
	}
	pair->commits += device_of(i) == CPU && tx->stored;
	for (uint32_t k = 0; k < trial->words; k++)
		publish(i, k);
	tx->done = true;
	tx->committed = device_of(i) == CPU;
}

static void act(uint32_t choice)
{
	uint32_t what = choice >> 8 & 0xff;

	if (what == PASS)
		pair->now = gputm_sync_round_next_time(pair->round);
	else
		act_tx(choice >> 16, what, choice & 0xff);
	while (!pair->wrong && coordinate())
		;
}

/* ---- what is wrong ---- */

static const char *judge(bool over)
{
	const char *wrong = pair->wrong;

	for (unsigned i = 0; i < UNITS && !wrong; i++)
		wrong = gputm_unit_check(pair->unit[i]);
	for (unsigned i = 0; i < UNITS && !wrong && !over; i++)
		wrong = unit_reload(pair->unit[i]);
	if (wrong || !over)
		return wrong;
	if (!all_done(true))
		return "nothing can happen any more, and a transaction is not over";
	return gputm_write_set_log_pending(pair->log, GPUTM_WRITE_SET_LOG_STREAM_SHIP) ||
			       gputm_access_bitmap_marked(pair->reads) ?
		       "an entry or a mark is left at the end" : NULL;
}

/* ---- keys and charts ---- */

/* What the units save, but for statistics. */
static void key_of(struct explore_key *key)
{
	for (unsigned i = 0; i < UNITS; i++)
		unit_mix(key, pair->unit[i], NULL);
}

static void outcome(struct explore_key *key)
{
	unit_mix_bytes(key, pair->tx, sizeof(pair->tx));
	unit_mix_bytes(key, pair->replica, sizeof(pair->replica));
}

static void say(uint32_t choice, FILE *out)
{
	static const char *const verb[] = { "loads", "stores", "commits" };
	uint32_t tx = choice >> 16, what = choice >> 8 & 0xff;

	if (what == PASS)
		fprintf(out, "time passes");
	else
		fprintf(out, "%s transaction %u %s%s", device_of(tx) == CPU ? "CPU" : "GPU",
			(unsigned)tx, verb[what], what == COMMIT ? "" : choice & 1 ? " b" : " a");
}

static const struct explore_model model = { choices, act, key_of, judge, outcome, say, NULL };

static void make_units(struct gputm_ctx *ctx)
{
	struct gputm_sync_round_config round = GPUTM_SYNC_ROUND_CONFIG_INIT;
	struct gputm_write_set_log_config log = GPUTM_WRITE_SET_LOG_CONFIG_INIT;
	struct gputm_device_validator_config validator = GPUTM_DEVICE_VALIDATOR_CONFIG_INIT;
	struct gputm_access_bitmap_config bitmap = GPUTM_ACCESS_BITMAP_CONFIG_INIT;

	round.round_cycles = 4;
	round.early_cycles = trial->early;
	round.link_latency = 0;
	round.non_blocking = round.shadow_copy = !trial->basic;
	log.region_bytes = validator.region_bytes = bitmap.region_bytes = WORDS * 4;
	log.threads = trial->hosts;
	log.chunk_bytes = log.entry_bytes << trial->coarse;
	log.stamp_bits = validator.stamp_bits = 8;
	validator.entry_cycles = 1;
	bitmap.granule = 4u << trial->coarse;
	if (gputm_sync_round_new(ctx, &round, &pair->round) ||
	    gputm_write_set_log_new(ctx, &log, &pair->log) ||
	    gputm_device_validator_new(ctx, &validator, &pair->validator) ||
	    gputm_access_bitmap_new(ctx, &bitmap, &pair->reads) ||
	    gputm_access_bitmap_new(ctx, &bitmap, &pair->writes) ||
	    gputm_sync_round_begin(pair->round, 0))
		exit(1);
	pair->unit[0] = gputm_sync_round_unit(pair->round);
	pair->unit[1] = gputm_write_set_log_unit(pair->log);
	pair->unit[2] = gputm_device_validator_unit(pair->validator);
	pair->unit[3] = gputm_access_bitmap_unit(pair->reads);
	pair->unit[4] = gputm_access_bitmap_unit(pair->writes);
}

struct explore_result hetm_explore(const struct hetm_trial *asked, struct explore_bounds bounds,
				   FILE *out)
{
	struct explore_result result;
	struct gputm_ctx *ctx;

	trial = asked;
	verdicts = 0;
	arena_forget();
	pair = arena_take(ARENA_AROUND, sizeof(*pair));
	if (gputm_ctx_new(&arena_units, &ctx))
		exit(1);
	make_units(ctx);
	result = explore(&model, bounds, out);
	if (result.closed && verdicts != 3)
		snprintf(result.wrong, sizeof(result.wrong), "a verdict was not seen");
	return result;
}
