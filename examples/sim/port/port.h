/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_H
#define SIM_PORT_H
/*
 * The port between a TM system and the host that it is wired to: the machine of machine/, or any
 * other simulator with warps, cores and memory partitions.
 *
 * A host keeps a struct sim_port for each run, fills it in, and calls the system at the points
 * that struct sim_system_ops names. The system reads the fields of the port and calls the
 * functions of this header; what they ask of the host is in struct sim_host. Times are ticks.
 * Neither knows more of the other.
 */
#include <errno.h>

#include "gputm/access_coalescer.h"
#include "gputm/simt_stack.h"
#include "../base/io.h"
#include "../base/memory.h"
#include "../base/slab.h"
#include "../base/time.h"
#include "../kernel/program.h"
#include "result.h"
#include "system.h"

#define SIM_MAX_LANES 32
#define SIM_MAX_WARPS 64 /* of a core */

struct sim_port;

/* ---- messages -------------------------------------------------------------- */

/* What a message requests; numbers of a system's own requests start at SIM_DO_SYSTEM. */
enum {
	SIM_DO_LOAD,
	SIM_DO_STORE, /* c: its words, or SIM_NO_WORDS */
	SIM_DO_CAS,
	SIM_DO_ADD, /* c: SIM_NO_WORDS if the system has performed it */
	SIM_DO_UNIT, /* b: tag; of a read c: words, or SIM_NO_WORDS and d: the only word */
	/* As LOAD, in the order of the accesses of cores, for a system that has set
	 * loaded[] itself; b: lanes, d: bytes of the reply's data. */
	SIM_DO_FETCH,
	SIM_DO_SYSTEM,
};

/* Travels between a core and a partition. The host sets due; the sender sets the other fields. */
struct sim_message {
	uint64_t due; /* tick */
	uint64_t a;   /* LOAD .. ADD, FETCH: first byte of the line */
	uint64_t b;   /* LOAD, CAS, ADD: lanes */
	uint32_t c, d, e;
	uint16_t flits;
	uint8_t what;
	uint8_t kind; /* enum sim_traffic */
	uint8_t core, partition, warp, more;
	uint32_t unused; /* always 0, so that a saved state has no undefined bytes */
};

#define SIM_NO_WORDS UINT32_MAX

/* Where a message is: on its way to a partition, within one, having been performed, or on its way
 * to a core. */
enum sim_way { SIM_ASKING, SIM_PERFORMED, SIM_ANSWERING };

/* A first-in first-out queue that grows. */
struct sim_queue {
	struct sim_message *item;
	uint32_t head, count, capacity; /* capacity: a power of two */
};

/* False if out of memory: the run has failed. */
bool sim_queue_grow(struct sim_port *port, struct sim_queue *queue);
/* A message of a state that is loaded; the state has whatever messages name before them. */
void sim_message_check(struct sim_port *port, const struct sim_message *message, enum sim_way way,
		       struct sim_io *io);
void sim_queue_io(struct sim_port *port, struct sim_queue *queue, enum sim_way way,
		  struct sim_io *io);

static inline void sim_queue_push(struct sim_port *port, struct sim_queue *queue,
				  const struct sim_message *message)
{
	if (queue->count < queue->capacity || sim_queue_grow(port, queue))
		queue->item[(queue->head + queue->count++) & (queue->capacity - 1)] = *message;
}

static inline struct sim_message *sim_queue_head(struct sim_queue *queue)
{
	return queue->count ? &queue->item[queue->head] : NULL;
}

static inline void sim_queue_pop(struct sim_queue *queue)
{
	queue->head = (queue->head + 1) & (queue->capacity - 1);
	queue->count--;
}

/* ---- warps ------------------------------------------------------------------- */

enum sim_wait {
	SIM_FREE,      /* the slot holds no warp */
	SIM_READY,     /* may issue */
	SIM_UNTIL,     /* until `ready_at` */
	SIM_REPLIES,   /* for `outstanding` replies of a load, CAS or add */
	SIM_STORES,    /* for `stores` replies */
	SIM_THROTTLE,  /* to be admitted to a transaction */
	SIM_AT_BARRIER, /* for the other warps of its block */
	SIM_APART,     /* not a warp: its threads wait in the stack of their block */
	SIM_SYSTEM,    /* for the system, which wakes it */
};

