/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "tests/chapter5/model.h"

#define PATIENCE 4000	 /* cycles without an event until the run counts as stuck */
#define CYCLES 2000000	 /* of a run, at most */

/* ---- parts ---- */

/* Messages on their way from a core to a unit, or reports back; order is kept. */
struct channel {
	struct gputm_commit_unit_message *message;
	struct gputm_commit_unit_report *report;
	uint64_t *ready; /* cycle of arrival */
	size_t first, count, room;
};

struct flight {
	struct gputm_mem_request request;
	uint64_t ready;
};

struct partition {
	struct model *model;
	unsigned number;
	struct gputm_commit_unit *unit;
	uint64_t behind; /* idle cycles not yet made up for */
	struct flight *flight; /* in order of emission */
	size_t flights, room;
	struct channel reports;
};

enum phase { THINK, EXECUTE, ACQUIRE, COMMIT };

struct warp {
	enum phase phase;
	unsigned core, lanes;
	uint64_t until;
	unsigned step; /* read to do next */
	uint64_t first_cid;
	struct attempt lane[LANES]; /* while executing */
	uint64_t retired[UNITS];    /* lanes, by unit */
	uint64_t written[UNITS];    /* lanes whose writes are complete, by unit */
};

struct model {
	struct setting s;
	struct record *record;
	struct gputm_ctx *ctx;
	uint64_t random, now, last_event;
	uint32_t memory[WORDS];
	struct partition partition[UNITS];
	struct channel logs[UNITS][UNITS + 2]; /* [core][unit] */
	struct channel resent[UNITS];
	struct warp warp[32];
	struct warp *owner[ATTEMPTS]; /* warp of a CID in flight */
	unsigned in_flight;
	uint64_t oldest; /* CID not retired everywhere */
};

static uint64_t below(uint64_t *state, uint64_t limit)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (z ^ (z >> 31)) % limit;
}

static void *grown(void *array, size_t room, size_t size)
{
	array = realloc(array, room * size);
	if (!array)
		abort();
	return array;
}

static uint64_t address_of(unsigned word)
{
	return 0x1000 + 4 * (uint64_t)word;
}

static unsigned word_at(uint64_t address)
{
	return (unsigned)((address - 0x1000) / 4);
}

static void broken(struct model *m, const char *why)
{
	if (!m->record->broken[0])
		strncpy(m->record->broken, why, sizeof(m->record->broken) - 1);
}

static void hear(void *state, enum gputm_log_level level, const char *message)
{
	(void)level;
	broken(state, message);
}

/* ---- settings ---- */

static void small_unit(struct setting *s, uint64_t *random)
{
	struct gputm_commit_unit_config *u = &s->unit;

	u->warp_mode = below(random, 2);
	u->lanes = s->lanes;
	u->ring = s->lanes * (1 + (uint32_t)below(random, 12));
	u->cid_bits = 4;
	while (UINT64_C(1) << (u->cid_bits - 2) < u->ring)
		u->cid_bits++;
	u->cid_bits += (uint32_t)below(random, 2);
	u->buffer_words = 1 + (uint32_t)below(random, 4);
	u->buffers = below(random, 2) ? (uint32_t)below(random, 8) : 256;
	u->buffer_policy = 1 + (uint32_t)below(random, 4);
	u->port_words = GPUTM_COMMIT_UNIT_WORDS_MAX;
	u->input_depth = 1 + (uint32_t)below(random, 4);
	u->resent_depth = 1 + (uint32_t)below(random, 2);
	u->output_depth = 1 + (uint32_t)below(random, 4);
	u->region_bytes = 4u << below(random, 6);
	u->hazard_rate = 1 + (uint32_t)below(random, 2);
	u->history_sets = 1u << (2 * below(random, 3));
	u->history_ways = 1 + (uint32_t)below(random, 4);
	u->filter_buckets = 1u << (2 * below(random, 3));
	u->first_cid = 0;
	u->filter_ways = 1 + (uint32_t)below(random, 4);
	u->seed = below(random, 100);
	u->serial_input = below(random, 2);
	u->ordered_outcomes = (uint8_t)below(random, 3);
	u->entry_done = (uint8_t)below(random, 3);
	u->empty_pool = (uint32_t)below(random, 2);
}

