/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_SIMT_STACK_H
#define GPUTM_SIMT_STACK_H

/**
 * @file
 * Per-warp SIMT stack: the hardware that lets the lanes of a warp take different
 * branches and brings them together again at the immediate post-dominator (Fung,
 * thesis 2015, section 2.3.3, Fig. 2.3), with likely-convergence points (3.4,
 * Fig. 3.8) and with the entries that restart aborted transactions (4.2.1,
 * Fig. 4.3).
 *
 * The top entry runs: its mask says which lanes execute and its PC what they
 * execute. For every instruction that a warp has executed the host makes one call:
 *
 *     all active lanes go on at the same PC    gputm_simt_stack_proceed()
 *     they may have gone apart                 gputm_simt_stack_diverge()
 *     lanes have ended                         gputm_simt_stack_exit()
 *     a transaction begins                     gputm_simt_stack_tx_begin()
 *     lanes of a transaction fail              gputm_simt_stack_tx_abort()
 *     lanes of a transaction commit            gputm_simt_stack_tx_commit()
 *     no lane of the attempt is left           gputm_simt_stack_tx_commit_done()
 *
 * A host that keeps a next PC for each lane instead, as most simulators do, makes one call
 * for the first three, gputm_simt_stack_update().
 *
 * Hosts whose lanes commit and abort one by one do, whenever the fate of a lane is known:
 *
 *     lane failed      gputm_simt_stack_tx_abort(stack, 1 << lane)
 *     lane committed   gputm_simt_stack_tx_commit(stack, 1 << lane, pc_after)
 *     then             if (!gputm_simt_stack_tx_running(stack))
 *                              gputm_simt_stack_tx_commit_done(stack)
 *
 * An abort may come at any time. A commit needs T on top: the branches of the attempt have met
 * again, at tx_commit, where the lanes stay active until their fates are known.
 *
 * Program counters are plain numbers of a configured width; the unit only compares
 * them. Masks have lane i in bit i. The stack is read and written in the cycle in
 * which the instruction issues, so no operation costs cycles of its own.
 *
 * The program is one function: there are no entries for calls.
 */

#include "gputm/base.h"

GPUTM_BEGIN_DECLS

/** No program counter: of a field that is not used, or no such point. */
#define GPUTM_SIMT_STACK_NO_PC UINT64_MAX
/** LPos of an entry without a likely-convergence entry. */
#define GPUTM_SIMT_STACK_NO_ENTRY UINT32_MAX
/** Deepest nesting of transactions. */
#define GPUTM_SIMT_STACK_NESTING_MAX 255u

/** One stack. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_simt_stack;

/** Geometry. */
struct gputm_simt_stack_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Lanes of the warp (1..64). */
	uint32_t lanes;
	/** Width of a program counter, bits (1..64). */
	uint32_t pc_bits;
	/** Entries; 0 stands for 2 x lanes + 2, and 3 x lanes + 2 with likely convergence
	 * (0..1024). */
	uint32_t depth;
	/** Use likely-convergence points: the fields LPC and LPos. */
	bool likely_convergence;
};
/* begin INIT */
#define GPUTM_SIMT_STACK_CONFIG_INIT \
	{ sizeof(struct gputm_simt_stack_config), \
	  /* lanes */ 32, /* pc_bits */ 32, /* depth */ 0, /* likely_convergence */ false }
/* end INIT */

/** What an operation did. */
enum gputm_simt_stack_result {
	/** The same entry goes on; PC is the one given. */
	GPUTM_SIMT_STACK_CONTINUE = 0,
	/** The top entry or its mask changed: read PC and active mask again. */
	GPUTM_SIMT_STACK_SWITCH = 1,
	/** More entries are needed than there are; nothing changed but the count of that. */
	GPUTM_SIMT_STACK_FULL = 2,
	/** Begin or commit of a nested transaction: counted, and advanced. */
	GPUTM_SIMT_STACK_NESTED = 3,
	/** Aborted lanes run the transaction again. */
	GPUTM_SIMT_STACK_RESTART = 4,
	/** All lanes have committed and the warp has left the transaction. */
	GPUTM_SIMT_STACK_LEAVE = 5,
	/** No lane is left. */
	GPUTM_SIMT_STACK_FINISH = 6,
};

/** Type of an entry (4.2.1). */
enum gputm_simt_stack_type {
	GPUTM_SIMT_STACK_TYPE_NORMAL = 0,      /**< N */
	GPUTM_SIMT_STACK_TYPE_RETRY = 1,       /**< R: lanes to restart, and where */
	GPUTM_SIMT_STACK_TYPE_TRANSACTION = 2, /**< T: the attempt that runs */
};

