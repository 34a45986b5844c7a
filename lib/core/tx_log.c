/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transaction logs of one warp.
 *
 * Source: W. W. L. Fung's thesis, 4.2.3 (version management: read and write log, a
 * small filter notices a read of an own write) and 4.2.4 (linear buffers in local
 * memory, void entries, walk and grouping at commit).
 *
 * Each log is a linear buffer. An access of the warp appends one row; lane i owns column
 * i. The picture shows four lanes, - is void:
 *
 *            lane      0        1        2        3       mask
 *   row 0  ld A[i]   100:7   104:7   108:7   10c:7        1111
 *   row 1  ld B[i]     -     200:1     -     300:2        1010   (a branch)
 *   row 2  ld C        -       -     400:5     -          0100
 *
 * With 4 partitions every 256 B, row 1 goes to partitions 2 (lane 1) and 3 (lane 3):
 * two packets of one entry each. Row 0 lies in partition 1 alone: one packet of four
 * entries, 8 + 4 x 8 = 40 bytes, 2 flits.
 *
 * A read looks in the write log first. A 64-bit signature per lane (one multiplicative
 * hash of the word number sets one bit) lets most reads pass without a walk; a set bit
 * makes the warp walk the write log, newest row first, until each lane concerned has
 * its answer.
 *
 * The model keeps a mask per row instead of void addresses, so that nothing is written
 * for an inactive lane. A restart clears the lane's bit in each mask.
 *
 * Invariants, checked by check():
 *   I1  a row's mask names existing lanes only; its addresses are words that fit
 *   I2  read_entries + write_entries = voided_entries + entries in the logs
 *   I3  lookups = filtered + hits + in_vain
 *   I4  the lanes noted for a log, and the signatures, are those of its entries
 *   I5  logs without an entry have no rows
 *   I6  in packed logs a lane of a row is in the row before, too
 *
 * Differences from the paper:
 *   - the paper voids an entry by a special address; here address 0 may be logged;
 *   - the paper leaves the filter open and evaluates a perfect one. The signature is built
 *     in and not the unit signature: an append for 32 lanes may cost a few
 *     instructions per lane, a call of another unit per lane costs more than the whole
 *     row, and the hardware too would keep these bits beside the lane. filter = perfect
 *     repeats the evaluation, filter = none shows what the filter saves;
 *   - packed logs are not in the paper: a lane has an end of its own, as the lanes of a row lie
 *     in banks of their own. Row 2 of the picture would not be: C[i] of lane 1 is in row 1;
 *   - the paper sizes local memory to avoid overflow; here the logs grow without bound and
 *     rows beyond the L1 share of the warp are counted as spilled. A row is two 128 B
 *     lines, one of addresses and one of values: the paper speaks of an entry only.
 */
#include "lib/core/tx_log.h"
#include "lib/core/tx_log-priv.h"

/* ---- rows ---- */

int gputm__tx_log_grow(struct gputm_tx_log *l, struct rows *log, size_t need)
{
	struct gputm_unit *unit = &l->unit;
	size_t cells = need * l->config.lanes;
	int error = gputm__own_more(unit, &log->mask, &log->mask_room, need, sizeof(*log->mask));

	if (!error)
		error = gputm__own_more(unit, &log->address, &log->address_room, cells,
					sizeof(*log->address));
	if (!error)
		error = gputm__own_more(unit, &log->value, &log->value_room, cells,
					sizeof(*log->value));
	if (!error && need > log->room)
		log->room = need;
	return error;
}

void gputm__tx_log_empty(struct gputm_tx_log *l)
{
	for (unsigned i = 0; i < 2; i++)
		l->log[i].count = 0, l->log[i].lanes = 0;
	for (unsigned i = 0; l->config.packed && i < 2; i++)
		memset(l->log[i].end, 0, sizeof(l->log[i].end));
	memset(l->signature, 0, sizeof(l->signature));
}

/* ---- append ---- */

static int refuse_lanes(const struct gputm_tx_log *l, uint64_t mask)
{
	return gputm__out_of_range(&l->unit, "mask", mask, 0, l->lane_mask);
}

static int refuse_address(const struct gputm_tx_log *l, uint64_t mask, const uint64_t *address)
{
	for (; mask; mask &= mask - 1) {
		uint64_t a = address[gputm__lowest(mask)];

		if (a > l->address_max)
			return gputm__out_of_range(&l->unit, "address", a, 0, l->address_max);
		if (a & 3)
			return gputm__refuse(&l->unit, "address = %llu is no multiple of 4",
					     (unsigned long long)a);
	}
	return 0;
}