struct setting setting_of(uint64_t seed)
{
	static const unsigned lanes[] = { 1, 1, 2, 3, 4, 8 };
	static const uint32_t masks[] = { 1, 3, UINT32_MAX, UINT32_MAX };
	struct gputm_commit_unit_config defaults = GPUTM_COMMIT_UNIT_CONFIG_INIT;
	uint64_t random = seed * 977 + 1;
	struct setting s = { .seed = seed, .unit = defaults };

	s.units = 1 + (unsigned)(seed % UNITS);
	s.lanes = lanes[below(&random, 6)];
	s.cores = 1 + (unsigned)below(&random, UNITS);
	s.warps = 2 + (unsigned)below(&random, 14);
	s.region_words = 8;
	s.words = below(&random, 3) ? 6 + (unsigned)below(&random, 12) : WORDS;
	if (s.lanes > 2 && s.words < WORDS)
		s.words = 24;
	if (s.words < WORDS)
		s.region_words = 1 + (unsigned)below(&random, 4);
	s.reads = 1 + (unsigned)below(&random, ACCESSES);
	s.writes = 1 + (unsigned)below(&random, ACCESSES);
	s.attempts = 60 + (unsigned)below(&random, 60);
	s.message_delay = 1 + (unsigned)below(&random, below(&random, 3) ? 60 : 3);
	s.memory_delay = 1 + (unsigned)below(&random, below(&random, 3) ? 80 : 3);
	s.think = 1 + (unsigned)below(&random, 40);
	s.stall = (unsigned)below(&random, 3);
	s.value_mask = masks[below(&random, 4)];
	small_unit(&s, &random);
	return s;
}

/* ---- channels ---- */

static size_t channel_put(struct channel *c, uint64_t ready)
{
	if (c->first + c->count == c->room) {
		c->room = c->room ? 2 * c->room : 32;
		c->message = grown(c->message, c->room, sizeof(*c->message));
		c->report = grown(c->report, c->room, sizeof(*c->report));
		c->ready = grown(c->ready, c->room, sizeof(*c->ready));
	}
	c->ready[c->first + c->count] = ready;
	return c->first + c->count++;
}

static bool channel_due(const struct channel *c, uint64_t now)
{
	return c->count && c->ready[c->first] <= now;
}

static void channel_drop(struct channel *c)
{
	c->first = --c->count ? c->first + 1 : 0;
}

static void channel_free(struct channel *c)
{
	free(c->message);
	free(c->report);
	free(c->ready);
}

static uint64_t arrival(struct model *m)
{
	return m->now + 1 + below(&m->random, m->s.message_delay);
}

static void put_message(struct model *m, struct channel *c,
			const struct gputm_commit_unit_message *message)
{
	size_t at = channel_put(c, arrival(m));

	c->message[at] = *message;
}

static struct channel *to_unit(struct model *m, const struct warp *w, unsigned unit)
{
	return &m->logs[w->core][unit];
}

/* ---- the record ---- */

static void note_op(struct model *m, const struct partition *p, const struct gputm_event *event,
		    enum op_kind kind)
{
	struct record *r = m->record;
	unsigned word = word_at(event->value[1]);

	if (r->ops == r->room) {
		r->room = r->room ? 2 * r->room : 1024;
		r->op = grown(r->op, r->room, sizeof(*r->op));
	}
	r->op[r->ops] = (struct op){ r->seq, kind, p->number, event->value[0], word,
				     (uint32_t)event->value[2], (uint32_t)event->value[3], NO_OP };
	if (r->last[word] != NO_OP)
		r->op[r->last[word]].next = r->ops;
	r->last[word] = r->ops++;
}

static void note_entry(struct model *m, const struct partition *p, const struct gputm_event *event)
{
	struct entry_record *at = &m->record->attempt[event->value[0]].at[p->number];
	uint64_t seq = m->record->seq;

	switch (event->kind) {
	case GPUTM_COMMIT_UNIT_EVENT_HAZARD:
		m->record->hazards++;
		break;
	case GPUTM_COMMIT_UNIT_EVENT_OUTCOME:
		at->outcomes++;
		at->outcome = seq;
		at->passed = event->value[1];
		break;
	case GPUTM_COMMIT_UNIT_EVENT_VERDICT:
		at->verdict = seq;
		at->verdict_passed = event->value[1];
		break;
	case GPUTM_COMMIT_UNIT_EVENT_RETIRE:
		at->retired = seq;
		break;
	case GPUTM_COMMIT_UNIT_EVENT_RESEND:
		m->record->resends++;
		break;
	default:
		break;
	}
}

