/* SPDX-License-Identifier: BSD-2-Clause */
/* GETM wired up, with a memory that answers at once: the lanes of four warps add to 16 words. */
#include <gputm/gputm.h>
#include <stdio.h>

enum { WARPS = 4, LANES = 8 };
static struct gputm_warp_clock *times;
static struct gputm_warp_access_filter *filter;
static struct gputm_validation_unit *unit;
static struct gputm_commit_buffer *buffer;
static struct {
	uint64_t lanes, waiting, wake, sequence; /* lanes: of the attempt that have not failed */
	uint64_t failed, address[LANES];
	uint32_t phase, value[LANES];
} warp[WARPS];
static uint32_t word[16], running = WARPS;
static uint64_t now;
static int bad;

/* A stalled access is kept by the unit and answered later, by its tag. */
static void answered(const struct gputm_validation_unit_answer *a)
{
	uint32_t w = (uint32_t)a->tag / LANES, lane = a->tag % LANES;

	if (a->result == GPUTM_VALIDATION_UNIT_STALLED)
		return;
	warp[w].waiting &= ~(UINT64_C(1) << lane);
	if (a->result == GPUTM_VALIDATION_UNIT_ABORT) {
		bad |= gputm_warp_clock_abort(times, w, a->time);
		bad |= gputm_warp_access_filter_drop(filter, w, UINT64_C(1) << lane);
		warp[w].failed |= UINT64_C(1) << lane;
	} else if (warp[w].phase == 1) {
		warp[w].value[lane] = word[warp[w].address[lane] / 32] + 1;
	}
}

/* Loads or stores of the lanes: through the filter of the warp, then to the partition. */
static void access_row(uint32_t w, bool write)
{
	struct gputm_validation_unit_request r = { 0, 0, 0, warp[w].sequence, w, write };
	struct gputm_validation_unit_answer a;
	uint64_t lost, lanes = warp[w].waiting = warp[w].lanes & ~warp[w].failed;

	bad |= gputm_warp_access_filter_access(filter, w, write, lanes, warp[w].address, &lost);
	bad |= gputm_warp_clock_get_time(times, w, &r.time);
	for (uint32_t lane = 0; lane < LANES; lane++) {
		r.tag = w * LANES + lane;
		r.address = warp[w].address[lane];
		if (lanes >> lane & 1 && gputm_validation_unit_access(unit, &r, &a) >= 0)
			answered(&a);
	}
}

/* One step of a warp: its loads, its stores, and the end of the attempt. */
static void core(uint32_t w)
{
	struct gputm_commit_buffer_entry e = { 0, warp[w].sequence, w, 0, 1, false };

	if (warp[w].waiting || warp[w].wake > now || !warp[w].lanes)
		return;
	if (warp[w].phase++ == 0) {
		warp[w].sequence++;
		bad |= gputm_warp_access_filter_begin(filter, w, warp[w].lanes);
	}
	if (warp[w].phase < 3) {
		access_row(w, warp[w].phase == 2);
		return;
	}
	for (uint32_t lane = 0; lane < LANES; lane++) {
		e.address = warp[w].address[lane];
		e.value = warp[w].value[lane];
		if ((warp[w].lanes & ~warp[w].failed) >> lane & 1)
			bad |= gputm_commit_buffer_push(buffer, &e) < 0;
	}
	if (warp[w].failed)
		bad |= gputm_warp_clock_restart(times, w, &warp[w].wake) < 0;
	else
		bad |= gputm_warp_clock_commit(times, w);
	warp[w].wake += now;
	warp[w].lanes = warp[w].failed;
	warp[w].failed = warp[w].phase = 0;
	running -= !warp[w].lanes;
}

/* A cycle of the partition: writes to memory, releases, accesses that were woken. */
static void partition(void)
{
	struct gputm_validation_unit_answer a;
	struct gputm_commit_buffer_release r;
	struct gputm_mem_request m;

	gputm_commit_buffer_tick(buffer);
	if (gputm_commit_buffer_mem_take(buffer, &m)) {
		word[m.address / 32] = m.value[0];
		bad |= gputm_commit_buffer_mem_complete(buffer, m.tag);
	}
	for (; gputm_commit_buffer_peek(buffer, &r); gputm_commit_buffer_pop(buffer))
		bad |= gputm_validation_unit_release(unit, r.address, r.warp, r.sequence, r.count,
						     NULL);
	if (gputm_validation_unit_retry(unit, &a) < GPUTM_VALIDATION_UNIT_STALLED)
		answered(&a);
}

int main(void)
{
	bad = gputm_warp_clock_new(NULL, NULL, &times) ||
	      gputm_warp_access_filter_new(NULL, NULL, &filter) ||
	      gputm_validation_unit_new(NULL, NULL, &unit) ||
	      gputm_commit_buffer_new(NULL, NULL, &buffer);
	for (uint32_t w = 0; w < WARPS; w++) {
		warp[w].lanes = (1 << LANES) - 1;
		for (uint32_t lane = 0; lane < LANES; lane++)
			warp[w].address[lane] = 32 * ((lane * 3 + w) % 16); /* a granule each */
	}
	for (; !bad && (running || gputm_commit_buffer_writes(buffer)); now++) {
		for (uint32_t w = 0; w < WARPS; w++)
			core(w);
		partition();
	}
	printf("%u additions to word 0 in %u cycles\n", word[0], (unsigned)now);
	return bad || word[0] != WARPS * LANES / 16;
}
