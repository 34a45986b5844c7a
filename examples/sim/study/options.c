/* SPDX-License-Identifier: BSD-2-Clause */
#define _POSIX_C_SOURCE 200809L
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/names.h"
#include "../base/quote.h"
#include "../base/source.h"

enum kind { FLAG, LIST, FILES, TEXT, NUMBER, LIMIT, CHOICE, SETTING };

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
static const char *const numberings[] = { "kept", "renumbered", NULL };
static const char *const progresses[] = { "auto", "always", "never", NULL };

#define AT(field) offsetof(struct sim_options, field)

static const struct option table[] = {
	{ "system", TEXT, AT(system), 0, 0, NULL, "NAME", "TM system to run (default kilo-tm)" },
	{ "machine", TEXT, AT(machine), 0, 0, NULL, "NAME",
	  "machine to run it on (default fermi)" },
	{ "workload", TEXT, AT(workload), 0, 0, NULL, "NAME",
	  "what the threads do (default hash-table)" },
	{ "keys", TEXT, AT(keys), 0, 0, NULL, "FILE",
	  "keys of hash-table, or a kernel with words: one per word of FILE" },
	{ "edges", TEXT, AT(edges), 0, 0, NULL, "FILE",
	  "graph of graph-cut, or a kernel with edges: one edge per line" },
	{ "vertices", CHOICE, AT(vertices), 0, 0, numberings, "kept|renumbered",
	  "renumbered: those of --edges become 0, 1, ..." },
	{ "trace", TEXT, AT(trace), 0, 0, NULL, "FILE",
	  "replay the accesses of FILE" },
	{ "kernel", TEXT, AT(kernel), 0, 0, NULL, "FILE",
	  "run the kernel in FILE; without --system on one core" },
	{ "divergence", TEXT, AT(divergence), 0, 0, NULL, "NAME",
	  "what a warp does at a branch (default pdom)" },
	{ "threads", NUMBER, AT(threads), 1, SIM_THREADS_MAX, NULL, "N", "number of threads" },
	{ "concurrency", LIMIT, AT(concurrency), 1, SIM_CONCURRENCY_MAX, NULL, "N|inf",
	  "warps per core allowed in transactions (default 2)" },
	{ "seed", NUMBER, AT(seed), 0, UINT64_MAX, NULL, "N",
	  "of everything drawn at random (default 1)" },
	{ "set", SETTING, AT(set), 0, 0, NULL, "PATH.FIELD=VALUE",
	  "set a parameter of machine, system, workload or a unit" },
	{ "issues", TEXT, AT(issues), 0, 0, NULL, "FILE",
	  "write a line for each warp that issues to FILE" },
	{ "check", FLAG, AT(check), 0, 0, NULL, NULL,
	  "prove the run right: serialisable, or each thread as alone" },
	{ "record", TEXT, AT(record), 0, 0, NULL, "FILE",
	  "check, and write what committed to FILE, as a trace" },
	{ "trace-events", TEXT, AT(trace_events), 0, 0, NULL, "FILE",
	  "write what happens to FILE, for Perfetto" },
	{ "series", FILES, AT(series_given), 0, 0, NULL, "N FILE",
	  "write to FILE what has changed, every N cycles" },
	{ "vcd", TEXT, AT(vcd), 0, 0, NULL, "FILE",
	  "write signals to FILE, for GTKWave" },
	{ "aborts", TEXT, AT(aborts), 0, 0, NULL, "FILE",
	  "write a line for each thread that aborts to FILE" },
	{ "why", TEXT, AT(why), 0, 0, NULL, "THREAD[.N]",
	  "tell why a thread aborted (for the Nth time), not the report" },
	{ "window", TEXT, AT(window), 0, 0, NULL, "A:B",
	  "see cycles A to B only (default all)" },
	{ "trace-only", TEXT, AT(trace_only), 0, 0, NULL, "ROLE,...",
	  "see these units, or warps, only" },
	{ "history", TEXT, AT(history), 0, 0, NULL, "FILE",
	  "write what transactions read and wrote to FILE" },
	{ "conflicts", FLAG, AT(conflicts), 0, 0, NULL, NULL,
	  "count the pairs of attempts that overlap, by what conflicts" },
	{ "save-at", FILES, AT(save_given), 0, 0, NULL, "CYCLE FILE",
	  "write the state of the run at a cycle to FILE" },
	{ "restore", TEXT, AT(restore), 0, 0, NULL, "FILE",
	  "go on from the state in FILE, of --save-at" },
	{ "format", CHOICE, AT(format), 0, 0, formats, "text|json|jsonl|csv|gem5",
	  "shape of the report" },
	{ "report", CHOICE, AT(report), 0, 0, levels, "summary|roles|instances",
	  "what the report tells of units" },
	{ "only", TEXT, AT(only), 0, 0, NULL, "NAME,...",
	  "report, or compare, these figures only" },
	{ "cacti", TEXT, AT(cacti), 0, 0, NULL, "DIR",
	  "write input for CACTI, a file for each array, and do not run" },
	{ "out", TEXT, AT(out), 0, 0, NULL, "FILE", "write the report to FILE" },
	{ "progress", CHOICE, AT(progress), 0, 0, progresses, "auto|always|never",
	  "progress bar on standard error" },
	{ "config", TEXT, AT(config), 0, 0, NULL, "FILE",
	  "take options from FILE, a report as JSON or lines NAME VALUE" },
	{ "study", TEXT, AT(study), 0, 0, NULL, "FILE", "run all points of the study in FILE" },
	{ "axes", FLAG, AT(axes), 0, 0, NULL, NULL,
	  "tell the axes of the study as JSON, and run nothing" },
	{ "jobs", NUMBER, AT(jobs), 1, 4096, NULL, "N", "points at a time (default the cores)" },
	{ "shard", TEXT, AT(shard), 0, 0, NULL, "I/N", "run every Nth point, from the Ith" },
	{ "resume", TEXT, AT(resume), 0, 0, NULL, "FILE",
	  "run only what FILE lacks, and keep in it what is done" },
	{ "resume-any-model", FLAG, AT(any_model), 0, 0, NULL, NULL,
	  "take results of other sources of gputm-sim, too" },
	{ "quick", FLAG, AT(quick), 0, 0, NULL, NULL, "the study in its small form" },
	{ "merge", FILES, AT(merge), 0, 0, NULL, "FILE...", "join the results of shards" },
	{ "compare", FILES, AT(compare), 0, 0, NULL, "A B", "tell what differs in two results" },
	{ "tolerance", TEXT, AT(tolerance_text), 0, 0, NULL, "R",
	  "differences up to this part are none (default 0)" },
	{ "list", LIST, AT(list), 0, 0, NULL, "[NAME]",
	  "print all names, or the parameters of a name, and end" },
	{ "version", FLAG, AT(version), 0, 0, NULL, NULL, "print the version, and end" },
	{ "help", FLAG, AT(help), 0, 0, NULL, NULL, "print this, and end" },
};

