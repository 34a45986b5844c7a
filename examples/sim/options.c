/* SPDX-License-Identifier: BSD-2-Clause */
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/quote.h"

enum kind { FLAG, LIST, TEXT, NUMBER, LIMIT, CHOICE, SETTING };

struct option {
	const char *name;
	enum kind kind;
	size_t offset;
	uint64_t min, max;	       /* NUMBER */
	const char *const *choices; /* CHOICE */
	const char *argument, *summary;
};

static const char *const formats[] = { "text", "json", "jsonl", "csv", "gem5", NULL };
static const char *const levels[] = { "", "summary", "roles", "instances", NULL };
static const char *const progresses[] = { "auto", "always", "never", NULL };

#define AT(field) offsetof(struct sim_options, field)

static const struct option table[] = {
	{ "system", TEXT, AT(system), 0, 0, NULL, "NAME", "TM system to run (default kilo-tm)" },
	{ "machine", TEXT, AT(machine), 0, 0, NULL, "NAME",
	  "machine to run it on (default fermi)" },
	{ "workload", TEXT, AT(workload), 0, 0, NULL, "NAME",
	  "what the threads do (default hash-table)" },
	{ "keys", TEXT, AT(keys), 0, 0, NULL, "FILE", "keys of hash-table: one per word of FILE" },
	{ "edges", TEXT, AT(edges), 0, 0, NULL, "FILE", "graph of graph-cut: one edge per line" },
	{ "trace", TEXT, AT(trace), 0, 0, NULL, "FILE",
	  "replay the accesses of FILE" },
	{ "kernel", TEXT, AT(kernel), 0, 0, NULL, "FILE",
	  "run the kernel in FILE; without --system on one core" },
	{ "divergence", TEXT, AT(divergence), 0, 0, NULL, "NAME",
	  "what a warp does at a branch (default pdom)" },
	{ "issues", TEXT, AT(issues), 0, 0, NULL, "FILE",
	  "write a line for each warp that issues to FILE" },
	{ "threads", NUMBER, AT(threads), 1, SIM_THREADS_MAX, NULL, "N", "number of threads" },
	{ "concurrency", LIMIT, AT(concurrency), 1, SIM_CONCURRENCY_MAX, NULL, "N|inf",
	  "warps per core allowed in transactions (default 2)" },
	{ "seed", NUMBER, AT(seed), 0, UINT64_MAX, NULL, "N",
	  "of everything drawn at random (default 1)" },
	{ "set", SETTING, AT(set), 0, 0, NULL, "PATH.FIELD=VALUE",
	  "set a parameter of machine, system, workload or a unit" },
	{ "check", FLAG, AT(check), 0, 0, NULL, NULL,
	  "prove the run right: serialisable, or each thread as alone" },
	{ "record", TEXT, AT(record), 0, 0, NULL, "FILE",
	  "check, and write what committed to FILE, as a trace" },
	{ "format", CHOICE, AT(format), 0, 0, formats, "text|json|jsonl|csv|gem5",
	  "shape of the report" },
	{ "report", CHOICE, AT(report), 0, 0, levels, "summary|roles|instances",
	  "what the report tells of units" },
	{ "only", TEXT, AT(only), 0, 0, NULL, "NAME,...", "report these figures only" },
	{ "out", TEXT, AT(out), 0, 0, NULL, "FILE", "write the report to FILE" },
	{ "progress", CHOICE, AT(progress), 0, 0, progresses, "auto|always|never",
	  "progress bar on standard error" },
	{ "list", LIST, AT(list), 0, 0, NULL, "[NAME]",
	  "print names and parameters (of the name only), and end" },
	{ "version", FLAG, AT(version), 0, 0, NULL, NULL, "print the version, and end" },
	{ "help", FLAG, AT(help), 0, 0, NULL, NULL, "print this, and end" },
};

#define OPTIONS (sizeof(table) / sizeof(table[0]))

static int refuse(const struct option *o, const char *value, const char *expected)
{
	fprintf(stderr, "gputm-sim: --%s: got \"%s\", expected %s\n", o->name, sim_quoted(value),
		expected);
	return -1;
}

