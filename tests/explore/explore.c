/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Breadth first, or depth first, which keeps fewer states waiting. Of a state that has been seen
 * there remain its key, the state before and the choice between them; of one that has yet to be
 * gone on from also the words of the arena that differ from the first state's.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/explore/arena.h"
#include "tests/explore/explore.h"

#define NONE UINT32_MAX
#define CHUNK 32u /* words that are compared at once */
#define PAGE_WORDS (ARENA_PAGE / 8)

struct seen {
	struct explore_key key;
	uint32_t before, choice;
};

struct edge {
	uint32_t from, to, choice;
};

/* A word of the arena, counted through its rooms. */
struct difference {
	uint64_t word;
	uint32_t at;
};

struct waiting {
	uint32_t state, differences;
};

/* States that have yet to be gone on from, in their order. */
struct frontier {
	struct difference *difference;
	size_t count, capacity;
	struct waiting *waiting;
	size_t states, state_capacity;
};

struct search {
	const struct explore_model *model;
	struct explore_result result;
	uint64_t *first; /* the first state: the words of the arena */
	struct seen *seen;
	size_t count, capacity;
	uint32_t *table; /* number of a state + 1, by key */
	size_t places;	 /* a power of two */
	struct edge *edge;
	size_t edges, edge_capacity;
	struct frontier now, next;
	struct explore_key *outcome; /* of ends */
	size_t outcomes, outcome_capacity;
	uint32_t bad; /* the state that is wrong, or NONE */
};

static void *grow(void *array, size_t *capacity, size_t need, size_t size)
{
	while (*capacity < need)
		*capacity = *capacity ? 2 * *capacity : 1024;
	array = realloc(array, *capacity * size);
	if (!array) {
		fprintf(stderr, "explore: no memory\n");
		exit(1);
	}
	return array;
}

static void *room(size_t count, size_t size)
{
	size_t none = 0;
	void *array = calloc(count + 2, size);

	return array ? array : grow(NULL, &none, SIZE_MAX / 8, 4);
}

