/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * H3 hashing (L. Carter and M. Wegman, "Universal classes of hash functions", 1979),
 * as the thesis (4.1.1, 4.2.5) and GETM (V-B) use it for filters and tables.
 *
 *   index_w(key) = XOR of row[w][i] over the set bits i of key
 *
 * Rows are drawn so that the first index_bits of them are independent: then an
 * aligned run of 2^index_bits keys meets every index exactly once, and the function
 * has full rank over the whole key as well. Plain random rows lose that on a 4 KB page
 * in a quarter to three quarters of all draws, and with it part of the table.
 */
#include "lib/base/h3.h"

#define UNIT h3

static const struct gputm_param h3_rows[] = {
	PARAM(ways, 1, 16, 4, false, "Hash functions in the family.", "thesis 4.2.5"),
	PARAM(index_bits, 0, 32, 8, false, "Width of an index, bits.", "thesis 4.2.5"),
	PARAM(key_bits, 1, 64, 32, false, "Width of a key, bits.", "thesis 4.2.5"),
	PARAM(seed, 0, UINT64_MAX, 1, false, "Seed of the rows; equal seeds give equal functions.",
	      ""),
};

static const struct gputm_params h3_params = {
	"h3", sizeof(struct gputm_h3_config), h3_rows, GPUTM__COUNT(h3_rows), NULL, 0,
};

const struct gputm_params *gputm_h3_params(void)
{
	return &h3_params;
}

/* Reduce `row` by a basis indexed by leading bit; 0 if `row` depends on the basis. */
static uint32_t reduce(const uint32_t basis[32], uint32_t row)
{
	for (unsigned bit = 32; bit-- && row;)
		if (row >> bit & 1)
			row ^= basis[bit];
	return row;
}

static void draw_rows(const struct gputm_h3_config *config, uint32_t way, uint32_t *row)
{
	uint32_t basis[32] = { 0 }, rank = 0, rest;
	uint64_t state = gputm__mix64(gputm__mix64(config->seed) ^ (config->index_bits << 8 | way));

	for (uint32_t i = 0; config->index_bits && i < config->key_bits; i++) {
		do {
			row[i] = (uint32_t)(gputm__splitmix64(&state) >> (64 - config->index_bits));
			rest = rank < config->index_bits ? reduce(basis, row[i]) : row[i];
		} while (!rest);
		if (rank < config->index_bits) {
			basis[gputm__log2(rest)] = rest;
			rank++;
		}
	}
}

static int bring_rows(struct gputm_ctx *ctx, struct gputm_h3 *h3, const uint32_t *rows)
{
	uint64_t limit = gputm__low_mask(h3->config.index_bits);

	for (size_t i = 0; i < (size_t)h3->config.ways * h3->config.key_bits; i++) {
		if (rows[i] > limit) {
			gputm__log(ctx, GPUTM_LOG_ERROR, "h3: rows[%llu] = %u is outside 0 .. %llu",
				   (unsigned long long)i, rows[i], (unsigned long long)limit);
			return -EINVAL;
		}
		h3->row[i] = rows[i];
	}
	return 0;
}

/* The first way of a group, and its number of ways. */
static uint32_t first_way(const struct gputm_h3 *h3, uint32_t group)
{
	return group * h3->ways_per_group;
}

static uint32_t ways_of(const struct gputm_h3 *h3, uint32_t group)
{
	uint32_t left = h3->config.ways - first_way(h3, group);

	return left < h3->ways_per_group ? left : h3->ways_per_group;
}

/* The fields of a group for the key 0: the first cells of its ways. */
static uint64_t place_fields(const struct gputm_h3 *h3, uint32_t group)
{
	uint32_t bits = h3->config.index_bits, field = h3->shape.field_bits;
	uint64_t word = 0;

	if (bits + gputm__bits_for(h3->config.ways) > 32)
		return 0;
	for (uint32_t slot = 0; slot < ways_of(h3, group); slot++)
		word |= (uint64_t)(first_way(h3, group) + slot) << (bits + slot * field);
	return word;
}

