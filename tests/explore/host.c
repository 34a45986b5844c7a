/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time stands still on this host: what is due may happen at once or after anything else. A
 * message leaves its channel, memory completes a request, a warp issues an access of its choice,
 * a unit ticks: these are the steps, and for a system that compares times each takes a tick.
 * Channels keep their order, one for each core, partition and direction; requests of a partition
 * keep theirs where they share a word.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "examples/sim/base/heap.h"
#include "lib/base/unit.h"
#include "tests/explore/arena.h"
#include "tests/explore/host.h"
#include "tests/explore/unit.h"

#define MESSAGES 12 /* in a channel, at most */
#define BLOCKS 16  /* of a slab, at most */
#define THREADS 4  /* at most */
#define REQUESTS 8  /* that a partition's memory has not answered, at most */
#define REQUEST_WORDS 8
#define PLACES (HOST_WORDS * (1 + HOST_COPIES)) /* words of the memory */
#define QUIET 200 /* ticks after which a unit should be */

struct channel {
	uint32_t count;
	struct sim_message message[MESSAGES];
};

struct request {
	uint64_t tag, address;
	uint32_t mask;
	uint32_t value[REQUEST_WORDS];
};

/* An access outside of transactions; a load has its value once the reply is here. */
struct plain {
	uint32_t load, word, value; /* no gaps: they are part of a state */
};

/* The transaction of a lane, or its plain accesses. */
struct thread {
	uint32_t loaded, stored; /* words */
	uint32_t read[HOST_WORDS], wrote[HOST_WORDS];
	uint32_t foreign; /* words whose value was another's */
	uint32_t aborts;
	uint8_t plan[2 * HOST_WORDS + 1], planned; /* what its attempts issue, as far as known */
	uint8_t at;				   /* in that */
	bool committing, committed, over;
	uint32_t plains;
	struct plain plain[2 * HOST_WORDS];
};

struct host {
	struct sim_port port; /* first */
	struct channel up[HOST_CORES][HOST_PARTITIONS], down[HOST_CORES][HOST_PARTITIONS];
	struct request request[HOST_PARTITIONS][REQUESTS];
	uint32_t requests[HOST_PARTITIONS];
	bool partition_due[HOST_PARTITIONS], core_due[HOST_CORES];
	struct thread thread[THREADS];
	uint32_t word[PLACES]; /* what the memory holds, which is not in the arena */
	struct gputm_access_coalescer *coalescer;
	struct sim_warp *warp; /* by core */
};

/* A choice: what, and the two numbers of it. */
enum { ISSUE, UP, DOWN, COMPLETE, PARTITION, CORE };
#define STEP(what, a, b) ((uint32_t)(what) << 16 | (uint32_t)(a) << 8 | (uint32_t)(b))
/* What a warp issues; loads and stores with two bits for each lane: none, or the word + 1. */
enum { LOAD = 0x00, STORE = 0x40, COMMIT = 0x80, BEGIN = 0x90, ENTER = 0xa0, KINDS = 0xf0 };
#define PICK(what, lane) ((what) >> 2 * (lane) & 3)

static struct host *host; /* in the arena */
static const struct host_trial *trial;

static uint32_t lanes(void)
{
	return trial->lanes ? trial->lanes : 1;
}

static uint32_t threads(void)
{
	return trial->cores * lanes();
}

static bool is_plain(uint32_t core)
{
	return trial->plain && core == trial->cores - 1;
}

/* Of a word, or of a copy of one. */
static uint64_t address_of(uint32_t place)
{
	if (place < HOST_WORDS)
		return SIM_HEAP + (uint64_t)place * trial->word_stride;
	return trial->system->copies_at + (uint64_t)(place - HOST_WORDS) * trial->word_stride;
}

static uint32_t places(void)
{
	return HOST_WORDS * (1 + trial->system->copies);
}

static void put_words(void)
{
	for (uint32_t i = 0; i < places(); i++)
		sim_memory_write(host->port.memory, address_of(i), host->word[i]);
}

static void take_words(void)
{
	for (uint32_t i = 0; i < places(); i++)
		host->word[i] = sim_memory_read(host->port.memory, address_of(i));
}

/* Something happens. */
static void pass_time(void)
{
	host->port.now += trial->system->clock;
}

static uint32_t word_at(uint64_t address)
{
	return (uint32_t)((address - SIM_HEAP) / trial->word_stride);
}

/* The value that an attempt writes, and no other. */
static uint32_t value_of(uint32_t thread)
{
	return (thread + 1) << 4 | (host->thread[thread].aborts & 3);
}

static void fail(const char *message)
{
	sim_fail(&host->port, -EILSEQ, message);
}

/* ---- channels ---- */

/* A copy of a message from the stack has anything behind the last field. */
static void blank_padding(struct sim_message *message)
{
	const size_t end = offsetof(struct sim_message, more) + sizeof(message->more);

	memset((uint8_t *)message + end, 0, sizeof(*message) - end);
}

static void post(struct channel *channel, const struct sim_message *message)
{
	if (channel->count == MESSAGES) {
		fail("a channel is full");
		return;
	}
	channel->message[channel->count] = *message;
	blank_padding(&channel->message[channel->count]);
	channel->message[channel->count++].due = 0;
}

static struct sim_message take(struct channel *channel)
{
	struct sim_message first = channel->message[0];

	channel->count--;
	memmove(channel->message, channel->message + 1, channel->count * sizeof(first));
	memset(&channel->message[channel->count], 0, sizeof(first));
	return first;
}