static uint64_t fold(uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 wide;
	wide product = (wide)a * b;

	return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

void explore_mix(struct explore_key *key, uint64_t number)
{
	key->low = fold(key->low ^ number, UINT64_C(0x9e3779b97f4a7c15)) + number;
	key->high = fold(key->high + number, UINT64_C(0xd6e8feb86659fd93)) ^ key->low;
}

/* ---- the arena's words ---- */

static void load(const struct search *search, const struct difference *difference, size_t count)
{
	for (size_t page = 0; page < ARENA_PAGES; page++)
		if (arena_is_written(page))
			memcpy((uint64_t *)arena + page * PAGE_WORDS,
			       search->first + page * PAGE_WORDS, ARENA_PAGE);
	for (size_t i = 0; i < count; i++)
		((uint64_t *)arena)[difference[i].at] = difference[i].word;
}

/* Append the words in which the page differs from the first state. */
static void compare_page(const struct search *search, size_t page, struct frontier *to)
{
	const uint64_t *before = search->first, *now = (const uint64_t *)arena;

	for (size_t at = page * PAGE_WORDS; at < (page + 1) * PAGE_WORDS; at += CHUNK) {
		if (!memcmp(before + at, now + at, CHUNK * 8))
			continue;
		if (to->count + CHUNK > to->capacity)
			to->difference = grow(to->difference, &to->capacity, to->count + CHUNK,
					      sizeof(*to->difference));
		for (size_t i = at; i < at + CHUNK; i++)
			if (before[i] != now[i])
				to->difference[to->count++] =
					(struct difference){ now[i], (uint32_t)i };
	}
}

static void compare(const struct search *search, int room, struct frontier *to)
{
	size_t pages = sizeof(arena[room]) / ARENA_PAGE, first = (size_t)room * pages;

	for (size_t page = first; page < first + pages; page++)
		if (arena_is_written(page))
			compare_page(search, page, to);
}

/* ---- states ---- */

static void widen(struct search *search)
{
	search->places = search->places ? 2 * search->places : 1 << 16;
	free(search->table);
	search->table = calloc(search->places, sizeof(*search->table));
	if (!search->table)
		grow(NULL, &search->places, SIZE_MAX / 8, 4);
	for (uint32_t i = 0; i < search->count; i++) {
		size_t at = search->seen[i].key.low & (search->places - 1);

		while (search->table[at])
			at = (at + 1) & (search->places - 1);
		search->table[at] = i + 1;
	}
}

/* The place of a key in the table: that of its state, or an empty one. */
static size_t find(const struct search *search, const struct explore_key *key)
{
	size_t at = key->low & (search->places - 1);

	for (; search->table[at]; at = (at + 1) & (search->places - 1)) {
		const struct explore_key *other = &search->seen[search->table[at] - 1].key;

		if (other->low == key->low && other->high == key->high)
			break;
	}
	return at;
}

/* The arena holds a state: its number, which is new if it has not been seen. */
static uint32_t note(struct search *search, uint32_t before, uint32_t choice)
{
	struct explore_key key = { 0, 0 };
	struct frontier *next = &search->next;
	size_t mark = next->count, at;

	compare(search, ARENA_AROUND, next);
	for (size_t i = mark; i < next->count; i++) {
		explore_mix(&key, next->difference[i].at);
		explore_mix(&key, next->difference[i].word);
	}
	search->model->key(&key);
	at = find(search, &key);
	if (search->table[at]) {
		next->count = mark;
		return search->table[at] - 1;
	}
	compare(search, ARENA_UNITS, next);
	if (next->states == next->state_capacity)
		next->waiting = grow(next->waiting, &next->state_capacity, next->states + 1,
				     sizeof(*next->waiting));
	next->waiting[next->states++] = (struct waiting){ (uint32_t)search->count,
							  (uint32_t)(next->count - mark) };
	if (search->count == search->capacity)
		search->seen = grow(search->seen, &search->capacity, search->count + 1,
				    sizeof(*search->seen));
	search->seen[search->count] = (struct seen){ key, before, choice };
	search->table[at] = (uint32_t)++search->count;
	if (2 * search->count > search->places)
		widen(search);
	return (uint32_t)search->count - 1;
}

static void join(struct search *search, uint32_t from, uint32_t to, uint32_t choice)
{
	if (search->edges == search->edge_capacity)
		search->edge = grow(search->edge, &search->edge_capacity, search->edges + 1,
				    sizeof(*search->edge));
	search->edge[search->edges++] = (struct edge){ from, to, choice };
}

static void judge(struct search *search, uint32_t state, bool over)
{
	const char *wrong = search->model->judge(over);

	if (!wrong || search->bad != NONE)
		return;
	snprintf(search->result.wrong, sizeof(search->result.wrong), "%s", wrong);
	search->bad = state;
}

static void note_outcome(struct search *search)
{
	if (search->outcomes == search->outcome_capacity)
		search->outcome = grow(search->outcome, &search->outcome_capacity,
				       search->outcomes + 1, sizeof(*search->outcome));
	search->outcome[search->outcomes] = (struct explore_key){ 0, 0 };
	search->model->outcome(&search->outcome[search->outcomes++]);
}

static int by_key(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct explore_key));
}

static void sum_outcomes(struct search *search)
{
	struct explore_result *result = &search->result;

	if (search->outcomes)
		qsort(search->outcome, search->outcomes, sizeof(*search->outcome), by_key);
	for (size_t i = 0; i < search->outcomes; i++) {
		if (i && !by_key(&search->outcome[i], &search->outcome[i - 1]))
			continue;
		result->outcomes++;
		explore_mix(&result->all, search->outcome[i].low);
	}
}

static bool is_on(const struct search *search, uint64_t most)
{
	return search->bad == NONE && search->count <= most;
}

