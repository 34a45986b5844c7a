/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs gputm-sim many times in one process: sim-runs PROGRAM FOLDER reads a table from standard
 * input, and exits with 1 if a line of it does not come true. A line is a run, a question or a
 * comment:
 *
 *	always ARGUMENT...	are arguments of all runs below
 *	STATUS ARGUMENT... [< FILE] [> FILE] [2> FILE] [= FILE] [CHECK TEXT]...
 *	same FILE FILE		have the same bytes
 *	other FILE FILE		have not
 *	absent FILE		is not there
 *	# anything
 *
 * STATUS is the exit status, or two of them as 0/2. Words have blanks between them, and may stand
 * in single quotation marks. A run that ends with 2 has nothing on standard output. CHECK is one of
 * the words in the table below, and its text goes to the next of them. Of a run that may end with 0
 * or otherwise the checks of standard error hold where it does not end with 0. A program that
 * crashes leaves its standard error in FOLDER/err.
 */
#define _GNU_SOURCE /* memfd_create */
#include <regex.h>
#include <signal.h>
#include <unistd.h>

#include <fcntl.h>
#include <sys/mman.h>

#define main gputm_sim_main
int gputm_sim_main(int argc, char **argv);
#include "examples/sim/main.c"
#undef main

#include "examples/sim/port/port.h"

#define WORDS 256

/* What may stand behind the arguments. */
static const struct token {
	const char *word;
	enum { INPUT, OUT, MORE, ERR, MORE_ERR, STATUS, TEXT, NO_TEXT, PATTERN, OUT_TEXT,
	       NO_OUT_TEXT, OUT_PATTERN } kind;
} tokens[] = {
	{ "<", INPUT }, { ">", OUT }, { ">>", MORE }, { "2>", ERR }, { "2>>", MORE_ERR },
	{ "=", STATUS },	/* the exit status, as a last line of a file */
	{ ":", TEXT },		/* a text on standard error */
	{ "!:", NO_TEXT },	/* not there */
	{ "~", PATTERN },	/* an extended regular expression, within a line */
	{ "|", OUT_TEXT }, { "!|", NO_OUT_TEXT }, { "|~", OUT_PATTERN }, /* of standard output */
};

static const char *program;
static FILE *told;	/* the standard output of this program */
static int out, err;	/* those of the runs */
static char running[8192];
static bool failed;

static void crashed(int number)
{
	static const char how[] = "FAIL: a signal ends gputm-sim ";

	(void)!write(fileno(told), how, sizeof how - 1);
	(void)!write(fileno(told), running, strlen(running));
	(void)!write(fileno(told), "\n", 1);
	(void)signal(number, SIG_DFL);
	(void)raise(number);
}

static void fail(const char *line, const char *what, const char *more)
{
	fprintf(told, "FAIL: gputm-sim %s: %s%s\n", line, what, more);
	failed = true;
}

static void stop(const char *line, const char *what)
{
	fprintf(told, "FAIL: %s: %s\n", line, what);
	exit(1);
}

/* The whole of a file, which the caller frees. */
static char *text_of(int fd, size_t *size)
{
	off_t end = lseek(fd, 0, SEEK_END);
	char *text = malloc((size_t)end + 1);

	*size = (size_t)end;
	if (end < 0 || !text || pread(fd, text, (size_t)end, 0) != end)
		stop("a file", strerror(errno));
	text[end] = '\0';
	return text;
}

static char *named(const char *line, const char *name, size_t *size)
{
	int fd = open(name, O_RDONLY);
	char *text;

	if (fd < 0)
		stop(line, name);
	text = text_of(fd, size);
	(void)close(fd);
	return text;
}

static void compare(const char *line, const char *a, const char *b, bool want)
{
	size_t size_a, size_b;
	char *text_a = named(line, a, &size_a), *text_b = named(line, b, &size_b);

	if ((size_a == size_b && !memcmp(text_a, text_b, size_a)) != want) {
		fprintf(told, "FAIL: not so: %s\n", line);
		failed = true;
	}
	free(text_a);
	free(text_b);
}

