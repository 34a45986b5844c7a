/* SPDX-License-Identifier: BSD-2-Clause */
/* The access instruction of a local memory, as local_tm.c tells it, and its probe. */
#include "lib/localtm/local_tm-priv.h"

#define LANE(l) (UINT64_C(1) << (l))

static int refuse_off(const struct gputm_local_tm *t, uint32_t wavefront, uint64_t off)
{
	return gputm__refuse(&t->unit, "lanes 0x%llx of wavefront %u do not execute",
			     (unsigned long long)off, wavefront);
}

static int check_access(const struct gputm_local_tm *t, uint32_t wavefront, uint64_t lanes,
			const uint32_t *word)
{
	uint64_t off;

	if (wavefront >= t->config.wavefronts)
		return gputm__local_tm_refuse_wavefront(t, wavefront);
	off = lanes & ~gputm__local_tm_running(&t->wavefront[wavefront]);
	if (off != 0)
		return lanes & ~t->lane_mask ? gputm__local_tm_refuse_lanes(t, "lanes", lanes) :
					       refuse_off(t, wavefront, off);
	for (uint64_t m = lanes; m; m &= m - 1)
		if (word[gputm__lowest(m)] >= t->words)
			return gputm__out_of_range(&t->unit, "word", word[gputm__lowest(m)], 0,
						   t->words - 1);
	return 0;
}

static inline struct load *start_load(struct gputm_local_tm *t)
{
	struct load *load = &t->load;

	if (!++load->stamp) {
		memset(load->bank, 0, sizeof(load->bank));
		load->stamp = 1;
	}
	return load;
}

/* The most of any bank. */
struct most {
	uint32_t cycles, lanes; /* lanes << 24, and what lies below */
};

/* Sums over all lanes fit 24 bits, as each word of the memory has at most one owner. */
static inline void add_load(const struct gputm_local_tm *t, struct load *load, struct most *most,
			    uint32_t word, uint32_t cycles)
{
	uint64_t *bank = &load->bank[word & t->bank_mask], stamp = load->stamp;
	uint32_t low, sum;

	*bank = (*bank >> 32 == stamp ? *bank : stamp << 32) + (1 << 24) + (cycles & t->sum_mask);
	low = (uint32_t)*bank;
	most->lanes = low > most->lanes ? low : most->lanes;
	sum = low & t->sum_mask & 0xffffff;
	cycles = sum > cycles ? sum : cycles;
	most->cycles = cycles > most->cycles ? cycles : most->cycles;
}

static inline void move_word(uint32_t *data, bool write, uint32_t *value)
{
	if (write)
		*data = *value;
	else
		*value = *data;
}

static void plain_access(struct gputm_local_tm *t, uint32_t wavefront, bool write, uint64_t lanes,
			 const uint32_t *word, uint32_t *value, struct gputm_local_tm_answer *out)
{
	struct load *load = start_load(t);
	struct most most = { 0, 0 };

	for (uint64_t m = lanes; m; m &= m - 1) {
		unsigned lane = gputm__lowest(m);

		t->clashes += t->owner[word[lane]] != 0;
		move_word(&t->data[word[lane]], write, &value[lane]);
		add_load(t, load, &most, word[lane], 0);
	}
	t->plain += gputm__popcount(lanes);
	*out = (struct gputm_local_tm_answer){ 0, 0, most.lanes >> 24 };
	gputm__emit(&t->unit, GPUTM_LOCAL_TM_EVENT_ACCESS, wavefront, write, lanes, 0);
}

/* Shadow entries of a work-item in its fullest bank. */
static uint32_t fullest(const struct gputm_local_tm *t, uint32_t item)
{
	struct tally tally = { { 0 }, 0 };

	for (uint32_t at = t->head[item]; at; at = t->next[at - 1])
		gputm__local_tm_count(t, &tally, at - 1);
	return tally.most;
}

