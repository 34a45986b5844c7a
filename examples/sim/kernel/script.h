/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_KERNEL_SCRIPT_H
#define SIM_KERNEL_SCRIPT_H
/* Setup and verify: sections that run once, before and after the threads. */
#include "kernel.h"

/*
 * Run setup, which writes memory and tables. 0; -EINVAL with "FILE:LINE:COLUMN: reason": an index
 * beyond an array, or KERNEL_STEP_LIMIT instructions without an end; -ENOMEM.
 */
int kernel_setup(struct kernel *kernel, struct sim_memory *memory, char *message, size_t size);
/*
 * Run verify on the final memory (NULL: up to where it is first read), with a copy of the tables
 * as scratch. 0; -EINVAL likewise, or what was required and does not hold; -ENOMEM.
 */
int kernel_verify(const struct kernel *kernel, const struct sim_memory *memory, char *message,
		  size_t size);

/*
 * What is wrong in any case, before a run: verify fails or has no end before it has read memory
 * once, a host before its first launch. As kernel_verify().
 */
int kernel_foresee(const struct kernel *kernel, char *message, size_t size);

/*
 * What the section of a host does between launches: it reads memory, and has tables of its own to
 * write in. NULL without memory.
 */
struct kernel_host;
struct kernel_host *kernel_host_new(const struct kernel *kernel, enum kernel_section section);
void kernel_host_free(struct kernel_host *host);
/*
 * Up to the next launch: 1, with its number among kernel->launch; 0 at the end; -EINVAL with line
 * and reason, -ENOMEM.
 */
int kernel_host_next(struct kernel_host *host, const struct sim_memory *memory, uint32_t *out,
		     char *message, size_t size);
/* What the host has come to, and the number of its last launch. */
void kernel_host_io(struct kernel_host *host, struct sim_io *io, uint32_t *number);

#endif /* SIM_KERNEL_SCRIPT_H */