static void to_partition(struct sim_port *port, struct sim_message *message, uint32_t bytes)
{
	(void)port;
	(void)bytes;
	post(&host->up[message->core][message->partition], message);
}

static void to_core(struct sim_port *port, struct sim_message *message, uint32_t bytes)
{
	(void)port;
	(void)bytes;
	post(&host->down[message->core][message->partition], message);
}

/* ---- memory ---- */

static void send_loads(struct sim_port *port, struct sim_warp *warp, enum sim_op op, uint64_t mask,
		       bool touch)
{
	uint64_t wanted[HOST_PARTITIONS] = { 0 };

	if ((op != SIM_LOAD && !is_plain(warp->core)) || touch) {
		fail("transactions have loads only");
		return;
	}
	for (SIM_EACH_LANE(lane, mask))
		wanted[sim_partition_of(port, warp->address[lane])] |= UINT64_C(1) << lane;
	warp->op = op;
	warp->wait = SIM_REPLIES;
	warp->outstanding = 0;
	for (uint32_t i = 0; i < HOST_PARTITIONS; i++) {
		struct sim_message message = { .b = wanted[i] };

		message.what = op == SIM_LOAD ? SIM_DO_LOAD : SIM_DO_STORE;
		message.a = is_plain(warp->core) ? warp->address[0] : 0;
		message.core = warp->core;
		message.partition = (uint8_t)i;
		if (!wanted[i])
			continue;
		warp->outstanding++;
		to_partition(port, &message, 0);
	}
}

static uint32_t find_lines(struct sim_port *port, struct sim_warp *warp, bool write, uint64_t mask,
			   struct gputm_access_coalescer_access *wide)
{
	int count = gputm_access_coalescer_merge_row(host->coalescer, mask, warp->address,
						     write ? warp->value : NULL, wide, NULL);

	(void)port;
	if (count <= 0)
		fail("the coalescer refused an access");
	return count > 0 ? (uint32_t)count : 0;
}

static void serve(struct sim_port *port, const struct sim_message *message)
{
	struct sim_warp *warp = sim_warp_of(port, message->core, message->warp);
	struct sim_message reply = *message;

	if (port->strong && message->what <= SIM_DO_ADD && port->ops->keep(port, &reply, 1))
		return;
	if (message->what == SIM_DO_STORE)
		sim_memory_write(port->memory, warp->address[0], warp->value[0]);
	if (message->what == SIM_DO_LOAD && port->ops->served)
		port->ops->served(port, &reply);
	for (SIM_EACH_LANE(lane, message->what == SIM_DO_LOAD ? message->b : 0))
		warp->loaded[lane] = sim_memory_read(port->memory, warp->address[lane]);
	to_core(port, &reply, 0);
}

static bool no_store(const struct sim_port *port, uint32_t partition, const struct sim_warp *warp)
{
	(void)port;
	(void)partition;
	(void)warp;
	return false;
}

static void unit_access(struct sim_port *port, uint32_t index,
			const struct gputm_mem_request *request)
{
	struct request *new = &host->request[index][host->requests[index]];

	if (host->requests[index] == REQUESTS || request->word_mask >> REQUEST_WORDS) {
		fail("the memory is full");
		return;
	}
	host->requests[index]++;
	new->tag = request->tag;
	new->address = request->address;
	new->mask = request->word_mask;
	for (SIM_EACH_LANE(i, request->word_mask)) {
		uint64_t address = request->address + 4 * i;

		if (request->write)
			sim_memory_write(port->memory, address, request->value[i]);
		new->value[i] = sim_memory_read(port->memory, address);
	}
}

static bool share_a_word(const struct request *a, const struct request *b)
{
	for (SIM_EACH_LANE(i, a->mask)) {
		uint64_t place = (a->address + 4 * i - b->address) / 4;

		if (place < REQUEST_WORDS && b->mask >> place & 1)
			return true;
	}
	return false;
}

static bool may_complete(uint32_t index, uint32_t at)
{
	for (uint32_t i = 0; i < at; i++)
		if (share_a_word(&host->request[index][i], &host->request[index][at]))
			return false;
	return true;
}

static void complete(uint32_t index, uint32_t at)
{
	struct request *first = host->request[index], done = first[at];
	uint32_t value[GPUTM_MEM_WORDS_MAX] = { 0 };

	pass_time();
	memcpy(value, done.value, sizeof(done.value));
	host->requests[index]--;
	memmove(&first[at], &first[at + 1], (host->requests[index] - at) * sizeof(done));
	memset(&first[host->requests[index]], 0, sizeof(done));
	host->port.ops->completed(&host->port, index, done.tag, value);
}

/* ---- time, which stands still ---- */

static void wake(struct sim_port *port, struct sim_warp *warp, uint64_t tick)
{
	(void)port;
	(void)tick;
	warp->wait = SIM_READY;
}

static void wait_for(struct sim_port *port, struct sim_warp *warp, enum sim_wait wait)
{
	(void)port;
	warp->wait = wait;
}

static void call_partition(struct sim_port *port, uint32_t partition, uint64_t tick)
{
	(void)port;
	if (tick != SIM_NEVER)
		host->partition_due[partition] = true;
}

static void call_core(struct sim_port *port, uint32_t core, uint64_t tick)
{
	(void)port;
	if (tick != SIM_NEVER)
		host->core_due[core] = true;
}

static void left(struct sim_port *port, struct sim_warp *warp, uint64_t tick)
{
	(void)port;
	(void)tick;
	for (uint32_t i = 0; i < lanes(); i++)
		host->thread[warp->thread[i]].over = true;
}

