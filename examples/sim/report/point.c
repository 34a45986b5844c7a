/* SPDX-License-Identifier: BSD-2-Clause */
/* The point of a run: what the user asked for, and a hash of all parameters. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/source.h"
#include "../base/table.h"
#include "../workloads/kernel.h"
#include "emit.h"
#include "point.h"

/* ---- the options ---- */

/* Does a later setting change the same field? */
static bool overruled(const struct sim_options *o, size_t index)
{
	size_t length = strcspn(o->set[index], "=") + 1;

	for (size_t i = index + 1; i < o->set_count; i++)
		if (!strncmp(o->set[i], o->set[index], length))
			return true;
	return false;
}

static void each_number(const char *name, uint64_t value, sim_point_fn *fn, void *state)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRIu64, value);
	fn(state, name, text);
}

void sim_point_each(const struct sim_options *o, sim_point_fn *fn, void *state)
{
	const struct {
		const char *name, *value;
	} words[] = {
		{ "system", !o->kernel || o->system_given ? o->system : NULL },
		{ "machine", o->machine_given ? o->machine : NULL },
		{ "workload", o->kernel || o->trace ? NULL : o->workload },
		{ "kernel", o->kernel },
		{ "trace", o->trace },
		{ "keys", o->keys },
		{ "edges", o->edges },
		{ "vertices", o->vertices ? "renumbered" : NULL },
		{ "divergence", o->divergence },
	};
	char name[EMIT_PATH];

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (words[i].value)
			fn(state, words[i].name, words[i].value);
	if (o->threads_given)
		each_number("threads", o->threads, fn, state);
	if (o->concurrency_given && !o->concurrency)
		fn(state, "concurrency", "inf");
	else if (o->concurrency_given)
		each_number("concurrency", o->concurrency, fn, state);
	each_number("seed", o->seed, fn, state);
	for (size_t i = 0; i < o->set_count; i++) {
		const char *value = strchr(o->set[i], '=') + 1;

		snprintf(name, sizeof name, "%.*s", (int)(value - o->set[i] - 1), o->set[i]);
		if (!overruled(o, i) && strcmp(name, "machine.swap_units_every"))
			fn(state, name, value);
	}
}

struct command {
	FILE *out;
	int width, used; /* 0: one line */
};

static void put_word(struct command *c, const char *option, const char *value)
{
	bool plain = !strpbrk(value, " \t\n\"'\\$`*?[](){}<>|&;!#~");
	int length = (int)(strlen(option) + strlen(value)) + 3;

	if (c->width && c->used + length > c->width) {
		fprintf(c->out, " \\\n%*s", SIM_COMMAND_INDENT - 1, "");
		c->used = SIM_COMMAND_INDENT - 1;
	}
	c->used += length;
	fprintf(c->out, " %s%s", option, plain ? "" : "'");
	for (; *value; value++) {
		if (*value == '\'')
			fputs("'\\'", c->out);
		putc(*value, c->out);
	}
	fputs(plain ? "" : "'", c->out);
}

static void add_to_command(void *state, const char *name, const char *value)
{
	char option[EMIT_PATH + 16];

	snprintf(option, sizeof option, strchr(name, '.') ? "--set %s=" : "--%s ", name);
	put_word(state, option, value);
}

void sim_point_command(const struct sim_options *o, FILE *out, int width)
{
	struct command c = { out, width, SIM_COMMAND_INDENT + (int)strlen("gputm-sim") };

	fputs("gputm-sim", out);
	sim_point_each(o, add_to_command, &c);
	if (o->check)
		fputs(" --check", out);
	if (o->conflicts)
		fputs(" --conflicts", out);
}

/* ---- hash: FNV-1a ---- */

static uint64_t hash_text(uint64_t hash, const char *name, const char *value)
{
	hash = sim_hash_text(hash, name);
	return value ? sim_hash_text(hash, value) : hash;
}

static uint64_t hash_number(uint64_t hash, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRIu64, value);
	return hash_text(hash, name, text);
}

/* The hash covers the contents of a file, not its name. */
uint64_t sim_hash_file(uint64_t hash, const char *name, const char *path)
{
	FILE *in = path && strcmp(path, "-") ? fopen(path, "rb") : NULL;
	char bytes[4096];
	size_t size;

	hash = hash_text(hash, name, in ? "" : path);
	while (in && (size = fread(bytes, 1, sizeof bytes, in)))
		hash = sim_hash_bytes(hash, bytes, size);
	if (in)
		fclose(in);
	return hash;
}

