/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TM systems on another host than the runner's machine: a few warps, a network that delivers
 * after a random time, in order between each core and partition, and a memory that answers after
 * a random time. Random transactions run on it, and the replay must find them serialisable.
 */
#include "examples/sim/base/arena.h"
#include "examples/sim/base/heap.h"
#include "examples/sim/check/check.h"
#include "examples/sim/port/port.h"
#include "examples/sim/systems/systems.h"
#include "tests/kit.h"

#define CORES 2
#define WARPS 4 /* of a core */
#define LANES 8
#define PARTITIONS 2
#define THREADS (CORES * WARPS * LANES)
#define TRANSACTIONS 4 /* of a thread */
#define LENGTH 6       /* most accesses of a transaction */
#define UNIT_TICKS 2
#define PATIENCE 20000000 /* ticks */

static const struct sim_shape shape = {
	.cores = CORES, .warps = WARPS, .lanes = LANES, .partitions = PARTITIONS,
	.interleave = 256, .core_mhz = 1000, .flit_bytes = 32, .plain_latency = 3,
};

/* A request of a unit that the memory has not answered. */
struct request {
	uint64_t due, tag;
	uint32_t value[GPUTM_MEM_WORDS_MAX];
};

#define REQUESTS 256u

struct memory_port {
	struct request request[REQUESTS]; /* ring */
	uint32_t head, count;
};

struct host {
	struct sim_port port; /* first */
	struct sim_queue up[CORES][PARTITIONS], down[CORES][PARTITIONS];
	struct memory_port partition[PARTITIONS];
	uint64_t core_due[CORES], partition_due[PARTITIONS];
	uint32_t number[CORES * WARPS][LANES]; /* of the transaction that a thread is at */
	struct gputm_access_coalescer *coalescer;
	uint64_t random, running; /* running: warps */
	uint32_t words;		  /* that the transactions share */
	uint64_t lost; /* a fault of ours: one write in so many changes nothing; 0: none */
	uint64_t writes;
};

static struct host *host_of(struct sim_port *port)
{
	return (struct host *)port;
}

/* ---- network ---- */

static void post(struct sim_port *port, struct sim_queue *queue, const struct sim_message *message)
{
	uint32_t last = (queue->head + queue->count - 1) & (queue->capacity - 1);
	struct sim_message sent = *message;

	sent.due = port->now + 1 + kit_below(&host_of(port)->random, 12);
	if (queue->count && queue->item[last].due > sent.due)
		sent.due = queue->item[last].due;
	sim_queue_push(port, queue, &sent);
}

static void to_partition(struct sim_port *port, struct sim_message *message, uint32_t bytes)
{
	(void)bytes;
	post(port, &host_of(port)->up[message->core][message->partition], message);
}

static void to_core(struct sim_port *port, struct sim_message *message, uint32_t bytes)
{
	(void)bytes;
	post(port, &host_of(port)->down[message->core][message->partition], message);
}

static bool arrived(struct sim_port *port, struct sim_queue *queue, struct sim_message *out)
{
	const struct sim_message *message = sim_queue_head(queue);

	if (!message || message->due > port->now)
		return false;
	*out = *message;
	sim_queue_pop(queue);
	return true;
}

/* ---- accesses of warps: loads; what is stored outside transactions is nothing here ---- */

static void send_loads(struct sim_port *port, struct sim_warp *warp, enum sim_op op, uint64_t mask,
		       bool touch)
{
	uint64_t lanes[PARTITIONS] = { 0 };

	ck_assert(op == SIM_LOAD || touch);
	if (touch)
		return;
	for (SIM_EACH_LANE(lane, mask))
		lanes[sim_partition_of(port, warp->address[lane])] |= UINT64_C(1) << lane;
	warp->op = op;
	warp->wait = SIM_REPLIES;
	warp->outstanding = 0;
	for (uint32_t i = 0; i < PARTITIONS; i++) {
		struct sim_message message = { .what = SIM_DO_LOAD, .b = lanes[i] };

		message.core = warp->core;
		message.warp = warp->index;
		message.partition = (uint8_t)i;
		if (!lanes[i])
			continue;
		warp->outstanding++;
		to_partition(port, &message, 0);
	}
}

