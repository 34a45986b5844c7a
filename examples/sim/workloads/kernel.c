/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel.h"

#include <errno.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/input.h"
#include "../base/memory.h"
#include "../kernel/edge_file.h"
#include "../kernel/key_file.h"
#include "../kernel/lanes.h"
#include "../kernel/script.h"
#include "tables.h"

struct kernel_class {
	struct sim_workload_class base;
	struct kernel kernel; /* the params and variants to choose from */
	const struct kernel_variant *variant;
	struct gputm_params params;
	struct gputm_param row[KERNEL_PARAMS_MAX + 1]; /* of params that are open; the seed */
	struct kernel_text text;
	char *path;
};

/* A program, or one of several kernels of a program, and its code. */
struct kernel_program {
	struct sim_program runs;
	const struct kernel *kernel;
	const struct kernel_code *code;
	struct sim_instr *instr;
	struct sim_spot *spot;
	uint64_t seed; /* of branches by chance */
};

struct kernel_workload {
	struct sim_workload base;
	struct kernel kernel;
	uint64_t seed;
	bool alone; /* without a TM system */
	struct kernel_program *program; /* [2 + launches]: transactions, locks, launches */
};

/* ---- what an instruction does ----------------------------------------------------------- */

static void eval(const void *data, uint32_t pc, struct sim_step *step)
{
	const struct kernel_program *p = data;
	const struct kernel_instr *i = &p->code->instr[pc];
	struct kernel_lanes w = { .kernel = p->kernel, .code = p->code, .reg = step->reg,
				  .stride = step->slot ? step->stride : KERNEL_LANES,
				  .slot = step->slot, .mask = step->mask,
				  .whole = step->whole, .seed = p->seed,
				  .stray_of = step->stray_of };

	step->chosen = kernel_evaluate(&w, i, step->address, step->value, step->compare);
	step->into = kernel_accesses(i) ? i->d : SIM_NO_REGISTER;
	if (!w.stray)
		return;
	step->stray = w.stray;
	kernel_catch_lanes(&w, i);
	for (uint32_t left = step->into == SIM_NO_REGISTER ? 0 : w.stray; left; left &= left - 1) {
		uint32_t l = (uint32_t)__builtin_ctz(left);

		kernel_register(&w, i->d)[w.slot ? w.slot[l] : l] = 0;
	}
}

static void say_stray(const void *data, uint32_t thread, const struct sim_stray *stray, char *out,
		      size_t size)
{
	const struct kernel_program *p = data;
	const struct kernel_instr *i = &p->code->instr[stray->pc];
	char what[160];
	struct sim_spot at = kernel_say_stray(p->kernel, p->code, i, stray, what, sizeof(what));

	snprintf(out, size, "%s:%u:%u: thread %u uses %s", p->kernel->file, at.line,
		 at.column, thread, what);
}

/* ---- programs of the machine ------------------------------------------------------------ */

/* A run of `alu` is one instruction of several slots; a jump is an instruction that continues
 * elsewhere. */
static void translate(const struct kernel *k, const struct kernel_code *code, uint32_t pc,
		      struct sim_instr *out)
{
	const struct kernel_instr *i = &code->instr[pc];
	const struct kernel_block *block = &code->block[i->block];
	uint32_t next = i->op == SIM_JUMP ? i->target : i->next;

	out->op = i->op <= SIM_EXIT ? (enum sim_op)i->op : SIM_PLAIN;
	out->count = 1;
	out->target = i->target;
	if (i->op == SIM_PLAIN && i->count > 1) {
		out->count = i->count;
		next = code->instr[pc + i->count - 1].next;
	}
	if (i->op == SIM_BRANCH)
		out->meet = kernel_entry(code, block->meeting);
	if (i->op == SIM_BRANCH && block->likely != KERNEL_NONE)
		out->likely = kernel_entry(code, block->likely);
	out->hop = (int32_t)next - (int32_t)pc - 1;
	out->shared = kernel_shares(k, i);
	out->uniform = i->uniform;
}

