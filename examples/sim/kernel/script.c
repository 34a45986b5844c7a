/* SPDX-License-Identifier: BSD-2-Clause */
#include "script.h"

#include <errno.h>
#include <string.h>

#include "compute.h"
#include "lanes.h"
#include "zipf.h"
#include "../base/arena.h"

/* One thread without a machine: its words stand side by side. */
struct script {
	struct kernel_lanes lanes;
	const struct kernel_instr *at; /* the next one; NULL: it has ended */
	struct sim_memory *memory; /* NULL: it is not written */
	uint64_t draws, steps, limit;
	bool blind; /* it ends where it would read memory */
	struct sim_stray stray;
	struct zipf *zipf; /* those drawn from so far, the last one first */
	char *message;
	size_t size;
};

static uint32_t word_of(const struct script *s, uint16_t column)
{
	return s->lanes.reg[column];
}

static uint32_t word_in_script(const void *of, uint16_t column)
{
	return word_of(of, column);
}

static int fail_at(struct script *s, struct sim_spot at, const char *reason,
		   const char *operands)
{
	snprintf(s->message, s->size, "%s:%u:%u: %s%s", s->lanes.kernel->file, at.line, at.column,
		 reason, operands);
	return -EINVAL;
}

static int fail(struct script *s, const struct kernel_instr *i, const char *reason)
{
	const struct kernel_view view = { word_in_script, s };
	char operands[240];

	kernel_say_operands(s->lanes.kernel, s->lanes.code, i, &view, operands, sizeof(operands));
	return fail_at(s, (struct sim_spot){ i->line, i->column }, reason, operands);
}

static int beyond(struct script *s, const struct kernel_instr *i)
{
	const struct kernel_view view = { word_in_script, s };
	struct sim_spot at;
	char reason[200];

	kernel_catch(s->lanes.code, i, &view, &s->stray);
	at = kernel_say_stray(s->lanes.kernel, s->lanes.code, i, &s->stray, reason,
			      sizeof(reason));
	return fail_at(s, at, reason, "");
}

static int access(struct script *s, const struct kernel_instr *i)
{
	const struct kernel *k = s->lanes.kernel;
	const struct kernel_place *p = &k->place[i->place];
	const struct kernel_array *array = &k->array[p->array];
	uint32_t index = word_of(s, i->a), *table = NULL;
	uint64_t address = p->base + (uint64_t)index * p->stride;

	if (i->when != KERNEL_NO_COLUMN && !word_of(s, i->when))
		return 0;
	if (index >= p->length) {
		s->stray = (struct sim_stray){ .step = SIM_NO_STEP, .index = index };
		return beyond(s, i);
	}
	if (array->kind == KERNEL_TABLE)
		table = &k->table[p->base + (address - p->base) / 4];
	if (i->op == SIM_LOAD)
		s->lanes.reg[i->d] = table ? *table : sim_memory_read(s->lanes.memory, address);
	else if (table)
		*table = word_of(s, i->b);
	else
		sim_memory_write(s->memory, address, word_of(s, i->b));
	return 0;
}

/* The distribution, made at the price of a statement for each item. */
static int take_zipf(struct script *s, const struct kernel_instr *i, uint32_t items,
		     uint32_t exponent, const struct zipf **out)
{
	char reason[120];
	struct zipf *zipf = s->zipf;

	while (zipf && (zipf->items != items || zipf->exponent != exponent))
		zipf = zipf->next;
	*out = zipf;
	if (zipf)
		return 0;
	if (!items || items > ZIPF_ITEMS_MAX || exponent > ZIPF_EXPONENT_MAX) {
		snprintf(reason, sizeof(reason), "zipf %u exponent %u, expected 1 .. %u items and "
			 "an exponent of 0 .. %u hundredths", items, exponent, ZIPF_ITEMS_MAX,
			 ZIPF_EXPONENT_MAX);
		return fail(s, i, reason);
	}
	*out = zipf = zipf_new(items, exponent);
	if (!zipf) {
		snprintf(s->message, s->size, "out of memory");
		return -ENOMEM;
	}
	zipf->next = s->zipf;
	s->zipf = zipf;
	s->steps += items;
	return 0;
}

static int draw(struct script *s, const struct kernel_instr *i)
{
	uint32_t bound = word_of(s, i->a);
	uint32_t drawn = kernel_random(s->lanes.kernel->seed, ++s->draws);
	uint32_t *to = &s->lanes.reg[i->d];
	const struct zipf *zipf;
	int error;

	if (i->b == KERNEL_NO_COLUMN) {
		*to = bound ? drawn % bound : drawn;
		return 0;
	}
	error = take_zipf(s, i, bound, word_of(s, i->b), &zipf);
	if (!error)
		*to = zipf_item(zipf, drawn);
	return error;
}

