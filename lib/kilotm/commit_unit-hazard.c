/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hazard detection of the commit unit: in CID order, `hazard_rate` words a cycle. What a
 * word does to the history nobody can see before the entry is left, unless somebody looks
 * or observes. So the words at hand are passed at once, the cycle is noted in which they
 * have all had their turn, and the history sees them in one call.
 */
#include "lib/kilotm/commit_unit-can.h"
#include "lib/kilotm/commit_unit-moves.h"
#include "lib/kilotm/last_writer.h"

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
		    writer, gputm__commit_cycle(self));
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

static GPUTM__INLINE void look_up(struct gputm_commit_unit *self, uint32_t index,
				  const struct gputm_commit_word *word, size_t count)
{
	uint64_t rcid = self->entry[index].rcid, writer;
	uint64_t floor = rcid < self->config.first_cid ? 0 : told(self, rcid);
	size_t found;

	if (!count || gputm__mutant(GPUTM__MUTANT_NO_HAZARD))
		return;
	found = gputm__writers_look_up(self->history, word, count, floor, &writer);
	if (GPUTM__UNLIKELY(found))
		note_hazards(self, index, word->address, writer + self->config.first_cid, found);
}

static GPUTM__INLINE void record(struct gputm_commit_unit *self,
				 const struct gputm_commit_word *word, size_t count)
{
	if (!count)
		return;
	if (GPUTM__UNLIKELY(self->hazard >= self->expire_at))
		expire(self);
	gputm__writers_record(self->history, word, count, told(self, self->hazard));
}

/* Whether words are done in the very cycle: they are watched, or may move the history's base. */
static inline bool is_prompt(const struct gputm_commit_unit *self)
{
	return self->unit.observe || self->hazard >= self->expire_at ||
	       self->now >= GPUTM__LATE || gputm__mutant(GPUTM__MUTANT_EQUAL_RCID);
}

/* The history sees the words from hazard_done to hazard_word. */
static void show_words(struct gputm_commit_unit *self, uint32_t index)
{
	const struct gputm__commit_entry *entry = &self->entry[index];
	uint64_t done = self->hazard_done, word = self->hazard_word, reads = entry->words[0];
	uint64_t from = done < reads ? done : reads, to = word < reads ? word : reads;
	const struct gputm_commit_word *read = &self->kept[entry->buffer[0] + from];
	const struct gputm_commit_word *write = &self->kept[entry->buffer[1] + (done - from)];

	self->hazard_done = word;
	for (; is_prompt(self) && from < to; from++)
		look_up(self, index, read++, 1);
	look_up(self, index, read, (size_t)(to - from));
	record(self, write, (size_t)((word - to) - (done < reads ? 0 : done - reads)));
}

void gputm__commit_detect(struct gputm_commit_unit *self, const struct gputm_commit_word *word)
{
	uint32_t index = gputm__commit_index(self, self->hazard);
	bool read = self->hazard_word++ < self->entry[index].words[0];

	self->hazard_done = self->hazard_word;
	if (read)
		look_up(self, index, word, 1);
	else
		record(self, word, 1);
}

void gputm__commit_hazard_up_to_now(struct gputm_commit_unit *self)
{
	uint64_t rate = self->config.hazard_rate, cycles;

	if (self->hazard_due > self->now) {
		cycles = (self->hazard_word - self->hazard_done + rate - 1) / rate;
		self->hazard_word = self->hazard_done +
				    (cycles - (self->hazard_due - self->now)) * rate;
		self->hazard_due = 0;
	}
	if (self->hazard_done != self->hazard_word)
		show_words(self, gputm__commit_index(self, self->hazard));
}

static GPUTM__INLINE bool leave(struct gputm_commit_unit *self, uint32_t index)
{
	struct gputm__commit_entry *entry = &self->entry[index];

	gputm__sample(&self->hazard_cycles, self->now - entry->since);
	gputm__commit_stage(self, index, GPUTM_COMMIT_VALIDATE);
	entry->pending--;
	self->hazard_word = self->hazard_done = 0;
	self->hazard++;
	if (GPUTM__UNLIKELY(entry->flags & GPUTM__HAZARDOUS)) {
		self->hazards++;
		gputm__sample(&self->revalidation_distance, self->hazard - 1 - entry->ycid);
		gputm__commit_wait_for(self, index);
	}
	gputm__commit_settle(self, index);
	return true;
}

static bool ask_for_log(struct gputm_commit_unit *self, uint32_t index)
{
	if (!gputm__commit_report_room(self))
		return false;
	gputm__commit_ask(self, index,
			  self->hazard_word < self->entry[index].words[0]
				  ? GPUTM_COMMIT_FOR_HAZARD
				  : GPUTM_COMMIT_FOR_RECORD);
	return true;
}

/* The words up to `end` pass, the first of them in this cycle. */
static inline bool pass_words(struct gputm_commit_unit *self, uint64_t end)
{
	uint32_t rate = self->config.hazard_rate, words = (uint32_t)(end - self->hazard_word);

	self->hazard_word = end;
	self->hazard_due = self->now + (rate == 1 ? words : 1);
	for (; GPUTM__UNLIKELY(rate != 1) && words > rate; words -= rate)
		self->hazard_due++;
	return true;
}

static bool pass_promptly(struct gputm_commit_unit *self, uint32_t index, uint64_t end)
{
	uint64_t words = end - self->hazard_word, rate = self->config.hazard_rate;

	self->hazard_word += words < rate ? words : rate;
	show_words(self, index);
	return true;
}

GPUTM__APART static bool hazard_any(struct gputm_commit_unit *self, uint32_t index, uint64_t end)
{
	const struct gputm__commit_entry *entry = &self->entry[index];

	if (self->hazard_done != self->hazard_word)
		show_words(self, index);
	if (entry->asked)
		return false;
	if (gputm__commit_hazard_asks(self, entry))
		return ask_for_log(self, index);
	if (self->hazard_word == end)
		return leave(self, index);
	if (gputm__commit_unbounded(entry, 1))
		end = entry->words[0];
	return is_prompt(self) ? pass_promptly(self, index, end) : pass_words(self, end);
}

/* All words of an entry have passed, and the history has seen none of them. */
GPUTM__APART static bool leave_whole(struct gputm_commit_unit *self, uint32_t index)
{
	const struct gputm__commit_entry *entry = &self->entry[index];

	look_up(self, index, &self->kept[entry->buffer[0]], entry->words[0]);
	record(self, &self->kept[entry->buffer[1]], entry->words[1]);
	return leave(self, index);
}

bool gputm__commit_hazard(struct gputm_commit_unit *self, uint32_t index)
{
	const struct gputm__commit_entry *entry = &self->entry[index];
	uint64_t end = (uint64_t)entry->words[0] + entry->words[1];

	if (self->hazard_done)
		return hazard_any(self, index, end);
	if (self->hazard_word == end)
		return leave_whole(self, index);
	if (self->hazard_word || is_prompt(self) ||
	    entry->flags & (GPUTM__OVERFLOW | GPUTM__OVERFLOW << 1))
		return hazard_any(self, index, end);
	return pass_words(self, end);
}
