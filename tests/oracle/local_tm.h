/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_LOCAL_TM_H
#define GPUTM_ORACLE_LOCAL_TM_H
/*
 * GPU-LocalTM as the paper tells it, the long way round: every work-item has a signature per
 * bank that is asked one by one, every bank has its table of <owner, value>, and every
 * question walks all of them.
 */
#include "tests/oracle/stats.h"

#define ORACLE_LOCAL_TM_STATS                                                                  \
	begins, held, nested, normal_attempts, wavefront_attempts, group_attempts, started,    \
		committed, serial_committed, evicted, accesses, fresh, repeated, conflicts,    \
		false_conflicts, restored, released, owned, owned_max, plain, clashes,         \
		begin_cycles, access_cycles, commit_cycles

#define ORACLE_ITEMS 256
#define ORACLE_BANKS 64
#define ORACLE_WORDS 4096

struct oracle_local_wave {
	uint64_t exec, vcc, tcm, tcm_old, attempt, first;
	bool inside, due, evicted;
	int level; /* 1 all lanes, 2 one of the wavefront, 3 one of the group */
};

struct oracle_local_tm {
	unsigned waves, lanes, banks, bits, words;
	uint64_t signature[ORACLE_ITEMS][ORACLE_BANKS];
	int owner[ORACLE_WORDS]; /* work-item, or -1 */
	uint32_t data[ORACLE_WORDS], backup[ORACLE_WORDS];
	struct oracle_local_wave wave[16];
	int holder; /* wavefront, or -1 */
	bool sum;   /* the lanes of a bank cost one after the other */
	ORACLE_STATS(ORACLE_LOCAL_TM_STATS) stats;
};

struct oracle_local_answer {
	uint64_t lanes; /* that conflict, or that commit */
	unsigned cycles, passes;
	uint32_t evicted;
};

static void oracle_local_tm_init(struct oracle_local_tm *o, unsigned waves, unsigned lanes,
				 unsigned banks, unsigned bits, unsigned words)
{
	memset(o, 0, sizeof(*o));
	o->waves = waves;
	o->lanes = lanes;
	o->banks = banks;
	o->bits = bits;
	o->words = words;
	o->holder = -1;
	for (unsigned i = 0; i < ORACLE_WORDS; i++)
		o->owner[i] = -1;
	for (unsigned i = 0; i < waves; i++)
		o->wave[i].exec = lanes == 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1;
}

static unsigned entries(const struct oracle_local_tm *o, unsigned item, unsigned bank)
{
	unsigned count = 0;

	for (unsigned w = bank; w < o->words; w += o->banks)
		count += o->owner[w] == (int)item;
	return count;
}

static void release(struct oracle_local_tm *o, unsigned w, bool restore)
{
	if (restore)
		o->data[w] = o->backup[w];
	++*(restore ? &o->stats.restored : &o->stats.released);
	o->stats.owned--;
	o->owner[w] = -1;
}

static void restore_bank(struct oracle_local_tm *o, unsigned item, unsigned bank)
{
	for (unsigned w = bank; w < o->words; w += o->banks)
		if (o->owner[w] == (int)item)
			release(o, w, true);
	o->signature[item][bank] = 0;
}

/* Clear these lanes everywhere, and count words in the sums of banks; the cycles of the slowest. */
static unsigned clear_lanes(struct oracle_local_tm *o, unsigned wave, uint64_t lanes,
			    bool restore, unsigned sum[])
{
	unsigned first = wave * o->lanes, slowest = 0;

	for (unsigned w = 0; w < o->words; w++) {
		unsigned lane = (unsigned)o->owner[w] - first; /* out of range for other waves */

		if (o->owner[w] < 0 || lane >= o->lanes || !(lanes >> lane & 1))
			continue;
		release(o, w, restore);
		sum[w % o->banks]++;
	}
	for (unsigned lane = 0; lane < o->lanes; lane++)
		if (lanes >> lane & 1)
			memset(o->signature[first + lane], 0, sizeof(*o->signature));
	for (unsigned bank = 0; bank < o->banks; bank++)
		if (sum[bank] > slowest)
			slowest = sum[bank];
	return slowest;
}

static unsigned evict_others(struct oracle_local_tm *o, unsigned wave, uint32_t *evicted)
{
	unsigned sum[ORACLE_BANKS] = { 0 }, slowest = 0;

	for (unsigned i = 0; i < o->waves; i++) {
		struct oracle_local_wave *w = &o->wave[i];

		if (i == wave || !w->inside || w->due)
			continue;
		o->stats.evicted += oracle_lanes(w->attempt & ~w->tcm);
		slowest = clear_lanes(o, i, w->attempt & ~w->tcm, true, sum);
		w->exec = w->tcm = w->attempt;
		w->due = w->evicted = true;
		*evicted |= UINT32_C(1) << i;
	}
	return slowest;
}

/* False: held. */
static bool oracle_local_tm_begin(struct oracle_local_tm *o, unsigned wave,
				  struct oracle_local_answer *out)
{
	struct oracle_local_wave *w = &o->wave[wave];

