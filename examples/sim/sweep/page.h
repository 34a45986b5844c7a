/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SWEEP_PAGE_H
#define SIM_SWEEP_PAGE_H
/* A study's results as Markdown: its sources, tables beside the paper's numbers, with a picture
 * FILE-NAME.svg for each beside FILE.md, and claims with their verdicts. */
#include "claims.h"

/* Can it be written? Before the runs; 0, or -1 with the reason on stderr. */
int sweep_page_check(const struct sweep_story *story);
/* 0, or -1 with the reason on stderr; the text is there also without gnuplot. */
int sweep_page(struct sweep_story *story);

#endif
