/* SPDX-License-Identifier: BSD-2-Clause */
#define _POSIX_C_SOURCE 200809L
#include "workers.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/arena.h"
#include "../base/output.h"
#include "../base/quote.h"
#include "../port/port.h"
#include "../report/point.h"

#define JOBS_MAX 4096
#define NONE UINT64_MAX

struct worker {
	pid_t pid;	 /* 0: not there */
	int to, from;	 /* pipes */
	uint64_t point;	 /* that it runs, or NONE */
};

struct crew {
	const struct sweep_points *points;
	sweep_run_fn *run;
	struct sweep_lines *lines;
	FILE *journal;
	const char *name; /* of the journal */
	uint64_t next;	  /* next point to look at */
	uint64_t most;	  /* points that must have a result in the end */
	uint64_t begun;	  /* how many of these already had one */
	size_t jobs;
	struct worker worker[];
};

struct answer {
	uint32_t status, length;
};

/* ---- pipes ---- */

static bool write_all(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size) {
		ssize_t part = write(fd, at, size);

		if (part < 0 && errno == EINTR)
			continue;
		if (part <= 0)
			return false;
		at += part;
		size -= (size_t)part;
	}
	return true;
}

static bool read_all(int fd, void *bytes, size_t size)
{
	char *at = bytes;

	while (size) {
		ssize_t part = read(fd, at, size);

		if (part < 0 && errno == EINTR)
			continue;
		if (part <= 0)
			return false;
		at += part;
		size -= (size_t)part;
	}
	return true;
}

/* ---- the worker ---- */

/* All output on standard error since the last call, as one line. */
static char *said(FILE *log)
{
	char *text = NULL;
	size_t size = 0, used = 0, prefix = strlen("gputm-sim: ");
	FILE *out = open_memstream(&text, &size);
	char line[1024];

	rewind(log);
	while (out && fgets(line, sizeof line, log)) {
		line[strcspn(line, "\n")] = '\0';
		used += (size_t)fprintf(out, "%s%s", used ? "; " : "",
					line + (strncmp(line, "gputm-sim: ", prefix) ? 0 : prefix));
	}
	if (out)
		fclose(out);
	rewind(log);
	return ftruncate(fileno(log), 0) ? NULL : text;
}

/* The result of the worker, or the reason why it has none. */
static bool answer(const struct crew *crew, uint64_t point, struct sim_kept_units *kept, FILE *log,
		   int to)
{
	struct answer head = { SIM_FAILED, 0 };
	struct sim_options options;
	struct sim_of_study of;
	char *line = NULL, *reason;
	size_t size = 0;
	bool good;

	if (!sweep_point(crew->points, point, &options, &of)) {
		of.out = open_memstream(&line, &size);
		of.kept = kept;
		head.status = sim_options_relate(&options) ? SIM_BAD_INPUT :
							     (uint32_t)crew->run(&options);
		if (of.out && fclose(of.out))
			head.status = SIM_FAILED;
	}
	sim_options_free(&options);
	reason = said(log);
	if (head.status != SIM_DONE) {
		free(line);
		line = reason;
		reason = NULL;
		size = line ? strlen(line) : 0;
	}
	head.length = (uint32_t)size;
	good = write_all(to, &head, sizeof head) && write_all(to, line, size);
	free(line);
	free(reason);
	return good;
}

/* Never returns. When the parent ends, its pipes close, and the worker ends, too. */
static void work(const struct crew *crew, int from, int to)
{
	FILE *log = tmpfile();
	struct sim_kept_units kept = { .unit = NULL };
	uint64_t point;

	(void)signal(SIGINT, SIG_IGN); /* the parent gets the signal, too */
	(void)signal(SIGTERM, SIG_DFL);
	sim_calm_allocator();
	sim_stop = 0; /* a signal arrived just before the fork: the parent ends this process */
	if (!log || dup2(fileno(log), STDERR_FILENO) < 0)
		_exit(1);
	while (read_all(from, &point, sizeof point) && answer(crew, point, &kept, log, to))
		continue;
	sim_units_forget(&kept);
	_exit(0);
}

