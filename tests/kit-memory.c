/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of units: nothing is written behind its end. And damaged memory: what a check says
 * when some bytes have changed, and what a load says to the snapshot of such a unit. */
#define _DEFAULT_SOURCE /* fork, setitimer, sigsetjmp */
#include "tests/kit.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* The memory that units of this program have now. */
static struct piece {
	uint8_t *bytes;
	size_t size;
} *piece;
static size_t pieces, room;

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED true
#elif defined(__has_feature)
#define SANITIZED __has_feature(address_sanitizer)
#else
#define SANITIZED false
#endif

bool kit_sparse(void)
{
	static int sparse = -1;

	if (sparse < 0)
		sparse = getenv("KIT_SPARSE") != NULL;
	return sparse;
}

/* Bytes behind each piece that nobody writes; none where a tool looks for more than that. */
static size_t guard_bytes(void)
{
	return SANITIZED || kit_sparse() ? 0 : 16;
}

void *kit_memory_new(size_t size)
{
	uint8_t *bytes = malloc(size + guard_bytes());

	ck_assert_ptr_nonnull(bytes);
	if (!kit_sparse()) /* valgrind knows what was never written */
		memset(bytes, 0xa5, size + guard_bytes());
	if (pieces == room) {
		room = 2 * room + 64;
		piece = realloc(piece, room * sizeof(*piece));
		ck_assert_ptr_nonnull(piece);
	}
	piece[pieces++] = (struct piece){ bytes, size };
	return bytes;
}

void kit_memory_free(void *memory)
{
	size_t i = 0;

	while (i < pieces && piece[i].bytes != memory)
		i++;
	ck_assert_uint_lt(i, pieces);
	for (size_t k = 0; k < guard_bytes(); k++)
		ck_assert_msg(piece[i].bytes[piece[i].size + k] == 0xa5,
			      "byte %zu behind a piece of %zu bytes was written", k, piece[i].size);
	piece[i] = piece[--pieces];
	free(memory);
}

size_t kit_memory(void)
{
	size_t bytes = 0;

	for (size_t i = 0; i < pieces; i++)
		bytes += piece[i].size;
	return bytes;
}

static const struct piece *piece_of(const void *unit)
{
	const uint8_t *at = unit;
	size_t i = 0;

	while (at < piece[i].bytes || at >= piece[i].bytes + piece[i].size)
		i++;
	return &piece[i];
}

/* A word of 8 bytes that may change: not a pointer, and it was written once. Every second lies in
 * the unit's own struct, and most are not zero. */
static uint8_t *word_at(const struct gputm_unit *unit, uint64_t *random)
{
	const uint64_t unwritten = UINT64_C(0xa5a5a5a5a5a5a5a5);

	for (;;) {
		const struct piece *in = kit_below(random, 2) ? piece_of(unit) :
								&piece[kit_below(random, pieces)];
		uint8_t *at = in->bytes + 8 * kit_below(random, in->size / 8 + 1);
		uint64_t word;

		if (at + 8 > in->bytes + in->size)
			continue;
		memcpy(&word, at, sizeof(word));
		if (word != unwritten && (!(word >> 40) || word >> 47) &&
		    (word || kit_below(random, 4) == 0))
			return at;
	}
}

/* Other values for 1, 2, 4 or 8 bytes of a word: near to what was there, least, or largest. */
static void damage(uint8_t *word, uint64_t *random)
{
	unsigned bytes = 1u << kit_below(random, 4);
	uint8_t *at = word + bytes * kit_below(random, 8 / bytes);
	uint64_t was = 0, value;

	memcpy(&was, at, bytes);
	switch (kit_below(random, 8)) {
	case 0:
	case 1:
		value = 0;
		break;
	case 2:
		value = UINT64_MAX;
		break;
	case 3:
		value = was ^ UINT64_C(1) << kit_below(random, 8 * bytes);
		break;
	case 4:
		value = kit_below(random, 8);
		break;
	default:
		value = was + 1 - 2 * kit_below(random, 2);
		break;
	}
	memcpy(at, &value, bytes);
}

