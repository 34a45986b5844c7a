/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_WIRING_H
#define SIM_WIRING_H
/*
 * The inside of the machine, for its own files and for the systems that are wired to it.
 *
 * A system is called at the points listed in struct sim_system_ops. It may then use the
 * functions named sim_* of this header; it keeps its own state in machine->state.
 */
#include "gputm/access_coalescer.h"
#include "gputm/simt_stack.h"
#include "gputm/tx_throttle.h"
#include "machine.h"
#include "../base/slab.h"
#include "../base/wheel.h"

struct sim_machine;
struct sim_core;
struct sim_warp;

#define SIM_MAX_LANES 32
#define SIM_MAX_WARPS 64 /* of a core */

/* ---- messages -------------------------------------------------------------- */

/* What a message asks; a system's own numbers start at SIM_DO_SYSTEM. */
enum {
	SIM_DO_LOAD,
	SIM_DO_STORE, /* c: its words, or SIM_NO_WORDS */
	SIM_DO_CAS,
	SIM_DO_UNIT, /* b: tag; c: words, or SIM_NO_WORDS and d: the only word */
	SIM_DO_FETCH, /* as LOAD, for a system that has set lane[].loaded itself */
	SIM_DO_SYSTEM,
};

/* Travels between a core and a partition. The machine owns due; the rest is its sender's. */
struct sim_message {
	uint64_t due; /* tick */
	uint64_t a;   /* LOAD, STORE, CAS, FETCH: first byte of the line */
	uint64_t b;   /* LOAD, CAS: lanes */
	uint32_t c, d, e;
	uint16_t flits;
	uint8_t what;
	uint8_t kind; /* enum sim_traffic */
	uint8_t core, partition, warp, more;
};

/* A first-in first-out queue that grows. */
struct sim_queue {
	struct sim_message *item;
	uint32_t head, count, capacity; /* capacity: a power of two */
};

#define SIM_NO_WORDS UINT32_MAX

/* The words of a store on its way. */
struct sim_words {
	uint32_t mask;
	uint32_t value[GPUTM_MEM_WORDS];
};

/* ---- parts of the machine ---------------------------------------------------- */

enum sim_wait {
	SIM_FREE,      /* the slot holds no warp */
	SIM_READY,     /* may issue */
	SIM_UNTIL,     /* until `ready_at` */
	SIM_REPLIES,   /* for `outstanding` replies of a load or CAS */
	SIM_STORES,    /* for `stores` replies */
	SIM_THROTTLE,  /* to be admitted to a transaction */
	SIM_SYSTEM,    /* for the system, which wakes it */
};

struct sim_warp {
	struct gputm_simt_stack *stack;
	enum sim_wait wait;
	uint8_t core, index, block; /* block: slot of the core */
	bool in_tx;
	enum sim_op op;	      /* of the memory instruction that waits for replies */
	uint32_t outstanding; /* replies of that instruction */
	uint32_t stores;      /* stores on their way */
	uint32_t aborts;      /* highest of its lanes in this transaction */
	uint64_t ready_at;
	uint64_t started;     /* tick at which this attempt began */
	uint64_t asked;	      /* tick at which the warp asked to be admitted, plus 1; or 0 */
	uint64_t admitted;    /* tick at which it was */
	uint64_t pc_after;    /* of the tx_commit that was issued */
	uint64_t mask;	      /* lanes of the running memory instruction */
	uint64_t inside;      /* lanes whose accesses are told as a transaction's */
	uint64_t address[SIM_MAX_LANES];
	uint32_t value[SIM_MAX_LANES];
	uint32_t compare[SIM_MAX_LANES];
	uint32_t version[SIM_MAX_LANES]; /* of what was loaded; only with machine->version */
	uint64_t witness[SIM_MAX_LANES]; /* of critical sections */
	struct sim_lane lane[SIM_MAX_LANES];
	struct sim_lane saved[SIM_MAX_LANES]; /* at tx_begin */
};

#define SIM_TIMER 64u

struct sim_core {
	struct sim_warp *warp;
	struct gputm_access_coalescer *coalescer;
	struct gputm_tx_throttle *throttle;
	uint64_t ready;		    /* warps */
	uint64_t timer[SIM_TIMER]; /* warps to look at, by tick modulo SIM_TIMER */
	uint64_t issue_free;	    /* tick */
	uint64_t unit_due;	    /* tick of the system's next call; SIM_NEVER for none */
	uint32_t last;		    /* warp that issued last */
	uint64_t next_block;
	uint32_t free_warps, resident;
	uint32_t block_warps[64]; /* warps still running, by block slot */
};

