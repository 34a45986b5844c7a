/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_METADATA_TABLE_H
#define GPUTM_ORACLE_METADATA_TABLE_H
/* The metadata of every granule, exactly, in an array: what the table may overstate in its
 * stamps, never understate, and must give exactly where a reservation lives. */
#include <stdint.h>

#include "gputm/metadata_table.h"

#define ORACLE_GRANULES 256

struct oracle_metadata_table {
	uint32_t granularity;
	struct gputm_metadata granule[ORACLE_GRANULES];
};

void oracle_metadata_table_update(struct oracle_metadata_table *o, uint64_t address,
				  const struct gputm_metadata *in);
void oracle_metadata_table_flush(struct oracle_metadata_table *o);
uint64_t oracle_metadata_table_writes(const struct oracle_metadata_table *o);
/* NULL, or what the table says of this address that cannot be. */
const char *oracle_metadata_table_compare(const struct oracle_metadata_table *o,
					  const struct gputm_metadata_table *table,
					  uint64_t address);

#endif /* GPUTM_ORACLE_METADATA_TABLE_H */