static int require(struct script *s, const struct kernel_instr *i)
{
	const struct kernel_message *m = &s->lanes.code->message[i->b];
	char reason[200] = "";
	size_t used = 0;

	if (word_of(s, i->a))
		return 0;
	for (uint32_t p = 0; p < m->parts && used < sizeof(reason); p++)
		if (m->part[p].text)
			used += (size_t)snprintf(reason + used, sizeof(reason) - used, "%s%s",
						 p ? " " : "", m->part[p].text);
		else
			used += (size_t)snprintf(reason + used, sizeof(reason) - used, "%s%u",
						 p ? " " : "",
						 word_of(s, m->part[p].column));
	return fail(s, i, m->parts ? reason : "what is required does not hold");
}

static bool reads_memory(const struct script *s, const struct kernel_instr *i)
{
	const struct kernel *k = s->lanes.kernel;
	const struct kernel_step *step = &s->lanes.code->step[i->step];

	for (uint32_t n = 0; n < i->steps; n++)
		if (step[n].operator == KERNEL_FETCH &&
		    k->array[k->place[step[n].extra].array].kind != KERNEL_TABLE)
			return true;
	return i->op == SIM_LOAD && k->array[k->place[i->place].array].kind != KERNEL_TABLE;
}

static int too_long(struct script *s, const struct kernel_instr *i)
{
	char reason[80];

	snprintf(reason, sizeof(reason), "no end after %llu statements",
		 (unsigned long long)s->limit);
	return fail(s, i, reason);
}

/*
 * The steps of an instruction: most have one, with an operator that needs nothing but words.
 * False: they have strayed beyond the end of an array.
 */
static inline bool take_steps(struct script *s, const struct kernel_instr *i)
{
	const struct kernel_step *step = &s->lanes.code->step[i->step];
	uint32_t *word = s->lanes.reg;

	if (i->steps > 1 || step->operator >= KERNEL_RANDOM) {
		kernel_steps_flat(&s->lanes, i);
		return !s->lanes.stray;
	}
	word[step->d] = kernel_compute((enum kernel_operator)step->operator, word[step->a],
				       word[step->b], word[step->c]);
	return true;
}

/* To the end, or after a launch; then the launch is *out. */
static int run(struct script *s, const struct kernel_instr **out)
{
	const struct kernel_instr *const all = s->lanes.code->instr, *i = s->at, *next;
	const uint32_t *const word = s->lanes.reg;
	const bool blind = s->blind;
	int error = 0;

	for (*out = NULL; i && i->op != SIM_EXIT && !(blind && reads_memory(s, i)); i = next) {
		if (++s->steps > s->limit)
			return too_long(s, i);
		if (i->steps && !take_steps(s, i))
			return beyond(s, i);
		next = &all[i->next];
		switch ((enum sim_op)i->op) {
		case SIM_LOAD:
		case SIM_STORE:
			error = access(s, i);
			break;
		case SIM_DRAW:
			error = draw(s, i);
			break;
		case SIM_REQUIRE:
			error = require(s, i);
			break;
		case SIM_BRANCH:
			next = !word[i->a] == i->negate ? &all[i->target] : next;
			continue;
		case SIM_JUMP:
			next = &all[i->target];
			continue;
		case SIM_EXIT_IF:
			next = word[i->a] ? NULL : next;
			continue;
		case SIM_LAUNCH:
			s->at = next;
			*out = i;
			return 0;
		default:
			continue;
		}
		if (error)
			return error;
	}
	s->at = i;
	return 0;
}

/* A script at the section's start, which end() frees. */
static int start(const struct kernel *k, enum kernel_section section, struct script *out)
{
	const struct kernel_code *code = &k->code[section];
	size_t words = (size_t)code->registers + code->constants + code->scratch;

	*out = (struct script){ .at = code->instr };
	out->limit = KERNEL_STEP_LIMIT + 64 * ((k->memory_end - KERNEL_HEAP) / 4 + k->table_words);
	out->lanes = (struct kernel_lanes){ .kernel = k, .code = code, .stray_of = &out->stray };
	out->lanes.reg = sim_calloc(words + 1, sizeof(*out->lanes.reg));
	if (!out->lanes.reg)
		return -ENOMEM;
	for (uint32_t i = 0; i < code->constants; i++)
		out->lanes.reg[code->registers + i] = code->constant[i];
	return 0;
}

