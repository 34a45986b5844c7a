/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_SIMT_STACK_H
#define GPUTM_ORACLE_SIMT_STACK_H
/*
 * What a warp executes, without a stack. A random structured program (branches, loops
 * with breaks, transactions, early ends) is a table of blocks, one instruction each, the
 * PC being the index. Every choice of a lane comes from a stream of its own, and which
 * lanes abort comes from the number of the step, so two executions need not be in step
 * to be compared.
 *
 * oracle_simt_stack_schedule() executes the program by plain recursion over masks: a branch
 * runs its targets one after the other up to its reconvergence point, a transaction runs its
 * body again for those that failed. It knows nothing of likely convergence.
 */
#include "tests/oracle/stats.h"

#define ORACLE_WAYS 4
#define ORACLE_BLOCKS 600
#define ORACLE_STEPS 20000
#define ORACLE_NONE UINT64_MAX

enum oracle_kind {
	ORACLE_PLAIN,
	ORACLE_BRANCH,
	ORACLE_BEGIN,	     /* of a transaction */
	ORACLE_COMMIT,
	ORACLE_INNER_BEGIN,  /* of a nested one */
	ORACLE_INNER_COMMIT,
	ORACLE_EXIT,	     /* lanes with an odd draw end, the others go on */
	ORACLE_END,	     /* all end */
};

struct oracle_block {
	enum oracle_kind kind;
	unsigned ways;
	uint64_t next[ORACLE_WAYS]; /* the last way runs first; way 0 leaves a loop */
	uint64_t rpc, lpc;
};

struct oracle_program {
	struct oracle_block block[ORACLE_BLOCKS];
	size_t blocks;
	uint64_t seed;
	unsigned abort_one_in; /* steps in a transaction after which lanes abort; 0: never */
};

struct oracle_step {
	uint64_t pc, mask;
};

/* A lane that has drawn this often takes way 0 from then on, which leaves every loop. */
#define MOST_DRAWS 40

