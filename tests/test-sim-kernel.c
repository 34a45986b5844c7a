/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The language of kernels: what its reader refuses and where, what code comes of loops and ifs,
 * that expressions are what C makes of them, and what setup and verify do.
 */
#define _POSIX_C_SOURCE 200809L /* fmemopen */
#include "examples/sim/base/arena.h"
#include "examples/sim/kernel/kernel.h"
#include "examples/sim/kernel/script.h"
#include "examples/sim/kernel/zipf.h"
#include "tests/kit.h"

#define HEAD "threads 8 block 4\narray m 16 { a b[3] }\ntable t 4\n"

static FILE *open_text(void *state, const char *name)
{
	return strcmp(name, "f.macros") ? NULL : fmemopen(state, strlen(state), "r");
}

/* A kernel beside which there is the file f.macros. */
static int read_with(const char *text, const char *included, struct kernel *out,
		     char message[300])
{
	const struct kernel_request request = { .seed = 7 };
	const struct kernel_files files = { open_text, (void *)(uintptr_t)included };

	*message = '\0';
	return kernel_read(text, strlen(text), "k", &request, included ? &files : NULL, out,
			   message, 300);
}

static int read_text(const char *text, struct kernel *out, char message[300])
{
	return read_with(text, NULL, out, message);
}

/* One that is no error. */
static struct kernel kernel_of(const char *text)
{
	struct kernel kernel;
	char message[300];

	ck_assert_msg(!read_text(text, &kernel, message), "%s", message);
	return kernel;
}

/* Nothing went wrong, or what is said begins so. */
static void held(int error, const char *message, const char *expected)
{
	ck_assert_msg(error == (expected ? -EINVAL : 0), "%d: %s", error, message);
	if (expected)
		KIT_BEGINS(message, expected);
}

/* ---- what is refused ---- */

static const struct kit_case *bad, *script;

KIT_TESTS(test_bad_kernels_are_refused, kit_cases("kernels-refused.txt", &bad))
{
	const char *head = strstr(bad[_i].text, "HEAD\n");
	int before = head ? (int)(head - bad[_i].text) : 0;
	struct kernel kernel;
	char text[400], message[300];
	int error;

	snprintf(text, sizeof(text), "%.*s%s%s", before, bad[_i].text, head ? HEAD : "",
		 head ? head + strlen("HEAD\n") : bad[_i].text);
	error = read_text(text, &kernel, message);
	held(error, message, bad[_i].answer);
	if (!error)
		kernel_free(&kernel);
}

/* ---- code ---- */

/* The instructions as a letter each. */
static void spell(const struct kernel_code *code, char *text)
{
	static const char letters[] = ".lwcatxbf[]{}nXsjdrL"; /* of enum sim_op */

	for (size_t i = 0; i < code->instr_count; i++)
		*text++ = letters[code->instr[i].op];
	*text = '\0';
}

static const struct {
	const char *program, *code;
} costs[] = {
	{ "alu\nalu 3\nset x = id * 2 + lane", "....sX" },
	{ "let x = id\nlet y = x + 1\nset z = y", "sX" },
	{ "if id\nset x = 1\nend", "tsX" },
	{ "if id\nset x = 1\nelse\nset x = 2\nend", "tsjsX" },
	{ "if id\nlet x = 1\nend", "tnX" },
	{ "if 0\nset x = 1\nelse\nalu\nend", ".X" },
	{ "if 1 < 2\nset x = 1\nelse\nalu\nend", "sX" },
	{ "while id < x\nset x = x + 1\nend", "tsX" },
	{ "repeat\nset x = x + 1\nuntil x == 3", "stX" },
	{ "for i = 0 below 3\nload x = m[i].a\nend", "ntlnX" },
	{ "while id\nbreak if lane\nif warp\nbreak\nend\nend", "tttjX" },
	{ "begin\nload x = m[0].a if lane\nstore m[0].a = x\ncommit", "[lw]X" },
	{ "repeat\ncas h = m[0].a from 0 to 1\nif h == 0\nenter\nstore m[1].a = 1\nleave\nfence\n"
	  "let d = 1\nstore m[0].a = 0\nend\nuntil d", "ct{w}fwtX" },
};