/* What the threads of a warp do with its cycles (ledger.c). */
struct sim_ledger {
	uint64_t since;	       /* all cycles before this one are counted */
	uint64_t attempt;      /* cycles of the present attempt, of lanes without an outcome */
	uint32_t live;	       /* lanes with a thread that has not ended */
	uint32_t began;	       /* lanes that began the warp's transaction */
	uint32_t open, failed; /* of its attempt: lanes without an outcome, lanes aborted */
	uint32_t locking;      /* that acquire a lock or wait for an atomic */
	uint8_t does, before;  /* enum sim_spent: now, and up to `since` if that is ahead */
};

struct sim_warp {
	struct gputm_simt_stack *stack; /* NULL: the host compacts warps, see sim_home_lanes() */
	uint32_t *reg;	     /* [registers][SIM_MAX_LANES] of the program */
	uint32_t *kept;	     /* [kept_count][SIM_MAX_LANES], at tx_begin */
	struct sim_stray *stray_of; /* [SIM_MAX_LANES] */
	/* NULL; or register r of lane l is reg[r * SIM_MAX_LANES + slot[l]]. */
	const uint32_t *slot;
	uint32_t number;     /* in the whole machine: core * warps + index */
	uint8_t core, index;
	/* state, as are the registers */
	uint8_t block; /* slot of the core */
	bool in_tx;
	enum sim_wait wait;
	enum sim_op op;	      /* of the memory instruction that waits for replies */
	uint32_t outstanding; /* replies of that instruction */
	uint32_t stores;      /* stores on their way */
	uint32_t plain;	      /* issue slots that the present SIM_PLAIN has had; 0: none */
	uint32_t aborts;      /* highest of its lanes in this transaction */
	uint64_t ready_at;
	uint64_t started;     /* tick at which this attempt began */
	uint64_t begins;      /* the same, after its back-off */
	uint64_t asked;	      /* tick at which the warp asked for admission, plus 1; or 0 */
	uint64_t admitted;    /* tick at which it was */
	uint64_t pc_after;    /* of the tx_commit that was issued */
	uint64_t mask;	      /* lanes of the running memory instruction */
	uint64_t inside;      /* lanes whose accesses the observer gets as a transaction's */
	uint64_t address[SIM_MAX_LANES];
	uint32_t value[SIM_MAX_LANES];
	uint32_t compare[SIM_MAX_LANES];
	uint32_t version[SIM_MAX_LANES]; /* of what was loaded; only with port->version */
	uint64_t witness[SIM_MAX_LANES]; /* of critical sections */
	uint32_t thread[SIM_MAX_LANES];
	uint32_t attempt[SIM_MAX_LANES]; /* aborts of the running transaction so far */
	uint32_t loaded[SIM_MAX_LANES];	 /* by the last LOAD, CAS or ADD of the lane */
	uint32_t whole;	     /* lanes with a thread */
	uint32_t due;	     /* lanes whose loaded[] is not yet in register `into` */
	uint16_t into;
	struct sim_ledger ledger;
	uint64_t stray; /* lanes that went beyond an array in this attempt; see stray_of */
	uint32_t passed, failed; /* of the attempt */
	/* On a host that compacts warps, threads change from warp to warp of their block but stay
	 * in their lanes. At the begin and commit of an attempt all threads are at home. */
	uint8_t home[SIM_MAX_LANES]; /* warp of the core in which the thread is at home */
	/* Of a warp without a stack: where it is; lanes that run, or whose commit is open. */
	uint32_t pc, active;
};

/* Lanes of mask, lowest first: for (SIM_EACH_LANE(lane, mask)) ... */
#define SIM_EACH_LANE(lane, mask)                                                              \
	uint64_t rest_ = (mask), lane;                                                         \
	rest_ && (lane = (uint64_t)__builtin_ctzll(rest_), true);                              \
	rest_ &= rest_ - 1