static void keep(const char *name, int more, const char *text, size_t size)
{
	int fd = open(name, O_WRONLY | O_CREAT | (more ? O_APPEND : O_TRUNC), 0666);

	if (fd < 0 || write(fd, text, size) != (ssize_t)size || close(fd))
		stop(name, strerror(errno));
}

/* ---- a line ---- */

/* Splits the line; a text of a check is one word. Quoted words are none of the tokens. */
static size_t split(char *at, char *words[], const struct token *is[])
{
	size_t count = 0;
	char *text = NULL; /* of a check, so far */

	while (*(at += strspn(at, " \t"))) {
		bool quoted = *at == '\'' && !text;
		char *word = quoted ? at + 1 : at, *end;
		const struct token *token = NULL;

		end = quoted ? strchr(word, '\'') : word + strcspn(word, " \t");
		if (!end || count + 2 >= WORDS)
			stop(word, "no end of a quotation, or too many words");
		at = *end ? end + 1 : end;
		for (size_t i = 0; i < sizeof tokens / sizeof *tokens && !quoted; i++)
			if (strlen(tokens[i].word) == (size_t)(end - word) &&
			    !strncmp(word, tokens[i].word, (size_t)(end - word)))
				token = &tokens[i];
		if (text && !token)
			continue;
		for (char *tail = word; text && tail > text && tail[-1] == ' ';)
			*--tail = '\0';
		*end = '\0';
		text = NULL;
		is[count] = token;
		words[count++] = word;
		if (token && token->kind >= TEXT) {
			text = at + strspn(at, " \t");
			is[count] = NULL;
			words[count++] = text;
			at = text;
		}
	}
	words[count] = NULL;
	return count;
}

static bool matches(const char *pattern, const char *text)
{
	regex_t compiled;
	bool found;

	if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB | REG_NEWLINE))
		stop(pattern, "no regular expression");
	found = !regexec(&compiled, text, 0, NULL, 0);
	regfree(&compiled);
	return found;
}

static void check(const char *line, const struct token *token, const char *text,
		  const char *output, const char *errors)
{
	const bool of_out = token->kind >= OUT_TEXT;
	const char *in = of_out ? output : errors;
	bool pattern = token->kind == PATTERN || token->kind == OUT_PATTERN;
	bool want = token->kind != NO_TEXT && token->kind != NO_OUT_TEXT;

	if ((pattern ? matches(text, in) : strstr(in, text) != NULL) != want) {
		fail(line, want ? "does not say: " : "says: ", text);
		fprintf(told, "%.2000s\n", in);
	}
}

static void redirect(int fd, int to)
{
	if (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET) || dup2(fd, to) < 0)
		stop("redirect", strerror(errno));
}

static int call(int argc, char **argv, const char *input)
{
	int in = open(input ? input : "/dev/null", O_RDONLY), status;

	if (in < 0 || dup2(in, STDIN_FILENO) < 0)
		stop(input, strerror(errno));
	(void)close(in);
	clearerr(stdin);
	redirect(out, STDOUT_FILENO);
	redirect(err, STDERR_FILENO);
	status = gputm_sim_main(argc, argv);
	(void)fflush(stdout);
	(void)fflush(stderr);
	return status;
}