	memset(out, 0, sizeof(*out));
	if (o->holder >= 0 && o->holder != (int)wave) {
		o->stats.held++;
		return false;
	}
	out->cycles = 1;
	if (!w->inside) {
		w->first = w->attempt = w->exec;
		w->tcm_old = 0;
		w->level = 1;
	} else if (!w->evicted) {
		w->level = w->tcm == w->tcm_old ? w->level + 1 : 1;
		w->tcm_old = w->tcm;
	}
	w->inside = true;
	w->due = w->evicted = false;
	if (w->level == 3 && o->holder < 0) {
		o->holder = (int)wave;
		out->cycles += evict_others(o, wave, &out->evicted);
	}
	w->tcm = 0;
	if (w->level > 1)
		w->tcm = w->attempt & (w->attempt - 1);
	out->lanes = w->attempt & ~w->tcm;
	o->stats.begins++;
	++*(w->level == 1 ? &o->stats.normal_attempts :
	    w->level == 2 ? &o->stats.wavefront_attempts :
			    &o->stats.group_attempts);
	o->stats.started += oracle_lanes(out->lanes);
	o->stats.begin_cycles += out->cycles;
	return true;
}

/* Stages 1 and 2 of one lane in one bank; true: conflict. */
static bool serve(struct oracle_local_tm *o, unsigned item, bool write, uint32_t word,
		  uint32_t *value, unsigned *cycles)
{
	unsigned bank = word % o->banks, most = 0;
	uint64_t bit = UINT64_C(1) << word / o->banks % o->bits;
	bool conflict = false;

	for (unsigned i = 0; i < o->waves * o->lanes; i++)
		conflict |= i != item && o->signature[i][bank] & bit;
	*cycles += 1;
	o->stats.accesses++;
	if (conflict) {
		o->stats.conflicts++;
		o->stats.false_conflicts += o->owner[word] < 0 || o->owner[word] == (int)item;
		for (unsigned b = 0; b < o->banks; b++)
			if (entries(o, item, b) > most)
				most = entries(o, item, b);
		*cycles += most;
		restore_bank(o, item, bank);
		return true;
	}
	if (o->signature[item][bank] & bit && o->owner[word] == (int)item) {
		o->stats.repeated++;
		*cycles += 1;
	} else {
		o->stats.fresh++;
		o->stats.owned++;
		oracle_most(&o->stats.owned_max, o->stats.owned);
		o->backup[word] = o->data[word];
		o->owner[word] = (int)item;
		o->signature[item][bank] |= bit;
		*cycles += 2;
	}
	if (write)
		o->data[word] = *value;
	else
		*value = o->data[word];
	return false;
}

/* The turn in which its bank serves a lane: one for each lower lane. */
static unsigned turn_of(const struct oracle_local_tm *o, uint64_t lanes, const uint32_t *word,
			unsigned lane)
{
	unsigned turn = 0;

	for (unsigned lower = 0; lower < lane; lower++)
		turn += lanes >> lower & 1 && word[lower] % o->banks == word[lane] % o->banks;
	return turn;
}

static void oracle_local_tm_access(struct oracle_local_tm *o, unsigned wave, bool write,
				   uint64_t lanes, const uint32_t *word, uint32_t *value,
				   struct oracle_local_answer *out)
{
	struct oracle_local_wave *w = &o->wave[wave];
	unsigned cycles[ORACLE_BANKS] = { 0 }, slowest = 0, broadcasts = 0;

	memset(out, 0, sizeof(*out));
	for (unsigned turn = 0; turn < o->lanes; turn++) {
		unsigned sum[ORACLE_BANKS] = { 0 }, broadcast;
		uint64_t lost = 0;

		for (unsigned lane = 0; lane < o->lanes; lane++) {
			unsigned bank = word[lane] % o->banks;

			if (!(lanes >> lane & 1) || turn_of(o, lanes, word, lane) != turn)
				continue;
			out->passes = turn + 1;
			if (!o->sum)
				cycles[bank] = 0;
			o->stats.plain += !w->inside;
			o->stats.clashes += !w->inside && o->owner[word[lane]] >= 0;
			if (!w->inside && write)
				o->data[word[lane]] = value[lane];
			else if (!w->inside)
				value[lane] = o->data[word[lane]];
			else if (serve(o, wave * o->lanes + lane, write, word[lane],
				       &value[lane], &cycles[bank]))
				lost |= UINT64_C(1) << lane;
			slowest = cycles[bank] > slowest ? cycles[bank] : slowest;
		}
		broadcast = clear_lanes(o, wave, lost, true, sum);
		if (o->sum)
			broadcasts += broadcast;
		else if (broadcast > broadcasts)
			broadcasts = broadcast;
		out->lanes |= lost;
	}
	w->tcm |= out->lanes;
	out->cycles = slowest + broadcasts;
	o->stats.access_cycles += out->cycles;
}

/* True: the transaction is over. */
static bool oracle_local_tm_commit(struct oracle_local_tm *o, unsigned wave,
				   struct oracle_local_answer *out)
{
	struct oracle_local_wave *w = &o->wave[wave];
	unsigned sum[ORACLE_BANKS] = { 0 };

	memset(out, 0, sizeof(*out));
	out->lanes = w->attempt & ~w->tcm;
	out->cycles = 1 + clear_lanes(o, wave, out->lanes, false, sum);
	o->stats.committed += oracle_lanes(out->lanes);
	o->stats.serial_committed += w->level > 1 ? oracle_lanes(out->lanes) : 0;
	o->stats.commit_cycles += out->cycles;
	w->exec = w->attempt = w->tcm;
	w->due = true;
	if (w->tcm)
		return false;
	w->exec = w->first;
	w->inside = w->due = false;
	w->tcm_old = 0;
	if (o->holder == (int)wave)
		o->holder = -1;
	return true;
}

#endif /* GPUTM_ORACLE_LOCAL_TM_H */