static const struct sim_host functions = {
	to_partition, to_core,	send_loads, find_lines,	    serve,     no_store,
	unit_access,  wake, wait_for,	call_partition, call_core, left, NULL, NULL, NULL, NULL,
};

/* ---- what the transactions do ---- */

static void told_load(void *state, uint32_t number, uint64_t address, uint32_t value,
		      uint32_t version)
{
	struct thread *thread = &host->thread[number];
	uint32_t word = word_at(address);

	(void)state;
	(void)version;
	if (thread->stored >> word & 1) {
		if (value != thread->wrote[word])
			fail("a transaction does not read what it has written");
		return;
	}
	thread->foreign |= 1u << word;
	thread->read[word] = value;
}

static void told_store(void *state, uint32_t number, bool inside, uint64_t address, uint32_t value)
{
	struct thread *thread = &host->thread[number];

	(void)state;
	(void)inside;
	thread->stored |= 1u << word_at(address);
	thread->wrote[word_at(address)] = value;
}

static void told_abort(void *state, uint32_t number, enum sim_abort_reason reason)
{
	struct thread *thread = &host->thread[number];

	(void)state;
	(void)reason;
	thread->loaded = thread->stored = thread->foreign = 0;
	memset(thread->read, 0, sizeof(thread->read));
	memset(thread->wrote, 0, sizeof(thread->wrote));
	thread->committing = false;
	thread->at = 0;
	thread->aborts++;
	if (!trial->attempts)
		thread->aborts &= 3;
}

static void told_commit(void *state, uint32_t number, uint64_t witness)
{
	(void)state;
	(void)witness;
	host->thread[number].committed = true;
}

static const struct sim_observer observer = {
	.load = told_load, .store = told_store, .abort = told_abort, .commit = told_commit,
};

/* A lane of the attempt has aborted as often as it may: the warp stops before the attempt. */
static bool given_up(uint32_t core)
{
	const struct sim_warp *warp = &host->warp[core];

	if (!trial->attempts || warp->wait != SIM_READY || !warp->in_tx)
		return false;
	for (SIM_EACH_LANE(lane, gputm_simt_stack_active_mask(warp->stack)))
		if (host->thread[warp->thread[lane]].aborts >= trial->attempts)
			return true;
	return false;
}

static bool is_over(uint32_t core)
{
	return host->thread[core * lanes()].over || given_up(core);
}

/* May the thread load (store) the word now? */
static bool may_access(const struct thread *thread, uint32_t word, uint32_t what, bool ordered)
{
	uint32_t later = what == LOAD && ordered ? thread->loaded >> word | thread->stored :
			 what == LOAD ? thread->loaded >> word & 1 :
			 ordered ? thread->stored >> word : thread->stored >> word & 1;

	return !later;
}

static bool may_pick(const struct sim_warp *warp, uint32_t what, uint64_t active)
{
	for (uint32_t lane = 0; lane < lanes(); lane++) {
		uint32_t pick = PICK(what, lane);

		if (pick > (trial->words ? trial->words : HOST_WORDS) ||
		    (pick && !(active >> lane & 1)) ||
		    (pick && !may_access(&host->thread[warp->thread[lane]], pick - 1,
					 what & KINDS, trial->ordered && !is_plain(warp->core))))
			return false;
	}
	return true;
}

/* What the warp may issue now. */
static unsigned accesses(uint32_t core, uint32_t choice[])
{
	const struct sim_warp *warp = &host->warp[core];
	const struct thread *thread = &host->thread[core * lanes()];
	uint64_t active = gputm_simt_stack_active_mask(warp->stack);
	bool loads = !trial->split || core, stores = !trial->split || !core;
	unsigned count = 0;

	if (warp->wait != SIM_READY || is_over(core))
		return 0;
	if ((!warp->in_tx && !is_plain(core)) || thread->committing) {
		choice[0] = STEP(ISSUE, core, warp->in_tx ? ENTER : BEGIN);
		return 1;
	}
	if (thread->at < thread->planned) {
		choice[0] = STEP(ISSUE, core, thread->plan[thread->at]);
		return 1;
	}
	for (uint32_t picks = 1; picks < 1u << 2 * lanes(); picks++) {
		if (loads && may_pick(warp, LOAD | picks, active))
			choice[count++] = STEP(ISSUE, core, LOAD | picks);
		if (stores && may_pick(warp, STORE | picks, active))
			choice[count++] = STEP(ISSUE, core, STORE | picks);
	}
	choice[count++] = STEP(ISSUE, core, COMMIT);
	return count;
}

/* What has been issued is what the next attempt does here. */
static void plan(struct thread *thread, uint32_t what)
{
	if (thread->at == thread->planned)
		thread->plan[thread->planned++] = (uint8_t)what;
	thread->at++;
}

/* Lanes that pause have done nothing: they may access that word later, or another one. */
static void pause(struct sim_port *port, struct sim_warp *warp, uint32_t what)
{
	uint64_t paused = port->ops->pause(port, warp, (what & KINDS) == STORE, warp->mask);

	for (SIM_EACH_LANE(lane, (what & KINDS) == LOAD ? paused : 0))
		host->thread[warp->thread[lane]].loaded &= ~(1u << (PICK(what, lane) - 1));
	warp->mask &= ~paused;
}

