/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SOURCE_H
#define SIM_SOURCE_H
/*
 * The characters and numbers of all text files that gputm-sim reads. A line ends with LF or with CR
 * LF, and the last one also with the file; a byte order mark at the beginning does not belong to
 * the text. A file that is no text, by its first bytes, has no characters.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"

#define SIM_TEXT_MAX ((size_t)1 << 26) /* bytes of a kernel or a study */

struct sim_source {
	FILE *file;
	uint64_t place;	   /* bytes taken so far */
	size_t at, count;  /* in block */
	int last;	   /* character */
	bool cut;	   /* the last line has no end of its own */
	const char *wrong; /* what is read instead of a text, for a message; NULL: a text */
	unsigned char block[4096]; /* the bytes that were last read from the file */
};

static inline void sim_source_fill(struct sim_source *s)
{
	s->at = 0;
	s->count = fread(s->block, 1, sizeof s->block, s->file);
}

static inline int sim_source_byte(struct sim_source *s)
{
	if (s->at == s->count)
		sim_source_fill(s);
	if (s->at == s->count)
		return EOF;
	s->place++;
	return s->block[s->at++];
}

/* Give back the last byte. */
static inline void sim_source_undo(struct sim_source *s)
{
	s->at--;
	s->place--;
}

static inline void sim_source_begin(struct sim_source *s, FILE *file)
{
	static const struct {
		const char *bytes, *wrong;
	} kinds[] = {
		{ "\x1f\x8b", "got gzip data, expected a text (gzip -dc FILE prints that, and - "
			      "as a file is standard input)" },
		{ "\x28\xb5\x2f\xfd", "got zstd data, expected a text (zstd -dc FILE prints that, "
				      "and - as a file is standard input)" },
		{ "\xfd" "7zXZ", "got xz data, expected a text (xz -dc FILE prints that, and - as "
				 "a file is standard input)" },
		{ "BZh9", "got bzip2 data, expected a text (bzip2 -dc FILE prints that, and - as a "
			  "file is standard input)" },
		{ "PK\x03\x04", "got a zip archive, expected a text (unzip -p FILE prints that, "
				"and - as a file is standard input)" },
		{ "\xff\xfe", "got UTF-16, expected ASCII or UTF-8 (iconv -f UTF-16 -t UTF-8 FILE "
			      "prints that)" },
		{ "\xfe\xff", "got UTF-16, expected ASCII or UTF-8 (iconv -f UTF-16 -t UTF-8 FILE "
			      "prints that)" },
	};

	*s = (struct sim_source){ .file = file, .last = '\n' };
	sim_source_fill(s);
	if (s->count >= 3 && !memcmp(s->block, "\xef\xbb\xbf", 3))
		s->place = s->at = 3;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (s->count >= strlen(kinds[i].bytes) &&
		    !memcmp(s->block, kinds[i].bytes, strlen(kinds[i].bytes)))
			s->wrong = kinds[i].wrong;
}

/* The next character, '\n' at the end of each line; EOF at the end of the file. */
static inline int sim_source_next(struct sim_source *s)
{
	int c = s->wrong ? EOF : sim_source_byte(s), after;

	if (c == '\r') {
		after = sim_source_byte(s);
		if (after == '\n')
			c = after;
		else if (after != EOF)
			sim_source_undo(s);
	}
	if (c == EOF && s->last != '\n') {
		s->cut = true;
		c = '\n';
	}
	s->last = c == EOF ? '\n' : c;
	return c;
}

/* Take each CR before an LF out of the text. @return its size then. */
static inline size_t sim_source_unix(char *text, size_t size)
{
	char *to = memchr(text, '\r', size);
	const char *end = text + size;

	if (!to)
		return size;
	for (const char *from = to; from < end; from++)
		if (*from != '\r' || from + 1 == end || from[1] != '\n')
			*to++ = *from;
	return (size_t)(to - text);
}

/* The characters of the file, up to `most`, and a NUL, which the caller frees; NULL: out of
 * memory. Of a file that is no text, or of a longer one, there are none. */
static inline char *sim_source_text(struct sim_source *s, size_t most, size_t *size)
{
	size_t room = 4096, bytes;
	char *text = sim_malloc(room);

	for (*size = 0; text && !s->wrong && s->at < s->count; sim_source_fill(s)) {
		bytes = s->count - s->at;
		if (bytes > most - *size) {
			s->wrong = "got more than 64 MB, expected a shorter text";
			*size = 0;
		} else if (SIM_ROOM(text, room, *size + bytes + 1)) {
			memcpy(text + *size, s->block + s->at, bytes);
			*size += bytes;
		} else {
			sim_free(text);
			text = NULL;
		}
	}
	if (text) {
		*size = sim_source_unix(text, *size);
		text[*size] = '\0';
	}
	return text;
}

/* ---- numbers ---- */

enum sim_number { SIM_NUMBER, SIM_NO_NUMBER, SIM_TOO_LARGE };

static inline unsigned sim_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	return c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 16;
}

/*
 * Read a number up to `most` at *text, which moves past all its digits. base: 10; 16, with or
 * without 0x; or 0, which is 16 after 0x and else 10.
 */
static inline enum sim_number sim_number(const char **text, unsigned base, uint64_t most,
					 uint64_t *out)
{
	const char *p = *text;
	uint64_t value = 0;
	bool fits = true;

	if (base != 10 && p[0] == '0' && (p[1] | 32) == 'x' && sim_digit(p[2]) < 16) {
		base = 16;
		p += 2;
	}
	base = base ? base : 10;
	if (sim_digit(*p) >= base)
		return SIM_NO_NUMBER;
	for (; sim_digit(*p) < base; p++) {
		fits = fits && value <= (UINT64_MAX - sim_digit(*p)) / base;
		value = fits ? value * base + sim_digit(*p) : 0;
	}
	*text = p;
	if (!fits || value > most)
		return SIM_TOO_LARGE;
	*out = value;
	return SIM_NUMBER;
}

/* Is the whole text such a number? */
static inline bool sim_is_number(const char *text, unsigned base, uint64_t most, uint64_t *out)
{
	return sim_number(&text, base, most, out) == SIM_NUMBER && !*text;
}

/* Is the whole text a number with or without sign, fraction and exponent, or one after 0x? */
static inline bool sim_is_real(const char *text, double *out)
{
	const char *p = text + (*text == '-' || *text == '+'), *begin = p;
	uint64_t whole;
	size_t digits;

	if (p[0] == '0' && (p[1] | 32) == 'x') {
		if (!sim_is_number(p, 16, UINT64_MAX, &whole))
			return false;
		*out = *text == '-' ? -(double)whole : (double)whole;
		return true;
	}
	while (sim_digit(*p) < 10)
		p++;
	digits = (size_t)(p - begin);
	if (*p == '.')
		for (p++; sim_digit(*p) < 10; p++)
			digits++;
	if (!digits)
		return false;
	if (*p == 'e' || *p == 'E') {
		p += 1 + (p[1] == '-' || p[1] == '+');
		if (sim_digit(*p) >= 10)
			return false;
		while (sim_digit(*p) < 10)
			p++;
	}
	if (*p)
		return false;
	*out = strtod(text, NULL);
	return true;
}

/* The value of a text that is such a number; 0 of any other. */
static inline double sim_real(const char *text)
{
	double value = 0;

	return sim_is_real(text, &value) ? value : 0;
}

#endif /* SIM_SOURCE_H */