/* What is known of a line of the L2 besides its tag. */
struct sim_line {
	uint64_t ready_at; /* tick at which its last miss completes */
	uint32_t used;	   /* by a counter, for LRU */
	bool dirty;
};

/* Completions are in order within each of these. */
enum { SIM_CORE_HIT, SIM_CORE_MISS, SIM_UNIT_HIT, SIM_UNIT_MISS, SIM_COMPLETIONS };

struct sim_partition {
	uint64_t *tag;	       /* sets x ways: number of the line plus 1; 0: empty */
	struct sim_line *line; /* the same places */
	struct sim_queue in;   /* accesses of cores that wait for the L2 */
	struct sim_queue done[SIM_COMPLETIONS];
	uint64_t due;	    /* tick of the first of them; SIM_NEVER if there is none */
	uint64_t l2_free;   /* tick */
	uint64_t dram_free; /* in ticks / 256 */
	uint64_t unit_due;  /* tick of the system's next call; SIM_NEVER for none */
	uint32_t used;
};

struct sim_port {
	struct sim_queue queue;
	uint64_t free; /* tick */
};

/* One direction of the crossbar. */
struct sim_crossbar {
	struct sim_port *source, *sink;
	enum sim_part source_part, sink_part;
};

/* How to make a unit again, for the swap test. */
struct sim_unit_kind {
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
};

struct sim_machine {
	struct sim_wheel wheel;
	struct gputm_ctx *ctx;
	struct sim_machine_config config;
	struct sim_run_options options;
	const struct sim_system_class *system;
	const void *system_config;
	const struct sim_system_ops *ops;
	void *state; /* the system's */
	const struct sim_workload *workload;
	const struct sim_program *program;
	struct sim_memory *memory;
	struct sim_memory *version; /* tag of the writer of each word; NULL if not asked for */
	struct sim_core *core;
	struct sim_partition *partition;
	struct sim_crossbar up, down; /* cores to partitions, and back */
	struct sim_slab words; /* struct sim_words */
	struct sim_unit_slot *unit;
	size_t units, unit_capacity;
	/* derived from the config, in ticks */
	uint32_t tick_mhz, core_ticks, crossbar_ticks, unit_ticks;
	uint32_t line_ticks256; /* 256ths of a tick that a line occupies DRAM */
	uint32_t interleave_shift, line_shift, sets;
	uint64_t all_lanes;
	struct gputm_simt_stack_config stack_config;
	struct gputm_access_coalescer_config coalescer_config;
	struct gputm_tx_throttle_config throttle_config;
	/* progress */
	uint64_t threads_left, blocks, last_work, next_swap, next_report, witness;
	/* when last seen that there was a commit */
	uint64_t committed_before, committed_at, aborted_before;
	uint64_t reasons_before[SIM_ABORT_REASONS];
	struct sim_result result;
	int failed; /* errno of the first failure, and its message */
	char error[256];
};

/* ---- what a system does -------------------------------------------------------- */

struct sim_system_ops {
	/* Some transactions commit without a place of their own in the serial order, see
	 * SIM_NO_PLACE and SIM_BY_VERSION: the observer needs the versions of what they read. */
	bool versions;
	int (*make)(struct sim_machine *machine); /* 0, -EINVAL or -ENOMEM */
	void (*free)(struct sim_machine *machine);

	/*
	 * The warp has been admitted and has begun a transaction (in_tx, lanes saved), or
	 * runs again after an abort. It may be made to wait.
	 */
	void (*begin)(struct sim_machine *machine, struct sim_warp *warp, bool again);
	/*
	 * A load or store inside a transaction: warp->mask, address[], value[] are set, and the
	 * PC has moved on. The system calls sim_access() for what goes to memory, or sets
	 * lane[].loaded, and sets the time at which the warp is ready.
	 * NULL: as outside transactions.
	 */
	void (*load)(struct sim_machine *machine, struct sim_warp *warp);
	void (*store)(struct sim_machine *machine, struct sim_warp *warp);
	/* The L2 serves a line of that load; message->d, bytes of the reply's data, may grow.
	 * NULL for none. */
	void (*served)(struct sim_machine *machine, struct sim_message *message);
	/*
	 * A load or store outside transactions: the system may change the addresses in warp->mask
	 * before they go to memory, and writes the values of a store itself. NULL for none.
	 */
	void (*plain)(struct sim_machine *machine, struct sim_warp *warp, enum sim_op op);
	/* All replies of that load are here (lane[].loaded is set); the warp goes on after. */
	void (*loaded)(struct sim_machine *machine, struct sim_warp *warp);
	/* tx_commit issues for the lanes that are active. The system makes the warp wait and
	 * ends the attempt with sim_tx_abort(), sim_tx_commit() and sim_tx_over(). */
	void (*commit)(struct sim_machine *machine, struct sim_warp *warp);