static void access_words(struct sim_port *port, struct sim_warp *warp, uint32_t what)
{
	bool load = (what & KINDS) == LOAD;
	uint64_t active = gputm_simt_stack_active_mask(warp->stack);

	warp->mask = 0;
	for (uint32_t lane = 0; lane < lanes(); lane++) {
		uint32_t word = PICK(what, lane) - 1, number = warp->thread[lane];

		if (!PICK(what, lane) || !(active >> lane & 1))
			continue;
		warp->mask |= UINT64_C(1) << lane;
		warp->address[lane] = address_of(word);
		warp->value[lane] = load ? 0 : value_of(number);
		if (load)
			host->thread[number].loaded |= 1u << word;
	}
	if (port->ops->pause && warp->mask)
		pause(port, warp, what);
	if (load && warp->mask)
		port->ops->load(port, warp);
	else if (warp->mask)
		port->ops->store(port, warp);
}

/* A thread outside of transactions goes on once the access is done. */
static void access_plainly(struct sim_port *port, struct sim_warp *warp, uint32_t what)
{
	struct thread *thread = &host->thread[warp->thread[0]];
	bool load = (what & KINDS) == LOAD;
	uint32_t word = PICK(what, 0) - 1, value = load ? 0 : value_of(warp->thread[0]);

	if (what == COMMIT) {
		thread->over = true;
		return;
	}
	*(load ? &thread->loaded : &thread->stored) |= 1u << word;
	thread->plain[thread->plains++] = (struct plain){ load, word, value };
	warp->mask = 1;
	warp->address[0] = address_of(word);
	warp->value[0] = value;
	send_loads(port, warp, load ? SIM_LOAD : SIM_STORE, 1, false);
}

static void plain_done(struct sim_warp *warp)
{
	struct thread *thread = &host->thread[warp->thread[0]];
	struct plain *plain = &thread->plain[thread->plains - 1];

	if (plain->load)
		plain->value = warp->loaded[0];
	warp->wait = SIM_READY;
}

static void issue(uint32_t core, uint32_t what)
{
	struct sim_port *port = &host->port;
	struct sim_warp *warp = &host->warp[core];

	pass_time();
	if (warp->in_tx && port->ops->watch && port->ops->watch(port, warp))
		return;
	if (trial->same && what <= COMMIT)
		plan(&host->thread[core], what);
	if (is_plain(core)) {
		access_plainly(port, warp, what);
	} else if (what == BEGIN) {
		sim_tx_begin(port, warp, 0);
	} else if (what == COMMIT && trial->system->commits_apart) {
		host->thread[core * lanes()].committing = true;
	} else if (what == COMMIT || what == ENTER) {
		host->thread[core * lanes()].committing = false;
		warp->pc_after = 2;
		warp->wait = SIM_SYSTEM;
		port->ops->commit(port, warp);
	} else {
		access_words(port, warp, what);
	}
}

/* ---- the model ---- */

/* The transaction of the core has done something. */
static bool has_begun(uint32_t core)
{
	const struct thread *thread = &host->thread[core];

	return thread->loaded || thread->stored || thread->committing || thread->over ||
	       thread->aborts || host->warp[core].wait != SIM_READY;
}

static unsigned at_core(uint32_t core, uint32_t choice[])
{
	bool early = trial->in_order && core && !is_plain(core) && !has_begun(core - 1);
	unsigned count = early ? 0 : accesses(core, choice);

	if (host->core_due[core])
		choice[count++] = STEP(CORE, core, 0);
	for (uint32_t i = 0; i < HOST_PARTITIONS; i++)
		if (host->down[core][i].count)
			choice[count++] = STEP(DOWN, core, i);
	return count;
}

static unsigned at_partition(uint32_t index, uint32_t choice[])
{
	unsigned count = 0;

	for (uint32_t i = 0; i < trial->cores; i++)
		if (host->up[i][index].count)
			choice[count++] = STEP(UP, i, index);
	for (uint32_t i = 0; i < host->requests[index]; i++)
		if (may_complete(index, i))
			choice[count++] = STEP(COMPLETE, index, i);
	if (host->partition_due[index])
		choice[count++] = STEP(PARTITION, index, 0);
	return count;
}

/* The warp waits for a load, and its reply is here: no other step of the core comes before. */
static bool replied(uint32_t core, uint32_t partition)
{
	const struct channel *channel = &host->down[core][partition];

	return channel->count && channel->message[0].what < SIM_DO_SYSTEM;
}

/* What is still to come to the core depends on what the core does next. */
static bool alone(uint32_t core)
{
	for (uint32_t i = 0; i < HOST_PARTITIONS; i++)
		if (host->down[core][i].count)
			return false;
	return !host->core_due[core] && !host->thread[core * lanes()].committing &&
	       trial->system->alone &&
	       trial->system->alone(&host->port, &host->warp[core]);
}

/* All that the warp waits for comes from the partition. */
static bool loads_from(const struct sim_warp *warp, uint32_t partition)
{
	for (SIM_EACH_LANE(lane, warp->mask))
		if (sim_partition_of(&host->port, warp->address[lane]) != partition)
			return false;
	return warp->wait == SIM_REPLIES;
}

/* What the core sends to the partition next waits behind, or for, what is there. */
static bool behind(uint32_t core, uint32_t partition)
{
	const struct sim_warp *warp = &host->warp[core];

	if (host->up[core][partition].count && !trial->system->timed)
		return true;
	if (host->down[core][partition].count || host->core_due[core])
		return false;
	return loads_from(warp, partition) || (is_over(core) && alone(core)) ||
	       (!is_plain(core) && trial->system->waits &&
		trial->system->waits(&host->port, warp, partition));
}