/* ---- the parent ---- */

static int hire(struct crew *crew, struct worker *worker)
{
	int in[2], out[2];

	if (pipe(in))
		return sim_complain(-1, "a pipe cannot be made, expected fewer --jobs");
	if (pipe(out)) {
		close(in[0]);
		close(in[1]);
		return sim_complain(-1, "a pipe cannot be made, expected fewer --jobs");
	}
	fflush(NULL);
	worker->pid = fork();
	if (!worker->pid) {
		for (size_t i = 0; i < crew->jobs; i++)
			if (crew->worker[i].pid) {
				close(crew->worker[i].to);
				close(crew->worker[i].from);
			}
		close(in[1]);
		close(out[0]);
		work(crew, in[0], out[1]);
	}
	close(in[0]);
	close(out[1]);
	worker->to = in[1];
	worker->from = out[0];
	worker->point = NONE;
	if (worker->pid > 0)
		return 0;
	worker->pid = 0;
	close(worker->to);
	close(worker->from);
	return sim_complain(-1, "a process cannot be started, expected fewer --jobs");
}

/* Describe how the process ended. */
static void dismiss(struct worker *worker, bool killed, char *reason, size_t size)
{
	int status = 0;

	close(worker->to);
	close(worker->from);
	if (killed)
		(void)kill(worker->pid, SIGKILL);
	while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	worker->pid = 0;
	if (WIFSIGNALED(status))
		snprintf(reason, size, "its process was killed by signal %d", WTERMSIG(status));
	else
		snprintf(reason, size, "its process ended with status %d", WEXITSTATUS(status));
}

static char *failed_line(const struct sweep_points *points, uint64_t point, const char *reason)
{
	struct sim_options options;
	struct sim_of_study of;
	char *line = NULL, *command = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&command, &size);
	struct emit e;

	if (!out || sweep_point(points, point, &options, &of))
		return NULL;
	sim_point_command(&options, out, 0);
	fclose(out);
	out = open_memstream(&line, &size);
	if (!out)
		return NULL;
	emit_begin(&e, EMIT_JSONL, out);
	sim_report_begin(&e, &options);
	sim_report_point(&e, &options, NULL);
	emit_text(&e, "failed", reason);
	emit_text(&e, "command", command);
	emit_finish(&e);
	fclose(out);
	free(command);
	sim_options_free(&options);
	return line;
}

/* Append the line to the journal in a single write: it is there completely or not at all, also on a
 * full disk. */
static int keep(struct crew *crew, uint64_t point, const char *line, bool failed)
{
	off_t end = lseek(fileno(crew->journal), 0, SEEK_END);
	size_t length = strlen(line);
	struct sweep_place place = { crew->journal, (uint64_t)end, (uint32_t)length - 1, failed,
				     false };

	if (end < 0 || !write_all(fileno(crew->journal), line, length)) {
		const char *reason = strerror(errno);
		bool cut = end >= 0 && ftruncate(fileno(crew->journal), end);

		fprintf(stderr, "gputm-sim: %s: a result could not be written: %s%s\n",
			sim_quoted(crew->name), reason, cut ? "; its last line is cut" : "");
		return -1;
	}
	sweep_lines_put(crew->lines, point, &place);
	return 0;
}

static int fail(struct crew *crew, uint64_t point, const char *reason)
{
	char *line = failed_line(crew->points, point, reason);
	int error;

	if (!line)
		return sim_complain(-1, "out of memory");
	error = keep(crew, point, line, true);
	free(line);
	return error;
}