KIT_TESTS(test_each_line_costs_its_slot, sizeof(costs) / sizeof(costs[0]))
{
	struct kernel kernel;
	char text[600], code[64];

	snprintf(text, sizeof(text), HEAD "program\n%s\n", costs[_i].program);
	kernel = kernel_of(text);
	spell(kernel.code, code);
	ck_assert_str_eq(code, costs[_i].code);
	kernel_free(&kernel);
}

KIT_TEST(test_a_transaction_keeps_what_it_reads_and_writes)
{
	static const char text[] =
		HEAD "program\nset n = 4\nset k = id\nbegin\nload x = m[k].a\nset n = n + x\n"
		     "set u = 3\nstore m[k].a = n + u\ncommit\nstore m[n & 15].a = k\n";
	struct kernel kernel = kernel_of(text);

	ck_assert_uint_eq(kernel.code->kept_count, 1);
	ck_assert_str_eq(kernel.code->reg[kernel.code->kept[0]].name, "n");
	kernel_free(&kernel);
}

KIT_TEST(test_layout)
{
	static const char text[] = "threads 8 block 4\narray a 3 { x y[2] }\nlocks l 5\n"
				   "array b 1\ntable t 9\nregion b b\nprogram\nset x = 1\n";
	struct kernel kernel = kernel_of(text);

	ck_assert_uint_eq(kernel.array[0].base, 0x80000000);
	ck_assert_uint_eq(kernel.array[2].base, 0x80000100);
	ck_assert_uint_eq(kernel.lock_base, 0x80000200);
	ck_assert_uint_eq(kernel.array[1].base, 0x80000300);
	KIT_HAS(kernel, region_start, 0x80000100, region_end, 0x80000104);
	kernel_free(&kernel);
}

/* ---- setup and verify ---- */

/* 0 if setup and verify of this text end well, else what they say. */
static int run_text(const char *text, char message[300])
{
	struct kernel kernel = kernel_of(text);
	int error = kernel_setup(&kernel, kernel.initial, message, 300);

	if (!error)
		error = kernel_verify(&kernel, kernel.initial, message, 300);
	kernel_free(&kernel);
	return error;
}

/* ---- included files ---- */

static const struct {
	const char *included, *use, *message;
} includes[] = {
	{ "macro f(x)\nset y = x + 1\nend\nconst two = 2\n", "f(two)\nrequire y == 3", NULL },
	{ "define twice(x) = x * 2\n", "require twice(3) == 6", NULL },
	{ "macro f(x)\nset y = x + )\nend\n", "f(2)", "f.macros:2:13: got \")\", expected an" },
	{ "macro f()\n\nset y = t[7]\nend\n", "f()",
	  "k:6:1: t[7], beyond the end of t (length 4)" },
	{ "define d = t[9]\n", "set x = 1\nset y = d + x",
	  "k:7:1: t[9], beyond the end of t (length 4): x" },
	{ "setup\n", "", "f.macros:1:1: got \"setup\", expected a statement of the head" },
	{ "include f.macros\n", "", "f.macros:1:9: more than 64 files are included" },
	{ "const t = 1\n", "", "f.macros:1:7: got \"t\" a second time, expected a new name" },
};

KIT_TESTS(test_includes, sizeof(includes) / sizeof(includes[0]))
{
	struct kernel kernel;
	char text[400], message[300] = "";
	int error;

	snprintf(text, sizeof(text), HEAD "include f.macros\nverify\n%s\nprogram\nalu\n",
		 includes[_i].use);
	error = read_with(text, includes[_i].included, &kernel, message);
	if (!error) {
		error = kernel_verify(&kernel, kernel.initial, message, 300);
		kernel_free(&kernel);
	}
	held(error, message, includes[_i].message);
}