static void exchange(uint8_t *a, uint8_t *b, unsigned bytes)
{
	uint8_t kept[8];

	memcpy(kept, a, bytes);
	memmove(a, b, bytes);
	memcpy(b, kept, bytes);
}

static sigjmp_buf back;
static volatile sig_atomic_t looking, endless; /* endless: checks that had to be stopped */

static void jump_back(int number)
{
	endless += number == SIGVTALRM;
	if (looking)
		siglongjmp(back, number);
	signal(number, SIG_DFL);
}

/* Damaged units may make their check crash, or go round for ever. */
static void guard(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGVTALRM };
	struct sigaction action = { .sa_handler = jump_back };

	for (size_t i = 0; i < KIT_COUNT(signals); i++)
		sigaction(signals[i], &action, NULL);
}

/*
 * What the check says; and a snapshot of the damaged unit, or none: then the size is 0. A check
 * that writes past the end of an array of its own writes into the shelter, and not over what the
 * caller is to put back.
 */
static size_t __attribute__((noinline))
look(const struct gputm_unit *unit, uint8_t *snapshot, size_t room_for)
{
	static const struct itimerval brief = { .it_value = { .tv_usec = 4000 } }, never;
	volatile uint8_t shelter[8192] __attribute__((unused));
	const char *broken;
	size_t size;

	shelter[0] = 0; /* without a use there is none */
	if (sigsetjmp(back, 1)) {
		looking = 0;
		return 0;
	}
	looking = 1;
	setitimer(ITIMER_VIRTUAL, &brief, NULL);
	broken = gputm_unit_check(unit);
	size = gputm_unit_save(unit, snapshot, room_for);
	setitimer(ITIMER_VIRTUAL, &never, NULL);
	looking = 0;
	if (broken)
		kit_hear(broken);
	return size <= room_for ? size : 0;
}

static void damage_often(struct gputm_unit *unit, unsigned seed, unsigned times)
{
	size_t size = gputm_unit_save(unit, NULL, 0), bent_room = 2 * size + 4096, bent_size;
	uint8_t *now = malloc(size), *bent = malloc(bent_room), kept[2][8];
	uint64_t random = seed;

	gputm_unit_save(unit, now, size);
	for (unsigned n = 0; n < times && endless < 4; n++) {
		uint8_t *word[2] = { word_at(unit, &random), word_at(unit, &random) };

		for (unsigned i = 0; i < 2; i++)
			memcpy(kept[i], word[i], 8);
		if (n % 4 == 0)
			exchange(word[0], word[1], n % 8 ? 8 : 4);
		else
			damage(word[0], &random);
		if (n % 4 == 1)
			damage(word[1], &random);
		bent_size = look(unit, bent, bent_room);
		for (unsigned i = 2; i--;)
			memcpy(word[i], kept[i], 8);
		if (bent_size && !gputm_unit_load(unit, bent, bent_size))
			ck_assert_int_eq(gputm_unit_load(unit, now, size), 0);
	}
}

const char *kit_damaged(struct gputm_unit *unit, uint64_t was, uint64_t value)
{
	const char *broken;
	uint8_t *at = NULL;

	for (size_t i = 0; i < pieces; i++)
		for (size_t k = 0; k + sizeof(was) <= piece[i].size; k += sizeof(was))
			if (!memcmp(piece[i].bytes + k, &was, sizeof(was)))
				at = piece[i].bytes + k;
	ck_assert_ptr_nonnull(at);
	memcpy(at, &value, sizeof(value));
	broken = gputm_unit_check(unit);
	memcpy(at, &was, sizeof(was));
	return broken;
}

void kit_damage(struct gputm_unit *unit, unsigned processes, unsigned times)
{
	fflush(NULL);
	for (unsigned seed = 0; seed < processes; seed++) {
		pid_t child = fork();

		ck_assert_int_ge(child, 0);
		if (!child) {
			alarm(20);
			guard();
			damage_often(unit, seed, times);
			fflush(NULL);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
}
