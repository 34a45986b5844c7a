/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An array of small Bloom signatures.
 *
 * Sources: Fung's thesis 2015, 4.2.3 (reads of own writes), 4.4.3 (signature array
 * beside the last writer history), 6.3.2 (sequential intra-warp resolution);
 * Villegas, Navarro, Asenjo, Plata, "Hardware support for local memory
 * transactions on GPU architectures", TRANSACT 2015, 3.3 (8-bit signatures,
 * address modulo 8).
 *
 * A signature of B bits with k hashes is k sub-signatures of B / k bits side by side.
 * An address is cut to its granule number; hash i of that number picks one bit of
 * sub-signature i.
 *
 *   insert           set the k bits
 *   maybe_contains   all k bits are set? no: certainly absent; yes: perhaps inserted
 *   clear            all bits to 0
 *   union            bitwise OR of two signatures: contains what either contains
 *   match            maybe_contains asked of every signature of the array
 *
 * The array is held column by column: a column is the same bit of up to 64 signatures, so that
 * a match is the AND of k columns for each group of them. A group of fewer signatures (a
 * power of two) has narrower columns, several to a word:
 *
 *   signature                 63 ... 2 1 0
 *   group 0    column 0        0 ... 0 1 0     signature 1 has bit 0
 *              column 1        0 ... 1 1 0     signatures 1 and 2 have bit 1
 *
 * The modulo hash of GPU-LocalTM is the member of the H3 family whose row i is 1 << i
 * for the low bits and 0 above, so both kinds share one data path. The example of
 * 3.3: word 35 lies in bank 35 mod 32 = 3 at position 35 div 32 = 1 and takes bit
 * 1 mod 8 = 1. With granules of 128 bytes (one word of each of 32 banks) the granule
 * number of byte address 140 is that position, and the bit is the same:
 *
 *   insert(140):  0 1 0 0 0 0 0 0      maybe_contains(140 + 8 * 128): yes, falsely
 *
 * Invariants, proved by check():
 *  I1  no bit is set beyond the last signature, nor after the last column
 *  I2  in a signature either all sub-signatures are empty or none is
 *  I3  bits_set is the number of bits set in all signatures
 *  I4  insertions = fresh + repeated; lookups = hits + misses; matched <= matches x count
 *
 * Differences from the papers:
 *  - One geometry and one set of hash functions for the whole array, as in hardware that
 *    instantiates one design many times.
 *  - 6.3.2 does not say how large the signature is or how it is hashed; both are config.
 *  - 4.4.3 gives every commit entry two signatures (read and write) and counts 120 kB.
 *    1920 signatures of 512 bits are exactly 120 KiB, so that figure counts one of the
 *    two; the preset is one set, and a design with both uses two units.
 */
#include "gputm/signature.h"
#include "lib/base/h3.h"
#include "lib/base/unit.h"

struct gputm_signature {
	struct gputm_unit unit;
	struct gputm_signature_config config;
	struct gputm_h3 *h3;
	uint64_t *word;	      /* [groups][words] */
	uint64_t address_max; /* largest address */
	uint32_t shift;	      /* log2(granularity) */
	uint32_t width;	      /* log2 of the signatures of a group: of the bits of a column */
	uint32_t low;	      /* lowest bits of an index: the place in a group */
	uint32_t words;	      /* of a group */
	uint32_t sub_bits;    /* bits of a sub-signature */
	uint64_t bits_set;
	uint64_t insertions, fresh, repeated, lookups, hits, misses;
	uint64_t matches, matched, clears, unions;
};

#define UNIT signature

static const char *const hash_names[] = { "h3", "modulo", NULL };

