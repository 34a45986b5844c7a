/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of libgputm's units in a run, from which they are reported and swapped. */
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "../base/arena.h"
#include "../base/decimal.h"
#include "port.h"

/* Each handle is a pointer of its own type; copying bytes respects that. */
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

static uint32_t instances(const struct sim_port *port, const char *role,
			  const struct sim_unit_kind *kind)
{
	uint32_t count = 0;

	for (size_t i = port->units; i-- > 0;)
		if (port->unit[i].kind == kind && !strcmp(port->unit[i].role, role))
			return port->unit[i].instance + 1;
	return count;
}

/* Room for one more unit. The first unit makes room for most of the units of all systems. */
static int reserve(struct sim_port *port)
{
	size_t most = 3 * (size_t)port->shape.cores * port->shape.warps, need = port->units + 1;

	return SIM_ROOM(port->unit, port->unit_capacity, need < most ? most : need) ? 0 : -ENOMEM;
}

/* Append a word and a number to a text: its new end. */
static char *put(char *text, const char *word, uint32_t number)
{
	while (*word)
		*text++ = *word++;
	return sim_decimal(text, number);
}

/* "core 3", "core 3 warp 7", "partition 2": what messages call the unit; none if there is one. */
static void name_unit(const struct sim_port *port, const struct sim_unit_slot *slot, void *unit)
{
	char name[GPUTM_NAME_BYTES] = "";
	uint32_t warps = port->shape.warps, blocks = port->shape.blocks;
	uint32_t number = slot->instance;

	switch (slot->kind->place) {
	case SIM_OF_CORE:
		put(name, "core ", number);
		break;
	case SIM_OF_BLOCK:
		put(put(name, "core ", number / blocks), " block ", number % blocks);
		break;
	case SIM_OF_WARP:
		put(put(name, "core ", number / warps), " warp ", number % warps);
		break;
	case SIM_OF_PARTITION:
		put(name, "partition ", number);
		break;
	case SIM_OF_MACHINE:
		break;
	}
	gputm_unit_set_name(slot->kind->face(unit), name);
}

/* ---- units of the previous run ---- */

/* The unit that had this place and name in the previous run, reset, if its config is the same. */
static void *take_kept(const struct sim_port *port, const struct sim_unit_slot *slot)
{
	const struct gputm_params *params;
	const struct gputm_param *last;
	struct sim_kept_unit *kept;
	struct gputm_unit *face;
	void *unit;

	if (!port->kept || port->units >= port->kept->units ||
	    port->kept->warps != port->shape.warps)
		return NULL;
	kept = &port->kept->unit[port->units];
	if (!kept->unit || kept->kind != slot->kind || kept->instance != slot->instance ||
	    strcmp(kept->role, slot->role))
		return NULL;
	face = kept->kind->face(kept->unit);
	/* The fields after the parameters do not count: logs are attached anew, and hash rows are
	 * never set. */
	params = gputm_unit_params(face);
	last = &params->param[params->param_count - 1];
	if (memcmp(gputm_unit_config(face), slot->config, last->offset + last->bytes))
		return NULL;
	gputm_unit_reset(face);
	unit = kept->unit;
	kept->unit = NULL;
	return unit;
}

void sim_units_forget(struct sim_kept_units *kept)
{
	for (size_t i = 0; i < kept->units; i++)
		if (kept->unit[i].unit)
			kept->unit[i].kind->free(kept->unit[i].unit);
	sim_free(kept->unit);
	*kept = (struct sim_kept_units){ .unit = NULL };
}

/* Does the slot own its unit? Parts of other units, and units shared by warps, it does not own. */
static bool is_own(const struct sim_unit_slot *slot)
{
	return slot->kind->free && !slot->idle;
}

/* Keep the units for the next run. False: free them. */
static bool keep(const struct sim_port *port)
{
	struct sim_kept_units *kept = port->kept;

	if (!kept)
		return false;
	sim_units_forget(kept);
	kept->unit = sim_calloc(port->units + 1, sizeof *kept->unit);
	for (size_t i = 0; kept->unit && i < port->units; i++)
		if (is_own(&port->unit[i]))
			kept->unit[i] = (struct sim_kept_unit){
				port->unit[i].role, port->unit[i].instance, port->unit[i].kind,
				handle_get(&port->unit[i])
			};
	kept->warps = port->shape.warps;
	kept->units = kept->unit ? port->units : 0;
	return kept->unit != NULL;
}

