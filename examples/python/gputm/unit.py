# SPDX-License-Identifier: BSD-2-Clause
"""libgputm from Python: every kind of unit, by its name, through ctypes.

>>> filter = Unit("recency_bloom", "kilo-tm", ways=2)
>>> filter.update(0x1000, 7)
>>> filter.query(0x1000)
7
>>> filter.statistics["updates"], filter.storage_bits
(1, 8192)

The methods of a unit are the functions gputm_KIND_NAME() of its header, see man gputm_KIND_NAME, and
those that all units have, gputm_unit_NAME().
Parameters by which a function gives something back are left out: the method returns their values
instead of a result that can only be 0, or after a result that says more, or None for "there is
none". Lists are taken for arrays. What the library refuses is an Error with the library's text:

>>> filter.update(1 << 40, 7)
Traceback (most recent call last):
gputm.Error: recency_bloom: address = 1099511627776 is outside 0 .. 4294967295
>>> Unit("recency_bloom", ways=99)
Traceback (most recent call last):
gputm.Error: recency_bloom: ways = 99 is not in 1 .. 8

Events are iterated over as they come, from the first call of events() on:

>>> events = filter.events()
>>> filter.update(0x2000, 8)
>>> [event.name for event in events]
['update']

A snapshot is bytes. Handles of other units, structs and enumerators are passed as they are:

>>> other = Unit("recency_bloom", filter.config)
>>> other.load(filter.save())
>>> other.query(0x2000)
8
>>> STAT_HISTOGRAM
<stat_kind.STAT_HISTOGRAM: 3>

A struct that a function takes is made by its name, without gputm_ before it; structs has them all:

>>> structs["metadata_table_entry"](wts=5, owner=3)
metadata_table_entry(wts=5, rts=0, writes=0, owner=3, place=0, cycles=0)
>>> structs["metadata_table_entry"](wst=5)
Traceback (most recent call last):
TypeError: metadata_table_entry has no wst; it has wts, rts, writes, owner, place, cycles

A list of them is an array, too:

>>> stack, target = Unit("simt_stack", lanes=4), structs["simt_stack_target"]
>>> stack.launch(0x10, 0b1111)
>>> stack.diverge([target(0x20, 0b0011), target(0x30, 0b1100)], 2, 0x40, 2**64 - 1)
1
>>> hex(stack.pc()), bin(stack.active_mask())
('0x30', '0b1100')

The library is looked for where the system looks, or is the file that GPUTM_LIBRARY names.
"""
import collections
import ctypes
import ctypes.util
import enum
import os

