/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader of kernels on any bytes: it accepts, or it says file, line and reason. Where it
 * lets the branches of an accepted kernel meet is held against the definition: every way to
 * an exit goes through there, and no other such block comes first. A warp of a small kernel
 * runs for a while, which may end in a fault but not in a crash.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "examples/sim/kernel/kernel.h"
#include "examples/sim/kernel/script.h"
#include "examples/sim/kernel/lanes.h"
#include "tests/fuzz/fuzz.h"

#define BLOCKS_MAX 24 /* that are looked at in full */

/* The edge list of every graph. */
static FILE *open_edges(void *state, const char *name)
{
	static const char edges[] = "0 1\n1 2\n2 0\n2 3\n";

	(void)state;
	(void)name;
	return fmemopen((void *)(uintptr_t)edges, sizeof(edges) - 1, "r");
}

/* Can an exit be reached from block b when `without` is not there? */
static bool can_end(const struct kernel_code *k, uint32_t b, uint32_t without)
{
	bool seen[BLOCKS_MAX] = { false };
	uint32_t stack[BLOCKS_MAX], depth = 0;

	if (b == without)
		return false;
	seen[b] = true;
	stack[depth++] = b;
	while (depth) {
		uint32_t at = stack[--depth];

		if (!k->block[at].ways)
			return true;
		for (uint32_t i = 0; i < k->block[at].ways; i++) {
			uint32_t to = k->block[at].way[i];

			if (to == without || seen[to])
				continue;
			seen[to] = true;
			stack[depth++] = to;
		}
	}
	return false;
}

static void check_meeting(const struct kernel_code *k, uint32_t b)
{
	uint32_t meeting = k->block[b].meeting;

	FUZZ_CHECK(meeting < k->block_count && meeting != b);
	FUZZ_CHECK(!can_end(k, b, meeting));
	for (uint32_t other = 0; other < k->block_count; other++)
		if (other != b && other != meeting && !can_end(k, b, other))
			FUZZ_CHECK(!can_end(k, meeting, other)); /* it comes after the meeting */
	FUZZ_CHECK(k->block[b].likely == KERNEL_NONE || k->block[b].likely < k->block_count);
	FUZZ_CHECK(k->block[b].likely != meeting);
}

static void check_tables(const struct kernel_code *k)
{
	uint32_t next = 0;

	for (uint32_t b = 0; b < k->block_count; b++) {
		const struct kernel_block *block = &k->block[b];

		FUZZ_CHECK(block->first == next && block->count && block->ways <= 2);
		next += block->count;
		FUZZ_CHECK(k->instr[next - 1].last);
		for (uint32_t i = 0; i < block->ways; i++)
			FUZZ_CHECK(block->way[i] < k->block_count);
		if (block->ways == 2 && k->block_count <= BLOCKS_MAX)
			check_meeting(k, b);
	}
	FUZZ_CHECK(next == k->instr_count);
	for (size_t i = 0; i < k->step_count; i++) {
		uint32_t columns = k->registers + k->constants + k->scratch;

		FUZZ_CHECK(k->step[i].a < columns && k->step[i].b < columns);
		FUZZ_CHECK(k->step[i].c < columns && k->step[i].d < columns);
	}
}

/* The first warp, as far as its threads agree; memory is not accessed. */
static void run_a_while(const struct kernel *kernel, const struct kernel_code *k)
{
	static uint32_t reg[(UINT16_MAX + 1) * KERNEL_LANES];
	uint32_t value[KERNEL_LANES], compare[KERNEL_LANES], threads, pc = 0;
	struct sim_stray strayed[KERNEL_LANES];
	uint64_t address[KERNEL_LANES];
	struct kernel_lanes w = { .kernel = kernel, .code = k, .reg = reg, .stride = KERNEL_LANES,
				  .seed = 1, .stray_of = strayed };

	threads = kernel_threads_of_block(kernel, 0);
	threads = threads < kernel->lanes ? threads : kernel->lanes;
	w.mask = UINT32_MAX >> (32 - threads);
	w.whole = kernel->lanes == KERNEL_LANES ? UINT32_MAX : 0;
	memset(reg, 0, k->registers * KERNEL_LANES * sizeof *reg);
	sim_introduce(k->special, reg, KERNEL_LANES, 0, threads, kernel->block_threads,
		      kernel->lanes, 0);
	for (int step = 0; step < 500; step++) {
		const struct kernel_instr *i = &k->instr[pc];
		uint32_t chosen = kernel_evaluate(&w, i, address, value, compare);

		if (w.stray || i->op == SIM_EXIT)
			break;
		if (i->op == SIM_BRANCH && chosen && chosen != w.mask)
			w.mask = chosen;
		if (i->op == SIM_EXIT_IF && !(w.mask &= ~chosen))
			break;
		pc = i->last ? k->block[k->block[i->block].way[i->op == SIM_BRANCH &&
							       !chosen]].first : pc + 1;
	}
}

/* What there is to choose is there in every kernel that can be read, and the same. */
static void check_choices(const uint8_t *data, size_t size, const struct kernel *whole)
{
	const struct kernel_files files = { open_edges, NULL };
	const struct kernel_request request = { .choices = true };
	struct kernel kernel;
	char message[300] = "";
	int error = kernel_read((const char *)data, size, "input", &request, &files, &kernel,
				message, sizeof(message));

	FUZZ_CHECK(!error || !whole);
	if (error)
		return;
	FUZZ_CHECK(!whole || kernel.params == whole->params);
	FUZZ_CHECK(!whole || kernel.variants == whole->variants);
	FUZZ_CHECK(!whole || kernel.launched == whole->launched);
	for (size_t i = 0; whole && i < kernel.params; i++)
		FUZZ_CHECK(!strcmp(kernel.param[i].name, whole->param[i].name) &&
			kernel.param[i].value == whole->param[i].value);
	kernel_free(&kernel);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kernel_files files = { open_edges, NULL };
	const struct kernel_request request = { .seed = 1 };
	struct kernel kernel;
	char message[300] = "";
	int error = kernel_read((const char *)data, size, "input", &request, &files, &kernel,
				message, sizeof(message));

	if (error) {
		FUZZ_CHECK(error == -EINVAL);
		FUZZ_CHECK(strchr(message, ':') != NULL && strlen(message) > 8);
		check_choices(data, size, NULL);
		return 0;
	}
	FUZZ_CHECK(!*message);
	check_choices(data, size, &kernel);
	for (int i = 0; i < KERNEL_SECTIONS; i++)
		if (kernel.code[i].instr_count)
			check_tables(&kernel.code[i]);
	for (size_t i = 0; i < kernel.launches; i++)
		check_tables(&kernel.launch[i].code);
	if (kernel.code->instr_count)
		run_a_while(&kernel, kernel.code);
	kernel_free(&kernel);
	return 0;
}
