/* SPDX-License-Identifier: BSD-2-Clause */
/* Written by examples/python/write.py from the headers; included by gputm.hpp. */
template <class Unit> struct calls<Unit, ::gputm_access_bitmap> : caller<Unit> {
	int record(uint64_t address) const
	{
		return this->self().check(::gputm_access_bitmap_record(this->self(), address));
	}
	int query(uint64_t address) const
	{
		return this->self().check(::gputm_access_bitmap_query(this->self(), address));
	}
	bool next_run(uint64_t from, struct gputm_access_bitmap_run *run) const
	{
		return ::gputm_access_bitmap_next_run(this->self(), from, run);
	}
	uint64_t marked() const
	{
		return ::gputm_access_bitmap_marked(this->self());
	}
	void clear() const
	{
		::gputm_access_bitmap_clear(this->self());
	}
};
template <class Unit> struct calls<Unit, ::gputm_access_coalescer> : caller<Unit> {
	int merge_row(uint64_t lane_mask, const uint64_t *address, const uint32_t *value,
			struct gputm_access_coalescer_access *out,
			struct gputm_access_coalescer_summary *summary) const
	{
		return this->self().check(::gputm_access_coalescer_merge_row(this->self(),
			lane_mask, address, value, out, summary));
	}
	int merge_log(uint32_t count, const struct gputm_access_coalescer_word *access, bool write,
			struct gputm_access_coalescer_access *out,
			struct gputm_access_coalescer_summary *summary) const
	{
		return this->self().check(::gputm_access_coalescer_merge_log(this->self(), count,
			access, write, out, summary));
	}
};
template <class Unit> struct calls<Unit, ::gputm_block_priority> : caller<Unit> {
	int admit(uint32_t slot) const
	{
		return this->self().check(::gputm_block_priority_admit(this->self(), slot));
	}
	int leave(uint32_t slot) const
	{
		return this->self().check(::gputm_block_priority_leave(this->self(), slot));
	}
	uint64_t blocks() const
	{
		return ::gputm_block_priority_blocks(this->self());
	}
	int pick(uint64_t ready, uint32_t *slot) const
	{
		return this->self().check(::gputm_block_priority_pick(this->self(), ready, slot));
	}
	int pick_probe(uint64_t ready, uint32_t *slot) const
	{
		return this->self().check(::gputm_block_priority_pick_probe(this->self(), ready,
			slot));
	}
	void advance(uint64_t cycles) const
	{
		::gputm_block_priority_advance(this->self(), cycles);
	}
};
template <class Unit> struct calls<Unit, ::gputm_block_stack> : caller<Unit> {
	int launch(uint64_t pc, const uint64_t mask[]) const
	{
		return this->self().check(::gputm_block_stack_launch(this->self(), pc, mask));
	}
	uint64_t pc() const
	{
		return ::gputm_block_stack_pc(this->self());
	}
	void mask(uint64_t mask[]) const
	{
		::gputm_block_stack_mask(this->self(), mask);
	}
	uint32_t live() const
	{
		return ::gputm_block_stack_live(this->self());
	}
	size_t depth() const
	{
		return ::gputm_block_stack_depth(this->self());
	}
	size_t top() const
	{
		return ::gputm_block_stack_top(this->self());
	}
	int get_entry(size_t index, struct gputm_block_stack_entry *out) const
	{
		return this->self().check(::gputm_block_stack_get_entry(this->self(), index, out));
	}
	uint64_t warp(uint32_t warp) const
	{
		return ::gputm_block_stack_warp(this->self(), warp);
	}
	int admit(uint64_t mask, const uint16_t thread[]) const
	{
		return this->self().check(::gputm_block_stack_admit(this->self(), mask, thread));
	}
	int branch(uint32_t warp, uint64_t taken,
			const struct gputm_block_stack_target *target) const
	{
		return this->self().check(::gputm_block_stack_branch(this->self(), warp, taken,
			target));
	}
	int branch_probe(uint32_t warp, uint64_t taken,
			const struct gputm_block_stack_target *target) const
	{
		return this->self().check(::gputm_block_stack_branch_probe(this->self(), warp,
			taken, target));
	}
	int arrive(uint32_t warp, uint64_t next_pc) const
	{
		return this->self().check(::gputm_block_stack_arrive(this->self(), warp, next_pc));
	}
	int exit(uint32_t warp, uint64_t lanes) const
	{
		return this->self().check(::gputm_block_stack_exit(this->self(), warp, lanes));
	}
	int barrier(uint32_t warp) const
	{
		return this->self().check(::gputm_block_stack_barrier(this->self(), warp));
	}
	uint32_t tx_retry() const
	{
		return ::gputm_block_stack_tx_retry(this->self());
	}
	int tx_begin(uint32_t warp, uint64_t restart_pc) const
	{
		return this->self().check(::gputm_block_stack_tx_begin(this->self(), warp,
			restart_pc));
	}
	int tx_commit(uint32_t warp, uint64_t pc_after) const
	{
		return this->self().check(::gputm_block_stack_tx_commit(this->self(), warp,
			pc_after));
	}
	int tx_abort(uint32_t warp, uint64_t lanes) const
	{
		return this->self().check(::gputm_block_stack_tx_abort(this->self(), warp, lanes));
	}
	int tx_report(uint32_t static_warp, uint64_t committed, uint64_t aborted) const
	{
		return this->self().check(::gputm_block_stack_tx_report(this->self(), static_warp,
			committed, aborted));
	}
};
template <class Unit> struct calls<Unit, ::gputm_commit_buffer> : caller<Unit> {
	int push(const struct gputm_commit_buffer_entry *entry) const
	{
		return this->self().check(::gputm_commit_buffer_push(this->self(), entry));
	}
	int push_probe(const struct gputm_commit_buffer_entry *entry) const
	{
		return this->self().check(::gputm_commit_buffer_push_probe(this->self(), entry));
	}
	int tick() const
	{
		return this->self().check(::gputm_commit_buffer_tick(this->self()));
	}
	uint64_t next_event() const
	{
		return ::gputm_commit_buffer_next_event(this->self());
	}
	int advance(uint64_t cycles) const
	{
		return this->self().check(::gputm_commit_buffer_advance(this->self(), cycles));
	}
	int mem_peek(struct gputm_mem_request *out) const
	{
		return this->self().check(::gputm_commit_buffer_mem_peek(this->self(), out));
	}
	int mem_pop() const
	{
		return this->self().check(::gputm_commit_buffer_mem_pop(this->self()));
	}
	int mem_take(struct gputm_mem_request *out) const
	{
		return this->self().check(::gputm_commit_buffer_mem_take(this->self(), out));
	}
	int mem_complete(uint64_t tag) const
	{
		return this->self().check(::gputm_commit_buffer_mem_complete(this->self(), tag));
	}
	int peek(struct gputm_commit_buffer_release *out) const
	{
		return this->self().check(::gputm_commit_buffer_peek(this->self(), out));
	}
	int pop() const
	{
		return this->self().check(::gputm_commit_buffer_pop(this->self()));
	}
	uint64_t writes() const
	{
		return ::gputm_commit_buffer_writes(this->self());
	}
};
template <class Unit> struct calls<Unit, ::gputm_commit_id> : caller<Unit> {
	int acquire(uint32_t core, uint32_t count, uint64_t *first_cid) const
	{
		return this->self().check(::gputm_commit_id_acquire(this->self(), core, count,
			first_cid));
	}
	int acquire_probe(uint32_t core, uint32_t count) const
	{
		return this->self().check(::gputm_commit_id_acquire_probe(this->self(), core,
			count));
	}
	int report_retired(uint32_t partition, uint64_t first_cid, uint32_t count,
			uint32_t *returned) const
	{
		return this->self().check(::gputm_commit_id_report_retired(this->self(), partition,
			first_cid, count, returned));
	}
	uint32_t available(uint32_t core) const
	{
		return ::gputm_commit_id_available(this->self(), core);
	}
	uint32_t in_flight() const
	{
		return ::gputm_commit_id_in_flight(this->self());
	}
	uint64_t oldest() const
	{
		return ::gputm_commit_id_oldest(this->self());
	}
	uint64_t next_cid() const
	{
		return ::gputm_commit_id_next_cid(this->self());
	}
};
template <class Unit> struct calls<Unit, ::gputm_commit_sequencer> : caller<Unit> {
	int attach(uint32_t warp, const struct gputm_tx_log *log) const
	{
		return this->self().check(::gputm_commit_sequencer_attach(this->self(), warp, log));
	}
	int begin(uint32_t warp, uint64_t lanes) const
	{
		return this->self().check(::gputm_commit_sequencer_begin(this->self(), warp,
			lanes));
	}
	int begin_probe(uint32_t warp, uint64_t lanes) const
	{
		return this->self().check(::gputm_commit_sequencer_begin_probe(this->self(), warp,
			lanes));
	}
	bool wants(uint32_t *warp, uint32_t *count) const
	{
		return ::gputm_commit_sequencer_wants(this->self(), warp, count);
	}
	int grant(uint64_t first_cid) const
	{
		return this->self().check(::gputm_commit_sequencer_grant(this->self(), first_cid));
	}
	int push(uint32_t partition, const struct gputm_commit_unit_report *report) const
	{
		return this->self().check(::gputm_commit_sequencer_push(this->self(), partition,
			report));
	}
	int push_probe(uint32_t partition, const struct gputm_commit_unit_report *report) const
	{
		return this->self().check(::gputm_commit_sequencer_push_probe(this->self(),
			partition, report));
	}
	int peek(uint32_t *partition, struct gputm_commit_unit_message *out) const
	{
		return this->self().check(::gputm_commit_sequencer_peek(this->self(), partition,
			out));
	}
	int pop() const
	{
		return this->self().check(::gputm_commit_sequencer_pop(this->self()));
	}
	uint64_t backoff(uint64_t fail, const uint32_t *aborts) const
	{
		return ::gputm_commit_sequencer_backoff(this->self(), fail, aborts);
	}
	bool overdue(uint64_t age) const
	{
		return ::gputm_commit_sequencer_overdue(this->self(), age);
	}
	int take_done(struct gputm_commit_sequencer_done *out) const
	{
		return this->self().check(::gputm_commit_sequencer_take_done(this->self(), out));
	}
	int take_retired(struct gputm_commit_sequencer_retired *out) const
	{
		return this->self().check(::gputm_commit_sequencer_take_retired(this->self(), out));
	}
	int tick() const
	{
		return this->self().check(::gputm_commit_sequencer_tick(this->self()));
	}
	uint64_t next_event() const
	{
		return ::gputm_commit_sequencer_next_event(this->self());
	}
	uint64_t next_offer() const
	{
		return ::gputm_commit_sequencer_next_offer(this->self());
	}
	int advance(uint64_t cycles) const
	{
		return this->self().check(::gputm_commit_sequencer_advance(this->self(), cycles));
	}
	uint64_t now() const
	{
		return ::gputm_commit_sequencer_now(this->self());
	}
};
template <class Unit> struct calls<Unit, ::gputm_commit_unit> : caller<Unit> {
	int push(const struct gputm_commit_unit_message *message) const
	{
		return this->self().check(::gputm_commit_unit_push(this->self(), message));
	}
	int push_probe(const struct gputm_commit_unit_message *message) const
	{
		return this->self().check(::gputm_commit_unit_push_probe(this->self(), message));
	}
	int tick() const
	{
		return this->self().check(::gputm_commit_unit_tick(this->self()));
	}
	uint64_t next_event() const
	{
		return ::gputm_commit_unit_next_event(this->self());
	}
	int advance(uint64_t cycles) const
	{
		return this->self().check(::gputm_commit_unit_advance(this->self(), cycles));
	}
	int peek(struct gputm_commit_unit_report *out) const
	{
		return this->self().check(::gputm_commit_unit_peek(this->self(), out));
	}
	int pop() const
	{
		return this->self().check(::gputm_commit_unit_pop(this->self()));
	}
	int mem_peek(enum gputm_commit_unit_port port, struct gputm_mem_request *out) const
	{
		return this->self().check(::gputm_commit_unit_mem_peek(this->self(), port, out));
	}
	int mem_pop(enum gputm_commit_unit_port port) const
	{
		return this->self().check(::gputm_commit_unit_mem_pop(this->self(), port));
	}
	int mem_take(enum gputm_commit_unit_port port, struct gputm_mem_request *out) const
	{
		return this->self().check(::gputm_commit_unit_mem_take(this->self(), port, out));
	}
	int get_lanes(uint64_t tag, uint64_t *first_cid, uint64_t *mask) const
	{
		return this->self().check(::gputm_commit_unit_get_lanes(this->self(), tag,
			first_cid, mask));
	}
	int mem_complete(uint64_t tag, const uint32_t *values) const
	{
		return this->self().check(::gputm_commit_unit_mem_complete(this->self(), tag,
			values));
	}
	bool write_pending(uint64_t address) const
	{
		return ::gputm_commit_unit_write_pending(this->self(), address);
	}
	uint64_t oldest() const
	{
		return ::gputm_commit_unit_oldest(this->self());
	}
	enum gputm_commit_unit_state entry_state(uint64_t cid) const
	{
		return ::gputm_commit_unit_entry_state(this->self(), cid);
	}
};
template <class Unit> struct calls<Unit, ::gputm_conflict_address_table> : caller<Unit> {
	int insert(uint64_t address, bool write) const
	{
		return this->self().check(::gputm_conflict_address_table_insert(this->self(),
			address, write));
	}
	int insert_probe(uint64_t address, bool write) const
	{
		return this->self().check(::gputm_conflict_address_table_insert_probe(this->self(),
			address, write));
	}
	int remove(uint64_t address, bool write) const
	{
		return this->self().check(::gputm_conflict_address_table_remove(this->self(),
			address, write));
	}
	int lookup(uint64_t address, bool write) const
	{
		return this->self().check(::gputm_conflict_address_table_lookup(this->self(),
			address, write));
	}
	int lookup_probe(uint64_t address, bool write) const
	{
		return this->self().check(::gputm_conflict_address_table_lookup_probe(this->self(),
			address, write));
	}
	int pause(uint64_t lanes, const uint64_t address[], bool write, uint64_t *paused) const
	{
		return this->self().check(::gputm_conflict_address_table_pause(this->self(), lanes,
			address, write, paused));
	}
	int get_marks(uint64_t address, bool *read, bool *written) const
	{
		return this->self().check(::gputm_conflict_address_table_get_marks(this->self(),
			address, read, written));
	}
};
template <class Unit> struct calls<Unit, ::gputm_device_validator> : caller<Unit> {
	int begin(uint64_t round) const
	{
		return this->self().check(::gputm_device_validator_begin(this->self(), round));
	}
	int push(const struct gputm_access_bitmap *reads,
			const struct gputm_write_set_log_chunk *chunk,
			enum gputm_device_validator_mode mode, uint64_t *apply,
			struct gputm_device_validator_result *result) const
	{
		return this->self().check(::gputm_device_validator_push(this->self(), reads, chunk,
			mode, apply, result));
	}
	bool conflict() const
	{
		return ::gputm_device_validator_conflict(this->self());
	}
};
template <class Unit> struct calls<Unit, ::gputm_dispatch_queues> : caller<Unit> {
	int push(uint32_t type, enum gputm_dispatch_queues_affinity affinity,
			uint64_t request) const
	{
		return this->self().check(::gputm_dispatch_queues_push(this->self(), type, affinity,
			request));
	}
	int dequeue(bool steal, uint32_t *type, uint64_t *request) const
	{
		return this->self().check(::gputm_dispatch_queues_dequeue(this->self(), steal, type,
			request));
	}
	int dequeue_batch(bool steal, bool partial, uint32_t *type, uint32_t *count,
			uint64_t *request) const
	{
		return this->self().check(::gputm_dispatch_queues_dequeue_batch(this->self(), steal,
			partial, type, count, request));
	}
	uint64_t commit() const
	{
		return ::gputm_dispatch_queues_commit(this->self());
	}
	int abort() const
	{
		return this->self().check(::gputm_dispatch_queues_abort(this->self()));
	}
	uint64_t waiting(enum gputm_dispatch_queues_affinity affinity) const
	{
		return ::gputm_dispatch_queues_waiting(this->self(), affinity);
	}
	uint64_t in_flight() const
	{
		return ::gputm_dispatch_queues_in_flight(this->self());
	}
};
template <class Unit> struct calls<Unit, ::gputm_first_read> : caller<Unit> {
	int begin(uint32_t warp, uint64_t mask) const
	{
		return this->self().check(::gputm_first_read_begin(this->self(), warp, mask));
	}
	int issue(uint32_t warp, uint64_t mask, uint64_t time) const
	{
		return this->self().check(::gputm_first_read_issue(this->self(), warp, mask, time));
	}
	int reply(uint32_t warp, uint64_t mask, uint64_t last_written, bool write_pending) const
	{
		return this->self().check(::gputm_first_read_reply(this->self(), warp, mask,
			last_written, write_pending));
	}
	int reply_probe(uint32_t warp, uint64_t mask, uint64_t last_written,
			bool write_pending) const
	{
		return this->self().check(::gputm_first_read_reply_probe(this->self(), warp, mask,
			last_written, write_pending));
	}
	int finish(uint32_t warp, uint64_t mask, uint64_t writers,
			struct gputm_first_read_verdict *out) const
	{
		return this->self().check(::gputm_first_read_finish(this->self(), warp, mask,
			writers, out));
	}
	int finish_probe(uint32_t warp, uint64_t mask, uint64_t writers,
			struct gputm_first_read_verdict *out) const
	{
		return this->self().check(::gputm_first_read_finish_probe(this->self(), warp, mask,
			writers, out));
	}
	uint64_t conflicts(uint32_t warp) const
	{
		return ::gputm_first_read_conflicts(this->self(), warp);
	}
	int get_time(uint32_t warp, uint32_t lane, uint64_t *time) const
	{
		return this->self().check(::gputm_first_read_get_time(this->self(), warp, lane,
			time));
	}
	uint64_t oldest() const
	{
		return ::gputm_first_read_oldest(this->self());
	}
};
template <class Unit> struct calls<Unit, ::gputm_last_writer> : caller<Unit> {
	int record(uint64_t address, uint64_t cid) const
	{
		return this->self().check(::gputm_last_writer_record(this->self(), address, cid));
	}
	int record_probe(uint64_t address, uint64_t cid) const
	{
		return this->self().check(::gputm_last_writer_record_probe(this->self(), address,
			cid));
	}
	int lookup(uint64_t address, uint64_t *cid) const
	{
		return this->self().check(::gputm_last_writer_lookup(this->self(), address, cid));
	}
	int lookup_probe(uint64_t address, uint64_t *cid) const
	{
		return this->self().check(::gputm_last_writer_lookup_probe(this->self(), address,
			cid));
	}
	int expire(uint64_t floor, uint64_t *cycles) const
	{
		return this->self().check(::gputm_last_writer_expire(this->self(), floor, cycles));
	}
	uint64_t base() const
	{
		return ::gputm_last_writer_base(this->self());
	}
	uint64_t limit() const
	{
		return ::gputm_last_writer_limit(this->self());
	}
};
template <class Unit> struct calls<Unit, ::gputm_last_written> : caller<Unit> {
	int record(uint64_t address, uint64_t time) const
	{
		return this->self().check(::gputm_last_written_record(this->self(), address, time));
	}
	int query(uint64_t address, uint64_t *time) const
	{
		return this->self().check(::gputm_last_written_query(this->self(), address, time));
	}
	int query_probe(uint64_t address, uint64_t *time) const
	{
		return this->self().check(::gputm_last_written_query_probe(this->self(), address,
			time));
	}
	void expire(uint64_t floor, uint64_t *cycles) const
	{
		::gputm_last_written_expire(this->self(), floor, cycles);
	}
	void clear() const
	{
		::gputm_last_written_clear(this->self());
	}
	int get_entry(uint32_t way, uint32_t index, uint64_t *out) const
	{
		return this->self().check(::gputm_last_written_get_entry(this->self(), way, index,
			out));
	}
};
template <class Unit> struct calls<Unit, ::gputm_local_tm> : caller<Unit> {
	int get_place(uint32_t word, struct gputm_local_tm_place *out) const
	{
		return this->self().check(::gputm_local_tm_get_place(this->self(), word, out));
	}
	int lookup(uint32_t word, uint32_t *value) const
	{
		return this->self().check(::gputm_local_tm_lookup(this->self(), word, value));
	}
	int update(uint32_t word, uint32_t value) const
	{
		return this->self().check(::gputm_local_tm_update(this->self(), word, value));
	}
	int get_shadow(uint32_t word, struct gputm_local_tm_shadow *out) const
	{
		return this->self().check(::gputm_local_tm_get_shadow(this->self(), word, out));
	}
	uint64_t signature(uint32_t bank, uint32_t item) const
	{
		return ::gputm_local_tm_signature(this->self(), bank, item);
	}
	int get_masks(uint32_t wavefront, struct gputm_local_tm_masks *out) const
	{
		return this->self().check(::gputm_local_tm_get_masks(this->self(), wavefront, out));
	}
	uint64_t running(uint32_t wavefront) const
	{
		return ::gputm_local_tm_running(this->self(), wavefront);
	}
	int set_exec(uint32_t wavefront, uint64_t exec) const
	{
		return this->self().check(::gputm_local_tm_set_exec(this->self(), wavefront, exec));
	}
	int set_vcc(uint32_t wavefront, uint64_t vcc) const
	{
		return this->self().check(::gputm_local_tm_set_vcc(this->self(), wavefront, vcc));
	}
	int begin(uint32_t wavefront, struct gputm_local_tm_begun *out) const
	{
		return this->self().check(::gputm_local_tm_begin(this->self(), wavefront, out));
	}
	int begin_probe(uint32_t wavefront) const
	{
		return this->self().check(::gputm_local_tm_begin_probe(this->self(), wavefront));
	}
	int holder() const
	{
		return this->self().check(::gputm_local_tm_holder(this->self()));
	}
	int access(uint32_t wavefront, bool write, uint64_t lanes, const uint32_t *word,
			uint32_t *value, struct gputm_local_tm_answer *out) const
	{
		return this->self().check(::gputm_local_tm_access(this->self(), wavefront, write,
			lanes, word, value, out));
	}
	int access_probe(uint32_t wavefront, uint64_t lanes, const uint32_t *word,
			struct gputm_local_tm_answer *out) const
	{
		return this->self().check(::gputm_local_tm_access_probe(this->self(), wavefront,
			lanes, word, out));
	}
	int commit(uint32_t wavefront, struct gputm_local_tm_ended *out) const
	{
		return this->self().check(::gputm_local_tm_commit(this->self(), wavefront, out));
	}
};
template <class Unit> struct calls<Unit, ::gputm_metadata_table> : caller<Unit> {
	int lookup(uint64_t address, struct gputm_metadata_table_entry *out) const
	{
		return this->self().check(::gputm_metadata_table_lookup(this->self(), address,
			out));
	}
	int lookup_probe(uint64_t address, struct gputm_metadata_table_entry *out) const
	{
		return this->self().check(::gputm_metadata_table_lookup_probe(this->self(), address,
			out));
	}
	int query(uint64_t address, struct gputm_metadata_table_entry *out) const
	{
		return this->self().check(::gputm_metadata_table_query(this->self(), address, out));
	}
	int estimate(uint64_t address, uint64_t *wts, uint64_t *rts) const
	{
		return this->self().check(::gputm_metadata_table_estimate(this->self(), address,
			wts, rts));
	}
	int update(uint64_t address, const struct gputm_metadata_table_entry *metadata,
			uint32_t *cycles) const
	{
		return this->self().check(::gputm_metadata_table_update(this->self(), address,
			metadata, cycles));
	}
	int add_writes(uint64_t address, int32_t change, uint32_t owner, uint32_t *cycles) const
	{
		return this->self().check(::gputm_metadata_table_add_writes(this->self(), address,
			change, owner, cycles));
	}
	int remove(uint64_t address) const
	{
		return this->self().check(::gputm_metadata_table_remove(this->self(), address));
	}
	int flush() const
	{
		return this->self().check(::gputm_metadata_table_flush(this->self()));
	}
	uint64_t writes() const
	{
		return ::gputm_metadata_table_writes(this->self());
	}
	int get_entry(uint64_t index, uint64_t *address,
			struct gputm_metadata_table_entry *out) const
	{
		return this->self().check(::gputm_metadata_table_get_entry(this->self(), index,
			address, out));
	}
};
template <class Unit> struct calls<Unit, ::gputm_ownership_table> : caller<Unit> {
	int acquire(uint64_t active, uint32_t *buffer) const
	{
		return this->self().check(::gputm_ownership_table_acquire(this->self(), active,
			buffer));
	}
	int acquire_probe(uint64_t active) const
	{
		return this->self().check(::gputm_ownership_table_acquire_probe(this->self(),
			active));
	}
	int resolve(uint32_t buffer, const struct gputm_resolver_logs *logs,
			struct gputm_resolver_outcome *out) const
	{
		return this->self().check(::gputm_ownership_table_resolve(this->self(), buffer,
			logs, out));
	}
	int construct_row(uint32_t buffer, const struct gputm_resolver_row *row) const
	{
		return this->self().check(::gputm_ownership_table_construct_row(this->self(),
			buffer, row));
	}
	int match_read_row(uint32_t buffer, const struct gputm_resolver_row *row) const
	{
		return this->self().check(::gputm_ownership_table_match_read_row(this->self(),
			buffer, row));
	}
	int match_write_row(uint32_t buffer, const struct gputm_resolver_row *row) const
	{
		return this->self().check(::gputm_ownership_table_match_write_row(this->self(),
			buffer, row));
	}
	int get_result(uint32_t buffer, struct gputm_resolver_outcome *out) const
	{
		return this->self().check(::gputm_ownership_table_get_result(this->self(), buffer,
			out));
	}
	int release(uint32_t buffer) const
	{
		return this->self().check(::gputm_ownership_table_release(this->self(), buffer));
	}
	int owner(uint32_t buffer, uint64_t address) const
	{
		return this->self().check(::gputm_ownership_table_owner(this->self(), buffer,
			address));
	}
};
template <class Unit> struct calls<Unit, ::gputm_reader_list> : caller<Unit> {
	int add(uint64_t address, uint32_t tx) const
	{
		return this->self().check(::gputm_reader_list_add(this->self(), address, tx));
	}
	int add_probe(uint64_t address, uint32_t tx) const
	{
		return this->self().check(::gputm_reader_list_add_probe(this->self(), address, tx));
	}
	int remove(uint64_t address, uint32_t tx) const
	{
		return this->self().check(::gputm_reader_list_remove(this->self(), address, tx));
	}
	int readers(uint64_t address, uint32_t *ids, uint32_t capacity) const
	{
		return this->self().check(::gputm_reader_list_readers(this->self(), address, ids,
			capacity));
	}
	int entries(uint64_t address) const
	{
		return this->self().check(::gputm_reader_list_entries(this->self(), address));
	}
	int get_entry(uint64_t address, uint32_t index, struct gputm_reader_list_entry *out) const
	{
		return this->self().check(::gputm_reader_list_get_entry(this->self(), address,
			index, out));
	}
	uint32_t used() const
	{
		return ::gputm_reader_list_used(this->self());
	}
};
template <class Unit> struct calls<Unit, ::gputm_recency_bloom> : caller<Unit> {
	int update(uint64_t address, uint64_t stamp) const
	{
		return this->self().check(::gputm_recency_bloom_update(this->self(), address,
			stamp));
	}
	int update_pair(uint64_t address, uint64_t first, uint64_t second) const
	{
		return this->self().check(::gputm_recency_bloom_update_pair(this->self(), address,
			first, second));
	}
	int query(uint64_t address, uint64_t *stamp) const
	{
		return this->self().check(::gputm_recency_bloom_query(this->self(), address,
			stamp));
	}
	int query_pair(uint64_t address, uint64_t *first, uint64_t *second) const
	{
		return this->self().check(::gputm_recency_bloom_query_pair(this->self(), address,
			first, second));
	}
	void clear() const
	{
		::gputm_recency_bloom_clear(this->self());
	}
	void expire(uint64_t floor, uint64_t *cycles) const
	{
		::gputm_recency_bloom_expire(this->self(), floor, cycles);
	}
	uint64_t base() const
	{
		return ::gputm_recency_bloom_base(this->self());
	}
	int get_entry(uint32_t way, uint32_t index, uint32_t which, uint64_t *out) const
	{
		return this->self().check(::gputm_recency_bloom_get_entry(this->self(), way, index,
			which, out));
	}
};
template <class Unit> struct calls<Unit, ::gputm_reference_count_table> : caller<Unit> {
	int add(uint64_t address, bool write) const
	{
		return this->self().check(::gputm_reference_count_table_add(this->self(), address,
			write));
	}
	int add_probe(uint64_t address, bool write) const
	{
		return this->self().check(::gputm_reference_count_table_add_probe(this->self(),
			address, write));
	}
	int remove(uint64_t address, bool write) const
	{
		return this->self().check(::gputm_reference_count_table_remove(this->self(),
			address, write));
	}
	int remove_probe(uint64_t address, bool write) const
	{
		return this->self().check(::gputm_reference_count_table_remove_probe(this->self(),
			address, write));
	}
	int get_counts(uint64_t address, uint32_t *readers, uint32_t *writers) const
	{
		return this->self().check(::gputm_reference_count_table_get_counts(this->self(),
			address, readers, writers));
	}
};
template <class Unit> struct calls<Unit, ::gputm_row_copier> : caller<Unit> {
	int push(const struct gputm_row_copier_request *request, uint64_t *done_at) const
	{
		return this->self().check(::gputm_row_copier_push(this->self(), request, done_at));
	}
	int push_probe(const struct gputm_row_copier_request *request, uint64_t *done_at) const
	{
		return this->self().check(::gputm_row_copier_push_probe(this->self(), request,
			done_at));
	}
	int take(struct gputm_row_copier_request *out) const
	{
		return this->self().check(::gputm_row_copier_take(this->self(), out));
	}
	int tick() const
	{
		return this->self().check(::gputm_row_copier_tick(this->self()));
	}
	uint64_t next_event() const
	{
		return ::gputm_row_copier_next_event(this->self());
	}
	int advance(uint64_t cycles) const
	{
		return this->self().check(::gputm_row_copier_advance(this->self(), cycles));
	}
	uint64_t now() const
	{
		return ::gputm_row_copier_now(this->self());
	}
};
template <class Unit> struct calls<Unit, ::gputm_sequential_resolver> : caller<Unit> {
	int acquire(uint64_t active, uint32_t *buffer) const
	{
		return this->self().check(::gputm_sequential_resolver_acquire(this->self(), active,
			buffer));
	}
	int acquire_probe(uint64_t active) const
	{
		return this->self().check(::gputm_sequential_resolver_acquire_probe(this->self(),
			active));
	}
	int resolve(uint32_t buffer, const struct gputm_resolver_logs *logs,
			struct gputm_resolver_outcome *out) const
	{
		return this->self().check(::gputm_sequential_resolver_resolve(this->self(), buffer,
			logs, out));
	}
	int resolve_lane(uint32_t buffer, const struct gputm_resolver_logs *logs,
			uint32_t lane) const
	{
		return this->self().check(::gputm_sequential_resolver_resolve_lane(this->self(),
			buffer, logs, lane));
	}
	int get_result(uint32_t buffer, struct gputm_resolver_outcome *out) const
	{
		return this->self().check(::gputm_sequential_resolver_get_result(this->self(),
			buffer, out));
	}
	int release(uint32_t buffer) const
	{
		return this->self().check(::gputm_sequential_resolver_release(this->self(),
			buffer));
	}
};
template <class Unit> struct calls<Unit, ::gputm_signature> : caller<Unit> {
	int insert(uint32_t index, uint64_t address) const
	{
		return this->self().check(::gputm_signature_insert(this->self(), index, address));
	}
	int maybe_contains(uint32_t index, uint64_t address) const
	{
		return this->self().check(::gputm_signature_maybe_contains(this->self(), index,
			address));
	}
	int maybe_contains_probe(uint32_t index, uint64_t address) const
	{
		return this->self().check(::gputm_signature_maybe_contains_probe(this->self(),
			index, address));
	}
	int match(uint64_t address, uint64_t *mask) const
	{
		return this->self().check(::gputm_signature_match(this->self(), address, mask));
	}
	int clear(uint32_t index) const
	{
		return this->self().check(::gputm_signature_clear(this->self(), index));
	}
	int union_(uint32_t into, uint32_t from) const
	{
		return this->self().check(::gputm_signature_union(this->self(), into, from));
	}
	uint32_t population(uint32_t index) const
	{
		return ::gputm_signature_population(this->self(), index);
	}
};
template <class Unit> struct calls<Unit, ::gputm_simt_stack> : caller<Unit> {
	int launch(uint64_t pc, uint64_t mask) const
	{
		return this->self().check(::gputm_simt_stack_launch(this->self(), pc, mask));
	}
	uint64_t active_mask() const
	{
		return ::gputm_simt_stack_active_mask(this->self());
	}
	uint64_t pc() const
	{
		return ::gputm_simt_stack_pc(this->self());
	}
	void top(struct gputm_simt_stack_entry *out) const
	{
		::gputm_simt_stack_top(this->self(), out);
	}
	uint64_t live_mask() const
	{
		return ::gputm_simt_stack_live_mask(this->self());
	}
	size_t depth() const
	{
		return ::gputm_simt_stack_depth(this->self());
	}
	int get_entry(size_t index, struct gputm_simt_stack_entry *out) const
	{
		return this->self().check(::gputm_simt_stack_get_entry(this->self(), index, out));
	}
	int proceed(uint64_t next_pc) const
	{
		return this->self().check(::gputm_simt_stack_proceed(this->self(), next_pc));
	}
	int diverge(const struct gputm_simt_stack_target target[], size_t count, uint64_t rpc,
			uint64_t lpc) const
	{
		return this->self().check(::gputm_simt_stack_diverge(this->self(), target, count,
			rpc, lpc));
	}
	int diverge_probe(const struct gputm_simt_stack_target target[], size_t count, uint64_t rpc,
			uint64_t lpc) const
	{
		return this->self().check(::gputm_simt_stack_diverge_probe(this->self(), target,
			count, rpc, lpc));
	}
	int exit(uint64_t mask) const
	{
		return this->self().check(::gputm_simt_stack_exit(this->self(), mask));
	}
	int update(uint64_t ended, const uint64_t next_pc[], uint64_t rpc, uint64_t last_pc) const
	{
		return this->self().check(::gputm_simt_stack_update(this->self(), ended, next_pc,
			rpc, last_pc));
	}
	int tx_begin(uint64_t restart_pc) const
	{
		return this->self().check(::gputm_simt_stack_tx_begin(this->self(), restart_pc));
	}
	int tx_begin_probe(uint64_t restart_pc) const
	{
		return this->self().check(::gputm_simt_stack_tx_begin_probe(this->self(),
			restart_pc));
	}
	bool in_transaction() const
	{
		return ::gputm_simt_stack_in_transaction(this->self());
	}
	uint64_t tx_running() const
	{
		return ::gputm_simt_stack_tx_running(this->self());
	}
	uint64_t tx_retry() const
	{
		return ::gputm_simt_stack_tx_retry(this->self());
	}
	int tx_abort(uint64_t mask) const
	{
		return this->self().check(::gputm_simt_stack_tx_abort(this->self(), mask));
	}
	int tx_commit(uint64_t mask, uint64_t pc_after) const
	{
		return this->self().check(::gputm_simt_stack_tx_commit(this->self(), mask,
			pc_after));
	}
	int tx_commit_done() const
	{
		return this->self().check(::gputm_simt_stack_tx_commit_done(this->self()));
	}
};
template <class Unit> struct calls<Unit, ::gputm_stall_buffer> : caller<Unit> {
	int push(const struct gputm_stall_buffer_request *request) const
	{
		return this->self().check(::gputm_stall_buffer_push(this->self(), request));
	}
	int push_probe(uint64_t address) const
	{
		return this->self().check(::gputm_stall_buffer_push_probe(this->self(), address));
	}
	int wake(uint64_t address, struct gputm_stall_buffer_request *out) const
	{
		return this->self().check(::gputm_stall_buffer_wake(this->self(), address, out));
	}
	int wake_probe(uint64_t address, struct gputm_stall_buffer_request *out) const
	{
		return this->self().check(::gputm_stall_buffer_wake_probe(this->self(), address,
			out));
	}
	int wake_before(uint64_t address, uint64_t stamp,
			struct gputm_stall_buffer_request *out) const
	{
		return this->self().check(::gputm_stall_buffer_wake_before(this->self(), address,
			stamp, out));
	}
	int wake_warp(uint64_t address, uint32_t warp, struct gputm_stall_buffer_request *out) const
	{
		return this->self().check(::gputm_stall_buffer_wake_warp(this->self(), address,
			warp, out));
	}
	int drain(struct gputm_stall_buffer_request *out) const
	{
		return this->self().check(::gputm_stall_buffer_drain(this->self(), out));
	}
	int get_request(uint64_t index, struct gputm_stall_buffer_request *out) const
	{
		return this->self().check(::gputm_stall_buffer_get_request(this->self(), index,
			out));
	}
	uint64_t waiting() const
	{
		return ::gputm_stall_buffer_waiting(this->self());
	}
};
template <class Unit> struct calls<Unit, ::gputm_sync_round> : caller<Unit> {
	int begin(uint64_t now) const
	{
		return this->self().check(::gputm_sync_round_begin(this->self(), now));
	}
	int stop(uint64_t now) const
	{
		return this->self().check(::gputm_sync_round_stop(this->self(), now));
	}
	int step(uint64_t now, struct gputm_sync_round_todo *todo) const
	{
		return this->self().check(::gputm_sync_round_step(this->self(), now, todo));
	}
	int complete(uint64_t now, const struct gputm_sync_round_done *done) const
	{
		return this->self().check(::gputm_sync_round_complete(this->self(), now, done));
	}
	bool may_run(enum gputm_sync_round_device device, uint64_t now) const
	{
		return ::gputm_sync_round_may_run(this->self(), device, now);
	}
	uint64_t next_time() const
	{
		return ::gputm_sync_round_next_time(this->self());
	}
	enum gputm_sync_round_state current_state() const
	{
		return ::gputm_sync_round_current_state(this->self());
	}
};
template <class Unit> struct calls<Unit, ::gputm_thread_compactor> : caller<Unit> {
	int push(uint64_t tag, const uint64_t mask[]) const
	{
		return this->self().check(::gputm_thread_compactor_push(this->self(), tag, mask));
	}
	int push_probe(const uint64_t mask[]) const
	{
		return this->self().check(::gputm_thread_compactor_push_probe(this->self(), mask));
	}
	int tick() const
	{
		return this->self().check(::gputm_thread_compactor_tick(this->self()));
	}
	uint64_t next_event() const
	{
		return ::gputm_thread_compactor_next_event(this->self());
	}
	int advance(uint64_t cycles) const
	{
		return this->self().check(::gputm_thread_compactor_advance(this->self(), cycles));
	}
	int peek(struct gputm_thread_compactor_warp *out) const
	{
		return this->self().check(::gputm_thread_compactor_peek(this->self(), out));
	}
	int pop() const
	{
		return this->self().check(::gputm_thread_compactor_pop(this->self()));
	}
	uint32_t warps() const
	{
		return ::gputm_thread_compactor_warps(this->self());
	}
	uint64_t buffer(uint32_t lane) const
	{
		return ::gputm_thread_compactor_buffer(this->self(), lane);
	}
};
template <class Unit> struct calls<Unit, ::gputm_timestamp_table> : caller<Unit> {
	int begin(uint32_t tx, uint64_t start) const
	{
		return this->self().check(::gputm_timestamp_table_begin(this->self(), tx, start));
	}
	int add_edge(uint32_t pred, uint32_t succ) const
	{
		return this->self().check(::gputm_timestamp_table_add_edge(this->self(), pred,
			succ));
	}
	int add_edge_probe(uint32_t pred, uint32_t succ) const
	{
		return this->self().check(::gputm_timestamp_table_add_edge_probe(this->self(), pred,
			succ));
	}
	int retire(uint32_t tx, bool committed) const
	{
		return this->self().check(::gputm_timestamp_table_retire(this->self(), tx,
			committed));
	}
	int release(uint32_t tx) const
	{
		return this->self().check(::gputm_timestamp_table_release(this->self(), tx));
	}
	int restart() const
	{
		return this->self().check(::gputm_timestamp_table_restart(this->self()));
	}
	int get_stamps(uint32_t tx, struct gputm_timestamp_table_stamps *out) const
	{
		return this->self().check(::gputm_timestamp_table_get_stamps(this->self(), tx,
			out));
	}
};
template <class Unit> struct calls<Unit, ::gputm_tx_log> : caller<Unit> {
	int append_read(uint64_t mask, const uint64_t *address, const uint32_t *value) const
	{
		return this->self().check(::gputm_tx_log_append_read(this->self(), mask, address,
			value));
	}
	int append_write(uint64_t mask, const uint64_t *address, const uint32_t *value) const
	{
		return this->self().check(::gputm_tx_log_append_write(this->self(), mask, address,
			value));
	}
	int lookup_own_writes(uint64_t mask, const uint64_t *address, uint32_t *value,
			struct gputm_tx_log_lookup *out) const
	{
		return this->self().check(::gputm_tx_log_lookup_own_writes(this->self(), mask,
			address, value, out));
	}
	int lookup_own_write(uint32_t lane, uint64_t address, uint32_t *value, uint32_t *rows) const
	{
		return this->self().check(::gputm_tx_log_lookup_own_write(this->self(), lane,
			address, value, rows));
	}
	int restart(uint64_t mask) const
	{
		return this->self().check(::gputm_tx_log_restart(this->self(), mask));
	}
	uint32_t rows(enum gputm_tx_log_kind kind) const
	{
		return ::gputm_tx_log_rows(this->self(), kind);
	}
	uint64_t lanes(enum gputm_tx_log_kind kind) const
	{
		return ::gputm_tx_log_lanes(this->self(), kind);
	}
	int get_row(enum gputm_tx_log_kind kind, uint32_t index, struct gputm_tx_log_row *out) const
	{
		return this->self().check(::gputm_tx_log_get_row(this->self(), kind, index, out));
	}
	int get_group(enum gputm_tx_log_kind kind, uint32_t index, uint64_t mask,
			uint64_t *lanes_of, uint64_t *set) const
	{
		return this->self().check(::gputm_tx_log_get_group(this->self(), kind, index, mask,
			lanes_of, set));
	}
	uint32_t partition(uint64_t address) const
	{
		return ::gputm_tx_log_partition(this->self(), address);
	}
	uint64_t packet_flits(uint32_t entries) const
	{
		return ::gputm_tx_log_packet_flits(this->self(), entries);
	}
};
template <class Unit> struct calls<Unit, ::gputm_tx_throttle> : caller<Unit> {
	int admit(uint32_t warp) const
	{
		return this->self().check(::gputm_tx_throttle_admit(this->self(), warp));
	}
	int admit_probe(uint32_t warp) const
	{
		return this->self().check(::gputm_tx_throttle_admit_probe(this->self(), warp));
	}
	int leave(uint32_t warp) const
	{
		return this->self().check(::gputm_tx_throttle_leave(this->self(), warp));
	}
	bool next_warp(uint32_t *warp) const
	{
		return ::gputm_tx_throttle_next_warp(this->self(), warp);
	}
	int report(uint32_t commits, uint32_t aborts, uint64_t began, uint64_t cycle) const
	{
		return this->self().check(::gputm_tx_throttle_report(this->self(), commits, aborts,
			began, cycle));
	}
	uint32_t limit() const
	{
		return ::gputm_tx_throttle_limit(this->self());
	}
	uint32_t running() const
	{
		return ::gputm_tx_throttle_running(this->self());
	}
	uint32_t waiting() const
	{
		return ::gputm_tx_throttle_waiting(this->self());
	}
};
template <class Unit> struct calls<Unit, ::gputm_validation_unit> : caller<Unit> {
	struct gputm_unit * table() const
	{
		return ::gputm_validation_unit_table(this->self());
	}
	struct gputm_unit * buffer() const
	{
		return ::gputm_validation_unit_buffer(this->self());
	}
	int access(const struct gputm_validation_unit_request *request,
			struct gputm_validation_unit_answer *answer) const
	{
		return this->self().check(::gputm_validation_unit_access(this->self(), request,
			answer));
	}
	int access_probe(const struct gputm_validation_unit_request *request) const
	{
		return this->self().check(::gputm_validation_unit_access_probe(this->self(),
			request));
	}
	int retry(struct gputm_validation_unit_answer *answer) const
	{
		return this->self().check(::gputm_validation_unit_retry(this->self(), answer));
	}
	int release(uint64_t address, uint32_t warp, uint64_t sequence, uint32_t count,
			uint32_t *left) const
	{
		return this->self().check(::gputm_validation_unit_release(this->self(), address,
			warp, sequence, count, left));
	}
	int get_granule(uint64_t address, struct gputm_validation_unit_granule *out) const
	{
		return this->self().check(::gputm_validation_unit_get_granule(this->self(), address,
			out));
	}
	int push(const struct gputm_validation_unit_request *request) const
	{
		return this->self().check(::gputm_validation_unit_push(this->self(), request));
	}
	int push_probe(const struct gputm_validation_unit_request *request) const
	{
		return this->self().check(::gputm_validation_unit_push_probe(this->self(),
			request));
	}
	int tick() const
	{
		return this->self().check(::gputm_validation_unit_tick(this->self()));
	}
	uint64_t next_event() const
	{
		return ::gputm_validation_unit_next_event(this->self());
	}
	int advance(uint64_t cycles) const
	{
		return this->self().check(::gputm_validation_unit_advance(this->self(), cycles));
	}
	int peek(struct gputm_validation_unit_answer *out) const
	{
		return this->self().check(::gputm_validation_unit_peek(this->self(), out));
	}
	bool estimated() const
	{
		return ::gputm_validation_unit_estimated(this->self());
	}
	int pop() const
	{
		return this->self().check(::gputm_validation_unit_pop(this->self()));
	}
	uint64_t pending() const
	{
		return ::gputm_validation_unit_pending(this->self());
	}
	uint64_t writes() const
	{
		return ::gputm_validation_unit_writes(this->self());
	}
	void rollover() const
	{
		::gputm_validation_unit_rollover(this->self());
	}
	int ring_push(const struct gputm_validation_unit_message *message) const
	{
		return this->self().check(::gputm_validation_unit_ring_push(this->self(), message));
	}
	int ring_peek(struct gputm_validation_unit_message *out) const
	{
		return this->self().check(::gputm_validation_unit_ring_peek(this->self(), out));
	}
	int ring_pop() const
	{
		return this->self().check(::gputm_validation_unit_ring_pop(this->self()));
	}
	int rollover_go() const
	{
		return this->self().check(::gputm_validation_unit_rollover_go(this->self()));
	}
	enum gputm_validation_unit_state current_state() const
	{
		return ::gputm_validation_unit_current_state(this->self());
	}
};
template <class Unit> struct calls<Unit, ::gputm_version_table> : caller<Unit> {
	int add_region(uint64_t start, uint64_t length, uint64_t relocated, uint64_t now,
			uint32_t *region) const
	{
		return this->self().check(::gputm_version_table_add_region(this->self(), start,
			length, relocated, now, region));
	}
	int resolve(uint64_t address, uint64_t time, uint64_t *physical) const
	{
		return this->self().check(::gputm_version_table_resolve(this->self(), address, time,
			physical));
	}
	int resolve_write(uint64_t address, uint64_t *physical) const
	{
		return this->self().check(::gputm_version_table_resolve_write(this->self(), address,
			physical));
	}
	int resolve_plain(uint64_t address, uint64_t *physical) const
	{
		return this->self().check(::gputm_version_table_resolve_plain(this->self(), address,
			physical));
	}
	int acquire(uint64_t address, uint64_t time, uint32_t *region, uint32_t *version) const
	{
		return this->self().check(::gputm_version_table_acquire(this->self(), address, time,
			region, version));
	}
	int release(uint32_t region, uint32_t version) const
	{
		return this->self().check(::gputm_version_table_release(this->self(), region,
			version));
	}
	int begin_copy(uint32_t region, uint32_t *from, uint32_t *to) const
	{
		return this->self().check(::gputm_version_table_begin_copy(this->self(), region,
			from, to));
	}
	int begin_copy_probe(uint32_t region) const
	{
		return this->self().check(::gputm_version_table_begin_copy_probe(this->self(),
			region));
	}
	int complete_copy(uint32_t region) const
	{
		return this->self().check(::gputm_version_table_complete_copy(this->self(),
			region));
	}
	int commit(uint32_t region, uint64_t stamp) const
	{
		return this->self().check(::gputm_version_table_commit(this->self(), region,
			stamp));
	}
	int seal(uint64_t mask, uint64_t now) const
	{
		return this->self().check(::gputm_version_table_seal(this->self(), mask, now));
	}
	uint64_t start_stamp(uint64_t time) const
	{
		return ::gputm_version_table_start_stamp(this->self(), time);
	}
	int restart(uint64_t now) const
	{
		return this->self().check(::gputm_version_table_restart(this->self(), now));
	}
	int get_version(uint32_t region, uint32_t version,
			struct gputm_version_table_version *out) const
	{
		return this->self().check(::gputm_version_table_get_version(this->self(), region,
			version, out));
	}
};
template <class Unit> struct calls<Unit, ::gputm_warp_access_filter> : caller<Unit> {
	int begin(uint32_t warp, uint64_t lanes) const
	{
		return this->self().check(::gputm_warp_access_filter_begin(this->self(), warp,
			lanes));
	}
	int access(uint32_t warp, bool write, uint64_t lanes, const uint64_t *address,
			uint64_t *lost) const
	{
		return this->self().check(::gputm_warp_access_filter_access(this->self(), warp,
			write, lanes, address, lost));
	}
	int access_probe(uint32_t warp, bool write, uint64_t lanes, const uint64_t *address,
			uint64_t *lost) const
	{
		return this->self().check(::gputm_warp_access_filter_access_probe(this->self(),
			warp, write, lanes, address, lost));
	}
	int drop(uint32_t warp, uint64_t lanes) const
	{
		return this->self().check(::gputm_warp_access_filter_drop(this->self(), warp,
			lanes));
	}
	uint64_t running(uint32_t warp) const
	{
		return ::gputm_warp_access_filter_running(this->self(), warp);
	}
};
template <class Unit> struct calls<Unit, ::gputm_warp_clock> : caller<Unit> {
	int get_time(uint32_t warp, uint64_t *time) const
	{
		return this->self().check(::gputm_warp_clock_get_time(this->self(), warp, time));
	}
	int abort(uint32_t warp, uint64_t reported) const
	{
		return this->self().check(::gputm_warp_clock_abort(this->self(), warp, reported));
	}
	int restart(uint32_t warp, uint64_t *cycles) const
	{
		return this->self().check(::gputm_warp_clock_restart(this->self(), warp, cycles));
	}
	int commit(uint32_t warp) const
	{
		return this->self().check(::gputm_warp_clock_commit(this->self(), warp));
	}
	bool exhausted() const
	{
		return ::gputm_warp_clock_exhausted(this->self());
	}
	void rollover() const
	{
		::gputm_warp_clock_rollover(this->self());
	}
};
template <class Unit> struct calls<Unit, ::gputm_warp_former> : caller<Unit> {
	int launch(uint32_t warp, uint64_t mask, uint64_t pc) const
	{
		return this->self().check(::gputm_warp_former_launch(this->self(), warp, mask, pc));
	}
	int issue(struct gputm_warp_former_warp *out) const
	{
		return this->self().check(::gputm_warp_former_issue(this->self(), out));
	}
	int issue_probe(struct gputm_warp_former_warp *out) const
	{
		return this->self().check(::gputm_warp_former_issue_probe(this->self(), out));
	}
	int proceed(uint32_t slot, uint64_t next_pc) const
	{
		return this->self().check(::gputm_warp_former_proceed(this->self(), slot, next_pc));
	}
	int branch(uint32_t slot, uint64_t taken,
			const struct gputm_warp_former_target *target) const
	{
		return this->self().check(::gputm_warp_former_branch(this->self(), slot, taken,
			target));
	}
	int exit(uint32_t slot, uint64_t lanes) const
	{
		return this->self().check(::gputm_warp_former_exit(this->self(), slot, lanes));
	}
	int barrier(uint32_t slot, uint64_t next_pc) const
	{
		return this->self().check(::gputm_warp_former_barrier(this->self(), slot, next_pc));
	}
	uint32_t waiting(uint64_t pc) const
	{
		return ::gputm_warp_former_waiting(this->self(), pc);
	}
	uint32_t in_flight() const
	{
		return ::gputm_warp_former_in_flight(this->self());
	}
	uint32_t live() const
	{
		return ::gputm_warp_former_live(this->self());
	}
	int get_warp(uint32_t slot, struct gputm_warp_former_warp *out, bool *in_flight) const
	{
		return this->self().check(::gputm_warp_former_get_warp(this->self(), slot, out,
			in_flight));
	}
	bool at_warp_barrier(uint32_t warp, uint64_t *mask, uint64_t *pc) const
	{
		return ::gputm_warp_former_at_warp_barrier(this->self(), warp, mask, pc);
	}
	uint64_t at_block_barrier(uint32_t warp) const
	{
		return ::gputm_warp_former_at_block_barrier(this->self(), warp);
	}
};
template <class Unit> struct calls<Unit, ::gputm_write_set_log> : caller<Unit> {
	int append(uint32_t thread, uint64_t address, uint32_t value, uint64_t stamp) const
	{
		return this->self().check(::gputm_write_set_log_append(this->self(), thread,
			address, value, stamp));
	}
	int cut(enum gputm_write_set_log_stream stream, bool partial,
			struct gputm_write_set_log_chunk *chunk) const
	{
		return this->self().check(::gputm_write_set_log_cut(this->self(), stream, partial,
			chunk));
	}
	uint64_t pending(enum gputm_write_set_log_stream stream) const
	{
		return ::gputm_write_set_log_pending(this->self(), stream);
	}
	uint64_t round() const
	{
		return ::gputm_write_set_log_round(this->self());
	}
	int begin() const
	{
		return this->self().check(::gputm_write_set_log_begin(this->self()));
	}
};
template <class Unit> struct calls<Unit, ::gputm_writer_table> : caller<Unit> {
	int claim(uint64_t address, uint32_t tx, uint64_t snapshot) const
	{
		return this->self().check(::gputm_writer_table_claim(this->self(), address, tx,
			snapshot));
	}
	int claim_probe(uint64_t address, uint32_t tx, uint64_t snapshot) const
	{
		return this->self().check(::gputm_writer_table_claim_probe(this->self(), address,
			tx, snapshot));
	}
	int claim_batch(uint32_t count, const struct gputm_writer_table_request *claim,
			int *result) const
	{
		return this->self().check(::gputm_writer_table_claim_batch(this->self(), count,
			claim, result));
	}
	int commit(uint64_t address, uint32_t tx, uint64_t version) const
	{
		return this->self().check(::gputm_writer_table_commit(this->self(), address, tx,
			version));
	}
	int release(uint64_t address, uint32_t tx) const
	{
		return this->self().check(::gputm_writer_table_release(this->self(), address, tx));
	}
	int writers(uint64_t address, struct gputm_writer_table_writer *out,
			uint32_t capacity) const
	{
		return this->self().check(::gputm_writer_table_writers(this->self(), address, out,
			capacity));
	}
	uint32_t used() const
	{
		return ::gputm_writer_table_used(this->self());
	}
};
