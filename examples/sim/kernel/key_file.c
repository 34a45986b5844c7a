/* SPDX-License-Identifier: BSD-2-Clause */
#include "key_file.h"

#include <errno.h>

#include "../base/arena.h"
#include "../base/source.h"

#define FNV_OFFSET 2166136261u
#define FNV_PRIME 16777619u

static bool is_space(int c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool add(struct sim_keys *keys, size_t *capacity, uint32_t key)
{
	if (!SIM_ROOM(keys->key, *capacity, keys->count + 1))
		return false;
	keys->key[keys->count++] = key;
	return true;
}

static int words(FILE *in, const char *name, struct sim_keys *keys, char *message,
		 size_t size)
{
	size_t capacity = 0, length = 0;
	uint32_t line = 1, hash = FNV_OFFSET;
	struct sim_source source;
	int c;

	sim_source_begin(&source, in);
	do {
		c = sim_source_next(&source);
		if (c != EOF && !is_space(c)) {
			if (c < ' ' || c == 127) {
				snprintf(message, size, "%s:%u: got \"\\x%02x\", "
					 "expected words of text", name, line, (unsigned)c);
				return -EINVAL;
			}
			if (++length > SIM_WORD_MAX) {
				snprintf(message, size, "%s:%u: got a word of more "
					 "than %d bytes, expected words of text", name, line,
					 SIM_WORD_MAX);
				return -EINVAL;
			}
			hash = (hash ^ (uint32_t)c) * FNV_PRIME;
			continue;
		}
		if (length && !add(keys, &capacity, hash)) {
			snprintf(message, size, "%s:%u: out of memory", name, line);
			return -ENOMEM;
		}
		length = 0;
		hash = FNV_OFFSET;
		line += c == '\n';
	} while (c != EOF);
	if (source.wrong) {
		snprintf(message, size, "%s:1: %s", name, source.wrong);
		return -EINVAL;
	}
	if (ferror(in)) {
		snprintf(message, size, "%s:%u: cannot read on: %s", name, line,
			 strerror(errno));
		return -EIO;
	}
	if (!keys->count) {
		snprintf(message, size, "%s:%u: got end of file, expected a word",
			 name, line);
		return -EINVAL;
	}
	return 0;
}

int sim_keys_read(FILE *in, const char *name, struct sim_keys *out,
		  char *message, size_t size)
{
	struct sim_keys keys = { 0, NULL };
	int error = words(in, name, &keys, message, size);

	if (error)
		sim_keys_free(&keys);
	else
		*out = keys;
	return error;
}

void sim_keys_free(struct sim_keys *keys)
{
	sim_free(keys->key);
	memset(keys, 0, sizeof(*keys));
}