static uint32_t find_lines(struct sim_port *port, struct sim_warp *warp, bool write, uint64_t mask,
			   struct gputm_access_coalescer_access *wide)
{
	int count = gputm_access_coalescer_merge_row(host_of(port)->coalescer, mask, warp->address,
						     write ? warp->value : NULL, wide, NULL);

	ck_assert_int_gt(count, 0);
	return (uint32_t)count;
}

static bool no_store(const struct sim_port *port, uint32_t partition, const struct sim_warp *warp)
{
	(void)port;
	(void)partition;
	(void)warp;
	return false;
}

static void serve(struct sim_port *port, const struct sim_message *message)
{
	const struct sim_warp *warp = sim_warp_of(port, message->core, message->warp);
	struct sim_message reply = *message;

	if (message->what == SIM_DO_LOAD && port->ops->served)
		port->ops->served(port, &reply);
	for (SIM_EACH_LANE(lane, message->what == SIM_DO_LOAD ? message->b : 0)) {
		port->warp[warp->number].loaded[lane] =
			sim_memory_read(port->memory, warp->address[lane]);
		if (port->version)
			port->warp[warp->number].version[lane] =
				sim_memory_read(port->version, warp->address[lane]);
	}
	to_core(port, &reply, 0);
}

static void unit_access(struct sim_port *port, uint32_t index,
			const struct gputm_mem_request *request)
{
	struct host *host = host_of(port);
	struct memory_port *partition = &host->partition[index];
	uint32_t next = partition->head + partition->count;
	struct request *last = &partition->request[(next - 1) % REQUESTS];
	struct request *new = &partition->request[next % REQUESTS];
	bool lost = request->write && host->lost && ++host->writes % host->lost == 0;

	ck_assert_uint_lt(partition->count, REQUESTS);
	new->tag = request->tag;
	new->due = port->now + 1 + kit_below(&host->random, 30);
	if (partition->count++ && last->due > new->due)
		new->due = last->due;
	for (SIM_EACH_LANE(i, lost ? 0 : request->word_mask)) {
		uint64_t address = request->address + 4 * i;

		if (request->write)
			sim_memory_write(port->memory, address, request->value[i]);
		new->value[i] = sim_memory_read(port->memory, address);
	}
}

/* ---- time ---- */

static void wake(struct sim_port *port, struct sim_warp *warp, uint64_t tick)
{
	warp->wait = tick > port->now ? SIM_UNTIL : SIM_READY;
	warp->ready_at = tick;
}

static void wait_for(struct sim_port *port, struct sim_warp *warp, enum sim_wait wait)
{
	(void)port;
	warp->wait = wait;
}

static void call_partition(struct sim_port *port, uint32_t partition, uint64_t tick)
{
	uint64_t *due = &host_of(port)->partition_due[partition];

	*due = tick < *due ? tick : *due;
}

static void call_core(struct sim_port *port, uint32_t core, uint64_t tick)
{
	uint64_t *due = &host_of(port)->core_due[core];

	*due = tick < *due ? tick : *due;
}

static void left(struct sim_port *port, struct sim_warp *warp, uint64_t tick)
{
	(void)port;
	(void)warp;
	(void)tick;
}

static const struct sim_host host_functions = {
	to_partition, to_core,	send_loads, find_lines,	    serve,     no_store,
	unit_access,  wake, wait_for,	call_partition, call_core, left, NULL, NULL, NULL,
	NULL,
};

/* ---- the program: transactions of accesses that are told by their numbers ---- */

enum { BEGIN, FIRST, COMMIT = FIRST + LENGTH, NEXT };

static uint64_t draw(const struct host *host, const struct sim_warp *warp, uint64_t lane,
		     uint64_t access)
{
	uint64_t state = access << 40 | (uint64_t)host->number[warp->number][lane] << 20 |
			 warp->thread[lane];

	return kit_random(&state);
}

