/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Snapshot isolation: the life of versions. One controller for the GPU copies the newest
 * version to the next in all regions, lets commits into it, seals it when one is complete and
 * those that joined it are, and starts all clocks again when one has run out.
 *
 * Row copies move the contents of memory when the copier reports them. The host moves only
 * words that differ, which it knows from what has been written since, or all if these are many.
 */
#include <stdio.h>
#include <string.h>

#include "si_tm.h"
#include "../base/arena.h"

SIM_UNIT_KIND(version_table, SIM_OF_MACHINE);
SIM_UNIT_KIND(row_copier, SIM_OF_MACHINE);

/* ---- contents ---------------------------------------------------------------------------- */

#define PAGE (UINT64_C(1) << SIM_PAGE_BITS)

/* The page used last, as successive addresses are close together. */
struct window {
	uint64_t number;
	uint32_t *page; /* NULL: it does not exist */
};

static inline bool moves(struct window *window, uint64_t address)
{
	bool other = address >> SIM_PAGE_BITS != window->number;

	window->number = address >> SIM_PAGE_BITS;
	return other;
}

/* The place of a word to be written; a scratch word once memory is exhausted. */
static inline uint32_t *place_in(struct window *window, struct sim_memory *memory, uint64_t address)
{
	if (moves(window, address)) {
		window->page = sim_memory_find(memory, address & ~(PAGE - 1));
		if (!window->page)
			window->page = sim_memory_make(memory, address & ~(PAGE - 1));
	}
	return memory->exhausted ? &memory->scratch : &window->page[address % PAGE / 4];
}

/* Words of pages that exist. */
static void copy_range(struct sim_memory *memory, uint64_t from, uint64_t to, uint64_t length)
{
	uint64_t page = from & ~(PAGE - 1), bytes;
	const uint32_t *word;

	for (; (word = sim_memory_page(memory, &page)) && page < from + length; page += PAGE) {
		uint64_t at = page < from ? from : page;
		uint64_t end = page + PAGE < from + length ? page + PAGE : from + length;

		for (; at < end; at += bytes) {
			uint64_t place = to + (at - from), room = PAGE - place % PAGE;
			uint32_t *copy = sim_memory_make(memory, place);

			if (memory->exhausted)
				return;
			bytes = end - at < room ? end - at : room;
			memcpy(copy, word + (at - page) / 4, bytes);
		}
	}
}

static void copy_words(struct sim_memory *memory, const struct si_words *written, uint32_t first,
		       uint64_t from, uint64_t to)
{
	struct window old = { UINT64_MAX, NULL }, new = { UINT64_MAX, NULL };

	for (uint32_t i = first; i < written->count; i++) {
		uint64_t source = from + written->address[i], place = to + written->address[i];

		if (moves(&old, source))
			old.page = sim_memory_find(memory, source & ~(PAGE - 1));
		*place_in(&new, memory, place) = old.page ? old.page[source % PAGE / 4] : 0;
	}
}

static uint64_t address_of(struct sim_port *port, uint32_t region, uint32_t version)
{
	struct gputm_version_table_version info = { .address = 0 };

	sim_must(port,
		 gputm_version_table_get_version(sim_si_of(port)->versions, region, version, &info),
		 "there is no such version");
	return info.address;
}

/* Bytes that the host copies in the time that a single word takes: whole pages are cheaper. */
#define BYTES_OF_A_WORD 256

/* Copy the words written since `to` was a copy, or all words if that costs less. */
static void move_contents(struct sim_port *port, uint32_t index)
{
	struct si_region *region = &sim_si_of(port)->region[index];
	uint64_t from = address_of(port, index, region->from);
	uint64_t to = address_of(port, index, region->to);
	uint32_t seen = region->seen[region->to];
	uint64_t words = seen ? region->written.count + 1 - seen : UINT32_MAX;

	if (words < region->logical.length / BYTES_OF_A_WORD) {
		copy_words(port->memory, &region->written, seen - 1, from, to);
		if (port->version)
			copy_words(port->version, &region->written, seen - 1, from, to);
	} else {
		copy_range(port->memory, from, to, region->logical.length);
		if (port->version)
			copy_range(port->version, from, to, region->logical.length);
	}
	region->seen[region->from] = region->seen[region->to] = region->written.count + 1;
}

