/* SPDX-License-Identifier: BSD-2-Clause */
/* The common face of the ownership table; see ownership_table.c. */
#include "lib/warptm/ownership_table-priv.h"

#define UNIT ownership_table

static const char *const hashes[] = { "low_bits", "h3", "released" };

static const struct gputm_param rows[] = {
	PARAM(lanes, 1, 64, 32, false, "Lanes of a warp.", "thesis Table 6.1"),
	PARAM(entries, 1, 1 << 16, 4096, true, "Regions that a table tells apart, a byte each.",
	      "thesis 6.3.3"),
	PARAM(granularity, 1, 1 << 16, 4, true, "Bytes of a region.", "thesis Fig. 6.6"),
	CHOICE(hash, 0, 2, 0, hashes, "How the number of a region picks its entry.",
	      "thesis 6.3.3; released: released simulator"),
	PARAM(exact, 0, 1, 0, false,
	      "Whether no two regions share an entry, as in an infinite table.", "thesis 6.3.3"),
	PARAM(buffers, 1, 64, 3, false, "Tables of a core: warps that may resolve at a time.",
	      "thesis 6.3.1"),
	PARAM(address_bits, 8, 64, 32, false, "Width of a byte address, bits.", ""),
	PARAM(access_bytes, 1, 1 << 12, 128, true, "Bytes that one access clears.", "thesis 6.3.3"),
	PARAM(log_cycles, 0, 1 << 10, 1, false, "Cycles to read a log row.", ""),
	PARAM(table_cycles, 0, 1 << 10, 1, false, "Cycles of a table access by all lanes.", ""),
	PARAM(seed, 0, UINT64_MAX, 1, false, "Seed of the H3 rows.", ""),
};

static const struct gputm_preset presets[] = {
	{ "warptm", "Thesis 6.3.3: 4096 entries, 4 kB, at the released simulator's hash.",
	  { { "entries", 4096 }, { "hash", GPUTM_OWNERSHIP_TABLE_HASH_RELEASED } } },
	{ "warptm-2k",
	  "Thesis 6.3.3: the 2K entries of its cost example, at the same hash.",
	  { { "entries", 2048 }, { "hash", GPUTM_OWNERSHIP_TABLE_HASH_RELEASED } } },
	{ "infinite", "Thesis 6.3.3: infinite capacity, to compare with.", { { "exact", 1 } } },
};

static const struct gputm__stat_row stats[] = {
	GPUTM__RESOLVER_STATS,
	STAT(read_conflicts, COUNTER, "lanes", "Lanes that aborted for a read."),
	STAT(write_conflicts, COUNTER, "lanes", "Lanes that aborted for a write."),
};

static const struct gputm_event_kind events[] = {
	GPUTM__RESOLVER_ACQUIRE(GPUTM_OWNERSHIP_TABLE_EVENT_ACQUIRE),
	EVENT(GPUTM_OWNERSHIP_TABLE_EVENT_CONSTRUCT, "construct",
	      "The unit has entered a row of the write log.",
	      VALUE(buffer, "buffer", "The buffer."),
	      VALUE(lanes, "lane mask", "Lanes of the row.")),
	EVENT(GPUTM_OWNERSHIP_TABLE_EVENT_MATCH, "match",
	      "The unit has compared a row with the owners.",
	      VALUE(buffer, "buffer", "The buffer."),
	      VALUE(lanes, "lane mask", "Lanes of the row."),
	      VALUE(conflicts, "lane mask", "Lanes of the row that conflict with a lower lane."),
	      NAMED(access, gputm__read_write,
		    "Whether the row is of the read log or the write log.")),
	GPUTM__RESOLVER_RELEASE(GPUTM_OWNERSHIP_TABLE_EVENT_RELEASE),
};

/* ---- life ---- */

static int validate(const struct gputm_unit *unit)
{
	const struct gputm_ownership_table_config *c = gputm_unit_config(unit);

	return gputm__check_granularity(unit, c->granularity, c->address_bits);
}