static void access_words(struct host *host, struct sim_warp *warp, uint64_t pc, uint64_t active)
{
	struct sim_port *port = &host->port;
	bool write = draw(host, warp, 0, pc) % 5 < 2; /* the same for the warp */

	warp->mask = 0;
	for (SIM_EACH_LANE(lane, active)) {
		uint64_t number = draw(host, warp, lane, 64 + pc);

		warp->address[lane] = SIM_HEAP + number % host->words * 12;
		warp->value[lane] = warp->loaded[lane] * 3 + warp->thread[lane];
		if (number >> 40 & 3)
			warp->mask |= UINT64_C(1) << lane;
	}
	ck_assert_int_ge(gputm_simt_stack_proceed(warp->stack, pc + 1), 0);
	if (!warp->mask)
		wake(port, warp, port->now + 1);
	else if (write)
		port->ops->store(port, warp);
	else
		port->ops->load(port, warp);
}

/* Lanes leave a transaction together, so that all are at the same number. */
static void next_transaction(struct host *host, struct sim_warp *warp, uint64_t active)
{
	for (SIM_EACH_LANE(lane, active))
		host->number[warp->number][lane]++;
	if (host->number[warp->number][0] < TRANSACTIONS) {
		ck_assert_int_ge(gputm_simt_stack_proceed(warp->stack, BEGIN), 0);
		wake(&host->port, warp, host->port.now + 1 + kit_below(&host->random, 20));
		return;
	}
	ck_assert_int_ge(gputm_simt_stack_exit(warp->stack, active), 0);
	warp->wait = SIM_FREE;
	host->running--;
}

static void issue(struct host *host, struct sim_warp *warp)
{
	struct sim_port *port = &host->port;
	uint64_t pc, active;

	if (warp->in_tx && port->ops->watch && port->ops->watch(port, warp))
		return;
	pc = gputm_simt_stack_pc(warp->stack);
	active = gputm_simt_stack_active_mask(warp->stack);
	if (pc == BEGIN) {
		if (sim_tx_begin(port, warp, pc))
			wake(port, warp, port->now + 1);
	} else if (pc < COMMIT) {
		access_words(host, warp, pc, active);
	} else if (pc == COMMIT) {
		warp->pc_after = pc + 1;
		warp->wait = SIM_SYSTEM;
		port->ops->commit(port, warp);
	} else {
		next_transaction(host, warp, active);
	}
}

/* ---- a tick: memory, partitions, cores ---- */

static void partition_turn(struct host *host, uint32_t index)
{
	struct memory_port *partition = &host->partition[index];
	struct sim_port *port = &host->port;
	struct sim_message message;

	while (partition->count && partition->request[partition->head].due <= port->now) {
		const struct request done = partition->request[partition->head];

		partition->head = (partition->head + 1) % REQUESTS;
		partition->count--;
		port->ops->completed(port, index, done.tag, done.value);
	}
	if (host->partition_due[index] <= port->now) {
		host->partition_due[index] = SIM_NEVER;
		call_partition(port, index, port->ops->partition_tick(port, index));
	}
	for (uint32_t i = 0; i < CORES; i++)
		while (arrived(port, &host->up[i][index], &message))
			if (message.what >= SIM_DO_SYSTEM)
				port->ops->at_partition(port, &message);
			else
				serve(port, &message);
}

static void core_turn(struct host *host, uint32_t index)
{
	struct sim_port *port = &host->port;
	struct sim_message message;

	for (uint32_t i = 0; i < PARTITIONS; i++)
		while (arrived(port, &host->down[index][i], &message)) {
			struct sim_warp *warp = sim_warp_of(port, index, message.warp);

			if (message.what >= SIM_DO_SYSTEM)
				port->ops->at_core(port, &message);
			else if (!--warp->outstanding)
				port->ops->loaded(port, warp);
		}
	if (host->core_due[index] <= port->now) {
		host->core_due[index] = SIM_NEVER;
		call_core(port, index, port->ops->core_tick(port, index));
	}
	for (uint32_t i = 0; i < WARPS; i++) {
		struct sim_warp *warp = sim_warp_of(port, index, i);

		if (warp->wait == SIM_READY ||
		    (warp->wait == SIM_UNTIL && warp->ready_at <= port->now))
			issue(host, warp);
	}
}