/* ---- regions ----------------------------------------------------------------------------- */

/* Versions lie above all other memory: the program's addresses mean the newest version. */
#define VERSIONS_FROM (UINT64_C(1) << 38)

static uint64_t stride_of(const struct gputm_version_table_config *config, uint64_t length)
{
	uint64_t stride = UINT64_C(1) << config->row_shift;

	while (stride < length)
		stride *= 2;
	return stride;
}

static int add_region(struct sim_port *port, uint64_t *end)
{
	struct si *si = sim_si_of(port);
	const struct gputm_version_table_config *config = &si->made.version_table;
	struct si_region *region = &si->region[si->regions];
	uint64_t length, stride, relocated;
	uint32_t number;
	int error;

	region->logical = port->workload->region[si->regions];
	length = region->logical.length;
	stride = stride_of(config, length);
	if (si->copier && stride < si->made.row_copier.row_bytes)
		return sim_fail(port, -EINVAL,
				"2^version_table.row_shift must be at least "
				"row_copier.row_bytes, as whole rows are copied");
	region->base = (*end + stride - 1) & ~(stride - 1);
	relocated = region->base + config->versions * stride;
	*end = relocated + (config->versions - 1) * length;
	error = gputm_version_table_add_region(si->versions, region->base, length, relocated, 1,
					       &number);
	if (error)
		return sim_fail(port, -EINVAL,
				error == GPUTM_VERSION_TABLE_FULL
					? "version_table.regions are too few for the regions of "
					  "the workload"
					: "the version table refused a region");
	copy_range(port->memory, region->logical.start, region->base, length);
	region->seen[0] = 1;
	region->wants_copy = true;
	si->regions++;
	si->unwritable++;
	return 0;
}

int sim_si_regions_make(struct sim_port *port)
{
	struct si *si = sim_si_of(port);
	uint64_t end = VERSIONS_FROM;
	int error = 0;

	if (!port->workload->regions)
		return sim_fail(port, -EINVAL, "the workload names no regions to keep versions of");
	error = sim_unit_add(port, "version_table", &kind_version_table,
			     &si->made.version_table, &si->versions);
	if (!error && !si->detector->instant)
		error = sim_unit_add(port, "row_copier", &kind_row_copier,
				     &si->made.row_copier, &si->copier);
	for (uint32_t i = 0; !error && i < port->workload->regions; i++)
		error = add_region(port, &end);
	if (!error && si->copier && (end - 1) >> (si->made.row_copier.address_bits - 1) > 1)
		return sim_fail(port, -EINVAL,
				"row_copier.address_bits are too few for the versions of memory, "
				"which lie from 2^38 on");
	if (!error)
		sim_call_partition(port, 0, 0);
	return error;
}

/* ---- copies ------------------------------------------------------------------------------ */

static void copied(struct sim_port *port, uint32_t index)
{
	struct si *si = sim_si_of(port);

	move_contents(port, index);
	sim_must(port, gputm_version_table_complete_copy(si->versions, index),
		 "a copy ended that had not begun");
	si->region[index].writable = true;
	si->unwritable--;
}

/* The oracle's copies take no time. */
static void push_copy(struct sim_port *port, uint32_t index)
{
	struct si *si = sim_si_of(port);
	const struct si_region *region = &si->region[index];
	struct gputm_row_copier_request request = {
		.tag = index,
		.source = address_of(port, index, region->from),
		.destination = address_of(port, index, region->to),
		.bytes = region->logical.length,
	};

	if (!si->copier)
		copied(port, index);
	else
		sim_must(port, gputm_row_copier_push(si->copier, &request, NULL),
			 "the row copier refused a copy");
}

static void begin_copies(struct sim_port *port)
{
	struct si *si = sim_si_of(port);

	for (uint32_t i = 0; i < si->regions; i++) {
		struct si_region *region = &si->region[i];
		int result;

		if (!region->wants_copy || si->restarting)
			continue;
		result = gputm_version_table_begin_copy_probe(si->versions, i);
		if (result == GPUTM_VERSION_TABLE_OK)
			result = gputm_version_table_begin_copy(si->versions, i, &region->from,
								&region->to);
		sim_must(port, result, "a copy could not begin");
		if (result != GPUTM_VERSION_TABLE_OK)
			continue;
		region->wants_copy = false;
		push_copy(port, i);
	}
}