/* Steps of one place that no other step depends on; 0: there are none. */
static unsigned reduced(uint32_t choice[])
{
	for (uint32_t i = 0; i < trial->cores; i++)
		for (uint32_t k = 0; k < HOST_PARTITIONS; k++)
			if (replied(i, k)) {
				choice[0] = STEP(DOWN, i, k);
				return 1;
			}
	if (trial->system->shared)
		return 0;
	for (uint32_t i = 0; i < trial->cores; i++) {
		unsigned count = alone(i) ? at_core(i, choice) : 0;

		if (count)
			return count;
	}
	for (uint32_t i = 0; i < HOST_PARTITIONS; i++) {
		unsigned count = at_partition(i, choice);

		for (uint32_t k = 0; k < trial->cores; k++)
			count = behind(k, i) ? count : 0;
		if (count)
			return count;
	}
	return 0;
}

static unsigned choices(uint32_t choice[EXPLORE_CHOICES])
{
	unsigned count = trial->reduce ? reduced(choice) : 0;

	if (count)
		return count;
	for (uint32_t i = 0; i < trial->cores; i++)
		count += at_core(i, choice + count);
	for (uint32_t i = 0; i < HOST_PARTITIONS; i++)
		count += at_partition(i, choice + count);
	return count;
}

static void arrive_up(uint32_t core, uint32_t partition)
{
	struct sim_message message = take(&host->up[core][partition]);

	pass_time();
	if (message.what >= SIM_DO_SYSTEM)
		host->port.ops->at_partition(&host->port, &message);
	else
		serve(&host->port, &message);
}

static void arrive_down(uint32_t core, uint32_t partition)
{
	struct sim_message message = take(&host->down[core][partition]);
	struct sim_port *port = &host->port;
	struct sim_warp *warp = sim_warp_of(port, core, message.warp);

	pass_time();
	if (message.what >= SIM_DO_SYSTEM)
		port->ops->at_core(port, &message);
	else if (!--warp->outstanding && is_plain(core))
		plain_done(warp);
	else if (!warp->outstanding)
		port->ops->loaded(port, warp);
}

static void tick_partition(uint32_t index)
{
	pass_time();
	host->partition_due[index] = false;
	call_partition(&host->port, index, host->port.ops->partition_tick(&host->port, index));
}

static void tick_core(uint32_t index)
{
	pass_time();
	host->core_due[index] = false;
	call_core(&host->port, index, host->port.ops->core_tick(&host->port, index));
}

/* Let the units tick until they are quiet. */
static void calm(void)
{
	for (uint32_t i = 0; i < HOST_PARTITIONS; i++)
		for (unsigned left = QUIET; host->partition_due[i] && left; left--)
			tick_partition(i);
	for (uint32_t i = 0; i < trial->cores; i++)
		for (unsigned left = QUIET; host->core_due[i] && left; left--)
			tick_core(i);
}

/* Deliver a message; false: there is none. */
static bool deliver(void)
{
	for (uint32_t i = 0; i < trial->cores; i++)
		for (uint32_t k = 0; k < HOST_PARTITIONS; k++) {
			if (host->down[i][k].count)
				arrive_down(i, k);
			else if (host->up[i][k].count)
				arrive_up(i, k);
			else
				continue;
			return true;
		}
	return false;
}

static void settle(void)
{
	if (trial->grain == HOST_TICKS)
		return;
	calm();
	while (trial->grain == HOST_ACCESSES && deliver())
		calm();
}

static void tidy_warp(struct sim_warp *warp)
{
	memset(&warp->ledger, 0, sizeof(warp->ledger));
	warp->aborts = 0;
	warp->started = 0;
	for (uint32_t i = 0; i < lanes(); i++) {
		warp->attempt[i] = 0;
		if (warp->wait == SIM_REPLIES)
			continue;
		warp->address[i] = warp->value[i] = warp->loaded[i] = 0;
		warp->witness[i] = 0;
	}
	if (warp->wait == SIM_REPLIES)
		return;
	warp->mask = warp->outstanding = 0;
	warp->op = 0;
}

static void tidy(void)
{
	memset(&host->port.result, 0, sizeof(host->port.result));
	for (uint32_t i = 0; !trial->whole && i < trial->cores; i++)
		tidy_warp(&host->warp[i]);
	if (!trial->whole && trial->system->tidy)
		trial->system->tidy(&host->port);
	take_words();
}

static void act(uint32_t choice)
{
	uint32_t a = choice >> 8 & 0xff, b = choice & 0xff;

	put_words();
	switch (choice >> 16) {
	case ISSUE:
		issue(a, b);
		break;
	case UP:
		arrive_up(a, b);
		break;
	case DOWN:
		arrive_down(a, b);
		break;
	case COMPLETE:
		complete(a, b);
		break;
	case PARTITION:
		tick_partition(a);
		break;
	default:
		tick_core(a);
	}
	settle();
	tidy();
}

static void say_issue(uint32_t core, uint32_t what, FILE *out)
{
	static const char *const verb[] = { "loads", "stores", "commits", "begins", "enters" };
	uint32_t kind = what & KINDS;

	fprintf(out, "core %u %s", (unsigned)core,
		verb[kind < COMMIT ? kind / STORE : (kind - COMMIT) / (BEGIN - COMMIT) + 2]);
	for (uint32_t i = 0; kind < COMMIT && i < lanes(); i++)
		fprintf(out, " %c", "-ab"[PICK(what, i)]);
}