static int make_program(struct kernel_workload *k, const struct kernel_code *code,
			struct kernel_program *p)
{
	uint32_t length = (uint32_t)code->instr_count;

	p->kernel = &k->kernel;
	p->code = code;
	p->seed = k->seed;
	p->instr = sim_calloc(length, sizeof *p->instr);
	p->spot = sim_calloc(length, sizeof *p->spot);
	if (!p->instr || !p->spot)
		return -ENOMEM;
	for (uint32_t pc = 0; pc < length; pc++) {
		translate(p->kernel, code, pc, &p->instr[pc]);
		p->spot[pc] = (struct sim_spot){ code->instr[pc].line, code->instr[pc].column };
	}
	p->runs = (struct sim_program){
		.code = p->instr, .length = length, .data = p, .eval = eval,
		.registers = code->registers, .special = code->special, .kept = code->kept,
		.kept_count = (uint32_t)code->kept_count, .file = k->kernel.file,
		.spot = p->spot, .say_stray = say_stray,
		.shared_words = (uint32_t)k->kernel.shared_words,
	};
	return 0;
}

/* Does the code, or only the code in its transactions, access shared memory? */
static bool uses_shared(const struct kernel *k, const struct kernel_code *code, bool transactions)
{
	bool found = false;

	for (size_t i = 0; i < code->instr_count; i++) {
		const struct kernel_instr *instr = &code->instr[i];

		found |= (instr->inside || !transactions) && kernel_shares(k, instr);
		for (uint32_t n = instr->step; n < instr->step + instr->steps; n++)
			found |= code->step[n].operator == KERNEL_FETCH &&
				 k->array[k->place[code->step[n].extra].array].kind ==
					 KERNEL_SHARED;
	}
	return found;
}

/* Why the program runs in local memory only, or NULL. The text lives as long as the run. The other
 * systems log accesses to global memory (thesis 4.2, GETM section IV). */
static const char *why_local(const struct kernel *k)
{
	bool inside = uses_shared(k, &k->code[KERNEL_TRANSACTIONS], true);

	for (size_t i = 0; i < k->launches; i++)
		inside |= uses_shared(k, &k->launch[i].code, true);
	if (inside)
		return "its transactions use shared memory, which is in no log but those of "
		       "local-tm, local-tm-perfect and local-serialised: no abort of others would "
		       "undo what they have done there";
	if (uses_shared(k, &k->code[KERNEL_SETUP], false) ||
	    uses_shared(k, &k->code[KERNEL_VERIFY], false))
		return "setup or verify uses shared memory, which a block has while it runs";
	return NULL;
}

static void add_program(struct kernel_workload *k, enum kernel_section section,
			const struct sim_program *program)
{
	enum sim_flavour flavour = section == KERNEL_LOCKS ? SIM_LOCKS : SIM_TRANSACTIONS;
	const char *why = k->alone && !k->kernel.launches ? NULL : why_local(&k->kernel);

	if (why)
		k->base.missing[SIM_TRANSACTIONS] = k->base.missing[SIM_LOCKS] = why;
	else if (!k->base.program[flavour])
		k->base.program[flavour] = program;
	if (k->kernel.shared_words && section != KERNEL_LOCKS && !k->base.program[SIM_LOCAL])
		k->base.program[SIM_LOCAL] = program;
}

static int add_programs(struct kernel_workload *k)
{
	const struct kernel_launch *launch = k->kernel.launch;
	int error = 0;

	k->base.missing[SIM_TRANSACTIONS] = "it has no program with transactions";
	k->base.missing[SIM_LOCKS] = "it has no program with locks";
	k->program = sim_calloc(2 + k->kernel.launches, sizeof *k->program);
	if (!k->program)
		return -ENOMEM;
	for (int s = KERNEL_TRANSACTIONS; !error && s <= KERNEL_LOCKS; s++) {
		if (!k->kernel.code[s].instr_count)
			continue;
		error = make_program(k, &k->kernel.code[s], &k->program[s]);
		add_program(k, (enum kernel_section)s, &k->program[s].runs);
	}
	for (size_t i = 0; !error && i < k->kernel.launches; i++) {
		error = make_program(k, &launch[i].code, &k->program[2 + i]);
		k->program[2 + i].runs.part = true;
		add_program(k, launch[i].section, &k->program[2 + i].runs);
	}
	return error;
}

