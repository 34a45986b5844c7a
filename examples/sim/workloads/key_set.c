/* SPDX-License-Identifier: BSD-2-Clause */
#include "key_set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/memory.h"
#include "../base/heap.h"
#include "../base/random.h"

/* ---- life ---- */

void sim_set_free(struct sim_workload *workload)
{
	struct sim_set *set = (struct sim_set *)workload;

	free(set->key);
	free(set->sorted);
	free(set->operation);
	free(set);
}

/* The keys 1 .. keys in an order drawn at random, or NULL. */
static uint32_t *shuffle(uint32_t keys, uint64_t *state)
{
	uint32_t *order = malloc(keys * sizeof(*order));

	for (uint32_t i = 0; order && i < keys; i++) {
		uint32_t other = sim_random(state) % (i + 1);

		order[i] = order[other];
		order[other] = i + 1;
	}
	return order;
}

struct draw {
	const struct sim_set_config *config;
	const uint32_t *order; /* of the keys; the first ones are in at the start */
	uint32_t inserted, removed;
	uint64_t state;
};

static uint32_t draw_operation(struct draw *draw)
{
	const struct sim_set_config *config = draw->config;
	uint32_t share = sim_random(&draw->state) % 100;
	uint32_t place = sim_random(&draw->state) % config->keys;
	enum sim_set_kind kind = share < config->lookups ? SIM_SET_LOOKUP :
				 share < config->lookups + config->removals ? SIM_SET_REMOVE :
									      SIM_SET_INSERT;

	if (config->distinct && kind == SIM_SET_REMOVE && config->elements)
		place = draw->removed++ % config->elements;
	if (config->distinct && kind == SIM_SET_INSERT && config->keys > config->elements)
		place = config->elements +
			draw->inserted++ % (config->keys - config->elements);
	return draw->order[place] << 2 | kind;
}

/* The nodes that are in at the start by ascending keys. False: no memory. */
static bool sort(struct sim_set *set)
{
	uint32_t *node = calloc(set->keys + 1, sizeof(*node)), count = 0;

	for (uint32_t e = 1; node && e <= set->elements; e++)
		node[set->key[e - 1]] = e;
	for (uint32_t key = 1; node && key <= set->keys; key++)
		if (node[key])
			set->sorted[count++] = node[key];
	free(node);
	return node != NULL;
}

static bool draw_all(struct sim_set *set, const struct sim_set_config *config, uint64_t seed)
{
	struct draw draw = { .config = config, .state = seed };
	uint32_t *order = shuffle(config->keys, &draw.state);
	bool room;

	set->key = malloc((set->elements + 1) * sizeof(*set->key));
	set->sorted = malloc((set->elements + 1) * sizeof(*set->sorted));
	set->operation = malloc(set->operations * sizeof(*set->operation));
	room = order && set->key && set->sorted && set->operation;
	draw.order = order;
	for (uint32_t i = 0; room && i < set->elements; i++)
		set->key[i] = order[i];
	for (uint32_t i = 0; room && i < set->operations; i++)
		set->operation[i] = draw_operation(&draw);
	free(order);
	return room && sort(set);
}

static void lay_out(struct sim_set *set)
{
	uint64_t end = SIM_HEAP, nodes = sim_set_nodes(set);

	set->a = sim_heap_take(&end, set->node_bytes * nodes);
	set->base.region[0] = (struct sim_region){ set->a, end - set->a };
	set->base.regions = 1;
	set->b = sim_heap_take(&end, 4 * (uint64_t)set->operations);
	set->c = sim_heap_take(&end, 4 * (uint64_t)set->operations);
	set->base.lock_base = sim_heap_take(&end, 4 * (nodes + 1));
}

static int refuse(const struct sim_set_config *config, char *error, size_t size)
{
	if (config->elements > config->keys)
		snprintf(error, size, "workload: elements = %u is not in 0 .. %u, the number of "
				      "keys", config->elements, config->keys);
	else if (config->lookups + config->removals > 100)
		snprintf(error, size, "workload: removals = %u is not in 0 .. %u, what lookups "
				      "leave of 100", config->removals, 100 - config->lookups);
	else
		return 0;
	return -EINVAL;
}