/* The bits that are set, of a mask that mostly has one. */
static inline uint32_t sim_count_bits(uint32_t mask)
{
	return mask & (mask - 1) ? (uint32_t)__builtin_popcount(mask) : mask != 0;
}

/* Round-robin: the next bit of `ready` after `last`, below 64; some bit is set. */
static inline uint32_t sim_next_after(uint64_t ready, uint32_t last)
{
	uint64_t later = ready & UINT64_MAX << last << 1;

	return (uint32_t)__builtin_ctzll(later ? later : ready);
}

/* Lanes that execute. */
static inline uint64_t sim_active(const struct sim_warp *warp)
{
	return warp->stack ? gputm_simt_stack_active_mask(warp->stack) : warp->active;
}

/* The lanes of a mask that are at home in the same warp as the lowest lane, and the number of that
 * warp. Logs of threads are kept at home. */
static inline uint64_t sim_home_lanes(const struct sim_warp *warp, uint64_t mask, uint32_t *number)
{
	uint8_t home = warp->home[__builtin_ctzll(mask)];
	uint64_t lanes = 0;

	*number = warp->number;
	if (warp->stack)
		return mask;
	for (SIM_EACH_LANE(lane, mask))
		lanes |= (uint64_t)(warp->home[lane] == home) << lane;
	*number += (uint32_t)home - warp->index;
	return lanes;
}

/* Is there a store of this warp in the queue? */
bool sim_queue_has_store(const struct sim_queue *queue, const struct sim_warp *warp);

/* ---- what happens to attempts, for observers ---- */

/* Stages of an attempt; those from tx_commit on are the system's own. */
enum sim_stage {
	SIM_STAGE_EXECUTE,
	SIM_STAGE_COMMIT, /* tx_commit has issued; the system chooses what to wait for first */
	SIM_STAGE_CIDS,	  /* waits for commit IDs */
	SIM_STAGE_SEND,	  /* its logs go to the partitions */
	SIM_STAGE_VALIDATE,
	SIM_STAGE_QUEUE, /* waits for a version that can be written */
	SIM_STAGE_WRITE,
	SIM_STAGE_SEAL,
	SIM_STAGES,
};

enum sim_seen {
	SIM_SEEN_BEGIN,	 /* an attempt of lanes a runs from tick b on */
	SIM_SEEN_STAGE,	 /* its warp comes to stage a */
	SIM_SEEN_ABORT,	 /* lanes a, for reason b */
	SIM_SEEN_COMMIT, /* lanes a */
	SIM_SEEN_OVER,	 /* the attempt is; lanes run again (a = 1), or none, from tick b on */
	SIM_SEEN_WROTE,	 /* lane a has committed a write of word c */
	SIM_SEEN_LOST,	 /* lane a has lost at word c, against who wrote it last, and will abort */
	SIM_SEEN_MET,	 /* the same for a word that it writes, and that others may only read */
};

/* Gets the events of attempts, by the number of the warp. It must not change anything. */
struct sim_seer {
	void *state;
	void (*tell)(void *state, uint32_t warp, enum sim_seen what, uint64_t a, uint64_t b,
		     uint64_t c);
};

/* ---- what a system does -------------------------------------------------------- */

struct sim_system_ops {
	/* Some transactions commit without a place of their own in the serial order (see
	 * SIM_NO_PLACE and SIM_BY_VERSION); the observer then needs the versions that they read. */
	bool versions;
	/* A transaction is a critical section; its threads count as acquiring a lock until the
	 * system calls sim_locking(). */
	bool locks;
	int (*make)(struct sim_port *port); /* 0, -EINVAL or -ENOMEM */
	void (*free)(struct sim_port *port);
	/* Save or load the system's state other than units; NULL: it has none. */
	void (*io)(struct sim_port *port, struct sim_io *io);