/* Messages and requests on their way, which there may be when all warps have ended. */
static bool busy(const struct host *host)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < PARTITIONS; i++) {
		count += host->partition[i].count;
		for (uint32_t k = 0; k < CORES; k++)
			count += host->up[k][i].count + host->down[k][i].count;
	}
	return count;
}

static void run(struct host *host)
{
	struct sim_port *port = &host->port;
	uint64_t quiet = 0; /* ticks since all was over */

	for (; !port->failed && quiet < 10000; port->now++) {
		ck_assert_uint_lt(port->now, PATIENCE);
		for (uint32_t i = 0; i < PARTITIONS; i++)
			partition_turn(host, i);
		for (uint32_t i = 0; i < CORES; i++)
			core_turn(host, i);
		quiet = host->running || busy(host) ? 0 : quiet + 1;
	}
	if (!port->failed && port->ops->finished)
		port->ops->finished(port);
}

/* ---- runs ---- */

static void setup(const struct sim_workload *workload, struct sim_memory *memory)
{
	for (uint64_t at = SIM_HEAP; at < workload->lock_base; at += 4)
		sim_memory_write(memory, at, (uint32_t)at);
}

static const char *no_invariant(const struct sim_workload *workload,
				const struct sim_memory *memory, char *error, size_t size)
{
	(void)workload;
	(void)memory;
	(void)error;
	(void)size;
	return NULL;
}

static const struct sim_workload_class class = {
	.name = "random", .setup = setup, .invariant = no_invariant,
};

/* What a run is made with; and what became of it. */
struct trial {
	const struct sim_system_class *system;
	const char *field, *value; /* an option of the system, or NULL */
	uint64_t seed, lost;
	uint32_t words;
	bool serialisable;
	uint64_t aborted;
};

SIM_UNIT_KIND(simt_stack, SIM_OF_WARP);
SIM_UNIT_KIND(access_coalescer, SIM_OF_CORE);

static void open_host(struct host *host, const struct trial *trial)
{
	static struct gputm_access_coalescer_config lines = GPUTM_ACCESS_COALESCER_CONFIG_INIT;
	static struct gputm_simt_stack_config stack = GPUTM_SIMT_STACK_CONFIG_INIT;
	struct sim_port *port = &host->port;

	lines.lanes = lines.words = stack.lanes = LANES;
	lines.address_bits = SIM_ADDRESS_BITS;
	host->random = trial->seed;
	host->words = trial->words;
	host->lost = trial->lost;
	for (uint32_t i = 0; i < CORES; i++)
		host->core_due[i] = SIM_NEVER;
	for (uint32_t i = 0; i < PARTITIONS; i++)
		host->partition_due[i] = SIM_NEVER;
	ck_assert_int_eq(sim_unit_add(port, "access_coalescer", &kind_access_coalescer, &lines,
				      &host->coalescer), 0);
	for (uint32_t i = 0; i < CORES * WARPS; i++) {
		struct sim_warp *warp = &port->warp[i];

		warp->number = i;
		warp->core = (uint8_t)(i / WARPS);
		warp->index = (uint8_t)(i % WARPS);
		for (uint32_t lane = 0; lane < LANES; lane++)
			warp->thread[lane] = i * LANES + lane;
		ck_assert_int_eq(sim_unit_add(port, "simt_stack", &kind_simt_stack, &stack,
					      &warp->stack), 0);
		ck_assert_int_ge(gputm_simt_stack_launch(warp->stack, BEGIN, sim_all_lanes(port)),
				 0);
		wake(port, warp, kit_below(&host->random, 20));
		host->running++;
	}
}

static void close_host(struct host *host)
{
	struct sim_port *port = &host->port;

	sim_units_free(port);
	port->ops->free(port);
	for (uint32_t i = 0; i < CORES * PARTITIONS; i++) {
		sim_free(host->up[i / PARTITIONS][i % PARTITIONS].item);
		sim_free(host->down[i / PARTITIONS][i % PARTITIONS].item);
	}
	sim_memory_free(port->memory);
	sim_memory_free(port->version);
	sim_free(port->warp);
	free(host);
}