int sim_set_make(const struct sim_workload_request *request, struct sim_workload **out,
		 char *error, size_t size)
{
	const struct sim_set_config *config = request->config;
	const struct sim_set_shape *shape = request->class->given;
	const struct sim_program *transactions = shape->transactions, *locks = shape->locks;
	struct sim_set *set;

	if (refuse(config, error, size))
		return -EINVAL;
	set = sim_workload_new(request, sizeof(*set), error, size);
	if (!set)
		return -ENOMEM;
	set->base.threads = request->threads ? request->threads : shape->threads;
	set->base.transactions = set->base.threads * config->operations;
	set->base.most_writes = 2 * set->base.transactions;
	set->base.block_size = config->block_size;
	set->node_bytes = shape->node_bytes;
	set->elements = config->elements;
	set->keys = config->keys;
	set->rounds = config->operations;
	set->operations = (uint32_t)set->base.transactions;
	lay_out(set);
	sim_workload_runs(&set->base, SIM_TRANSACTIONS, transactions->code, transactions->length,
			  transactions->eval);
	sim_workload_runs(&set->base, SIM_LOCKS, locks->code, locks->length, locks->eval);
	if (!draw_all(set, config, request->seed)) {
		sim_set_free(&set->base);
		snprintf(error, size, "out of memory");
		return -ENOMEM;
	}
	*out = &set->base;
	return 0;
}

void sim_set_setup(const struct sim_set *set, struct sim_memory *memory)
{
	for (uint32_t e = 1; e <= set->elements; e++) {
		sim_memory_write(memory, sim_set_node(set, e), set->key[e - 1]);
		sim_memory_write(memory, sim_set_node(set, e) + 4, e);
	}
	for (uint32_t i = 0; i < set->operations; i++)
		sim_memory_write(memory, set->b + 4 * (uint64_t)i, set->operation[i]);
}

/* ---- the end ---- */

static uint32_t key_of(const struct sim_set *set, uint32_t node)
{
	return node <= set->elements ? set->key[node - 1] :
				       set->operation[node - set->elements - 1] >> 2;
}

static uint32_t answer_to(const struct sim_set *set, const struct sim_memory *memory,
			  uint32_t operation)
{
	return sim_memory_read(memory, set->c + 4 * (uint64_t)operation);
}

/* Was the node ever put in? */
static bool inserted(const struct sim_set *set, const struct sim_memory *memory, uint32_t node)
{
	uint32_t operation;

	if (node <= set->elements)
		return true;
	operation = node - set->elements - 1;
	return (set->operation[operation] & 3) == SIM_SET_INSERT &&
	       answer_to(set, memory, operation) == SIM_SET_YES;
}

const char *sim_set_judge_node(const struct sim_set *set, const struct sim_memory *memory,
			       uint32_t node, uint8_t *seen)
{
	if (!node || node >= sim_set_nodes(set))
		return "does not exist";
	if (seen[node]++)
		return "is reached twice";
	if (!inserted(set, memory, node))
		return "was never inserted";
	if (sim_memory_read(memory, sim_set_node(set, node)) != key_of(set, node))
		return "has another one's key";
	return sim_memory_read(memory, sim_set_node(set, node) + 4) == node ?
		       NULL : "has another one's value";
}

/* balance[key] = times that the key must be in, minus times that it is. */
static bool balance(const struct sim_set *set, const struct sim_memory *memory,
		    const uint8_t *seen, int32_t *difference, uint32_t *unanswered)
{
	for (uint32_t e = 1; e <= set->elements; e++)
		difference[key_of(set, e)]++;
	for (uint32_t i = 0; i < set->operations; i++) {
		uint32_t kind = set->operation[i] & 3, answer = answer_to(set, memory, i);

		if (answer != SIM_SET_NO && answer != SIM_SET_YES) {
			*unanswered = i;
			return false;
		}
		if (answer == SIM_SET_YES && kind != SIM_SET_LOOKUP)
			difference[set->operation[i] >> 2] += kind == SIM_SET_INSERT ? 1 : -1;
	}
	for (uint32_t e = 1; e < sim_set_nodes(set); e++)
		if (seen[e])
			difference[key_of(set, e)]--;
	return true;
}

const char *sim_set_judge(const struct sim_set *set, const struct sim_memory *memory,
			  const uint8_t *seen, char *error, size_t size)
{
	int32_t *difference = calloc(set->keys + 1, sizeof(*difference));
	uint32_t key = 1, unanswered;

	if (!difference) {
		snprintf(error, size, "out of memory");
		return error;
	}
	if (!balance(set, memory, seen, difference, &unanswered)) {
		snprintf(error, size, "operation %u has no answer", unanswered);
		free(difference);
		return error;
	}
	while (key <= set->keys && !difference[key])
		key++;
	if (key <= set->keys)
		snprintf(error, size, "key %u is in %s than its insertions and removals leave",
			 key, difference[key] > 0 ? "fewer times" : "more often");
	free(difference);
	return key <= set->keys ? error : NULL;
}
