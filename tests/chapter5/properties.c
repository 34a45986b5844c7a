/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two readings that the thesis leaves open. A transaction may be compared twice, while
 * its logs come in and after a hazard: the validation Rv of Claim 1 is the one that
 * decides its outcome, and the older writer X is one that passed. And a unit that failed
 * a transaction itself knows its final outcome from then on (Claim 6), as it does not
 * wait for the verdict.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/chapter5/properties.h"

static const struct attempt *attempt_of(const struct record *r, const struct op *op)
{
	return &r->attempt[op->cid];
}

static bool is_compare(const struct op *op)
{
	return op->kind == OP_SPECULATIVE || op->kind == OP_REVALIDATED;
}

/* Rv: part of the validation that decides the outcome. */
static bool decides(const struct record *r, const struct op *op)
{
	const struct entry_record *at = &attempt_of(r, op)->at[op->unit];

	return at->outcome && op->kind == (at->revalidated ? OP_REVALIDATED : OP_SPECULATIVE);
}

/* Is there a pair of ops on one word, `first` before `second` in time? */
typedef bool pair_fn(const struct record *r, const struct op *first, const struct op *second);

static bool no_pair(const struct record *r, pair_fn *bad)
{
	for (size_t i = 0; i < r->ops; i++)
		for (size_t j = r->op[i].next; j != NO_OP; j = r->op[j].next)
			if (bad(r, &r->op[i], &r->op[j]))
				return false;
	return true;
}

static bool younger_validates_first(const struct record *r, const struct op *a,
				    const struct op *b)
{
	return decides(r, a) && b->kind == OP_WRITTEN && b->cid < a->cid;
}

static bool claim_1(const struct record *r)
{
	return no_pair(r, younger_validates_first);
}

static bool younger_writes_first(const struct record *r, const struct op *a, const struct op *b)
{
	(void)r;
	return a->kind == OP_WRITTEN && b->kind == OP_WRITTEN && b->cid < a->cid;
}

static bool claim_2(const struct record *r)
{
	return no_pair(r, younger_writes_first);
}

static bool claim_3(const struct record *r)
{
	for (size_t i = 0; i < r->ops; i++) {
		const struct entry_record *at = &attempt_of(r, &r->op[i])->at[r->op[i].unit];

		if (r->op[i].kind == OP_ISSUED &&
		    (!at->verdict || !at->verdict_passed || at->verdict > r->op[i].seq))
			return false;
	}
	return true;
}

static bool claim_4(const struct record *r)
{
	for (unsigned cid = 0; cid < r->attempts; cid++)
		for (unsigned k = 0; k < r->setting.units; k++) {
			const struct attempt *t = &r->attempt[cid];

			if (!t->at[k].touched || !t->verdict_sent)
				continue;
			if (t->at[k].outcomes != 1 || t->at[k].outcome > t->verdict_sent)
				return false;
			if (t->committed && !t->at[k].passed)
				return false;
		}
	return true;
}

/* The deciding comparison of each read that the unit holds; all equal? */
static bool compared(const struct record *r, uint64_t cid, unsigned k, const struct access *read,
		     bool *equal)
{
	bool found = false;

	for (size_t i = 0; i < r->ops; i++) {
		const struct op *op = &r->op[i];

		if (op->cid != cid || op->unit != k || !decides(r, op) ||
		    op->word != read->word || op->log != read->value)
			continue;
		found = true;
		*equal &= op->memory == op->log;
	}
	return found;
}

static bool outcome_is_right(const struct record *r, uint64_t cid, unsigned k)
{
	const struct attempt *t = &r->attempt[cid];
	bool equal = true;

	for (unsigned i = 0; i < t->reads; i++)
		if (unit_of(&r->setting, t->read[i].word) == k &&
		    !compared(r, cid, k, &t->read[i], &equal))
			return false;
	return t->at[k].passed == equal;
}

static bool claim_5(const struct record *r)
{
	for (size_t i = 0; i < r->ops; i++) {
		const struct entry_record *at = &attempt_of(r, &r->op[i])->at[r->op[i].unit];

		if (is_compare(&r->op[i]) && at->outcome && at->outcome < r->op[i].seq)
			return false;
	}
	for (unsigned cid = 0; cid < r->attempts; cid++)
		for (unsigned k = 0; k < r->setting.units; k++)
			if (r->attempt[cid].at[k].outcome && !outcome_is_right(r, cid, k))
				return false;
	return true;
}

/* When the unit knew the final outcome of a transaction; 0: not yet. */
static uint64_t final_known(const struct entry_record *at)
{
	return at->outcome && !at->passed ? at->outcome : at->verdict;
}

static bool claim_6(const struct record *r)
{
	for (size_t i = 0; i < r->ops; i++) {
		if (r->op[i].kind != OP_ISSUED)
			continue;
		for (uint64_t cid = 0; cid < r->op[i].cid; cid++) {
			const struct entry_record *at = &r->attempt[cid].at[r->op[i].unit];
			uint64_t known = final_known(at);

			if (at->touched && (!known || known > r->op[i].seq))
				return false;
		}
	}
	return true;
}

static bool writes_before_validating(const struct record *r, const struct op *a,
				     const struct op *b)
{
	(void)r;
	return a->cid == b->cid && a->kind == OP_ISSUED && is_compare(b);
}

static bool lemma_1(const struct record *r)
{
	return no_pair(r, writes_before_validating);
}

/* O3 holds for every validation, those that do not decide included. */
static bool out_of_order(const struct record *r, const struct op *a, const struct op *b)
{
	return younger_validates_first(r, a, b) || younger_writes_first(r, a, b) ||
	       (a->kind == OP_WRITTEN && is_compare(b) && b->cid < a->cid);
}