/* The change of the fields by one bit of the hashed word; 0 for bits outside the key. */
static uint64_t bit_fields(const struct gputm_h3 *h3, uint32_t group, uint32_t bit)
{
	const uint32_t *row = h3->row + (size_t)first_way(h3, group) * h3->config.key_bits;
	uint64_t word = 0;

	if (bit < h3->low_bits || bit - h3->low_bits >= h3->config.key_bits)
		return 0;
	for (uint32_t slot = 0; slot < ways_of(h3, group); slot++)
		word |= (uint64_t)row[slot * h3->config.key_bits + bit - h3->low_bits]
			<< (slot * h3->shape.field_bits);
	return word;
}

/* The table of one byte: each value is the value without its highest bit, and that bit. */
static void fill_byte(const struct gputm_h3 *h3, uint64_t *table, uint32_t group, uint32_t byte)
{
	table[0] = byte ? 0 : place_fields(h3, group);
	for (uint32_t bit = 0; bit < 8; bit++) {
		uint64_t added = bit_fields(h3, group, byte * 8 + bit);

		for (uint32_t value = 0; value < 1u << bit; value++)
			table[value | 1u << bit] = table[value] ^ added;
	}
}

/* Bytes without a bit of the key stay zero. */
static void fill_tables(struct gputm_h3 *h3)
{
	uint32_t bytes = (h3->low_bits + h3->config.key_bits + 7) / 8;
	uint64_t *table = h3->table;

	for (uint32_t group = 0; group < h3->groups; group++, table += h3->group_size)
		for (uint32_t byte = 0; byte < bytes; byte++)
			fill_byte(h3, table + byte * 256, group, byte);
}

static uint64_t fingerprint(const struct gputm_h3 *h3)
{
	uint64_t hash = h3->config.ways;

	for (size_t i = 0; i < (size_t)h3->config.ways * h3->config.key_bits; i++)
		hash = gputm__mix64(hash ^ h3->row[i]);
	return hash;
}

/* Memory from the owner, or from the family itself. */
static void *take(struct gputm_ctx *ctx, struct gputm_unit *owner, size_t count, size_t size)
{
	return owner ? gputm__own(owner, count, size) : gputm__alloc(ctx, count, size);
}

static int build(struct gputm_h3 *h3, struct gputm_unit *owner, const uint32_t *rows)
{
	uint32_t ways = h3->config.ways, bits = h3->config.index_bits;
	int error = 0;

	h3->index_mask = gputm__low_mask(bits);
	h3->key_bytes = h3->config.key_bits + h3->low_bits <= 32 ? 4 : 8;
	h3->group_size = (size_t)h3->key_bytes * 256;
	h3->shape.ways = ways;
	h3->shape.field_bits = bits + gputm__bits_for(ways) <= 16 ? 16 : 32;
	h3->usual = ways == 4 && h3->shape.field_bits == 16;
	h3->ways_per_group = 64 / h3->shape.field_bits;
	h3->groups = (ways + h3->ways_per_group - 1) / h3->ways_per_group;
	h3->row = take(h3->ctx, owner, (size_t)ways * h3->config.key_bits, sizeof(*h3->row));
	h3->table = take(h3->ctx, owner, h3->groups * h3->group_size, sizeof(*h3->table));
	if (!h3->row || !h3->table)
		return -ENOMEM;
	if (rows)
		error = bring_rows(h3->ctx, h3, rows);
	else
		for (uint32_t way = 0; way < ways; way++)
			draw_rows(&h3->config, way, h3->row + (size_t)way * h3->config.key_bits);
	if (error)
		return error;
	fill_tables(h3);
	h3->fingerprint = fingerprint(h3);
	return 0;
}

static int make(struct gputm_ctx *ctx, struct gputm_unit *owner,
		const struct gputm_h3_config *config, uint32_t low_bits, struct gputm_h3 **out)
{
	struct gputm_h3 *h3 = take(ctx, owner, 1, sizeof(*h3));
	const uint32_t *rows;
	int error;

	if (!h3)
		return -ENOMEM;
	h3->ctx = owner ? ctx : gputm_ctx_ref(ctx);
	h3->low_bits = low_bits;
	error = gputm__params_read(ctx, &h3_params, config, &h3->config);
	rows = h3->config.rows;
	h3->config.rows = NULL; /* the caller's array; ours is row[] */
	if (!error)
		error = build(h3, owner, rows);
	if (error && !owner)
		gputm_h3_free(h3);
	if (!error)
		*out = h3;
	return error;
}

