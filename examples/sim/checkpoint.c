/* SPDX-License-Identifier: BSD-2-Clause */
#define _POSIX_C_SOURCE 200809L
#include "checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/point.h"
#include "base/arena.h"
#include "base/table.h"

#define MAGIC "gputm-sim state\n"
#define COMMAND 4096

/* ---- head ---- */

struct head {
	char version[32];
	uint64_t point, cycle, bytes, sum;
	char command[COMMAND];
};

/* FNV-1a, over words of eight bytes. */
static uint64_t sum_of(const unsigned char *byte, size_t size)
{
	uint64_t sum = SIM_HASH_START, word;

	for (; size; size -= size < sizeof word ? size : sizeof word, byte += sizeof word) {
		word = 0;
		memcpy(&word, byte, size < sizeof word ? size : sizeof word);
		sum = (sum ^ word) * SIM_HASH_FACTOR;
		sum ^= sum >> 32;
	}
	return sum;
}

static void write_head(FILE *out, const struct sim_report *report, uint64_t cycle,
		       const struct sim_io *io)
{
	fprintf(out, MAGIC "version %s\npoint %016" PRIx64 "\ncycle %" PRIu64 "\nbytes %zu\n"
		"sum %016" PRIx64 "\n", gputm_version(), sim_point_hash(report), cycle, io->at,
		sum_of(io->byte, io->at));
	sim_point_command(report->options, out, 0);
	fputs("\n\n", out);
}

static bool read_head(FILE *in, struct head *head)
{
	char magic[sizeof MAGIC];

	return fgets(magic, sizeof magic, in) && !strcmp(magic, MAGIC) &&
	       fscanf(in, "version %31s\npoint %" SCNx64 "\ncycle %" SCNu64 "\nbytes %" SCNu64
		      "\nsum %" SCNx64, head->version, &head->point, &head->cycle, &head->bytes,
		      &head->sum) == 5 &&
	       getc(in) == '\n' && fgets(head->command, sizeof head->command, in) &&
	       getc(in) == '\n';
}

/* ---- save ---- */

static void save(void *state, const struct sim_io *io)
{
	struct sim_checkpoint *c = state;

	c->saved = true;
	c->failed = io->starved;
	if (io->starved) {
		sim_complain(SIM_FAILED, "out of memory for --save-at");
		return;
	}
	write_head(c->out.file, c->report, c->saver.cycle, io);
	fwrite(io->byte, 1, io->at, c->out.file);
	c->failed = sim_output_close(&c->out, true) != 0;
}

int sim_checkpoint_open(struct sim_checkpoint *c, const struct sim_report *report)
{
	const struct sim_options *o = report->options;

	*c = (struct sim_checkpoint){ .saver = { c, o->save_cycle, save }, .report = report };
	return o->save ? sim_output_open(&c->out, "save-at", o->save) : 0;
}

const struct sim_saver *sim_checkpoint_saver(const struct sim_checkpoint *c)
{
	return c->report->options->save ? &c->saver : NULL;
}

int sim_checkpoint_close(struct sim_checkpoint *c, int status)
{
	const struct sim_options *o = c->report->options;

	(void)sim_output_close(&c->out, false);
	if (!o->save || c->failed || c->saved || status == SIM_BAD_INPUT)
		return c->failed ? SIM_FAILED : status;
	fprintf(stderr, "gputm-sim: --save-at: the run ended at cycle %" PRIu64
			" and nothing was saved, expected an earlier cycle\n",
		c->report->result.cycles);
	return SIM_FAILED;
}

/* ---- restore ---- */

static int refuse(const char *name, const char *got, const char *expected)
{
	fprintf(stderr, "gputm-sim: --restore: %s: got %s, expected %s\n", name, got, expected);
	return SIM_BAD_INPUT;
}

