/* SPDX-License-Identifier: BSD-2-Clause */
#define _XOPEN_SOURCE 700 /* realpath */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "quote.h"

int sim_complain(int status, const char *message)
{
	fprintf(stderr, "gputm-sim: %s\n", message);
	return status;
}

/* ---- signals ---- */

#define ASIDE_MAX 64

static char *volatile aside[ASIDE_MAX]; /* files that a second signal removes before it kills */
static volatile sig_atomic_t armed;
static struct timespec first; /* when the first signal came */
volatile sig_atomic_t sim_stop;

/* timeout(1) and some batch systems send a signal to the process and at once to its group. */
static bool comes_with_the_first(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return sim_stop && (now.tv_sec - first.tv_sec) * 1000 +
			   (now.tv_nsec - first.tv_nsec) / 1000000 < 500;
}

static void on_signal(int number)
{
	if (armed) {
		armed = 0;
		(void)clock_gettime(CLOCK_MONOTONIC, &first);
		sim_stop = number;
		return;
	}
	if (comes_with_the_first())
		return;
	for (int i = 0; i < ASIDE_MAX; i++)
		if (aside[i])
			(void)unlink(aside[i]);
	(void)signal(number, SIG_DFL);
	(void)raise(number);
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	(void)sigemptyset(&action.sa_mask);
	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
}

void sim_stop_on_signals(void)
{
	armed = 1;
}

const char *sim_ended_by(int number)
{
	return !number ? "done" : number == SIGTERM ? "signal SIGTERM" : "signal SIGINT";
}

static void remember(char *from, char *to)
{
	for (int i = 0; i < ASIDE_MAX; i++)
		if (aside[i] == from) {
			aside[i] = to;
			return;
		}
}

/* ---- which file is which ---- */

/* A file that does not exist yet is identified by its folder and its name there. */
static bool locate(const char *name, struct stat *out, const char **base)
{
	const char *slash = strrchr(name, '/');
	char *folder;
	bool found;

	*base = NULL;
	if (!strcmp(name, "-"))
		return !fstat(STDIN_FILENO, out) && S_ISREG(out->st_mode);
	if (!stat(name, out))
		return S_ISREG(out->st_mode);
	*base = slash ? slash + 1 : name;
	folder = slash ? strndup(name, (size_t)(slash - name) + 1) : strdup(".");
	found = folder && !stat(folder, out);
	free(folder);
	return found;
}

static bool same_file(const char *a, const char *b)
{
	const char *base_a, *base_b;
	struct stat of_a, of_b;

	if (!a || !b || !locate(a, &of_a, &base_a) || !locate(b, &of_b, &base_b))
		return false;
	return of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino && !base_a == !base_b &&
	       (!base_a || !strcmp(base_a, base_b));
}

static const struct sim_file *outputs;
static size_t output_count;

/* Files read so far. */
static struct input {
	struct input *next;
	const char *how, *option;
	char name[];
} *inputs;

static void note_input(const char *how, const char *option, const char *name)
{
	struct input *input = inputs;

	while (input && strcmp(input->name, name))
		input = input->next;
	if (input)
		return;
	input = malloc(sizeof *input + strlen(name) + 1);
	if (!input)
		return;
	*input = (struct input){ inputs, how, option };
	strcpy(input->name, name);
	inputs = input;
}

static bool apart(const struct sim_file *output, const char *how, const char *option,
		  const char *name)
{
	if (!same_file(output->name, name))
		return true;
	fprintf(stderr, "gputm-sim: --%s: got \"%s\", which is %s --%s too, expected another "
			"file\n", output->option, sim_quoted(output->name), how, option);
	return false;
}

static bool outputs_apart(const char *how, const char *option, const char *name)
{
	for (size_t i = 0; i < output_count; i++)
		if (!apart(&outputs[i], how, option, name))
			return false;
	return true;
}

bool sim_input_apart(const char *how, const char *option, const char *name)
{
	if (name)
		note_input(how, option, name);
	return outputs_apart(how, option, name);
}

bool sim_output_apart(const char *option, const char *name)
{
	const struct sim_file output = { option, name };

	for (const struct input *input = inputs; input; input = input->next)
		if (!apart(&output, input->how, input->option, input->name))
			return false;
	return true;
}

bool sim_input_at(size_t index, struct sim_file *out)
{
	const struct input *input = inputs;

	while (input && index--)
		input = input->next;
	if (input)
		*out = (struct sim_file){ input->option, input->name };
	return input != NULL;
}

bool sim_outputs_apart(const struct sim_file file[], size_t count)
{
	bool all = true;

	outputs = file;
	for (output_count = 0; all && output_count < count; output_count++)
		all = outputs_apart("the file of", file[output_count].option,
				      file[output_count].name);
	return all;
}