/* Go on from the state in every way. */
static void expand(struct search *search, uint32_t state, const struct difference *difference,
		   size_t count)
{
	uint32_t choice[EXPLORE_CHOICES];
	unsigned choices;

	load(search, difference, count);
	choices = search->model->choices(choice);
	if (!choices) {
		search->result.ends++;
		judge(search, state, true);
		note_outcome(search);
	}
	for (unsigned i = 0; i < choices && search->bad == NONE; i++) {
		size_t before = search->count;
		uint32_t next;

		if (i)
			load(search, difference, count);
		search->model->act(choice[i]);
		next = note(search, state, choice[i]);
		search->result.choices++;
		join(search, state, next, choice[i]);
		if (search->count != before)
			judge(search, next, false);
	}
}

/* All states of a distance. */
static void expand_all(struct search *search, uint64_t most)
{
	struct frontier done = search->now;
	const struct difference *at;

	search->now = search->next;
	search->next = done;
	at = search->now.difference;
	for (size_t i = 0; i < search->now.states && is_on(search, most); i++) {
		const struct waiting *one = &search->now.waiting[i];

		expand(search, one->state, at, one->differences);
		at = one->differences ? at + one->differences : at; /* NULL: there are none */
	}
	search->now.count = search->now.states = 0;
}

/* The state that was noted last. */
static void expand_last(struct search *search)
{
	struct frontier *from = &search->next, *now = &search->now;
	struct waiting last = from->waiting[--from->states];

	if (now->capacity < last.differences)
		now->difference = grow(now->difference, &now->capacity, last.differences,
				       sizeof(*now->difference));
	from->count -= last.differences;
	if (last.differences)
		memcpy(now->difference, from->difference + from->count,
		       last.differences * sizeof(*now->difference));
	expand(search, last.state, now->difference, last.differences);
}

/* Edges in the order of the states that they come from. */
static void sort_edges(struct search *search)
{
	struct edge *sorted = room(search->edges, sizeof(*sorted));
	size_t *end = room(search->count, sizeof(*end));

	for (size_t i = 0; i < search->edges; i++)
		end[search->edge[i].from + 1]++;
	for (size_t i = 0; i < search->count; i++)
		end[i + 1] += end[i];
	for (size_t i = 0; i < search->edges; i++)
		sorted[end[search->edge[i].from]++] = search->edge[i];
	free(end);
	free(search->edge);
	search->edge = sorted;
}

/* ---- ends ---- */

/* The first state from which no end is reached, or NONE: a walk against the edges. */
static uint32_t find_trap(const struct search *search)
{
	size_t count = search->count, top = 0;
	uint32_t *start = calloc(count + 2, sizeof(*start)), trap = NONE;
	uint32_t *from = malloc((search->edges + 1) * sizeof(*from));
	uint32_t *stack = malloc((count + 1) * sizeof(*stack));
	bool *live = calloc(count, sizeof(*live));

	if (!start || !from || !stack || !live)
		grow(NULL, &top, SIZE_MAX / 8, 4);
	for (size_t i = 0; i < search->edges; i++) {
		start[search->edge[i].to + 2]++;
		live[search->edge[i].from] = true; /* is no end */
	}
	for (size_t i = 0; i < count; i++) {
		start[i + 2] += start[i + 1];
		live[i] = !live[i];
		if (live[i])
			stack[top++] = (uint32_t)i;
	}
	for (size_t i = 0; i < search->edges; i++)
		from[start[search->edge[i].to + 1]++] = search->edge[i].from;
	while (top) {
		uint32_t state = stack[--top];

		for (uint32_t i = start[state]; i < start[state + 1]; i++) {
			if (live[from[i]])
				continue;
			live[from[i]] = true;
			stack[top++] = from[i];
		}
	}
	for (size_t i = 0; i < count && trap == NONE; i++)
		if (!live[i])
			trap = (uint32_t)i;
	free(start);
	free(from);
	free(stack);
	free(live);
	return trap;
}