/* Copy the lanes of mask into a free row. @return the OR of their addresses. */
static uint64_t put_row(const struct gputm_tx_log *l, struct rows *log, uint64_t mask,
			const uint64_t *address, const uint32_t *value)
{
	uint32_t lanes = l->config.lanes;
	uint64_t *to = log->address + (size_t)log->count * lanes, all = 0;
	uint32_t *to_value = log->value + (size_t)log->count * lanes;

	if (mask == l->lane_mask) {
		for (uint32_t i = 0; i < lanes; i++)
			all |= address[i];
		memcpy(to, address, lanes * sizeof(*to));
		memcpy(to_value, value, lanes * sizeof(*to_value));
		return all;
	}
	for (; mask; mask &= mask - 1) {
		unsigned lane = gputm__lowest(mask);

		all |= address[lane];
		to[lane] = address[lane];
		to_value[lane] = value[lane];
	}
	return all;
}

/* Append after the last entry of each lane: this takes at most one new row. */
static int append_packed(struct gputm_tx_log *l, struct rows *log, uint64_t mask,
			 const uint64_t *address, const uint32_t *value)
{
	uint32_t last = 0;
	uint64_t all = 0;

	for (uint64_t m = mask; m; m &= m - 1) {
		unsigned lane = gputm__lowest(m);

		all |= address[lane];
		last = log->end[lane] > last ? log->end[lane] : last;
	}
	if (all > l->address_max || all & 3)
		return refuse_address(l, mask, address);
	if (last == log->room &&
	    gputm__tx_log_grow(l, log, last ? 2 * (size_t)last : l->config.reserve_rows))
		return -ENOMEM;
	if (last == log->count) {
		log->mask[log->count++] = 0;
		gputm__maximum(&l->max_rows, log->count);
		l->spilled_rows += log->count > l->config.l1_rows;
	}
	for (uint64_t m = mask; m; m &= m - 1) {
		unsigned lane = gputm__lowest(m);
		uint32_t row = log->end[lane]++;
		size_t cell = (size_t)row * l->config.lanes + lane;

		log->mask[row] |= UINT64_C(1) << lane;
		log->address[cell] = address[lane];
		log->value[cell] = value[lane];
	}
	log->lanes |= mask;
	return last < l->config.l1_rows ? GPUTM_TX_LOG_CACHED : GPUTM_TX_LOG_SPILLED;
}

static int append(struct gputm_tx_log *l, struct rows *log, uint64_t mask, const uint64_t *address,
		  const uint32_t *value)
{
	uint64_t all;

	if (mask & ~l->lane_mask)
		return refuse_lanes(l, mask);
	if (!mask)
		return GPUTM_TX_LOG_CACHED;
	if (l->config.packed)
		return append_packed(l, log, mask, address, value);
	if (log->count == log->room &&
	    gputm__tx_log_grow(l, log, log->room ? 2 * log->room : l->config.reserve_rows))
		return -ENOMEM;
	all = put_row(l, log, mask, address, value);
	if (all > l->address_max || all & 3)
		return refuse_address(l, mask, address);
	log->mask[log->count++] = mask;
	log->lanes |= mask;
	gputm__maximum(&l->max_rows, log->count);
	if (log->count <= l->config.l1_rows)
		return GPUTM_TX_LOG_CACHED;
	l->spilled_rows++;
	return GPUTM_TX_LOG_SPILLED;
}

int gputm_tx_log_append_read(struct gputm_tx_log *l, uint64_t mask, const uint64_t *address,
			     const uint32_t *value)
{
	struct rows *log = &l->log[GPUTM_TX_LOG_KIND_READ];
	uint32_t before = log->count;
	int result = append(l, log, mask, address, value);

	if (result < 0 || !mask)
		return result;
	l->read_rows += log->count - before;
	l->read_entries += gputm__popcount(mask);
	gputm__emit(&l->unit, GPUTM_TX_LOG_EVENT_APPEND, GPUTM_TX_LOG_KIND_READ, log->count - 1,
		    mask, (uint64_t)result);
	return result;
}

int gputm_tx_log_append_write(struct gputm_tx_log *l, uint64_t mask, const uint64_t *address,
			      const uint32_t *value)
{
	struct rows *log = &l->log[GPUTM_TX_LOG_KIND_WRITE];
	uint32_t before = log->count;
	int result = append(l, log, mask, address, value);

	if (result < 0 || !mask)
		return result;
	l->write_rows += log->count - before;
	l->write_entries += gputm__popcount(mask);
	for (uint64_t m = mask; m; m &= m - 1) {
		unsigned lane = gputm__lowest(m);

		l->signature[lane] |= signature_bit(address[lane]);
	}
	gputm__emit(&l->unit, GPUTM_TX_LOG_EVENT_APPEND, GPUTM_TX_LOG_KIND_WRITE, log->count - 1,
		    mask, (uint64_t)result);
	return result;
}

