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

/* The records of a bucket name each other both ways, and are of words that it has. */
static void bucket_check(const struct sim_records *records, uint32_t bucket, struct sim_io *io)
{
	uint32_t before = SIM_NO_RECORD;

	for (uint32_t i = records->bucket[bucket]; i != SIM_NO_RECORD && sim_io_ok(io);) {
		const struct sim_record *record;

		sim_slab_claim(&records->slab, io, i);
		if (!sim_io_ok(io))
			return;
		record = at(records, i);
		SIM_IO_FLAG(io, record->write);
		sim_io_must(io, "record", record->before == before &&
						  record->owner < records->owners &&
						  hash(record->address) == bucket);
		before = i;
		i = record->after;
	}
}

/* Those of an owner are its own, which have been found in the buckets; none is left over. */
static void owner_check(const struct sim_records *records, uint32_t owner, struct sim_io *io)
{
	for (uint32_t i = records->first[owner]; i != SIM_NO_RECORD && sim_io_ok(io);) {
		sim_io_below(io, "record", i, records->slab.used);
		if (!sim_io_ok(io))
			return;
		sim_io_must(io, "record", sim_slab_owned(&records->slab)[i] == 1 &&
						  at(records, i)->owner == owner);
		sim_slab_owned(&records->slab)[i] = 2;
		i = at(records, i)->next;
	}
}

void sim_records_io(struct sim_records *records, struct sim_io *io)
{
	sim_slab_io(&records->slab, io);
	for (uint32_t i = 0; io->loading && sim_io_ok(io) && i < records->slab.used; i++)
		if (sim_slab_owned(&records->slab)[i])
			sim_slab_owned(&records->slab)[i] = 3; /* free */
	SIM_IO_ARRAY(io, records->first, records->owners);
	SIM_IO(io, records->bucket);
	for (uint32_t i = 0; io->loading && sim_io_ok(io) && i < 1u << SIM_RECORD_BITS; i++)
		bucket_check(records, i, io);
	for (uint32_t i = 0; io->loading && sim_io_ok(io) && i < records->owners; i++)
		owner_check(records, i, io);
	for (uint32_t i = 0; io->loading && sim_io_ok(io) && i < records->slab.used; i++)
		sim_io_must(io, "record", sim_slab_owned(&records->slab)[i] > 1);
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