static void judge(const struct host *host, struct sim_check *check, struct trial *trial)
{
	const struct sim_port *port = &host->port;
	struct sim_unit_info info;
	struct sim_verdict verdict;

	ck_assert_msg(!port->failed, "%s, seed %u: %s", trial->system->name, (unsigned)trial->seed,
		      port->error);
	for (size_t i = 0; sim_unit_get(port, i, &info); i++)
		ck_assert_ptr_null(gputm_unit_check(info.unit));
	ck_assert_uint_eq(port->result.committed, THREADS * TRANSACTIONS);
	ck_assert_int_eq(sim_check_judge(check, port->memory, &verdict), 0);
	ck_assert_uint_eq(verdict.transactions, THREADS * TRANSACTIONS);
	trial->serialisable = verdict.passed;
	trial->aborted = port->result.aborted;
	sim_check_free(check);
}

static void try(struct trial *trial)
{
	struct sim_workload workload = { .class = &class, .threads = THREADS, .regions = 1 };
	struct host *host = calloc(1, sizeof(*host));
	void *config = calloc(1, trial->system->config_size + 1);
	struct sim_port *port = &host->port;
	struct sim_check *check;

	workload.region[0] = (struct sim_region){ SIM_HEAP, 12 * trial->words };
	workload.lock_base = SIM_HEAP + 12 * trial->words;
	check = sim_check_new(&workload);
	if (trial->system->init)
		trial->system->init(config, &shape);
	if (trial->field)
		ck_assert_int_eq(gputm_params_set(NULL, trial->system->role[0].params(), config,
						  trial->field, trial->value), 0);
	*port = (struct sim_port){
		.host = &host_functions, .ops = trial->system->ops, .shape = shape,
		.core_ticks = 1, .unit_ticks = UNIT_TICKS, .interleave_shift = 8, .seed = 1,
		.system_config = config, .workload = &workload,
		.observer = sim_check_observer(check), .memory = sim_memory_new(),
		.version = trial->system->ops->versions ? sim_memory_new() : NULL,
		.warp = sim_calloc(CORES * WARPS, sizeof(struct sim_warp)),
	};
	setup(&workload, port->memory);
	open_host(host, trial);
	ck_assert_msg(!port->ops->make(port), "%s", port->error);
	run(host);
	judge(host, check, trial);
	close_host(host);
	free(config);
}

static const struct sim_system_class *const systems[] = {
	&sim_kilo_tm, &sim_si_tm, &sim_warptm, &sim_warptm_tcd, &sim_getm, &sim_si_tm_oracle,
	&sim_ideal,   &sim_warptm_el, &sim_eapg,
};

KIT_TESTS(test_all_is_serialisable, KIT_COUNT(systems))
{
	uint64_t aborted = 0;

	for (unsigned seed = 1; seed <= kit_scale(20, 2); seed++) {
		struct trial trial = { .system = systems[_i], .seed = seed,
				       .words = 20 + 40 * (seed % 8) };

		try(&trial);
		ck_assert_msg(trial.serialisable, "%s: seed %u", systems[_i]->name, seed);
		aborted += trial.aborted;
	}
	ck_assert_uint_gt(aborted, 0);
}

/* Snapshot isolation alone is not serialisable, and the replay says so. */
KIT_TEST(test_plain_snapshots_are_not)
{
	unsigned caught = 0, seeds = kit_scale(10, 4);

	for (unsigned seed = 1; seed <= seeds; seed++) {
		struct trial trial = { &sim_si_tm, "detection", "none", seed, 0, 60, false, 0 };

		try(&trial);
		caught += !trial.serialisable;
	}
	ck_assert_uint_eq(caught, seeds);
}

/* A host that loses one write in ten is caught. */
KIT_TESTS(test_a_lost_write_is_seen, 2)
{
	for (unsigned seed = 1; seed <= kit_scale(10, 2); seed++) {
		struct trial trial = { systems[_i], NULL, NULL, seed, 10, 60, false, 0 };

		try(&trial);
		ck_assert(!trial.serialisable);
	}
}