static struct kernel_host *new_host(const struct kernel_workload *k, enum sim_flavour flavour)
{
	return kernel_host_new(&k->kernel,
			       flavour == SIM_LOCKS ? KERNEL_LOCKS_HOST : KERNEL_HOST);
}

static struct sim_launch launch_of(const struct kernel_workload *k, uint32_t number)
{
	const struct kernel_launch *l = &k->kernel.launch[number];

	return (struct sim_launch){ &k->program[2 + number].runs, l->threads, l->block_threads,
				    number };
}

static int next(const struct sim_workload *workload, enum sim_flavour flavour, void **state,
		const struct sim_memory *memory, struct sim_launch *out, char *error, size_t size)
{
	const struct kernel_workload *k = (const struct kernel_workload *)workload;
	uint32_t number;
	int result;

	snprintf(error, size, "out of memory");
	if (!*state)
		*state = new_host(k, flavour);
	if (!*state)
		return -ENOMEM;
	result = kernel_host_next(*state, memory, &number, error, size);
	if (result > 0)
		*out = launch_of(k, number);
	return result;
}

static void io_host(const struct sim_workload *workload, enum sim_flavour flavour, void **state,
		    struct sim_io *io, struct sim_launch *out)
{
	const struct kernel_workload *k = (const struct kernel_workload *)workload;
	uint32_t number;

	if (!*state)
		*state = new_host(k, flavour);
	io->starved |= !*state;
	if (*state)
		kernel_host_io(*state, io, &number);
	if (sim_io_ok(io))
		*out = launch_of(k, number);
}

static void end_host(void *state)
{
	kernel_host_free(state);
}

/* ---- life ------------------------------------------------------------------------------- */

static void destroy(struct sim_workload *workload)
{
	struct kernel_workload *k = (struct kernel_workload *)workload;

	for (size_t i = 0; k->program && i < 2 + k->kernel.launches; i++) {
		sim_free(k->program[i].instr);
		sim_free(k->program[i].spot);
	}
	sim_free(k->program);
	kernel_free(&k->kernel);
	sim_free(k);
}

/* --keys FILE fills its array from index 1 on. */
static int read_keys(const char *name, struct sim_keys *keys, char *error, size_t size)
{
	struct sim_input in;
	int result = sim_input_open(&in, name, error, size);

	if (result)
		return result;
	result = sim_keys_read(in.file, in.name, keys, error, size);
	sim_input_close(&in);
	return result;
}

static int fill_keys(const struct kernel *k, const struct sim_keys *keys, const char *file,
		     char *error, size_t size)
{
	const struct kernel_array *array;

	if (!keys->count)
		keys = &k->word;
	if (!keys->count)
		return 0;
	if (k->keys == KERNEL_NO_COLUMN) {
		snprintf(error, size, "--keys: kernel %s takes no keys from a file", k->name);
		return -EINVAL;
	}
	if (keys != &k->word && k->threads > keys->count) {
		snprintf(error, size, "--threads: got \"%llu\", expected 1 .. %u, the words of %s",
			 (unsigned long long)k->threads, keys->count, file);
		return -EINVAL;
	}
	array = &k->array[k->keys];
	for (uint32_t i = 0; i < keys->count && i + 1 < array->length; i++)
		sim_memory_write(k->initial, array->base + 4ull * array->words * (i + 1),
				 keys->key[i]);
	return 0;
}

