/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * States of runs, as --save-at writes them, with bytes changed and the sum made right: --restore
 * refuses them, or the run goes on to an end of whatever kind. Each byte string names a run of the
 * table and up to three changes, of eight bytes each. Runs that go on end after 2^18 ticks, as if
 * by a signal; one that takes ten seconds ends this process.
 */
#define _GNU_SOURCE /* memfd_create */
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#define main gputm_sim_main
int gputm_sim_main(int argc, char **argv);
#include "examples/sim/main.c"
#undef main

#include "tests/fuzz/bend.h"

#define FEW "--set machine.cores=2 --set machine.partitions=2 --set machine.l2_bytes=4096 "
#define SMALL FEW "--set machine.warps=4 "
#define BANK "--workload bank --threads 64 --set workload.accounts=16 " SMALL
#define ALL_WARPS "--concurrency inf "
#define HASH "--workload hash-table --threads 64 --set workload.buckets=20 " SMALL
#define BANKS "--set machine.dram_banks=4 --set machine.dram_queue=3 "                         \
	      "--set machine.l2_write_miss=32 --set machine.dram_turn=3 "
#define HETM "--system hetm --threads 128 --set dispatch_queues.batch=32 "                     \
	     "--set sync_round.round_cycles=20000 --set sync_round.early_cycles=4000 "

#define FLOW "--kernel @/kernel --divergence "

/* The cycle at which a run is saved, and its arguments; @ is a folder. */
static const struct {
	const char *cycle, *arguments;
} runs[] = {
	{ "1500", "--system kilo-tm " HASH },
	{ "900", "--system kilo-tm --set tx_throttle.policy=climb --concurrency inf "
		 "--set commit_unit.buffer_words=2 --set commit_unit.buffers=8 "
		 "--set commit_unit.input_depth=1 --set commit_sequencer.watchdog_cycles=300 "
		 HASH BANKS },
	{ "1500", "--system kilo-tm --workload plain-skew --set system.isolation=strong " SMALL },
	{ "1200", "--system kilo-tm --divergence tbc " HASH },
	{ "900", "--system kilo-tm --trace @/trace " SMALL },
	{ "1200", "--system warptm " BANK ALL_WARPS "--set machine.l1_bytes=3072 " },
	{ "1200", "--system warptm-tcd " BANK ALL_WARPS BANKS },
	{ "1200", "--system warptm-el --set system.backoff_from=outcome " HASH },
	{ "1200", "--system eapg " HASH },
	{ "1200", "--system getm " HASH },
	{ "1500", "--system getm --set validation_unit.time_bits=6 --set validation_unit.margin=16 "
		  "--set validation_unit.ways=2 --set validation_unit.entries=4 "
		  "--set validation_unit.stash=1 --set validation_unit.stall_lines=1 "
		  "--set validation_unit.input=1 --set commit_buffer.blocks=4 "
		  "--set system.commit_ack=1 --set system.resolver=2pcr "
		  "--set tx_throttle.policy=aborts " BANK ALL_WARPS },
	{ "3000", "--system getm --workload cc --set workload.wide=4 --set workload.high=4 "
		  "--set workload.iterations=3 --set machine.warps=8 " FEW },
	{ "1500", "--system si-tm " HASH },
	{ "2500", "--system si-tm --set writer_table.entries=32 --set reader_list.entries=64 "
		  "--set version_table.time_bits=15 --set version_table.versions=2 "
		  BANK ALL_WARPS },
	{ "1500", "--system si-tm-oracle " BANK ALL_WARPS },
	{ "900", "--system ideal " BANK ALL_WARPS },
	{ "1200", "--system fine-lock " BANK "--set machine.l1_bytes=3072 " },
	{ "900", "--system fine-lock --trace @/trace " SMALL },
	{ "9000", "--system coarse-lock " HASH },
	{ "9000", "--system serial " HASH },
	{ "3000", "--system local-tm --workload local-hash " },
	{ "3000", "--system local-serialised --workload local-hash " },
	{ "20000", HETM "--workload bank --set system.cpu_share=40 --set workload.accounts=256 " },
	{ "50000", HETM "--workload cache --set system.cpu_share=50 --set workload.sets=32 "
		   "--set workload.keys=100 " },
	{ "900", FLOW "pdom " },
	{ "900", FLOW "pdom-lcp --machine fermi " FEW },
	{ "900", FLOW "dwf --machine fermi " FEW },
	{ "900", FLOW "dwf-wb " },
	{ "900", FLOW "tbc --machine fermi --set machine.l1_bytes=3072 " FEW },
	{ "900", FLOW "tbc-lcp " },
};

