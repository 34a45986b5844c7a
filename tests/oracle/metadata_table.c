/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/oracle/metadata_table.h"

#include <string.h>

static struct gputm_metadata *granule(struct oracle_metadata_table *o, uint64_t address)
{
	return &o->granule[address / o->granularity % ORACLE_GRANULES];
}

void oracle_metadata_table_update(struct oracle_metadata_table *o, uint64_t address,
				  const struct gputm_metadata *in)
{
	struct gputm_metadata *g = granule(o, address);

	if (in->wts > g->wts)
		g->wts = in->wts;
	if (in->rts > g->rts)
		g->rts = in->rts;
	g->writes = in->writes;
	g->owner = in->owner;
}

void oracle_metadata_table_flush(struct oracle_metadata_table *o)
{
	memset(o->granule, 0, sizeof(o->granule));
}

uint64_t oracle_metadata_table_writes(const struct oracle_metadata_table *o)
{
	uint64_t writes = 0;

	for (unsigned i = 0; i < ORACLE_GRANULES; i++)
		writes += o->granule[i].writes;
	return writes;
}

const char *oracle_metadata_table_compare(const struct oracle_metadata_table *o,
					  const struct gputm_metadata_table *table,
					  uint64_t address)
{
	const struct gputm_metadata *g = &o->granule[address / o->granularity % ORACLE_GRANULES];
	struct gputm_metadata m = { 0, 0, 0, 0, 0, 0 };

	if (gputm_metadata_table_lookup_probe(table, address, &m) < 0)
		return "the address is refused";
	if (m.cycles < 1)
		return "a look-up costs nothing";
	if (gputm_metadata_table_lookup_probe(table, address, &m) == GPUTM_METADATA_TABLE_MISS &&
	    gputm_metadata_table_estimate_probe(table, address, &m.wts, &m.rts))
		return "the estimate is refused";
	if (m.writes != g->writes)
		return "a reservation is lost or invented";
	if (g->writes && m.owner != g->owner)
		return "the owner is another";
	if (m.wts < g->wts)
		return "wts is understated";
	return m.rts < g->rts ? "rts is understated" : NULL;
}