# Written by write.py from the headers. A row of STRUCTS is a name and its fields, of FUNCTIONS a
# name, the code of its result (0: an error or nothing, 1: whether there is one) and its parameters.
# Codes: Q I H B are unsigned of 64, 32, 16 and 8 bits, N size_t, i int, i.NAME an enum, ? bool,
# s text, P any pointer, *NAME a handle, !NAME one that is not changed, @NAME a struct, &NAME one
# that is read, > what is given back, [ an array that is read, ] one that is written; *COUNT after
# a field: so many of it.
# begin tables
ENUMS = """\
log_level LOG_ERROR=0 LOG_WARNING=1 LOG_INFO=2
stat_kind STAT_COUNTER=0 STAT_MAXIMUM=1 STAT_GAUGE=2 STAT_HISTOGRAM=3
recency_bloom_event RECENCY_BLOOM_EVENT_UPDATE=0 RECENCY_BLOOM_EVENT_EXPIRE=1
last_writer_result LAST_WRITER_NONE=0 LAST_WRITER_EXACT=1 LAST_WRITER_FILTER=2
last_writer_record_result LAST_WRITER_REPLACED=0 LAST_WRITER_FILLED=1 LAST_WRITER_EVICTED=2
last_writer_event LAST_WRITER_EVENT_LOOKUP=0 LAST_WRITER_EVENT_RECORD=1 LAST_WRITER_EVENT_EVICT=2 LAST_WRITER_EVENT_EXPIRE=3
commit_unit_message_kind COMMIT_UNIT_MESSAGE_READ_LOG=0 COMMIT_UNIT_MESSAGE_WRITE_LOG=1 COMMIT_UNIT_MESSAGE_DONE=2 COMMIT_UNIT_MESSAGE_VERDICT=3 COMMIT_UNIT_MESSAGE_RESENT=4 COMMIT_UNIT_MESSAGE_RESENT_DONE=5
commit_unit_purpose COMMIT_UNIT_PURPOSE_HAZARD=0 COMMIT_UNIT_PURPOSE_RECORD=1 COMMIT_UNIT_PURPOSE_REVALIDATE=2 COMMIT_UNIT_PURPOSE_COMMIT=3
commit_unit_report_kind COMMIT_UNIT_REPORT_OUTCOME=0 COMMIT_UNIT_REPORT_RETIRED=1 COMMIT_UNIT_REPORT_RESEND=2 COMMIT_UNIT_REPORT_WRITTEN=3
commit_unit_buffer_policy COMMIT_UNIT_BUFFER_POLICY_ALL=1 COMMIT_UNIT_BUFFER_POLICY_ACCESSED=2 COMMIT_UNIT_BUFFER_POLICY_USED=3 COMMIT_UNIT_BUFFER_POLICY_NEEDED=4
commit_unit_empty_pool COMMIT_UNIT_EMPTY_POOL_RESEND=0 COMMIT_UNIT_EMPTY_POOL_DEFER=1
commit_unit_ordered_outcomes COMMIT_UNIT_ORDERED_OUTCOMES_FALSE=0 COMMIT_UNIT_ORDERED_OUTCOMES_TRUE=1 COMMIT_UNIT_ORDERED_OUTCOMES_PASSING=2
commit_unit_entry_done COMMIT_UNIT_ENTRY_DONE_FALSE=0 COMMIT_UNIT_ENTRY_DONE_TRUE=1 COMMIT_UNIT_ENTRY_DONE_WRITTEN=2
commit_unit_result COMMIT_UNIT_ACCEPTED=0 COMMIT_UNIT_FULL=1 COMMIT_UNIT_NOT_YET=2
commit_unit_port COMMIT_UNIT_PORT_VALIDATION=0 COMMIT_UNIT_PORT_COMMIT=1
commit_unit_state COMMIT_UNIT_STATE_UNUSED=0 COMMIT_UNIT_STATE_FILL=1 COMMIT_UNIT_STATE_HAZARD=2 COMMIT_UNIT_STATE_VALIDATE=3 COMMIT_UNIT_STATE_FINALISE=4 COMMIT_UNIT_STATE_WAIT=5 COMMIT_UNIT_STATE_READY=6 COMMIT_UNIT_STATE_WRITE=7 COMMIT_UNIT_STATE_FINISHED=8
commit_unit_event COMMIT_UNIT_EVENT_VALIDATE=0 COMMIT_UNIT_EVENT_REVALIDATE=1 COMMIT_UNIT_EVENT_BEGIN=2 COMMIT_UNIT_EVENT_HAZARD=3 COMMIT_UNIT_EVENT_OUTCOME=4 COMMIT_UNIT_EVENT_VERDICT=5 COMMIT_UNIT_EVENT_ISSUE=6 COMMIT_UNIT_EVENT_WRITE=7 COMMIT_UNIT_EVENT_RETIRE=8 COMMIT_UNIT_EVENT_RESEND=9
commit_unit_offer COMMIT_UNIT_OFFER_REPORT=1 COMMIT_UNIT_OFFER_READ=2 COMMIT_UNIT_OFFER_WRITE=4 COMMIT_UNIT_OFFER_MOVED=8
tx_log_filter TX_LOG_FILTER_NONE=0 TX_LOG_FILTER_SIGNATURE=1 TX_LOG_FILTER_PERFECT=2
tx_log_kind TX_LOG_KIND_READ=0 TX_LOG_KIND_WRITE=1
tx_log_result TX_LOG_CACHED=0 TX_LOG_SPILLED=1
tx_log_event TX_LOG_EVENT_APPEND=0 TX_LOG_EVENT_LOOKUP=1 TX_LOG_EVENT_RESTART=2
commit_sequencer_mode COMMIT_SEQUENCER_MODE_SCALAR=0 COMMIT_SEQUENCER_MODE_WARP=1
commit_sequencer_pack COMMIT_SEQUENCER_PACK_NONE=0 COMMIT_SEQUENCER_PACK_ROWS=1
commit_sequencer_result COMMIT_SEQUENCER_OK=0 COMMIT_SEQUENCER_BUSY=1
commit_sequencer_event COMMIT_SEQUENCER_EVENT_BEGIN=0 COMMIT_SEQUENCER_EVENT_GRANT=1 COMMIT_SEQUENCER_EVENT_ROW=2 COMMIT_SEQUENCER_EVENT_FILL=3 COMMIT_SEQUENCER_EVENT_VERDICT=4 COMMIT_SEQUENCER_EVENT_FINISH=5 COMMIT_SEQUENCER_EVENT_RETIRE=6 COMMIT_SEQUENCER_EVENT_RESEND=7
commit_sequencer_offer COMMIT_SEQUENCER_OFFER_PACKET=1 COMMIT_SEQUENCER_OFFER_DONE=2 COMMIT_SEQUENCER_OFFER_RETIRED=4
simt_stack_result SIMT_STACK_CONTINUE=0 SIMT_STACK_SWITCH=1 SIMT_STACK_FULL=2 SIMT_STACK_NESTED=3 SIMT_STACK_RESTART=4 SIMT_STACK_LEAVE=5 SIMT_STACK_FINISH=6
simt_stack_type SIMT_STACK_TYPE_NORMAL=0 SIMT_STACK_TYPE_RETRY=1 SIMT_STACK_TYPE_TRANSACTION=2
simt_stack_event SIMT_STACK_EVENT_DIVERGE=0 SIMT_STACK_EVENT_RECONVERGE=1 SIMT_STACK_EVENT_MERGE=2 SIMT_STACK_EVENT_BEGIN=3 SIMT_STACK_EVENT_ABORT=4 SIMT_STACK_EVENT_COMMIT=5 SIMT_STACK_EVENT_RESTART=6 SIMT_STACK_EVENT_LEAVE=7 SIMT_STACK_EVENT_EXIT=8
commit_id_pools COMMIT_ID_POOLS_SHARED=0 COMMIT_ID_POOLS_PER_CORE=1
commit_id_result COMMIT_ID_OK=0 COMMIT_ID_SHORT=1 COMMIT_ID_WINDOW=2
commit_id_event COMMIT_ID_EVENT_ACQUIRE=0 COMMIT_ID_EVENT_REFUSE=1 COMMIT_ID_EVENT_RETURN=2
signature_hash SIGNATURE_HASH_H3=0 SIGNATURE_HASH_MODULO=1
signature_result SIGNATURE_ABSENT=0 SIGNATURE_MAYBE=1
signature_event SIGNATURE_EVENT_INSERT=0 SIGNATURE_EVENT_LOOKUP=1 SIGNATURE_EVENT_MATCH=2 SIGNATURE_EVENT_CLEAR=3 SIGNATURE_EVENT_UNION=4
access_coalescer_event ACCESS_COALESCER_EVENT_GROUP=0
tx_throttle_policy TX_THROTTLE_POLICY_FIXED=0 TX_THROTTLE_POLICY_ABORTS=1 TX_THROTTLE_POLICY_CLIMB=2
tx_throttle_result TX_THROTTLE_ADMITTED=0 TX_THROTTLE_WAIT=1
tx_throttle_report_result TX_THROTTLE_KEPT=0 TX_THROTTLE_RAISED=1 TX_THROTTLE_LOWERED=2
tx_throttle_event TX_THROTTLE_EVENT_ADMIT=0 TX_THROTTLE_EVENT_QUEUE=1 TX_THROTTLE_EVENT_LEAVE=2 TX_THROTTLE_EVENT_WINDOW=3
ownership_table_hash OWNERSHIP_TABLE_HASH_LOW_BITS=0 OWNERSHIP_TABLE_HASH_H3=1 OWNERSHIP_TABLE_HASH_RELEASED=2
resolver_result RESOLVER_ACQUIRED=0 RESOLVER_BUSY=1
ownership_table_event OWNERSHIP_TABLE_EVENT_ACQUIRE=0 OWNERSHIP_TABLE_EVENT_CONSTRUCT=1 OWNERSHIP_TABLE_EVENT_MATCH=2 OWNERSHIP_TABLE_EVENT_RELEASE=3
sequential_resolver_result SEQUENTIAL_RESOLVER_SURVIVES=0 SEQUENTIAL_RESOLVER_ABORTS=1
sequential_resolver_event SEQUENTIAL_RESOLVER_EVENT_ACQUIRE=0 SEQUENTIAL_RESOLVER_EVENT_LANE=1 SEQUENTIAL_RESOLVER_EVENT_RELEASE=2
last_written_event LAST_WRITTEN_EVENT_RECORD=0 LAST_WRITTEN_EVENT_QUERY=1 LAST_WRITTEN_EVENT_EXPIRE=2
first_read_result FIRST_READ_CLEAN=0 FIRST_READ_CONFLICT=1
first_read_event FIRST_READ_EVENT_BEGIN=0 FIRST_READ_EVENT_FIRST=1 FIRST_READ_EVENT_REPLY=2 FIRST_READ_EVENT_FINISH=3
reference_count_table_result REFERENCE_COUNT_TABLE_COUNTED=0 REFERENCE_COUNT_TABLE_CHANGED=1 REFERENCE_COUNT_TABLE_IGNORED=2
reference_count_table_event REFERENCE_COUNT_TABLE_EVENT_ADD=0 REFERENCE_COUNT_TABLE_EVENT_REMOVE=1 REFERENCE_COUNT_TABLE_EVENT_IGNORE=2
conflict_address_table_result CONFLICT_ADDRESS_TABLE_CHANGED=0 CONFLICT_ADDRESS_TABLE_UNCHANGED=1 CONFLICT_ADDRESS_TABLE_FULL=2
conflict_address_table_event CONFLICT_ADDRESS_TABLE_EVENT_INSERT=0 CONFLICT_ADDRESS_TABLE_EVENT_REMOVE=1 CONFLICT_ADDRESS_TABLE_EVENT_CONFLICT=2 CONFLICT_ADDRESS_TABLE_EVENT_PAUSE=3
metadata_table_approximate METADATA_TABLE_APPROXIMATE_FILTER=0 METADATA_TABLE_APPROXIMATE_REGISTERS=1
metadata_table_result METADATA_TABLE_MISS=0 METADATA_TABLE_HIT=1
metadata_table_update_result METADATA_TABLE_UPDATED=0 METADATA_TABLE_RECLAIMED=1 METADATA_TABLE_FILLED=2 METADATA_TABLE_EVICTED=3 METADATA_TABLE_STASHED=4 METADATA_TABLE_SPILLED=5 METADATA_TABLE_APPROXIMATED=6
metadata_table_remove_result METADATA_TABLE_REMOVED=0 METADATA_TABLE_ABSENT=1 METADATA_TABLE_LOCKED=2
metadata_table_event METADATA_TABLE_EVENT_INSERT=0 METADATA_TABLE_EVENT_EVICT=1 METADATA_TABLE_EVENT_SPILL=2 METADATA_TABLE_EVENT_FLUSH=3
reader_list_result READER_LIST_ADDED=0 READER_LIST_ALREADY=1 READER_LIST_FULL=2
reader_list_type READER_LIST_TYPE_UNUSED=0 READER_LIST_TYPE_PLAIN=1 READER_LIST_TYPE_ROOT=2 READER_LIST_TYPE_LEAF=3
reader_list_event READER_LIST_EVENT_ADD=0 READER_LIST_EVENT_REMOVE=1 READER_LIST_EVENT_REFUSE=2 READER_LIST_EVENT_EXPAND=3 READER_LIST_EVENT_FOLD=4
stall_buffer_result STALL_BUFFER_QUEUED=0 STALL_BUFFER_NO_LINE=1 STALL_BUFFER_NO_SLOT=2
stall_buffer_wake_result STALL_BUFFER_NONE=0 STALL_BUFFER_WOKEN=1
stall_buffer_event STALL_BUFFER_EVENT_PUSH=0 STALL_BUFFER_EVENT_WAKE=1
warp_clock_result WARP_CLOCK_OK=0 WARP_CLOCK_ROLLOVER=1
warp_clock_event WARP_CLOCK_EVENT_RESTART=0 WARP_CLOCK_EVENT_COMMIT=1 WARP_CLOCK_EVENT_RESET=2
warp_access_filter_event WARP_ACCESS_FILTER_EVENT_ACCESS=0 WARP_ACCESS_FILTER_EVENT_BEGIN=1
timestamp_table_result TIMESTAMP_TABLE_OK=0 TIMESTAMP_TABLE_LOOP=1 TIMESTAMP_TABLE_OVERFLOW=2
timestamp_table_state TIMESTAMP_TABLE_STATE_IDLE=0 TIMESTAMP_TABLE_STATE_RUNNING=1 TIMESTAMP_TABLE_STATE_COMMITTED=2
timestamp_table_event TIMESTAMP_TABLE_EVENT_BEGIN=0 TIMESTAMP_TABLE_EVENT_EDGE=1 TIMESTAMP_TABLE_EVENT_RETIRE=2 TIMESTAMP_TABLE_EVENT_RELEASE=3 TIMESTAMP_TABLE_EVENT_RESTART=4
commit_buffer_result COMMIT_BUFFER_ACCEPTED=0 COMMIT_BUFFER_JOINED=1 COMMIT_BUFFER_FULL=2
commit_buffer_event COMMIT_BUFFER_EVENT_PUSH=0 COMMIT_BUFFER_EVENT_ISSUE=1 COMMIT_BUFFER_EVENT_RELEASE=2
commit_buffer_offer COMMIT_BUFFER_OFFER_RELEASE=1 COMMIT_BUFFER_OFFER_WRITE=2
writer_table_result WRITER_TABLE_CLAIMED=0 WRITER_TABLE_OWN=1 WRITER_TABLE_HELD=2 WRITER_TABLE_CONFLICT=3 WRITER_TABLE_FULL=4
writer_table_event WRITER_TABLE_EVENT_CLAIM=0 WRITER_TABLE_EVENT_REFUSE=1 WRITER_TABLE_EVENT_COMMIT=2 WRITER_TABLE_EVENT_RELEASE=3
version_table_result VERSION_TABLE_OK=0 VERSION_TABLE_PLAIN=1 VERSION_TABLE_STALE=2 VERSION_TABLE_WAIT=3 VERSION_TABLE_OVERFLOW=4 VERSION_TABLE_FULL=5
version_table_state VERSION_TABLE_STATE_COPYING=1 VERSION_TABLE_STATE_WRITABLE=2 VERSION_TABLE_STATE_READABLE=3 VERSION_TABLE_STATE_FREE=4
version_table_event VERSION_TABLE_EVENT_BEGIN_COPY=0 VERSION_TABLE_EVENT_COMPLETE_COPY=1 VERSION_TABLE_EVENT_SEAL=2 VERSION_TABLE_EVENT_RECYCLE=3 VERSION_TABLE_EVENT_ACQUIRE=4 VERSION_TABLE_EVENT_RELEASE=5 VERSION_TABLE_EVENT_RESTART=6
validation_unit_result VALIDATION_UNIT_OK=0 VALIDATION_UNIT_ABORT=1 VALIDATION_UNIT_STALLED=2 VALIDATION_UNIT_NONE=3
validation_unit_reason VALIDATION_UNIT_REASON_GRANTED=0 VALIDATION_UNIT_REASON_LOAD_WTS=1 VALIDATION_UNIT_REASON_STORE_WTS=2 VALIDATION_UNIT_REASON_STORE_RTS=3 VALIDATION_UNIT_REASON_BUFFER=4 VALIDATION_UNIT_REASON_COUNT=5 VALIDATION_UNIT_REASON_ROLLOVER=6
validation_unit_push_result VALIDATION_UNIT_ACCEPTED=0 VALIDATION_UNIT_PORT_FULL=1
validation_unit_state VALIDATION_UNIT_STATE_RUNNING=0 VALIDATION_UNIT_STATE_STOPPED=1 VALIDATION_UNIT_STATE_ALL_STOPPED=2 VALIDATION_UNIT_STATE_ROLLING=3
validation_unit_event VALIDATION_UNIT_EVENT_ANSWER=0 VALIDATION_UNIT_EVENT_RELEASE=1 VALIDATION_UNIT_EVENT_STATE=2
validation_unit_offer VALIDATION_UNIT_OFFER_ANSWER=1 VALIDATION_UNIT_OFFER_MESSAGE=2
row_copier_result ROW_COPIER_OK=0 ROW_COPIER_FULL=1
row_copier_event ROW_COPIER_EVENT_PUSH=0 ROW_COPIER_EVENT_COMPLETE=1
row_copier_offer ROW_COPIER_OFFER_COPY=1
local_tm_lane_cost LOCAL_TM_LANE_COST_SLOWEST=0 LOCAL_TM_LANE_COST_SUM=1
local_tm_result LOCAL_TM_OK=0 LOCAL_TM_CONFLICT=1 LOCAL_TM_RETRY=2 LOCAL_TM_HELD=3 LOCAL_TM_NESTED=4
local_tm_mode LOCAL_TM_MODE_NORMAL=0 LOCAL_TM_MODE_TX=1 LOCAL_TM_MODE_WAVEFRONT=2 LOCAL_TM_MODE_GROUP=3
local_tm_state LOCAL_TM_STATE_OUTSIDE=0 LOCAL_TM_STATE_RUNNING=1 LOCAL_TM_STATE_RESTART=2 LOCAL_TM_STATE_EVICTED=3
local_tm_event LOCAL_TM_EVENT_BEGIN=0 LOCAL_TM_EVENT_ACCESS=1 LOCAL_TM_EVENT_CONFLICT=2 LOCAL_TM_EVENT_EVICT=3 LOCAL_TM_EVENT_COMMIT=4
thread_compactor_result THREAD_COMPACTOR_OK=0 THREAD_COMPACTOR_BUSY=1
thread_compactor_event THREAD_COMPACTOR_EVENT_PUSH=0 THREAD_COMPACTOR_EVENT_WARP=1
thread_compactor_offer THREAD_COMPACTOR_OFFER_WARP=1
access_bitmap_event ACCESS_BITMAP_EVENT_CLEAR=0
write_set_log_stream WRITE_SET_LOG_STREAM_EARLY=0 WRITE_SET_LOG_STREAM_SHIP=1 WRITE_SET_LOG_STREAM_REPLAY=2
write_set_log_result WRITE_SET_LOG_CHUNK=0 WRITE_SET_LOG_NONE=1
write_set_log_event WRITE_SET_LOG_EVENT_APPEND=0 WRITE_SET_LOG_EVENT_CUT=1 WRITE_SET_LOG_EVENT_BEGIN=2
device_validator_mode DEVICE_VALIDATOR_MODE_APPLY=0 DEVICE_VALIDATOR_MODE_EARLY=1 DEVICE_VALIDATOR_MODE_REPLAY=2
device_validator_event DEVICE_VALIDATOR_EVENT_CHUNK=0 DEVICE_VALIDATOR_EVENT_BEGIN=1
sync_round_device SYNC_ROUND_DEVICE_CPU=1 SYNC_ROUND_DEVICE_GPU=2
sync_round_action SYNC_ROUND_ACTION_RUN=0 SYNC_ROUND_ACTION_DRAIN=1 SYNC_ROUND_ACTION_EARLY=2 SYNC_ROUND_ACTION_SHIP=3 SYNC_ROUND_ACTION_SHADOW=4 SYNC_ROUND_ACTION_COPY_BACK=5 SYNC_ROUND_ACTION_REPLAY=6 SYNC_ROUND_ACTION_REALIGN=7 SYNC_ROUND_ACTION_END=8
sync_round_state SYNC_ROUND_STATE_IDLE=0 SYNC_ROUND_STATE_EXECUTION=1 SYNC_ROUND_STATE_VALIDATION=2 SYNC_ROUND_STATE_MERGE=3
sync_round_event SYNC_ROUND_EVENT_STATE=0 SYNC_ROUND_EVENT_COMPLETE=1
dispatch_queues_affinity DISPATCH_QUEUES_AFFINITY_ANY=0 DISPATCH_QUEUES_AFFINITY_CPU=1 DISPATCH_QUEUES_AFFINITY_GPU=2
dispatch_queues_result DISPATCH_QUEUES_TAKEN=0 DISPATCH_QUEUES_EMPTY=1
dispatch_queues_event DISPATCH_QUEUES_EVENT_PUSH=0 DISPATCH_QUEUES_EVENT_DEQUEUE=1 DISPATCH_QUEUES_EVENT_DEQUEUE_BATCH=2 DISPATCH_QUEUES_EVENT_COMMIT=3 DISPATCH_QUEUES_EVENT_ABORT=4
block_stack_result BLOCK_STACK_CONTINUE=0 BLOCK_STACK_WAIT=1 BLOCK_STACK_COMPACT=2 BLOCK_STACK_FULL=3 BLOCK_STACK_FINISH=4 BLOCK_STACK_RELEASE=5 BLOCK_STACK_COMMIT=6
block_stack_event BLOCK_STACK_EVENT_LAUNCH=0 BLOCK_STACK_EVENT_ADMIT=1 BLOCK_STACK_EVENT_BRANCH=2 BLOCK_STACK_EVENT_ARRIVE=3 BLOCK_STACK_EVENT_EXIT=4 BLOCK_STACK_EVENT_RECONVERGE=5 BLOCK_STACK_EVENT_MERGE=6 BLOCK_STACK_EVENT_EMPTY=7 BLOCK_STACK_EVENT_TOP=8 BLOCK_STACK_EVENT_RELEASE=9 BLOCK_STACK_EVENT_TX_BEGIN=10 BLOCK_STACK_EVENT_TX_COMMIT=11 BLOCK_STACK_EVENT_TX_ABORT=12 BLOCK_STACK_EVENT_TX_REPORT=13 BLOCK_STACK_EVENT_RESTART=14 BLOCK_STACK_EVENT_LEAVE=15
block_priority_policy BLOCK_PRIORITY_POLICY_AGE=0 BLOCK_PRIORITY_POLICY_RRB=1 BLOCK_PRIORITY_POLICY_SRR=2
block_priority_result BLOCK_PRIORITY_IDLE=0 BLOCK_PRIORITY_ISSUE=1
block_priority_event BLOCK_PRIORITY_EVENT_ADMIT=0 BLOCK_PRIORITY_EVENT_LEAVE=1 BLOCK_PRIORITY_EVENT_ISSUE=2
warp_former_result WARP_FORMER_OK=0 WARP_FORMER_EMPTY=1 WARP_FORMER_HELD=2 WARP_FORMER_FINISH=3
warp_former_event WARP_FORMER_EVENT_LAUNCH=0 WARP_FORMER_EVENT_ISSUE=1 WARP_FORMER_EVENT_RETURN=2 WARP_FORMER_EVENT_MERGE=3 WARP_FORMER_EVENT_DIVERGE=4 WARP_FORMER_EVENT_RESTORE=5 WARP_FORMER_EVENT_EXIT=6 WARP_FORMER_EVENT_RELEASE=7
"""
STRUCTS = """\
allocator alloc:P free:P state:P alloc_zero:P
param name:s offset:I bytes:I min:Q max:Q def:Q power_of_two:? summary:s source:s choices:P
pair field:s value:Q
preset name:s summary:s value:@pair*16
params kind:s config_size:N param:[@param param_count:N preset:[@preset preset_count:N
stat name:s measure:s summary:s kind:i.stat_kind value:Q bucket:[Q
storage name:s entries:Q bits:Q ports:I apart:?
event name:s kind:I value:Q*4
event_field name:s measure:s summary:s choices:P choice_count:N
event_kind name:s summary:s field:@event_field*4
mem_request tag:Q address:Q word_mask:I write:? value:I*32
h3_config size:N ways:I index_bits:I key_bits:I seed:Q rows:[I
recency_bloom_config size:N ways:I entries:I stamp_bits:I stamps:I granularity:I address_bits:I empty_stamp:Q seed:Q h3_rows:[I
last_writer_config size:N sets:I ways:I filter_ways:I filter_buckets:I cid_bits:I address_bits:I word_bytes:I seed:Q table_rows:[I filter_rows:[I
commit_unit_word address:Q value:I lane:I
commit_unit_message kind:I purpose:I first_cid:Q lanes:I words:I mask:Q yes:Q word:@commit_unit_word*64
commit_unit_report kind:I purpose:I first_cid:Q lanes:I mask:Q yes:Q
commit_unit_config size:N warp_mode:? ring:I cid_bits:I lanes:I address_bits:I buffer_words:I buffers:I buffer_policy:I region_bytes:I hazard_rate:I input_depth:I resent_depth:I output_depth:I port_words:I history_sets:I history_ways:I filter_ways:I filter_buckets:I pending_block:I pending_entries:I first_cid:Q seed:Q history_rows:[I history_filter_rows:[I serial_input:? ordered_outcomes:B entry_done:B empty_pool:I
tx_log_config size:N lanes:I address_bits:I partitions:I interleave:I l1_rows:I reserve_rows:I filter:I header_bytes:I flit_bytes:I packed:Q
tx_log_lookup hits:Q walked:Q rows:I
tx_log_row mask:Q address:[Q value:[I spilled:?
commit_sequencer_config size:N warps:I lanes:I partitions:I mode:I intra_warp_resolved:? pack:I pack_done:? pack_verdict:? slots:I output_packets:I resend_requests:I spilled_row_cycles:I backoff_base:I backoff_cap:I watchdog_cycles:Q logs:P
commit_sequencer_done warp:I pass:Q fail:Q first_cid:Q with_cid:Q
commit_sequencer_retired warp:I first_cid:Q count:I
simt_stack_config size:N lanes:I pc_bits:I depth:I likely_convergence:?
simt_stack_entry pc:Q mask:Q rpc:Q lpc:Q lpos:I type:i.simt_stack_type
simt_stack_target pc:Q mask:Q
commit_id_config size:N cores:I partitions:I ring:I pools:I credits:I first_cid:Q
signature_config size:N count:I bits:I hashes:I hash:I granularity:I address_bits:I seed:Q h3_rows:[I
access_coalescer_config size:N region_bytes:I lanes:I words:I address_bits:I
access_coalescer_word address:Q value:I lane:I
access_coalescer_access address:Q lane_mask:Q word_mask:I words:I value:I*32
access_coalescer_summary accesses:I words:I duplicates:I saved:I
tx_throttle_config size:N warps:I limit:I policy:I window:I raise_below:I lower_from:I highest:I
ownership_table_config size:N lanes:I entries:I granularity:I hash:I exact:? buffers:I address_bits:I access_bytes:I log_cycles:I table_cycles:I seed:Q h3_rows:[I
resolver_row mask:Q address:[Q
resolver_logs read:[@resolver_row write:[@resolver_row read_rows:I write_rows:I
resolver_outcome survived:Q aborted:Q initialise_cycles:Q construct_cycles:Q match_cycles:Q log_rows:Q steps:Q
sequential_resolver_config size:N lanes:I filter_bits:I hashes:I granularity:I exact:? buffers:I address_bits:I access_bytes:I log_cycles:I seed:Q
last_written_config size:N ways:I entries:I time_bits:I granularity:I address_bits:I seed:Q h3_rows:[I
first_read_config size:N warps:I lanes:I time_bits:I guard_writeback:?
first_read_verdict silent:Q second_chance:Q read_write:Q
reference_count_table_config size:N entries:I count_bits:I granularity:I address_bits:I
conflict_address_table_config size:N entries:I granularity:I address_bits:I write_write:?
metadata_table_config size:N ways:I entries:I stash:I granularity:I address_bits:I time_bits:I warp_bits:I count_bits:I owner_bits:I longest_chain:I evict_above:I approximate:I filter_ways:I filter_entries:I memory_latency:I seed:Q table_rows:[I filter_rows:[I
metadata_table_entry wts:Q rts:Q writes:I owner:I place:I cycles:I
reader_list_config size:N entries:I root_bits:I leaf_bits:I address_bits:I word_bytes:I fold:?
reader_list_entry type:i.reader_list_type count:I id:I*3 vector:Q position:I
stall_buffer_config size:N lines:I requests:I granularity:I address_bits:I stamp_bits:I warp_bits:I tag_bits:I
stall_buffer_request address:Q stamp:Q tag:Q warp:I
warp_clock_config size:N warps:I time_bits:I margin:Q backoff_base:I backoff_limit:I seed:Q backoff_patience:I per_core:?
warp_access_filter_config size:N warps:I lanes:I word_bytes:I address_bits:I words:I
timestamp_table_config size:N transactions:I stamp_bits:I increment:I literal:? signed_unset:?
timestamp_table_stamps state:i.timestamp_table_state cts:I pdts:I prev:I
commit_buffer_config size:N blocks:I block_bytes:I granularity:I window:I address_bits:I
commit_buffer_entry address:Q sequence:Q warp:I value:I count:I cleanup:?
commit_buffer_release address:Q sequence:Q warp:I count:I committed:?
writer_table_config size:N entries:I transactions:I address_bits:I word_bytes:I version_bits:I release_at_commit:?
writer_table_request address:Q snapshot:Q tx:I
writer_table_writer tx:I committed:? version:Q
version_table_config size:N regions:I versions:I row_shift:I time_bits:I address_bits:I stamp_bits:I reference_bits:I plain_as_given:? lazy:?
version_table_version state:i.version_table_state address:Q created:Q references:I stamp:Q
validation_unit_config size:N paper_order:? time_bits:I warp_bits:I sequence_bits:I margin:Q id:I units:I input:I output:I stall_lines:I stall_requests:I ways:I entries:I stash:I granularity:I address_bits:I count_bits:I longest_chain:I evict_above:I approximate:I filter_ways:I filter_entries:I memory_latency:I seed:Q table_rows:[I filter_rows:[I access_delay:Q report_highest:?
validation_unit_request tag:Q address:Q time:Q sequence:Q warp:I write:?
validation_unit_answer tag:Q time:Q result:I reason:I cycles:I
validation_unit_granule wts:Q rts:Q writes:I owner:I
validation_unit_message go:I from:I
row_copier_config size:N row_bytes:I row_cycles:I subarrays:I banks:I requests:I address_bits:I
row_copier_request tag:Q source:Q destination:Q bytes:Q
local_tm_config size:N wavefronts:I lanes:I banks:I signature_bits:I local_bytes:I words:I registers:I lane_cost:I
local_tm_capacity data_bytes:I backup_bytes:I owner_bytes:I bank_words:I words:I
local_tm_place bank:I position:I bit:I data_byte:I backup_byte:I owner_byte:I
local_tm_shadow owned:? owner:I backup:I
local_tm_masks exec:Q vcc:Q tcm:Q tcm_old:Q mode:i.local_tm_mode state:i.local_tm_state
local_tm_begun cycles:I evicted:I lanes:Q mode:i.local_tm_mode
local_tm_answer conflicts:Q cycles:I passes:I
local_tm_ended committed:Q cycles:I next:i.local_tm_mode
thread_compactor_config size:N lanes:I warps:I compact:?
thread_compactor_warp tag:Q mask:Q index:I thread:H*64
access_bitmap_config size:N region_bytes:Q granule:I mark_bits:I
access_bitmap_run address:Q bytes:Q
write_set_log_config size:N region_bytes:Q threads:I chunk_bytes:I entry_bytes:I stamp_bits:I
write_set_log_entry address:Q stamp:Q value:I
write_set_log_chunk entry:[@write_set_log_entry count:I thread:I round:Q bytes:Q
device_validator_config size:N region_bytes:Q stamp_bits:I lanes:I entry_cycles:I lock_cycles:I
device_validator_result conflicts:I applied:I stale:I cycles:Q
sync_round_config size:N round_cycles:Q early_cycles:Q link_latency:I link_bytes:I copy_bytes:I non_blocking:? shadow_copy:?
sync_round_todo action:i.sync_round_action devices:I partial:? success:?
sync_round_done bytes:Q runs:Q cycles:Q conflict:?
dispatch_queues_config size:N types:I batch:I
block_stack_config size:N lanes:I warps:I pc_bits:I depth:I likely_convergence:? compact:?
block_stack_entry pc:Q rpc:Q lpc:Q lpos:I wcnt:I mask:Q*64
block_stack_target taken_pc:Q other_pc:Q rpc:Q lpc:Q
block_priority_config size:N blocks:I policy:I
warp_former_config size:N lanes:I warps:I block_warps:I pc_bits:I warp_barrier:? hold_partial:?
warp_former_warp slot:I pc:Q mask:Q thread:H*64 home:I
warp_former_target taken_pc:Q other_pc:Q rpc:Q
"""
FUNCTIONS = """\
gputm_is_present i
gputm_version s
gputm_ctx_new 0 allocator:&allocator out:P
gputm_ctx_ref *ctx ctx:*ctx
gputm_ctx_unref v ctx:*ctx
gputm_ctx_set_log v ctx:*ctx log:P state:P level:i.log_level
gputm_params_init 0 params:&params config:P size:N
gputm_params_preset 0 ctx:*ctx params:&params name:s config:P
gputm_params_set 0 ctx:*ctx params:&params config:P field:s value:s
gputm_params_get Q row:&param config:P
gputm_unit_kind s unit:!unit
gputm_unit_params P unit:!unit
gputm_unit_config P unit:!unit
gputm_unit_set_name 0 unit:*unit name:s
gputm_unit_name s unit:!unit
gputm_unit_reset v unit:*unit
gputm_unit_reset_state v unit:*unit
gputm_unit_clear_stats v unit:*unit
gputm_unit_stat ? unit:!unit index:N out:>@stat
gputm_unit_stat_value ? unit:!unit name:s out:>Q
gputm_unit_storage ? unit:!unit index:N out:>@storage
gputm_unit_storage_bits Q unit:!unit
gputm_unit_save N unit:!unit buffer:P capacity:N
gputm_unit_save_state N unit:!unit buffer:P capacity:N
gputm_unit_load 0 unit:*unit data:P size:N
gputm_unit_clone 0 unit:*unit from:!unit
gputm_unit_check s unit:!unit
gputm_unit_event ? unit:!unit kind:N out:>@event_kind
gputm_unit_observe 0 unit:*unit observe:P state:P
gputm_unit_unobserve 0 unit:*unit observe:P state:P
gputm_h3_rows_from 0 ctx:*ctx hash:P state:P ways:I index_bits:I key_bits:I shift:I rows:]I
gputm_h3_new 0 ctx:*ctx config:&h3_config out:P
gputm_h3_free v h3:*h3
gputm_h3_index I h3:!h3 way:I key:Q
gputm_h3_row I h3:!h3 way:I bit:I
gputm_h3_params P
gputm_recency_bloom_params P
gputm_recency_bloom_config_preset 0 config:>@recency_bloom_config name:s
gputm_recency_bloom_new 0 ctx:*ctx config:&recency_bloom_config out:P
gputm_recency_bloom_free v filter:*recency_bloom
gputm_recency_bloom_unit *unit filter:*recency_bloom
gputm_recency_bloom_update 0 filter:*recency_bloom address:Q stamp:Q
gputm_recency_bloom_update_pair 0 filter:*recency_bloom address:Q first:Q second:Q
gputm_recency_bloom_query 0 filter:!recency_bloom address:Q stamp:>Q
gputm_recency_bloom_query_pair 0 filter:!recency_bloom address:Q first:>Q second:>Q
gputm_recency_bloom_clear v filter:*recency_bloom
gputm_recency_bloom_expire v filter:*recency_bloom floor:Q cycles:>Q
gputm_recency_bloom_base Q filter:!recency_bloom
gputm_recency_bloom_get_entry 0 filter:!recency_bloom way:I index:I which:I out:>Q
gputm_last_writer_params P
gputm_last_writer_config_preset 0 config:>@last_writer_config name:s
gputm_last_writer_new 0 ctx:*ctx config:&last_writer_config out:P
gputm_last_writer_free v history:*last_writer
gputm_last_writer_unit *unit history:*last_writer
gputm_last_writer_record i history:*last_writer address:Q cid:Q
gputm_last_writer_record_probe i history:!last_writer address:Q cid:Q
gputm_last_writer_lookup i history:*last_writer address:Q cid:>Q
gputm_last_writer_lookup_probe i history:!last_writer address:Q cid:>Q
gputm_last_writer_expire 0 history:*last_writer floor:Q cycles:>Q
gputm_last_writer_base Q history:!last_writer
gputm_last_writer_limit Q history:!last_writer
gputm_commit_unit_message_bytes I message:&commit_unit_message
gputm_commit_unit_message_size N message:&commit_unit_message
gputm_commit_unit_report_bytes I report:&commit_unit_report
gputm_commit_unit_params P
gputm_commit_unit_config_preset 0 config:>@commit_unit_config name:s
gputm_commit_unit_new 0 ctx:*ctx config:&commit_unit_config out:P
gputm_commit_unit_free v unit:*commit_unit
gputm_commit_unit_unit *unit unit:*commit_unit
gputm_commit_unit_push i unit:*commit_unit message:&commit_unit_message
gputm_commit_unit_push_probe i unit:!commit_unit message:&commit_unit_message
gputm_commit_unit_tick i unit:*commit_unit
gputm_commit_unit_next_event Q unit:!commit_unit
gputm_commit_unit_advance i unit:*commit_unit cycles:Q
gputm_commit_unit_peek 1 unit:!commit_unit out:>@commit_unit_report
gputm_commit_unit_pop 1 unit:*commit_unit
gputm_commit_unit_mem_peek 1 unit:!commit_unit port:i.commit_unit_port out:>@mem_request
gputm_commit_unit_mem_pop 1 unit:*commit_unit port:i.commit_unit_port
gputm_commit_unit_mem_take i unit:*commit_unit port:i.commit_unit_port out:>@mem_request
gputm_commit_unit_get_lanes 0 unit:!commit_unit tag:Q first_cid:>Q mask:>Q
gputm_commit_unit_mem_complete 0 unit:*commit_unit tag:Q values:[I
gputm_commit_unit_write_pending ? unit:!commit_unit address:Q
gputm_commit_unit_oldest Q unit:!commit_unit
gputm_commit_unit_entry_state i.commit_unit_state unit:!commit_unit cid:Q
gputm_tx_log_params P
gputm_tx_log_config_preset 0 config:>@tx_log_config name:s
gputm_tx_log_new 0 ctx:*ctx config:&tx_log_config out:P
gputm_tx_log_free v log:*tx_log
gputm_tx_log_unit *unit log:*tx_log
gputm_tx_log_append_read i log:*tx_log mask:Q address:[Q value:[I
gputm_tx_log_append_write i log:*tx_log mask:Q address:[Q value:[I
gputm_tx_log_lookup_own_writes 0 log:*tx_log mask:Q address:[Q value:]I out:>@tx_log_lookup
gputm_tx_log_lookup_own_write 1 log:*tx_log lane:I address:Q value:>I rows:>I
gputm_tx_log_restart 0 log:*tx_log mask:Q
gputm_tx_log_rows I log:!tx_log kind:i.tx_log_kind
gputm_tx_log_lanes Q log:!tx_log kind:i.tx_log_kind
gputm_tx_log_get_row 0 log:!tx_log kind:i.tx_log_kind index:I out:>@tx_log_row
gputm_tx_log_get_group 0 log:!tx_log kind:i.tx_log_kind index:I mask:Q lanes_of:]Q set:>Q
gputm_tx_log_partition I log:!tx_log address:Q
gputm_tx_log_packet_flits Q log:!tx_log entries:I
gputm_commit_sequencer_params P
gputm_commit_sequencer_config_preset 0 config:>@commit_sequencer_config name:s
gputm_commit_sequencer_new 0 ctx:*ctx config:&commit_sequencer_config out:P
gputm_commit_sequencer_free v seq:*commit_sequencer
gputm_commit_sequencer_unit *unit seq:*commit_sequencer
gputm_commit_sequencer_attach 0 seq:*commit_sequencer warp:I log:!tx_log
gputm_commit_sequencer_begin i seq:*commit_sequencer warp:I lanes:Q
gputm_commit_sequencer_begin_probe i seq:!commit_sequencer warp:I lanes:Q
gputm_commit_sequencer_wants ? seq:!commit_sequencer warp:>I count:>I
gputm_commit_sequencer_grant 0 seq:*commit_sequencer first_cid:Q
gputm_commit_sequencer_push i seq:*commit_sequencer partition:I report:&commit_unit_report
gputm_commit_sequencer_push_probe i seq:!commit_sequencer partition:I report:&commit_unit_report
gputm_commit_sequencer_peek 1 seq:!commit_sequencer partition:>I out:>@commit_unit_message
gputm_commit_sequencer_pop 1 seq:*commit_sequencer
gputm_commit_sequencer_backoff Q seq:!commit_sequencer fail:Q aborts:[I
gputm_commit_sequencer_overdue ? seq:!commit_sequencer age:Q
gputm_commit_sequencer_take_done 1 seq:*commit_sequencer out:>@commit_sequencer_done
gputm_commit_sequencer_take_retired 1 seq:*commit_sequencer out:>@commit_sequencer_retired
gputm_commit_sequencer_tick i seq:*commit_sequencer
gputm_commit_sequencer_next_event Q seq:!commit_sequencer
gputm_commit_sequencer_next_offer Q seq:!commit_sequencer
gputm_commit_sequencer_advance i seq:*commit_sequencer cycles:Q
gputm_commit_sequencer_now Q seq:!commit_sequencer
gputm_simt_stack_params P
gputm_simt_stack_config_preset 0 config:>@simt_stack_config name:s
gputm_simt_stack_new 0 ctx:*ctx config:&simt_stack_config out:P
gputm_simt_stack_free v stack:*simt_stack
gputm_simt_stack_unit *unit stack:*simt_stack
gputm_simt_stack_launch 0 stack:*simt_stack pc:Q mask:Q
gputm_simt_stack_active_mask Q stack:!simt_stack
gputm_simt_stack_pc Q stack:!simt_stack
gputm_simt_stack_top v stack:!simt_stack out:>@simt_stack_entry
gputm_simt_stack_live_mask Q stack:!simt_stack
gputm_simt_stack_depth N stack:!simt_stack
gputm_simt_stack_get_entry 0 stack:!simt_stack index:N out:>@simt_stack_entry
gputm_simt_stack_proceed i stack:*simt_stack next_pc:Q
gputm_simt_stack_diverge i stack:*simt_stack target:[@simt_stack_target count:N rpc:Q lpc:Q
gputm_simt_stack_diverge_probe i stack:!simt_stack target:[@simt_stack_target count:N rpc:Q lpc:Q
gputm_simt_stack_exit i stack:*simt_stack mask:Q
gputm_simt_stack_update i stack:*simt_stack ended:Q next_pc:[Q rpc:Q last_pc:Q
gputm_simt_stack_tx_begin i stack:*simt_stack restart_pc:Q
gputm_simt_stack_tx_begin_probe i stack:!simt_stack restart_pc:Q
gputm_simt_stack_in_transaction ? stack:!simt_stack
gputm_simt_stack_tx_running Q stack:!simt_stack
gputm_simt_stack_tx_retry Q stack:!simt_stack
gputm_simt_stack_tx_abort i stack:*simt_stack mask:Q
gputm_simt_stack_tx_commit i stack:*simt_stack mask:Q pc_after:Q
gputm_simt_stack_tx_commit_done i stack:*simt_stack
gputm_commit_id_params P
gputm_commit_id_config_preset 0 config:>@commit_id_config name:s
gputm_commit_id_new 0 ctx:*ctx config:&commit_id_config out:P
gputm_commit_id_free v vendor:*commit_id
gputm_commit_id_unit *unit vendor:*commit_id
gputm_commit_id_acquire i vendor:*commit_id core:I count:I first_cid:>Q
gputm_commit_id_acquire_probe i vendor:!commit_id core:I count:I
gputm_commit_id_report_retired i vendor:*commit_id partition:I first_cid:Q count:I returned:>I
gputm_commit_id_available I vendor:!commit_id core:I
gputm_commit_id_in_flight I vendor:!commit_id
gputm_commit_id_oldest Q vendor:!commit_id
gputm_commit_id_next_cid Q vendor:!commit_id
gputm_signature_params P
gputm_signature_config_preset 0 config:>@signature_config name:s
gputm_signature_new 0 ctx:*ctx config:&signature_config out:P
gputm_signature_free v array:*signature
gputm_signature_unit *unit array:*signature
gputm_signature_insert 0 array:*signature index:I address:Q
gputm_signature_maybe_contains i array:*signature index:I address:Q
gputm_signature_maybe_contains_probe i array:!signature index:I address:Q
gputm_signature_match i array:*signature address:Q mask:>Q
gputm_signature_clear 0 array:*signature index:I
gputm_signature_union 0 array:*signature into:I from:I
gputm_signature_population I array:!signature index:I
gputm_access_coalescer_params P
gputm_access_coalescer_config_preset 0 config:>@access_coalescer_config name:s
gputm_access_coalescer_new 0 ctx:*ctx config:&access_coalescer_config out:P
gputm_access_coalescer_free v coalescer:*access_coalescer
gputm_access_coalescer_unit *unit coalescer:*access_coalescer
gputm_access_coalescer_merge_row i coalescer:*access_coalescer lane_mask:Q address:[Q value:[I out:]@access_coalescer_access summary:>@access_coalescer_summary
gputm_access_coalescer_merge_log i coalescer:*access_coalescer count:I access:[@access_coalescer_word write:? out:]@access_coalescer_access summary:>@access_coalescer_summary
gputm_tx_throttle_params P
gputm_tx_throttle_config_preset 0 config:>@tx_throttle_config name:s
gputm_tx_throttle_new 0 ctx:*ctx config:&tx_throttle_config out:P
gputm_tx_throttle_free v throttle:*tx_throttle
gputm_tx_throttle_unit *unit throttle:*tx_throttle
gputm_tx_throttle_admit i throttle:*tx_throttle warp:I
gputm_tx_throttle_admit_probe i throttle:!tx_throttle warp:I
gputm_tx_throttle_leave 0 throttle:*tx_throttle warp:I
gputm_tx_throttle_next_warp ? throttle:!tx_throttle warp:>I
gputm_tx_throttle_report i throttle:*tx_throttle commits:I aborts:I began:Q cycle:Q
gputm_tx_throttle_limit I throttle:!tx_throttle
gputm_tx_throttle_running I throttle:!tx_throttle
gputm_tx_throttle_waiting I throttle:!tx_throttle
gputm_ownership_table_params P
gputm_ownership_table_config_preset 0 config:>@ownership_table_config name:s
gputm_ownership_table_new 0 ctx:*ctx config:&ownership_table_config out:P
gputm_ownership_table_free v table:*ownership_table
gputm_ownership_table_unit *unit table:*ownership_table
gputm_ownership_table_acquire i table:*ownership_table active:Q buffer:>I
gputm_ownership_table_acquire_probe i table:!ownership_table active:Q
gputm_ownership_table_resolve 0 table:*ownership_table buffer:I logs:&resolver_logs out:>@resolver_outcome
gputm_ownership_table_construct_row 0 table:*ownership_table buffer:I row:&resolver_row
gputm_ownership_table_match_read_row 0 table:*ownership_table buffer:I row:&resolver_row
gputm_ownership_table_match_write_row i table:*ownership_table buffer:I row:&resolver_row
gputm_ownership_table_get_result 0 table:!ownership_table buffer:I out:>@resolver_outcome
gputm_ownership_table_release 0 table:*ownership_table buffer:I
gputm_ownership_table_owner i table:!ownership_table buffer:I address:Q
gputm_sequential_resolver_params P
gputm_sequential_resolver_config_preset 0 config:>@sequential_resolver_config name:s
gputm_sequential_resolver_new 0 ctx:*ctx config:&sequential_resolver_config out:P
gputm_sequential_resolver_free v resolver:*sequential_resolver
gputm_sequential_resolver_unit *unit resolver:*sequential_resolver
gputm_sequential_resolver_acquire i resolver:*sequential_resolver active:Q buffer:>I
gputm_sequential_resolver_acquire_probe i resolver:!sequential_resolver active:Q
gputm_sequential_resolver_resolve 0 resolver:*sequential_resolver buffer:I logs:&resolver_logs out:>@resolver_outcome
gputm_sequential_resolver_resolve_lane i resolver:*sequential_resolver buffer:I logs:&resolver_logs lane:I
gputm_sequential_resolver_get_result 0 resolver:!sequential_resolver buffer:I out:>@resolver_outcome
gputm_sequential_resolver_release 0 resolver:*sequential_resolver buffer:I
gputm_last_written_params P
gputm_last_written_config_preset 0 config:>@last_written_config name:s
gputm_last_written_new 0 ctx:*ctx config:&last_written_config out:P
gputm_last_written_free v table:*last_written
gputm_last_written_unit *unit table:*last_written
gputm_last_written_record 0 table:*last_written address:Q time:Q
gputm_last_written_query 0 table:*last_written address:Q time:>Q
gputm_last_written_query_probe i table:!last_written address:Q time:>Q
gputm_last_written_expire v table:*last_written floor:Q cycles:>Q
gputm_last_written_clear v table:*last_written
gputm_last_written_get_entry 0 table:!last_written way:I index:I out:>Q
gputm_first_read_params P
gputm_first_read_config_preset 0 config:>@first_read_config name:s
gputm_first_read_new 0 ctx:*ctx config:&first_read_config out:P
gputm_first_read_free v table:*first_read
gputm_first_read_unit *unit table:*first_read
gputm_first_read_begin 0 table:*first_read warp:I mask:Q
gputm_first_read_issue 0 table:*first_read warp:I mask:Q time:Q
gputm_first_read_reply i table:*first_read warp:I mask:Q last_written:Q write_pending:?
gputm_first_read_reply_probe i table:!first_read warp:I mask:Q last_written:Q write_pending:?
gputm_first_read_finish 0 table:*first_read warp:I mask:Q writers:Q out:>@first_read_verdict
gputm_first_read_finish_probe i table:!first_read warp:I mask:Q writers:Q out:>@first_read_verdict
gputm_first_read_conflicts Q table:!first_read warp:I
gputm_first_read_get_time 1 table:!first_read warp:I lane:I time:>Q
gputm_first_read_oldest Q table:!first_read
gputm_reference_count_table_params P
gputm_reference_count_table_config_preset 0 config:>@reference_count_table_config name:s
gputm_reference_count_table_new 0 ctx:*ctx config:&reference_count_table_config out:P
gputm_reference_count_table_free v table:*reference_count_table
gputm_reference_count_table_unit *unit table:*reference_count_table
gputm_reference_count_table_add i table:*reference_count_table address:Q write:?
gputm_reference_count_table_add_probe i table:!reference_count_table address:Q write:?
gputm_reference_count_table_remove i table:*reference_count_table address:Q write:?
gputm_reference_count_table_remove_probe i table:!reference_count_table address:Q write:?
gputm_reference_count_table_get_counts 1 table:!reference_count_table address:Q readers:>I writers:>I
gputm_conflict_address_table_params P
gputm_conflict_address_table_config_preset 0 config:>@conflict_address_table_config name:s
gputm_conflict_address_table_new 0 ctx:*ctx config:&conflict_address_table_config out:P
gputm_conflict_address_table_free v table:*conflict_address_table
gputm_conflict_address_table_unit *unit table:*conflict_address_table
gputm_conflict_address_table_insert i table:*conflict_address_table address:Q write:?
gputm_conflict_address_table_insert_probe i table:!conflict_address_table address:Q write:?
gputm_conflict_address_table_remove i table:*conflict_address_table address:Q write:?
gputm_conflict_address_table_lookup 1 table:*conflict_address_table address:Q write:?
gputm_conflict_address_table_lookup_probe i table:!conflict_address_table address:Q write:?
gputm_conflict_address_table_pause 0 table:*conflict_address_table lanes:Q address:[Q write:? paused:>Q
gputm_conflict_address_table_get_marks 1 table:!conflict_address_table address:Q read:>? written:>?
gputm_metadata_table_params P
gputm_metadata_table_config_preset 0 config:>@metadata_table_config name:s
gputm_metadata_table_new 0 ctx:*ctx config:&metadata_table_config out:P
gputm_metadata_table_free v table:*metadata_table
gputm_metadata_table_unit *unit table:*metadata_table
gputm_metadata_table_lookup i table:*metadata_table address:Q out:>@metadata_table_entry
gputm_metadata_table_lookup_probe i table:!metadata_table address:Q out:>@metadata_table_entry
gputm_metadata_table_query i table:*metadata_table address:Q out:>@metadata_table_entry
gputm_metadata_table_estimate 0 table:!metadata_table address:Q wts:>Q rts:>Q
gputm_metadata_table_update i table:*metadata_table address:Q metadata:&metadata_table_entry cycles:>I
gputm_metadata_table_add_writes i table:*metadata_table address:Q change:i owner:I cycles:>I
gputm_metadata_table_remove i table:*metadata_table address:Q
gputm_metadata_table_flush 0 table:*metadata_table
gputm_metadata_table_writes Q table:!metadata_table
gputm_metadata_table_get_entry 0 table:!metadata_table index:Q address:>Q out:>@metadata_table_entry
gputm_reader_list_params P
gputm_reader_list_config_preset 0 config:>@reader_list_config name:s
gputm_reader_list_new 0 ctx:*ctx config:&reader_list_config out:P
gputm_reader_list_free v list:*reader_list
gputm_reader_list_unit *unit list:*reader_list
gputm_reader_list_add i list:*reader_list address:Q tx:I
gputm_reader_list_add_probe i list:!reader_list address:Q tx:I
gputm_reader_list_remove 0 list:*reader_list address:Q tx:I
gputm_reader_list_readers i list:!reader_list address:Q ids:]I capacity:I
gputm_reader_list_entries i list:!reader_list address:Q
gputm_reader_list_get_entry 0 list:!reader_list address:Q index:I out:>@reader_list_entry
gputm_reader_list_used I list:!reader_list
gputm_stall_buffer_params P
gputm_stall_buffer_config_preset 0 config:>@stall_buffer_config name:s
gputm_stall_buffer_new 0 ctx:*ctx config:&stall_buffer_config out:P
gputm_stall_buffer_free v buffer:*stall_buffer
gputm_stall_buffer_unit *unit buffer:*stall_buffer
gputm_stall_buffer_push i buffer:*stall_buffer request:&stall_buffer_request
gputm_stall_buffer_push_probe i buffer:!stall_buffer address:Q
gputm_stall_buffer_wake i buffer:*stall_buffer address:Q out:>@stall_buffer_request
gputm_stall_buffer_wake_probe i buffer:!stall_buffer address:Q out:>@stall_buffer_request
gputm_stall_buffer_wake_before i buffer:*stall_buffer address:Q stamp:Q out:>@stall_buffer_request
gputm_stall_buffer_wake_warp i buffer:*stall_buffer address:Q warp:I out:>@stall_buffer_request
gputm_stall_buffer_drain i buffer:*stall_buffer out:>@stall_buffer_request
gputm_stall_buffer_get_request 0 buffer:!stall_buffer index:Q out:>@stall_buffer_request
gputm_stall_buffer_waiting Q buffer:!stall_buffer
gputm_warp_clock_params P
gputm_warp_clock_config_preset 0 config:>@warp_clock_config name:s
gputm_warp_clock_new 0 ctx:*ctx config:&warp_clock_config out:P
gputm_warp_clock_free v clock:*warp_clock
gputm_warp_clock_unit *unit clock:*warp_clock
gputm_warp_clock_get_time 0 clock:!warp_clock warp:I time:>Q
gputm_warp_clock_abort 0 clock:*warp_clock warp:I reported:Q
gputm_warp_clock_restart i clock:*warp_clock warp:I cycles:>Q
gputm_warp_clock_commit 0 clock:*warp_clock warp:I
gputm_warp_clock_exhausted ? clock:!warp_clock
gputm_warp_clock_rollover v clock:*warp_clock
gputm_warp_access_filter_params P
gputm_warp_access_filter_config_preset 0 config:>@warp_access_filter_config name:s
gputm_warp_access_filter_new 0 ctx:*ctx config:&warp_access_filter_config out:P
gputm_warp_access_filter_free v filter:*warp_access_filter
gputm_warp_access_filter_unit *unit filter:*warp_access_filter
gputm_warp_access_filter_begin 0 filter:*warp_access_filter warp:I lanes:Q
gputm_warp_access_filter_access 0 filter:*warp_access_filter warp:I write:? lanes:Q address:[Q lost:>Q
gputm_warp_access_filter_access_probe i filter:!warp_access_filter warp:I write:? lanes:Q address:[Q lost:>Q
gputm_warp_access_filter_drop 0 filter:*warp_access_filter warp:I lanes:Q
gputm_warp_access_filter_running Q filter:!warp_access_filter warp:I
gputm_timestamp_table_params P
gputm_timestamp_table_config_preset 0 config:>@timestamp_table_config name:s
gputm_timestamp_table_new 0 ctx:*ctx config:&timestamp_table_config out:P
gputm_timestamp_table_free v table:*timestamp_table
gputm_timestamp_table_unit *unit table:*timestamp_table
gputm_timestamp_table_begin i table:*timestamp_table tx:I start:Q
gputm_timestamp_table_add_edge i table:*timestamp_table pred:I succ:I
gputm_timestamp_table_add_edge_probe i table:!timestamp_table pred:I succ:I
gputm_timestamp_table_retire i table:*timestamp_table tx:I committed:?
gputm_timestamp_table_release 0 table:*timestamp_table tx:I
gputm_timestamp_table_restart 0 table:*timestamp_table
gputm_timestamp_table_get_stamps 0 table:!timestamp_table tx:I out:>@timestamp_table_stamps
gputm_commit_buffer_params P
gputm_commit_buffer_config_preset 0 config:>@commit_buffer_config name:s
gputm_commit_buffer_new 0 ctx:*ctx config:&commit_buffer_config out:P
gputm_commit_buffer_free v buffer:*commit_buffer
gputm_commit_buffer_unit *unit buffer:*commit_buffer
gputm_commit_buffer_push i buffer:*commit_buffer entry:&commit_buffer_entry
gputm_commit_buffer_push_probe i buffer:!commit_buffer entry:&commit_buffer_entry
gputm_commit_buffer_tick i buffer:*commit_buffer
gputm_commit_buffer_next_event Q buffer:!commit_buffer
gputm_commit_buffer_advance i buffer:*commit_buffer cycles:Q
gputm_commit_buffer_mem_peek 1 buffer:!commit_buffer out:>@mem_request
gputm_commit_buffer_mem_pop 1 buffer:*commit_buffer
gputm_commit_buffer_mem_take 1 buffer:*commit_buffer out:>@mem_request
gputm_commit_buffer_mem_complete 0 buffer:*commit_buffer tag:Q
gputm_commit_buffer_peek 1 buffer:!commit_buffer out:>@commit_buffer_release
gputm_commit_buffer_pop 1 buffer:*commit_buffer
gputm_commit_buffer_writes Q buffer:!commit_buffer
gputm_writer_table_params P
gputm_writer_table_config_preset 0 config:>@writer_table_config name:s
gputm_writer_table_new 0 ctx:*ctx config:&writer_table_config out:P
gputm_writer_table_free v table:*writer_table
gputm_writer_table_unit *unit table:*writer_table
gputm_writer_table_claim i table:*writer_table address:Q tx:I snapshot:Q
gputm_writer_table_claim_probe i table:!writer_table address:Q tx:I snapshot:Q
gputm_writer_table_claim_batch 0 table:*writer_table count:I claim:[@writer_table_request result:]i
gputm_writer_table_commit 0 table:*writer_table address:Q tx:I version:Q
gputm_writer_table_release 0 table:*writer_table address:Q tx:I
gputm_writer_table_writers i table:!writer_table address:Q out:]@writer_table_writer capacity:I
gputm_writer_table_used I table:!writer_table
gputm_version_table_params P
gputm_version_table_config_preset 0 config:>@version_table_config name:s
gputm_version_table_new 0 ctx:*ctx config:&version_table_config out:P
gputm_version_table_free v table:*version_table
gputm_version_table_unit *unit table:*version_table
gputm_version_table_add_region i table:*version_table start:Q length:Q relocated:Q now:Q region:>I
gputm_version_table_resolve i table:!version_table address:Q time:Q physical:>Q
gputm_version_table_resolve_write i table:!version_table address:Q physical:>Q
gputm_version_table_resolve_plain 0 table:!version_table address:Q physical:>Q
gputm_version_table_acquire i table:*version_table address:Q time:Q region:>I version:>I
gputm_version_table_release 0 table:*version_table region:I version:I
gputm_version_table_begin_copy i table:*version_table region:I from:>I to:>I
gputm_version_table_begin_copy_probe i table:!version_table region:I
gputm_version_table_complete_copy 0 table:*version_table region:I
gputm_version_table_commit 0 table:*version_table region:I stamp:Q
gputm_version_table_seal i table:*version_table mask:Q now:Q
gputm_version_table_start_stamp Q table:!version_table time:Q
gputm_version_table_restart 0 table:*version_table now:Q
gputm_version_table_get_version 0 table:!version_table region:I version:I out:>@version_table_version
gputm_validation_unit_params P
gputm_validation_unit_config_preset 0 config:>@validation_unit_config name:s
gputm_validation_unit_new 0 ctx:*ctx config:&validation_unit_config out:P
gputm_validation_unit_free v unit:*validation_unit
gputm_validation_unit_unit *unit unit:*validation_unit
gputm_validation_unit_table *unit unit:*validation_unit
gputm_validation_unit_buffer *unit unit:*validation_unit
gputm_validation_unit_access i unit:*validation_unit request:&validation_unit_request answer:>@validation_unit_answer
gputm_validation_unit_access_probe i unit:!validation_unit request:&validation_unit_request
gputm_validation_unit_retry i unit:*validation_unit answer:>@validation_unit_answer
gputm_validation_unit_release 0 unit:*validation_unit address:Q warp:I sequence:Q count:I left:>I
gputm_validation_unit_get_granule 0 unit:!validation_unit address:Q out:>@validation_unit_granule
gputm_validation_unit_push i unit:*validation_unit request:&validation_unit_request
gputm_validation_unit_push_probe i unit:!validation_unit request:&validation_unit_request
gputm_validation_unit_tick i unit:*validation_unit
gputm_validation_unit_next_event Q unit:!validation_unit
gputm_validation_unit_advance i unit:*validation_unit cycles:Q
gputm_validation_unit_peek 1 unit:!validation_unit out:>@validation_unit_answer
gputm_validation_unit_estimated ? unit:!validation_unit
gputm_validation_unit_pop 1 unit:*validation_unit
gputm_validation_unit_pending Q unit:!validation_unit
gputm_validation_unit_writes Q unit:!validation_unit
gputm_validation_unit_rollover v unit:*validation_unit
gputm_validation_unit_ring_push 0 unit:*validation_unit message:&validation_unit_message
gputm_validation_unit_ring_peek 1 unit:!validation_unit out:>@validation_unit_message
gputm_validation_unit_ring_pop 1 unit:*validation_unit
gputm_validation_unit_rollover_go 0 unit:*validation_unit
gputm_validation_unit_current_state i.validation_unit_state unit:!validation_unit
gputm_row_copier_params P
gputm_row_copier_config_preset 0 config:>@row_copier_config name:s
gputm_row_copier_new 0 ctx:*ctx config:&row_copier_config out:P
gputm_row_copier_free v copier:*row_copier
gputm_row_copier_unit *unit copier:*row_copier
gputm_row_copier_push i copier:*row_copier request:&row_copier_request done_at:>Q
gputm_row_copier_push_probe i copier:!row_copier request:&row_copier_request done_at:>Q
gputm_row_copier_take 1 copier:*row_copier out:>@row_copier_request
gputm_row_copier_tick i copier:*row_copier
gputm_row_copier_next_event Q copier:!row_copier
gputm_row_copier_advance i copier:*row_copier cycles:Q
gputm_row_copier_now Q copier:!row_copier
gputm_local_tm_params P
gputm_local_tm_config_preset 0 config:>@local_tm_config name:s
gputm_local_tm_new 0 ctx:*ctx config:&local_tm_config out:P
gputm_local_tm_free v local:*local_tm
gputm_local_tm_unit *unit local:*local_tm
gputm_local_tm_get_capacity 0 config:&local_tm_config out:>@local_tm_capacity
gputm_local_tm_get_place 0 local:!local_tm word:I out:>@local_tm_place
gputm_local_tm_lookup 0 local:!local_tm word:I value:>I
gputm_local_tm_update 0 local:*local_tm word:I value:I
gputm_local_tm_get_shadow 0 local:!local_tm word:I out:>@local_tm_shadow
gputm_local_tm_signature Q local:!local_tm bank:I item:I
gputm_local_tm_get_masks 0 local:!local_tm wavefront:I out:>@local_tm_masks
gputm_local_tm_running Q local:!local_tm wavefront:I
gputm_local_tm_set_exec 0 local:*local_tm wavefront:I exec:Q
gputm_local_tm_set_vcc i local:*local_tm wavefront:I vcc:Q
gputm_local_tm_begin i local:*local_tm wavefront:I out:>@local_tm_begun
gputm_local_tm_begin_probe i local:!local_tm wavefront:I
gputm_local_tm_holder i local:!local_tm
gputm_local_tm_access i local:*local_tm wavefront:I write:? lanes:Q word:[I value:]I out:>@local_tm_answer
gputm_local_tm_access_probe i local:!local_tm wavefront:I lanes:Q word:[I out:>@local_tm_answer
gputm_local_tm_commit i local:*local_tm wavefront:I out:>@local_tm_ended
gputm_thread_compactor_params P
gputm_thread_compactor_config_preset 0 config:>@thread_compactor_config name:s
gputm_thread_compactor_new 0 ctx:*ctx config:&thread_compactor_config out:P
gputm_thread_compactor_free v compactor:*thread_compactor
gputm_thread_compactor_unit *unit compactor:*thread_compactor
gputm_thread_compactor_push i compactor:*thread_compactor tag:Q mask:[Q
gputm_thread_compactor_push_probe i compactor:!thread_compactor mask:[Q
gputm_thread_compactor_tick i compactor:*thread_compactor
gputm_thread_compactor_next_event Q compactor:!thread_compactor
gputm_thread_compactor_advance i compactor:*thread_compactor cycles:Q
gputm_thread_compactor_peek 1 compactor:!thread_compactor out:>@thread_compactor_warp
gputm_thread_compactor_pop 1 compactor:*thread_compactor
gputm_thread_compactor_warps I compactor:!thread_compactor
gputm_thread_compactor_buffer Q compactor:!thread_compactor lane:I
gputm_access_bitmap_params P
gputm_access_bitmap_config_preset 0 config:>@access_bitmap_config name:s
gputm_access_bitmap_new 0 ctx:*ctx config:&access_bitmap_config out:P
gputm_access_bitmap_free v bitmap:*access_bitmap
gputm_access_bitmap_unit *unit bitmap:*access_bitmap
gputm_access_bitmap_record 0 bitmap:*access_bitmap address:Q
gputm_access_bitmap_query 1 bitmap:*access_bitmap address:Q
gputm_access_bitmap_next_run ? bitmap:!access_bitmap from:Q run:>@access_bitmap_run
gputm_access_bitmap_marked Q bitmap:!access_bitmap
gputm_access_bitmap_clear v bitmap:*access_bitmap
gputm_write_set_log_params P
gputm_write_set_log_config_preset 0 config:>@write_set_log_config name:s
gputm_write_set_log_new 0 ctx:*ctx config:&write_set_log_config out:P
gputm_write_set_log_free v log:*write_set_log
gputm_write_set_log_unit *unit log:*write_set_log
gputm_write_set_log_append 0 log:*write_set_log thread:I address:Q value:I stamp:Q
gputm_write_set_log_cut i log:*write_set_log stream:i.write_set_log_stream partial:? chunk:>@write_set_log_chunk
gputm_write_set_log_pending Q log:!write_set_log stream:i.write_set_log_stream
gputm_write_set_log_round Q log:!write_set_log
gputm_write_set_log_begin 0 log:*write_set_log
gputm_device_validator_params P
gputm_device_validator_config_preset 0 config:>@device_validator_config name:s
gputm_device_validator_new 0 ctx:*ctx config:&device_validator_config out:P
gputm_device_validator_free v validator:*device_validator
gputm_device_validator_unit *unit validator:*device_validator
gputm_device_validator_begin 0 validator:*device_validator round:Q
gputm_device_validator_push 0 validator:*device_validator reads:!access_bitmap chunk:&write_set_log_chunk mode:i.device_validator_mode apply:]Q result:>@device_validator_result
gputm_device_validator_conflict ? validator:!device_validator
gputm_sync_round_params P
gputm_sync_round_config_preset 0 config:>@sync_round_config name:s
gputm_sync_round_new 0 ctx:*ctx config:&sync_round_config out:P
gputm_sync_round_free v round:*sync_round
gputm_sync_round_unit *unit round:*sync_round
gputm_sync_round_begin 0 round:*sync_round now:Q
gputm_sync_round_stop 0 round:*sync_round now:Q
gputm_sync_round_step i round:*sync_round now:Q todo:>@sync_round_todo
gputm_sync_round_complete 0 round:*sync_round now:Q done:&sync_round_done
gputm_sync_round_may_run ? round:!sync_round device:i.sync_round_device now:Q
gputm_sync_round_next_time Q round:!sync_round
gputm_sync_round_current_state i.sync_round_state round:!sync_round
gputm_dispatch_queues_params P
gputm_dispatch_queues_config_preset 0 config:>@dispatch_queues_config name:s
gputm_dispatch_queues_new 0 ctx:*ctx config:&dispatch_queues_config out:P
gputm_dispatch_queues_free v queues:*dispatch_queues
gputm_dispatch_queues_unit *unit queues:*dispatch_queues
gputm_dispatch_queues_push 0 queues:*dispatch_queues type:I affinity:i.dispatch_queues_affinity request:Q
gputm_dispatch_queues_dequeue i queues:*dispatch_queues steal:? type:>I request:>Q
gputm_dispatch_queues_dequeue_batch i queues:*dispatch_queues steal:? partial:? type:>I count:>I request:]Q
gputm_dispatch_queues_commit Q queues:*dispatch_queues
gputm_dispatch_queues_abort 0 queues:*dispatch_queues
gputm_dispatch_queues_waiting Q queues:!dispatch_queues affinity:i.dispatch_queues_affinity
gputm_dispatch_queues_in_flight Q queues:!dispatch_queues
gputm_block_stack_params P
gputm_block_stack_config_preset 0 config:>@block_stack_config name:s
gputm_block_stack_new 0 ctx:*ctx config:&block_stack_config out:P
gputm_block_stack_free v stack:*block_stack
gputm_block_stack_unit *unit stack:*block_stack
gputm_block_stack_launch 0 stack:*block_stack pc:Q mask:[Q
gputm_block_stack_pc Q stack:!block_stack
gputm_block_stack_mask v stack:!block_stack mask:]Q
gputm_block_stack_live I stack:!block_stack
gputm_block_stack_depth N stack:!block_stack
gputm_block_stack_top N stack:!block_stack
gputm_block_stack_get_entry 0 stack:!block_stack index:N out:>@block_stack_entry
gputm_block_stack_warp Q stack:!block_stack warp:I
gputm_block_stack_admit i stack:*block_stack mask:Q thread:[H
gputm_block_stack_branch i stack:*block_stack warp:I taken:Q target:&block_stack_target
gputm_block_stack_branch_probe i stack:!block_stack warp:I taken:Q target:&block_stack_target
gputm_block_stack_arrive i stack:*block_stack warp:I next_pc:Q
gputm_block_stack_exit i stack:*block_stack warp:I lanes:Q
gputm_block_stack_barrier i stack:*block_stack warp:I
gputm_block_stack_tx_retry I stack:!block_stack
gputm_block_stack_tx_begin i stack:*block_stack warp:I restart_pc:Q
gputm_block_stack_tx_commit i stack:*block_stack warp:I pc_after:Q
gputm_block_stack_tx_abort i stack:*block_stack warp:I lanes:Q
gputm_block_stack_tx_report i stack:*block_stack static_warp:I committed:Q aborted:Q
gputm_block_priority_params P
gputm_block_priority_config_preset 0 config:>@block_priority_config name:s
gputm_block_priority_new 0 ctx:*ctx config:&block_priority_config out:P
gputm_block_priority_free v priority:*block_priority
gputm_block_priority_unit *unit priority:*block_priority
gputm_block_priority_admit 0 priority:*block_priority slot:I
gputm_block_priority_leave 0 priority:*block_priority slot:I
gputm_block_priority_blocks Q priority:!block_priority
gputm_block_priority_pick i priority:*block_priority ready:Q slot:>I
gputm_block_priority_pick_probe i priority:!block_priority ready:Q slot:>I
gputm_block_priority_advance v priority:*block_priority cycles:Q
gputm_warp_former_params P
gputm_warp_former_config_preset 0 config:>@warp_former_config name:s
gputm_warp_former_new 0 ctx:*ctx config:&warp_former_config out:P
gputm_warp_former_free v former:*warp_former
gputm_warp_former_unit *unit former:*warp_former
gputm_warp_former_launch 0 former:*warp_former warp:I mask:Q pc:Q
gputm_warp_former_issue i former:*warp_former out:>@warp_former_warp
gputm_warp_former_issue_probe i former:!warp_former out:>@warp_former_warp
gputm_warp_former_proceed 0 former:*warp_former slot:I next_pc:Q
gputm_warp_former_branch 0 former:*warp_former slot:I taken:Q target:&warp_former_target
gputm_warp_former_exit i former:*warp_former slot:I lanes:Q
gputm_warp_former_barrier 0 former:*warp_former slot:I next_pc:Q
gputm_warp_former_waiting I former:!warp_former pc:Q
gputm_warp_former_in_flight I former:!warp_former
gputm_warp_former_live I former:!warp_former
gputm_warp_former_get_warp 1 former:!warp_former slot:I out:>@warp_former_warp in_flight:>?
gputm_warp_former_at_warp_barrier ? former:!warp_former warp:I mask:>Q pc:>Q
gputm_warp_former_at_block_barrier Q former:!warp_former warp:I
"""
# end tables