static void hold(const char *line, const char *wanted, int status, char *words[],
		 const struct token *is[], size_t count)
{
	size_t out_size, err_size;
	char *output = text_of(out, &out_size), *errors = text_of(err, &err_size);
	const bool either = strchr(wanted, '/') != NULL;
	char digit[3] = { (char)('0' + status), '\n', '\0' };

	if (!strchr(wanted, *digit)) {
		fail(line, "exit ", digit);
		fprintf(told, "%.2000s\n", errors);
	}
	if (status == SIM_BAD_INPUT && out_size)
		fail(line, "refused, but wrote a report", "");
	for (size_t i = 0; i + 1 < count; i++) {
		if (!is[i])
			continue;
		if (is[i]->kind == OUT || is[i]->kind == MORE)
			keep(words[i + 1], is[i]->kind == MORE, output, out_size);
		else if (is[i]->kind == ERR || is[i]->kind == MORE_ERR)
			keep(words[i + 1], is[i]->kind == MORE_ERR, errors, err_size);
		else if (is[i]->kind == STATUS)
			keep(words[i + 1], true, digit, 2);
		else if (is[i]->kind >= OUT_TEXT || (is[i]->kind >= TEXT && (!either || status)))
			check(line, is[i], words[i + 1], output, errors);
	}
	free(output);
	free(errors);
}

static char *always[WORDS];
static size_t always_count;

static void forget_always(void)
{
	while (always_count)
		free(always[--always_count]);
}

static void take(const char *line, char *words[], const struct token *is[], size_t count)
{
	char *argv[2 * WORDS];
	const char *input = NULL;
	int argc = 0;
	size_t end = 1;

	argv[argc++] = (char *)(uintptr_t)program;
	for (size_t i = 0; i < always_count; i++)
		argv[argc++] = always[i];
	for (; end < count && !is[end]; end++)
		argv[argc++] = words[end];
	argv[argc] = NULL;
	for (size_t i = end; i + 1 < count; i++)
		if (is[i] && is[i]->kind == INPUT)
			input = words[i + 1];
	snprintf(running, sizeof running, "%s", line);
	hold(line, words[0], call(argc, argv, input), words + end, is + end, count - end);
}

static void obey(const char *line, char *words[], const struct token *is[], size_t count)
{
	if (!strcmp(words[0], "same") || !strcmp(words[0], "other")) {
		if (count != 3)
			stop(line, "expected two files");
		compare(line, words[1], words[2], *words[0] == 's');
	} else if (!strcmp(words[0], "absent")) {
		if (count != 2 || !access(words[1], F_OK)) {
			fprintf(told, "FAIL: not so: %s\n", line);
			failed = true;
		}
	} else if (!strcmp(words[0], "always")) {
		forget_always();
		for (; always_count + 1 < count; always_count++)
			always[always_count] = strdup(words[always_count + 1]);
	} else if (strchr("0123", *words[0])) {
		take(line, words, is, count);
	} else {
		stop(line, "expected an exit status, always, same, other or absent");
	}
}

int main(int argc, char **argv)
{
	static char *words[WORDS + 1];
	static const struct token *is[WORDS + 1];
	char *line = NULL, *copy, name[4096];
	FILE *table = argc == 3 ? fdopen(dup(STDIN_FILENO), "r") : NULL;
	size_t size = 0;
	ssize_t length;

	told = fdopen(dup(STDOUT_FILENO), "w");
	if (!table || !told)
		return 2;
	setlinebuf(told);
	program = argv[1];
	snprintf(name, sizeof name, "%s/err", argv[2]);
	out = memfd_create("out", MFD_CLOEXEC);
	err = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (out < 0 || err < 0)
		stop(name, strerror(errno));
	(void)signal(SIGSEGV, crashed);
	(void)signal(SIGABRT, crashed);
	(void)signal(SIGFPE, crashed);
	sim_calm_allocator();
	while ((length = getline(&line, &size, table)) > 0) {
		line[length - 1] = '\0';
		if (line[strspn(line, " \t")] == '#')
			continue;
		copy = strdup(line);
		if (!copy)
			stop(line, "out of memory");
		length = (ssize_t)split(line, words, is);
		if (length)
			obey(copy, words, is, (size_t)length);
		free(copy);
	}
	free(line);
	forget_always();
	(void)fclose(table);
	return failed;
}