	/* A message with what >= SIM_DO_SYSTEM has arrived. */
	void (*at_partition)(struct sim_machine *machine, const struct sim_message *message);
	void (*at_core)(struct sim_machine *machine, const struct sim_message *message);
	/* The request of sim_unit_access() with this tag is done; value[i] is word i of a read. */
	void (*completed)(struct sim_machine *machine, uint32_t partition, uint64_t tag,
			  const uint32_t *value);
	/*
	 * Called when sim_call_partition() asked for it, after completions and before accesses
	 * of cores are taken. Gives the next tick to be called at, SIM_NEVER for none.
	 */
	uint64_t (*partition_tick)(struct sim_machine *machine, uint32_t partition);
	/* The same beside each core, before the core issues. */
	uint64_t (*core_tick)(struct sim_machine *machine, uint32_t core);
	/*
	 * Asked before a warp in a transaction issues; true if the system took over and will
	 * wake the warp.
	 */
	bool (*watch)(struct sim_machine *machine, struct sim_warp *warp);
	/* Asked when an access of a core reaches its partition; true if the system keeps it, and
	 * will hand it to sim_l2_access(). NULL for none. */
	bool (*hold)(struct sim_machine *machine, const struct sim_message *message);
	/* All threads have ended: what is left to do, and to be checked, at no cost. */
	void (*finished)(struct sim_machine *machine);
};

/* ---- for systems ------------------------------------------------------------------ */

static inline uint64_t sim_now(const struct sim_machine *machine)
{
	return machine->wheel.now;
}

static inline struct sim_warp *sim_warp_of(struct sim_machine *machine, uint32_t core,
					   uint32_t warp)
{
	return &machine->core[core].warp[warp];
}

/* Number of a warp in the whole machine. */
static inline uint32_t sim_warp_number(const struct sim_machine *machine,
				       const struct sim_warp *warp)
{
	return warp->core * machine->config.warps + warp->index;
}

static inline uint32_t sim_partition_of(const struct sim_machine *machine, uint64_t address)
{
	return (uint32_t)(address >> machine->interleave_shift) % machine->config.partitions;
}

/* First tick of the core's clock that is not before `tick`. */
static inline uint64_t sim_align(uint64_t tick, uint32_t period)
{
	return period == 1 ? tick : (tick + period - 1) / period * period;
}

/* Note a failure; the run ends with it. */
void sim_fail(struct sim_machine *machine, int error, const char *message);

/* The same if a unit has refused what it must not refuse. */
static inline void sim_must(struct sim_machine *machine, int result, const char *what)
{
	if (result < 0)
		sim_fail(machine, result, what);
}

/* True if a field of a config and the one that decides it agree; else the run fails. */
bool sim_same(struct sim_machine *machine, const char *field, uint64_t value, const char *master,
	      uint64_t wanted);
/* That of a unit in a system's config, which the machine's field of the same name decides. */
#define SIM_SAME(machine, made, unit, field)                                                   \
	sim_same(machine, #unit "." #field, (made)->unit.field, "machine." #field,             \
		 (machine)->config.field)
/* What is due now and then; for the run() of a machine of its own. */
void sim_swap_if_due(struct sim_machine *machine);
void sim_report_if_due(struct sim_machine *machine);

/* Lanes of mask, lowest first: for (SIM_EACH_LANE(lane, mask)) ... */
#define SIM_EACH_LANE(lane, mask)                                                              \
	uint64_t rest_ = (mask), lane = rest_ ? (uint64_t)__builtin_ctzll(rest_) : 0;          \
	rest_;                                                                                 \
	rest_ &= rest_ - 1, lane = rest_ ? (uint64_t)__builtin_ctzll(rest_) : 0

/* Send bytes of kind between core and partition; message->core and ->partition are set. */
void sim_send_up(struct sim_machine *machine, struct sim_message *message, uint32_t bytes);
void sim_send_down(struct sim_machine *machine, struct sim_message *message, uint32_t bytes);

/* Warp waits until tick (at least one core cycle), or becomes ready to issue now. */
void sim_warp_until(struct sim_machine *machine, struct sim_warp *warp, uint64_t tick);

/* The warp issues nothing until someone calls sim_warp_until(). */
void sim_warp_wait(struct sim_machine *machine, struct sim_warp *warp, enum sim_wait wait);

/* Send the accesses of mask (address[], value[], compare[]) to memory. A load or CAS
 * makes the warp wait for its replies. */
void sim_access(struct sim_machine *machine, struct sim_warp *warp, enum sim_op op,
		uint64_t mask);
/* The traffic and time of such stores, while the contents of memory stay. */
void sim_touch(struct sim_machine *machine, struct sim_warp *warp, uint64_t mask);

