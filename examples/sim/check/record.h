/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_RECORD_H
#define SIM_RECORD_H
/* What has committed in a run, as a trace: the form that --trace reads. */
#include <stdio.h>

#include "check.h"

/*
 * Write the transactions in the serial order that was judged, those without an access left out.
 * Addresses are moved down to where traces have them, and the header says by how much. 0, or
 * -EINVAL: the addresses are too far apart for a trace.
 */
int sim_check_record(const struct sim_check *check, const char *workload, FILE *out);

#endif /* SIM_RECORD_H */
