/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clock of the commit unit: what happens in a cycle, in this order. Done here, in a
 * straight line, is what happens to single words: a port offers a request, hazard detection
 * looks up or records a word, a word of a log message goes to its entry's buffer. The steps
 * of whole entries are in commit_unit-stages.c; they are asked only if their bit in `may`
 * says that there may be something to do.
 */
#include "lib/kilotm/commit_unit-can.h"
#include "lib/kilotm/commit_unit-moves.h"
#include "lib/kilotm/last_writer.h"

/* ---- hazard detection ---- */

/* A false answer of the filter may name the entry's own warp: then the writer is older. */
static bool clamp(const struct gputm_commit_unit *self, uint32_t index, uint64_t *writer)
{
	uint64_t first = gputm__commit_first(self, index);

	if (!self->config.warp_mode || *writer < first)
		return true;
	*writer = first - 1;
	return first != 0;
}

/* Words of the entry have writers that are not below its RCID; this is the youngest. */
static void note_hazards(struct gputm_commit_unit *self, uint32_t index, uint64_t address,
			 uint64_t writer, size_t words)
{
	struct gputm__commit_entry *entry = &self->entry[index];

	if (!clamp(self, index, &writer) || writer < entry->rcid)
		return;
	if (gputm__mutant(GPUTM__MUTANT_EQUAL_RCID) && writer == entry->rcid)
		return;
	self->hazard_words += words;
	entry->flags |= GPUTM__HAZARDOUS;
	gputm__maximum(&entry->ycid, writer);
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_HAZARD, gputm__commit_cid(self, index), address,
		    writer, 0);
}

/* The smallest RCID in use before hazard detection; writers below it can be forgotten. */
static uint64_t floor_of(const struct gputm_commit_unit *self)
{
	uint64_t floor = self->oldest;

	for (uint64_t cid = self->hazard; cid < self->head; cid++) {
		uint32_t index = gputm__commit_index(self, cid);

		if ((self->slot[index].mark & GPUTM__BODY) && self->entry[index].rcid < floor)
			floor = self->entry[index].rcid;
	}
	return floor;
}

/* CIDs in the history are relative to the first one. */
static uint64_t told(const struct gputm_commit_unit *self, uint64_t cid)
{
	return cid - self->config.first_cid;
}

void gputm__commit_set_expiry(struct gputm_commit_unit *self)
{
	self->expire_at = gputm_last_writer_base(self->history) + self->config.first_cid +
			  (UINT64_C(1) << (self->config.cid_bits - 1));
}

/* A long run of skips may leave the history several ranges behind. */
GPUTM__COLD static void expire(struct gputm_commit_unit *self)
{
	uint64_t floor = told(self, floor_of(self)), step;
	int error;

	do {
		step = gputm_last_writer_limit(self->history) + 1;
		error = gputm_last_writer_expire(self->history, floor < step ? floor : step, NULL);
		gputm__assert(!error);
		(void)error;
	} while (floor > step);
	gputm__commit_set_expiry(self);
}

/* Look words up, and record words, of the entry at the pointer. */
static void detect(struct gputm_commit_unit *self, const struct gputm_commit_word *read,
		   size_t reads, const struct gputm_commit_word *write, size_t writes)
{
	uint32_t index = gputm__commit_index(self, self->hazard);
	uint64_t rcid = self->entry[index].rcid, writer;
	struct gputm__writers_run run = {
		.read = read,
		.reads = gputm__mutant(GPUTM__MUTANT_NO_HAZARD) ? 0 : reads,
		.write = write,
		.writes = writes,
		.floor = rcid < self->config.first_cid ? 0 : told(self, rcid),
		.cid = told(self, self->hazard),
	};
	size_t found;

	if (GPUTM__UNLIKELY(writes && self->hazard >= self->expire_at))
		expire(self);
	found = gputm__writers_pass(self->history, &run, &writer);
	if (GPUTM__UNLIKELY(found))
		note_hazards(self, index, read->address, writer + self->config.first_cid, found);
}

void gputm__commit_detect(struct gputm_commit_unit *self, const struct gputm_commit_word *word)
{
	uint32_t index = gputm__commit_index(self, self->hazard);
	bool read = self->hazard_word++ < self->entry[index].words[0];

	self->hazard_done = self->hazard_word;
	detect(self, word, read, word, !read);
}

