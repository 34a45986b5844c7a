/* SPDX-License-Identifier: BSD-2-Clause */
/* explore SYSTEM [STATES]: all cases whose names begin so, up to so many states of each. */
#include <stdlib.h>
#include <string.h>

#include "tests/explore/systems.h"

int main(int count, char **word)
{
	uint64_t most = count > 2 ? strtoull(word[2], NULL, 0) : 20000000;
	unsigned found = 0, wrong = 0;

	for (unsigned i = 0; count > 1 && i < explore_case_count; i++) {
		const struct explore_case *one = &explore_cases[i];
		struct explore_bounds bounds = {
			.most = most, .deep = one->when == EXPLORE_LARGE && !one->wrong,
		};
		struct explore_result result;

		if (strncmp(one->name, word[1], strlen(word[1])))
			continue;
		found++;
		result = explore_run(one, bounds);
		wrong += result.steps != one->steps;
	}
	if (!found)
		fprintf(stderr, "usage: explore SYSTEM [STATES], such as: explore getm 1000000\n");
	return !found || wrong;
}
