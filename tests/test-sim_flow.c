/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernels of gputm-sim: what their reader refuses, where the branches of known graphs meet,
 * that every mechanism runs random kernels as the threads would alone, and that --check notices
 * what a broken mechanism does.
 */
#define _POSIX_C_SOURCE 200809L

#include "examples/sim/check/check.h"
#include "examples/sim/machine/machine.h"
#include "examples/sim/machine/mechanism.h"
#include "examples/sim/machine/wiring.h"
#include "examples/sim/workloads/kernel.h"
#include "tests/kit.h"

static int read_text(const char *text, struct kernel *out, char message[300])
{
	const struct kernel_request request = { .seed = 1 };

	*message = '\0';
	return kernel_read(text, strlen(text), "k.kernel", &request, NULL, out, message, 300);
}

/* One that is no error. */
static struct kernel kernel_of(const char *text)
{
	struct kernel kernel;
	char message[300];

	ck_assert_msg(!read_text(text, &kernel, message), "%s", message);
	return kernel;
}

/* ---- the reader ---- */

static const struct kit_case *bad;

KIT_TESTS(test_bad_kernels_name_line_and_reason, kit_cases("graphs-refused.txt", &bad))
{
	struct kernel kernel;
	char message[300];

	ck_assert_int_eq(read_text(bad[_i].text, &kernel, message), -EINVAL);
	KIT_SAYS(message, bad[_i].answer);
}

static uint32_t find_block(const struct kernel *k, const char *name)
{
	for (uint32_t b = 0; b < k->code->block_count; b++)
		if (!strcmp(k->code->block[b].name, name))
			return b;
	return KERNEL_NONE;
}

static void assert_meeting(const struct kernel *k, const char *branch, const char *meeting,
			   const char *likely)
{
	const struct kernel_block *b = &k->code->block[find_block(k, branch)];

	KIT_HAS(*b, meeting, find_block(k, meeting), likely, find_block(k, likely));
}

/* Example 4 of the thesis; Fig. 3.8 has the answer. */
KIT_TEST(test_fig_3_8_points)
{
	static const char text[] =
		"launch 1 4 4\nblock A\n branch chance 25 then B else C\nblock B\n jump E\n"
		"block C\n branch chance 2 then D else E\nblock D\n jump F\n"
		"block E\n branch chance 96 then A else F\nblock F\n exit\n";
	struct kernel k = kernel_of(text);

	assert_meeting(&k, "A", "F", "E");
	assert_meeting(&k, "C", "F", "E");
	assert_meeting(&k, "E", "F", "");
	ck_assert(k.code->block[find_block(&k, "D")].divided &&
		  !k.code->block[find_block(&k, "F")].divided);
	kernel_free(&k);
}

/* Two loops, each left in the midst: the inner latch is the point of the inner branch. */
KIT_TEST(test_likely_points_of_nested_loops)
{
	static const char text[] =
		"launch 1 4 4\nblock a\n alu\nblock b\n branch chance 9 then x else c\n"
		"block c\n branch chance 50 then d else e\n"
		"block d\n branch chance 3 then x else e\n"
		"block e\n branch chance 60 then b else f\n"
		"block f\n branch chance 60 then a else x\n"
		"block x\n exit\n";
	struct kernel k = kernel_of(text);

	assert_meeting(&k, "b", "x", "e");
	assert_meeting(&k, "c", "x", "e");
	assert_meeting(&k, "d", "x", "e");
	assert_meeting(&k, "e", "x", "f");
	assert_meeting(&k, "f", "x", "");
	kernel_free(&k);
}

KIT_TEST(test_everything_a_kernel_can_say)
{
	static const char text[] =
		"# a comment\nlaunch 2 6 4 # and one more\nregister x y\narray m 8 = 3 0x10\n"
		"array r 5 random 7 7\nshared s 3\ntrace t 0 01 1\n\nblock a\n\talu 3\n"
		"\tset x = 5\n\tset y = x max 0xff\n\tload x = m[lane]\n\tstore s[1] = x\n"
		"\tadd m[0] = warp_id\n\tconverged\n\tbarrier\n\texit if id >= block_size\n"
		"\tbranch uniform x != y then b else b\nblock b\n\texit";
	struct kernel k = kernel_of(text);

	ck_assert_uint_eq(k.code->instr_count, 12);
	ck_assert_uint_eq(sim_memory_read(k.initial, k.array[0].base + 4), 16);
	ck_assert_uint_eq(sim_memory_read(k.initial, k.array[1].base + 16), 7);
	ck_assert(k.array[2].kind == KERNEL_SHARED && k.shared_words == 3);
	ck_assert_uint_eq(k.trace[0].count[0], 3);
	ck_assert(k.code->instr[8].converged && k.code->instr[8].op == SIM_BARRIER);
	ck_assert(k.code->instr[10].uniform && k.code->instr[10].last &&
		  k.code->block[0].meeting == 1);
	kernel_free(&k);
}

/* ---- runs ---- */

