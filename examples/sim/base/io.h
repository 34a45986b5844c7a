/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_IO_H
#define SIM_IO_H
/*
 * The state of a run on its way to a file or back: each part names its state once, for both
 * directions. What a part derives from its config, and pointers to other parts, are no state: a
 * run that is restored has been made from the same config before. Structs with such members have
 * them first, and their state behind.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_io {
	bool loading;
	unsigned char *byte; /* all of it */
	size_t at, size;     /* read or written so far; loading: bytes there are */
	size_t capacity;     /* saving */
	const char *wrong;   /* the name of the first piece that is not as expected, or NULL */
	bool starved;	     /* no memory */
};

/* A piece of so many bytes, and a word for messages. What is read is left alone once something is
 * wrong. */
void sim_io_bytes(struct sim_io *io, const char *name, void *bytes, size_t size);

/* A piece that has as many bytes as there were when it was saved: where it is, or to be; NULL when
 * something is wrong. */
void *sim_io_piece(struct sim_io *io, const char *name, size_t *size);

/* *array, a pointer of any type to items of that size, of which there are so many: when loading
 * it is made anew. */
void sim_io_grown(struct sim_io *io, const char *name, void *array, size_t count, size_t item);

/* A pointer of any type into what begins at base, or NULL. */
void sim_io_link(struct sim_io *io, const char *name, void *pointer, void *base);

#define SIM_IO(io, member) sim_io_bytes((io), #member, &(member), sizeof(member))
#define SIM_IO_ARRAY(io, array, count)                                                         \
	sim_io_bytes((io), #array, (array), (size_t)(count) * sizeof *(array))
/* Of a struct, this member and all behind it. */
#define SIM_IO_FROM(io, pointer, member)                                                       \
	sim_io_bytes((io), #pointer, &(pointer)->member,                                       \
		     sizeof *(pointer) - (size_t)((char *)&(pointer)->member - (char *)(pointer)))

/* So far nothing is wrong. */
static inline bool sim_io_ok(const struct sim_io *io)
{
	return !io->wrong && !io->starved;
}

#endif /* SIM_IO_H */
