/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_LIST_H
#define SIM_LIST_H

/*
 * What there is to name and set, with the values of a machine, on stdout: everything, or what has
 * this name. 0, or -1 with the reason on stderr.
 */
int sim_list(const char *machine, const char *name);

#endif /* SIM_LIST_H */
