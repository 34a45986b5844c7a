/* SPDX-License-Identifier: BSD-2-Clause */
/* Print sizes, offsets and values of what the headers define: rows of tests/abi/layout.awk. */
#include <stdio.h>

#include <gputm/gputm.h>

#define SIZE(T) printf("size " #T " %zu\n", sizeof(struct T));
#define FIELD(T, F)                                                                            \
	printf("field " #T " " #F " %zu %zu\n", offsetof(struct T, F), sizeof(((struct T *)0)->F));
#define VALUE(V) printf("value " #V " %lld\n", (long long)V);

int main(void)
{
#include "layout-rows.h"
	return 0;
}
