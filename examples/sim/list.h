/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_LIST_H
#define SIM_LIST_H

/*
 * Print names and parameters on stdout, with the values of a machine: all of them, or those of one
 * name. 0, or -1 with the reason on stderr.
 */
int sim_list(const char *machine, const char *name);

#endif /* SIM_LIST_H */