#define RUNS (sizeof runs / sizeof *runs)

/* Launches one after the other, with branches, loops, fences, barriers and atomics. */
static const char kernel[] =
	"threads 160 block 80\narray a threads\narray b threads\nshared c 80\nprogram\n"
	"kernel up\n"
	"	for i = 0 below 3\n"
	"		if id & 1\n			store a[id] = id + i\n"
	"		else\n			add b[id / 3] = 1\n		end\n"
	"	end\n"
	"	store c[id % 80] = id\n	barrier\n	load x = c[79 - id % 80]\n"
	"	store b[id] = x\n"
	"	fence\n	cas y = a[0] from 0 to id\n"
	"kernel down threads 96 block 32\n"
	"	set i = 0\n"
	"	repeat\n		load x = a[id]\n		store a[id] = x + i\n"
	"		set i = i + 1\n	until i > id % 4\n	fence\n"
	"host\n	set n = 0\n	while n < 3\n		launch up\n		launch down\n"
	"		set n = n + 1\n	end\n";

static const char trace[] = "t 0 r1000=0 w1000=1 r1080=0\nt 1 r1000=0 w1004=1\nt 0 w1004=2\n"
			    "t 2 r1004=0 w1000=3 w1084=1\nt 3 w1000=4\nt 1 r1084=0\n";

/* ---- runs ---- */

static char folder[] = "/tmp/fuzz-state-XXXXXX";
static int forged; /* a file in memory */

static void write_file(int fd, const void *bytes, size_t size)
{
	FUZZ_CHECK(fd >= 0 && !ftruncate(fd, 0) && pwrite(fd, bytes, size, 0) == (ssize_t)size);
}