static int setup_entries(struct gputm_ownership_table *t)
{
	struct gputm_ownership_table_config *c = &t->config;
	struct gputm_h3_config h3 = gputm__h3_config(1, c->entries, c->address_bits - t->shift,
						     c->seed, c->h3_rows);
	int error = gputm__h3_own(&t->unit, &h3, t->shift, &t->h3);

	if (error)
		return error;
	c->h3_rows = c->h3_rows ? t->h3->row : NULL;
	t->owner = gputm__own(&t->unit, (size_t)c->buffers * c->entries, 1);
	t->map = gputm__own(&t->unit, c->buffers, sizeof(*t->map));
	return 0;
}

static int setup(struct gputm_unit *unit)
{
	struct gputm_ownership_table *t = (void *)unit;
	const struct gputm_ownership_table_config *c = &t->config;

	gputm__resolver_setup(unit, &t->core, c->buffers, c->lanes, c->address_bits);
	t->shift = gputm__log2(c->granularity);
	t->index_mask = c->entries - 1;
	t->core.initialise_cost = (uint64_t)((c->entries + c->access_bytes - 1) /
					     c->access_bytes) * c->table_cycles;
	return setup_entries(t);
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_ownership_table *t = (void *)unit;

	gputm__resolver_clear(&t->core);
	for (uint32_t i = 0; t->config.exact && i < t->config.buffers; i++)
		gputm__region_map_clear(&t->map[i]);
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_ownership_table *t = (void *)unit;

	gputm__io_same(io, t->h3->fingerprint, "its hash rows are others");
	gputm__resolver_io(&t->core, io);
	for (uint32_t i = 0; i < t->config.buffers && !io->error; i++) {
		if (t->core.buffer[i].state == GPUTM__RESOLVER_FREE)
			continue;
		if (t->config.exact)
			gputm__region_map_io(&t->map[i], io);
		else
			gputm__io_bytes(io, gputm__owners(t, i), t->config.entries);
	}
}

/* ---- invariants ---- */

static bool all_owners_active(const struct gputm_ownership_table *t, uint32_t buffer)
{
	uint64_t active = t->core.buffer[buffer].active;
	const struct gputm__region_map *map = &t->map[buffer];
	bool fine = true;

	for (size_t i = 0; t->config.exact && i < map->count; i++)
		fine &= map->entry[i].lane < 64 && active >> (map->entry[i].lane & 63) & 1;
	for (uint32_t i = 0; !t->config.exact && i < t->config.entries; i++) {
		uint8_t owner = gputm__owners(t, buffer)[i];

		fine &= owner == GPUTM__READ_ONLY || (owner < 64 && active >> (owner & 63) & 1);
	}
	return fine;
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_ownership_table *t = (const void *)unit;
	const char *broken = gputm__resolver_check(&t->core);

	for (uint32_t i = 0; i < t->config.buffers && !broken; i++) {
		const struct gputm__resolver_buffer *b = &t->core.buffer[i];

		if (b->state == GPUTM__RESOLVER_FREE)
			continue;
		if ((b->so_far.survived | b->so_far.aborted) != b->active)
			return "R2: survivors and aborted lanes do not make up the active ones";
		if (!all_owners_active(t, i))
			return "R4: the owner of an entry is not an active lane of its warp";
	}
	return broken;
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_ownership_table *t = (const void *)unit;
	uint64_t aborted = t->core.lanes_aborted;

	gputm__resolver_laws(&t->core, laws);
	for (uint32_t i = 0; i < t->config.buffers; i++)
		aborted += gputm__popcount(t->core.buffer[i].so_far.aborted);
	gputm__law(laws, t->read_conflicts + t->write_conflicts, aborted,
		   "R3: aborted lanes are not read_conflicts + write_conflicts");
	gputm__law(laws, t->core.steps, t->core.acquired + t->core.log_rows,
		   "R5: steps are not acquired + log_rows");
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_ownership_table_config *c = gputm_unit_config(unit);

	gputm__array(out, "ownership tables", (uint64_t)c->buffers * c->entries, 8, c->lanes);
}

GPUTM__UNIT(ownership_table, .version = 2, .setup = setup, .validate = validate, .laws = laws)