#define OF_RUN 13 /* the first ones say what is run, the others what becomes of that */
#define OPTIONS (sizeof(table) / sizeof(table[0]))

static char where[SIM_QUOTE + 16]; /* "file:line: ", in messages */

static int refuse(const struct option *o, const char *value, const char *expected)
{
	fprintf(stderr, "gputm-sim: %s--%s: got \"%s\", expected %s\n", where, o->name,
		sim_quoted(value), expected);
	return -1;
}

static int set_number(const struct option *o, const char *value, uint64_t *out)
{
	char expected[96];
	uint64_t number;

	if (o->kind == LIMIT && !strcmp(value, "inf")) {
		*out = 0;
		return 0;
	}
	if (sim_is_number(value, 0, o->max, &number) && number >= o->min) {
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

static int keep_setting(struct sim_options *out, const char *value)
{
	if (!SIM_ROOM(out->set, out->set_room, out->set_count + 1) ||
	    !(out->set[out->set_count] = sim_strdup(value))) {
		fputs("gputm-sim: out of memory\n", stderr);
		return -1;
	}
	out->set_count++;
	return 0;
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
	case FILES:
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
		if (!strchr(value, '='))
			return refuse(o, value, o->argument);
		error = keep_setting(out, value);
		break;
	}
	out->given_run |= o - table < OF_RUN;
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

static const char *run_name_at(const void *unused, size_t index)
{
	return index < OF_RUN ? name_at(unused, index) : NULL;
}

const char *sim_level_name(int level)
{
	return levels[level];
}

bool sim_option_runs(const char *name)
{
	const struct option *o = find(name, strlen(name));

	return o && o - table < OF_RUN;
}

static int unknown(const char *text)
{
	const char *near = strncmp(text, "--", 2) ? NULL : sim_name_near(text + 2, name_at, NULL);

	fprintf(stderr, "gputm-sim: unknown option \"%s\" (see --help)%s%s%s\n", sim_quoted(text),
		near ? "; did you mean --" : "", near ? near : "", near ? "?" : "");
	return -1;
}

/* --list may have its name after it. */
static bool has_value(const struct option *o, const char *following)
{
	return o->kind == LIST ? *following && *following != '-' :
				 o->kind != FLAG && o->kind != FILES;
}

/* "N FILE" */
static int take_cycles(const struct option *o, const struct sim_options *out, uint64_t *cycles,
		       const char **file)
{
	*file = out->files[1];
	if (sim_is_number(out->files[0], 0, SIM_CYCLES_MAX, cycles) && *cycles)
		return 0;
	fprintf(stderr, "gputm-sim: --%s: got \"%s\", expected a number of cycles 1 .. %llu\n",
		o->name, sim_quoted(out->files[0]), (unsigned long long)SIM_CYCLES_MAX);
	return -1;
}

/* All words up to the next option. */
static int take_files(const struct option *o, char ***argument, struct sim_options *out)
{
	bool series = o->offset == AT(series_given), save = o->offset == AT(save_given);

	out->files = *argument;
	out->file_count = 0;
	while (***argument && (***argument != '-' || !(**argument)[1])) {
		++*argument;
		out->file_count++;
	}
	if (out->file_count == 2 && (series || save))
		return take_cycles(o, out, series ? &out->series_cycles : &out->save_cycle,
				   series ? &out->series : &out->save);
	if (out->file_count && (o->offset == AT(merge) || out->file_count == 2))
		return 0;
	fprintf(stderr, "gputm-sim: --%s: got %zu %s%s, expected %s\n", o->name, out->file_count,
		series || save ? "word" : "file", out->file_count == 1 ? "" : "s", o->argument);
	return -1;
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
	if ((o->kind == FLAG || o->kind == FILES) && equals)
		return refuse(o, equals + 1, "no value");
	if (equals || !has_value(o, **argument))
		return set(o, equals ? equals + 1 : "", out) ||
				       (o->kind == FILES && take_files(o, argument, out)) ? -1 : 0;
	if (!(*argument)[1]) { /* the end of all words */
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
		fputs("gputm-sim: --issues: it works without a TM system only, expected --kernel "
		      "FILE and no --system\n", stderr);
	else if (other)
		fprintf(stderr, "gputm-sim: %s: a kernel is a workload, expected either --kernel "
				"or %s\n", other, other);
	else if (limit)
		fputs("gputm-sim: --concurrency: it limits transactions, expected --system too, or "
		      "no --concurrency\n", stderr);
	return issues || other || limit ? -1 : 0;
}

static bool is_set(const struct sim_options *o, const char *start)
{
	for (size_t i = 0; i < o->set_count; i++)
		if (!strncmp(o->set[i], start, strlen(start)))
			return true;
	return false;
}

/* Refuse options that observe a run if there is no such run. */
static const char *seeing_relations(const struct sim_options *o)
{
	bool sees = o->trace_events || o->series || o->vcd || o->aborts || o->why;
	bool state = o->save || o->restore;

	if (state && (o->check || o->record || o->history || o->conflicts))
		return "--save-at, --restore: what a run is checked by is not saved, expected no "
		       "--check, --record, --history or --conflicts";
	if (o->conflicts && (o->check || o->record || o->history))
		return "--conflicts: a run tells its accesses to one of them, expected no --check, "
		       "--record or --history";
	if (o->why && o->restore)
		return "--why: it needs the run from its beginning, expected no --restore";
	if (o->history && o->kernel && !o->system_given)
		return "--history: it tells transactions, expected --system too";
	if ((o->vcd || o->aborts || o->why) && o->kernel && !o->system_given)
		return "--vcd, --aborts, --why: they show transactions, expected --system too";
	if (o->trace_events && !o->trace_only && o->kernel && !o->system_given)
		return "--trace-events: without a TM system it shows events of units, expected "
		       "--trace-only ROLE,... or --system too";
	if (o->window && !sees)
		return "--window: it says what of a run is seen, expected --trace-events FILE, "
		       "--series N FILE, --vcd FILE, --aborts FILE or --why THREAD too";
	if (o->trace_only && !o->trace_events && !o->vcd)
		return "--trace-only: it says what is told, expected --trace-events FILE or --vcd "
		       "FILE too";
	return NULL;
}

/* Refuse options of a single run together with options for many runs; the file of a study has its
 * own. */
static const char *study_relations(const struct sim_options *o)
{
	bool own = o->given_run || o->config || o->check || o->issues || o->record || o->cacti ||
		   o->history || o->conflicts || o->trace_events || o->series || o->vcd ||
		   o->aborts || o->why || o->save || o->restore;

	if (!!o->study + o->merge + o->compare > 1)
		return "--study, --merge, --compare: expected one of them";
	if (o->tolerance_text && !o->compare)
		return "--tolerance: it belongs to --compare, expected --compare A B too";
	if ((o->shard || o->resume || o->jobs || o->quick) && !o->study)
		return o->shard	 ? "--shard: it belongs to --study, expected --study FILE too" :
		       o->resume ? "--resume: it belongs to --study, expected --study FILE too" :
		       o->quick	 ? "--quick: it belongs to --study, expected --study FILE too" :
				   "--jobs: it belongs to --study, expected --study FILE too";
	if (o->any_model && !o->resume && !o->merge)
		return "--resume-any-model: it says which results are taken, expected --resume "
		       "FILE or --merge FILE... too";
	if (o->axes && !o->study)
		return "--axes: it belongs to --study, expected --study FILE too";
	if (o->axes && (o->shard || o->resume || o->jobs || o->quick))
		return "--axes: nothing is run, and both forms are told, expected no --jobs, "
		       "--shard, --resume or --quick";
	if ((o->study || o->merge) && (own || o->only))
		return "--study, --merge: what is run and told is in the study, expected only "
		       "--jobs, --shard, --resume, --quick, --report, --out and --progress besides";
	if (o->compare && own)
		return "--compare: what was run is in the two files, expected only --only, "
		       "--tolerance and --out besides";
	if (o->compare && o->format)
		return "--format: a comparison is text, expected no --format";
	if (o->axes && o->format && o->format != SIM_JSON)
		return "--format: the axes of a study are told as JSON, expected json";
	if ((o->study || o->merge) && !o->axes && o->format && o->format != SIM_JSONL)
		return "--format: results of studies are lines of JSON, expected jsonl";
	return NULL;
}

/* Refuse options that contradict one another. */
static int relations(const struct sim_options *o)
{
	const char *reason = NULL;

	if (o->trace && o->threads_given)
		reason = "--threads: a trace brings its own, expected no --threads with --trace";
	else if (o->trace && o->workload_given)
		reason = "--workload: a trace is one, expected either --workload or --trace";
	else if (o->trace && (o->keys || o->edges))
		reason = "--keys, --edges: a trace has all that it needs, expected neither with "
			 "--trace";
	else if (o->record && o->kernel && !o->system_given)
		reason = "--record: it records transactions, expected --system too, or no "
			 "--record";
	else if (o->vertices && !o->edges)
		reason = "--vertices: it numbers those of a file, expected --edges FILE too";
	else if (o->edges && (is_set(o, "workload.vertices=") || is_set(o, "workload.edges=")))
		reason = "--set: the graph is that of --edges, expected neither workload.vertices "
			 "nor workload.edges";
	else if (o->cacti && (o->check || o->issues || o->only || o->out ||
			       o->history || o->conflicts || o->trace_events || o->series ||
			       o->vcd || o->aborts || o->why || o->save || o->restore))
		reason = "--cacti: nothing is run, expected no --check, --record, --issues, "
			 "--trace-events, --series, --vcd, --aborts, --why, --save-at, --restore, "
			 "--only or --out";
	if (!reason)
		reason = seeing_relations(o);
	if (!reason)
		reason = study_relations(o);
	if (reason)
		fprintf(stderr, "gputm-sim: %s\n", reason);
	return reason ? -1 : 0;
}

/* JSON has every unit until version 1.0. */
static int level_of(const struct sim_options *o)
{
	bool nested = o->format == SIM_JSON || o->format == SIM_JSONL;

	return o->study || (nested && !o->only) ? SIM_SUMMARY : SIM_ROLES;
}

int sim_options_init(struct sim_options *out, const char *program)
{
	memset(out, 0, sizeof(*out));
	out->program = program;
	out->system = "kilo-tm";
	out->machine = "fermi";
	out->workload = "hash-table";
	out->concurrency = 2;
	out->seed = 1;
	out->part = out->parts = 1;
	return 0;
}

int sim_options_add(struct sim_options *options, const char *name, const char *value,
		    const char *file, unsigned line)
{
	const char *option = strchr(name, '.') ? "set" : name, *near;
	const struct option *o = find(option, strlen(option));
	char setting[SIM_QUOTE + 256];
	int error = -1;

	*where = '\0';
	if (*file)
		snprintf(where, sizeof(where), "%s:%u: ", sim_quoted(file), line);
	if (sim_option_runs(option)) {
		snprintf(setting, sizeof(setting), "%s=%s", name, value);
		error = set(o, o->kind == SETTING ? setting : value, options);
	} else {
		near = sim_name_near(name, run_name_at, NULL);
		fprintf(stderr, "gputm-sim: %sgot \"%s\", expected an option that says what is run "
				"(see --help)%s%s%s\n", where, sim_quoted(name),
			near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	}
	*where = '\0';
	return error;
}

/* A report may have a name of its study's "call". */
static bool names_only(const struct sim_axis *axis)
{
	return axis->names && !strchr(axis->name, '.') && !sim_option_runs(axis->name);
}

static int add_config(struct sim_options *out)
{
	struct sim_study_file *given = &out->given;
	int error = sim_config_read(out->config, given);

	for (size_t i = 0; !error && i < given->axes; i++)
		error = names_only(&given->axis[i]) ? 0 :
			sim_options_add(out, given->axis[i].name, given->axis[i].value[0],
					given->axis[i].file, given->axis[i].line);
	out->check |= given->check;
	out->conflicts |= given->conflicts;
	return error;
}

static int find_part(struct sim_options *out)
{
	const char *text = out->shard;
	uint64_t part, parts;

	if (!text)
		return 0;
	if (sim_number(&text, 10, SIM_POINTS, &part) != SIM_NUMBER || *text++ != '/' ||
	    !sim_is_number(text, 10, SIM_POINTS, &parts) || !part || part > parts) {
		fprintf(stderr, "gputm-sim: --shard: got \"%s\", expected I/N, the Ith of N shards "
				"with I from 1 to N, N at most %d\n", sim_quoted(out->shard),
			SIM_POINTS);
		return -1;
	}
	out->part = part;
	out->parts = parts;
	return 0;
}

/* Read a number up to the separator `end`. Returns the text after it; NULL: there is no such
 * number. */
static const char *cycle(const char *text, char end, uint64_t *out)
{
	if (sim_number(&text, 10, SIM_CYCLES_MAX, out) != SIM_NUMBER || *text != end)
		return NULL;
	return text + !!end;
}

static int find_window(struct sim_options *out)
{
	const char *text = out->window;

	out->to = UINT64_MAX;
	if (text)
		text = cycle(text, ':', &out->from);
	if (text)
		text = cycle(text, '\0', &out->to);
	if (!out->window || (text && out->from < out->to))
		return 0;
	fprintf(stderr, "gputm-sim: --window: got \"%s\", expected A:B, cycles with A below B, B "
			"at most %llu\n", sim_quoted(out->window),
		(unsigned long long)SIM_CYCLES_MAX);
	return -1;
}

static int find_thread(struct sim_options *out)
{
	const char *text = out->why;
	bool number = text && strchr(text, '.');

	out->why_number = 1;
	if (text)
		text = cycle(text, number ? '.' : '\0', &out->why_thread);
	if (text && number)
		text = cycle(text, '\0', &out->why_number);
	if (!out->why || (text && out->why_thread < SIM_THREADS_MAX && out->why_number))
		return 0;
	fprintf(stderr, "gputm-sim: --why: got \"%s\", expected THREAD or THREAD.N, a thread 0 .. "
			"%d and which of its aborts from 1\n", sim_quoted(out->why),
		SIM_THREADS_MAX - 1);
	return -1;
}

static int find_tolerance(struct sim_options *out)
{
	const char *text = out->tolerance_text;

	if (!text)
		return 0;
	if (sim_is_real(text, &out->tolerance) && out->tolerance >= 0 && out->tolerance <= 1)
		return 0;
	fprintf(stderr, "gputm-sim: --tolerance: got \"%s\", expected a number 0 .. 1\n",
		sim_quoted(text));
	return -1;
}

int sim_options_relate(const struct sim_options *options)
{
	int error = kernel_relations(options);

	return error ? error : relations(options);
}

static int take_all(int count, char **words, struct sim_options *out)
{
	char **argument = words;
	int error = 0;

	while (!error && argument < words + count)
		error = next(&argument, out);
	return error;
}

/* Options of --config are applied first, so that the command line overrides them. */
static int take_config(int count, char **words, struct sim_options *out)
{
	struct sim_options trial;
	int error = sim_options_init(&trial, out->program);

	error = error ? error : take_all(count, words, &trial);
	out->config = trial.config;
	sim_options_free(&trial);
	return !error && out->config ? add_config(out) : error;
}

int sim_options_parse(int argc, char **argv, struct sim_options *out)
{
	static char end[] = "";
	char **words = sim_calloc((size_t)argc + 2, sizeof(*words));
	int error = sim_options_init(out, argv[0]);

	if (!words) {
		fprintf(stderr, "gputm-sim: out of memory\n");
		return -1;
	}
	for (int i = 1; i < argc; i++)
		words[i - 1] = argv[i];
	words[argc - 1] = end;
	error = error ? error : take_config(argc - 1, words, out);
	error = error ? error : take_all(argc - 1, words, out);
	out->words = words;
	out->check |= out->record != NULL;
	if (!out->report)
		out->report = level_of(out);
	error = error ? error : find_part(out);
	error = error ? error : find_tolerance(out);
	error = error ? error : find_window(out);
	error = error ? error : find_thread(out);
	return error ? error : sim_options_relate(out);
}

void sim_options_free(struct sim_options *options)
{
	for (size_t i = 0; i < options->set_count; i++)
		sim_free((char *)(uintptr_t)options->set[i]);
	sim_free(options->set);
	sim_free(options->words);
	sim_study_free(&options->given);
	memset(options, 0, sizeof(*options));
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
