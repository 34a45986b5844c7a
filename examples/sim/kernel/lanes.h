/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_KERNEL_LANES_H
#define SIM_KERNEL_LANES_H
/*
 * What an instruction computes in the lanes of a warp, all at once: its steps, the lanes in which a
 * condition holds, and the addresses of its accesses. The caller performs the accesses.
 */
#include "say.h"

/* A warp as it executes. */
struct kernel_lanes {
	const struct kernel *kernel;
	const struct kernel_code *code;
	uint32_t *reg;		/* register r of lane l: reg[r * stride + (slot ? slot[l] : l)] */
	size_t stride;
	const uint32_t *slot;	/* NULL: lanes are in place, and all 32 words can be read */
	uint32_t mask;		/* lanes that execute */
	uint32_t whole;		/* with this mask, all 32 words of a register may be written */
	uint64_t seed;		/* for branches by chance */
	const struct sim_memory *memory; /* read by steps of setup and verify; else NULL */
	/* Lanes that went beyond the end of an array or of a trace, and the place where they
	 * did. */
	uint32_t stray, stray_visits;
	struct sim_stray *stray_of; /* the caller's, by lane */
	const char *stray_trace;
};

/* Execute the steps of the instruction. */
void kernel_steps(struct kernel_lanes *lanes, const struct kernel_instr *instr);
/* The same for one thread, with all words in reg: registers, constants, scratch. */
void kernel_steps_flat(struct kernel_lanes *lanes, const struct kernel_instr *instr);
/* Lanes of the mask whose word is not 0. */
uint32_t kernel_true(const struct kernel_lanes *lanes, uint16_t column);
/* The word of lane l. */
uint32_t kernel_word(const struct kernel_lanes *lanes, uint16_t column, uint32_t l);
/* The words of the mask's lanes; words of other lanes are undefined. */
void kernel_words(const struct kernel_lanes *lanes, uint16_t column, uint32_t out[KERNEL_LANES]);
/* Addresses of an access in bytes (in tables: words), and its lanes, as below. */
uint32_t kernel_addresses(struct kernel_lanes *lanes, const struct kernel_instr *instr,
			  uint64_t address[KERNEL_LANES]);

/* Describe the error of the lanes that have gone astray at the instruction. */
void kernel_catch_lanes(const struct kernel_lanes *lanes, const struct kernel_instr *instr);

/* Does thread `id` take a branch of chance `percent` at its visit number `visit`? */
bool kernel_chance(uint64_t seed, uint32_t pc, uint32_t id, uint32_t visit, uint32_t percent);

/* A register of the lanes as an array with the word of lane l at [l], for loads to fill. */
static inline uint32_t *kernel_register(const struct kernel_lanes *lanes, uint16_t reg)
{
	return lanes->reg + reg * lanes->stride;
}

/*
 * Execute an instruction in its lanes, except for its access: addresses are in bytes (in tables:
 * words). Returns the lanes that take a branch, that end, or that access memory within the array;
 * lanes beyond its end are in lanes->stray.
 */
static inline uint32_t kernel_evaluate(struct kernel_lanes *w, const struct kernel_instr *i,
				       uint64_t address[KERNEL_LANES],
				       uint32_t value[KERNEL_LANES],
				       uint32_t compare[KERNEL_LANES])
{
	if (i->steps)
		kernel_steps(w, i);
	if (i->op == SIM_BRANCH || i->op == SIM_EXIT_IF)
		return kernel_true(w, i->a) ^ (i->negate ? w->mask : 0);
	if (!kernel_accesses(i))
		return 0;
	if (i->op != SIM_LOAD)
		kernel_words(w, i->op == SIM_CAS ? i->c : i->b, value);
	if (i->op == SIM_CAS)
		kernel_words(w, i->b, compare);
	return kernel_addresses(w, i, address);
}

#endif /* SIM_KERNEL_LANES_H */