/* The workload of a kernel, which is written to a file for that. */
static struct sim_workload *workload_of(const char *text, struct sim_workload_class **class)
{
	struct sim_workload_request request = { .flavour = SIM_ALONE, .seed = 3 };
	struct sim_workload *workload;
	char error[SIM_MESSAGE];
	FILE *file = fopen("test-sim_flow.kernel", "w");

	ck_assert(file && fputs(text, file) >= 0 && !fclose(file));
	ck_assert_msg(!sim_kernel_class("test-sim_flow.kernel", NULL, class, error, sizeof(error)),
		      "%s", error);
	remove("test-sim_flow.kernel");
	request.class = *class;
	ck_assert_msg(!(*class)->make(&request, &workload, error, sizeof(error)), "%s", error);
	return workload;
}

/* A run with --check under a mechanism, on one core or on a machine; what the check says. */
static bool runs_right_on(const char *text, const struct flow_mechanism *mechanism,
			  const struct sim_machine_config *config, struct sim_verdict *verdict)
{
	const struct sim_run_options options = { .prove = true, .seed = 3 };
	struct flow_config *own = calloc(1, mechanism->class.config_size);
	struct sim_workload_class *class;
	struct sim_workload *workload = workload_of(text, &class);
	struct sim_run *run;
	struct sim_result r;

	ck_assert_ptr_nonnull(own);
	mechanism->class.init(own, NULL);
	own->core.warps = 64;
	own->core.most_cycles = 10000000;
	ck_assert_msg(!sim_machine_new(NULL, config, &mechanism->class, own, workload, &options,
				       &run), "%s", sim_run_error(run));
	ck_assert_msg(sim_run_execute(run) != -ENOEXEC, "%s", sim_run_error(run));
	mechanism->class.own->judge(run, verdict);
	sim_run_result(run, &r);
	if (verdict->passed)
		ck_assert_uint_eq(r.cycles * (config ? config->cores : 1),
				  r.instructions + r.longer + r.idle + r.memory_idle);
	sim_run_free(run);
	class->free(workload);
	sim_kernel_class_free(class);
	free(own);
	return verdict->passed;
}

/* ---- random kernels ---- */

struct writer {
	char text[8192];
	size_t used;
	uint64_t random;
};

static uint32_t draw(struct writer *w, uint32_t below)
{
	w->random = w->random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((w->random >> 33) % below);
}

static void say(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct writer *w, const char *format, ...)
{
	va_list list;
	int more;

	va_start(list, format);
	more = vsnprintf(w->text + w->used, sizeof(w->text) - w->used, format, list);
	va_end(list);
	w->used += (size_t)more;
	ck_assert_uint_lt(w->used, sizeof(w->text));
}

static const char *operand(struct writer *w)
{
	static const char *const all[] = { "a", "b", "c", "thread", "lane", "warp", "block", "id",
					   "block_size", "1", "3", "0x80000001" };

	return all[draw(w, sizeof(all) / sizeof(all[0]))];
}

static void write_instruction(struct writer *w)
{
	static const char *const operators[] = { "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>",
						 "min", "max", "<", "<=", ">", ">=", "==", "!=" };
	char to = (char)('a' + draw(w, 3));

	switch (draw(w, 13)) {
	case 0:
	case 1:
		say(w, "alu %u\n", 1 + draw(w, 4));
		break;
	case 2:
		say(w, "set d = %c & 255\nload %c = in[d]\n", to, to);
		break;
	case 3:
		say(w, "store out[id] = %c\n", to);
		break;
	case 4:
		say(w, "add sum[thread] = %c\n", to);
		break;
	case 5:
		say(w, "exit if %c == %u\n", to, draw(w, 8));
		break;
	case 6:
		say(w, "set d = %c & 63\nload %c = near[d]\n", to, to);
		break;
	case 7:
		say(w, "fence\n");
		break;
	default:
		say(w, "set %c = %s %s ", to, operand(w), operators[draw(w, 18)]);
		say(w, "%s\n", operand(w));
	}
}

static void write_branch(struct writer *w, uint32_t b, uint32_t blocks)
{
	uint32_t other = draw(w, blocks);

	if (other <= b) { /* must end some time */
		say(w, "branch chance %u then b%u else b%u\n", draw(w, 70), other, b + 1);
		return;
	}
	switch (draw(w, 3)) {
	case 0:
		say(w, "branch chance %u then b%u else b%u\n", draw(w, 101), other, b + 1);
		break;
	case 1:
		say(w, "branch threads 0 2 then b%u else b%u\n", other, b + 1);
		break;
	default:
		say(w, "branch %s < %s then b%u else b%u\n", operand(w), operand(w), other, b + 1);
	}
}

/* A kernel whose threads do not depend on each other, so that no order of warps matters. */
static void write_kernel(struct writer *w)
{
	static const uint32_t lanes[] = { 1, 4, 8, 32 };
	uint32_t blocks = 3 + draw(w, 8), width = lanes[draw(w, 4)];

	w->used = 0;
	say(w, "launch %u %u %u\nregister a b c d\narray in 256 random 0 99\narray out 4096\n",
	    1 + draw(w, 3), 3 + draw(w, width == 1 ? 29 : 3 * width), width);
	say(w, "array sum 128\nshared near 64\n");
	for (uint32_t b = 0; b < blocks; b++) {
		say(w, "block b%u\nset b = id * %u\n", b, draw(w, 100));
		for (uint32_t i = draw(w, 5); i; i--)
			write_instruction(w);
		if (!draw(w, 6))
			say(w, "barrier\n");
		if (b + 1 == blocks)
			say(w, "exit\n");
		else if (draw(w, 5))
			write_branch(w, b, blocks);
	}
}

