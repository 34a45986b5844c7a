/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commit ID vendor and credits.
 *
 * Source: Fung, "GPU computing architecture for irregular parallelism", PhD thesis
 * 2015, section 4.2.5, Fig. 4.4 and "Commit Unit Resource Allocation"; sizes from
 * Tables 4.4 and 6.1 and section 4.4.4.
 *
 * Every transaction that commits gets a commit ID (CID), which fixes its place in the
 * commit order and names one entry in the ring of every partition's commit unit. The
 * thesis makes a warp acquire credits for these entries first, from a pool that
 * its core owns, and then contiguous CIDs from a centralised vendor:
 *
 *   acquire(core, n)   pool[core] < n            -> SHORT, nothing taken
 *                      next + n - oldest > ring  -> WINDOW, nothing taken
 *                      else pool[core] -= n; CIDs next .. next + n - 1; next += n
 *   report(p, c, n)    partition p is marked as done at CIDs c .. c + n - 1; a CID with
 *                      all partitions marked puts its credit back into its core's pool;
 *                      oldest moves over the leading CIDs whose credit is back
 *
 * The vendor keeps the CIDs from oldest to next in a ring of records, a record being
 * the core and one bit per partition that has still to report:
 *
 *            oldest                          next
 *      CID      7      8      9     10     | 11        2 partitions, ring 5
 *   missing    {1}    {}    {0,1}   {1}    | free      8 is back already: its
 *      core     0      0      3      0     |           report overtook that of 7
 *
 * Why credits keep every ring from overflowing: a partition retires in CID order, and
 * a credit is out for at least as long as any partition holds the entry. So the entries
 * a partition holds are the unretired CIDs up to the newest, all of them have their
 * credit out, and credits out <= credits <= ring.
 *
 * Invariants, proved by check():
 *  I1  oldest <= next and next - oldest <= ring
 *  I2  a record in the window has a core below cores and marks below 2^partitions; the
 *      record of oldest is in flight (some partition is missing)
 *  I3  records outside the window are empty
 *  I4  per pool: credits in the pool + CIDs in flight of its cores = credits
 *  I5  issued = returned + in flight, and next = first CID + issued
 *  I6  reports = partitions x returned + reports at CIDs in flight
 *
 * Differences from the paper:
 *  - The thesis assumes that entries never run out and leaves credits unevaluated; what
 *    a credit stands for and when it returns is decided here: one CID's entry in all
 *    partitions, back when the last of them has retired it.
 *  - The thesis has a pool per core. One pool for all cores is offered too: it never
 *    leaves a credit idle, at the price of a central unit.
 *  - WINDOW is ours. The records are a ring as large as the partitions' rings, and reports
 *    to different cores, which have no order, could otherwise let CIDs run ahead of a late
 *    one without bound. In-order reports never meet it.
 *  - CIDs are 64 bits and do not wrap; the fields that store them elsewhere do.
 */
#include "gputm/commit_id.h"
#include "lib/base/unit.h"

struct gputm_commit_id {
	struct gputm_unit unit;
	struct gputm_commit_id_config config;
	uint64_t all;	       /* one bit per partition */
	uint64_t oldest, next; /* CIDs */
	uint32_t pool_count;
	uint32_t mask;	   /* places of records - 1: a power of two, at least ring */
	uint32_t *pool;	   /* [pool_count] credits */
	uint64_t *missing; /* [places] partitions that have still to report */
	uint32_t *core;	   /* [places] */
	/* statistics */
	uint64_t in_flight, maximum_in_flight;
	uint64_t grants, issued, returned, reports, refused_short, refused_window;
};

#define UNIT commit_id

static const char *const pools_names[] = { "shared", "per_core", NULL };

static const struct gputm_param rows[] = {
	PARAM(cores, 1, 1024, 15, false, "SIMT cores that commit.", "thesis Table 6.1"),
	PARAM(partitions, 1, 64, 6, false, "Memory partitions that report retirement.",
	      "thesis Table 6.1"),
	PARAM(ring, 1, 1 << 22, 23040, false, "Commit entries in the ring of one partition.",
	      "thesis 4.4.4"),
	CHOICE(pools, 0, 1, GPUTM_COMMIT_ID_POOLS_PER_CORE, pools_names,
	       "Whether the cores share one pool of credits or have one each.", "thesis 4.2.5"),
	PARAM(credits, 1, 1 << 22, 1536, false,
	      "Credits in each pool; all pools together do not exceed ring.", "thesis 4.2.5"),
	PARAM(first_cid, 0, UINT64_C(1) << 48, 1, false, "Commit ID that is given out first.", ""),
};