static void observe(void *state, const struct gputm_unit *unit, const struct gputm_event *event)
{
	struct partition *p = state;
	struct model *m = p->model;

	(void)unit;
	if (event->value[0] >= m->record->attempts) {
		broken(m, "an event names a commit ID that was never given");
		return;
	}
	m->record->seq++;
	m->last_event = m->now;
	switch (event->kind) {
	case GPUTM_COMMIT_UNIT_EVENT_REVALIDATE:
		m->record->attempt[event->value[0]].at[p->number].revalidated = true;
		note_op(m, p, event, OP_REVALIDATED);
		break;
	case GPUTM_COMMIT_UNIT_EVENT_VALIDATE:
		note_op(m, p, event, OP_SPECULATIVE);
		break;
	case GPUTM_COMMIT_UNIT_EVENT_ISSUE:
		note_op(m, p, event, OP_ISSUED);
		break;
	case GPUTM_COMMIT_UNIT_EVENT_WRITE:
		note_op(m, p, event, OP_WRITTEN);
		break;
	default:
		note_entry(m, p, event);
	}
}

/* ---- a unit's clock ---- */

static void catch_up(struct partition *p)
{
	if (p->behind)
		gputm_commit_unit_advance(p->unit, p->behind);
	p->behind = 0;
}

static void tick(struct model *m, struct partition *p)
{
	if (m->s.lazy && gputm_commit_unit_next_event(p->unit)) {
		p->behind++;
		return;
	}
	catch_up(p);
	gputm_commit_unit_tick(p->unit);
}

/* ---- memory ---- */

static bool shares_word(const struct gputm_mem_request *a, const struct gputm_mem_request *b)
{
	for (unsigned i = 0; i < GPUTM_MEM_WORDS_MAX; i++) {
		uint64_t offset = a->address + 4 * i - b->address;

		if (a->word_mask >> i & 1 && offset / 4 < GPUTM_MEM_WORDS_MAX &&
		    b->word_mask >> (offset / 4) & 1)
			return true;
	}
	return false;
}

static bool may_complete(const struct model *m, const struct partition *p, size_t at)
{
	if (p->flight[at].ready > m->now)
		return false;
	for (size_t i = 0; i < at; i++)
		if (shares_word(&p->flight[i].request, &p->flight[at].request))
			return false;
	return true;
}

static void complete(struct model *m, struct partition *p, size_t at)
{
	struct gputm_mem_request request = p->flight[at].request;
	uint32_t values[GPUTM_MEM_WORDS_MAX] = { 0 };

	memmove(&p->flight[at], &p->flight[at + 1], (--p->flights - at) * sizeof(*p->flight));
	for (unsigned i = 0; i < GPUTM_MEM_WORDS_MAX; i++) {
		uint32_t *word = &m->memory[word_at(request.address + 4 * i) % WORDS];

		if (!(request.word_mask >> i & 1))
			continue;
		if (request.write)
			*word = request.value[i];
		else
			values[i] = *word;
	}
	catch_up(p);
	if (gputm_commit_unit_mem_complete(p->unit, request.tag, values))
		broken(m, "a completion was refused");
}

static void complete_some(struct model *m, struct partition *p)
{
	for (size_t i = p->flights; i--;)
		if (i < p->flights && may_complete(m, p, i))
			complete(m, p, i);
}

static void take_request(struct model *m, struct partition *p, enum gputm_commit_unit_port port)
{
	struct gputm_mem_request request;

	memset(&request, 0, sizeof(request));
	if (!gputm_commit_unit_mem_peek(p->unit, port, &request))
		return;
	if (p->flights == p->room) {
		p->room = p->room ? 2 * p->room : 64;
		p->flight = grown(p->flight, p->room, sizeof(*p->flight));
	}
	p->flight[p->flights++] =
		(struct flight){ request, m->now + 1 + below(&m->random, m->s.memory_delay) };
	catch_up(p);
	gputm_commit_unit_mem_pop(p->unit, port);
}

/* ---- a warp's transactions ---- */

static bool used_by_another(const struct warp *w, unsigned lane, unsigned word, bool to_write)
{
	for (unsigned l = 0; l < w->lanes; l++) {
		if (l == lane)
			continue;
		for (unsigned i = 0; i < w->lane[l].writes; i++)
			if (w->lane[l].write[i].word == word)
				return true;
		for (unsigned i = 0; to_write && i < w->lane[l].reads; i++)
			if (w->lane[l].read[i].word == word)
				return true;
	}
	return false;
}