/* ---- circles ---- */

/* States from each of which all others of the set are reached are a set: Tarjan's search. Edges
 * are in the order of the states that they come from. */
struct walk {
	const struct search *search;
	size_t *first;	 /* of a state's edges */
	size_t *next;	 /* edge to go on with */
	uint32_t *found; /* by state: 1 more than states found before, 0: none yet */
	uint32_t *low;	 /* the first found that is reached */
	uint32_t *set;	 /* of a state, named by its first state; NONE: not known yet */
	uint32_t *way, *open;
	size_t steps, opened, states;
};

static void enter(struct walk *walk, uint32_t state)
{
	walk->low[state] = walk->found[state] = (uint32_t)++walk->states;
	walk->next[state] = walk->first[state];
	walk->way[walk->steps++] = walk->open[walk->opened++] = state;
}

/* All from the last state of the way has been seen. */
static void leave(struct walk *walk)
{
	uint32_t state = walk->way[--walk->steps], before, member;

	if (walk->low[state] == walk->found[state])
		do {
			member = walk->open[--walk->opened];
			walk->set[member] = state;
		} while (member != state);
	if (!walk->steps)
		return;
	before = walk->way[walk->steps - 1];
	if (walk->low[state] < walk->low[before])
		walk->low[before] = walk->low[state];
}

static void walk_from(struct walk *walk, uint32_t state)
{
	enter(walk, state);
	while (walk->steps) {
		uint32_t at = walk->way[walk->steps - 1], to;

		if (walk->next[at] == walk->first[at + 1]) {
			leave(walk);
			continue;
		}
		to = walk->search->edge[walk->next[at]++].to;
		if (!walk->found[to])
			enter(walk, to);
		else if (walk->set[to] == NONE && walk->found[to] < walk->low[at])
			walk->low[at] = walk->found[to];
	}
}

static bool is_possible(const struct walk *walk, uint32_t state, uint32_t choice)
{
	for (size_t i = walk->first[state]; i < walk->first[state + 1]; i++)
		if (walk->search->edge[i].choice == choice)
			return true;
	return false;
}

/* The choice is there in every state of the set, and not taken within. */
static bool is_denied(const struct walk *walk, uint32_t set, const uint32_t *member, size_t members,
		      uint32_t choice)
{
	for (size_t i = 0; i < members; i++) {
		if (!is_possible(walk, member[i], choice))
			return false;
		for (size_t k = walk->first[member[i]]; k < walk->first[member[i] + 1]; k++)
			if (walk->search->edge[k].choice == choice &&
			    walk->set[walk->search->edge[k].to] == set)
				return false;
	}
	return true;
}

/* There is a way round, and nothing is denied to a run that takes all ways within. */
static bool is_circle(const struct walk *walk, uint32_t set, const uint32_t *member, size_t members)
{
	const struct edge *edge = walk->search->edge;
	bool round = false;

	for (size_t i = walk->first[set]; i < walk->first[set + 1]; i++)
		round |= walk->set[edge[i].to] == set;
	for (size_t i = walk->first[set]; round && i < walk->first[set + 1]; i++)
		round = !is_denied(walk, set, member, members, edge[i].choice);
	return round;
}

static int by_set(const void *a, const void *b)
{
	const uint64_t *one = a, *other = b;

	return *one < *other ? -1 : *one > *other;
}