/* Advance the copier to now and take what it has copied. */
static void take_copies(struct sim_port *port)
{
	struct si *si = sim_si_of(port);
	uint64_t cycle = sim_now(port) / port->core_ticks;
	struct gputm_row_copier_request done;

	if (!si->copier)
		return;
	if (cycle > si->copied_to)
		gputm_row_copier_advance(si->copier, cycle - si->copied_to);
	si->copied_to = cycle;
	while (gputm_row_copier_take(si->copier, &done) && !port->failed) {
		sim_must(port, done.tag < si->regions ? 0 : -EINVAL, "a copy of no region is done");
		if (!port->failed)
			copied(port, (uint32_t)done.tag);
	}
}

static uint64_t next_copy(const struct sim_port *port)
{
	const struct si *si = sim_si_of(port);
	uint64_t quiet = si->copier ? gputm_row_copier_next_event(si->copier) : UINT64_MAX;

	return quiet == UINT64_MAX ? SIM_NEVER
				   : (si->copied_to + quiet + 1) * port->core_ticks;
}

/* ---- seals ------------------------------------------------------------------------------- */

static bool grow_versions(struct si *si)
{
	uint64_t capacity = si->version_capacity;
	struct si_version *grown;

	if (si->sealed + 2 - si->oldest < capacity)
		return true;
	grown = sim_malloc(2 * capacity * sizeof *grown);
	if (!grown)
		return false;
	for (uint64_t i = si->oldest; i <= si->sealed + 1; i++)
		grown[i & (2 * capacity - 1)] = *sim_si_version(si, i);
	sim_free(si->version);
	si->version = grown;
	si->version_capacity = 2 * capacity;
	return true;
}

static void warps_go_on(struct sim_port *port)
{
	struct si *si = sim_si_of(port);

	while (si->sealing.count) {
		uint32_t number = sim_si_line_pop(port, &si->sealing);

		sim_si_over(port, &port->warp[number]);
	}
}

static void seal(struct sim_port *port)
{
	struct si *si = sim_si_of(port);
	uint64_t all = ~UINT64_C(0) >> (64 - si->regions);
	int result = gputm_version_table_seal(si->versions, all, sim_si_time(port));

	sim_must(port, result, "a version could not be sealed");
	if (result == GPUTM_VERSION_TABLE_OVERFLOW)
		sim_fail(port, -EINVAL,
			 "version_table.time_bits are too few for what is written at a time");
	if (!grow_versions(si))
		sim_fail(port, -ENOMEM, "no memory for a version");
	if (port->failed)
		return;
	si->sealed++;
	*sim_si_version(si, si->sealed + 1) = (struct si_version){ 0, SI_NONE };
	si->closing = false;
	si->unwritable = si->regions;
	for (uint32_t i = 0; i < si->regions; i++) {
		si->region[i].wants_copy = true;
		si->region[i].writable = false;
	}
	warps_go_on(port);
	sim_si_reclaim(port);
}

/* ---- restart ----------------------------------------------------------------------------- */

/* Is a version being copied or written, or are answers outstanding from before the restart? */
static bool busy(const struct si *si)
{
	bool copying = false;

	for (uint32_t i = 0; i < si->regions; i++)
		copying |= !si->region[i].wants_copy && !si->region[i].writable;
	return copying || si->in_flight || si->closing || si->inside;
}

/* The clocks have run out twice without a commit between: halve the number of warps that may
 * run. */
static void allow_fewer(struct sim_port *port)
{
	struct si *si = sim_si_of(port);
	char message[200];

	snprintf(message, sizeof message, "the clocks run out before a transaction ends, with one "
		 "warp at a time: version_table.time_bits = %u or timestamp_table.stamp_bits = %u "
		 "are too few", si->made.version_table.time_bits,
		 si->made.timestamp_table.stamp_bits);
	if (si->most_inside == 1)
		sim_fail(port, -EINVAL, message);
	si->most_inside = (si->most_inside + 1) / 2;
}

