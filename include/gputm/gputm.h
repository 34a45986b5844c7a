/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_GPUTM_H
#define GPUTM_GPUTM_H
/** @file Everything at once. See gputm(7) for a map of the units. */
#include <gputm/base.h>
#include <gputm/recency_bloom.h>
#include <gputm/last_writer.h>
#include <gputm/commit_unit.h>
#include <gputm/tx_log.h>
#include <gputm/commit_sequencer.h>
#include <gputm/simt_stack.h>
#include <gputm/commit_id.h>
#include <gputm/signature.h>
#include <gputm/access_coalescer.h>
#include <gputm/tx_throttle.h>
#include <gputm/ownership_table.h>
#include <gputm/sequential_resolver.h>
#include <gputm/last_written.h>
#include <gputm/first_read.h>
#include <gputm/metadata_table.h>
#include <gputm/reader_list.h>
#include <gputm/stall_buffer.h>
#include <gputm/warp_clock.h>
#include <gputm/warp_access_filter.h>
#include <gputm/timestamp_table.h>
#include <gputm/commit_buffer.h>
#include <gputm/writer_table.h>
#include <gputm/version_table.h>
#include <gputm/validation_unit.h>
#include <gputm/row_copier.h>
#include <gputm/local_tm.h>
#include <gputm/thread_compactor.h>
#include <gputm/access_bitmap.h>
#include <gputm/write_set_log.h>
#include <gputm/device_validator.h>
#include <gputm/sync_round.h>
#include <gputm/dispatch_queues.h>
#endif /* GPUTM_GPUTM_H */