/* What there is to choose is found in all files, and without what the other lines mean. */
KIT_TEST(test_choices)
{
	static const char text[] =
		"include f.macros\nmacro go()\nlaunch k\nend\n"
		"param p 3 1 9 \"p\"\nvariant v p 4 q 6 \"v\"\n"
		"verify\nset x = +\nprogram\nkernel k\nhost\nlaunch k\nfrob # param a 1 1 1\n"
		"param r 2 1 9 \"r\"";
	char included[] = "words a none\nparam q 5 1 9 \"q\"\nsetup\n", message[300] = "";
	const struct kernel_request request = { .choices = true };
	const struct kernel_files files = { open_text, included };
	struct kernel kernel;

	ck_assert_int_eq(kernel_read(text, strlen(text), "k", &request, &files, &kernel, message,
				     300), 0);
	ck_assert_uint_eq(kernel.params, 3);
	ck_assert_str_eq(kernel.param[0].name, "q");
	ck_assert_str_eq(kernel.param[2].name, "r");
	ck_assert_uint_eq(kernel.variants, 1);
	ck_assert_uint_eq(kernel.variant[0].value[0], 6);
	ck_assert_uint_eq(kernel.variant[0].value[1], 4);
	ck_assert_uint_eq(kernel.code[KERNEL_VERIFY].line, 7);
	ck_assert(!kernel.launched);
	kernel_free(&kernel);
	included[strlen("words a none\nparam q ")] = '0';
	ck_assert_int_eq(kernel_read(text, strlen(text), "k", &request, &files, &kernel, message,
				     300), -EINVAL);
	ck_assert_str_eq(message, "f.macros:2:11: got \"1\", expected the least value, not above "
				  "the default, 0 .. 0");
}

/* Files of words for an array, and of numbers for a table. */
static const struct {
	const char *file, *head, *message;
} words[] = {
	{ "3 0x10 # two\n\n7 9\n", "words t f.macros", NULL },
	{ "3 16 7", "words t f.macros", "f.macros:1:7: got the end of the file after 3 numbers" },
	{ "3 16 7 9 1", "words t f.macros", "f.macros:1:10: got \"1\", expected the end of the" },
	{ "3 16\n7x 9", "words t f.macros", "f.macros:2:1: got \"7x\", expected number 3 of 4 of" },
	{ "3 -1 7 9", "words t f.macros", "f.macros:1:3: got \"-\", expected number 2 of 4 of" },
	{ "3 4294967296", "words t f.macros", "f.macros:1:3: got \"4294967296\", which is abo" },
	{ "3", "words t none", "k:4:9: \"none\" cannot be opened beside the kernel" },
	{ "3", "words t", "k:4:8: got end of line, expected a file beside the kernel" },
	{ "a b c d e f g h", "array key 9\nwords key f.macros", NULL },
	{ "a b c d e f g h", "words key f.macros\narray key 9", NULL },
	{ "a b c d e f g", "words key f.macros\narray key 9", "k:4:7: the file has 7 words, expe" },
	{ "a b c d e f g h", "words key f.macros\narray key 8", "k:4:7: the file has 8 words, " },
	{ "a \001", "words key f.macros\narray key 9", "f.macros:1: got \"\\x01\", " },
	{ "a b", "words key f.macros", "k:4:7: key is no array" },
	{ "a b", "words m\nwords m f.macros", "k:5:7: got \"m\", expected one array of words" },
};

KIT_TESTS(test_words, sizeof(words) / sizeof(words[0]))
{
	struct kernel kernel;
	char text[400], message[300] = "";
	int error;

	snprintf(text, sizeof(text), HEAD "%s\nprogram\nalu\n", words[_i].head);
	error = read_with(text, words[_i].file, &kernel, message);
	held(error, message, words[_i].message);
	if (error)
		return;
	ck_assert_uint_eq(kernel.table[1], kernel.word.count ? 0 : 16);
	ck_assert_uint_eq(kernel.table[3], kernel.word.count ? 0 : 9);
	if (kernel.word.count)
		ck_assert_uint_eq(kernel.word.key[0], 0xe40c292c);
	kernel_free(&kernel);
}

/* The threads are as many as the words of a file that comes first. */
KIT_TEST(test_words_give_the_threads)
{
	struct kernel kernel;
	char message[300] = "";

	ck_assert_int_eq(read_with("words key f.macros\nthreads 2 block 2\narray key threads + 1\n"
				   "program\nalu\n", "a b a", &kernel, message), 0);
	ck_assert_uint_eq(kernel.threads, 3);
	ck_assert_uint_eq(kernel.word.key[0], kernel.word.key[2]);
	kernel_free(&kernel);
}

#define SAME(expression) { #expression, (uint32_t)(expression) }