/* Whether words are done in the very cycle: they are watched, or may move the history's base. */
static inline bool is_prompt(const struct gputm_commit_unit *self)
{
	return self->unit.observe || self->hazard >= self->expire_at ||
	       gputm__mutant(GPUTM__MUTANT_EQUAL_RCID);
}

/*
 * Look up and record the words that hazard detection has passed: unless they are to be done
 * promptly, it passes the words of an entry cycle by cycle and does them when it leaves them.
 */
static void catch_up(struct gputm_commit_unit *self)
{
	const struct gputm__commit_entry *entry =
		&self->entry[gputm__commit_index(self, self->hazard)];
	uint64_t done = self->hazard_done, word = self->hazard_word, reads = entry->words[0];
	uint64_t from = done < reads ? done : reads, to = word < reads ? word : reads;
	const struct gputm_commit_word *read = &self->kept[entry->buffer[0] + from];
	const struct gputm_commit_word *write = &self->kept[entry->buffer[1] + (done - from)];
	bool each = is_prompt(self);

	self->hazard_done = word;
	for (; each && from < to; from++)
		detect(self, read++, 1, write, 0);
	detect(self, read, (size_t)(to - from), write,
	       (size_t)((word - to) - (done < reads ? 0 : done - reads)));
}

void gputm__commit_catch_up(struct gputm_unit *unit)
{
	struct gputm_commit_unit *self = (struct gputm_commit_unit *)(void *)unit;

	if (self->hazard_done != self->hazard_word)
		catch_up(self);
	self->hazard_left = 0;
}

static bool leave_hazard(struct gputm_commit_unit *self, uint32_t index)
{
	struct gputm__commit_entry *entry = &self->entry[index];

	gputm__sample(&self->hazard_cycles, gputm__commit_waited(self, index));
	gputm__commit_stage(self, index, GPUTM_COMMIT_VALIDATE);
	entry->pending--;
	self->hazard_word = self->hazard_done = 0;
	self->hazard++;
	if (entry->flags & GPUTM__HAZARDOUS) {
		self->hazards++;
		gputm__sample(&self->revalidation_distance, self->hazard - 1 - entry->ycid);
		gputm__commit_wait_for(self, index);
	}
	gputm__commit_settle(self, index);
	return true;
}

static bool ask_for_hazard(struct gputm_commit_unit *self, uint32_t index)
{
	if (!gputm__commit_report_room(self))
		return false;
	gputm__commit_ask(self, index,
			  self->hazard_word < self->entry[index].words[0]
				  ? GPUTM_COMMIT_FOR_HAZARD
				  : GPUTM_COMMIT_FOR_RECORD);
	return true;
}

static inline bool pass_words(struct gputm_commit_unit *self)
{
	uint32_t rate = self->config.hazard_rate;
	uint32_t words = self->hazard_left < rate ? self->hazard_left : rate;

	self->hazard_left -= words;
	self->hazard_word += words;
	return true;
}

/* The words up to the end of the entry, or to a log that is not in its buffer. */
static uint32_t words_at_hand(const struct gputm_commit_unit *self,
			      const struct gputm__commit_entry *entry)
{
	uint64_t end = entry->words[0];

	if (!gputm__commit_unbounded(entry, 1))
		end += entry->words[1];
	return (uint32_t)(end - self->hazard_word);
}

/* At the start or end of words at hand. */
GPUTM__APART static bool hazard_any(struct gputm_commit_unit *self, uint32_t index)
{
	const struct gputm__commit_entry *entry = &self->entry[index];

	if (self->hazard_done != self->hazard_word)
		catch_up(self);
	if (entry->asked)
		return false;
	if (gputm__commit_hazard_asks(self, entry))
		return ask_for_hazard(self, index);
	if (self->hazard_word >= (uint64_t)entry->words[0] + entry->words[1])
		return leave_hazard(self, index);
	self->hazard_left = words_at_hand(self, entry);
	pass_words(self);
	if (GPUTM__UNLIKELY(is_prompt(self)))
		gputm__commit_catch_up(&self->unit);
	return true;
}

static inline bool step_hazard(struct gputm_commit_unit *self)
{
	uint32_t index;

	if (self->hazard_left)
		return pass_words(self);
	index = gputm__commit_index(self, self->hazard);
	if (self->slot[index].stage < GPUTM_COMMIT_HAZARD)
		return false;
	if (self->slot[index].stage == GPUTM_COMMIT_HAZARD)
		return hazard_any(self, index);
	self->hazard++;
	self->may |= GPUTM__MAY_COMMIT;
	return true;
}