	/*
	 * The warp has been admitted and has begun a transaction (in_tx, lanes saved), or runs
	 * again after an abort. The system may make the warp wait.
	 */
	void (*begin)(struct sim_port *port, struct sim_warp *warp, bool again);
	/*
	 * A load or store inside a transaction: warp->mask, address[], value[] are set, and the
	 * PC has moved on. The system calls sim_access() for what goes to memory, or sets
	 * loaded[], and sets the time at which the warp is ready.
	 * NULL: as outside transactions.
	 */
	void (*load)(struct sim_port *port, struct sim_warp *warp);
	void (*store)(struct sim_port *port, struct sim_warp *warp);
	/* An access of these lanes inside a transaction is about to issue, and address[] is set.
	 * Lanes that are to wait until the others have gone on, and not all of them; they access
	 * later. NULL: none does. A host may leave this out. */
	uint64_t (*pause)(struct sim_port *port, struct sim_warp *warp, bool write,
			  uint64_t lanes);
	/* The L2 serves a line of that load; message->d, bytes of the reply's data, may grow.
	 * NULL for none. */
	void (*served)(struct sim_port *port, struct sim_message *message);
	/*
	 * A load or store outside transactions, or any add. The system may change the addresses in
	 * warp->mask before the accesses go to memory. It performs stores and adds itself, and puts
	 * the old words of adds into loaded[]. NULL for none.
	 */
	void (*plain)(struct sim_port *port, struct sim_warp *warp, enum sim_op op);
	/* All replies to that load have arrived and loaded[] is set; the warp then continues. */
	void (*loaded)(struct sim_port *port, struct sim_warp *warp);
	/* tx_commit issues for the lanes that are active. The system makes the warp wait and
	 * ends the attempt with sim_tx_abort(), sim_tx_commit() and sim_tx_over(). */
	void (*commit)(struct sim_port *port, struct sim_warp *warp);

	/* A message with what >= SIM_DO_SYSTEM has arrived. */
	void (*at_partition)(struct sim_port *port, const struct sim_message *message);
	void (*at_core)(struct sim_port *port, const struct sim_message *message);
	/* The host's unit_access() with this tag is done; value[i] is word i of a read. */
	void (*completed)(struct sim_port *port, uint32_t partition, uint64_t tag,
			  const uint32_t *value);
	/*
	 * Called when sim_call_partition() asked for it, after completions and before accesses of
	 * cores are taken. Returns the tick of the next call, SIM_NEVER for none.
	 */
	uint64_t (*partition_tick)(struct sim_port *port, uint32_t partition);
	/* The same beside each core, before the core issues. */
	uint64_t (*core_tick)(struct sim_port *port, uint32_t core);
	/*
	 * Called before a warp in a transaction issues. True if the system takes over the warp; it
	 * then wakes the warp later.
	 */
	bool (*watch)(struct sim_port *port, struct sim_warp *warp);
	/* Called when an access of a core reaches its partition. True if the system keeps the
	 * access; it passes the access to host->serve() later. NULL for none. */
	bool (*hold)(struct sim_port *port, const struct sim_message *message);
	/* With port->strong: called when the L2 takes an access of a core (LOAD .. ADD) to these
	 * words of its line. True if the system keeps the access; it passes the access to
	 * host->serve() later. The system may increase message->e, the extra bytes of the reply;
	 * port->place is set. */
	bool (*keep)(struct sim_port *port, struct sim_message *message, uint32_t words);
	/* All threads have ended: complete what is left, and check it, at no cost. */
	void (*finished)(struct sim_port *port);
	/* A message of the system in a state that is loaded: sim_io_must() be one that the system
	 * sends that way, and sim_slab_claim() what it names. NULL: there are no such messages. */
	void (*check)(struct sim_port *port, const struct sim_message *message, enum sim_way way,
		      struct sim_io *io);
};

/* ---- what a host does ------------------------------------------------------------ */