static uint64_t count_circles(const struct search *search)
{
	size_t count = search->count, members;
	struct walk walk = {
		search, room(count, sizeof(size_t)), room(count, sizeof(size_t)), room(count, 4),
		room(count, 4), room(count, 4), room(count, 4), room(count, 4), 0, 0, 0,
	};
	uint64_t *order = room(count, sizeof(*order)), circles = 0;

	for (size_t i = 0; i < search->edges; i++)
		walk.first[search->edge[i].from + 1]++;
	for (size_t i = 0; i < count; i++) {
		walk.first[i + 1] += walk.first[i];
		walk.set[i] = NONE;
	}
	for (uint32_t i = 0; i < count; i++)
		if (!walk.found[i])
			walk_from(&walk, i);
	for (size_t i = 0; i < count; i++)
		order[i] = (uint64_t)walk.set[i] << 32 | i;
	qsort(order, count, sizeof(*order), by_set);
	for (size_t i = 0; i < count; i += members) {
		for (members = 0; i + members < count; members++) {
			if (order[i + members] >> 32 != order[i] >> 32)
				break;
			walk.open[members] = (uint32_t)order[i + members];
		}
		circles += is_circle(&walk, (uint32_t)(order[i] >> 32), walk.open, members);
	}
	free(walk.first);
	free(walk.next);
	free(walk.found);
	free(walk.low);
	free(walk.set);
	free(walk.way);
	free(walk.open);
	free(order);
	return circles;
}

/* ---- the way to what is wrong ---- */

static unsigned way_to(const struct search *search, uint32_t state, uint32_t *choice)
{
	unsigned steps = 0;

	for (uint32_t at = state; search->seen[at].before != NONE; at = search->seen[at].before)
		steps++;
	for (unsigned i = steps; choice && i-- > 0; state = search->seen[state].before)
		choice[i] = search->seen[state].choice;
	return steps;
}

static void draw(struct search *search, FILE *out)
{
	uint32_t *choice = malloc((search->result.steps + 1) * sizeof(*choice));

	if (!choice)
		return;
	way_to(search, search->bad, choice);
	load(search, NULL, 0);
	if (search->model->tell)
		search->model->tell(out);
	for (unsigned i = 0; i < search->result.steps; i++) {
		fprintf(out, "%3u  ", i + 1);
		search->model->say(choice[i], out);
		fprintf(out, "\n");
		search->model->act(choice[i]);
	}
	if (search->model->tell)
		search->model->tell(NULL);
	fprintf(out, "     %s\n", search->result.wrong);
	free(choice);
}

/* ---- a search ---- */

static void begin(struct search *search)
{
	search->first = malloc(sizeof(arena));
	if (!search->first)
		grow(NULL, &search->places, SIZE_MAX / 8, 4);
	memcpy(search->first, arena, sizeof(arena));
	arena_watch();
	widen(search);
	judge(search, note(search, NONE, 0), false);
}

static void end(struct search *search)
{
	load(search, NULL, 0);
	arena_unwatch();
	free(search->first);
	free(search->seen);
	free(search->table);
	free(search->edge);
	free(search->outcome);
	free(search->now.difference);
	free(search->now.waiting);
	free(search->next.difference);
	free(search->next.waiting);
}

struct explore_result explore(const struct explore_model *model, struct explore_bounds bounds,
			      FILE *out)
{
	struct search search = { .model = model, .bad = NONE };
	struct explore_result *result = &search.result;
	clock_t start = clock();

	begin(&search);
	while (search.next.states && is_on(&search, bounds.most))
		if (bounds.deep)
			expand_last(&search);
		else
			expand_all(&search, bounds.most);
	result->closed = is_on(&search, bounds.most);
	if (result->closed) {
		if (bounds.deep)
			sort_edges(&search);
		result->circles = count_circles(&search);
		search.bad = find_trap(&search);
	}
	if (result->closed && search.bad != NONE)
		snprintf(result->wrong, sizeof(result->wrong), "no end can be reached from here");
	if (search.bad != NONE && bounds.deep) { /* there may be a shorter way */
		end(&search);
		return explore(model, (struct explore_bounds){ .most = bounds.most }, out);
	}
	if (search.bad != NONE) {
		result->steps = way_to(&search, search.bad, NULL);
		if (out)
			draw(&search, out);
	}
	sum_outcomes(&search);
	result->states = search.count;
	result->seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
	end(&search);
	return *result;
}
