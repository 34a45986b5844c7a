/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SWEEP_PAGE_H
#define SIM_SWEEP_PAGE_H
/* A study's results as Markdown: its sources, tables beside the paper's numbers, with a picture
 * FILE-NAME.svg for each beside FILE.md, and claims with their verdicts. */
#include "claims.h"

/* Check before the runs whether the page can be written; 0, or -1 with the reason on stderr. */
int sweep_page_check(const struct sweep_story *story);
/* Write the page. 0, or -1 with the reason on stderr; without gnuplot the text is written all the
 * same. */
int sweep_page(struct sweep_story *story);

#endif