/* A warp in warp mode has no conflicts inside: such words are left out. */
static unsigned draw_words(struct model *m, const struct warp *w, unsigned lane, bool to_write,
			   struct access *out)
{
	unsigned wanted = (unsigned)below(&m->random, 1 + (to_write ? m->s.writes : m->s.reads));
	unsigned count = 0;

	while (wanted--) {
		unsigned word = (unsigned)below(&m->random, m->s.words);

		if (!m->s.unit.warp_mode || !used_by_another(w, lane, word, to_write))
			out[count++] = (struct access){ word, 0 };
	}
	return count;
}

static void begin_warp(struct model *m, struct warp *w)
{
	unsigned left = m->s.attempts - m->record->attempts - m->in_flight;

	memset(w->lane, 0, sizeof(w->lane));
	w->lanes = 1 + (unsigned)below(&m->random, m->s.lanes);
	if (w->lanes > left)
		w->lanes = left;
	if (!w->lanes)
		return;
	m->in_flight += w->lanes;
	for (unsigned lane = 0; lane < w->lanes; lane++) {
		struct attempt *t = &w->lane[lane];

		t->reads = draw_words(m, w, lane, false, t->read);
		t->writes = draw_words(m, w, lane, true, t->write);
	}
	w->step = 0;
	w->phase = EXECUTE;
}

/* One read of every lane; after the last, the values to write follow from them. */
static void execute(struct model *m, struct warp *w)
{
	for (unsigned lane = 0; lane < w->lanes; lane++) {
		struct attempt *t = &w->lane[lane];

		if (w->step < t->reads)
			t->read[w->step].value = m->memory[t->read[w->step].word];
	}
	w->until = m->now + below(&m->random, 4);
	if (++w->step < ACCESSES)
		return;
	for (unsigned lane = 0; lane < w->lanes; lane++) {
		struct attempt *t = &w->lane[lane];
		uint64_t sum = m->s.value_mask == UINT32_MAX ? m->random : w->core;

		for (unsigned i = 0; i < t->reads; i++)
			sum += t->read[i].value;
		for (unsigned i = 0; i < t->writes; i++)
			t->write[i].value = (uint32_t)(sum * 31 + i) & m->s.value_mask;
	}
	w->phase = ACQUIRE;
}

/* ---- log transfer ---- */

static struct gputm_commit_unit_message message_of(const struct warp *w, unsigned kind)
{
	struct gputm_commit_unit_message message = { .kind = kind };

	message.first_cid = w->first_cid;
	message.lanes = w->lanes;
	return message;
}

static void add_word(struct gputm_commit_unit_message *message, unsigned lane,
		     const struct access *access)
{
	message->word[message->words++] =
		(struct gputm_commit_unit_word){ address_of(access->word), access->value, lane };
	message->mask |= UINT64_C(1) << lane;
}

static void flush(struct model *m, struct channel *c, struct gputm_commit_unit_message *message)
{
	if (message->words)
		put_message(m, c, message);
	message->words = 0;
	message->mask = 0;
}

/* A row of the logs goes to a unit in one message, or lane by lane. */
static void send_row(struct model *m, struct warp *w, unsigned unit, unsigned kind, unsigned row)
{
	struct gputm_commit_unit_message message = message_of(w, kind);
	bool alone = below(&m->random, 2);

	for (unsigned lane = 0; lane < w->lanes; lane++) {
		const struct attempt *t = &m->record->attempt[w->first_cid + lane];
		bool reads = kind == GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG;
		const struct access *log = reads ? t->read : t->write;

		if (row >= (reads ? t->reads : t->writes) || unit_of(&m->s, log[row].word) != unit)
			continue;
		add_word(&message, lane, &log[row]);
		if (alone)
			flush(m, to_unit(m, w, unit), &message);
	}
	flush(m, to_unit(m, w, unit), &message);
}

