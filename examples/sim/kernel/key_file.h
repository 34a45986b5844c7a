/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_KEY_FILE_H
#define SIM_KEY_FILE_H
/*
 * Keys from any text file: one key a word, in the order of the file, repeated
 * words included. A word is a run of characters other than white space; its key is
 * the 32-bit FNV-1a hash of its bytes.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SIM_WORD_MAX 1024 /* bytes; a longer run of characters is refused */

struct sim_keys {
	uint32_t count;
	uint32_t *key;
};

/* Like sim_trace_read(). Refuses a file without words, control characters, and a word longer than
 * that. */
int sim_keys_read(FILE *in, const char *name, struct sim_keys *out,
		  char *message, size_t size);
void sim_keys_free(struct sim_keys *keys);

#endif /* SIM_KEY_FILE_H */