/* ---- own writes ---- */

static uint64_t matches(const struct gputm_tx_log *l, uint32_t r, uint64_t mask,
			const uint64_t *address, uint32_t *value)
{
	const struct rows *w = &l->log[GPUTM_TX_LOG_KIND_WRITE];
	size_t at = (size_t)r * l->config.lanes;
	uint64_t hits = 0;

	for (uint64_t m = mask & w->mask[r]; m; m &= m - 1) {
		unsigned lane = gputm__lowest(m);

		if (w->address[at + lane] != address[lane])
			continue;
		value[lane] = w->value[at + lane];
		hits |= UINT64_C(1) << lane;
	}
	return hits;
}

/* Walk the newest row first. `depth` is the number of rows walked up to the last hit. */
static uint64_t walk(const struct gputm_tx_log *l, uint64_t mask, const uint64_t *address,
		     uint32_t *value, uint32_t *depth)
{
	uint32_t count = l->log[GPUTM_TX_LOG_KIND_WRITE].count;
	uint64_t hits = 0;

	*depth = 0;
	for (uint32_t r = count; r-- && mask & ~hits;) {
		uint64_t found = matches(l, r, mask & ~hits, address, value);

		hits |= found;
		*depth = found ? count - r : *depth;
	}
	return hits;
}

/* The lanes for which the filter asks for a walk. */
static uint64_t suspects(const struct gputm_tx_log *l, uint64_t mask, const uint64_t *address)
{
	uint64_t through = 0;

	if (!l->log[GPUTM_TX_LOG_KIND_WRITE].count)
		return 0;
	if (l->config.filter == GPUTM_TX_LOG_FILTER_NONE)
		return mask;
	for (; mask; mask &= mask - 1) {
		unsigned lane = gputm__lowest(mask);

		if (l->signature[lane] & signature_bit(address[lane]))
			through |= UINT64_C(1) << lane;
	}
	return through;
}

int gputm_tx_log_lookup_own_writes(struct gputm_tx_log *l, uint64_t mask, const uint64_t *address,
				   uint32_t *value, struct gputm_tx_log_lookup *out)
{
	struct gputm_tx_log_lookup answer = { 0, 0, 0 };

	if (mask & ~l->lane_mask)
		return refuse_lanes(l, mask);
	l->lookups += gputm__popcount(mask);
	answer.walked = suspects(l, mask, address);
	if (answer.walked) {
		answer.hits = walk(l, answer.walked, address, value, &answer.rows);
		if (l->config.filter == GPUTM_TX_LOG_FILTER_PERFECT)
			answer.walked = answer.hits;
		if (answer.walked != answer.hits)
			answer.rows = l->log[GPUTM_TX_LOG_KIND_WRITE].count;
		l->hits += gputm__popcount(answer.hits);
		l->in_vain += gputm__popcount(answer.walked & ~answer.hits);
		l->rows_walked += answer.rows;
	}
	l->filtered += gputm__popcount(mask & ~answer.walked);
	*out = answer;
	gputm__emit(&l->unit, GPUTM_TX_LOG_EVENT_LOOKUP, mask, answer.hits, answer.walked,
		    answer.rows);
	return 0;
}

int gputm_tx_log_lookup_own_write(struct gputm_tx_log *l, uint32_t lane, uint64_t address,
				  uint32_t *value, uint32_t *walked)
{
	uint64_t addresses[MAX_LANES];
	uint32_t values[MAX_LANES];
	struct gputm_tx_log_lookup answer;

	if (lane >= l->config.lanes)
		return gputm__out_of_range(&l->unit, "lane", lane, 0, l->config.lanes - 1);
	addresses[lane] = address;
	if (gputm_tx_log_lookup_own_writes(l, UINT64_C(1) << lane, addresses, values, &answer))
		return -ERANGE;
	if (walked)
		*walked = answer.rows;
	if (answer.hits)
		*value = values[lane];
	return answer.hits != 0;
}

/* ---- restart ---- */

static uint64_t void_lanes(struct rows *log, uint64_t mask)
{
	uint64_t voided = 0;

	for (uint32_t r = 0; r < log->count && log->lanes & mask; r++) {
		voided += gputm__popcount(log->mask[r] & mask);
		log->mask[r] &= ~mask;
	}
	log->lanes &= ~mask;
	return voided;
}

static void void_ends(struct gputm_tx_log *l, uint64_t mask)
{
	for (; mask; mask &= mask - 1)
		for (unsigned i = 0; i < 2; i++)
			l->log[i].end[gputm__lowest(mask)] = 0;
}