static void say(uint32_t choice, FILE *out)
{
	static const char *const step[] = { "", "-> partition", "<- partition" };
	uint32_t a = choice >> 8 & 0xff, b = choice & 0xff, what = choice >> 16;

	if (what == ISSUE)
		say_issue(a, b, out);
	else if (what == UP || what == DOWN)
		fprintf(out, "core %u %s %u: message", (unsigned)a, step[what], (unsigned)b);
	else if (what == COMPLETE)
		fprintf(out, "memory %u: request %u done", (unsigned)a, (unsigned)b);
	else
		fprintf(out, "%s %u ticks", what == CORE ? "core" : "partition", (unsigned)a);
}

/* ---- the units ---- */

static struct gputm_unit *unit_in(const struct sim_unit_slot *slot)
{
	void *unit;

	memcpy(&unit, slot->handle, sizeof(unit));
	return slot->kind->make ? slot->kind->face(unit) : NULL;
}

static void key_of(struct explore_key *key)
{
	for (size_t i = 0; i < host->port.units; i++) {
		struct gputm_unit *unit = unit_in(&host->port.unit[i]);
		const char *apart = trial->whole ? NULL : trial->system->apart;

		if (unit && !(apart && !strcmp(apart, unit->class->kind)))
			unit_mix(key, unit, trial->whole ? NULL : trial->system->blank);
	}
}

static bool seen; /* what trial->seen counts */

static const char *judge_units(void)
{
	uint64_t count;

	for (size_t i = 0; i < host->port.units; i++) {
		struct gputm_unit *unit = unit_in(&host->port.unit[i]);
		const char *wrong = unit ? gputm_unit_check(unit) : NULL;

		if (unit && !wrong && trial->reload)
			wrong = unit_reload(unit);
		if (wrong)
			return wrong;
		seen |= unit && trial->seen && gputm_unit_stat_value(unit, trial->seen, &count) &&
			count;
	}
	return NULL;
}

/* ---- ends ---- */

/* Do the committed transactions, one after the other from here, explain what was read and what
 * the memory holds? `left`: those that have yet to be placed; plain accesses before `next` have
 * been. */
static bool explained(uint32_t left, uint32_t next, const uint32_t word[HOST_WORDS])
{
	const struct thread *last = &host->thread[threads() - 1];
	const struct plain *plain = &last->plain[next];

	if (next < last->plains && (!plain->load || plain->value == word[plain->word])) {
		uint32_t after[HOST_WORDS];

		memcpy(after, word, sizeof(after));
		after[plain->word] = plain->value;
		if (explained(left, next + 1, after))
			return true;
	}
	for (uint32_t i = 0; i < threads(); i++) {
		const struct thread *thread = &host->thread[i];
		uint32_t after[HOST_WORDS];
		bool fits = left >> i & 1;

		for (uint32_t k = 0; k < HOST_WORDS; k++) {
			fits &= !(thread->foreign >> k & 1) || thread->read[k] == word[k];
			after[k] = thread->stored >> k & 1 ? thread->wrote[k] : word[k];
		}
		if (fits && explained(left & ~(1u << i), next, after))
			return true;
	}
	return !left && next == last->plains &&
	       !memcmp(word, host->word, HOST_WORDS * sizeof(*word));
}

/* The same, if each transaction reads what has been committed when it begins, and none commits to
 * a word that another one has committed to since. `begun`: `late` is what was committed since. */
static bool isolated(uint32_t left, uint32_t begun, const uint32_t word[HOST_WORDS],
		     const uint32_t late[THREADS])
{
	for (uint32_t i = 0; i < threads(); i++) {
		const struct thread *thread = &host->thread[i];
		uint32_t bit = 1u << i, after[HOST_WORDS], later[THREADS];
		bool fits = left & bit && (!(begun & bit) || !(late[i] & thread->stored));

		for (uint32_t k = 0; k < HOST_WORDS; k++) {
			fits &= begun & bit || !(thread->foreign >> k & 1) ||
				thread->read[k] == word[k];
			after[k] = begun & bit && thread->stored >> k & 1 ? thread->wrote[k]
									  : word[k];
		}
		for (uint32_t k = 0; k < threads(); k++)
			later[k] = k == i ? 0 : late[k] | (begun & bit ? thread->stored : 0);
		if (fits && isolated(begun & bit ? left & ~bit : left, begun | bit, after, later))
			return true;
	}
	return !left && !memcmp(word, host->word, HOST_WORDS * sizeof(*word));
}

/* Versions of memory become its contents. */
static void finish(void)
{
	if (!host->port.ops->finished)
		return;
	put_words();
	host->port.ops->finished(&host->port);
	take_words();
}

static const char *judge_end(void)
{
	const uint32_t start[HOST_WORDS] = { 0 }, late[THREADS] = { 0 };
	uint32_t committed = 0;

	for (uint32_t i = 0; i < trial->cores; i++)
		if (!is_over(i))
			return "nothing can happen any more, and a transaction is not over";
	for (uint32_t i = 0; i < threads(); i++)
		committed |= (uint32_t)host->thread[i].committed << i;
	finish();
	if (host->port.failed)
		return host->port.error;
	if (trial->snapshots)
		return isolated(committed, 0, start, late) ? NULL
							   : "no snapshots explain this end";
	return explained(committed, 0, start) ? NULL : "no serial order explains this end";
}

static const char *judge(bool over)
{
	const char *wrong = host->port.failed ? host->port.error : NULL;

	if (!wrong && over)
		wrong = judge_end();
	return wrong || over ? wrong : judge_units();
}

/* ---- charts ---- */