/* Read a worker's answer about its point. */
static int hear(struct crew *crew, struct worker *worker)
{
	struct answer head;
	uint64_t point = worker->point;
	char *text = NULL, reason[80];
	int error;

	worker->point = NONE;
	if (read_all(worker->from, &head, sizeof head))
		text = sim_malloc((size_t)head.length + 1);
	if (!text || !read_all(worker->from, text, head.length)) {
		sim_free(text);
		dismiss(worker, false, reason, sizeof reason);
		return point == NONE ? sim_complain(-1, reason) : fail(crew, point, reason);
	}
	text[head.length] = '\0';
	error = head.status == SIM_DONE ? keep(crew, point, text, false) : fail(crew, point, text);
	sim_free(text);
	return error;
}

/* The next point of the shard without a result, or NONE. */
static uint64_t next_point(struct crew *crew)
{
	const struct sweep_lines *lines = crew->lines;

	for (; crew->next < lines->count; crew->next += crew->points->options->parts)
		if (!lines->place[crew->next].file || lines->place[crew->next].failed) {
			crew->next += crew->points->options->parts;
			return crew->next - crew->points->options->parts;
		}
	return NONE;
}

/* Give a point to each idle worker. @return workers at work, or -1. */
static int give(struct crew *crew)
{
	int busy = 0;

	for (size_t i = 0; i < crew->jobs; i++) {
		struct worker *worker = &crew->worker[i];
		uint64_t point = worker->pid && worker->point != NONE ? NONE : next_point(crew);

		if (point != NONE && !worker->pid && hire(crew, worker))
			return -1;
		if (point != NONE) {
			worker->point = point;
			(void)write_all(worker->to, &point, sizeof point); /* else it is gone */
		}
		busy += worker->pid && worker->point != NONE;
	}
	return busy;
}

static int wait_and_hear(struct crew *crew)
{
	struct pollfd *poll_at = sim_calloc(crew->jobs, sizeof *poll_at);
	int error = 0;

	if (!poll_at)
		return sim_complain(-1, "out of memory");
	for (size_t i = 0; i < crew->jobs; i++) {
		poll_at[i].fd = crew->worker[i].pid ? crew->worker[i].from : -1;
		poll_at[i].events = POLLIN;
	}
	if (poll(poll_at, crew->jobs, 200) > 0)
		for (size_t i = 0; !error && i < crew->jobs; i++)
			if (poll_at[i].revents)
				error = hear(crew, &crew->worker[i]);
	sim_free(poll_at);
	return error;
}

static uint64_t wanted(const struct sweep_points *points)
{
	const struct sim_options *o = points->options;

	return points->count < o->part ? 0 : (points->count - o->part) / o->parts + 1;
}

int sweep_work(const struct sweep_points *points, sweep_run_fn *run, struct sweep_lines *lines,
	       FILE *journal, const char *name, struct sim_bar *bar)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t most = wanted(points), jobs = points->options->jobs;
	struct crew *crew;
	char reason[80];
	int busy = 0, error = 0;

	jobs = jobs ? jobs : cores > 0 ? (uint64_t)cores : 1;
	jobs = jobs < most ? jobs : most;
	crew = sim_calloc(1, sizeof *crew + jobs * sizeof *crew->worker);
	if (!crew)
		return sim_complain(-1, "out of memory");
	*crew = (struct crew){ .points = points, .run = run, .lines = lines, .journal = journal,
			       .name = name, .next = points->options->part - 1, .most = most,
			       .begun = lines->done - lines->failed, .jobs = (size_t)jobs };
	while (!error && !sim_stop && (busy = give(crew)) > 0) {
		error = wait_and_hear(crew);
		sim_bar_points(bar, crew->begun, lines->done, most, lines->failed);
	}
	for (size_t i = 0; i < crew->jobs; i++)
		if (crew->worker[i].pid)
			dismiss(&crew->worker[i], error || sim_stop, reason, sizeof reason);
	sim_free(crew);
	return error || busy < 0 ? -1 : 0;
}