/*
 * A memory request of a unit beside the L2 of this partition. Contents change at once, in
 * the order of the calls; ops->completed is told when it is done.
 */
void sim_unit_access(struct sim_machine *machine, uint32_t partition,
		     const struct gputm_mem_request *request);

/* The access of a core goes to the L2 of its partition. */
void sim_l2_access(struct sim_machine *machine, const struct sim_message *message);

/*
 * The L2 serves a FETCH in the order of the accesses of cores, and replies to the core:
 * a: the line; b: lanes; d: bytes of the reply's data; core, warp and partition are set.
 */
void sim_l2_fetch(struct sim_machine *machine, struct sim_message *message);

/* The system wants its partition_tick (core_tick) at this tick. */
void sim_call_partition(struct sim_machine *machine, uint32_t partition, uint64_t tick);
void sim_call_core(struct sim_machine *machine, uint32_t core, uint64_t tick);

/* Lanes of the running attempt fail: registers are as at tx_begin, the next attempt is due. */
void sim_tx_abort(struct sim_machine *machine, struct sim_warp *warp, uint64_t mask,
		  enum sim_abort_reason reason);
/* Lanes that issued tx_commit commit, each at its place (by lane) in the serial order. */
void sim_tx_commit(struct sim_machine *machine, struct sim_warp *warp, uint64_t mask,
		   const uint64_t witness[]);
/*
 * No lane of the attempt is left: those that failed run again from `tick` on, or the warp
 * leaves the transaction and goes on then. True if it runs again. Lanes must not be aborted
 * while the warp waits for replies.
 */
bool sim_tx_over(struct sim_machine *machine, struct sim_warp *warp, uint64_t tick);
/* Tell the observer. */
void sim_tell_load(struct sim_machine *machine, struct sim_warp *warp, uint64_t mask);
void sim_tell_store(struct sim_machine *machine, struct sim_warp *warp, uint64_t mask);

/* Make a unit of libgputm and keep it in *handle until the machine ends. */
int sim_unit_add(struct sim_machine *machine, const char *role, const struct sim_unit_kind *kind,
		 const void *config, void *handle);

/* List a part of the unit in *handle for the report: of its kind, only face is set. */
int sim_unit_show(struct sim_machine *machine, const char *role, const struct sim_unit_kind *kind,
		  void *handle);

#define SIM_UNIT_KIND(UNIT)                                                                    \
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
	static const struct sim_unit_kind kind_##UNIT = { make_##UNIT, free_##UNIT, face_##UNIT }

/* ---- among the machine's files -------------------------------------------------------- */

int sim_units_swap(struct sim_machine *machine);
void sim_units_free(struct sim_machine *machine);

bool sim_queue_grow(struct sim_queue *queue);

static inline bool sim_queue_push(struct sim_queue *queue, const struct sim_message *message)
{
	if (queue->count == queue->capacity && !sim_queue_grow(queue))
		return false;
	queue->item[(queue->head + queue->count++) & (queue->capacity - 1)] = *message;
	return true;
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

uint32_t sim_words_take(struct sim_machine *machine);

static inline struct sim_words *sim_words_at(const struct sim_machine *machine, uint32_t index)
{
	return sim_slab_at(&machine->words, index);
}

static inline void sim_words_give(struct sim_machine *machine, uint32_t index)
{
	sim_slab_give(&machine->words, index);
}

int sim_crossbars_make(struct sim_machine *machine);
void sim_crossbars_free(struct sim_machine *machine);
void sim_crossbar_source(struct sim_machine *machine, struct sim_crossbar *crossbar,
			 uint32_t port);
/* The next message that has come to a sink port; false: none yet, and the port is called later. */
bool sim_crossbar_take(struct sim_machine *machine, struct sim_crossbar *crossbar, uint32_t port,
		       struct sim_message *out);

int sim_partitions_make(struct sim_machine *machine);
void sim_partitions_free(struct sim_machine *machine);
void sim_partition_accept(struct sim_machine *machine, const struct sim_message *message);
void sim_partition_call(struct sim_machine *machine, uint32_t index);

int sim_cores_make(struct sim_machine *machine);
void sim_cores_free(struct sim_machine *machine);
void sim_core_accept(struct sim_machine *machine, const struct sim_message *message);
void sim_core_call(struct sim_machine *machine, uint32_t index);
void sim_core_fill(struct sim_machine *machine, uint32_t index);
void sim_warp_ended(struct sim_machine *machine, struct sim_warp *warp);
void sim_issue(struct sim_machine *machine, struct sim_warp *warp);
bool sim_tx_begin(struct sim_machine *machine, struct sim_warp *warp, uint64_t pc);

#endif