_CODES = {"Q": ctypes.c_uint64, "I": ctypes.c_uint32, "H": ctypes.c_uint16, "B": ctypes.c_uint8,
          "?": ctypes.c_bool, "N": ctypes.c_size_t, "i": ctypes.c_int, "0": ctypes.c_int, "1": ctypes.c_int,
          "s": ctypes.c_char_p, "v": None, **dict.fromkeys("P*![]>&", ctypes.c_void_p)}
_file = os.environ.get("GPUTM_LIBRARY") or ctypes.util.find_library("gputm")
if not _file:
    raise ImportError("libgputm is not found: install it, or name its file in GPUTM_LIBRARY")
try:
    _library = ctypes.CDLL(_file)
except OSError as problem:
    raise ImportError(f"libgputm is not loaded ({problem}): GPUTM_LIBRARY must name the file "
                      "libgputm.so, or be unset where libgputm is installed") from None


class Error(Exception):
    """What the library refused: its text, and the errno value."""
    __module__ = "gputm"

    def __init__(self, text, errno):
        super().__init__(text)
        self.errno = errno


class Event(collections.namedtuple("Event", "name values")):
    """A kind of event by name, and its values by the names that gputm_unit_event() gives."""


class Struct(ctypes.Structure):
    """What the library reads or gives back: structs has one of these for each of its structs."""

    def __setattr__(self, name, value):
        names = [field[0] for field in self._fields_]
        if name not in names:
            raise TypeError(f"{type(self).__name__} has no {name}; it has {', '.join(names)}")
        super().__setattr__(name, value)

    def __repr__(self):
        values = ((field[0], getattr(self, field[0])) for field in self._fields_)
        return "{}({})".format(type(self).__name__, ", ".join(
            f"{name}={list(value) if isinstance(value, ctypes.Array) else value!r}"
            for name, value in values))