/** One row of the stack. */
struct gputm_simt_stack_entry {
	uint64_t pc;   /**< where its lanes go on */
	uint64_t mask; /**< lanes */
	uint64_t rpc;  /**< reconvergence point at which it is popped, or NO_PC */
	uint64_t lpc;  /**< likely-convergence point at which it is merged, or NO_PC */
	uint32_t lpos; /**< index of the likely-convergence entry it is merged with, or NO_ENTRY */
	enum gputm_simt_stack_type type;
};

/** One way out of a branch. */
struct gputm_simt_stack_target {
	uint64_t pc;
	uint64_t mask; /**< lanes that take it; may be empty */
};

/** Events; gputm_simt_stack(3) says what each tells. */
enum gputm_simt_stack_event {
	GPUTM_SIMT_STACK_EVENT_DIVERGE = 0,
	GPUTM_SIMT_STACK_EVENT_RECONVERGE = 1,
	GPUTM_SIMT_STACK_EVENT_MERGE = 2,
	GPUTM_SIMT_STACK_EVENT_BEGIN = 3,
	GPUTM_SIMT_STACK_EVENT_ABORT = 4,
	GPUTM_SIMT_STACK_EVENT_COMMIT = 5,
	GPUTM_SIMT_STACK_EVENT_RESTART = 6,
	GPUTM_SIMT_STACK_EVENT_LEAVE = 7,
	GPUTM_SIMT_STACK_EVENT_EXIT = 8,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_simt_stack_params(void);

/** Apply preset "pdom", "pdom-lcp" or "kilo-tm" on top of the defaults. @return 0; -EINVAL. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_simt_stack_config_preset(struct gputm_simt_stack_config *config, const char *name);

/** Make an empty stack. @return 0; -EINVAL; -E2BIG; -ENOMEM. All memory is taken here. */
GPUTM_API GPUTM_MUST_CHECK int gputm_simt_stack_new(struct gputm_ctx *ctx,
						    const struct gputm_simt_stack_config *config,
						    struct gputm_simt_stack **out);
/** Free a stack; NULL allowed. */
GPUTM_API void gputm_simt_stack_free(struct gputm_simt_stack *stack);
/** @return the common face of the stack. */
GPUTM_API struct gputm_unit *gputm_simt_stack_unit(struct gputm_simt_stack *stack);

/**
 * Start a warp: one normal entry of @p mask at @p pc.
 * @return 0; -EINVAL, lanes are still running, or @p mask is empty or has lanes that do not
 * exist; -ERANGE, @p pc is too wide.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_simt_stack_launch(struct gputm_simt_stack *stack,
						       uint64_t pc, uint64_t mask);

/** @return lanes of the top entry: they execute now. 0: none (finished, or an attempt is over). */
GPUTM_API uint64_t gputm_simt_stack_active_mask(const struct gputm_simt_stack *stack);
/** @return PC of the top entry; NO_PC when the stack is empty. */
GPUTM_API uint64_t gputm_simt_stack_pc(const struct gputm_simt_stack *stack);
/** Give the top entry: PC, lanes, RPC at once, for schedulers. Empty stack: NO_PC, 0, NO_PC. */
GPUTM_API void gputm_simt_stack_top(const struct gputm_simt_stack *stack,
				    struct gputm_simt_stack_entry *out);
/** @return lanes that have been launched and have not ended. */
GPUTM_API uint64_t gputm_simt_stack_live_mask(const struct gputm_simt_stack *stack);
/** @return number of entries. */
GPUTM_API size_t gputm_simt_stack_depth(const struct gputm_simt_stack *stack);
/** Give entry @p index; 0 is the bottom. @return 0; -ERANGE, past the top. */
GPUTM_API GPUTM_MUST_CHECK int gputm_simt_stack_get_entry(const struct gputm_simt_stack *stack,
							  size_t index,
							  struct gputm_simt_stack_entry *out);

/**
 * All active lanes go on at @p next_pc. If that is the RPC of the top entry, it is popped:
 * its lanes wait in the entry that stands for the reconvergence point. If it is the LPC, it
 * is popped and its lanes join the entry that LPos names.
 * @return CONTINUE; SWITCH; -EINVAL, no lane is active; -ERANGE, @p next_pc is too wide.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_simt_stack_proceed(struct gputm_simt_stack *stack,
							uint64_t next_pc);

/**
 * The active lanes leave a branch by @p count targets, each lane by exactly one. The last
 * target runs first. A target with all lanes is an advance to it, whatever @p rpc and @p lpc.
 * Lanes whose target is @p rpc or @p lpc get no entry: they wait at that point already.
 * @param target array of @p count.
 * @param rpc immediate post-dominator of the branch. NO_PC: the targets never meet; only
 * outside a transaction and where the branching entry has no RPC itself.
 * @param lpc likely-convergence point, or NO_PC. Ignored unless configured.
 * @return CONTINUE (a target with all lanes); SWITCH; FULL; -EINVAL, no lane is active, a lane
 * has no target or two, or NO_PC as @p rpc where it may not be; -ERANGE, a PC is too wide.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_simt_stack_diverge(struct gputm_simt_stack *stack,
			 const struct gputm_simt_stack_target target[], size_t count,
			 uint64_t rpc, uint64_t lpc);
/** @return what gputm_simt_stack_diverge() would; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_simt_stack_diverge_probe(const struct gputm_simt_stack *stack,
			       const struct gputm_simt_stack_target target[], size_t count,
			       uint64_t rpc, uint64_t lpc);

/**
 * Active lanes end: they leave every entry.
 * @return CONTINUE, other lanes of the top entry go on; SWITCH; FINISH; -EINVAL, @p mask has
 * lanes that are not active, or the warp is in a transaction (it has a single exit).
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_simt_stack_exit(struct gputm_simt_stack *stack,
						     uint64_t mask);

/**
 * The active lanes have executed an instruction: those of @p ended end, the others go on, each
 * at its next PC. As gputm_simt_stack_exit() and then gputm_simt_stack_proceed() or, with a
 * target for each PC, gputm_simt_stack_diverge(), in one call.
 * @param ended lanes that have ended, now or earlier; those that are not active are ignored.
 * @param next_pc array of as many as the warp has lanes; read where a lane is active and goes on.
 * @param rpc as for diverge; ignored if all lanes go to one PC. There is no likely-convergence
 * point.
 * @param last_pc the target that runs last, such as the instruction after the branch, or NO_PC.
 * The others are ordered by the highest lane of each: that with the lowest one runs first.
 * @return CONTINUE, the top entry has the same lanes but for those of @p ended; SWITCH; FULL;
 * FINISH; -EINVAL, no lane is active, NO_PC as @p rpc where it may not be, or active lanes end
 * in a transaction; -ERANGE, a PC is too wide.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_simt_stack_update(struct gputm_simt_stack *stack,
						       uint64_t ended, const uint64_t next_pc[],
						       uint64_t rpc, uint64_t last_pc);

/**
 * The active lanes execute tx_begin. Pushes an empty R entry and a T entry with the active
 * lanes, both at @p restart_pc (the instruction after tx_begin), where the lanes go on.
 * Inside a transaction it adds one to the nesting count of each active lane and advances.
 * @return SWITCH; NESTED; FULL; -EINVAL, no lane is active; -ERANGE, @p restart_pc is too
 * wide, or a lane is NESTING_MAX deep.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_simt_stack_tx_begin(struct gputm_simt_stack *stack,
							 uint64_t restart_pc);
/** @return what gputm_simt_stack_tx_begin() would; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_simt_stack_tx_begin_probe(const struct gputm_simt_stack *stack, uint64_t restart_pc);

/** @return whether the warp is in a transaction (also when its attempt has no lane left). */
GPUTM_API bool gputm_simt_stack_in_transaction(const struct gputm_simt_stack *stack);
/** @return lanes of the running attempt, active or not; 0 outside a transaction. */
GPUTM_API uint64_t gputm_simt_stack_tx_running(const struct gputm_simt_stack *stack);
/** @return lanes that wait in R for the next attempt; 0 outside a transaction. */
GPUTM_API uint64_t gputm_simt_stack_tx_retry(const struct gputm_simt_stack *stack);

/**
 * Lanes of the running attempt fail, at any time and active or not: they leave T and all
 * entries above it and wait in R. When none is left, gputm_simt_stack_tx_commit_done() is due.
 * @return CONTINUE, the top entry and its mask are as they were; SWITCH; -EINVAL, @p mask is
 * empty or has lanes that are not in the attempt.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_simt_stack_tx_abort(struct gputm_simt_stack *stack,
							 uint64_t mask);

/**
 * Lanes of the running attempt commit. All branches must have reconverged: T is on top. For
 * lanes in a nested transaction @p mask must be the active mask; their nesting counts go down
 * by one and they advance to @p pc_after.
 * @param pc_after the instruction after tx_commit; the same in all commits of a transaction.
 * @return SWITCH; NESTED; -EINVAL, not in a transaction, @p mask is empty or has lanes that
 * are not active, nested lanes are at different depths, T is not on top, or another
 * @p pc_after than before; -ERANGE, @p pc_after is too wide.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_simt_stack_tx_commit(struct gputm_simt_stack *stack,
							  uint64_t mask, uint64_t pc_after);

/**
 * The attempt is over: every lane of it has committed or aborted. If lanes wait in R, T takes
 * them at R's PC and R is empty again. Else R and T are popped and the entry below goes on at
 * the PC after the transaction (which may pop it too).
 * @return RESTART; LEAVE; -EINVAL, not in a transaction or lanes of the attempt are left.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_simt_stack_tx_commit_done(struct gputm_simt_stack *stack);

GPUTM_END_DECLS
#endif /* GPUTM_SIMT_STACK_H */