static void end(struct script *s)
{
	for (struct zipf *next; s->zipf; s->zipf = next) {
		next = s->zipf->next;
		sim_free(s->zipf);
	}
	sim_free(s->lanes.reg);
}

static int run_section(const struct kernel *k, enum kernel_section section,
		       const struct sim_memory *from, struct sim_memory *to, char *message,
		       size_t size)
{
	const struct kernel_instr *launch;
	struct script s;
	int error;

	if (!k->code[section].instr_count)
		return 0;
	snprintf(message, size, "out of memory");
	error = start(k, section, &s);
	if (error)
		return error;
	s.memory = to;
	s.lanes.memory = from;
	s.blind = !from;
	s.message = message;
	s.size = size;
	error = run(&s, &launch);
	end(&s);
	return error;
}

int kernel_setup(struct kernel *k, struct sim_memory *memory, char *message, size_t size)
{
	int error = run_section(k, KERNEL_SETUP, memory, memory, message, size);

	if (!error && memory->exhausted) {
		snprintf(message, size, "out of memory");
		error = -ENOMEM;
	}
	return error;
}

/* The same kernel with tables to write in. */
static int take_tables(const struct kernel *kernel, struct kernel *out)
{
	*out = *kernel;
	out->table = sim_malloc((kernel->table_words + 1) * sizeof(*out->table));
	if (!out->table)
		return -ENOMEM;
	memcpy(out->table, kernel->table, kernel->table_words * sizeof(*out->table));
	return 0;
}

int kernel_verify(const struct kernel *kernel, const struct sim_memory *memory, char *message,
		  size_t size)
{
	struct kernel scratch;
	int error = take_tables(kernel, &scratch);

	snprintf(message, size, "out of memory");
	if (!error)
		error = run_section(&scratch, KERNEL_VERIFY, memory, NULL, message, size);
	sim_free(scratch.table);
	return error;
}

/* ---- between launches ---- */

struct kernel_host {
	uint32_t number; /* of the last launch */
	struct kernel scratch;
	struct script script;
};

struct kernel_host *kernel_host_new(const struct kernel *kernel, enum kernel_section section)
{
	struct kernel_host *host = sim_calloc(1, sizeof(*host));

	if (host && !take_tables(kernel, &host->scratch) &&
	    !start(&host->scratch, section, &host->script))
		return host;
	kernel_host_free(host);
	return NULL;
}

void kernel_host_free(struct kernel_host *host)
{
	if (!host)
		return;
	end(&host->script);
	sim_free(host->scratch.table);
	sim_free(host);
}

int kernel_host_next(struct kernel_host *host, const struct sim_memory *memory, uint32_t *out,
		     char *message, size_t size)
{
	const struct kernel_instr *launch;
	int error;

	host->script.lanes.memory = memory;
	host->script.message = message;
	host->script.size = size;
	error = run(&host->script, &launch);
	if (error || !launch)
		return error;
	*out = host->number = launch->count;
	return 1;
}

void kernel_host_io(struct kernel_host *host, struct sim_io *io, uint32_t *number)
{
	struct script *s = &host->script;
	const struct kernel_code *code = s->lanes.code;
	size_t at = s->at ? (size_t)(s->at - code->instr) : code->instr_count;

	SIM_IO(io, at);
	SIM_IO(io, host->number);
	SIM_IO(io, s->draws);
	SIM_IO(io, s->steps);
	SIM_IO_ARRAY(io, s->lanes.reg, code->registers + code->constants + code->scratch);
	SIM_IO_ARRAY(io, host->scratch.table, host->scratch.table_words);
	if (at > code->instr_count || host->number >= host->scratch.launches)
		io->wrong = "host";
	s->at = at < code->instr_count ? &code->instr[at] : NULL;
	*number = host->number;
}

/* ---- before the run ---- */

int kernel_foresee(const struct kernel *k, char *message, size_t size)
{
	int error = kernel_verify(k, NULL, message, size);

	for (int s = KERNEL_HOST; !error && s <= KERNEL_LOCKS_HOST; s++) {
		struct kernel_host *host = NULL;
		uint32_t number;

		if (!k->code[s].instr_count)
			continue;
		host = kernel_host_new(k, (enum kernel_section)s);
		error = host ? kernel_host_next(host, k->initial, &number, message, size) :
			       -ENOMEM;
		error = error < 0 ? error : 0;
		kernel_host_free(host);
	}
	return error;
}
