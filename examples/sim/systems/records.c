/* SPDX-License-Identifier: BSD-2-Clause */
#include "records.h"
#include "../base/arena.h"

static struct sim_record *at(const struct sim_records *records, uint32_t index)
{
	return sim_slab_at(&records->slab, index);
}

static uint32_t hash(uint64_t address)
{
	return (uint32_t)((address >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SIM_RECORD_BITS));
}

bool sim_records_make(struct sim_records *records, uint32_t owners)
{
	records->slab.block = sizeof(struct sim_record);
	records->owners = owners;
	records->first = sim_malloc(owners * sizeof *records->first);
	if (!records->first)
		return false;
	memset(records->first, 0xff, owners * sizeof *records->first);
	memset(records->bucket, 0xff, sizeof records->bucket);
	return true;
}

void sim_records_free(struct sim_records *records)
{
	sim_free(records->slab.memory);
	sim_free(records->first);
}

void sim_records_io(struct sim_records *records, struct sim_io *io)
{
	sim_slab_io(&records->slab, io);
	SIM_IO_ARRAY(io, records->first, records->owners);
	SIM_IO(io, records->bucket);
}

bool sim_records_note(struct sim_records *records, uint32_t owner, uint64_t address, bool write)
{
	uint32_t *bucket = &records->bucket[hash(address)], index = sim_slab_take(&records->slab);

	if (index == SIM_SLAB_NONE)
		return false;
	*at(records, index) = (struct sim_record){ address,	  owner,   write,
						   SIM_NO_RECORD, *bucket, records->first[owner] };
	if (*bucket != SIM_NO_RECORD)
		at(records, *bucket)->before = index;
	*bucket = index;
	records->first[owner] = index;
	return true;
}

bool sim_records_noted(const struct sim_records *records, uint32_t owner, uint64_t address,
		       bool write)
{
	uint32_t i = records->first[owner];

	while (i != SIM_NO_RECORD &&
	       (at(records, i)->address != address || at(records, i)->write != write))
		i = at(records, i)->next;
	return i != SIM_NO_RECORD;
}

void sim_records_forget(struct sim_records *records, uint32_t owner)
{
	for (uint32_t i = records->first[owner]; i != SIM_NO_RECORD;) {
		const struct sim_record record = *at(records, i);

		if (record.after != SIM_NO_RECORD)
			at(records, record.after)->before = record.before;
		if (record.before != SIM_NO_RECORD)
			at(records, record.before)->after = record.after;
		else
			records->bucket[hash(record.address)] = record.after;
		sim_slab_give(&records->slab, i);
		i = record.next;
	}
	records->first[owner] = SIM_NO_RECORD;
}

/* The first record of this word, from this record of its bucket on. */
static const struct sim_record *find(const struct sim_records *records, uint32_t index,
				     uint64_t address)
{
	while (index != SIM_NO_RECORD && at(records, index)->address != address)
		index = at(records, index)->after;
	return index == SIM_NO_RECORD ? NULL : at(records, index);
}

const struct sim_record *sim_records_first(const struct sim_records *records, uint64_t address)
{
	return find(records, records->bucket[hash(address)], address);
}

const struct sim_record *sim_records_next(const struct sim_records *records,
					  const struct sim_record *record)
{
	return find(records, record->after, record->address);
}