/* Stage 1 has found another work-item: the cycles that this takes in the bank. */
static uint32_t conflict(struct gputm_local_tm *t, uint32_t item, uint32_t word, uint32_t other)
{
	struct tally tally = { { 0 }, 0 };
	uint32_t cycles = 1 + fullest(t, item);

	t->accesses++;
	t->conflicts++;
	t->false_conflicts += t->owner[word] == 0 || t->owner[word] == item;
	gputm__emit(&t->unit, GPUTM_LOCAL_TM_EVENT_CONFLICT, item - 1, word, other - 1, 0);
	gputm__local_tm_restore(t, item, word & t->bank_mask, &tally);
	return cycles;
}

/* Stages 1 and 2 for a lane without a conflict. True if the lane makes a backup. */
static inline bool serve(struct gputm_local_tm *t, uint32_t item, uint32_t word, bool write,
			 uint32_t *value)
{
	bool fresh = t->owner[word] != item;

	if (fresh) {
		t->backup[word] = t->data[word];
		gputm__local_tm_own(t, word, item);
	}
	move_word(&t->data[word], write, value);
	return fresh;
}

/* ---- turns ---- */

/* In each turn every bank serves the lowest of its remaining lanes. */
struct turns {
	uint64_t lanes;	   /* of this turn */
	uint8_t after[64]; /* the next lane of the same bank, or the lane itself */
};

static void line_up(const struct gputm_local_tm *t, uint64_t lanes, const uint32_t *word,
		    struct turns *turns)
{
	uint8_t last[BANKS_MAX];
	uint64_t seen = 0;

	turns->lanes = 0;
	for (uint64_t m = lanes; m; m &= m - 1) {
		unsigned lane = gputm__lowest(m), bank = word[lane] & t->bank_mask;

		if (seen >> bank & 1)
			turns->after[last[bank]] = (uint8_t)lane;
		else
			turns->lanes |= LANE(lane);
		seen |= UINT64_C(1) << bank;
		turns->after[lane] = last[bank] = (uint8_t)lane;
	}
}

static void next_turn(struct turns *turns)
{
	uint64_t next = 0;

	for (uint64_t m = turns->lanes; m; m &= m - 1)
		next |= LANE(turns->after[gputm__lowest(m)]);
	turns->lanes = next & ~turns->lanes;
}

/* The cycles of the broadcasts of the turns; see lane_cost. */
static inline uint32_t add_broadcast(const struct gputm_local_tm *t, uint32_t cycles, uint32_t turn)
{
	return (cycles & t->sum_mask) + turn > cycles ? (cycles & t->sum_mask) + turn : cycles;
}

/* An access in a transaction. */
struct access {
	uint32_t wavefront, first; /* item of lane 0 */
	const uint32_t *word;
	uint32_t *value;
	bool write;
	struct most most;
	uint32_t broadcast; /* its cycles */
	uint64_t conflicts;
};

/* Stages 1 and 2 of a turn. Returns the conflicting lanes. */
static uint64_t serve_turn(struct gputm_local_tm *t, struct access *a, uint64_t lanes)
{
	uint64_t lost = 0;

	for (uint64_t m = lanes; m; m &= m - 1) {
		unsigned lane = gputm__lowest(m);
		uint32_t at = a->word[lane], item = a->first + lane, cycles = 2;
		uint32_t other = t->key_owner[at & t->key_mask];

		if (other && other != item) {
			cycles = conflict(t, item, at, other);
			lost |= LANE(lane);
		} else if (serve(t, item, at, a->write, &a->value[lane])) {
			cycles = 3;
			t->fresh++;
			gputm__maximum(&t->owned_max, ++t->owned);
		} else {
			t->repeated++;
		}
		add_load(t, &t->load, &a->most, at, cycles);
	}
	t->accesses += gputm__popcount(lanes & ~lost);
	return lost;
}

/*
 * Serve in turns the lanes that are left, from the first that conflicts on. The lanes below have no
 * conflict, whatever earlier turns restore, and need no turn.
 */
