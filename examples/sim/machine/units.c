/* SPDX-License-Identifier: BSD-2-Clause */
/* The units of libgputm in a machine: a list, so that all can be reported and swapped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "wiring.h"

/* Handles are kept as pointers to their own types; copying bytes respects that. */
static void *handle_get(const struct sim_unit_slot *slot)
{
	void *unit;

	memcpy(&unit, slot->handle, sizeof unit);
	return unit;
}

static void handle_set(const struct sim_unit_slot *slot, void *unit)
{
	memcpy(slot->handle, &unit, sizeof unit);
}

static uint32_t instances(const struct sim_machine *machine, const char *role)
{
	uint32_t count = 0;

	for (size_t i = machine->units; i-- > 0;)
		if (!strcmp(machine->unit[i].role, role))
			return machine->unit[i].instance + 1;
	return count;
}

/* Room for one more unit. */
static int reserve(struct sim_machine *machine)
{
	size_t capacity = machine->unit_capacity ? 2 * machine->unit_capacity : 64;
	void *grown;

	if (machine->units < machine->unit_capacity)
		return 0;
	grown = realloc(machine->unit, capacity * sizeof *machine->unit);
	if (!grown)
		return -ENOMEM;
	machine->unit = grown;
	machine->unit_capacity = capacity;
	return 0;
}

int sim_unit_add(struct sim_machine *machine, const char *role, const struct sim_unit_kind *kind,
		 const void *config, void *handle)
{
	struct sim_unit_slot slot = { role, instances(machine, role), kind, config, handle };
	void *unit;
	int error = reserve(machine);

	if (!error)
		error = kind->make(machine->ctx, config, &unit);
	if (error)
		return error;
	handle_set(&slot, unit);
	machine->unit[machine->units++] = slot;
	return 0;
}

int sim_unit_show(struct sim_machine *machine, const char *role, const struct sim_unit_kind *kind,
		  void *handle)
{
	struct sim_unit_slot slot = { role, instances(machine, role), kind, NULL, handle };
	int error = reserve(machine);

	if (!error)
		machine->unit[machine->units++] = slot;
	return error;
}

void sim_units_free(struct sim_machine *machine)
{
	for (size_t i = 0; i < machine->units; i++)
		if (machine->unit[i].kind->free)
			machine->unit[i].kind->free(handle_get(&machine->unit[i]));
	free(machine->unit);
}

/* Save, free, make anew and load one unit. */
static int swap(struct sim_machine *machine, const struct sim_unit_slot *slot)
{
	struct gputm_unit *old = slot->kind->face(handle_get(slot));
	size_t size = gputm_unit_save(old, NULL, 0);
	void *snapshot = malloc(size), *unit = NULL;
	int error = -ENOMEM;

	if (!snapshot)
		return error;
	gputm_unit_save(old, snapshot, size);
	error = slot->kind->make(machine->ctx, slot->config, &unit);
	if (!error)
		error = gputm_unit_load(slot->kind->face(unit), snapshot, size);
	free(snapshot);
	if (error) {
		slot->kind->free(unit);
		return error;
	}
	slot->kind->free(handle_get(slot));
	handle_set(slot, unit);
	return 0;
}

/*
 * Units are made anew again and again: large arrays get pages of their own, which come
 * zeroed, and the heap below them is not given back each time. Else glibc's adjustment of
 * its limits makes the swap test an order of magnitude slower.
 */
static void calm_allocator(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 128 * 1024);
	mallopt(M_TRIM_THRESHOLD, 256 * 1024 * 1024);
#endif
}

int sim_units_swap(struct sim_machine *machine)
{
	calm_allocator();
	for (size_t i = 0; i < machine->units; i++) {
		const struct sim_unit_slot *slot = &machine->unit[i];
		int error = slot->kind->make ? swap(machine, slot) : 0;

		if (error)
			return error;
	}
	return 0;
}

bool sim_machine_unit(const struct sim_machine *machine, size_t index, struct sim_unit_info *out)
{
	const struct sim_unit_slot *slot;

	if (index >= machine->units)
		return false;
	slot = &machine->unit[index];
	out->role = slot->role;
	out->instance = slot->instance;
	out->unit = slot->kind->face(handle_get(slot));
	return true;
}