static void send_done(struct model *m, struct warp *w, unsigned unit)
{
	struct gputm_commit_unit_message message = message_of(w, GPUTM_COMMIT_UNIT_MESSAGE_DONE);
	bool alone = below(&m->random, 2);

	for (unsigned lane = 0; lane < w->lanes; lane++) {
		uint64_t bit = UINT64_C(1) << lane;

		message.mask |= bit;
		if (m->record->attempt[w->first_cid + lane].at[unit].touched)
			message.yes |= bit;
		if (!alone && lane + 1 < w->lanes)
			continue;
		put_message(m, to_unit(m, w, unit), &message);
		message.mask = message.yes = 0;
	}
}

static void mark_touched(struct model *m, struct attempt *t)
{
	for (unsigned i = 0; i < t->reads; i++)
		t->at[unit_of(&m->s, t->read[i].word)].touched = true;
	for (unsigned i = 0; i < t->writes; i++)
		t->at[unit_of(&m->s, t->write[i].word)].touched = true;
}

/* Commit IDs need a credit each, and lie within a ring of the oldest in flight. */
static void acquire(struct model *m, struct warp *w)
{
	struct record *r = m->record;

	if (r->attempts + w->lanes - m->oldest > m->s.unit.ring)
		return;
	w->first_cid = r->attempts;
	memset(w->retired, 0, sizeof(w->retired));
	memset(w->written, 0, sizeof(w->written));
	m->in_flight -= w->lanes;
	for (unsigned lane = 0; lane < w->lanes; lane++) {
		m->owner[r->attempts] = w;
		mark_touched(m, &w->lane[lane]);
		r->attempt[r->attempts++] = w->lane[lane];
	}
	for (unsigned unit = 0; unit < m->s.units; unit++) {
		for (unsigned row = 0; row < ACCESSES; row++)
			send_row(m, w, unit, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, row);
		for (unsigned row = 0; row < ACCESSES; row++)
			send_row(m, w, unit, GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG, row);
		send_done(m, w, unit);
	}
	w->phase = COMMIT;
}

/* ---- outcomes and verdicts ---- */

static bool complete_outcomes(const struct model *m, const struct attempt *t)
{
	unsigned touched = 0;

	for (unsigned unit = 0; unit < m->s.units; unit++)
		touched += t->at[unit].touched;
	return t->outcomes == touched;
}

/* Tell the units concerned of these lanes' verdicts, each in one message. */
static void send_verdicts(struct model *m, struct warp *w, uint64_t lanes)
{
	struct record *r = m->record;

	r->seq++;
	for (unsigned unit = 0; unit < m->s.units; unit++) {
		struct gputm_commit_unit_message message =
			message_of(w, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT);

		for (unsigned lane = 0; lane < w->lanes; lane++) {
			struct attempt *t = &r->attempt[w->first_cid + lane];

			if (!(lanes >> lane & 1) || !t->at[unit].touched)
				continue;
			t->verdict_sent = r->seq;
			t->committed = !t->failed;
			message.mask |= UINT64_C(1) << lane;
			message.yes |= (uint64_t)!t->failed << lane;
		}
		if (message.mask)
			put_message(m, to_unit(m, w, unit), &message);
	}
	for (uint64_t cid = w->first_cid; cid < w->first_cid + w->lanes; cid++)
		r->committed += lanes >> (cid - w->first_cid) & 1 && r->attempt[cid].committed;
}

static void take_outcome(struct model *m, struct warp *w,
			 const struct gputm_commit_unit_report *report)
{
	uint64_t complete_lanes = 0;
	bool all = true;

	for (unsigned lane = 0; lane < w->lanes; lane++) {
		struct attempt *t = &m->record->attempt[w->first_cid + lane];

		if (report->mask >> lane & 1) {
			t->outcomes++;
			t->failed |= !(report->yes >> lane & 1);
		}
		if (!complete_outcomes(m, t))
			all = false;
		else if (!t->verdict_sent)
			complete_lanes |= UINT64_C(1) << lane;
	}
	if (m->s.unit.warp_mode ? all : complete_lanes)
		send_verdicts(m, w, complete_lanes);
}

static void take_retired(struct model *m, struct warp *w, unsigned unit,
			 const struct gputm_commit_unit_report *report)
{
	uint64_t all = (UINT64_C(1) << w->lanes) - 1, everywhere = all;

	if (report->mask != all && (m->s.unit.entry_done != GPUTM_COMMIT_UNIT_ENTRY_DONE_TRUE ||
				    m->s.unit.warp_mode))
		broken(m, "a retire report does not name the whole warp");
	if (report->mask & w->retired[unit])
		broken(m, "a lane retires twice");
	w->retired[unit] |= report->mask;
	for (unsigned k = 0; k < m->s.units; k++)
		everywhere &= w->retired[k];
	if (everywhere != all)
		return;
	for (unsigned lane = 0; lane < w->lanes; lane++)
		m->owner[w->first_cid + lane] = NULL;
	while (m->oldest < m->record->attempts && !m->owner[m->oldest])
		m->oldest++;
	w->phase = THINK;
	w->until = m->now + below(&m->random, m->s.think);
}