struct sim_host {
	/* Send bytes of kind between core and partition; message->core, ->partition are set. */
	void (*to_partition)(struct sim_port *port, struct sim_message *message, uint32_t bytes);
	void (*to_core)(struct sim_port *port, struct sim_message *message, uint32_t bytes);
	/*
	 * Send the accesses of mask (address[], value[], compare[]) to memory. All but stores
	 * make the warp wait for their replies. touch: stores and adds that change nothing.
	 */
	void (*access)(struct sim_port *port, struct sim_warp *warp, enum sim_op op, uint64_t mask,
		       bool touch);
	/* Store the lines of these accesses in wide[]. @return their number, 0 after sim_fail(). */
	uint32_t (*lines)(struct sim_port *port, struct sim_warp *warp, bool write, uint64_t mask,
			  struct gputm_access_coalescer_access *wide);
	/* Pass an access of a core, one that the system kept or a FETCH, to its partition's
	 * memory. */
	void (*serve)(struct sim_port *port, const struct sim_message *message);
	/* Has a plain store of this warp arrived at the partition without being in memory yet? */
	bool (*storing)(const struct sim_port *port, uint32_t partition,
			const struct sim_warp *warp);
	/*
	 * A memory request of a unit beside this partition. Contents change at once, in the order
	 * of the calls; ops->completed is called when the request is done.
	 */
	void (*unit_access)(struct sim_port *port, uint32_t partition,
			    const struct gputm_mem_request *request);
	/* Warp waits until tick (at least one core cycle), or becomes ready to issue now. */
	void (*wake)(struct sim_port *port, struct sim_warp *warp, uint64_t tick);
	/* The warp issues nothing until someone wakes it. */
	void (*wait)(struct sim_port *port, struct sim_warp *warp, enum sim_wait wait);
	/* The system asks for a call of partition_tick (core_tick) at this tick. */
	void (*call_partition)(struct sim_port *port, uint32_t partition, uint64_t tick);
	void (*call_core)(struct sim_port *port, uint32_t core, uint64_t tick);
	/* The warp has left its transaction and continues at that tick. */
	void (*left)(struct sim_port *port, struct sim_warp *warp, uint64_t tick);
	/* An attempt of the warp, begun in warp->started, has ended, with these numbers of lanes
	 * committed and aborted. NULL: of no interest. */
	void (*outcome)(struct sim_port *port, struct sim_warp *warp, uint32_t commits,
			uint32_t aborts);
	/* Lanes of a running attempt fail on a host that compacts warps: the host aborts them when
	 * they are at home, with reason SIM_ABORT_WATCHDOG. NULL for other hosts. */
	void (*abandon)(struct sim_port *port, struct sim_warp *warp, uint64_t lanes);
	/* All lanes of the attempt have their outcome, and the warp is to go on at that tick. For
	 * such hosts only: others read this from the stack of the warp. */
	void (*settled)(struct sim_port *port, struct sim_warp *warp, uint64_t tick);
	/* The same as in struct sim_system_ops, of the other messages. */
	void (*check)(struct sim_port *port, const struct sim_message *message, enum sim_way way,
		      struct sim_io *io);
};

/* What a unit is part of, for its name. */
enum sim_unit_place { SIM_OF_MACHINE, SIM_OF_CORE, SIM_OF_BLOCK, SIM_OF_WARP, SIM_OF_PARTITION };

/* How to make a unit anew, for the swap test. */
struct sim_unit_kind {
	enum sim_unit_place place;
	int (*make)(struct gputm_ctx *ctx, const void *config, void **out);
	void (*free)(void *handle);
	struct gputm_unit *(*face)(void *handle);
};

struct sim_unit_slot {
	const char *role;
	uint32_t instance;
	const struct sim_unit_kind *kind;
	const void *config; /* outlives the slot */
	void *handle;	    /* where the owner keeps the pointer to its unit */
	bool idle;	    /* the unit belongs to the slot before, too */
};

/* Units that a run leaves for the next run, by their places. */
struct sim_kept_unit {
	const char *role;
	uint32_t instance;
	const struct sim_unit_kind *kind;
	void *unit; /* NULL: a part of another unit, that of the slot before, or taken */
};
struct sim_kept_units {
	struct sim_kept_unit *unit;
	size_t units;
	uint32_t warps; /* of a core: names of units depend on it */
};

