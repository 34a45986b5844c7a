/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_RECORD_H
#define SIM_RECORD_H
/* Writes the committed transactions of a run as a trace, which --trace can read. */
#include <stdio.h>

#include "check.h"

/*
 * Write the transactions in the serial order of the check; those without an access are left out.
 * Addresses are moved down to the range of traces, and the header gives the distance. 0, or
 * -EINVAL: the addresses are too far apart for a trace.
 */
int sim_check_record(const struct sim_check *check, const char *workload, FILE *out);

#endif /* SIM_RECORD_H */