static void tell_event(void *state, const struct gputm_unit *unit, const struct gputm_event *event)
{
	struct gputm_event_kind kind;
	FILE *out = state;

	gputm_unit_event(unit, event->kind, &kind);
	fprintf(out, "\t%s%s%s %s", gputm_unit_name(unit), *gputm_unit_name(unit) ? " " : "",
		gputm_unit_kind(unit), event->name);
	for (int i = 0; i < 4 && kind.field[i].name; i++)
		if (kind.field[i].choices && event->value[i] < kind.field[i].choice_count)
			fprintf(out, " %s=%s", kind.field[i].name,
				kind.field[i].choices[event->value[i]]);
		else
			fprintf(out, " %s=%llx", kind.field[i].name,
				(unsigned long long)event->value[i]);
	fprintf(out, "\n");
}

static void tell(FILE *out)
{
	static FILE *before;

	for (size_t i = 0; i < host->port.units; i++) {
		struct gputm_unit *unit = unit_in(&host->port.unit[i]);

		if (unit && before)
			gputm_unit_unobserve(unit, tell_event, before);
		if (unit && out)
			gputm_unit_observe(unit, tell_event, out);
	}
	before = out;
}

/* The value that the thread would have written if it had another number. */
static uint32_t renamed(uint32_t value, const uint32_t number[])
{
	uint32_t writer = value >> 4;

	return writer ? (number[writer - 1] + 1) << 4 | (value & 15) : 0;
}

/* What has become of the transactions, if thread i had number[i]. */
static struct explore_key outcome_of(const uint32_t number[])
{
	struct explore_key key = { 0, 0 };
	struct thread thread[THREADS];
	uint32_t word[HOST_WORDS];

	memcpy(thread, host->thread, sizeof(thread));
	for (uint32_t i = 0; i < threads(); i++) {
		struct thread *one = &thread[number[i]];

		memcpy(one, &host->thread[i], sizeof(*one));
		for (uint32_t k = 0; k < HOST_WORDS; k++) {
			one->read[k] = renamed(one->read[k], number);
			one->wrote[k] = renamed(one->wrote[k], number);
		}
		for (uint32_t k = 0; k < one->plains; k++)
			one->plain[k].value = renamed(one->plain[k].value, number);
	}
	for (uint32_t k = 0; k < HOST_WORDS; k++)
		word[k] = renamed(host->word[k], number);
	unit_mix_bytes(&key, thread, sizeof(thread));
	unit_mix_bytes(&key, word, sizeof(word));
	return key;
}

/* The least key, of all numbers that the threads from `next` on could have. */
static struct explore_key least(uint32_t number[], uint32_t next, uint32_t end)
{
	struct explore_key key, best = { UINT64_MAX, UINT64_MAX };

	if (next == end)
		return outcome_of(number);
	for (uint32_t i = next; i < end; i++) {
		uint32_t one = number[next];

		number[next] = number[i];
		number[i] = one;
		key = least(number, next + 1, end);
		if (key.low < best.low || (key.low == best.low && key.high < best.high))
			best = key;
		number[i] = number[next];
		number[next] = one;
	}
	return best;
}

static void outcome(struct explore_key *key)
{
	uint32_t number[THREADS], alike = threads() - trial->plain;

	finish();
	for (uint32_t i = 0; i < THREADS; i++)
		number[i] = i;
	*key = trial->unnamed || trial->in_order ? least(number, 0, alike) : outcome_of(number);
}

static const struct explore_model model = { choices, act, key_of, judge, outcome, say, tell };

/* ---- a run ---- */

SIM_UNIT_KIND(simt_stack, SIM_OF_WARP);
SIM_UNIT_KIND(access_coalescer, SIM_OF_CORE);

static void add(const char *role, const struct sim_unit_kind *kind, void *config, void *handle)
{
	if (sim_unit_add(&host->port, role, kind, config, handle))
		fail("a unit of the host cannot be made");
}

static void make_warps(void)
{
	static struct gputm_access_coalescer_config lines = GPUTM_ACCESS_COALESCER_CONFIG_INIT;
	static struct gputm_simt_stack_config stack = GPUTM_SIMT_STACK_CONFIG_INIT;

	lines.lanes = lines.words = stack.lanes = lanes();
	lines.address_bits = SIM_ADDRESS_BITS;
	add("access_coalescer", &kind_access_coalescer, &lines, &host->coalescer);
	for (uint32_t i = 0; i < trial->cores; i++) {
		struct sim_warp *warp = &host->warp[i];

		warp->number = warp->core = (uint8_t)i;
		for (uint32_t k = 0; k < lanes(); k++)
			warp->thread[k] = i * lanes() + k;
		warp->wait = SIM_READY;
		add("simt_stack", &kind_simt_stack, &stack, &warp->stack);
		if (gputm_simt_stack_launch(warp->stack, 0, sim_all_lanes(&host->port)) < 0)
			fail("a warp cannot be launched");
	}
}

/* Set "unit.field=value" in the config of the system. */
static void set(void *config, const char *text)
{
	const struct sim_system_class *class = trial->system->class;
	char unit[32], field[32], value[32];

	if (sscanf(text, "%31[^.].%31[^=]=%31s", unit, field, value) != 3)
		return;
	for (size_t i = 0; i < class->role_count; i++)
		if (!strcmp(class->role[i].role, unit) &&
		    !gputm_params_set(NULL, class->role[i].params(),
				      (char *)config + class->role[i].offset, field, value))
			return;
	fprintf(stderr, "explore: %s cannot be set\n", text);
	exit(1);
}

static void *make_config(const struct sim_shape *shape)
{
	const struct sim_system_class *class = trial->system->class;
	void *config = calloc(1, class->config_size + 1);

	if (class->init)
		class->init(config, shape);
	if (trial->system->configure)
		trial->system->configure(config);
	for (size_t i = 0; i < sizeof(trial->set) / sizeof(*trial->set) && trial->set[i]; i++)
		set(config, trial->set[i]);
	return config;
}