static void serve_in_turns(struct gputm_local_tm *t, struct access *a, uint64_t lanes,
			   uint64_t left)
{
	struct turns turns;

	for (line_up(t, lanes, a->word, &turns); turns.lanes; next_turn(&turns)) {
		uint64_t lost = serve_turn(t, a, turns.lanes & left);
		struct tally tally = { { 0 }, 0 };

		gputm__local_tm_roll_back(t, a->wavefront, lost, &tally); /* stage 3 */
		a->broadcast = add_broadcast(t, a->broadcast, tally.most);
		a->conflicts |= lost;
	}
	t->wavefront[a->wavefront].tcm |= a->conflicts;
}

/* Serve the lanes from the lowest up to the first that conflicts. Returns the lanes left. */
static inline uint64_t serve_freely(struct gputm_local_tm *t, struct access *a, uint64_t lanes)
{
	struct load *load = start_load(t);
	struct most most = { 0, 0 };
	uint64_t repeated = 0, fresh = 0, m;

	for (m = lanes; m; m &= m - 1) {
		unsigned lane = gputm__lowest(m);
		uint32_t at = a->word[lane], item = a->first + lane, cycles = 2;
		uint32_t other = t->key_owner[at & t->key_mask];

		if (other && other != item)
			break;
		if (serve(t, item, at, a->write, &a->value[lane])) {
			cycles = 3;
			fresh++;
		} else {
			repeated++;
		}
		add_load(t, load, &most, at, cycles);
	}
	t->owned += fresh;
	t->fresh += fresh;
	t->repeated += repeated;
	t->accesses += fresh + repeated;
	gputm__maximum(&t->owned_max, t->owned);
	a->most = most;
	return m;
}

static int access_lanes(struct gputm_local_tm *t, uint32_t wavefront, bool write, uint64_t lanes,
			const uint32_t *word, uint32_t *value, struct gputm_local_tm_answer *out)
{
	struct access a = { .wavefront = wavefront, .word = word, .value = value, .write = write };
	int result = check_access(t, wavefront, lanes, word);
	uint64_t left;

	if (result)
		return result;
	if (t->wavefront[wavefront].state != GPUTM_LOCAL_TM_STATE_RUNNING) {
		plain_access(t, wavefront, write, lanes, word, value, out);
		return GPUTM_LOCAL_TM_OK;
	}
	a.first = gputm__local_tm_item(t, wavefront, 0);
	left = serve_freely(t, &a, lanes);
	if (left != 0)
		serve_in_turns(t, &a, lanes, left);
	*out = (struct gputm_local_tm_answer){ a.conflicts, a.most.cycles + a.broadcast,
					       a.most.lanes >> 24 };
	t->access_cycles += out->cycles;
	gputm__emit(&t->unit, GPUTM_LOCAL_TM_EVENT_ACCESS, wavefront, write, lanes, a.conflicts);
	return a.conflicts ? GPUTM_LOCAL_TM_CONFLICT : GPUTM_LOCAL_TM_OK;
}

/* Serve a single lane in a transaction; false if it conflicts or is refused, with nothing done. */
static inline bool access_one(struct gputm_local_tm *t, uint32_t wavefront, bool write,
			      uint64_t lanes, const uint32_t *word, uint32_t *value,
			      struct gputm_local_tm_answer *out)
{
	const struct wavefront *w = &t->wavefront[wavefront];
	unsigned lane = gputm__lowest(lanes);
	uint32_t at = word[lane], item = gputm__local_tm_item(t, wavefront, lane), other;
	uint32_t cycles = 2;