KIT_TEST(test_random_kernels_under_all_mechanisms)
{
	struct writer w = { .random = 1 };
	struct sim_machine_config machine;
	struct sim_verdict verdict;
	struct kernel k;
	char message[300];

	for (unsigned i = 0; i < kit_scale(400, 60);) {
		write_kernel(&w);
		if (read_text(w.text, &k, message)) {
			ck_assert_msg(strstr(message, "barrier in block"), "%s\n%s", message,
				      w.text);
			continue;
		}
		gputm_params_init(&sim_machine_params, &machine, sizeof(machine));
		machine.cores = 1 + i % 3;
		machine.core_mhz /= 1 + i % 2;
		for (size_t m = 0; flow_mechanisms[m]; m++)
			ck_assert_msg(runs_right_on(w.text, flow_mechanisms[m], NULL, &verdict) &&
				      runs_right_on(w.text, flow_mechanisms[m], &machine, &verdict),
				      "%s: %s\n%s", flow_mechanisms[m]->class.name, verdict.failure,
				      w.text);
		kernel_free(&k);
		i++;
	}
}

/* ---- what the check is for ---- */

static const char checked[] =
	"launch 1 16 4\nregister x\narray m 16\nblock a\n branch threads 1 6 then b else c\n"
	"block b\n set x = 1\n jump d\nblock c\n set x = 2\nblock d\n store m[thread] = x\n exit\n";

static unsigned countdown;

/* Lanes of the first branch change their minds. */
static void flipping_branch(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc,
			    uint64_t taken)
{
	sim_stacks.branch(machine, warp, pc, taken ^ !countdown++);
}

/* A lane gets lost. */
static void losing_branch(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc,
			  uint64_t taken)
{
	sim_stacks.branch(machine, warp, pc, taken);
	if (!countdown++)
		ck_assert_int_ge(gputm_simt_stack_exit(warp->stack, sim_active(warp)), 0);
}

/* A warp leaves out a store. */
static void straying_go(struct sim_machine *machine, struct sim_warp *warp, uint64_t next)
{
	bool store = machine->port.program->code[next].op == SIM_STORE;

	sim_stacks.go(machine, warp, next + (store && !countdown++));
}

/* Two threads swap their lanes. */
static void swapping_launch(struct sim_machine *machine, struct sim_warp *warp, uint64_t lanes)
{
	uint32_t thread = warp->thread[0];

	warp->thread[0] = warp->thread[1];
	warp->thread[1] = thread;
	sim_stacks.launch(machine, warp, lanes);
}

/* Nothing is said, once. */
static void forgetful_places(struct sim_machine *machine, uint32_t core, sim_place *place,
			     void *state)
{
	if (countdown++)
		sim_stacks.places(machine, core, place, state);
}

static void twofold_places(struct sim_machine *machine, uint32_t core, sim_place *place,
			   void *state)
{
	sim_stacks.places(machine, core, place, state);
	if (machine->core[core].blocks.live[0])
		place(state, 4, 0);
}

static void assert_caught(const char *text, const struct sim_former *former,
			  const char *failure)
{
	struct flow_mechanism broken = flow_pdom;
	struct sim_verdict verdict;

	broken.former = former;
	countdown = 0;
	ck_assert(!runs_right_on(text, &broken, NULL, &verdict));
	KIT_SAYS(verdict.failure, failure);
}

KIT_TEST(test_check_catches_broken_mechanisms)
{
	struct sim_former broken = sim_stacks;

	broken.branch = flipping_branch;
	assert_caught(checked, &broken, "is at an instruction that is not its next one");
	broken.branch = losing_branch;
	assert_caught(checked, &broken, "has no place");
	broken = sim_stacks;
	broken.go = straying_go;
	assert_caught("launch 1 4 4\narray m 4\nblock a\n alu\n store m[thread] = 1\n exit\n",
		      &broken, "executes an instruction that is not its next one");
	broken = sim_stacks;
	broken.launch = swapping_launch;
	assert_caught(checked, &broken, "is not in its home lane");
	broken = sim_stacks;
	broken.places = forgetful_places;
	assert_caught(checked, &broken, "has no place");
	broken.places = twofold_places;
	assert_caught(checked, &broken, "is in two places");
}

/* Threads that read what others write without order: no mechanism can be held to that. */
KIT_TEST(test_check_catches_other_values)
{
	static const char text[] =
		"launch 1 8 4\nregister x\narray m 1\nblock a\n load x = m[0]\n set x = x + 1\n"
		" store m[0] = x\n exit\n";

	assert_caught(text, &sim_stacks,
		      "thread 1 of block 0 loads m[0] = 0, but 1 when run alone");
}
