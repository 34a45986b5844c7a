/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_LOGS_H
#define SIM_LOGS_H
/* Logs of the machine's shape, one per warp, for the systems that have them; how wide their
 * addresses are is the system's. */
#include "gputm/tx_log.h"

#include "../port/port.h"

/* Fields that no system reads. */
#define SIM_LOG_UNUSED                                                                         \
	{ "tx_log.header_bytes", "the units that send the logs make the packets", NULL },      \
		{ "tx_log.flit_bytes", "the units that send the logs make the packets", NULL }
/* Of a system that sends a store by the number of its row, when it is stored. */
#define SIM_LOG_BY_ROWS                                                                        \
	{ "tx_log.packed", "a store is sent as a row of the log, which has all its lanes", NULL }

void sim_logs_init(struct gputm_tx_log_config *config, const struct sim_shape *shape);
/* Do the logs still have the machine's shape? If not, the run fails. */
bool sim_logs_fit(struct sim_port *port, const struct gputm_tx_log_config *config);
/* Make them; the pointers to them are `stride` bytes apart, by number of the warp. */
int sim_logs_make(struct sim_port *port, const struct gputm_tx_log_config *config,
		  struct gputm_tx_log **first, size_t stride);

/*
 * Operations that a log must not refuse; otherwise the run fails. load: lanes that find their own
 * write get its value from the log and leave warp->mask; returns the rows walked.
 */
uint32_t sim_log_own_writes(struct sim_port *port, struct gputm_tx_log *log,
			    struct sim_warp *warp);
void sim_log_store(struct sim_port *port, struct gputm_tx_log *log, struct sim_warp *warp);
struct gputm_tx_log_row sim_log_row(struct sim_port *port, const struct gputm_tx_log *log,
				    enum gputm_tx_log_kind kind, uint32_t row);
void sim_log_restart(struct sim_port *port, struct gputm_tx_log *log, uint64_t lanes);

#endif