static void complain(void *state, enum gputm_log_level level, const char *message)
{
	(void)state;
	(void)level;
	fprintf(stderr, "%s\n", message);
}

static void make(const struct sim_workload *workload, const void *config,
		 const struct sim_shape *shape)
{
	const struct sim_system_ops *ops = trial->system->class->ops;
	struct sim_memory *memory = sim_memory_new();
	struct gputm_ctx *ctx;

	for (uint32_t i = 0; memory && i < places(); i++)
		sim_memory_write(memory, address_of(i), 0);
	arena_forget();
	host = arena_take(ARENA_AROUND, sizeof(*host));
	if (!memory || gputm_ctx_new(&arena_units, &ctx))
		exit(1);
	gputm_ctx_set_log(ctx, complain, NULL, GPUTM_LOG_ERROR);
	host->port = (struct sim_port){
		.host = &functions, .ops = ops, .shape = *shape, .core_ticks = 1, .unit_ticks = 1,
		.interleave_shift = 8, .seed = 1, .system_config = config, .workload = workload,
		.observer = &observer, .memory = memory, .ctx = ctx,
	};
	arena_open();
	host->port.warp = host->warp = sim_calloc(trial->cores, sizeof(*host->warp));
	make_warps();
	if (ops->make(&host->port))
		fail("the system cannot be made");
	if (host->port.failed)
		return;
	if (trial->system->prepare)
		trial->system->prepare(&host->port);
	for (uint32_t i = 0; i < trial->cores; i++)
		if (!is_plain(i))
			issue(i, BEGIN);
	tidy();
}

struct explore_result host_explore(const struct host_trial *asked, struct explore_bounds bounds,
				   FILE *out)
{
	static const struct sim_workload_class class = { .name = "explore" };
	struct sim_workload workload = { .class = &class, .regions = 1 };
	const struct sim_shape shape = {
		.cores = asked->cores, .warps = 1, .lanes = asked->lanes ? asked->lanes : 1,
		.partitions = HOST_PARTITIONS,
		.interleave = 256, .core_mhz = 1000, .flit_bytes = 32, .plain_latency = 1,
	};
	struct explore_result result;
	struct sim_memory *memory;
	void *config;

	trial = asked;
	workload.threads = threads();
	workload.region[0] = (struct sim_region){ SIM_HEAP, HOST_WORDS * trial->word_stride };
	workload.lock_base = SIM_HEAP + HOST_WORDS * trial->word_stride;
	config = make_config(&shape);
	make(&workload, config, &shape);
	memory = host->port.memory;
	seen = false;
	result = explore(&model, bounds, out);
	if (result.closed && trial->seen && !seen)
		snprintf(result.wrong, sizeof(result.wrong), "%s was never seen", trial->seen);
	arena_close();
	sim_memory_free(memory);
	free(config);
	return result;
}

/* ---- for systems ---- */

void host_tidy_queue(struct sim_port *port, struct sim_queue *queue)
{
	struct sim_message first[16] = { { 0 } };

	if (!queue->item && !sim_queue_grow(port, queue))
		return;
	if (queue->capacity > 16) {
		fail("a queue of the wiring is long");
		return;
	}
	for (uint32_t i = 0; i < queue->count; i++) {
		first[i] = queue->item[(queue->head + i) & (queue->capacity - 1)];
		blank_padding(&first[i]);
	}
	memcpy(queue->item, first, sizeof(first));
	queue->head = 0;
}

void host_tidy_line(uint32_t *item, uint32_t *head, uint32_t count, uint32_t room)
{
	uint32_t first[16];

	for (uint32_t i = 0; i < room; i++)
		first[i] = i < count ? item[(*head + i) % room] : 0;
	memcpy(item, first, room * sizeof(*item));
	*head = 0;
}

#define ROWS 16

void host_prepare_resolvers(struct resolvers *resolvers)
{
	resolvers->row = sim_calloc(ROWS, sizeof(*resolvers->row));
	resolvers->rows = ROWS;
}

void host_tidy_resolvers(struct sim_port *port, struct resolvers *resolvers)
{
	memset(resolvers->row, 0, ROWS * sizeof(*resolvers->row));
	for (uint32_t i = 0; i < port->shape.cores; i++)
		if (!resolvers->core[i].resolving)
			resolvers->core[i].warp->aborted = resolvers->core[i].warp->buffer = 0;
}

void host_tidy_slab(struct sim_slab *slab)
{
	bool taken[BLOCKS] = { false };
	uint32_t next;

	if (!slab->memory) {
		slab->memory = sim_calloc(BLOCKS, slab->block);
		slab->count = BLOCKS;
	}
	if (slab->count > BLOCKS) {
		fail("a slab of the wiring is large");
		return;
	}
	for (uint32_t i = 0; i < slab->used; i++)
		taken[i] = true;
	for (uint32_t i = slab->free; i; i = next) {
		memcpy(&next, sim_slab_at(slab, i - 1), sizeof(next));
		taken[i - 1] = false;
	}
	while (slab->used && !taken[slab->used - 1])
		slab->used--;
	memset(sim_slab_at(slab, slab->used), 0, (slab->count - slab->used) * slab->block);
	slab->free = 0;
	for (uint32_t i = slab->used; i-- > 0;) {
		if (taken[i])
			continue;
		memset(sim_slab_at(slab, i), 0, slab->block);
		sim_slab_give(slab, i);
	}
}
