/* SPDX-License-Identifier: BSD-2-Clause */
#include "io.h"
#include "arena.h"

#include <string.h>

static void write_piece(struct sim_io *io, uint64_t size)
{
	io->starved |= !SIM_ROOM(io->byte, io->capacity, io->at + sizeof size + size);
	if (!io->starved) {
		memcpy(io->byte + io->at, &size, sizeof size);
		io->at += sizeof size;
	}
}

/* The size of the next piece. A size beyond the end of the bytes is an error. */
static uint64_t read_piece(struct sim_io *io, const char *name)
{
	uint64_t size = 0;

	if (io->size - io->at >= sizeof size)
		memcpy(&size, io->byte + io->at, sizeof size);
	if (io->size - io->at < sizeof size || io->size - io->at - sizeof size < size)
		io->wrong = name;
	else
		io->at += sizeof size;
	return size;
}

void *sim_io_piece(struct sim_io *io, const char *name, size_t *size)
{
	void *piece;

	if (!sim_io_ok(io))
		return NULL;
	if (io->loading)
		*size = (size_t)read_piece(io, name);
	else
		write_piece(io, *size);
	if (!sim_io_ok(io))
		return NULL;
	piece = io->byte + io->at;
	io->at += *size;
	return piece;
}

void sim_io_bytes(struct sim_io *io, const char *name, void *bytes, size_t size)
{
	size_t found = size;
	void *piece = sim_io_piece(io, name, &found);

	if (!piece || !size)
		return;
	if (found != size)
		io->wrong = name;
	else if (io->loading)
		memcpy(bytes, piece, size);
	else
		memcpy(piece, bytes, size);
}

void sim_io_grown(struct sim_io *io, const char *name, void *array, size_t count, size_t item)
{
	void *items;

	memcpy(&items, array, sizeof items);
	if (io->loading && sim_io_ok(io)) {
		sim_free(items);
		items = NULL;
		if (count && count > io->size / item)
			io->wrong = name;
		else if (count)
			items = sim_malloc(count * item);
		io->starved |= count && !items && !io->wrong;
		memcpy(array, &items, sizeof items);
	}
	sim_io_bytes(io, name, items, items ? count * item : 0);
}

void sim_io_link(struct sim_io *io, const char *name, void *pointer, void *base, size_t count,
		 size_t item)
{
	uint64_t at = UINT64_MAX;
	char *to;

	memcpy(&to, pointer, sizeof to);
	if (!io->loading && to)
		at = (uint64_t)(to - (char *)base) / item;
	sim_io_bytes(io, name, &at, sizeof at);
	sim_io_below(io, name, at + 1, (uint64_t)count + 1);
	to = at < count ? (char *)base + at * item : NULL;
	if (io->loading)
		memcpy(pointer, &to, sizeof to);
}

void sim_io_must(struct sim_io *io, const char *name, bool right)
{
	if (io->loading && sim_io_ok(io) && !right)
		io->wrong = name;
}

void sim_io_below(struct sim_io *io, const char *name, uint64_t value, uint64_t bound)
{
	sim_io_must(io, name, value < bound);
}

void sim_io_flag(struct sim_io *io, const char *name, const bool *flag)
{
	unsigned char byte;

	memcpy(&byte, flag, sizeof byte);
	sim_io_below(io, name, byte, 2);
}