static const struct {
	const char *expression;
	uint32_t value;
} values[] = {
	SAME(1 + 2 * 3 - 4),
	SAME((1 + 2) * 3),
	SAME(7 / 2 % 2),
	{ "1 << 4 | 3 ^ 2 & 6", 1 << 4 | (3 ^ (2 & 6)) },
	{ "5 > 3 == 1", 1 },
	SAME(!5 + !0),
	SAME(~0),
	SAME(-1),
	{ "2 < 1 || 3 && 4", 1 },
	SAME(1 ? 2 : 3),
	SAME(0   ? 2
	     : 0 ? 3
		 : 4),
	SAME(0xff >> 3 << 1),
	SAME(3 - 2 - 1),
	{ "9 / 0", UINT32_MAX },
	{ "9 % 0", 9 },
	{ "3 min 5 + 1", 4 },
	{ "3 max 5 + 1", 6 },
	{ "min(3, 5 + 1)", 3 },
	{ "abs(0 - 5)", 5 },
	{ "sless(0 - 1, 1)", 1 },
	{ "sshift(0 - 8, 1)", (uint32_t)-4 },
	{ "sqrt(0x40000)", 0x20000 },
	{ "mul(0x18000, 0x20000, 16)", 0x30000 },
	{ "over(0x30000, 0x20000, 16)", 0x18000 },
	{ "smul(0 - 0x10000, 0x20000, 16)", (uint32_t)-0x20000 },
	{ "1 << 33", 2 },
};

/* Both ways: folded by the reader, and computed. */
KIT_TESTS(test_expressions_are_as_in_c, sizeof(values) / sizeof(values[0]))
{
	char text[800], message[300];

	snprintf(text, sizeof(text), HEAD "program\nalu\nverify\nset x = %s\n"
		 "require x == %u \"folded\" x\nset one = 1\nset y = one * (%s)\n"
		 "require y == %u \"computed\" y\n", values[_i].expression, values[_i].value,
		 values[_i].expression, values[_i].value);
	ck_assert_msg(!run_text(text, message), "%s: %s", values[_i].expression, message);
}

KIT_TESTS(test_setup_and_verify, kit_cases("kernels-scripts.txt", &script))
{
	char text[800], message[300];

	snprintf(text, sizeof(text), HEAD "%sprogram\nalu\n", script[_i].text);
	*message = '\0';
	held(run_text(text, message), message, script[_i].answer);
}

/* ---- Zipf's law ---- */

/* The share of the first items, in units of 2^-16, against sums of roots and quotients. */
static const struct {
	uint32_t items, exponent, first, share;
} laws[] = {
	{ 4, 0, 1, 16384 },	  /* 1 of 4 */
	{ 4, 100, 1, 31457 },	  /* 1 of 25 / 12 */
	{ 4, 100, 3, 57672 },	  /* 22 / 12 of 25 / 12 */
	{ 4, 200, 1, 46036 },	  /* 144 of 205 */
	{ 3, 50, 1, 28687 },	  /* 1 of 1 + 0.707107 + 0.577350 */
	{ 1000000, 100, 1, 4553 }, /* 1 of ln(1000000) + 0.577216 */
};

KIT_TESTS(test_zipf, sizeof(laws) / sizeof(laws[0]))
{
	struct zipf *zipf = zipf_new(laws[_i].items, laws[_i].exponent);
	uint64_t sum, first;

	ck_assert_ptr_nonnull(zipf);
	sum = zipf->below[laws[_i].items - 1];
	first = zipf->below[laws[_i].first - 1];
	ck_assert_uint_le((first << 16) / sum, laws[_i].share + 1u);
	ck_assert_uint_ge((first << 16) / sum + 1, laws[_i].share);
	ck_assert_uint_eq(zipf_item(zipf, 0), 0);
	ck_assert_uint_eq(zipf_item(zipf, 0x7fffffff), laws[_i].items - 1);
	for (uint32_t i = 1; i < laws[_i].items && i < 4; i++) {
		double edge = (double)zipf->below[i - 1] / (double)sum * 0x1p31;

		ck_assert_uint_eq(zipf_item(zipf, (uint32_t)edge - 2), i - 1);
		ck_assert_uint_eq(zipf_item(zipf, (uint32_t)edge + 2), i);
	}
	sim_free(zipf);
}
