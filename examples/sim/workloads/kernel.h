/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_WORKLOADS_KERNEL_H
#define SIM_WORKLOADS_KERNEL_H
/* Kernels as workloads: their params, their programs for the machine, setup and verify. */
#include "../kernel/kernel.h"
#include "workload.h"

/*
 * The class of a kernel file, or of a variant of it (NULL: none). Only the params and variants are
 * read here; the rest is read when a workload is made. 0; -EINVAL, -EIO or -ENOMEM with the reason
 * in message. Free its workloads before it.
 */
int sim_kernel_class(const char *path, const char *variant, struct sim_workload_class **out,
		     char *message, size_t size);
void sim_kernel_class_free(struct sim_workload_class *class);
/* Read the whole kernel, with its defaults; as above. */
int sim_kernel_class_read(const struct sim_workload_class *class, struct kernel *out,
			  char *message, size_t size);
const char *sim_kernel_class_file(const struct sim_workload_class *class);
/* Print a warning on stderr if a register is set in vain. */
void sim_kernel_warn(const struct sim_workload *workload);
/* Is it a variant, which fixes params? */
bool sim_kernel_class_fixes(const struct sim_workload_class *class);
/* The name of its variant number `index`; NULL past the last one. */
const char *sim_kernel_class_variant(const struct sim_workload_class *class, size_t index);

#endif /* SIM_WORKLOADS_KERNEL_H */