int sim_unit_add(struct sim_port *port, const char *role, const struct sim_unit_kind *kind,
		 const void *config, void *handle)
{
	struct sim_unit_slot slot = { role, instances(port, role, kind), kind, config, handle,
				      false };
	void *unit = NULL;
	int error = reserve(port);

	slot.idle = kind->place == SIM_OF_WARP && slot.instance &&
		    !sim_warp_is_used(port, slot.instance) &&
		    !sim_warp_is_used(port, slot.instance - 1);
	if (!error)
		unit = slot.idle ? handle_get(&port->unit[port->units - 1]) :
				   take_kept(port, &slot);
	if (!error && !unit) {
		error = kind->make(port->ctx, config, &unit);
		if (!error)
			name_unit(port, &slot, unit);
	}
	if (error)
		return error;
	if (slot.idle)
		slot.handle = port->unit[port->units - 1].handle;
	else
		handle_set(&slot, unit);
	port->unit[port->units++] = slot;
	return 0;
}

int sim_unit_show(struct sim_port *port, const char *role, const struct sim_unit_kind *kind,
		  void *handle)
{
	struct sim_unit_slot slot = { role, instances(port, role, kind), kind, NULL, handle,
				      false };
	int error = reserve(port);

	if (!error)
		port->unit[port->units++] = slot;
	return error;
}

void sim_units_free(struct sim_port *port)
{
	bool kept = keep(port);

	for (size_t i = 0; !kept && i < port->units; i++)
		if (is_own(&port->unit[i]))
			port->unit[i].kind->free(handle_get(&port->unit[i]));
	sim_free(port->unit);
}

/* Save, free, make anew and load one unit. */
static int swap(struct sim_port *port, const struct sim_unit_slot *slot)
{
	struct gputm_unit *old = slot->kind->face(handle_get(slot));
	size_t size = gputm_unit_save(old, NULL, 0);
	void *snapshot = sim_malloc(size), *unit = NULL;
	int error = -ENOMEM;

	if (!snapshot)
		return error;
	gputm_unit_save(old, snapshot, size);
	error = slot->kind->make(port->ctx, slot->config, &unit);
	if (!error)
		error = gputm_unit_load(slot->kind->face(unit), snapshot, size);
	sim_free(snapshot);
	if (error) {
		slot->kind->free(unit);
		return error;
	}
	gputm_unit_set_name(slot->kind->face(unit), gputm_unit_name(old));
	slot->kind->free(handle_get(slot));
	handle_set(slot, unit);
	return 0;
}

/*
 * Take arrays of up to 32 MB from the heap, and never shrink the heap. Otherwise the system zeroes
 * the same pages again for each machine, and for each unit that is swapped.
 */
void sim_calm_allocator(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 32 * 1024 * 1024);
	mallopt(M_TRIM_THRESHOLD, 256 * 1024 * 1024);
#endif
}

int sim_units_swap(struct sim_port *port)
{
	sim_calm_allocator();
	for (size_t i = 0; i < port->units; i++) {
		const struct sim_unit_slot *slot = &port->unit[i];
		int error = slot->kind->make && !slot->idle ? swap(port, slot) : 0;

		if (error)
			return error;
	}
	return 0;
}

static void unit_io(struct gputm_unit *unit, const char *role, struct sim_io *io)
{
	size_t size = io->loading ? 0 : gputm_unit_save(unit, NULL, 0);
	void *snapshot = sim_io_piece(io, role, &size);

	if (snapshot && !io->loading)
		gputm_unit_save(unit, snapshot, size);
	else if (snapshot && gputm_unit_load(unit, snapshot, size))
		io->wrong = role;
}

void sim_units_io(struct sim_port *port, struct sim_io *io)
{
	for (size_t i = 0; i < port->units && sim_io_ok(io); i++)
		if (port->unit[i].kind->make)
			unit_io(sim_unit_face(port, i), port->unit[i].role, io);
}

struct gputm_unit *sim_unit_face(const struct sim_port *port, size_t index)
{
	return port->unit[index].kind->face(handle_get(&port->unit[index]));
}

bool sim_unit_get(const struct sim_port *port, size_t index, struct sim_unit_info *out)
{
	const struct sim_unit_slot *slot;

	if (index >= port->units)
		return false;
	slot = &port->unit[index];
	out->role = slot->role;
	out->instance = slot->instance;
	out->unit = sim_unit_face(port, index);
	out->idle = slot->idle;
	return true;
}