/* --edges FILE fills its array, before setup. */
static int fill_edges(const struct kernel *k, const struct sim_edges *edges, char *error,
		      size_t size)
{
	if (!edges->count)
		return 0;
	if (k->edges == KERNEL_NO_COLUMN) {
		snprintf(error, size, "--edges: kernel %s takes no edges from a file", k->name);
		return -EINVAL;
	}
	for (uint32_t i = 0; i < 2 * edges->count; i++)
		sim_memory_write(k->initial, k->array[k->edges].base + 4ull * i,
				 edges->end[i / 2][i % 2]);
	return 0;
}

static int fill(struct kernel_workload *k, const struct sim_keys *keys, const char *file,
		const struct sim_edges *edges, char *error, size_t size)
{
	int result = fill_edges(&k->kernel, edges, error, size);

	if (!result)
		result = kernel_setup(&k->kernel, k->kernel.initial, error, size);
	if (!result)
		result = fill_keys(&k->kernel, keys, file, error, size);
	if (!result)
		result = kernel_foresee(&k->kernel, error, size);
	if (result)
		return result;
	result = add_programs(k);
	if (result)
		snprintf(error, size, "out of memory");
	return result;
}

/* Stores outside of transactions are performed at most as often as transactions commit. */
static uint32_t plain_stores(const struct kernel_code *code)
{
	uint32_t count = 0;

	for (size_t i = 0; i < code->instr_count; i++)
		count += code->instr[i].op == SIM_STORE && !code->instr[i].inside;
	return count;
}

/* The device that a thread is for. */
static enum sim_affinity affinity(const struct sim_workload *workload, uint32_t thread)
{
	const struct kernel *k = &((const struct kernel_workload *)workload)->kernel;
	const struct kernel_code *code = &k->code[KERNEL_AFFINITY];
	struct sim_stray stray;
	struct kernel_lanes w = { .kernel = k, .code = code, .reg = &thread, .stride = 1,
				  .mask = 1, .stray_of = &stray };
	uint32_t device;

	kernel_steps(&w, code->instr);
	device = kernel_word(&w, code->instr->a, 0);
	return device <= SIM_GPU ? (enum sim_affinity)device : SIM_ANY_DEVICE;
}

static enum kernel_section section_of(const struct kernel_workload *k)
{
	return k->base.flavour == SIM_LOCKS ? KERNEL_LOCKS : KERNEL_TRANSACTIONS;
}

static bool has_transactions(const struct kernel_code *code)
{
	return code->transactions || code->critical;
}

/* Why the program has no transaction at all, or NULL. */
static const char *why_bare(const struct kernel *k, enum kernel_section section)
{
	bool some = has_transactions(&k->code[section]);

	for (size_t i = 0; i < k->launches; i++)
		some |= k->launch[i].section == section && has_transactions(&k->launch[i].code);
	return some			? NULL :
	       section == KERNEL_LOCKS	? "the program with locks has no enter and leave" :
					  "the program has no begin and commit";
}

static void describe(struct kernel_workload *k)
{
	const struct kernel *kernel = &k->kernel;
	bool said = kernel->region_end > kernel->region_start;
	uint64_t origin = kernel->launched ? 0 : KERNEL_HEAP;

	k->base.bare = why_bare(kernel, section_of(k));
	k->base.threads = kernel->threads;
	k->base.transactions = kernel->commits;
	k->base.most_writes = kernel->most_commits * (1 + plain_stores(kernel->code));
	k->base.block_size = kernel->largest_block;
	for (size_t i = 0; i < kernel->launches; i++)
		if (kernel->launch[i].threads > k->base.most_threads)
			k->base.most_threads = kernel->launch[i].threads;
	k->base.lock_base = kernel->lock_base;
	k->base.region[0].start = said ? kernel->region_start : origin;
	k->base.region[0].length = (said ? kernel->region_end : kernel->end) -
				   k->base.region[0].start;
	k->base.regions = kernel->end > origin;
	/* Transactions access local memory. */
	if (kernel->shared_words && !k->base.program[SIM_TRANSACTIONS]) {
		k->base.region[0] = (struct sim_region){ 0, 4 * kernel->shared_words };
		k->base.regions = 1;
	}
	if (kernel->code[KERNEL_AFFINITY].instr_count)
		k->base.affinity = affinity;
	k->base.lanes = kernel->launched ? kernel->lanes : 0;
}