static bool parse_number(const char *text, uint64_t *out)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*out = strtoull(text, &end, 0);
	return !errno && !*end;
}

static int set_number(const struct option *o, const char *value, uint64_t *out)
{
	char expected[96];
	uint64_t number;

	if (o->kind == LIMIT && !strcmp(value, "inf")) {
		*out = 0;
		return 0;
	}
	if (parse_number(value, &number) && number >= o->min && number <= o->max) {
		*out = number;
		return 0;
	}
	snprintf(expected, sizeof(expected), "a number %llu .. %llu%s", (unsigned long long)o->min,
		 (unsigned long long)o->max, o->kind == LIMIT ? " or inf" : "");
	return refuse(o, value, expected);
}

static int set_choice(const struct option *o, const char *value, int *out)
{
	int i;

	for (i = 0; o->choices[i]; i++)
		if (*value && !strcmp(o->choices[i], value)) {
			*out = i;
			return 0;
		}
	return refuse(o, value, o->argument);
}

static int set(const struct option *o, const char *value, struct sim_options *out)
{
	void *field = (char *)out + o->offset;
	int error = 0;

	switch (o->kind) {
	case LIST:
		out->list_name = *value ? value : NULL;
		/* fallthrough */
	case FLAG:
		*(bool *)field = true;
		break;
	case TEXT:
		if (!*value)
			return refuse(o, value, o->argument);
		*(const char **)field = value;
		break;
	case NUMBER:
	case LIMIT:
		error = set_number(o, value, field);
		break;
	case CHOICE:
		error = set_choice(o, value, field);
		break;
	case SETTING:
		if (!strchr(value, '=') || !strchr(value, '.') ||
		    strchr(value, '=') < strchr(value, '.'))
			return refuse(o, value, o->argument);
		out->set[out->set_count++] = value;
		break;
	}
	out->threads_given |= o->offset == AT(threads);
	out->workload_given |= o->offset == AT(workload);
	out->system_given |= o->offset == AT(system);
	out->machine_given |= o->offset == AT(machine);
	out->concurrency_given |= o->offset == AT(concurrency);
	return error;
}

static const struct option *find(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < OPTIONS; i++)
		if (strlen(table[i].name) == length && !memcmp(table[i].name, name, length))
			return &table[i];
	return NULL;
}

static const char *name_at(const void *unused, size_t index)
{
	(void)unused;
	return index < OPTIONS ? table[index].name : NULL;
}

static int unknown(const char *text)
{
	const char *near = strncmp(text, "--", 2) ? NULL : sim_name_near(text + 2, name_at, NULL);

	fprintf(stderr, "gputm-sim: unknown option \"%s\" (see --help)%s%s%s\n", sim_quoted(text),
		near ? "; did you mean --" : "", near ? near : "", near ? "?" : "");
	return -1;
}

/* --list may have its name behind it. */
static bool has_value(const struct option *o, const char *following)
{
	return o->kind == LIST ? *following && *following != '-' : o->kind != FLAG;
}

static int next(char ***argument, struct sim_options *out)
{
	const char *text = *(*argument)++, *name, *equals;
	const struct option *o;

	if (!strcmp(text, "-h"))
		text = "--help";
	name = text + 2;
	if (strncmp(text, "--", 2)) {
		fprintf(stderr, "gputm-sim: got \"%s\", expected an option (see --help)\n",
			sim_quoted(text));
		return -1;
	}
	equals = strchr(name, '=');
	o = find(name, equals ? (size_t)(equals - name) : strlen(name));
	if (!o)
		return unknown(text);
	if (o->kind == FLAG && equals)
		return refuse(o, equals + 1, "no value");
	if (equals || !has_value(o, **argument))
		return set(o, equals ? equals + 1 : "", out);
	if (!**argument) {
		fprintf(stderr, "gputm-sim: --%s: got nothing, expected %s\n", o->name,
			o->argument);
		return -1;
	}
	return set(o, *(*argument)++, out);
}