static const struct gputm_param rows[] = {
	PARAM(count, 1, 1 << 20, 1, false, "Signatures in the array.", "thesis 4.4.3"),
	PARAM(bits, 8, 1 << 15, 256, true, "Bits of one signature.", "thesis 4.4.3"),
	PARAM(hashes, 1, 8, 4, true, "Sub-signatures, each with a hash of its own.",
	      "thesis 4.4.3"),
	CHOICE(hash, 0, 1, GPUTM_SIGNATURE_HASH_H3, hash_names,
	       "How a granule number picks a bit; modulo takes one hash.",
	       "thesis 4.4.3, LocalTM 3.3"),
	PARAM(granularity, 1, 1 << 16, 4, true, "Bytes that count as one address.", "LocalTM 3.3"),
	PARAM(address_bits, 8, 64, 32, false, "Width of an address, bits.", ""),
	PARAM(seed, 0, UINT64_MAX, 1, false, "Seed of the H3 rows.", ""),
};

static const struct gputm_preset presets[] = {
	{ "bf-array",
	  "Thesis 4.4.3: 512 bits in 4 sub-signatures for each of 1920 entries, 120 KiB.",
	  { { "count", 1920 }, { "bits", 512 }, { "hashes", 4 } } },
	{ "localtm",
	  "LocalTM 3.3: one bank, 8 bits for each of 256 work-items, position modulo 8.",
	  { { "count", 256 },
	    { "bits", 8 },
	    { "hashes", 1 },
	    { "hash", GPUTM_SIGNATURE_HASH_MODULO },
	    { "granularity", 128 },
	    { "address_bits", 16 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(insertions, COUNTER, "addresses", "Addresses inserted."),
	STAT(fresh, COUNTER, "addresses", "Insertions that set at least one bit."),
	STAT(repeated, COUNTER, "addresses", "Insertions that set none."),
	STAT(lookups, COUNTER, "lookups", "Questions to one signature."),
	STAT(hits, COUNTER, "lookups", "Questions answered with maybe."),
	STAT(misses, COUNTER, "lookups", "Questions answered with absent."),
	STAT(matches, COUNTER, "lookups", "Questions to the whole array."),
	STAT(matched, COUNTER, "signatures", "Signatures that answered maybe to those."),
	STAT(clears, COUNTER, "clears", "Flash clears of one signature."),
	STAT(unions, COUNTER, "unions", "Signatures added to another one."),
	STAT(bits_set, GAUGE, "bits", "Bits set in all signatures."),
};

static const char *const results[] = { "absent", "maybe" };

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_SIGNATURE_EVENT_INSERT, "insert", "A signature has got an address.",
	      VALUE(signature, "signature", "The signature."),
	      VALUE(address, "byte address", "The address."),
	      VALUE(bits, "bits", "Bits that were not set before.")),
	EVENT(GPUTM_SIGNATURE_EVENT_LOOKUP, "lookup",
	      "The caller has asked a signature for an address.",
	      VALUE(signature, "signature", "The signature."),
	      VALUE(address, "byte address", "The address."),
	      NAMED(outcome, results, "The answer.")),
	EVENT(GPUTM_SIGNATURE_EVENT_MATCH, "match",
	      "The caller has asked all signatures for an address.",
	      VALUE(address, "byte address", "The address."),
	      VALUE(signatures, "signatures", "Signatures that may have the address.")),
	EVENT(GPUTM_SIGNATURE_EVENT_CLEAR, "clear", "A signature is empty again.",
	      VALUE(signature, "signature", "The signature.")),
	EVENT(GPUTM_SIGNATURE_EVENT_UNION, "union", "A signature has got all addresses of another.",
	      VALUE(signature, "signature", "The signature that has grown."),
	      VALUE(added, "signature", "The other signature.")),
};

static size_t groups(const struct gputm_signature *array)
{
	return (((size_t)array->config.count - 1) >> array->width) + 1;
}

static size_t all_words(const struct gputm_signature *array)
{
	return groups(array) * array->words;
}

static int validate(const struct gputm_unit *unit)
{
	const struct gputm_signature_config *c = gputm_unit_config(unit);
	int error = gputm__check_granularity(unit, c->granularity, c->address_bits);

	if (error)
		return error;
	if (c->hashes > c->bits / 2)
		return gputm__refuse(unit, "hashes = %u is outside 1 .. %u, half of bits",
				     c->hashes, c->bits / 2);
	if (c->hash == GPUTM_SIGNATURE_HASH_MODULO && c->hashes != 1)
		return gputm__refuse(unit, "hashes = %u is outside 1 .. 1, as hash is modulo",
				     c->hashes);
	return 0;
}

static int make_hash(struct gputm_signature *array)
{
	struct gputm_signature_config *c = &array->config;
	struct gputm_h3_config h3 = gputm__h3_config(c->hashes, array->sub_bits,
						     c->address_bits - array->shift, c->seed,
						     c->h3_rows);
	uint32_t modulo[64] = { 0 };
	int error;

	for (uint32_t i = 0; i < h3.index_bits; i++)
		modulo[i] = UINT32_C(1) << i;
	if (c->hash == GPUTM_SIGNATURE_HASH_MODULO)
		h3.rows = modulo;
	error = gputm__h3_own(&array->unit, &h3, array->shift, &array->h3);
	if (!error)
		c->h3_rows = c->h3_rows ? array->h3->row : NULL;
	return error;
}

static int setup(struct gputm_unit *unit)
{
	struct gputm_signature *array = (void *)unit;
	const struct gputm_signature_config *c = &array->config;
	int error;

	array->shift = gputm__log2(c->granularity);
	array->address_max = gputm__low_mask(c->address_bits);
	array->width = c->count < 64 ? gputm__log2(2 * c->count - 1) : 6;
	array->low = (1u << array->width) - 1;
	array->words = ((c->bits << array->width) + 63) / 64;
	array->sub_bits = c->bits >> gputm__log2(c->hashes);
	error = make_hash(array);
	if (error)
		return error;
	array->word = gputm__own(unit, all_words(array), sizeof(*array->word));
	return 0;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_signature *array = (void *)unit;

	memset(array->word, 0, all_words(array) * sizeof(*array->word));
	array->bits_set = 0;
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_signature *array = (void *)unit;

	gputm__io_same(io, array->h3->fingerprint, "its hash rows are others");
	gputm__io_u64(io, &array->bits_set);
	gputm__io_u64s(io, array->word, all_words(array));
}

static uint64_t *group_of(const struct gputm_signature *array, uint32_t index)
{
	return array->word + (size_t)(index >> array->width) * array->words;
}

/* A bit for each signature of the group: does it have the bit at this place? Higher bits are of
 * other columns. */
static inline uint64_t column(const struct gputm_signature *array, const uint64_t *group,
			      uint32_t place)
{
	uint32_t at = place << array->width;

	return group[at >> 6] >> (at & 63);
}

/* The bits of a column. */
static inline uint64_t lanes(const struct gputm_signature *array)
{
	return gputm__low_mask(array->low + 1);
}

/* All bits that a signature has in a word of its group. */
static uint64_t own_bits(const struct gputm_signature *array, uint32_t index)
{
	return UINT64_MAX / lanes(array) << (index & array->low);
}

static uint32_t population(const struct gputm_signature *array, uint32_t index)
{
	const uint64_t *group = group_of(array, index);
	uint64_t own = own_bits(array, index);
	uint32_t set = 0;

	for (uint32_t i = 0; i < array->words; i++)
		set += gputm__popcount(group[i] & own);
	return set;
}

/* Signatures of a group with a bit set in this sub-signature. */
static uint64_t users(const struct gputm_signature *array, const uint64_t *group, uint32_t sub)
{
	uint64_t any = 0;

	for (uint32_t i = 0; i < array->sub_bits; i++)
		any |= column(array, group, sub * array->sub_bits + i);
	return any & lanes(array);
}

static const char *check_group(const struct gputm_signature *array, uint32_t first)
{
	const uint64_t *group = group_of(array, first);
	uint32_t left = array->config.count - first, used = array->config.bits << array->width;
	uint64_t any = users(array, group, 0);

	if (any & ~gputm__low_mask(left < 64 ? left : 64))
		return "I1: a bit beyond the last signature is set";
	if (used < 64 && *group >> used)
		return "I1: a bit past the last column is set";
	for (uint32_t sub = 1; sub < array->config.hashes; sub++)
		if (users(array, group, sub) != any)
			return "I2: one sub-signature of a signature is empty and another is not";
	return NULL;
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_signature *array = (const void *)unit;
	uint64_t set = 0;

	for (uint32_t first = 0; first < array->config.count; first += 1u << array->width) {
		const char *broken = check_group(array, first);

		if (broken)
			return broken;
	}
	for (size_t i = 0; i < all_words(array); i++)
		set += gputm__popcount(array->word[i]);
	if (set != array->bits_set)
		return "I3: bits_set differs from the number of bits set";
	if (array->insertions != array->fresh + array->repeated)
		return "I4: insertions differ from fresh + repeated";
	if (array->lookups != array->hits + array->misses)
		return "I4: lookups differ from hits + misses";
	return array->matched <= array->matches * array->config.count ?
		       NULL :
		       "I4: more signatures matched than were asked";
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_signature_config *c = gputm_unit_config(unit);

	gputm__array(out, "signatures", c->count, c->bits, 1);
}

GPUTM__UNIT(signature, .version = 2, .setup = setup, .validate = validate)

/* ---- data path ---- */

/*
 * Where the bits of an address are in its signature: 16-bit fields, four to a hash group. (A cell
 * of the family, sub-signature and index, is the place of a bit.)
 */
struct places {
	uint64_t low, high;
};

static struct places places_of(const struct gputm_signature *array, uint64_t address)
{
	struct places places = { gputm__h3_group(array->h3, 0, address), 0 };

	if (array->config.hashes == 8)
		places.high = gputm__h3_group(array->h3, 1, address);
	return places;
}

/* Where the bit of a signature is in its group, from the lowest field. */
static inline uint32_t spot(const struct gputm_signature *array, uint32_t lane, uint64_t fields)
{
	return (uint16_t)fields * (array->low + 1) + lane;
}

/* Insert by the lowest `hashes` fields. @return the number of bits newly set. */
static inline uint32_t set_fields(const struct gputm_signature *array, uint32_t index,
				  uint64_t fields, uint32_t hashes)
{
	const uint32_t lane = index & array->low;
	uint64_t *group = group_of(array, index);
	uint32_t set = 0;

	for (; hashes; hashes--, fields >>= 16) {
		uint32_t at = spot(array, lane, fields);
		uint64_t bit = UINT64_C(1) << (at & 63);

		set += !(group[at >> 6] & bit);
		group[at >> 6] |= bit;
	}
	return set;
}

static inline uint32_t set_bits(const struct gputm_signature *array, uint32_t index,
				struct places places)
{
	if (array->config.hashes == 8)
		return set_fields(array, index, places.low, 4) +
		       set_fields(array, index, places.high, 4);
	return set_fields(array, index, places.low, array->config.hashes);
}

static inline bool has_fields(const struct gputm_signature *array, uint32_t index, uint64_t fields,
			      uint32_t hashes)
{
	const uint64_t *group = group_of(array, index);
	const uint32_t lane = index & array->low;

	for (; hashes; hashes--, fields >>= 16) {
		uint32_t at = spot(array, lane, fields);

		if (!(group[at >> 6] >> (at & 63) & 1))
			return false;
	}
	return true;
}

static inline bool contains(const struct gputm_signature *array, uint32_t index,
			    struct places places)
{
	if (array->config.hashes == 8)
		return has_fields(array, index, places.low, 4) &&
		       has_fields(array, index, places.high, 4);
	return has_fields(array, index, places.low, array->config.hashes);
}

static int check_index(const struct gputm_signature *array, uint32_t index)
{
	if (index < array->config.count)
		return 0;
	return gputm__out_of_range(&array->unit, "index", index, 0, array->config.count - 1);
}

static int check_address(const struct gputm_signature *array, uint64_t address)
{
	if (address <= array->address_max)
		return 0;
	return gputm__out_of_range(&array->unit, "address", address, 0, array->address_max);
}

int gputm_signature_insert(struct gputm_signature *array, uint32_t index, uint64_t address)
{
	int error = check_index(array, index);
	uint32_t set;

	if (!error)
		error = check_address(array, address);
	if (error)
		return error;
	set = set_bits(array, index, places_of(array, address));
	array->bits_set += set;
	array->insertions++;
	if (set)
		array->fresh++;
	else
		array->repeated++;
	gputm__emit(&array->unit, GPUTM_SIGNATURE_EVENT_INSERT, index, address, set, 0);
	return 0;
}

int gputm_signature_maybe_contains_probe(const struct gputm_signature *array, uint32_t index,
					 uint64_t address)
{
	int error = check_index(array, index);

	if (!error)
		error = check_address(array, address);
	if (error)
		return error;
	return contains(array, index, places_of(array, address));
}

int gputm_signature_maybe_contains(struct gputm_signature *array, uint32_t index, uint64_t address)
{
	int result = gputm_signature_maybe_contains_probe(array, index, address);

	if (result < 0)
		return result;
	array->lookups++;
	if (result == GPUTM_SIGNATURE_MAYBE)
		array->hits++;
	else
		array->misses++;
	gputm__emit(&array->unit, GPUTM_SIGNATURE_EVENT_LOOKUP, index, address, (uint64_t)result,
		    0);
	return result;
}

int gputm_signature_match(struct gputm_signature *array, uint64_t address, uint64_t *mask)
{
	int error = check_address(array, address), found = 0;
	const size_t count = groups(array), words = array->words;
	struct places places;

	if (error)
		return error;
	places = places_of(array, address);
	for (size_t i = 0; i < count; i++)
		mask[i] = lanes(array);
	for (uint32_t hash = 0; hash < array->config.hashes; hash++) {
		uint64_t fields = (hash & 4 ? places.high : places.low) >> 16 * (hash & 3);
		uint32_t at = spot(array, 0, fields);
		const uint64_t *column = array->word + (at >> 6);

		for (size_t i = 0; i < count; i++)
			mask[i] &= column[i * words] >> (at & 63);
	}
	for (size_t i = 0; i < count; i++)
		if (mask[i])
			found += (int)gputm__popcount(mask[i]);
	array->matches++;
	array->matched += (uint64_t)found;
	gputm__emit(&array->unit, GPUTM_SIGNATURE_EVENT_MATCH, address, (uint64_t)found, 0, 0);
	return found;
}

int gputm_signature_clear(struct gputm_signature *array, uint32_t index)
{
	int error = check_index(array, index);
	uint64_t *group, own;

	if (error)
		return error;
	group = group_of(array, index);
	own = own_bits(array, index);
	for (uint32_t i = 0; i < array->words; i++) {
		if (!(group[i] & own))
			continue;
		array->bits_set -= gputm__popcount(group[i] & own);
		group[i] &= ~own;
	}
	array->clears++;
	gputm__emit(&array->unit, GPUTM_SIGNATURE_EVENT_CLEAR, index, 0, 0, 0);
	return 0;
}

int gputm_signature_union(struct gputm_signature *array, uint32_t into, uint32_t from)
{
	int error = check_index(array, into);
	uint64_t *to, *source, own;

	if (!error)
		error = check_index(array, from);
	if (error)
		return error;
	to = group_of(array, into);
	source = group_of(array, from);
	own = own_bits(array, from);
	array->bits_set -= population(array, into);
	for (uint32_t i = 0; i < array->words; i++)
		to[i] |= (source[i] & own) >> (from & array->low) << (into & array->low);
	array->bits_set += population(array, into);
	array->unions++;
	gputm__emit(&array->unit, GPUTM_SIGNATURE_EVENT_UNION, into, from, 0, 0);
	return 0;
}

uint32_t gputm_signature_population(const struct gputm_signature *array, uint32_t index)
{
	return index < array->config.count ? population(array, index) : 0;
}