int gputm_h3_new(struct gputm_ctx *ctx, const struct gputm_h3_config *config,
		 struct gputm_h3 **out)
{
	return make(ctx, NULL, config, 0, out);
}

int gputm__h3_own(struct gputm_unit *owner, const struct gputm_h3_config *config,
		  uint32_t low_bits, struct gputm_h3 **out)
{
	return make(owner->ctx, owner, config, low_bits, out);
}

void gputm_h3_free(struct gputm_h3 *h3)
{
	struct gputm_ctx *ctx;

	if (!h3)
		return;
	ctx = h3->ctx;
	gputm__free(ctx, h3->row);
	gputm__free(ctx, h3->table);
	gputm__free(ctx, h3);
	gputm_ctx_unref(ctx);
}

uint32_t gputm_h3_index(const struct gputm_h3 *h3, uint32_t way, uint64_t key)
{
	if (way >= h3->config.ways)
		return 0;
	return (uint32_t)gputm__h3_index(h3, way, key & gputm__low_mask(h3->config.key_bits));
}

uint32_t gputm_h3_row(const struct gputm_h3 *h3, uint32_t way, uint32_t bit)
{
	if (way >= h3->config.ways || bit >= h3->config.key_bits)
		return 0;
	return h3->row[(size_t)way * h3->config.key_bits + bit];
}

/* ---- rows from another hash ---- */

struct foreign {
	gputm_h3_fn hash;
	void *state;
	uint32_t index_bits, key_bits, shift;
};

static void take_rows(const struct foreign *f, uint32_t way, uint32_t row[])
{
	for (uint32_t bit = 0; bit < f->key_bits; bit++)
		row[bit] = f->hash(f->state, way, UINT64_C(1) << (bit + f->shift));
}

static uint32_t hash_by_rows(const uint32_t row[], uint64_t key)
{
	uint32_t index = 0;

	for (; key; key &= key - 1)
		index ^= row[gputm__lowest(key)];
	return index;
}

/* Any keys will do: a hash that is not linear fails for half of them. */
static int check_linear(struct gputm_ctx *ctx, const struct foreign *f, uint32_t way)
{
	uint64_t random = way, key = 0;
	uint32_t row[64];

	take_rows(f, way, row);
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t expected = hash_by_rows(row, key);
		uint32_t given = f->hash(f->state, way, key << f->shift);

		if (given > gputm__low_mask(f->index_bits)) {
			gputm__log(ctx, GPUTM_LOG_ERROR, "h3: index %u of key 0x%llx in way %u is "
				   "outside 0 .. %llu", given, (unsigned long long)key, way,
				   (unsigned long long)gputm__low_mask(f->index_bits));
			return -ERANGE;
		}
		if (given != expected) {
			gputm__log(ctx, GPUTM_LOG_ERROR, "h3: the hash of way %u is not linear: "
				   "index %u of key 0x%llx, %u by the bits of the key", way, given,
				   (unsigned long long)key, expected);
			return -EINVAL;
		}
		key = gputm__splitmix64(&random) & gputm__low_mask(f->key_bits);
	}
	return 0;
}

int gputm_h3_rows_from(struct gputm_ctx *ctx, gputm_h3_fn hash, void *state, uint32_t ways,
		       uint32_t index_bits, uint32_t key_bits, uint32_t shift, uint32_t *rows)
{
	const struct foreign f = { hash, state, index_bits, key_bits, shift };
	int error = 0;

	if (!ways || ways > GPUTM__H3_WAYS || index_bits > 32 || !key_bits || key_bits > 64 ||
	    shift > 64 - key_bits) {
		gputm__log(ctx, GPUTM_LOG_ERROR,
			   "h3: ways = %u (1 .. 16), index_bits = %u (0 .. 32), key_bits + shift = "
			   "%u + %u (1 .. 64)", ways, index_bits, key_bits, shift);
		return -EINVAL;
	}
	for (uint32_t way = 0; way < ways && !error; way++)
		error = check_linear(ctx, &f, way);
	for (uint32_t way = 0; way < ways && !error; way++)
		take_rows(&f, way, rows + (size_t)way * key_bits);
	return error;
}
