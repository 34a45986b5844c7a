/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STUDY_KERNELS_H
#define SIM_STUDY_KERNELS_H
/* Workloads that are kernel files, by name. */
#include "../workloads/kernel.h"

/*
 * Kernels with a name are in a directory: $GPUTM_KERNELS; else "kernels" beside the program, which
 * is there until the program is installed; else share/libgputm/kernels of the prefix that the
 * program lies in; else where kernels were installed. Call sim_kernels_beside() first, with the
 * name by which the program was called.
 */
void sim_kernels_beside(const char *program);

/* The kernel of a file, "mine.kernel", or a variant of it, "mine.kernel:VARIANT". */
int sim_kernel_file(const char *file, struct sim_workload_class **out, char *message, size_t size);

/*
 * The kernel of a file ("./mine.kernel"), or of a name: NAME.kernel, or a variant of that name.
 * 0; 1: there is none of that name; negative as sim_kernel_class(), with the reason in message.
 */
int sim_kernel_named(const char *name, struct sim_workload_class **out, char *message,
		     size_t size);

/*
 * Kernel number `index` with a name that a TM system can run, and its variants after it; NULL
 * past the last one. They live until the program ends.
 */
const struct sim_workload_class *sim_kernel_at(size_t index);

#endif /* SIM_STUDY_KERNELS_H */
