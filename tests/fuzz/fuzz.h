/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_FUZZ_FUZZ_H
#define GPUTM_TESTS_FUZZ_FUZZ_H
/* For fuzz targets: bytes become numbers, a broken expectation becomes a crash. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is left of the input. */
struct fuzz {
	const uint8_t *data;
	size_t size;
};

#define FUZZ_CHECK(condition)                                                                  \
	do {                                                                                   \
		if (!(condition)) {                                                            \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);        \
			abort();                                                               \
		}                                                                              \
	} while (0)

/* Define read_bytes(), which has READ() make a struct of this type of bytes. */
#define FUZZ_READER(TYPE, READ)                                                                \
	static int read_bytes(const void *data, size_t size, struct TYPE *out, char message[256])\
	{                                                                                      \
		FILE *in = fmemopen((void *)(uintptr_t)data, size, "r");                       \
		int error;                                                                     \
                                                                                               \
		FUZZ_CHECK(in);                                                                \
		error = READ(in, "input", out, message, 256);                                  \
		fclose(in);                                                                    \
		return error;                                                                  \
	}

static inline bool fuzz_more(const struct fuzz *fuzz)
{
	return fuzz->size > 0;
}

/* The next byte; 0 when there is none. */
static inline uint8_t fuzz_u8(struct fuzz *fuzz)
{
	if (!fuzz->size)
		return 0;
	fuzz->size--;
	return *fuzz->data++;
}

/* The next `bytes` bytes as one number, lowest first. */
static inline uint64_t fuzz_number(struct fuzz *fuzz, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)fuzz_u8(fuzz) << (8 * i);
	return value;
}

/* A number below limit, from one byte, or from two where one cannot reach it. */
static inline uint32_t fuzz_below(struct fuzz *fuzz, uint32_t limit)
{
	return (uint32_t)fuzz_number(fuzz, limit > 256 ? 2 : 1) % limit;
}

#endif