int gputm_tx_log_restart(struct gputm_tx_log *l, uint64_t mask)
{
	uint64_t voided;

	if (mask & ~l->lane_mask)
		return refuse_lanes(l, mask);
	voided = void_lanes(&l->log[GPUTM_TX_LOG_KIND_READ], mask);
	voided += void_lanes(&l->log[GPUTM_TX_LOG_KIND_WRITE], mask);
	if (l->config.packed)
		void_ends(l, mask);
	if (l->log[GPUTM_TX_LOG_KIND_READ].lanes | l->log[GPUTM_TX_LOG_KIND_WRITE].lanes)
		for (uint64_t m = mask; m; m &= m - 1)
			l->signature[gputm__lowest(m)] = 0;
	else
		gputm__tx_log_empty(l);
	l->voided_entries += voided;
	l->restarts++;
	gputm__emit(&l->unit, GPUTM_TX_LOG_EVENT_RESTART, mask, voided, 0, 0);
	return 0;
}

/* ---- transfer ---- */

static inline bool names_log(enum gputm_tx_log_kind kind)
{
	return (unsigned)kind <= GPUTM_TX_LOG_KIND_WRITE;
}

static inline const struct rows *log_of(const struct gputm_tx_log *l, enum gputm_tx_log_kind kind)
{
	gputm__assert(names_log(kind));
	return &l->log[kind != GPUTM_TX_LOG_KIND_READ];
}

uint32_t gputm_tx_log_rows(const struct gputm_tx_log *l, enum gputm_tx_log_kind kind)
{
	return names_log(kind) ? log_of(l, kind)->count : 0;
}

uint64_t gputm_tx_log_lanes(const struct gputm_tx_log *l, enum gputm_tx_log_kind kind)
{
	return names_log(kind) ? log_of(l, kind)->lanes : 0;
}

int gputm_tx_log_get_row(const struct gputm_tx_log *l, enum gputm_tx_log_kind kind, uint32_t index,
			 struct gputm_tx_log_row *out)
{
	const struct rows *log;

	if (!names_log(kind))
		return gputm__refuse(&l->unit, "kind = %u is neither 0, the read log, nor 1, the "
				     "write log", (unsigned)kind);
	log = log_of(l, kind);
	if (index >= log->count)
		return gputm__refuse(&l->unit, "row %u of a log with %u rows", index, log->count),
		       -ERANGE;
	out->mask = log->mask[index];
	out->address = log->address + (size_t)index * l->config.lanes;
	out->value = log->value + (size_t)index * l->config.lanes;
	out->spilled = index >= l->config.l1_rows;
	return 0;
}

int gputm_tx_log_get_group(const struct gputm_tx_log *l, enum gputm_tx_log_kind kind,
			   uint32_t index, uint64_t mask, uint64_t *lanes_of, uint64_t *set)
{
	struct gputm_tx_log_row row;
	uint64_t seen = 0;
	int error = gputm_tx_log_get_row(l, kind, index, &row);

	if (error)
		return error;
	for (uint64_t m = mask & row.mask; m; m &= m - 1) {
		unsigned lane = gputm__lowest(m);
		unsigned partition = gputm__partition_of(&l->map, row.address[lane]);
		uint64_t bit = UINT64_C(1) << partition;

		lanes_of[partition] = (seen & bit ? lanes_of[partition] : 0) |
				      UINT64_C(1) << lane;
		seen |= bit;
	}
	*set = seen;
	return 0;
}

uint32_t gputm__tx_log_row_of(const struct gputm_tx_log *l, enum gputm_tx_log_kind kind,
			      uint32_t row, unsigned lane, unsigned partition)
{
	const struct rows *log = log_of(l, kind);
	const uint64_t *address = log->address + (size_t)row * l->config.lanes + lane;

	for (; row < log->count; row++, address += l->config.lanes)
		if (log->mask[row] >> lane & 1 &&
		    gputm__partition_of(&l->map, *address) == partition)
			break;
	return row;
}

uint32_t gputm__tx_log_spilled(const struct gputm_tx_log *l, uint32_t row)
{
	return row > l->config.l1_rows ? row - l->config.l1_rows : 0;
}

uint32_t gputm_tx_log_partition(const struct gputm_tx_log *l, uint64_t address)
{
	return gputm__partition_of(&l->map, address);
}

uint64_t gputm_tx_log_packet_flits(const struct gputm_tx_log *l, uint32_t entries)
{
	uint64_t bytes = l->config.header_bytes + (uint64_t)entries * ENTRY_BYTES;

	return (bytes + l->config.flit_bytes - 1) >> l->flit_shift;
}
