/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every function that takes an index, a lane, a port or a kind, called with one past its end: it is
 * refused, or its value is 0, and nothing behind the end is read (under AddressSanitizer).
 */
#include "tests/kit.h"

/* Each call with the first index past the end, in `i`, and with the largest. */
#define EACH_PAST(end) for (uint32_t i = (end), more = 2; more--; i = UINT32_MAX)

#define PAST(call)                                                                             \
	do {                                                                                   \
		int result_ = (call);                                                          \
		ck_assert_msg(result_ == -ERANGE || result_ == -EINVAL, "%s: %d", #call,       \
			      result_);                                                        \
	} while (0)

#define ZERO(call) ck_assert_msg(!(call), "%s is not 0", #call)

/* A unit with the default config, for the lines behind it. */
#define WITH(U, end)                                                                           \
	for (struct gputm_##U *u = make_##U(); u; gputm_##U##_free(u), u = NULL)               \
		EACH_PAST(end)

/* The same, past the end that a field of the config names. */
#define WITH_EACH(U, field)                                                                    \
	WITH(U, ((const struct gputm_##U##_config *)                                           \
			 gputm_unit_config(gputm_##U##_unit(u)))->field)

#define UNIT(U)                                                                                \
	__attribute__((unused)) static struct gputm_##U *make_##U(void)                        \
	{                                                                                      \
		struct gputm_##U *unit = NULL;                                                 \
                                                                                               \
		ck_assert_int_eq(gputm_##U##_new(NULL, NULL, &unit), 0);                       \
		return unit;                                                                   \
	}
#include "tests/units.h"
#undef UNIT

static const uint64_t masks[64] = { 1 }, addresses[64];
static const uint32_t words[64];
static const struct gputm_resolver_row row = { 1, addresses };
static const struct gputm_resolver_logs logs = { &row, &row, 1, 1 };
static uint64_t wide[64];
static uint32_t narrow[64];
static bool flag;

KIT_TEST(test_bounds_of_every_system)
{
	struct gputm_simt_stack_entry entry;
	struct gputm_h3_config family = GPUTM_H3_CONFIG_INIT;
	struct gputm_h3 *h3;

	ck_assert_int_eq(gputm_h3_new(NULL, &family, &h3), 0);
	EACH_PAST(family.ways)
	{
		ZERO(gputm_h3_index(h3, i, UINT64_MAX));
		ZERO(gputm_h3_row(h3, i, 0));
	}
	EACH_PAST(family.key_bits)
		ZERO(gputm_h3_row(h3, 0, i));
	gputm_h3_free(h3);
	WITH_EACH(recency_bloom, ways)
		PAST(gputm_recency_bloom_get_entry(u, i, 0, 0, wide));
	WITH_EACH(recency_bloom, entries)
		PAST(gputm_recency_bloom_get_entry(u, 0, i, 0, wide));
	WITH_EACH(recency_bloom, stamps)
	{
		PAST(gputm_recency_bloom_get_entry(u, 0, 0, i, wide));
		ZERO(gputm_unit_stat_value(gputm_recency_bloom_unit(u), "colour", wide));
	}
	WITH_EACH(signature, count)
	{
		PAST(gputm_signature_insert(u, i, 0));
		PAST(gputm_signature_maybe_contains(u, i, 0));
		PAST(gputm_signature_maybe_contains_probe(u, i, 0));
		PAST(gputm_signature_clear(u, i));
		PAST(gputm_signature_union(u, i, 0));
		PAST(gputm_signature_union(u, 0, i));
		ZERO(gputm_signature_population(u, i));
	}
	WITH(simt_stack, 0)
		PAST(gputm_simt_stack_get_entry(u, i, &entry));
	WITH_EACH(tx_throttle, warps)
	{
		PAST(gputm_tx_throttle_admit(u, i));
		PAST(gputm_tx_throttle_admit_probe(u, i));
		PAST(gputm_tx_throttle_leave(u, i));
	}
	WITH(tx_log, 2)
	{
		enum gputm_tx_log_kind kind = (enum gputm_tx_log_kind)i;
		struct gputm_tx_log_row got;

		PAST(gputm_tx_log_lookup_own_write(u, i == 2 ? 32 : i, 0, narrow, narrow));
		ZERO(gputm_tx_log_rows(u, kind));
		ZERO(gputm_tx_log_lanes(u, kind));
		PAST(gputm_tx_log_get_row(u, kind, 0, &got));
		PAST(gputm_tx_log_get_row(u, GPUTM_TX_LOG_KIND_READ, i - 2, &got));
		PAST(gputm_tx_log_get_group(u, kind, 0, 1, wide, wide));
		PAST(gputm_tx_log_get_group(u, GPUTM_TX_LOG_KIND_WRITE, i - 2, 1, wide, wide));
	}
}

KIT_TEST(test_bounds_of_warptm)
{
	struct gputm_first_read_verdict verdict;
	struct gputm_resolver_outcome out;

	WITH_EACH(last_written, ways)
		PAST(gputm_last_written_get_entry(u, i, 0, wide));
	WITH_EACH(last_written, entries)
		PAST(gputm_last_written_get_entry(u, 0, i, wide));
	WITH_EACH(first_read, warps)
	{
		PAST(gputm_first_read_begin(u, i, 1));
		PAST(gputm_first_read_issue(u, i, 1, 1));
		PAST(gputm_first_read_reply(u, i, 1, 1, false));
		PAST(gputm_first_read_reply_probe(u, i, 1, 1, false));
		PAST(gputm_first_read_finish(u, i, 1, 0, &verdict));
		PAST(gputm_first_read_finish_probe(u, i, 1, 0, &verdict));
		ZERO(gputm_first_read_conflicts(u, i));
		PAST(gputm_first_read_get_time(u, i, 0, wide));
	}
	WITH_EACH(first_read, lanes)
		PAST(gputm_first_read_get_time(u, 0, i, wide));
	WITH_EACH(ownership_table, buffers)
	{
		PAST(gputm_ownership_table_resolve(u, i, &logs, &out));
		PAST(gputm_ownership_table_construct_row(u, i, &row));
		PAST(gputm_ownership_table_match_read_row(u, i, &row));
		PAST(gputm_ownership_table_match_write_row(u, i, &row));
		PAST(gputm_ownership_table_get_result(u, i, &out));
		PAST(gputm_ownership_table_release(u, i));
		ck_assert_int_eq(gputm_ownership_table_owner(u, i, 0), -1);
	}
	WITH_EACH(sequential_resolver, lanes)
		PAST(gputm_sequential_resolver_resolve_lane(u, 0, &logs, i));
	WITH_EACH(sequential_resolver, buffers)
	{
		PAST(gputm_sequential_resolver_resolve(u, i, &logs, &out));
		PAST(gputm_sequential_resolver_resolve_lane(u, i, &logs, 0));
		PAST(gputm_sequential_resolver_get_result(u, i, &out));
		PAST(gputm_sequential_resolver_release(u, i));
	}
}

KIT_TEST(test_bounds_of_kilo_tm)
{
	const struct gputm_commit_unit_report report = {
		GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 0, 0, 1, 1, 1
	};
	struct gputm_mem_request request;

	WITH_EACH(commit_id, cores)
	{
		PAST(gputm_commit_id_acquire(u, i, 1, wide));
		PAST(gputm_commit_id_acquire_probe(u, i, 1));
		PAST(gputm_commit_id_report_retired(u, i, 0, 1, narrow));
		ZERO(gputm_commit_id_available(u, i));
	}
	WITH_EACH(commit_sequencer, warps)
	{
		PAST(gputm_commit_sequencer_attach(u, i, NULL));
		PAST(gputm_commit_sequencer_begin(u, i, 1));
		PAST(gputm_commit_sequencer_begin_probe(u, i, 1));
		PAST(gputm_commit_sequencer_push(u, i, &report));
		PAST(gputm_commit_sequencer_push_probe(u, i, &report));
	}
	WITH(commit_unit, 2)
	{
		enum gputm_commit_unit_port port = (enum gputm_commit_unit_port)i;

		PAST(gputm_commit_unit_mem_peek(u, port, &request));
		PAST(gputm_commit_unit_mem_pop(u, port));
		PAST(gputm_commit_unit_mem_take(u, port, &request));
		PAST(gputm_commit_unit_mem_complete(u, i, narrow));
		ZERO(gputm_commit_unit_entry_state(u, i));
		ZERO(gputm_commit_unit_entry_state(u, UINT64_MAX));
	}
}

KIT_TEST(test_bounds_of_getm)
{
	struct gputm_stall_buffer_request request;
	struct gputm_metadata_table_entry metadata;

	WITH_EACH(commit_buffer, blocks)
		PAST(gputm_commit_buffer_mem_complete(u, i));
	WITH(metadata_table, 4 * 256 + 4)
	{
		ck_assert_int_ge(gputm_metadata_table_get_entry(u, 4 * 256 + 3, wide, &metadata),
				 0);
		PAST(gputm_metadata_table_get_entry(u, i, wide, &metadata));
		PAST(gputm_metadata_table_estimate(u, UINT64_MAX, wide, wide));
		PAST(gputm_metadata_table_lookup(u, UINT64_MAX, &metadata));
		PAST(gputm_metadata_table_query(u, UINT64_MAX, &metadata));
		PAST(gputm_metadata_table_add_writes(u, UINT64_MAX, 1, 0, narrow));
	}
	WITH(stall_buffer, 0)
		PAST(gputm_stall_buffer_get_request(u, i, &request));
	WITH_EACH(warp_access_filter, warps)
	{
		PAST(gputm_warp_access_filter_begin(u, i, 1));
		PAST(gputm_warp_access_filter_access(u, i, true, 1, addresses, wide));
		PAST(gputm_warp_access_filter_access_probe(u, i, true, 1, addresses, wide));
		PAST(gputm_warp_access_filter_drop(u, i, 1));
		ZERO(gputm_warp_access_filter_running(u, i));
	}
	WITH_EACH(warp_clock, warps)
	{
		PAST(gputm_warp_clock_get_time(u, i, wide));
		PAST(gputm_warp_clock_abort(u, i, 1));
		PAST(gputm_warp_clock_restart(u, i, wide));
		PAST(gputm_warp_clock_commit(u, i));
	}
}

KIT_TEST(test_bounds_of_si_tm)
{
	struct gputm_timestamp_table_stamps stamps;
	struct gputm_version_table_version version;
	struct gputm_reader_list_entry entry;

	WITH(reader_list, 1u << 16)
	{
		PAST(gputm_reader_list_add(u, 0, i));
		PAST(gputm_reader_list_add_probe(u, 0, i));
		PAST(gputm_reader_list_remove(u, 0, i));
		PAST(gputm_reader_list_get_entry(u, 0, i, &entry));
		PAST(gputm_reader_list_get_entry(u, UINT64_MAX, 0, &entry));
	}
	WITH_EACH(timestamp_table, transactions)
	{
		PAST(gputm_timestamp_table_begin(u, i, 1));
		PAST(gputm_timestamp_table_add_edge(u, i, 0));
		PAST(gputm_timestamp_table_add_edge(u, 0, i));
		PAST(gputm_timestamp_table_add_edge_probe(u, i, 0));
		PAST(gputm_timestamp_table_retire(u, i, true));
		PAST(gputm_timestamp_table_release(u, i));
		PAST(gputm_timestamp_table_get_stamps(u, i, &stamps));
	}
	WITH(version_table, 0)
	{
		PAST(gputm_version_table_resolve(u, UINT64_MAX, 0, wide));
		PAST(gputm_version_table_resolve_write(u, UINT64_MAX, wide));
		PAST(gputm_version_table_resolve_plain(u, UINT64_MAX, wide));
		PAST(gputm_version_table_acquire(u, UINT64_MAX, 0, narrow, narrow));
		PAST(gputm_version_table_release(u, i, 0));
		PAST(gputm_version_table_begin_copy(u, i, narrow, narrow));
		PAST(gputm_version_table_begin_copy_probe(u, i));
		PAST(gputm_version_table_complete_copy(u, i));
		PAST(gputm_version_table_commit(u, i, 1));
		PAST(gputm_version_table_get_version(u, i, 0, &version));
	}
	WITH(version_table, 8)
	{
		if (gputm_version_table_get_version(u, 0, 0, &version))
			ck_assert_int_eq(gputm_version_table_add_region(u, 0, 1 << 16, 1 << 20, 0,
									narrow),
					 0);
		PAST(gputm_version_table_release(u, 0, i));
		PAST(gputm_version_table_get_version(u, 0, i, &version));
	}
	WITH_EACH(writer_table, transactions)
	{
		PAST(gputm_writer_table_claim(u, 0, i, 0));
		PAST(gputm_writer_table_claim_probe(u, 0, i, 0));
		PAST(gputm_writer_table_commit(u, 0, i, 1));
		PAST(gputm_writer_table_release(u, 0, i));
	}
}

KIT_TEST(test_bounds_of_local_tm)
{
	struct gputm_local_tm_place place;
	struct gputm_local_tm_shadow shadow;
	struct gputm_local_tm_masks local_masks;
	struct gputm_local_tm_begun begun;
	struct gputm_local_tm_answer answer;
	struct gputm_local_tm_ended ended;

	WITH(local_tm, 1u << 18)
	{
		PAST(gputm_local_tm_get_place(u, i, &place));
		PAST(gputm_local_tm_get_shadow(u, i, &shadow));
		PAST(gputm_local_tm_lookup(u, i, narrow));
		PAST(gputm_local_tm_update(u, i, 0));
		ZERO(gputm_local_tm_signature(u, i, 0));
		ZERO(gputm_local_tm_signature(u, 0, i));
	}
	WITH_EACH(local_tm, wavefronts)
	{
		PAST(gputm_local_tm_get_masks(u, i, &local_masks));
		ZERO(gputm_local_tm_running(u, i));
		PAST(gputm_local_tm_set_exec(u, i, 1));
		PAST(gputm_local_tm_set_vcc(u, i, 1));
		PAST(gputm_local_tm_begin(u, i, &begun));
		PAST(gputm_local_tm_begin_probe(u, i));
		PAST(gputm_local_tm_access(u, i, false, 1, words, narrow, &answer));
		PAST(gputm_local_tm_access_probe(u, i, 1, words, &answer));
		PAST(gputm_local_tm_commit(u, i, &ended));
	}
}

KIT_TEST(test_bounds_of_control_flow)
{
	const struct gputm_block_stack_target target = { 1, 2, 3, GPUTM_BLOCK_STACK_NO_PC };
	const struct gputm_warp_former_target goal = { 1, 2, 3 };
	struct gputm_block_stack_entry entry;
	struct gputm_warp_former_warp warp;

	WITH_EACH(block_priority, blocks)
	{
		PAST(gputm_block_priority_admit(u, i));
		PAST(gputm_block_priority_leave(u, i));
		PAST(gputm_block_priority_pick(u, UINT64_MAX, narrow));
		PAST(gputm_block_priority_pick_probe(u, UINT64_MAX, narrow));
	}
	WITH_EACH(block_stack, warps)
	{
		if (!gputm_block_stack_live(u))
			ck_assert_int_ge(gputm_block_stack_launch(u, 0, masks), 0);
		PAST(gputm_block_stack_get_entry(u, i, &entry));
		ZERO(gputm_block_stack_warp(u, i));
		PAST(gputm_block_stack_branch(u, i, 1, &target));
		PAST(gputm_block_stack_branch_probe(u, i, 1, &target));
		PAST(gputm_block_stack_arrive(u, i, 1));
		PAST(gputm_block_stack_exit(u, i, 1));
		PAST(gputm_block_stack_barrier(u, i));
	}
	WITH(thread_compactor, 32)
		ZERO(gputm_thread_compactor_buffer(u, i));
	WITH_EACH(warp_former, warps)
	{
		PAST(gputm_warp_former_launch(u, i, 1, 0));
		ZERO(gputm_warp_former_at_warp_barrier(u, i, wide, wide));
		ZERO(gputm_warp_former_at_block_barrier(u, i));
	}
	WITH(warp_former, 48 * 32)
	{
		PAST(gputm_warp_former_proceed(u, i, 1));
		PAST(gputm_warp_former_branch(u, i, 1, &goal));
		PAST(gputm_warp_former_exit(u, i, 1));
		PAST(gputm_warp_former_barrier(u, i, 1));
		PAST(gputm_warp_former_get_warp(u, i, &warp, &flag));
	}
}

KIT_TEST(test_bounds_of_hetm)
{
	struct gputm_write_set_log_chunk chunk;

	WITH(dispatch_queues, 64)
	{
		enum gputm_dispatch_queues_affinity affinity =
			(enum gputm_dispatch_queues_affinity)i;

		PAST(gputm_dispatch_queues_push(u, i, GPUTM_DISPATCH_QUEUES_AFFINITY_ANY, 1));
		PAST(gputm_dispatch_queues_push(u, 0, affinity, 1));
		ZERO(gputm_dispatch_queues_waiting(u, affinity));
	}
	WITH(sync_round, GPUTM_SYNC_ROUND_DEVICE_GPU + 1)
		ZERO(gputm_sync_round_may_run(u, (enum gputm_sync_round_device)i, 0));
	WITH_EACH(write_set_log, threads)
	{
		enum gputm_write_set_log_stream stream = (enum gputm_write_set_log_stream)i;

		PAST(gputm_write_set_log_append(u, i, 0, 0, 1));
		PAST(gputm_write_set_log_cut(u, stream, true, &chunk));
		ZERO(gputm_write_set_log_pending(u, stream));
	}
}

/* The call takes the widest address of 32 bits, `a`, and refuses the next one with its range.
 * Between the two, `also` tests more of the widest address. */
#define ADDRESS(U, call, also)                                                                 \
	do {                                                                                   \
		struct gputm_##U *u = NULL;                                                    \
		uint64_t a = UINT32_MAX;                                                       \
                                                                                               \
		ck_assert_int_eq(gputm_##U##_new(kit->ctx, NULL, &u), 0);                      \
		ck_assert_msg((call) >= 0, "%s: %s", #call, kit->message);                     \
		also;                                                                          \
		a++;                                                                           \
		KIT_REFUSED(-ERANGE, call, #U, "address = 4294967296", "0 .. 4294967295");     \
		gputm_##U##_free(u);                                                           \
	} while (0)
#define NOTHING ((void)0)

KIT_TEST(test_addresses_as_wide_as_their_field)
{
	struct gputm_stall_buffer_request request = { .stamp = 1 };
	struct gputm_metadata_table_entry metadata;
	uint64_t lanes[64], lost;

	ADDRESS(warp_access_filter, (lanes[0] = a, gputm_warp_access_filter_begin(u, 0, 1) ? -1 :
				     gputm_warp_access_filter_access(u, 0, true, 1, lanes, &lost)),
		NOTHING);
	ADDRESS(recency_bloom, gputm_recency_bloom_update(u, a, 1), NOTHING);
	ADDRESS(recency_bloom, gputm_recency_bloom_query(u, a, wide), NOTHING);
	ADDRESS(signature, gputm_signature_insert(u, 0, a), NOTHING);
	ADDRESS(signature, gputm_signature_maybe_contains(u, 0, a), NOTHING);
	ADDRESS(last_written, gputm_last_written_record(u, a, 0), NOTHING);
	ADDRESS(last_writer, gputm_last_writer_record(u, a, 1),
		KIT_REFUSED(-ERANGE, gputm_last_writer_record(u, a, UINT64_MAX), "cid"));
	ADDRESS(last_writer, gputm_last_writer_lookup(u, a, wide), NOTHING);
	ADDRESS(stall_buffer, (request.address = a, gputm_stall_buffer_push(u, &request)), NOTHING);
	ADDRESS(stall_buffer, gputm_stall_buffer_push_probe(u, a), NOTHING);
	ADDRESS(metadata_table, gputm_metadata_table_lookup(u, a, &metadata), NOTHING);
	ADDRESS(metadata_table, gputm_metadata_table_query(u, a, &metadata), NOTHING);
	ADDRESS(reader_list, gputm_reader_list_add(u, a, 0),
		KIT_REFUSED(-ERANGE, gputm_reader_list_add(u, a, UINT32_MAX), "transaction"));
	ADDRESS(reader_list, gputm_reader_list_entries(u, a), NOTHING);
	ADDRESS(writer_table, gputm_writer_table_claim(u, a, 0, 0),
		KIT_REFUSED(-ERANGE, gputm_writer_table_claim(u, a, UINT32_MAX, 0), "transaction"));
}