static const struct gputm_preset presets[] = {
	{ "kilo-tm",
	  "Thesis Table 4.4 and 4.4.4: 1920 entries, two warps of each of 30 cores.",
	  { { "cores", 30 }, { "partitions", 8 }, { "ring", 1920 }, { "credits", 64 } } },
	{ "warptm",
	  "Thesis Table 6.1 and 6.3: 1920 entries, four warps of each of 15 cores.",
	  { { "cores", 15 }, { "partitions", 6 }, { "ring", 1920 }, { "credits", 128 } } },
	{ "unbounded",
	  "As the released simulator: an entry for every resident lane.",
	  { { "cores", 15 }, { "partitions", 6 }, { "ring", 23040 }, { "credits", 1536 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(grants, COUNTER, "requests", "Requests that got their CIDs."),
	STAT(refused_short, COUNTER, "requests",
	     "Requests refused because the pool held too few credits."),
	STAT(refused_window, COUNTER, "requests",
	     "Requests refused because an old credit is still out."),
	STAT(issued, COUNTER, "CIDs", "CIDs given out: returned + in_flight."),
	STAT(returned, COUNTER, "CIDs", "CIDs whose credit came back."),
	STAT(reports, COUNTER, "reports", "Retirements reported, one per partition and CID."),
	STAT(in_flight, GAUGE, "CIDs", "CIDs given out whose credit is out."),
	STAT(maximum_in_flight, MAXIMUM, "CIDs", "Most CIDs in flight at a time."),
};

static const char *const results[] = { "ok", "short", "window" };

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_COMMIT_ID_EVENT_ACQUIRE, "acquire", "A core has got commit IDs.",
	      VALUE(core, "core", "The core."),
	      VALUE(first_cid, "CID", "The first commit ID."),
	      VALUE(cids, "CIDs", "How many commit IDs the core has got."),
	      VALUE(credits, "credits", "Credits that are left in the core's pool.")),
	EVENT(GPUTM_COMMIT_ID_EVENT_REFUSE, "refuse",
	      "A core has asked for commit IDs and has to ask again.",
	      VALUE(core, "core", "The core."),
	      NAMED(outcome, results, "Why the core has to ask again."),
	      VALUE(cids, "CIDs", "How many commit IDs the core has asked for."),
	      VALUE(credits, "credits", "Credits in the core's pool.")),
	EVENT(GPUTM_COMMIT_ID_EVENT_RETURN, "return", "A core has got a credit back.",
	      VALUE(core, "core", "The core."),
	      VALUE(cid, "CID", "The commit ID that has retired."),
	      VALUE(credits, "credits", "Credits in the core's pool now.")),
};

static uint32_t pools_of(const struct gputm_commit_id_config *config)
{
	return config->pools == GPUTM_COMMIT_ID_POOLS_PER_CORE ? config->cores : 1;
}

static int validate(const struct gputm_unit *unit)
{
	const struct gputm_commit_id_config *config = gputm_unit_config(unit);
	uint64_t total = (uint64_t)pools_of(config) * config->credits;

	if (total <= config->ring)
		return 0;
	return gputm__refuse(unit, "credits = %u in each of %u pools are %llu, more than ring = %u",
			     config->credits, pools_of(config), (unsigned long long)total,
			     config->ring);
}

static size_t places_of(const struct gputm_commit_id *vendor)
{
	return (size_t)vendor->mask + 1;
}

/* The place of a CID's record. */
static uint32_t place_of(const struct gputm_commit_id *vendor, uint64_t cid)
{
	return (uint32_t)cid & vendor->mask;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_commit_id *vendor = (void *)unit;
	uint64_t window = vendor->next - vendor->oldest;

	/* Records outside the window are empty. */
	for (uint64_t i = 0; i < window && i < places_of(vendor); i++) {
		uint32_t at = place_of(vendor, vendor->oldest + i);

		vendor->missing[at] = 0;
		vendor->core[at] = 0;
	}
	vendor->oldest = vendor->next = vendor->config.first_cid;
	vendor->in_flight = 0;
	for (uint32_t i = 0; i < vendor->pool_count; i++)
		vendor->pool[i] = vendor->config.credits;
}

static int setup(struct gputm_unit *unit)
{
	struct gputm_commit_id *vendor = (void *)unit;

	vendor->pool_count = pools_of(&vendor->config);
	vendor->all = gputm__low_mask(vendor->config.partitions);
	vendor->pool = gputm__own(unit, vendor->pool_count, sizeof(*vendor->pool));
	vendor->mask = (uint32_t)gputm__low_mask(gputm__bits_for(vendor->config.ring));
	vendor->missing = gputm__own(unit, places_of(vendor), sizeof(*vendor->missing));
	vendor->core = gputm__own(unit, places_of(vendor), sizeof(*vendor->core));
	return 0;
}

static uint32_t pool_of(const struct gputm_commit_id *vendor, uint32_t core)
{
	return vendor->config.pools == GPUTM_COMMIT_ID_POOLS_PER_CORE ? core : 0;
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_commit_id *vendor = (void *)unit;

	gputm__io_u64_max(io, &vendor->oldest, UINT64_C(1) << 62, "oldest");
	gputm__io_u64_max(io, &vendor->next, UINT64_C(1) << 62, "next");
	gputm__io_u64(io, &vendor->in_flight);
	gputm__io_u32s(io, vendor->pool, vendor->pool_count);
	if (!io->error && vendor->next - vendor->oldest > vendor->config.ring)
		gputm__io_fail(io, -EINVAL, "more CIDs than the ring has entries");
	for (uint64_t cid = vendor->oldest; cid < vendor->next && !io->error; cid++) {
		uint32_t at = place_of(vendor, cid);

		gputm__io_u64_max(io, &vendor->missing[at], vendor->all, "missing partitions");
		gputm__io_u32_max(io, &vendor->core[at], vendor->config.cores - 1, "core");
	}
}

/* Credits of one pool that are with CIDs in flight. */
static uint64_t credits_out(const struct gputm_commit_id *vendor, uint32_t pool)
{
	uint64_t out = 0;

	for (uint64_t cid = vendor->oldest; cid < vendor->next; cid++) {
		uint32_t at = place_of(vendor, cid);

		out += vendor->missing[at] && pool_of(vendor, vendor->core[at]) == pool;
	}
	return out;
}

static const char *check_pools(const struct gputm_commit_id *vendor)
{
	for (uint32_t i = 0; i < vendor->pool_count; i++)
		if (vendor->pool[i] + credits_out(vendor, i) != vendor->config.credits)
			return "I4: free credits + commit IDs in flight differ from the pool";
	return NULL;
}

static const char *check_records(const struct gputm_commit_id *vendor)
{
	uint64_t window = vendor->next - vendor->oldest, in_flight = 0;

	for (uint64_t i = 0; i < places_of(vendor); i++) {
		uint32_t at = place_of(vendor, vendor->oldest + i);
		uint64_t missing = vendor->missing[at];

		if (missing & ~vendor->all || vendor->core[at] >= vendor->config.cores)
			return "I2: a record names a core or partition that does not exist";
		if (i >= window && (missing || vendor->core[at]))
			return "I3: a record outside the window is not empty";
		in_flight += missing != 0;
	}
	if (in_flight != vendor->in_flight)
		return "I5: in_flight is not the number of records in flight";
	return NULL;
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_commit_id *vendor = (const void *)unit;
	const char *broken;

	if (vendor->oldest > vendor->next || vendor->next - vendor->oldest > vendor->config.ring)
		return "I1: the window of CIDs does not fit the ring";
	if (vendor->oldest < vendor->next && !vendor->missing[place_of(vendor, vendor->oldest)])
		return "I2: the oldest CID is not in flight";
	broken = check_records(vendor);
	return broken ? broken : check_pools(vendor);
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_commit_id *vendor = (const void *)unit;
	const struct gputm_commit_id_config *config = &vendor->config;
	uint32_t credit_bits = gputm__bits_for((uint64_t)config->credits + 1);
	uint32_t record_bits = config->partitions + gputm__bits_for(config->cores);

	gputm__array_apart(out, "pools", vendor->pool_count, credit_bits, 1);
	gputm__array_apart(out, "records", config->ring, record_bits, 1);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_commit_id *vendor = (const void *)unit;
	uint64_t marked = 0;

	for (size_t i = 0; i < places_of(vendor); i++)
		if (vendor->missing[i])
			marked += gputm__popcount(vendor->all & ~vendor->missing[i]);
	gputm__law(laws, vendor->reports, vendor->config.partitions * vendor->returned + marked,
		   "I6: reports do not add up to the CIDs returned and in flight");
	gputm__law(laws, vendor->issued, vendor->returned + vendor->in_flight,
		   "I5: CIDs issued are not those returned and those in flight");
	gputm__law(laws, vendor->config.first_cid + vendor->issued, vendor->next,
		   "I5: the next CID is not after the CIDs issued");
}

GPUTM__UNIT(commit_id, .version = 1, .setup = setup, .validate = validate, .laws = laws)

int gputm_commit_id_acquire_probe(const struct gputm_commit_id *vendor, uint32_t core,
				  uint32_t count)
{
	uint32_t most = vendor->config.credits < 64 ? vendor->config.credits : 64;

	if (core >= vendor->config.cores)
		return gputm__out_of_range(&vendor->unit, "core", core, 0,
					   vendor->config.cores - 1);
	if (!count || count > most)
		return gputm__out_of_range(&vendor->unit, "count", count, 1, most);
	if (vendor->pool[pool_of(vendor, core)] < count)
		return GPUTM_COMMIT_ID_SHORT;
	if (vendor->next + count - vendor->oldest > vendor->config.ring)
		return GPUTM_COMMIT_ID_WINDOW;
	return GPUTM_COMMIT_ID_OK;
}

static void take(struct gputm_commit_id *vendor, uint32_t core, uint32_t count)
{
	uint64_t end = vendor->next + count;

	for (; vendor->next < end; vendor->next++) {
		vendor->missing[place_of(vendor, vendor->next)] = vendor->all;
		vendor->core[place_of(vendor, vendor->next)] = core;
	}
	vendor->pool[pool_of(vendor, core)] -= count;
	vendor->in_flight += count;
	vendor->grants++;
	vendor->issued += count;
	gputm__maximum(&vendor->maximum_in_flight, vendor->in_flight);
}

int gputm_commit_id_acquire(struct gputm_commit_id *vendor, uint32_t core, uint32_t count,
			    uint64_t *first_cid)
{
	int result = gputm_commit_id_acquire_probe(vendor, core, count);

	if (result < 0)
		return result;
	if (result == GPUTM_COMMIT_ID_OK) {
		*first_cid = vendor->next;
		take(vendor, core, count);
		gputm__emit(&vendor->unit, GPUTM_COMMIT_ID_EVENT_ACQUIRE, core, *first_cid, count,
			    vendor->pool[pool_of(vendor, core)]);
		return result;
	}
	vendor->refused_short += result == GPUTM_COMMIT_ID_SHORT;
	vendor->refused_window += result == GPUTM_COMMIT_ID_WINDOW;
	gputm__emit(&vendor->unit, GPUTM_COMMIT_ID_EVENT_REFUSE, core, (uint64_t)result, count,
		    vendor->pool[pool_of(vendor, core)]);
	return result;
}

static int check_report(const struct gputm_commit_id *vendor, uint32_t partition, uint64_t first,
			uint32_t count)
{
	uint64_t bit = UINT64_C(1) << (partition & 63);

	if (partition >= vendor->config.partitions)
		return gputm__out_of_range(&vendor->unit, "partition", partition, 0,
					   vendor->config.partitions - 1);
	if (!count)
		return gputm__refuse(&vendor->unit, "count = 0 is outside 1 .. %u",
				     vendor->config.ring);
	if (first < vendor->oldest || first >= vendor->next || count > vendor->next - first) {
		gputm__unit_log(&vendor->unit,
				"first_cid = %llu with count = %u is outside %llu .. %llu, "
				"the CIDs in flight",
				(unsigned long long)first, count,
				(unsigned long long)vendor->oldest,
				(unsigned long long)vendor->next - 1);
		return -ERANGE;
	}
	for (uint64_t cid = first; cid < first + count; cid++)
		if (!(vendor->missing[place_of(vendor, cid)] & bit))
			return gputm__refuse(&vendor->unit, "partition %u reported CID %llu before",
					     partition, (unsigned long long)cid);
	return 0;
}

static void give_back(struct gputm_commit_id *vendor, uint64_t cid, uint32_t core,
		      uint32_t *returned)
{
	uint32_t credits = ++vendor->pool[pool_of(vendor, core)];

	vendor->in_flight--;
	vendor->returned++;
	if (returned)
		returned[core]++;
	gputm__emit(&vendor->unit, GPUTM_COMMIT_ID_EVENT_RETURN, core, cid, credits, 0);
}

static void advance_oldest(struct gputm_commit_id *vendor)
{
	while (vendor->oldest < vendor->next && !vendor->missing[place_of(vendor, vendor->oldest)])
		vendor->core[place_of(vendor, vendor->oldest++)] = 0;
}

int gputm_commit_id_report_retired(struct gputm_commit_id *vendor, uint32_t partition,
				   uint64_t first_cid, uint32_t count, uint32_t *returned)
{
	int error = check_report(vendor, partition, first_cid, count), back = 0;

	if (error)
		return error;
	for (uint64_t cid = first_cid; cid < first_cid + count; cid++) {
		uint64_t *missing = &vendor->missing[place_of(vendor, cid)];

		*missing &= ~(UINT64_C(1) << partition);
		if (*missing)
			continue;
		give_back(vendor, cid, vendor->core[place_of(vendor, cid)], returned);
		back++;
	}
	vendor->reports += count;
	advance_oldest(vendor);
	return back;
}

uint32_t gputm_commit_id_available(const struct gputm_commit_id *vendor, uint32_t core)
{
	return core < vendor->config.cores ? vendor->pool[pool_of(vendor, core)] : 0;
}

uint32_t gputm_commit_id_in_flight(const struct gputm_commit_id *vendor)
{
	return (uint32_t)vendor->in_flight;
}

uint64_t gputm_commit_id_oldest(const struct gputm_commit_id *vendor)
{
	return vendor->oldest;
}

uint64_t gputm_commit_id_next_cid(const struct gputm_commit_id *vendor)
{
	return vendor->next;
}