	if (lanes & ~gputm__local_tm_running(w) || w->state != GPUTM_LOCAL_TM_STATE_RUNNING ||
	    at >= t->words)
		return false;
	other = t->key_owner[at & t->key_mask];
	if (other && other != item)
		return false;
	if (serve(t, item, at, write, &value[lane])) {
		cycles = 3;
		t->fresh++;
		gputm__maximum(&t->owned_max, ++t->owned);
	} else {
		t->repeated++;
	}
	t->accesses++;
	t->access_cycles += cycles;
	*out = (struct gputm_local_tm_answer){ 0, cycles, 1 };
	gputm__emit(&t->unit, GPUTM_LOCAL_TM_EVENT_ACCESS, wavefront, write, lanes, 0);
	return true;
}

int gputm_local_tm_access(struct gputm_local_tm *t, uint32_t wavefront, bool write, uint64_t lanes,
			  const uint32_t *word, uint32_t *value, struct gputm_local_tm_answer *out)
{
	bool one = lanes && !(lanes & (lanes - 1)) && wavefront < t->config.wavefronts;

	if (one && access_one(t, wavefront, write, lanes, word, value, out))
		return GPUTM_LOCAL_TM_OK;
	return access_lanes(t, wavefront, write, lanes, word, value, out);
}

/* ---- what an access would do ---- */

/* True if a lane conflicts, given the lower lanes and the lanes `lost` in earlier turns. */
static bool meets(const struct gputm_local_tm *t, uint32_t first, uint64_t before, uint64_t lost,
		  const uint32_t *word, unsigned lane)
{
	uint32_t key = word[lane] & t->key_mask, other = t->key_owner[key], met = other - first;
	bool gone = other >= first && met < t->config.lanes && lost & LANE(met);

	if (other && other != first + lane && !gone)
		return true;
	for (uint64_t m = before & ~lost; m; m &= m - 1)
		if ((word[gputm__lowest(m)] & t->key_mask) == key)
			return true;
	return false;
}

/* Entries of shadow memory for stage 3. */
static uint32_t left_over(const struct gputm_local_tm *t, uint32_t first, uint64_t lost,
			  const uint32_t *word)
{
	struct tally tally = { { 0 }, 0 };

	for (uint64_t m = lost; m; m &= m - 1) {
		unsigned lane = gputm__lowest(m);

		for (uint32_t at = t->head[first + lane]; at; at = t->next[at - 1])
			if (((at - 1) ^ word[lane]) & t->bank_mask)
				gputm__local_tm_count(t, &tally, at - 1);
	}
	return tally.most;
}

int gputm_local_tm_access_probe(const struct gputm_local_tm *t, uint32_t wavefront, uint64_t lanes,
				const uint32_t *word, struct gputm_local_tm_answer *out)
{
	int error = check_access(t, wavefront, lanes, word);
	uint32_t first = gputm__local_tm_item(t, wavefront, 0), broadcast = 0;
	struct load load = { .stamp = 1 };
	struct most most = { 0, 0 };
	bool inside = !error && t->wavefront[wavefront].state == GPUTM_LOCAL_TM_STATE_RUNNING;
	uint64_t lost = 0;
	struct turns turns;

	if (error)
		return error;
	for (line_up(t, lanes, word, &turns); turns.lanes; next_turn(&turns)) {
		uint64_t now = 0;

		for (uint64_t m = turns.lanes; m; m &= m - 1) {
			unsigned lane = gputm__lowest(m);
			uint32_t cycles = 0;

			if (inside && meets(t, first, lanes & (LANE(lane) - 1), lost, word, lane)) {
				now |= LANE(lane);
				cycles = 1 + fullest(t, first + lane);
			} else if (inside) {
				cycles = t->owner[word[lane]] == first + lane ? 2 : 3;
			}
			add_load(t, &load, &most, word[lane], cycles);
		}
		broadcast = add_broadcast(t, broadcast, left_over(t, first, now, word));
		lost |= now;
	}
	*out = (struct gputm_local_tm_answer){
		lost, most.cycles + broadcast, most.lanes >> 24,
	};
	return lost ? GPUTM_LOCAL_TM_CONFLICT : GPUTM_LOCAL_TM_OK;
}