struct sim_port {
	uint64_t now;
	const struct sim_host *host;
	const struct sim_system_ops *ops;
	void *state; /* the system's */
	struct sim_warp *warp; /* by number */
	struct sim_memory *memory;
	struct sim_memory *version; /* tag of the writer of each word; NULL if not asked for */
	struct sim_shape shape;
	/* The first warp of a core that never has a thread, 0: there is none; and the number of
	 * cores without threads, which are those before core 1, round the circle. */
	uint32_t idle_from, idle_cores;
	uint32_t core_ticks, unit_ticks; /* of a cycle of the cores, of the units beside the L2 */
	uint32_t interleave_shift;
	const void *system_config;
	const struct sim_workload *workload;
	const struct sim_program *program;   /* NULL: the host has no registers */
	const struct sim_observer *observer; /* NULL for none */
	const struct sim_seer *seer;	     /* the same */
	struct gputm_ctx *ctx;
	uint64_t seed;
	uint64_t witness; /* number of places given so far, for systems that count them */
	struct sim_unit_slot *unit;
	size_t units, unit_capacity;
	struct sim_kept_units *kept; /* NULL: units are made for this run, and freed after it */
	struct sim_result result;
	/* Strong isolation: a plain store comes before the transactions with its place as witness
	 * and higher ones. */
	bool strong;
	uint64_t place; /* of the access that the L2 takes */
	int failed; /* errno of the first failure, and its message */
	char error[SIM_MESSAGE];
};

/* ---- for systems ------------------------------------------------------------------ */

static inline uint64_t sim_now(const struct sim_port *port)
{
	return port->now;
}

static inline struct sim_warp *sim_warp_of(const struct sim_port *port, uint32_t core,
					   uint32_t warp)
{
	return &port->warp[core * port->shape.warps + warp];
}

/* PC after an instruction that takes no branch. */
static inline uint64_t sim_pc_after(const struct sim_port *port, uint64_t pc)
{
	return pc + 1 + (uint64_t)(int64_t)(port->program ? port->program->code[pc].hop : 0);
}

/* The warps of a core that may have threads: its first ones. */
static inline uint32_t sim_used_warps(const struct sim_port *port, uint32_t core)
{
	uint32_t cores = port->shape.cores, turn = (core ? core : cores) - 1;

	if (turn + port->idle_cores >= cores)
		return 0;
	return port->idle_from ? port->idle_from : port->shape.warps;
}

static inline bool sim_warp_is_used(const struct sim_port *port, uint32_t number)
{
	uint32_t warps = port->shape.warps;

	return number % warps < sim_used_warps(port, number / warps);
}

static inline uint64_t sim_all_lanes(const struct sim_port *port)
{
	return ~UINT64_C(0) >> (64 - port->shape.lanes);
}

static inline uint32_t sim_partition_of(const struct sim_port *port, uint64_t address)
{
	return (uint32_t)(address >> port->interleave_shift) % port->shape.partitions;
}

/* Lanes in a state that is loaded are lanes of warps. */
static inline void sim_lanes_must(const struct sim_port *port, struct sim_io *io, const char *name,
				  uint64_t lanes)
{
	sim_io_must(io, name, !(lanes & ~sim_all_lanes(port)));
}

/* Record a failure and return it; the first failure ends the run. */
int sim_fail(struct sim_port *port, int error, const char *message);

/* The same for a unit's refusal that must not happen. */
static inline void sim_must(struct sim_port *port, int result, const char *what)
{
	if (result < 0)
		sim_fail(port, result, what);
}

/* True if a field of a config agrees with the field that decides it; else the run fails. */
bool sim_same(struct sim_port *port, const char *field, uint64_t value, const char *master,
	      uint64_t wanted);
/* That of a unit in a system's config, which the machine's field of the same name decides. */
#define SIM_SAME(port, made, unit, field)                                                      \
	sim_same(port, #unit "." #field, (made)->unit.field, "machine." #field,                \
		 (port)->shape.field)

/* What struct sim_host says of each; what it has besides is called through port->host. */
static inline void sim_to_partition(struct sim_port *port, struct sim_message *message,
				    uint32_t bytes)
{
	port->host->to_partition(port, message, bytes);
}

static inline void sim_to_core(struct sim_port *port, struct sim_message *message, uint32_t bytes)
{
	port->host->to_core(port, message, bytes);
}

static inline void sim_access(struct sim_port *port, struct sim_warp *warp, enum sim_op op,
			      uint64_t mask)
{
	port->host->access(port, warp, op, mask, false);
}

