/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_CORE_TX_LOG_H
#define GPUTM_LIB_CORE_TX_LOG_H
/* What the commit sequencer asks of a log beside the public functions. */
#include "gputm/tx_log.h"

/* @return the first row, from `row` on, in which the lane has a word of the partition; the number
 * of rows if there is none. */
uint32_t gputm__tx_log_row_of(const struct gputm_tx_log *log, enum gputm_tx_log_kind kind,
			      uint32_t row, unsigned lane, unsigned partition);

/* @return how many of the rows before number `row` are spilled. */
uint32_t gputm__tx_log_spilled(const struct gputm_tx_log *log, uint32_t row);

#endif /* GPUTM_LIB_CORE_TX_LOG_H */