const char *sim_point_path(const struct sim_options *o)
{
	return o->kernel ? o->kernel : strpbrk(o->workload, "/.") ? o->workload : NULL;
}

/* A kernel counts with the bytes of its file and of those beside it, and not with its name; of a
 * variant, which has values of its own, the name counts too. */
static uint64_t hash_workload(uint64_t hash, const struct sim_report *r)
{
	struct sim_workload_class *kernel = r->setup->kernel;

	if (!kernel)
		return hash_text(hash, "workload", r->workload->name);
	hash = hash_text(hash, "variant", sim_kernel_class_fixes(kernel) ? kernel->name : NULL);
	hash = sim_hash_file(hash, "kernel", sim_kernel_class_file(kernel));
	for (const struct kernel_file *file = r->workload->kernel->beside; file; file = file->next)
		hash = sim_hash_file(hash, "beside", file->path);
	return hash;
}

uint64_t sim_point_hash(const struct sim_report *r)
{
	bool alone = sim_setup_alone(r->setup);
	const struct sim_options *o = r->options;
	const struct gputm_params *params;
	const char *path;
	void *config;
	uint64_t hash = SIM_HASH_START;

	hash = hash_text(hash, "system", alone ? NULL : r->setup->system->name);
	hash = hash_text(hash, "machine", r->setup->machine_name);
	hash = hash_text(hash, "divergence", r->setup->mechanism->class.name);
	hash = hash_number(hash, "threads", r->workload->threads);
	hash = hash_number(hash, "concurrency",
			   r->setup->on->tm_gpu ? o->concurrency : 0);
	hash = hash_number(hash, "seed", o->seed);
	hash = hash_workload(hash, r);
	hash = sim_hash_file(hash, "keys", o->keys);
	hash = sim_hash_file(hash, "edges", o->edges);
	hash = o->vertices ? hash_text(hash, "vertices", "renumbered") : hash;
	hash = sim_hash_file(hash, "trace", o->trace);
	for (size_t i = 0; sim_setup_part(r->setup, i, &path, &params, &config); i++) {
		bool any = false;

		for (size_t k = 0; sim_part_told(params, config) && k < params->param_count; k++) {
			if (!sim_row_told(&params->param[k], config))
				continue;
			hash = any ? hash : hash_text(hash, path, NULL);
			any = true;
			hash = hash_number(hash, params->param[k].name,
					   gputm_params_get(&params->param[k], config));
		}
	}
	return hash;
}

/* ---- told ---- */

void sim_point_value(struct emit *e, const char *name, const char *value)
{
	uint64_t number;

	if (value && sim_is_number(value, 0, UINT64_MAX, &number))
		emit_u64(e, name, number);
	else
		emit_text(e, name, value);
}

const char *sim_point_spelt(const struct sim_options *o, const char *option, const char *name)
{
	for (size_t i = 0; o->of && i < o->of->spelts; i++)
		if (!strcmp(o->of->spelt[i].name, option))
			return o->of->spelt[i].value;
	return name;
}

struct told {
	struct emit *e;
	const struct sim_options *options;
};

static void put(void *state, const char *name, const char *value)
{
	const struct told *told = state;

	sim_point_value(told->e, name, sim_point_spelt(told->options, name, value));
}

void sim_report_begin(struct emit *e, const struct sim_options *o)
{
	if (o->of) {
		emit_text(e, "study", o->of->hash);
		emit_u64(e, "run", o->of->run);
		emit_u64(e, "of", o->of->of);
		emit_text(e, "told", o->of->told);
		emit_text(e, "model", o->of->model ? o->of->model : sim_model());
	}
	emit_text(e, "version", o->of && o->of->version ? o->of->version : gputm_version());
}

void sim_report_point(struct emit *e, const struct sim_options *o, const char *hash)
{
	struct told told = { e, o };

	emit_object(e, "point");
	if (hash)
		emit_text(e, "hash", hash);
	sim_point_each(o, put, &told);
	for (size_t i = 0; o->of && i < o->of->besides; i++)
		sim_point_value(e, o->of->beside[i].name, o->of->beside[i].value);
	emit_end(e);
}