static inline void sim_wake(struct sim_port *port, struct sim_warp *warp, uint64_t tick)
{
	port->host->wake(port, warp, tick);
}

/* The same, in so many cycles of the core. */
static inline void sim_wake_in(struct sim_port *port, struct sim_warp *warp, uint64_t cycles)
{
	sim_wake(port, warp, port->now + cycles * port->core_ticks);
}

static inline void sim_wait(struct sim_port *port, struct sim_warp *warp, enum sim_wait wait)
{
	port->host->wait(port, warp, wait);
}

static inline void sim_call_partition(struct sim_port *port, uint32_t partition, uint64_t tick)
{
	port->host->call_partition(port, partition, tick);
}

/* ---- attempts: for systems and hosts -------------------------------------------------- */

/* An admitted warp begins a transaction at pc. True if the warp may continue; else it waits for the
 * system. */
bool sim_tx_begin(struct sim_port *port, struct sim_warp *warp, uint64_t pc);
/* Lanes of the running attempt fail: restores the registers of tx_begin and schedules the next
 * attempt. */
void sim_tx_abort(struct sim_port *port, struct sim_warp *warp, uint64_t mask,
		  enum sim_abort_reason reason);
/* Lanes that issued tx_commit commit, each at its place (by lane) in the serial order. */
void sim_tx_commit(struct sim_port *port, struct sim_warp *warp, uint64_t mask,
		   const uint64_t witness[]);
/*
 * No lane of the attempt is left. If lanes failed, the warp runs these again from `tick` on (true);
 * else the warp leaves the transaction and continues then. Do not abort lanes while the warp waits
 * for replies.
 */
bool sim_tx_over(struct sim_port *port, struct sim_warp *warp, uint64_t tick);
/* The attempt of the warp has ended: report this to the host. For hosts that compact warps; for
 * other hosts sim_tx_over() calls it. */
void sim_outcome(struct sim_port *port, struct sim_warp *warp);
/* For hosts that compact warps: the lanes that are active begin their next attempt. */
void sim_tx_again(struct sim_port *port, struct sim_warp *warp, uint64_t tick);
/* Restore the registers of tx_begin in these lanes. */
void sim_put_back(struct sim_port *port, struct sim_warp *warp, uint64_t mask);
/* For hosts: put what has been loaded into its register. */
void sim_take_loaded(struct sim_warp *warp);
/* For hosts: a lane used an index beyond an array, outside of any attempt that could be aborted:
 * the run ends. */
void sim_fail_stray(struct sim_port *port, const struct sim_warp *warp, uint64_t lanes);
/* For hosts without warps of the port: evaluate an instruction of a kernel in up to 32 lanes.
 * thread[] names the threads; their registers are in rows from reg on; step has the mask, and room
 * for 32 addresses and values. @return the lanes that take part. A lane beyond an array's end ends
 * the run. */
uint32_t sim_evaluate_lanes(struct sim_port *port, uint32_t pc, const uint32_t *thread,
			    uint32_t *reg, struct sim_step *step);
/* Report an event to the observer of attempts. */
static inline void sim_see(const struct sim_port *port, uint32_t warp, enum sim_seen what,
			   uint64_t a, uint64_t b)
{
	if (port->seer)
		port->seer->tell(port->seer->state, warp, what, a, b, 0);
}

/* The same for the word that a lane accesses. */
static inline void sim_see_word(const struct sim_port *port, uint32_t warp, enum sim_seen what,
				uint64_t lane, uint64_t address)
{
	if (port->seer)
		port->seer->tell(port->seer->state, warp, what, lane, 0, address);
}

static inline void sim_stage(const struct sim_port *port, const struct sim_warp *warp,
			     enum sim_stage stage)
{
	sim_see(port, warp->number, SIM_SEEN_STAGE, stage, 0);
}

/* Report to the observer. */
void sim_tell_load(struct sim_port *port, struct sim_warp *warp, uint64_t mask);
void sim_tell_store(struct sim_port *port, struct sim_warp *warp, uint64_t mask);
void sim_tell_add(const struct sim_port *port, uint64_t address, uint32_t old, uint32_t value);
void sim_tell_cas(const struct sim_port *port, uint64_t address);

