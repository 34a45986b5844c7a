/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_KERNEL_SAY_H
#define SIM_KERNEL_SAY_H
/* What messages of a run name: words of memory and operands, as the kernel's text spells them. */
#include "kernel.h"
#include "program.h"

#define KERNEL_OPERANDS SIM_OPERANDS

/* The word in a column of the thread that is looked at. */
struct kernel_view {
	uint32_t (*word)(const void *of, uint16_t column);
	const void *of;
};

/*
 * ARRAY[INDEX].FIELD of an address, and the lines of the program that load it (that store to
 * it), if those are few; the bare address where there is no array.
 */
void kernel_name_word(const struct kernel *kernel, enum kernel_section section, uint64_t address,
		      bool write, char *out, size_t size);
/* ARRAY[INDEX].FIELD that the instruction accesses at an address, in bytes. */
void kernel_name_accessed(const struct kernel *kernel, const struct kernel_instr *instr,
			  uint64_t address, char *out, size_t size);
/* ": NAME = VALUE, ..." of the registers and words of memory that the instruction reads; of a
 * require without those that its message tells, and with what was expected. */
void kernel_say_operands(const struct kernel *kernel, const struct kernel_code *code,
			 const struct kernel_instr *instr, const struct kernel_view *view,
			 char *out, size_t size);
/* Of a thread that has gone beyond an array: what there is to say later. */
void kernel_catch(const struct kernel_code *code, const struct kernel_instr *instr,
		  const struct kernel_view *view, struct sim_stray *stray);
/* "ARRAY[INDEX].FIELD, beyond the end of ARRAY (length N): NAME = VALUE, ..."; gives the
 * statement. */
struct sim_spot kernel_say_stray(const struct kernel *kernel, const struct kernel_code *code,
				    const struct kernel_instr *instr,
				    const struct sim_stray *stray, char *out, size_t size);

#endif /* SIM_KERNEL_SAY_H */