/* ---- writing ---- */

/* Files that an earlier call of main() has read, as those of tests/sim-runs.c, are read no more. */
static void forget_inputs(void)
{
	while (inputs) {
		struct input *next = inputs->next;

		free(inputs);
		inputs = next;
	}
}

void sim_outputs_init(void)
{
	forget_inputs();
	output_count = 0;
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	catch_signals();
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0) /* use gives EBADF, as for a closed stream */
			(void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static int say_unwritten(const struct sim_output *out, int error)
{
	const char *reason = error ? strerror(error) : "a part of it was lost";

	if (out->name)
		fprintf(stderr, "gputm-sim: --%s: \"%s\" could not be written: %s\n", out->option,
			sim_quoted(out->name), reason);
	else if (error != EPIPE) /* the reader, such as head, has closed the pipe */
		fprintf(stderr, "gputm-sim: standard output could not be written: %s\n", reason);
	return -1;
}

static int refuse(struct sim_output *out, int error)
{
	bool full = error == ENOSPC || error == EDQUOT || error == EIO;

	if (full)
		(void)say_unwritten(out, error);
	else
		fprintf(stderr, "gputm-sim: --%s: got \"%s\", expected a file to write to: %s\n",
			out->option, sim_quoted(out->name), strerror(error));
	return full ? SIM_FAILED : SIM_BAD_INPUT;
}

/* Does standard output already go to this file? */
static bool is_stdout(const struct stat *file)
{
	struct stat standard;

	return !fstat(STDOUT_FILENO, &standard) && standard.st_dev == file->st_dev &&
	       standard.st_ino == file->st_ino;
}

static int open_aside(struct sim_output *out, mode_t mode)
{
	size_t size = strlen(out->target) + 32;
	int fd = -1;

	out->aside = malloc(size);
	if (!out->aside)
		return -1;
	remember(NULL, out->aside);
	snprintf(out->aside, size, "%s.%ld.part", out->target, (long)getpid());
	fd = open(out->aside, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd >= 0 && mode)
		(void)fchmod(fd, mode & 07777);
	out->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (fd >= 0 && !out->file)
		(void)close(fd);
	return out->file ? 0 : -1;
}

int sim_output_open(struct sim_output *out, const char *option, const char *name)
{
	struct stat old;
	bool exists;

	*out = (struct sim_output){ .option = option, .name = name };
	if (name && !strcmp(name, "-")) {
		if (strcmp(option, "out")) {
			fprintf(stderr, "gputm-sim: --%s: got \"-\", expected a file (./- for one "
					"of that name)\n", option);
			return SIM_BAD_INPUT;
		}
		out->name = name = NULL;
	}
	if (!name) {
		out->file = stdout;
		return 0;
	}
	exists = !stat(name, &old);
	if (exists && (!S_ISREG(old.st_mode) || is_stdout(&old))) {
		out->file = fopen(name, "w");
	} else if (exists && access(name, W_OK)) {
		return refuse(out, errno);
	} else {
		out->target = exists ? realpath(name, NULL) : strdup(name);
		if (out->target && open_aside(out, exists ? old.st_mode : 0)) {
			int error = errno;

			(void)sim_output_close(out, false);
			return refuse(out, error);
		}
	}
	return out->file ? 0 : refuse(out, errno);
}

/* Flush and sync. If an earlier write has failed, write again, so that errno gives the reason. */
static int finish(FILE *file)
{
	int fd = fileno(file);

	errno = 0;
	if (!fflush(file) && ferror(file)) {
		(void)fputc('\n', file);
		(void)fflush(file);
	}
	if (ferror(file))
		return -1;
	return fsync(fd) && errno != EINVAL && errno != EROFS && errno != ENOTSUP ? -1 : 0;
}

int sim_output_finish(struct sim_output *out)
{
	int failed = finish(out->file), error = failed ? errno : 0;

	/* another option may also write to standard output */
	if (out->file != stdout && fclose(out->file) && !failed) {
		failed = -1;
		error = errno;
	}
	out->file = NULL;
	return failed ? say_unwritten(out, error) : 0;
}

int sim_output_close(struct sim_output *out, bool wanted)
{
	int failed = 0;

	if (out->file && wanted)
		failed = sim_output_finish(out);
	else if (out->file && out->file != stdout)
		(void)fclose(out->file);
	if (wanted && !failed && out->aside && rename(out->aside, out->target))
		failed = say_unwritten(out, errno);
	if (out->aside && (failed || !wanted))
		(void)unlink(out->aside);
	if (out->aside)
		remember(out->aside, NULL);
	free(out->aside);
	free(out->target);
	out->file = NULL;
	out->aside = out->target = NULL;
	return failed;
}