static const char *in_folder(const char *name)
{
	static char path[64];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static void make_file(const char *name, const char *text)
{
	int fd = open(in_folder(name), O_RDWR | O_CREAT, 0600);

	write_file(fd, text, strlen(text));
	(void)close(fd);
}

static void remove_folder(void)
{
	(void)remove(in_folder("kernel"));
	(void)remove(in_folder("trace"));
	(void)remove(in_folder("state"));
	(void)remove(folder);
}

static void begin(void)
{
	FUZZ_CHECK(mkdtemp(folder));
	(void)atexit(remove_folder);
	make_file("kernel", kernel);
	make_file("trace", trace);
	forged = memfd_create("forged", MFD_CLOEXEC);
	stderr = fopen("/dev/null", "w"); /* sanitizers write to the descriptor */
	FUZZ_CHECK(stderr && forged >= 0);
	setbuf(stderr, NULL);
	if (!getenv("GPUTM_KERNELS"))
		(void)setenv("GPUTM_KERNELS", "examples/kernels", 1);
	sim_calm_allocator();
}

/* Run one of the table, with --save-at and its cycle, or --restore, and this file. */
static int call(size_t which, bool save, const char *file)
{
	char text[4096], *argv[128], *word = text;
	int argc = 0, at;

	at = snprintf(text, sizeof text, "gputm-sim --out /dev/null %s %s %s ",
		      save ? "--save-at" : "--restore", save ? runs[which].cycle : "", file);
	for (const char *from = runs[which].arguments; *from; from++)
		at += snprintf(text + at, sizeof text - (size_t)at, "%.*s",
			       *from == '@' ? (int)strlen(folder) : 1,
			       *from == '@' ? folder : from);
	while ((argv[argc] = strtok_r(argc ? NULL : text, " ", &word)))
		argc++;
	return gputm_sim_main(argc, argv);
}

/* ---- states ---- */

#define PIECES 65536
#define SIZES 200

struct piece {
	unsigned char *byte;
	uint64_t size;
};

/* A state: its text, up to the number of bytes, the line of the run, and the pieces. */
static struct state {
	char *text, *run;
	bool tried; /* as it is */
	struct piece *piece;
	size_t pieces, sizes;
	uint64_t size[SIZES]; /* that pieces have; others have the last one */
} states[RUNS];

static void note_size(struct state *s, uint64_t size)
{
	size_t i = 0;

	while (i < s->sizes && s->size[i] != size)
		i++;
	s->size[i] = size;
	s->sizes += i == s->sizes && i + 1 < SIZES;
}

static void cut(struct state *s, unsigned char *at, const unsigned char *end)
{
	s->piece = malloc(PIECES * sizeof *s->piece);
	FUZZ_CHECK(s->piece);
	while (at < end) {
		struct piece *piece = &s->piece[s->pieces++];

		FUZZ_CHECK(s->pieces <= PIECES);
		memcpy(&piece->size, at, sizeof piece->size);
		piece->byte = at + sizeof piece->size;
		note_size(s, piece->size);
		at = piece->byte + piece->size;
	}
	FUZZ_CHECK(at == end);
}

static struct state *state_of(size_t which)
{
	struct state *s = &states[which];
	const char *name = in_folder("state");
	char *head, *bytes;
	size_t size;
	FILE *file;

	if (s->text)
		return s;
	sim_stop = 0;
	FUZZ_CHECK(!call(which, true, name));
	sim_stop = SIGTERM;
	file = fopen(name, "rb");
	FUZZ_CHECK(file && !fseek(file, 0, SEEK_END));
	size = (size_t)ftell(file);
	rewind(file);
	s->text = calloc(size + 1, 1);
	FUZZ_CHECK(s->text && fread(s->text, 1, size, file) == size);
	(void)fclose(file);
	(void)remove(name);
	head = strstr(s->text, "bytes ");
	s->run = strchr(strstr(head, "sum "), '\n') + 1;
	bytes = strstr(s->run, "\n\n") + 2;
	cut(s, (unsigned char *)bytes, (unsigned char *)s->text + size);
	*head = bytes[-2] = '\0';
	return s;
}

/* Write the state with these pieces to the file in memory. */
static void write_state(const struct state *s, const struct piece *piece, size_t pieces)
{
	size_t bytes = 0, size, at = 0;
	unsigned char *body;
	char head[8192];
	uint64_t sum;

	for (size_t i = 0; i < pieces; i++)
		bytes += sizeof piece->size + piece[i].size;
	body = malloc(bytes + sizeof sum);
	FUZZ_CHECK(body);
	for (size_t i = 0; i < pieces; i++) {
		memcpy(body + at, &piece[i].size, sizeof piece->size);
		memcpy(body + at + sizeof piece->size, piece[i].byte, piece[i].size);
		at += sizeof piece->size + piece[i].size;
	}
	fuzz_seal(body, bytes + sizeof sum); /* it is the sum of a snapshot */
	memcpy(&sum, body + bytes, sizeof sum);
	size = (size_t)snprintf(head, sizeof head, "%sbytes %zu\nsum %016" PRIx64 "\n%s\n\n",
				s->text, bytes, sum, s->run);
	FUZZ_CHECK(size < sizeof head);
	write_file(forged, head, size);
	FUZZ_CHECK(pwrite(forged, body, bytes, (off_t)size) == (ssize_t)bytes);
	free(body);
}

/* ---- changes ---- */

static bool is_unit(const struct piece *piece)
{
	return piece->size > 8 && !memcmp(piece->byte, "GPUTMSNP", 8);
}

/* A value near the one that was there, one that is special, or any. */
static uint64_t value_of(struct fuzz *fuzz, uint64_t was)
{
	uint8_t how = fuzz_u8(fuzz);
	uint64_t random = fuzz_number(fuzz, 2);
	const uint64_t values[] = {
		was + 1, was - 1, 0, UINT64_MAX, random & 0xff, random, UINT64_C(1) << random % 64,
		(UINT64_C(1) << random % 64) - 1, was ^ UINT64_C(1) << random % 64,
		random * UINT64_C(0x9e3779b97f4a7c15), was * 2, was + random,
	};

	return values[how % (sizeof values / sizeof *values)];
}

static void change_value(struct fuzz *fuzz, struct piece *piece, uint32_t place, size_t bytes)
{
	uint64_t value = 0;
	size_t at;

	bytes = bytes < piece->size ? bytes : piece->size;
	at = place % (piece->size / bytes) * bytes;
	memcpy(&value, piece->byte + at, bytes);
	value = value_of(fuzz, value);
	memcpy(piece->byte + at, &value, bytes);
}

/* Some bytes of the piece come to another place of it. */
static void change_place(struct fuzz *fuzz, struct piece *piece, uint32_t place)
{
	size_t size = 4 + fuzz_u8(fuzz) % 61, from = 4 * (size_t)fuzz_number(fuzz, 2);

	size = size < piece->size ? size : piece->size;
	from %= piece->size - size + 1;
	memmove(piece->byte + 4 * (size_t)place % (piece->size - size + 1), piece->byte + from,
		size);
}

/* The piece is shorter, is not there, or is another one. */
static void change_piece(struct fuzz *fuzz, struct piece *piece, const struct piece *other)
{
	uint8_t how = fuzz_u8(fuzz);

	if (how % 3 == 0)
		piece->size -= piece->size ? 1 + how % piece->size : 0;
	else if (how % 3 == 1)
		piece->size = 0;
	else
		*piece = *other;
}

/* The number-th piece of this size, from the first one again after the last. */
static size_t of_size(const struct state *s, uint64_t size, size_t number)
{
	size_t count = 0, i = 0;

	for (size_t k = 0; k < s->pieces; k++)
		count += s->piece[k].size == size;
	number %= count;
	while (s->piece[i].size != size || number--)
		i++;
	return i;
}

/* Any piece, or one of any size, as each part of a run has sizes of its own. Units have checks of
 * their own, and tests: one change in eight is for theirs. */
static size_t choose(struct fuzz *fuzz, const struct state *s)
{
	size_t number = fuzz_number(fuzz, 2), i;
	uint8_t how = fuzz_u8(fuzz);

	i = how & 8 ? number % s->pieces :
		      of_size(s, s->size[fuzz_u8(fuzz) % s->sizes], number);
	while (how % 8 && is_unit(&s->piece[i]))
		i = (i + 1) % s->pieces;
	return i;
}

/* @return what has been allocated for the changed bytes. */
static void *change(struct fuzz *fuzz, const struct state *s, struct piece *all)
{
	struct piece *piece = &all[choose(fuzz, s)];
	uint8_t how = fuzz_u8(fuzz);
	uint32_t place = (uint32_t)fuzz_number(fuzz, 2);
	unsigned char *copy;

	if (how % 16 == 0 || !piece->size) {
		change_piece(fuzz, piece, &all[place % s->pieces]);
		return NULL;
	}
	copy = malloc(piece->size);
	FUZZ_CHECK(copy);
	piece->byte = memcpy(copy, piece->byte, piece->size);
	if (how % 16 == 1)
		change_place(fuzz, piece, place);
	else
		change_value(fuzz, piece, place, (size_t)1 << how / 16 % 4);
	if (is_unit(piece))
		fuzz_seal(piece->byte, piece->size);
	return copy;
}

static int restore_forged(size_t which)
{
	char name[64];

	snprintf(name, sizeof name, "/proc/self/fd/%d", forged);
	return call(which, false, name);
}

/* The state as it is, which must be taken. */
static void try_unchanged(size_t which)
{
	struct state *s = &states[which];

	if (s->tried)
		return;
	s->tried = true;
	write_state(s, s->piece, s->pieces);
	FUZZ_CHECK(restore_forged(which) != SIM_BAD_INPUT);
}

static void limit(time_t seconds)
{
	struct itimerval timer = { .it_value = { seconds, 0 } };

	(void)setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct piece piece[PIECES];
	struct fuzz fuzz = { data, size };
	const struct state *s;
	void *changed[3] = { NULL };
	size_t which;
	unsigned changes;

	if (!forged)
		begin();
	if (size < 2)
		return 0;
	which = fuzz_u8(&fuzz) % RUNS;
	s = state_of(which);
	try_unchanged(which);
	memcpy(piece, s->piece, s->pieces * sizeof *piece);
	changes = 1 + fuzz_u8(&fuzz) % 3;
	for (unsigned i = 0; i < changes; i++)
		changed[i] = change(&fuzz, s, piece);
	write_state(s, piece, s->pieces);
	for (size_t i = 0; i < sizeof changed / sizeof *changed; i++)
		free(changed[i]);
	limit(10);
	(void)restore_forged(which);
	limit(0);
	return 0;
}