structs = {}


def _type(code):
    _, _, length = code[1:].partition("*")
    kind = structs[code[1:].partition("*")[0]] if code[0] == "@" else _CODES[code[0]]
    return kind * int(length) if length else kind


for _row in ENUMS.splitlines():
    _name, *_values = _row.split()
    _values = {name: int(value) for name, value in (value.split("=") for value in _values)}
    globals()[_name] = _enum = enum.IntEnum(_name, _values)
    globals().update(_enum.__members__)
for _row in STRUCTS.splitlines():
    _name, *_fields = _row.split()
    structs[_name] = type(_name, (Struct,), {
        "_fields_": [(name, _type(code)) for name, code in (f.split(":") for f in _fields)]})


def _given(value, code):
    """An argument, as the function takes it."""
    if code[0] in "[]" and isinstance(value, (list, tuple)):
        return (_type(code[1:]) * len(value))(*value)
    if isinstance(value, ctypes.Structure) and code != "P":
        return ctypes.byref(value)
    value = getattr(value, "handle", value)
    return value.encode() if isinstance(value, str) else value


def _function(row):
    name, result, *parameters = row.split()
    codes = [parameter.split(":")[1] for parameter in parameters]
    function = getattr(_library, name)
    function.restype = _CODES[result[0]]
    function.argtypes = [_type(code) for code in codes]

    def call(*arguments):
        given = [_given(value, code) for value, code in zip(arguments, codes)]
        outs = [_type(code[1:])() for code in codes[len(given):] if code[0] == ">"]
        if len(given) + len(outs) != len(codes):
            raise TypeError(f"{name}({', '.join(parameters)}) with {len(arguments)} arguments")
        value = function(*given, *map(ctypes.byref, outs))
        if result[0] in "01i" and value < 0:
            raise Error(_messages.pop() if _messages else os.strerror(-value), -value)
        back = [out if isinstance(out, ctypes.Structure) else out.value for out in outs]
        if result in "?1" and outs:
            return None if not value else back[0] if len(back) == 1 else tuple(back)
        if result not in "0v" or not back and result != "0":
            back.insert(0, value)
        return tuple(back) if len(back) > 1 else back[0] if back else None

    call.__name__ = name
    call.__doc__ = f"{name}({', '.join(parameters)}): see man {name}"
    return call


