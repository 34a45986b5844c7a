/* SPDX-License-Identifier: BSD-2-Clause */
#define _POSIX_C_SOURCE 200809L
#include "names.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "quote.h"

#define LONGEST 48 /* no suggestion is made for a longer name */
#define MANY 24	   /* names that one reads through */

/* Letters to change, insert or delete to turn a into b (Levenshtein distance), in any case. */
static size_t distance(const char *a, const char *b)
{
	size_t row[LONGEST + 1], length = strlen(b);

	for (size_t k = 0; k <= length; k++)
		row[k] = k;
	for (size_t i = 1; *a; i++, a++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t k = 1; k <= length; k++) {
			size_t above = row[k], best = diagonal;

			best += tolower((unsigned char)*a) != tolower((unsigned char)b[k - 1]);
			best = above + 1 < best ? above + 1 : best;
			row[k] = row[k - 1] + 1 < best ? row[k - 1] + 1 : best;
			diagonal = above;
		}
	}
	return row[length];
}

/* Distances are in halves of a letter: of two names at the same distance the one that begins so is
 * nearer, and one that begins so is never far. */
const char *sim_name_near(const char *got, sim_name_at *at, const void *of)
{
	size_t length = strlen(got), least = 2 * LONGEST;
	const char *name, *near = NULL;

	for (size_t i = 0; length <= LONGEST && (name = at(of, i)); i++) {
		bool begins = length > 2 && !strncasecmp(got, name, length);
		size_t far = strlen(name) <= LONGEST ? 2 * distance(got, name) : 2 * LONGEST;

		if (begins)
			far = far >= length ? length - 1 : far - (far > 0);
		if ((begins || far < 4 + length / 4 * 2) && far < least && far < 2 * length) {
			least = far;
			near = name;
		}
	}
	return near;
}

void sim_name_unknown(const char *option, const char *got, sim_name_at *at, const void *of,
		      const char *whose)
{
	const char *near = sim_name_near(got, at, of);
	size_t names = 0;

	while (at(of, names))
		names++;
	fprintf(stderr, "gputm-sim: --%s: got \"%s\", expected one of", option, sim_quoted(got));
	if (names > MANY)
		fprintf(stderr, " the %zu names that --list tells", names);
	for (size_t i = 0; names <= MANY && i < names; i++)
		fprintf(stderr, "%s %s", i ? "" : ":", at(of, i));
	fprintf(stderr, "%s%s%s%s\n", whose, near ? "; did you mean \"" : "", near ? near : "",
		near ? "\"?" : "");
}

bool sim_pattern(const char *list, size_t index, char name[SIM_PATTERN])
{
	while (index-- && list) {
		list = strchr(list, ',');
		list = list ? list + 1 : NULL;
	}
	if (list)
		snprintf(name, SIM_PATTERN, "%.*s", (int)strcspn(list, ","), list);
	return list != NULL;
}

bool sim_pattern_matches(const char *list, const char *name, uint64_t *matched)
{
	char pattern[SIM_PATTERN];
	bool found = !list;

	for (size_t i = 0; sim_pattern(list, i, pattern); i++) {
		if (strpbrk(pattern, "*?[\\") ? fnmatch(pattern, name, 0) : strcmp(pattern, name))
			continue;
		found = true;
		*matched |= i < 64 ? UINT64_C(1) << i : 0;
	}
	return found;
}
