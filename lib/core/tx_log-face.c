/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The common face of the logs: parameters, statistics, storage, snapshots and the
 * invariants I1 to I6, which stand in tx_log.c.
 */
#include "lib/core/tx_log-priv.h"

#define UNIT tx_log

static const char *const filters[] = { "none", "signature", "perfect" };

static const struct gputm_param rows[] = {
	PARAM(lanes, 1, MAX_LANES, 32, false, "Lanes of the warp.", "thesis Table 6.1"),
	PARAM(address_bits, 8, 64, 32, false, "Width of a byte address, bits.", ""),
	PARAM(partitions, 1, 64, 6, false, "Memory partitions.", "thesis Table 6.1"),
	PARAM(interleave, 64, 1 << 20, 256, true, "Consecutive bytes in one partition.",
	      "thesis 2.3"),
	PARAM(l1_rows, 0, 1 << 20, 32, false,
	      "Rows of each log that the L1 share of the warp holds.", "thesis 4.2.4"),
	PARAM(reserve_rows, 1, 1 << 20, 16, false, "Rows of each log allocated at once.", ""),
	CHOICE(filter, 0, 2, GPUTM_TX_LOG_FILTER_SIGNATURE, filters,
	       "How a read of an own write is noticed.", "thesis 4.2.3"),
	PARAM(header_bytes, 0, 1 << 10, 8, false, "Bytes of a packet without entries.", ""),
	PARAM(flit_bytes, 8, 1 << 10, 32, true, "Bytes of a flit.", "thesis Table 6.1"),
	PARAM(packed, 0, 1, 0, false,
	      "1: a lane appends after its own last entry; 0: all after the last row.", ""),
};

static const struct gputm_preset presets[] = {
	{ "kilo-tm",
	  "Thesis Table 4.4 and 4.2.3: 32 lanes, 8 partitions every 256 B, perfect detection.",
	  { { "lanes", 32 },
	    { "partitions", 8 },
	    { "interleave", 256 },
	    { "filter", GPUTM_TX_LOG_FILTER_PERFECT } } },
	{ "warptm",
	  "Thesis Table 6.1 and 4.2.3: the same with 6 partitions.",
	  { { "lanes", 32 },
	    { "partitions", 6 },
	    { "interleave", 256 },
	    { "filter", GPUTM_TX_LOG_FILTER_PERFECT } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(read_rows, COUNTER, "rows", "Rows appended to the read log."),
	STAT(write_rows, COUNTER, "rows", "Rows appended to the write log."),
	STAT(read_entries, COUNTER, "entries", "Entries appended to the read log."),
	STAT(write_entries, COUNTER, "entries", "Entries appended to the write log."),
	STAT(voided_entries, COUNTER, "entries", "Entries of both logs voided by restarts."),
	STAT(spilled_rows, COUNTER, "rows", "Rows appended beyond the L1 share, two lines each."),
	STAT(max_rows, MAXIMUM, "rows", "Most rows in one log."),
	STAT(restarts, COUNTER, "restarts", "Restarts of one or more lanes."),
	STAT(lookups, COUNTER, "lanes", "Look-ups of own writes."),
	STAT(filtered, COUNTER, "lanes", "Look-ups that needed no walk."),
	STAT(hits, COUNTER, "lanes", "Look-ups that found an own write."),
	STAT(in_vain, COUNTER, "lanes", "Look-ups that walked and found nothing."),
	STAT(rows_walked, COUNTER, "rows", "Write-log rows walked by look-ups."),
};

static const char *const results[] = { "cached", "spilled" };

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_TX_LOG_EVENT_APPEND, "append", "A log has new entries.",
	      NAMED(access, gputm__read_write,
		    "Whether the row is of the read log or the write log."),
	      VALUE(row, "log row", "Number of the row; of packed logs the last row."),
	      VALUE(lanes, "lane mask", "Lanes that have an entry in the row."),
	      NAMED(outcome, results, "Whether the row lies in the L1 share or beyond.")),
	EVENT(GPUTM_TX_LOG_EVENT_LOOKUP, "lookup", "Lanes have looked for their own writes.",
	      VALUE(lanes, "lane mask", "Lanes that have looked."),
	      VALUE(hits, "lane mask", "Lanes that have found a value."),
	      VALUE(walked, "lane mask", "Lanes for which the write log was walked."),
	      VALUE(rows, "rows", "Rows that the walk has passed.")),
	EVENT(GPUTM_TX_LOG_EVENT_RESTART, "restart", "The entries of lanes are void.",
	      VALUE(lanes, "lane mask", "Lanes that restart."),
	      VALUE(entries, "entries", "Entries that are void now.")),
};

/* ---- life ---- */

static int setup(struct gputm_unit *unit)
{
	struct gputm_tx_log *l = (void *)unit;
	const struct gputm_tx_log_config *c = &l->config;

	l->map = gputm__partition_map_of(c->partitions, c->interleave);
	l->lane_mask = gputm__low_mask(c->lanes);
	l->address_max = gputm__low_mask(c->address_bits);
	l->flit_shift = gputm__log2(c->flit_bytes);
	return 0;
}

static void clear(struct gputm_unit *unit)
{
	gputm__tx_log_empty((void *)unit);
}

/* ---- state ---- */