/* The params of a config struct, which begins with its size. */
static const uint32_t *values(const void *config)
{
	return config ? (const void *)((const char *)config + sizeof(size_t)) : NULL;
}

static int make(const struct sim_workload_request *request, struct sim_workload **out,
		char *error, size_t size)
{
	const struct kernel_class *class = request->class->given;
	struct kernel_workload *k = sim_workload_new(request, sizeof(*k), error, size);
	struct kernel_request wanted = { .variant = class->variant,
					 .value = values(request->config),
					 .threads = request->threads,
					 .seed = request->seed };
	struct sim_keys keys = { 0, NULL };
	struct sim_edges edges = { 0, 0, NULL };
	int result = k ? 0 : -ENOMEM;

	if (!result && request->keys)
		result = read_keys(request->keys, &keys, error, size);
	if (!result && request->edges)
		result = sim_edges_load(request->edges, request->renumber, &edges, error,
					size);
	if (request->config)
		wanted.data_seed = wanted.value[class->params.param_count - 1];
	wanted.keys = keys.count;
	wanted.vertices = edges.vertices;
	wanted.edges = edges.count;
	if (k) {
		k->seed = request->seed;
		k->base.kernel = &k->kernel;
	}
	if (!result)
		result = kernel_load(&class->text, &wanted, &k->kernel, error, size);
	if (!result && request->flavour == SIM_ALONE) {
		k->alone = true;
		kernel_go_without(&k->kernel);
		k->base.flavour = SIM_TRANSACTIONS;
	}
	if (!result && !request->only_sizes)
		result = fill(k, &keys, request->keys, &edges, error, size);
	sim_keys_free(&keys);
	sim_edges_free(&edges);
	if (result) {
		if (k)
			destroy(&k->base);
		return -EINVAL;
	}
	describe(k);
	*out = &k->base;
	return 0;
}

static void setup(const struct sim_workload *workload, struct sim_memory *memory)
{
	const struct kernel_workload *k = (const struct kernel_workload *)workload;
	const uint32_t *page;

	for (uint64_t at = 0; (page = sim_memory_page(k->kernel.initial, &at));
	     at += 1u << SIM_PAGE_BITS)
		memcpy(sim_memory_make(memory, at), page, 1u << SIM_PAGE_BITS);
}

static const char *invariant(const struct sim_workload *workload,
			     const struct sim_memory *memory, char *error, size_t size)
{
	const struct kernel_workload *k = (const struct kernel_workload *)workload;

	return kernel_verify(&k->kernel, memory, error, size) ? error : NULL;
}

static void name_word(const struct sim_workload *workload, uint64_t address, bool write, char *out,
		      size_t size)
{
	const struct kernel_workload *k = (const struct kernel_workload *)workload;

	kernel_name_word(&k->kernel, section_of(k), address, write, out, size);
}

/* ---- classes ---------------------------------------------------------------------------- */

static void make_params(struct kernel_class *c)
{
	const struct kernel *k = &c->kernel;
	size_t fixed = c->variant ? c->variant->params : 0, open = k->params - fixed;

	c->row[open] = (struct gputm_param){
		.name = "seed", .offset = (uint32_t)(sizeof(size_t) + 4 * open), .bytes = 4,
		.max = UINT32_MAX, .source = "",
		.summary = "Of its data, apart from --seed. 0: the kernel's own, or --seed.",
	};
	for (size_t i = 0; i < open; i++) {
		const struct kernel_param *p = &k->param[fixed + i];

		c->row[i] = (struct gputm_param){
			.name = p->name, .offset = (uint32_t)(sizeof(size_t) + 4 * i), .bytes = 4,
			.min = p->least, .max = p->greatest, .def = p->standard,
			.summary = p->text, .source = "",
		};
	}
	c->params = (struct gputm_params){
		.kind = "workload", .config_size = sizeof(size_t) + (4 * open + 11) / 8 * 8,
		.param = c->row, .param_count = open + 1,
	};
}