/* Each lane has its passing verdict, and is heard of once, before it retires. */
static void take_written(struct model *m, struct warp *w, unsigned unit,
			 const struct gputm_commit_unit_report *report)
{
	if (m->s.unit.entry_done != GPUTM_COMMIT_UNIT_ENTRY_DONE_WRITTEN)
		broken(m, "a report that writes are complete, although nobody asks for one");
	if (report->mask & (w->retired[unit] | w->written[unit]))
		broken(m, "writes of a lane are complete twice, or after it has retired");
	w->written[unit] |= report->mask;
	for (unsigned lane = 0; lane < w->lanes; lane++)
		if (report->mask >> lane & 1 && !m->record->attempt[w->first_cid + lane].committed)
			broken(m, "writes are complete of a lane that has not passed");
}

static void resend(struct model *m, struct warp *w, unsigned unit,
		   const struct gputm_commit_unit_report *report)
{
	unsigned lane = (unsigned)__builtin_ctzll(report->mask);
	const struct attempt *t = &m->record->attempt[w->first_cid + lane];
	bool reads = report->purpose == GPUTM_COMMIT_UNIT_PURPOSE_HAZARD ||
		     report->purpose == GPUTM_COMMIT_UNIT_PURPOSE_REVALIDATE;
	struct gputm_commit_unit_message message = message_of(w, GPUTM_COMMIT_UNIT_MESSAGE_RESENT);

	message.purpose = report->purpose;
	for (unsigned i = 0; i < (reads ? t->reads : t->writes); i++) {
		const struct access *access = reads ? &t->read[i] : &t->write[i];

		if (unit_of(&m->s, access->word) == unit)
			add_word(&message, lane, access);
		if (below(&m->random, 2))
			flush(m, &m->resent[unit], &message);
	}
	flush(m, &m->resent[unit], &message);
	message.kind = GPUTM_COMMIT_UNIT_MESSAGE_RESENT_DONE;
	message.mask = UINT64_C(1) << lane;
	put_message(m, &m->resent[unit], &message);
}

static void take_report(struct model *m, unsigned unit,
			const struct gputm_commit_unit_report *report)
{
	struct warp *w = report->first_cid < m->record->attempts ? m->owner[report->first_cid]
								  : NULL;

	if (!w || report->first_cid != w->first_cid || report->lanes != w->lanes || !report->mask) {
		broken(m, "a report names no warp in flight");
		return;
	}
	switch (report->kind) {
	case GPUTM_COMMIT_UNIT_REPORT_OUTCOME:
		take_outcome(m, w, report);
		break;
	case GPUTM_COMMIT_UNIT_REPORT_RETIRED:
		take_retired(m, w, unit, report);
		break;
	case GPUTM_COMMIT_UNIT_REPORT_WRITTEN:
		take_written(m, w, unit, report);
		break;
	default:
		resend(m, w, unit, report);
	}
}

/* ---- a cycle ---- */

static void deliver(struct model *m, struct partition *p, struct channel *c)
{
	if (!channel_due(c, m->now))
		return;
	catch_up(p);
	switch (gputm_commit_unit_push(p->unit, &c->message[c->first])) {
	case GPUTM_COMMIT_UNIT_ACCEPTED:
		m->last_event = m->now;
		channel_drop(c);
		break;
	case GPUTM_COMMIT_UNIT_FULL:
		break;
	default:
		channel_drop(c); /* the log has said why */
	}
}