/* ---- where the cycles go ---------------------------------------------------------------- */

/* From now on the warp does this: TC, TO, TU, BA or NL. Threads named by the ledger's masks are
 * exceptions. The functions for attempts call this themselves. Hosts call it when a warp waits for
 * admission or at a barrier, and call sim_committing() before ops->commit. */
void sim_spends(struct sim_port *port, struct sim_warp *warp, enum sim_spent kind);
void sim_committing(struct sim_port *port, struct sim_warp *warp);
/* For hosts: these lanes have threads from now on, outside transactions. */
void sim_living(struct sim_port *port, struct sim_warp *warp, uint64_t lanes);
/* These lanes acquire a lock or wait for an atomic from now on, the others do not. */
void sim_locking(struct sim_port *port, struct sim_warp *warp, uint64_t lanes);
/* For the functions for attempts: lanes begin a transaction; abort (TA) or commit (TU) an attempt;
 * at that tick the next attempt begins, or the warp leaves the transaction. */
void sim_ledger_begin(struct sim_port *port, struct sim_warp *warp, uint64_t lanes);
void sim_ledger_ends(struct sim_port *port, struct sim_warp *warp, uint64_t lanes,
		     enum sim_spent kind);
void sim_ledger_over(struct sim_port *port, struct sim_warp *warp, bool again, uint64_t tick);
/* Add all cycles before this one, of a warp of `lanes` lanes, to spent[]. */
void sim_ledger_count(struct sim_ledger *ledger, uint64_t cycle, uint32_t lanes,
		      uint64_t spent[SIM_SPENT_KINDS]);
/* The run has ended: attempts without an outcome count as aborted. */
void sim_ledger_close(struct sim_ledger *ledger, uint64_t cycle, uint32_t lanes,
		      uint64_t spent[SIM_SPENT_KINDS]);

/* ---- units ------------------------------------------------------------------------------ */

/* Make a unit of libgputm and keep it in *handle until the run ends. Idle warps in a row, which
 * never use their units, share one set. */
int sim_unit_add(struct sim_port *port, const char *role, const struct sim_unit_kind *kind,
		 const void *config, void *handle);

/* List a part of the unit in *handle for the report: of its kind, only face is set. */
int sim_unit_show(struct sim_port *port, const char *role, const struct sim_unit_kind *kind,
		  void *handle);

/* For hosts: unit number index, in order of roles and instances, false past the last one; save
 * all of them, make them anew and load them, 0 or an error; free or keep them. */
bool sim_unit_get(const struct sim_port *port, size_t index, struct sim_unit_info *out);
struct gputm_unit *sim_unit_face(const struct sim_port *port, size_t index);
int sim_units_swap(struct sim_port *port);
/* For hosts: save or load the contents of all units. */
void sim_units_io(struct sim_port *port, struct sim_io *io);
void sim_units_free(struct sim_port *port);
/* For programs that make and free machines again and again. */
void sim_calm_allocator(void);
/* Free what is kept. */
void sim_units_forget(struct sim_kept_units *kept);

#define SIM_UNIT_KIND(UNIT, PLACE)                                                             \
	static int make_##UNIT(struct gputm_ctx *ctx, const void *config, void **out)          \
	{                                                                                      \
		struct gputm_##UNIT *unit;                                                     \
		int error = gputm_##UNIT##_new(ctx, config, &unit);                            \
                                                                                               \
		if (!error)                                                                    \
			*out = unit;                                                           \
		return error;                                                                  \
	}                                                                                      \
	static void free_##UNIT(void *handle)                                                  \
	{                                                                                      \
		gputm_##UNIT##_free(handle);                                                   \
	}                                                                                      \
	static struct gputm_unit *face_##UNIT(void *handle)                                    \
	{                                                                                      \
		return gputm_##UNIT##_unit(handle);                                            \
	}                                                                                      \
	static const struct sim_unit_kind kind_##UNIT = { PLACE, make_##UNIT, free_##UNIT,     \
							  face_##UNIT }

#endif