static uint64_t mix(uint64_t z)
{
	z += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* ---- making a program ---- */

struct builder {
	struct oracle_program *program;
	uint64_t random;
};

/* Where a statement stands. */
struct place {
	unsigned depth;		/* of nesting */
	unsigned transactions;	/* around it */
	bool loop;		/* directly in a loop: may break and continue */
	uint64_t *exits[10];	/* to be set to the loop's exit */
	uint64_t *latches[10];	/* to be set to the loop's latch */
	unsigned exit_count, latch_count;
};

static unsigned below(struct builder *b, unsigned limit)
{
	return (unsigned)((b->random = mix(b->random)) % limit);
}

static struct oracle_block *emit(struct builder *b, enum oracle_kind kind)
{
	struct oracle_program *p = b->program;
	struct oracle_block *block = &p->block[p->blocks++];

	memset(block, 0, sizeof(*block));
	block->kind = kind;
	block->ways = 1;
	block->next[0] = p->blocks;
	block->rpc = block->lpc = ORACLE_NONE;
	return block;
}

static void sequence(struct builder *b, struct place *place);

static void inside(struct builder *b, const struct place *outer, unsigned transactions)
{
	struct place place;

	memset(&place, 0, sizeof(place));
	place.depth = outer->depth + 1;
	place.transactions = transactions;
	sequence(b, &place);
}

/* switch of 2 to 4 ways; an arm may be empty: its target is the reconvergence point. */
static void branch(struct builder *b, struct place *place)
{
	struct oracle_block *head = emit(b, ORACLE_BRANCH), *end[ORACLE_WAYS] = { NULL };
	unsigned ways = 2 + below(b, ORACLE_WAYS - 1), empty = below(b, 3 * ways);

	for (unsigned i = 0; i < ways; i++) {
		head->next[i] = b->program->blocks;
		if (i == empty)
			continue;
		inside(b, place, place->transactions);
		end[i] = emit(b, ORACLE_PLAIN);
	}
	head->ways = ways;
	head->rpc = b->program->blocks;
	for (unsigned i = 0; i < ways; i++) {
		if (end[i])
			end[i]->next[0] = head->rpc;
		else
			head->next[i] = head->rpc;
	}
}

/* if (..) { ..; break or continue; } : reconverges where the loop is left, likely at the latch. */
static void jump_if(struct builder *b, struct place *place)
{
	struct oracle_block *head = emit(b, ORACLE_BRANCH), *way_out = emit(b, ORACLE_PLAIN);

	head->ways = 2;
	head->next[0] = b->program->blocks - 1;
	head->next[1] = b->program->blocks;
	if (below(b, 2))
		place->exits[place->exit_count++] = &way_out->next[0];
	else
		place->latches[place->latch_count++] = &way_out->next[0];
	place->exits[place->exit_count++] = &head->rpc;
	place->latches[place->latch_count++] = &head->lpc;
}

static void loop(struct builder *b, const struct place *outer)
{
	uint64_t start = b->program->blocks;
	struct oracle_block *head = emit(b, ORACLE_BRANCH), *latch;
	struct place place;

	memset(&place, 0, sizeof(place));
	place.depth = outer->depth + 1;
	place.transactions = outer->transactions;
	place.loop = true;
	head->ways = 2;
	head->next[1] = b->program->blocks;
	sequence(b, &place);
	if (place.latch_count < 5 && below(b, 2))
		jump_if(b, &place); /* one way is the latch */
	head->lpc = b->program->blocks;
	latch = emit(b, ORACLE_PLAIN);
	latch->next[0] = start;
	head->next[0] = head->rpc = b->program->blocks;
	for (unsigned i = 0; i < place.exit_count; i++)
		*place.exits[i] = head->rpc;
	for (unsigned i = 0; i < place.latch_count; i++)
		*place.latches[i] = head->lpc;
}

static void transaction(struct builder *b, const struct place *place)
{
	bool inner = place->transactions > 0;

	emit(b, inner ? ORACLE_INNER_BEGIN : ORACLE_BEGIN);
	inside(b, place, place->transactions + 1);
	emit(b, inner ? ORACLE_INNER_COMMIT : ORACLE_COMMIT);
}

static void statement(struct builder *b, struct place *place)
{
	unsigned choice = below(b, 16);

	if (place->depth > 4 || b->program->blocks > ORACLE_BLOCKS / 3 || choice < 3)
		emit(b, ORACLE_PLAIN);
	else if (choice < 7)
		branch(b, place);
	else if (choice < 12 && place->loop && place->latch_count < 5)
		jump_if(b, place);
	else if (choice < 10)
		loop(b, place);
	else if (choice == 12 && !place->transactions)
		emit(b, ORACLE_EXIT);
	else if (choice > 12 && place->transactions < 3)
		transaction(b, place);
	else
		emit(b, ORACLE_PLAIN);
}

static void sequence(struct builder *b, struct place *place)
{
	unsigned count = 1 + below(b, 4);

	while (count--)
		statement(b, place);
}

/* A branch whose targets never meet again. */
static void last_branch(struct builder *b, struct place *place)
{
	struct oracle_block *head = emit(b, ORACLE_BRANCH);

	head->ways = 2;
	for (unsigned i = 0; i < 2; i++) {
		head->next[i] = b->program->blocks;
		inside(b, place, 0);
		emit(b, ORACLE_END);
	}
}

/* Make a program. */
static void oracle_simt_stack_program(struct oracle_program *program, uint64_t seed,
				      unsigned abort_one_in)
{
	struct builder b = { program, mix(seed) };
	struct place place;

	memset(&place, 0, sizeof(place));
	program->blocks = 0;
	program->seed = seed;
	program->abort_one_in = abort_one_in;
	for (unsigned i = 0; i < 3; i++)
		sequence(&b, &place);
	if (below(&b, 4) == 0)
		last_branch(&b, &place);
	else
		emit(&b, ORACLE_END);
}

/* ---- fate ---- */

static uint64_t fate(const struct oracle_program *program, uint64_t kind, uint64_t a, uint64_t b)
{
	return mix(mix(mix(program->seed ^ kind << 56) ^ a) ^ b);
}

/* Way that a lane takes at its draw number `draws` from a block. */
static unsigned oracle_simt_stack_way(const struct oracle_program *program,
				      const struct oracle_block *block, unsigned lane,
				      unsigned draws)
{
	uint64_t common = draws % 3 ? 0 : lane + 1; /* often all lanes agree */

	return draws >= MOST_DRAWS ? 0 : (unsigned)(fate(program, 1, common, draws) % block->ways);
}

/* Lanes of `running` that abort after step number `step`. */
static uint64_t oracle_simt_stack_aborts(const struct oracle_program *program, size_t step,
					 uint64_t running)
{
	uint64_t draw = fate(program, 2, step, 0);

	if (!program->abort_one_in || step > ORACLE_STEPS / 8 || draw % program->abort_one_in)
		return 0;
	return draw >> 40 & 7 ? running & fate(program, 3, step, 0) : running;
}

/* Lanes of `mask` that fail at the commit that is step number `step`. */
static uint64_t oracle_simt_stack_failures(const struct oracle_program *program, size_t step,
					   uint64_t mask)
{
	if (!program->abort_one_in || step > ORACLE_STEPS / 8)
		return 0;
	return mask & fate(program, 4, step, 0) & fate(program, 5, step, 0);
}

/* ---- the recursive execution ---- */

struct execution {
	const struct oracle_program *program;
	struct oracle_step *out;
	size_t steps;
	uint64_t lost; /* lanes that ended, or left the attempt */
	bool inside;
	uint64_t attempt; /* lanes that started it */
	unsigned draws[64];
};

static void execute(struct execution *x, uint64_t pc, uint64_t stop, uint64_t mask);

static void record(struct execution *x, uint64_t pc, uint64_t mask)
{
	if (x->steps < ORACLE_STEPS)
		x->out[x->steps++] = (struct oracle_step){ pc, mask };
}

static void some_abort(struct execution *x)
{
	if (x->inside)
		x->lost |= oracle_simt_stack_aborts(x->program, x->steps - 1,
						    x->attempt & ~x->lost);
}

static uint64_t execute_branch(struct execution *x, const struct oracle_block *block,
			       uint64_t mask)
{
	uint64_t part[ORACLE_WAYS] = { 0 };

	for (EACH_LANE(lane, mask))
		part[oracle_simt_stack_way(x->program, block, lane, x->draws[lane]++)] |=
			UINT64_C(1) << lane;
	some_abort(x);
	for (unsigned way = 0; way < block->ways; way++)
		if (part[way] == mask)
			return block->next[way];
	for (unsigned way = block->ways; way-- > 0;)
		if (block->next[way] != block->rpc)
			execute(x, block->next[way], block->rpc, part[way]);
	return block->rpc;
}

static void end_some(struct execution *x, const struct oracle_block *block, uint64_t mask)
{
	struct oracle_block coin = *block;

	coin.ways = 2;
	for (unsigned lane = 0; lane < 64; lane++)
		if (mask >> lane & 1 &&
		    oracle_simt_stack_way(x->program, &coin, lane, x->draws[lane]++))
			x->lost |= UINT64_C(1) << lane;
}

/* Runs body and commit until all lanes have committed. Gives the PC after it. */
static uint64_t execute_transaction(struct execution *x, uint64_t body, uint64_t mask)
{
	uint64_t outside = x->lost, commit = body, committed = 0, failed, here;

	while (x->program->block[commit].kind != ORACLE_COMMIT)
		commit++;
	x->inside = true;
	x->attempt = mask;
	some_abort(x);
	for (;;) {
		execute(x, body, commit, x->attempt);
		here = x->attempt & ~x->lost;
		if (here) {
			record(x, commit, here);
			failed = oracle_simt_stack_failures(x->program, x->steps - 1, here);
			committed |= here & ~failed;
		}
		if (committed == mask || x->steps >= ORACLE_STEPS)
			break;
		x->attempt = mask & ~committed;
		x->lost = outside;
	}
	x->inside = false;
	x->lost = outside;
	return commit + 1;
}

static void execute(struct execution *x, uint64_t pc, uint64_t stop, uint64_t mask)
{
	while (pc != stop && (mask &= ~x->lost) && x->steps < ORACLE_STEPS) {
		const struct oracle_block *block = &x->program->block[pc];

		record(x, pc, mask);
		if (block->kind == ORACLE_BRANCH) {
			pc = execute_branch(x, block, mask);
			continue;
		}
		pc = block->next[0];
		if (block->kind == ORACLE_BEGIN) {
			pc = execute_transaction(x, pc, mask);
			continue;
		}
		if (block->kind == ORACLE_EXIT)
			end_some(x, block, mask);
		else if (block->kind == ORACLE_END)
			x->lost |= mask;
		some_abort(x);
	}
}

/* The steps of a warp of these lanes, in order. Gives their number; ORACLE_STEPS: too many. */
static size_t oracle_simt_stack_schedule(const struct oracle_program *program, uint64_t lanes,
					 struct oracle_step *out)
{
	struct execution x;

	memset(&x, 0, sizeof(x));
	x.program = program;
	x.out = out;
	execute(&x, 0, ORACLE_NONE, lanes);
	return x.steps;
}

#endif /* GPUTM_ORACLE_SIMT_STACK_H */
