/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * WarpTM-EL (GETM, section III): WarpTM whose validation also runs for each access, at no cost and
 * in no time. Before the instruction that follows an access of a warp, and at its tx_commit, each
 * word of its read log is compared with memory and looked for among the words that other warps
 * are committing. Lanes for which it is stale abort, and run again without back-off, as nothing
 * has left the core for them. The commit remains WarpTM's, which is what makes the transactions
 * serialisable; it fails hardly ever.
 *
 * Who commits which word are records, by warp, from tx_commit until the core knows the end.
 */

#include "logs.h"
#include "warptm.h"
#include "../base/arena.h"

static struct warp_state *state_of(struct sim_port *port, const struct sim_warp *warp)
{
	return &sim_warptm_of(port)->resolvers.core[warp->core].warp[warp->index];
}

void sim_el_load(struct sim_port *port, struct sim_warp *warp)
{
	state_of(port, warp)->accessed = true;
	sim_tcd_load(port, warp);
}

void sim_el_store(struct sim_port *port, struct sim_warp *warp)
{
	state_of(port, warp)->accessed = true;
	sim_kilo_store(port, warp);
}

static bool others_commit(const struct warptm *tm, const struct sim_warp *warp, uint64_t address)
{
	const struct sim_record *record = sim_records_first(tm->committing, address);

	while (record && record->owner == warp->number)
		record = sim_records_next(tm->committing, record);
	return record;
}

/* Lanes that have read a value which memory no longer has, or is about to lose. */
static uint64_t stale(struct sim_port *port, const struct sim_warp *warp)
{
	const struct warptm *tm = sim_warptm_of(port);
	const struct gputm_tx_log *log = tm->kilo.log[warp->number];
	uint32_t rows = gputm_tx_log_rows(log, GPUTM_TX_LOG_KIND_READ);
	uint64_t running = gputm_simt_stack_tx_running(warp->stack), lanes = 0;

	for (uint32_t i = 0; i < rows; i++) {
		struct gputm_tx_log_row row = sim_log_row(port, log, GPUTM_TX_LOG_KIND_READ, i);

		for (SIM_EACH_LANE(lane, row.mask & running & ~lanes))
			if (sim_memory_read(port->memory, row.address[lane]) != row.value[lane] ||
			    others_commit(tm, warp, row.address[lane])) {
				lanes |= UINT64_C(1) << lane;
				sim_see_word(port, warp->number, SIM_SEEN_LOST, lane,
					     row.address[lane]);
			}
	}
	return lanes;
}

/* True if no lane is left and the attempt is over. */
static bool abort_stale(struct sim_port *port, struct sim_warp *warp)
{
	uint64_t lanes = stale(port, warp);

	if (!lanes)
		return false;
	sim_log_restart(port, sim_warptm_of(port)->kilo.log[warp->number], lanes);
	sim_tx_abort(port, warp, lanes, SIM_ABORT_CONFLICT);
	if (gputm_simt_stack_tx_running(warp->stack))
		return false;
	sim_kilo_end_attempt(port, warp, 0, 0);
	return true;
}

bool sim_el_watch(struct sim_port *port, struct sim_warp *warp)
{
	struct warp_state *state = state_of(port, warp);
	bool accessed = state->accessed;

	state->accessed = false;
	return (accessed && abort_stale(port, warp)) || sim_kilo_watch(port, warp);
}

bool sim_el_commit(struct sim_port *port, struct sim_warp *warp)
{
	const struct warptm *tm = sim_warptm_of(port);
	const struct gputm_tx_log *log = tm->kilo.log[warp->number];
	uint32_t rows = gputm_tx_log_rows(log, GPUTM_TX_LOG_KIND_WRITE);

	if (abort_stale(port, warp))
		return false;
	for (uint32_t i = 0; i < rows; i++) {
		struct gputm_tx_log_row row = sim_log_row(port, log, GPUTM_TX_LOG_KIND_WRITE, i);

		for (SIM_EACH_LANE(lane, row.mask)) {
			if (!sim_records_note(tm->committing, warp->number, row.address[lane],
					      true))
				sim_fail(port, -ENOMEM, "no memory for a write set");
			sim_see_word(port, warp->number, SIM_SEEN_WROTE, lane, row.address[lane]);
		}
	}
	return true;
}

static void finished(struct sim_port *port, const struct sim_warp *warp)
{
	sim_records_forget(sim_warptm_of(port)->committing, warp->number);
}

int sim_el_make(struct sim_port *port, struct warptm *tm)
{
	tm->committing = sim_calloc(1, sizeof *tm->committing);
	tm->kilo.finished = finished;
	return tm->committing && sim_records_make(tm->committing, port->shape.cores *
								  port->shape.warps)
		       ? 0 : -ENOMEM;
}

void sim_el_free(struct warptm *tm)
{
	if (tm->committing)
		sim_records_free(tm->committing);
	sim_free(tm->committing);
}