static void cycle_unit(struct model *m, struct partition *p)
{
	unsigned first = (unsigned)below(&m->random, m->s.cores);
	struct gputm_commit_unit_report report;

	complete_some(m, p);
	for (unsigned port = 0; port < 2; port++)
		if (!m->s.stall || below(&m->random, 1 + m->s.stall))
			take_request(m, p, port);
	for (unsigned core = 0; core < m->s.cores; core++)
		deliver(m, p, &m->logs[(first + core) % m->s.cores][p->number]);
	deliver(m, p, &m->resent[p->number]);
	if (gputm_commit_unit_peek(p->unit, &report)) {
		size_t at = channel_put(&p->reports, arrival(m));

		catch_up(p);
		gputm_commit_unit_pop(p->unit);
		p->reports.report[at] = report;
	}
	tick(m, p);
	if (channel_due(&p->reports, m->now)) {
		take_report(m, p->number, &p->reports.report[p->reports.first]);
		channel_drop(&p->reports);
	}
	if (m->now % 61 == 0 && gputm_unit_check(gputm_commit_unit_unit(p->unit)))
		broken(m, gputm_unit_check(gputm_commit_unit_unit(p->unit)));
}

static void cycle_warp(struct model *m, struct warp *w)
{
	if (w->until > m->now)
		return;
	if (w->phase == THINK)
		begin_warp(m, w);
	else if (w->phase == EXECUTE)
		execute(m, w);
	else if (w->phase == ACQUIRE)
		acquire(m, w);
}

static bool over(const struct model *m)
{
	return m->record->attempts == m->s.attempts && m->oldest == m->s.attempts;
}

static void open_unit(struct model *m, struct partition *p)
{
	if (gputm_commit_unit_new(m->ctx, &m->s.unit, &p->unit))
		abort();
	gputm_unit_observe(gputm_commit_unit_unit(p->unit), observe, p);
}

/* Save the unit, and go on with a new one that has loaded the snapshot. */
static void swap_unit(struct model *m, struct partition *p)
{
	struct gputm_commit_unit *old = p->unit;
	uint8_t *snapshot;
	size_t size;

	catch_up(p);
	size = gputm_unit_save(gputm_commit_unit_unit(old), NULL, 0);
	snapshot = grown(NULL, size, 1);
	gputm_unit_save(gputm_commit_unit_unit(old), snapshot, size);
	open_unit(m, p);
	if (gputm_unit_load(gputm_commit_unit_unit(p->unit), snapshot, size))
		broken(m, "a snapshot was refused");
	gputm_commit_unit_free(old);
	free(snapshot);
}

static void open_model(struct model *m, const struct setting *s)
{
	if (gputm_ctx_new(NULL, &m->ctx))
		abort();
	gputm_ctx_set_log(m->ctx, hear, m, GPUTM_LOG_INFO);
	m->s = *s;
	m->random = s->seed;
	m->record->setting = *s;
	for (unsigned word = 0; word < WORDS; word++) {
		m->record->last[word] = NO_OP;
		m->memory[word] = m->record->initial[word] = word & s->value_mask;
	}
	for (unsigned i = 0; i < s->warps; i++)
		m->warp[i].core = i % s->cores;
	for (unsigned k = 0; k < s->units; k++) {
		struct partition *p = &m->partition[k];

		p->model = m;
		p->number = k;
		open_unit(m, p);
	}
}

static void close_model(struct model *m)
{
	memcpy(m->record->final, m->memory, sizeof(m->memory));
	for (unsigned k = 0; k < m->s.units; k++) {
		struct partition *p = &m->partition[k];

		gputm_commit_unit_free(p->unit);
		free(p->flight);
		channel_free(&p->reports);
		channel_free(&m->resent[k]);
		for (unsigned core = 0; core < m->s.cores; core++)
			channel_free(&m->logs[core][k]);
	}
	gputm_ctx_unref(m->ctx);
}

struct record *run_model(const struct setting *setting)
{
	struct model *m = calloc(1, sizeof(*m));
	struct record *record = calloc(1, sizeof(*record));

	if (!m || !record)
		abort();
	m->record = record;
	open_model(m, setting);
	while (!over(m) && m->now < CYCLES && m->now - m->last_event < PATIENCE) {
		m->now++;
		for (unsigned k = 0; k < m->s.units; k++)
			cycle_unit(m, &m->partition[k]);
		for (unsigned k = 0; k < m->s.units && m->s.swap_every; k++)
			if ((m->now + k) % m->s.swap_every == 0)
				swap_unit(m, &m->partition[k]);
		for (unsigned i = 0; i < m->s.warps; i++)
			cycle_warp(m, &m->warp[i]);
	}
	record->finished = over(m);
	record->cycles = m->now;
	close_model(m);
	free(m);
	return record;
}

void record_free(struct record *record)
{
	free(record->op);
	free(record);
}
