/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_IO_H
#define SIM_IO_H
/*
 * Saves the state of a run to a file and loads it again. Each part lists its state once, in one
 * function for both directions. What a part derives from its config, and pointers to other parts,
 * are not state: a restored run has been made from the same config first. Structs with such members
 * have them first and the state after them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_io {
	bool loading;
	unsigned char *byte; /* all bytes */
	size_t at, size;     /* bytes read or written so far; when loading, bytes in total */
	size_t capacity;     /* of byte[], when saving */
	const char *wrong;   /* name of the first piece that is not as expected, or NULL */
	bool starved;	     /* an allocation failed */
};

/* Save or load `size` bytes; messages call the piece `name`. After an error a load leaves bytes[]
 * alone. */
void sim_io_bytes(struct sim_io *io, const char *name, void *bytes, size_t size);

/* A piece whose size the saved state gives. Returns the address of its bytes, NULL after an
 * error. */
void *sim_io_piece(struct sim_io *io, const char *name, size_t *size);

/* *array, a pointer of any type to `count` items of size `item`. A load allocates it. */
void sim_io_grown(struct sim_io *io, const char *name, void *array, size_t count, size_t item);

/* A pointer of any type to one of `count` items of size `item` at `base`, or NULL. */
void sim_io_link(struct sim_io *io, const char *name, void *pointer, void *base, size_t count,
		 size_t item);

#define SIM_IO(io, member) sim_io_bytes((io), #member, &(member), sizeof(member))
#define SIM_IO_ARRAY(io, array, count)                                                         \
	sim_io_bytes((io), #array, (array), (size_t)(count) * sizeof *(array))
/* The given member of a struct and all members after it. */
#define SIM_IO_FROM(io, pointer, member)                                                       \
	sim_io_bytes((io), #pointer, &(pointer)->member,                                       \
		     sizeof *(pointer) - (size_t)((char *)&(pointer)->member - (char *)(pointer)))

/* A value of a piece that was loaded is an index, a count or an enumerator below the bound. */
void sim_io_below(struct sim_io *io, const char *name, uint64_t value, uint64_t bound);
/* The same of a bool, whose byte may be anything. */
#define SIM_IO_FLAG(io, member) sim_io_flag((io), #member, &(member))
void sim_io_flag(struct sim_io *io, const char *name, const bool *flag);
/* What was loaded is as it must be. */
void sim_io_must(struct sim_io *io, const char *name, bool right);

/* No error so far. */
static inline bool sim_io_ok(const struct sim_io *io)
{
	return !io->wrong && !io->starved;
}

#endif /* SIM_IO_H */