/* ---- input ---- */

static GPUTM__INLINE bool step_input(struct gputm_commit_unit *self)
{
	const struct gputm_commit_word *word = self->cursor.at;
	uint32_t log = self->cursor.log, index;
	struct gputm__commit_entry *entry;
	struct gputm__commit_port *port = &self->port[0];

	if (word == self->cursor.end)
		return self->input.count && gputm__commit_input(self);
	index = (self->cursor.first + word->lane) & self->mask;
	entry = &self->entry[index];
	if (entry->words[log] >= entry->limit[log])
		return gputm__commit_word(self);
	if (log == GPUTM_COMMIT_READ_LOG) {
		if (port->filled - port->oldest >= port->limit)
			return false;
		entry->pending++;
		gputm__commit_put(port, index, word);
	}
	gputm__commit_store(self, index, log, word);
	self->consumed[log]++;
	self->cursor.at = ++word;
	self->input.word++;
	if (word == self->cursor.end)
		gputm__commit_consumed(self);
	return true;
}

/* ---- a cycle ---- */

/* What a port offers stays until it is popped. */
static inline bool offer(struct gputm__commit_port *port)
{
	bool before = port->offered;

	port->offered = port->issued != port->filled;
	return port->offered != before;
}

/* One cycle but for the count of it. @return whether anything changed. */
static GPUTM__INLINE bool step(struct gputm_commit_unit *self)
{
	bool did = offer(&self->port[0]);

	did |= offer(&self->port[1]);
	did |= step_hazard(self);
	if (self->may)
		did |= gputm__commit_entries(self);
	return step_input(self) || did;
}

/* The same out of line, for advance. */
GPUTM__APART static bool step_apart(struct gputm_commit_unit *self)
{
	return step(self);
}

uint32_t gputm_commit_unit_tick(struct gputm_commit_unit *self)
{
	step(self);
	self->cycles++;
	return (uint32_t)self->port[0].offered | (uint32_t)self->port[1].offered << 1 |
	       (uint32_t)(self->output.count != 0) << 2;
}

uint64_t gputm_commit_unit_next_event(const struct gputm_commit_unit *self)
{
	bool some = gputm__commit_can_offer(&self->port[0]) ||
		    gputm__commit_can_offer(&self->port[1]) || gputm__commit_can_hazard(self) ||
		    gputm__commit_passes_hazard(self) ||
		    gputm__commit_can_revalidate(self) || gputm__commit_can_finalise(self) ||
		    gputm__commit_can_commit(self) || gputm__commit_can_retire(self) ||
		    gputm__commit_can_resent(self) || gputm__commit_can_input(self);

	return some ? 0 : UINT64_MAX;
}

/* Nothing but the in-order pointers can move, and they stand at one entry. */
static inline bool is_quiet(const struct gputm_commit_unit *self)
{
	return self->oldest == self->hazard && !self->unit.observe && !self->input.count &&
	       !self->resent.count &&
	       self->revalidate.head == GPUTM__NONE && self->finalise.head == GPUTM__NONE &&
	       !gputm__commit_can_offer(&self->port[0]) && !gputm__commit_can_offer(&self->port[1]);
}

/* Then skips pass all three in a cycle each. @return how many did. */
static uint64_t pass_skips(struct gputm_commit_unit *self, uint64_t most)
{
	uint64_t cid = self->oldest, end = cid + most, skips;

	for (; cid != end && gputm__commit_is_plain(self, cid); cid++)
		self->slot[gputm__commit_index(self, cid)] =
			(struct gputm__commit_slot){ GPUTM_COMMIT_UNUSED, 0, 0, 0 };
	skips = cid - self->oldest;
	self->oldest = self->commit = self->hazard = cid;
	self->active -= skips;
	self->skips_retired += skips;
	self->may |= skips ? GPUTM__MAY_COMMIT | GPUTM__MAY_RETIRE : 0;
	return skips;
}

void gputm_commit_unit_advance(struct gputm_commit_unit *self, uint64_t cycles)
{
	while (cycles) {
		uint64_t passed = is_quiet(self) ? pass_skips(self, cycles) : 0;

		if (!passed && !step_apart(self))
			break;
		passed += !passed;
		self->cycles += passed;
		cycles -= passed;
	}
	self->cycles += cycles;
}