static int find_variant(struct kernel_class *c, const char *name, char *message, size_t size)
{
	const struct kernel *k = &c->kernel;

	for (size_t i = 0; name && i < k->variants; i++)
		if (!strcmp(k->variant[i].name, name))
			c->variant = &k->variant[i];
	if (!name || c->variant)
		return 0;
	snprintf(message, size, "%s: got variant \"%.40s\", expected %s", k->file, name,
		 k->variants ? "one of:" : "no variant: the file has none");
	for (size_t i = 0; i < k->variants; i++) {
		size_t used = strlen(message);

		snprintf(message + used, size - used, " %s", k->variant[i].name);
	}
	return -EINVAL;
}

int sim_kernel_class(const char *path, const char *variant, struct sim_workload_class **out,
		     char *message, size_t size)
{
	const struct kernel_request choices = { .choices = true };
	struct kernel_class *c = sim_calloc(1, sizeof(*c));
	int error;

	if (c)
		c->path = sim_malloc(strlen(path) + 1);
	if (!c || !c->path) {
		sim_free(c);
		snprintf(message, size, "out of memory");
		return -ENOMEM;
	}
	strcpy(c->path, path);
	error = kernel_text_read(c->path, &c->text, message, size);
	if (!error)
		error = kernel_load(&c->text, &choices, &c->kernel, message, size);
	if (!error)
		error = find_variant(c, variant, message, size);
	if (error) {
		sim_kernel_class_free(&c->base);
		return error;
	}
	make_params(c);
	c->base = (struct sim_workload_class){
		.name = c->variant ? c->variant->name : c->kernel.name,
		.summary = c->variant ? c->variant->text : c->kernel.summary,
		.params = &c->params, .given = c,
		.fixed_threads = c->kernel.launched,
		.make = make, .free = destroy, .setup = setup, .next = next,
		.end_host = end_host, .io_host = io_host, .name_word = name_word,
		.invariant = c->kernel.code[KERNEL_VERIFY].line ? invariant : NULL,
	};
	*out = &c->base;
	return 0;
}

const char *sim_kernel_class_file(const struct sim_workload_class *class)
{
	const struct kernel_class *c = class->given;

	return c->path;
}

int sim_kernel_class_read(const struct sim_workload_class *class, struct kernel *out,
			  char *message, size_t size)
{
	const struct kernel_class *c = class->given;
	const struct kernel_request standard = { .seed = 1 };

	return kernel_load(&c->text, &standard, out, message, size);
}

bool sim_kernel_class_fixes(const struct sim_workload_class *class)
{
	const struct kernel_class *c = class->given;

	return c->variant && c->variant->params;
}

const char *sim_kernel_class_variant(const struct sim_workload_class *class, size_t index)
{
	const struct kernel_class *c = class->given;

	return index < c->kernel.variants ? c->kernel.variant[index].name : NULL;
}

void sim_kernel_warn(const struct sim_workload *workload)
{
	const struct kernel *k = workload->kernel;

	if (*k->unread)
		fprintf(stderr, "gputm-sim: %s:%u: \"let %s\" is never read\n", k->file,
			k->unread_line, k->unread);
}

void sim_kernel_class_free(struct sim_workload_class *class)
{
	struct kernel_class *c = (struct kernel_class *)class;

	if (!c)
		return;
	kernel_free(&c->kernel);
	sim_free(c->text.text);
	sim_free(c->path);
	sim_free(c);
}