static void restart_now(struct sim_port *port)
{
	struct si *si = sim_si_of(port);

	if (si->restarts && si->places == si->places_before)
		allow_fewer(port);
	si->restarts++;
	si->places_before = si->places;
	sim_si_reclaim(port);
	if (si->detector->restart)
		sim_must(port, si->detector->restart(port), "the timestamps could not restart");
	sim_must(port, gputm_version_table_restart(si->versions, 1),
		 "the versions could not restart");
	si->born = sim_now(port);
	si->restarting = false;
	si->unwritable = si->regions;
	for (uint32_t i = 0; i < si->regions; i++) {
		si->region[i].wants_copy = true;
		si->region[i].writable = false;
	}
}

/* ---- the controller ---------------------------------------------------------------------- */

static void let_commit(struct sim_port *port)
{
	struct si *si = sim_si_of(port);
	uint32_t count = si->committing.count;

	while (count-- && (si->restarting || (!si->unwritable && !si->closing)))
		sim_si_commit_now(port, &port->warp[sim_si_line_pop(port, &si->committing)]);
}

/* Three quarters of a table: below this a table that was full counts as free again. */
static bool has_room(const struct si *si)
{
	const struct si_config *made = &si->made;

	return !si->inside ||
	       (gputm_writer_table_used(si->writers) <= made->writer_table.entries / 4 * 3 &&
		(!si->readers ||
		 gputm_reader_list_used(si->readers) <= made->reader_list.entries / 4 * 3));
}

/* @return the next tick that is due. */
static uint64_t control(struct sim_port *port)
{
	struct si *si = sim_si_of(port);

	take_copies(port);
	if (si->closing && !si->in_flight)
		seal(port);
	if (si->restarting && !busy(si))
		restart_now(port);
	begin_copies(port);
	let_commit(port);
	if (si->full && has_room(si))
		si->full = false;
	sim_si_admit(port);
	return next_copy(port);
}

/* ---- the partition's turn ------------------------------------------------------------------ */

static void send_answers(struct sim_port *port, struct si_partition *partition)
{
	struct sim_message *message;

	while ((message = sim_queue_head(&partition->answers)) &&
	       message->due <= sim_now(port)) {
		struct sim_message answer = *message;

		sim_queue_pop(&partition->answers);
		sim_to_core(port, &answer, 8);
	}
}

uint64_t sim_si_partition_tick(struct sim_port *port, uint32_t index)
{
	struct si_partition *partition = &sim_si_of(port)->partition[index];
	uint64_t next = index ? SIM_NEVER : control(port);
	const struct sim_message *answer;

	send_answers(port, partition);
	sim_si_write(port, index);
	answer = sim_queue_head(&partition->answers);
	if (answer && answer->due < next)
		next = answer->due;
	if (partition->writes.count && partition->write_free < next)
		next = partition->write_free;
	return next;
}

/* ---- the end of the run ------------------------------------------------------------------ */

/* Copy the newest versions to the program's addresses. */
static void put_back(struct sim_port *port)
{
	struct si *si = sim_si_of(port);

	for (uint32_t i = 0; i < si->regions; i++) {
		const struct si_region *region = &si->region[i];
		uint64_t newest = region->base;

		sim_must(port,
			 gputm_version_table_resolve_plain(si->versions, region->base, &newest),
			 "the version table refused a plain access");
		copy_range(port->memory, newest, region->logical.start, region->logical.length);
	}
}

static bool has_references(struct sim_port *port)
{
	struct si *si = sim_si_of(port);
	struct gputm_version_table_version info = { .references = 0 };
	uint32_t references = 0;

	for (uint32_t i = 0; i < si->regions; i++)
		for (uint32_t k = 0; k < si->made.version_table.versions; k++) {
			sim_must(port, gputm_version_table_get_version(si->versions, i, k, &info),
				 "there is no such version");
			references += info.references;
		}
	return references;
}

void sim_si_finished(struct sim_port *port)
{
	struct si *si = sim_si_of(port);
	const char *left = si->detector->left(port);

	if (has_references(port))
		left = "a version has references at the end";
	if (si->running || si->retained || si->free_count != si->ids)
		left = "a transaction is left at the end";
	if (left)
		sim_fail(port, -EILSEQ, left);
	put_back(port);
}