static bool lemma_2(const struct record *r)
{
	return no_pair(r, out_of_order);
}

static void apply_writes(const struct attempt *t, uint32_t *memory)
{
	for (unsigned i = 0; t->committed && i < t->writes; i++)
		memory[t->write[i].word] = t->write[i].value;
}

static bool lemma_3(const struct record *r)
{
	uint32_t memory[WORDS];

	memcpy(memory, r->initial, sizeof(memory));
	for (uint64_t cid = 0; cid < r->attempts; cid++) {
		for (size_t i = 0; i < r->ops; i++)
			if (r->op[i].cid == cid && decides(r, &r->op[i]) &&
			    r->op[i].memory != memory[r->op[i].word])
				return false;
		apply_writes(&r->attempt[cid], memory);
	}
	return true;
}

/* Edges of the conflict graph: edge[a][b] when an op of a precedes a conflicting one of b. */
struct graph {
	bool edge[ATTEMPTS][ATTEMPTS];
	char colour[ATTEMPTS]; /* 0 new, 1 on the path, 2 done */
	unsigned nodes;
};

static bool has_cycle_from(struct graph *g, unsigned node)
{
	g->colour[node] = 1;
	for (unsigned next = 0; next < g->nodes; next++)
		if (g->edge[node][next] &&
		    (g->colour[next] == 1 || (!g->colour[next] && has_cycle_from(g, next))))
			return true;
	g->colour[node] = 2;
	return false;
}

static bool in_mini_transaction(const struct record *r, const struct op *op)
{
	return attempt_of(r, op)->committed && (op->kind == OP_WRITTEN || decides(r, op));
}

static void draw_edges(const struct record *r, struct graph *g)
{
	for (size_t i = 0; i < r->ops; i++)
		for (size_t j = r->op[i].next; j != NO_OP; j = r->op[j].next) {
			const struct op *a = &r->op[i], *b = &r->op[j];

			if (a->cid != b->cid &&
			    (a->kind == OP_WRITTEN || b->kind == OP_WRITTEN) &&
			    in_mini_transaction(r, a) && in_mini_transaction(r, b))
				g->edge[a->cid][b->cid] = true;
		}
}

static bool lemma_4(const struct record *r)
{
	struct graph *g = calloc(1, sizeof(*g));
	bool cycle = false;

	g->nodes = r->attempts;
	draw_edges(r, g);
	for (unsigned node = 0; node < g->nodes; node++)
		cycle |= !g->colour[node] && has_cycle_from(g, node);
	free(g);
	return !cycle;
}

/* Committed transactions replayed one by one in commit order see what they saw. */
static bool serialisable(const struct record *r)
{
	uint32_t memory[WORDS];

	memcpy(memory, r->initial, sizeof(memory));
	for (unsigned cid = 0; cid < r->attempts; cid++) {
		const struct attempt *t = &r->attempt[cid];

		for (unsigned i = 0; t->committed && i < t->reads; i++)
			if (memory[t->read[i].word] != t->read[i].value)
				return false;
		apply_writes(t, memory);
	}
	return !r->finished || !memcmp(memory, r->final, r->setting.words * sizeof(*memory));
}

static bool progress(const struct record *r)
{
	return r->finished;
}

static bool sound(const struct record *r)
{
	return !r->broken[0];
}

/* Of the entries of a unit that have an outcome, each has it after the older ones; if entries are
 * passed, those alone that have not revalidated. A warp of which a lane revalidates is late. */
static bool in_ring_order(const struct record *r)
{
	bool all = r->setting.unit.ordered_outcomes != GPUTM_COMMIT_UNIT_ORDERED_OUTCOMES_PASSING;

	if (!all && r->setting.unit.warp_mode)
		return true;
	for (unsigned k = 0; k < r->setting.units && r->setting.unit.ordered_outcomes; k++) {
		uint64_t last = 0;

		for (unsigned cid = 0; cid < r->attempts; cid++) {
			const struct entry_record *at = &r->attempt[cid].at[k];
			uint64_t outcome = all || !at->revalidated ? at->outcome : 0;

			if (outcome && outcome < last)
				return false;
			last = outcome ? outcome : last;
		}
	}
	return true;
}

const struct property properties[PROPERTIES] = {
	{ "progress", "every commit ID retires everywhere", progress },
	{ "Claim 1", "an older write precedes a younger validation of its word", claim_1 },
	{ "Claim 2", "writes to a word are in commit order", claim_2 },
	{ "Claim 3", "a unit writes only after the passing verdict", claim_3 },
	{ "Claim 4", "the verdict follows one outcome of every unit concerned", claim_4 },
	{ "Claim 5", "an outcome follows all validations and is their conjunction", claim_5 },
	{ "Claim 6", "a unit writes only when older outcomes are final", claim_6 },
	{ "Fig. 4.5", "ordered outcomes are final in commit order", in_ring_order },
	{ "Lemma 1", "a transaction validates a word before it writes it", lemma_1 },
	{ "Lemma 2", "operations on a word are in commit order", lemma_2 },
	{ "Lemma 3", "validations see the memory that older transactions leave", lemma_3 },
	{ "Lemma 4", "the conflict graph has no cycle", lemma_4 },
	{ "serialisability", "a serial replay gives the same reads and memory", serialisable },
	{ "soundness", "units keep their invariants and accept every message", sound },
};

const struct property *find_property(const char *name)
{
	for (size_t i = 0; i < PROPERTIES; i++)
		if (!strcmp(properties[i].name, name))
			return &properties[i];
	return NULL;
}

const struct property *broken_property(const struct record *r)
{
	for (size_t i = 0; i < PROPERTIES; i++)
		if (!properties[i].holds(r))
			return &properties[i];
	return NULL;
}