static void derive(struct gputm_tx_log *l)
{
	const struct rows *w = &l->log[GPUTM_TX_LOG_KIND_WRITE];

	memset(l->signature, 0, sizeof(l->signature));
	for (uint32_t r = 0; r < w->count; r++)
		for (uint64_t m = w->mask[r]; m; m &= m - 1) {
			size_t lane = gputm__lowest(m);

			l->signature[lane] |= signature_bit(w->address[r * l->config.lanes + lane]);
		}
}

static void io_row(struct gputm_tx_log *l, struct rows *log, uint32_t r, struct gputm__io *io)
{
	size_t at = (size_t)r * l->config.lanes;

	gputm__io_u64_max(io, &log->mask[r], l->lane_mask, "a row names no lane");
	for (uint64_t m = log->mask[r]; !io->error && m; m &= m - 1) {
		size_t cell = at + gputm__lowest(m);

		gputm__io_u64_max(io, &log->address[cell], l->address_max,
				  "an address is too wide");
		gputm__io_u32(io, &log->value[cell]);
	}
	if (gputm__io_reading(io) && !io->error)
		log->lanes |= log->mask[r];
	for (uint64_t m = l->config.packed && !io->error ? log->mask[r] : 0; m; m &= m - 1)
		log->end[gputm__lowest(m)] = r + 1;
}

static void io_log(struct gputm_tx_log *l, struct rows *log, struct gputm__io *io)
{
	uint32_t count = log->count;

	gputm__io_u32(io, &count);
	if (gputm__io_reading(io)) {
		if (!io->error && count > (io->size - io->used) / sizeof(uint64_t))
			gputm__io_fail(io, -EINVAL, "it has fewer rows than it says");
		if (!io->error && gputm__tx_log_grow(l, log, count))
			gputm__io_fail(io, -ENOMEM, "no memory for its rows");
		if (io->error)
			return;
		log->lanes = 0;
		memset(log->end, 0, sizeof(log->end));
	}
	log->count = count;
	for (uint32_t r = 0; r < count && !io->error; r++)
		io_row(l, log, r, io);
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_tx_log *l = (void *)unit;

	io_log(l, &l->log[GPUTM_TX_LOG_KIND_READ], io);
	io_log(l, &l->log[GPUTM_TX_LOG_KIND_WRITE], io);
	if (gputm__io_reading(io) && !io->error)
		derive(l);
}

static const char *check_row(const struct gputm_tx_log *l, const struct rows *log, uint32_t r,
			     uint64_t *signature)
{
	for (uint64_t m = log->mask[r]; m; m &= m - 1) {
		unsigned lane = gputm__lowest(m);
		uint64_t address = log->address[(size_t)r * l->config.lanes + lane];

		if (address > l->address_max || address & 3)
			return "I1: an address is not word-aligned, or does not fit address_bits";
		signature[lane] |= signature_bit(address);
	}
	return log->mask[r] & ~l->lane_mask ? "I1: a row names a lane that does not exist" : NULL;
}

static const char *check_log(const struct gputm_tx_log *l, const struct rows *log,
			     uint64_t *signature, uint64_t *entries)
{
	const char *broken = NULL;
	uint64_t lanes = 0;

	for (uint32_t r = 0; r < log->count && !broken; r++) {
		broken = check_row(l, log, r, signature);
		if (!broken && l->config.packed && r && log->mask[r] & ~log->mask[r - 1])
			broken = "I6: a lane of a packed log has a gap";
		lanes |= log->mask[r];
		*entries += gputm__popcount(log->mask[r]);
	}
	if (broken)
		return broken;
	return lanes == log->lanes ? NULL : "I4: the lanes noted are not those of the rows";
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_tx_log *l = (const void *)unit;
	uint64_t unused[MAX_LANES] = { 0 }, signature[MAX_LANES] = { 0 }, entries = 0;
	const char *broken = check_log(l, &l->log[GPUTM_TX_LOG_KIND_READ], unused, &entries);

	if (!broken)
		broken = check_log(l, &l->log[GPUTM_TX_LOG_KIND_WRITE], signature, &entries);
	if (broken)
		return broken;
	if (memcmp(signature, l->signature, sizeof(signature)))
		return "I4: the signatures differ from those of the write log";
	if (!entries && (l->log[0].count || l->log[1].count))
		return "I5: a log has rows although all are empty";
	return l->lookups == l->filtered + l->hits + l->in_vain
		       ? NULL
		       : "I3: lookups are not filtered + hits + in_vain";
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_tx_log_config *c = gputm_unit_config(unit);
	uint64_t row = (uint64_t)c->lanes * (c->address_bits + 32);

	gputm__array_apart(out, "read log (L1)", c->l1_rows, row, 1);
	gputm__array_apart(out, "write log (L1)", c->l1_rows, row, 1);
	gputm__array(out, "signatures", c->lanes,
		     c->filter == GPUTM_TX_LOG_FILTER_SIGNATURE ? 64 : 0, 1);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_tx_log *l = (const void *)unit;
	uint64_t entries = 0;

	for (int which = 0; which < 2; which++)
		for (uint32_t r = 0; r < l->log[which].count; r++)
			entries += gputm__popcount(l->log[which].mask[r]);
	gputm__law(laws, l->read_entries + l->write_entries, l->voided_entries + entries,
		   "I2: entries appended are not voided + present");
}

GPUTM__UNIT(tx_log, .version = 1, .setup = setup, .laws = laws)