functions = {row.split()[0]: _function(row) for row in FUNCTIONS.splitlines()}
kinds = sorted(name[len("gputm_"):-len("_params")] for name in functions
               if name.endswith("_params") and name[:-len("params")] + "unit" in functions)

# The last message is the reason of the Error that follows it.
_messages = collections.deque(maxlen=1)
_LOG = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p)
_log = _LOG(lambda state, level, text: _messages.append(text.decode()))
_context = ctypes.c_void_p()
functions["gputm_ctx_new"](None, ctypes.byref(_context))
functions["gputm_ctx_set_log"](_context, ctypes.cast(_log, ctypes.c_void_p), None, 0)
_OBSERVE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p,
                            ctypes.POINTER(structs["event"]))


class Unit:
    """A unit: Unit("commit_unit", "kilo-tm", ring=64). The preset may be a config of another."""
    kind = handle = face = None

    def __init__(self, kind, preset=None, **fields):
        if kind not in kinds:
            raise Error(f"there is no kind of unit {kind!r}; there are {', '.join(kinds)}", 22)
        self.kind, self._observers = kind, []
        params = functions[f"gputm_{kind}_params"]()
        config = structs[f"{kind}_config"]()
        at = ctypes.byref(config)
        functions["gputm_params_init"](params, at, ctypes.sizeof(config))
        if isinstance(preset, dict):
            fields = {**preset, **fields}
        elif preset:
            functions["gputm_params_preset"](_context, params, preset, at)
        for name, value in fields.items():
            if isinstance(value, (list, tuple)):  # rows of a hash function
                value = (ctypes.c_uint32 * len(value))(*value)
                setattr(config, name, ctypes.addressof(value))
                fields[name] = value
            else:
                text = value if isinstance(value, str) else str(int(value))
                functions["gputm_params_set"](_context, params, at, name, text)
        made = ctypes.c_void_p()
        functions[f"gputm_{kind}_new"](_context, at, ctypes.byref(made))
        self.handle = made.value
        self.face = functions[f"gputm_{kind}_unit"](self.handle)

    def __del__(self):
        if self.handle:
            functions[f"gputm_{self.kind}_free"](self.handle)

    def __getattr__(self, name):
        for prefix, handle in (f"gputm_{self.kind}_", "handle"), ("gputm_unit_", "face"):
            if function := functions.get(prefix + name):
                return lambda *arguments: function(getattr(self, handle), *arguments)
        raise AttributeError(f"a {self.kind} has no {name}")

    def __dir__(self):
        return [*super().__dir__(), *(name[len(prefix):] for name in functions
                                      for prefix in (f"gputm_{self.kind}_", "gputm_unit_")
                                      if name.startswith(prefix))]

    def _all(self, what):
        index = 0
        while (one := functions[f"gputm_unit_{what}"](self.face, index)) is not None:
            yield one
            index += 1

    @property
    def config(self):
        """The parameters by name, as numbers."""
        params = structs["params"].from_address(functions[f"gputm_{self.kind}_params"]())
        rows = (structs["param"] * params.param_count).from_address(params.param)
        config = functions["gputm_unit_config"](self.face)
        return {row.name.decode(): functions["gputm_params_get"](row, config) for row in rows}

    @property
    def statistics(self):
        """The values by name; of a histogram the number of its samples."""
        return {stat.name.decode(): stat.value for stat in self._all("stat")}

    @property
    def histograms(self):
        """The buckets by name: how often 0, 1, 2 to 3, 4 to 7, ..."""
        return {stat.name.decode(): list((ctypes.c_uint64 * 33).from_address(stat.bucket))
                for stat in self._all("stat") if stat.bucket}

    @property
    def storage_bits(self):
        """Bits of the hardware that is modelled."""
        return functions["gputm_unit_storage_bits"](self.face)

    def events(self):
        """An iterator over the events from now on; it ends, for now, where no more have come."""
        names = [(kind.name.decode(), [field.name and field.name.decode() for field in kind.field])
                 for kind in self._all("event")]
        come = collections.deque()

        def observe(state, unit, event):
            name, fields = names[event.contents.kind]
            values = zip(fields, event.contents.value)
            come.append(Event(name, {field: value for field, value in values if field}))

        class Events:
            def __iter__(self):
                return self

            def __next__(self):
                if not come:
                    raise StopIteration
                return come.popleft()

        self._observers.append(_OBSERVE(observe))
        functions["gputm_unit_observe"](
            self.face, ctypes.cast(self._observers[-1], ctypes.c_void_p), None)
        return Events()

    def save(self, statistics=True):
        """A snapshot, as bytes; without statistics, equal ones for equal states."""
        save = functions["gputm_unit_save" if statistics else "gputm_unit_save_state"]
        buffer = ctypes.create_string_buffer(save(self.face, None, 0))
        save(self.face, buffer, len(buffer))
        return buffer.raw

    def load(self, snapshot):
        """Take over a snapshot of a unit with the same config."""
        functions["gputm_unit_load"](self.face, snapshot, len(snapshot))

    def check(self):
        """None, or the first invariant that does not hold."""
        broken = functions["gputm_unit_check"](self.face)
        return broken and broken.decode()