/* The state is of another run, or a file that the run reads has changed since. */
static int refuse_run(const struct sim_report *report, const struct head *head)
{
	const struct sim_options *o = report->options;
	const char *const files[] = { sim_point_path(o), o->keys, o->edges, o->trace };
	char got[COMMAND + 16], *own = NULL, expected[COMMAND + 16], changed[COMMAND] = "";
	size_t size, used = 0;
	FILE *out = open_memstream(&own, &size);
	bool same;

	if (!out)
		return sim_complain(SIM_FAILED, "out of memory for --restore");
	sim_point_command(o, out, 0);
	(void)fclose(out);
	same = own && !strcmp(own, head->command);
	snprintf(got, sizeof got, "the state of %s", head->command);
	snprintf(expected, sizeof expected, "that of %s", own ? own : "this run");
	free(own);
	for (size_t i = 0; same && i < sizeof files / sizeof *files && used < sizeof changed; i++)
		if (files[i])
			used += (size_t)snprintf(changed + used, sizeof changed - used, "%s%s",
						 used ? " or " : "", files[i]);
	if (!used)
		return refuse(o->restore, got, expected);
	fprintf(stderr, "gputm-sim: --restore: %s: %s has changed since the state was saved, "
			"expected the same text\n", o->restore, changed);
	return SIM_BAD_INPUT;
}

/* Does the head name this version and these options? 0, or SIM_BAD_INPUT. */
static int compare(const struct sim_report *report, const struct head *head)
{
	const char *name = report->options->restore;
	char got[64];

	snprintf(got, sizeof got, "a state of version %s", head->version);
	if (strcmp(head->version, gputm_version()))
		return refuse(name, got, gputm_version());
	if (head->point != sim_point_hash(report))
		return refuse_run(report, head);
	if (!report->options->save || report->options->save_cycle > head->cycle)
		return SIM_DONE;
	fprintf(stderr, "gputm-sim: --save-at: got %" PRIu64 ", expected a cycle after %" PRIu64
			", that of the state\n", report->options->save_cycle, head->cycle);
	return SIM_BAD_INPUT;
}

/* The bytes after the head; NULL if they are incomplete or damaged. */
static unsigned char *read_bytes(FILE *in, const struct head *head)
{
	unsigned char *byte = sim_malloc(head->bytes + 1);
	bool whole = byte && fread(byte, 1, head->bytes + 1, in) == head->bytes &&
		     sum_of(byte, head->bytes) == head->sum;

	if (whole)
		return byte;
	sim_free(byte);
	return NULL;
}

static int restore(const struct sim_report *report, FILE *in)
{
	const char *name = report->options->restore;
	struct sim_io io = { .loading = true };
	struct head head;
	char what[128];
	int status;

	if (!read_head(in, &head))
		return refuse(name, "another file", "a file of --save-at");
	head.command[strcspn(head.command, "\n")] = '\0';
	status = compare(report, &head);
	if (status)
		return status;
	io.byte = read_bytes(in, &head);
	if (!io.byte)
		return refuse(name, "a file that is damaged or cut short", "a file of --save-at");
	io.size = head.bytes;
	status = sim_run_restore(report->run, &io);
	sim_free(io.byte);
	if (status == -ENOMEM)
		return sim_complain(SIM_FAILED, "out of memory for --restore");
	snprintf(what, sizeof what, "a state that this build cannot read (%s)",
		 io.wrong ? io.wrong : "more than a run has");
	return status ? refuse(name, what, "one of the same build") : SIM_DONE;
}

int sim_checkpoint_restore(const struct sim_report *report)
{
	const char *name = report->options->restore;
	FILE *in = name ? fopen(name, "rb") : NULL;
	int status;

	if (!name)
		return SIM_DONE;
	if (!in) {
		fprintf(stderr, "gputm-sim: --restore: %s: %s\n", name, strerror(errno));
		return SIM_BAD_INPUT;
	}
	status = restore(report, in);
	fclose(in);
	return status;
}