static int kernel_relations(const struct sim_options *o)
{
	bool issues = o->issues && (!o->kernel || o->system_given);
	bool limit = o->kernel && !o->system_given && o->concurrency_given;
	const char *other = !o->kernel ? NULL : o->trace ? "--trace" :
			    o->workload_given ? "--workload" : NULL;

	if (issues)
		fputs("gputm-sim: --issues: of runs without a TM system, expected --kernel FILE "
		      "and no --system\n", stderr);
	else if (other)
		fprintf(stderr, "gputm-sim: %s: a kernel is a workload, expected either --kernel "
				"or %s\n", other, other);
	else if (limit)
		fputs("gputm-sim: --concurrency: of transactions, expected --system too, or no "
		      "--concurrency\n", stderr);
	return issues || other || limit ? -1 : 0;
}

static bool is_set(const struct sim_options *o, const char *start)
{
	for (size_t i = 0; i < o->set_count; i++)
		if (!strncmp(o->set[i], start, strlen(start)))
			return true;
	return false;
}

/* What cannot stand together. */
static int relations(const struct sim_options *o)
{
	const char *reason = NULL;

	if (o->trace && o->threads_given)
		reason = "--threads: a trace brings its own, expected no --threads with --trace";
	else if (o->trace && o->workload_given)
		reason = "--workload: a trace is one, expected either --workload or --trace";
	else if (o->keys && !o->kernel && (o->trace || strcmp(o->workload, "hash-table")))
		reason = "--keys: only the workload hash-table takes keys from a file";
	else if (o->edges && !o->kernel && (o->trace || strcmp(o->workload, "graph-cut")))
		reason = "--edges: only the workload graph-cut takes edges from a file";
	else if (o->record && o->kernel && !o->system_given)
		reason = "--record: of transactions, expected --system too, or no --record";
	else if (o->edges && (is_set(o, "workload.vertices=") || is_set(o, "workload.edges=")))
		reason = "--set: the graph is that of --edges, expected neither workload.vertices "
			 "nor workload.edges";
	if (reason)
		fprintf(stderr, "gputm-sim: %s\n", reason);
	return reason ? -1 : 0;
}

/* JSON has every unit until version 1.0. */
static int level_of(const struct sim_options *o)
{
	return o->format == SIM_JSON && !o->only ? SIM_INSTANCES :
	       o->format == SIM_JSONL && !o->only ? SIM_SUMMARY : SIM_ROLES;
}

int sim_options_parse(int argc, char **argv, struct sim_options *out)
{
	static char end[] = "";
	char **copy = calloc((size_t)argc + 2, sizeof(*copy)), **argument = copy;
	int i, error = 0;

	memset(out, 0, sizeof(*out));
	out->program = argv[0];
	out->system = "kilo-tm";
	out->machine = "fermi";
	out->workload = "hash-table";
	out->concurrency = 2;
	out->seed = 1;
	out->set = calloc((size_t)argc + 1, sizeof(*out->set));
	if (!copy || !out->set) {
		fprintf(stderr, "gputm-sim: out of memory\n");
		free(copy);
		return -1;
	}
	for (i = 1; i < argc; i++)
		copy[i - 1] = argv[i];
	copy[i - 1] = end;
	while (!error && argument < copy + argc - 1)
		error = next(&argument, out);
	free(copy);
	out->check |= out->record != NULL;
	if (!out->report)
		out->report = level_of(out);
	if (!error)
		error = kernel_relations(out);
	return error ? error : relations(out);
}

void sim_options_free(struct sim_options *options)
{
	free(options->set);
	options->set = NULL;
}

void sim_options_help(void)
{
	char left[64];
	size_t i;

	puts("Usage: gputm-sim [OPTION]...\n"
	     "Run a transactional memory system for GPUs on a cycle-level machine, or a\n"
	     "kernel's control flow on one of its cores.\n");
	for (i = 0; i < OPTIONS; i++) {
		snprintf(left, sizeof(left), "--%s%s%s", table[i].name,
			 table[i].argument ? " " : "", table[i].argument ? table[i].argument : "");
		printf("  %-32s %s\n", left, table[i].summary);
	}
	puts("\nA FILE to read may be -, standard input. Exit: 0 done; 1 failed; 2 usage or bad\n"
	     "input; 3 ended early by a signal. More in gputm-sim(1).");
}
