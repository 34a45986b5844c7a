/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kilo TM in GPGPU-Sim's pattern of calls: two cores, a network with latency and few buffers, and
 * memory partitions. The lanes of all warps add one to two of 16 words each. The words lie in all
 * partitions, 256 bytes apart as tx_log's interleave. To put it into the host, replace class
 * network by icnt_has_buffer(), icnt_push() and icnt_pop() with packets as mem_fetches, word[] by
 * the host's memory, and attempt() by its instructions; the calls of units stay.
 *
 *   core                                      network              partition
 *   commit_sequencer_wants, grant <--- commit_id_acquire: note the core at the CIDs
 *   commit_sequencer_peek, pop   --- READ_LOG, WRITE_LOG, DONE --->  commit_unit_push
 *                                <--------- OUTCOME --------------   commit_unit_peek, pop
 *                                ---------- VERDICT ------------->   (writes, when all older ones
 *   commit_sequencer_push        <--------- RETIRED --------------    have their verdicts)
 *   take_done, take_retired      <--------- RESEND ---------------   (its buffers were too few)
 *                                --- RESENT, RESENT_DONE -------->   a way of its own
 *
 * A report names no core: class vendor knows who acquired a CID.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <gputm/gputm.hpp>

namespace {

constexpr std::uint32_t cores = 2, warps = 16, lanes = 32, partitions = 6, words = 16, apart = 256;
constexpr std::uint64_t all = UINT32_MAX, latency = 20;
std::uint32_t word[words];
std::uint64_t now;

template <class Packet> class network {
public:
	bool has_buffer() const { return queue_.size() < 8; }
	void push(const Packet &p) { queue_.push_back({ now + latency, p }); }
	const Packet *top() const
	{
		return queue_.empty() || queue_.front().due > now ? nullptr
								  : &queue_.front().packet;
	}
	void pop() { queue_.pop_front(); }

private:
	struct entry {
		std::uint64_t due;
		Packet packet;
	};
	std::deque<entry> queue_;
};

struct answer {
	std::uint32_t partition;
	gputm_commit_unit_report report;
};
network<gputm_commit_unit_message> to_partition[partitions][2]; /* logs; what was asked for again */
network<answer> to_core[cores];

/* Gives CIDs, and knows whose they are, as far back as a partition's ring goes. */
struct vendor {
	gputm::unit<gputm_commit_id> id;
	std::vector<std::uint32_t> core = std::vector<std::uint32_t>(
		gputm::config<gputm_commit_id>().ring);

	bool acquire(std::uint32_t who, std::uint32_t count, std::uint64_t *cid)
	{
		if (id.check(gputm_commit_id_acquire(id, who, count, cid)))
			return false; /* no credits: ask again */
		core[*cid % core.size()] = who;
		return true;
	}
	std::uint32_t core_of(std::uint64_t first_cid) const
	{
		return core[first_cid % core.size()];
	}
} vendor;

struct core {
	gputm::unit<gputm_commit_sequencer> seq;
	std::vector<gputm::unit<gputm_simt_stack>> stack;
	std::vector<gputm::unit<gputm_tx_log>> log;
	std::vector<bool> waits = std::vector<bool>(warps); /* for a free slot of the sequencer */
	std::uint32_t number, running = warps, commits = 0;

	explicit core(std::uint32_t n) : seq(few_slots()), stack(warps), log(warps), number(n)
	{
		for (std::uint32_t w = 0; w < warps; w++) {
			stack[w].check(gputm_simt_stack_launch(stack[w], 0, all));
			stack[w].check(gputm_simt_stack_tx_begin(stack[w], 1));
			seq.check(gputm_commit_sequencer_attach(seq, w, log[w]));
			attempt(w);
		}
	}
	/* So few that begin() is busy while a warp's commit before retires. */
	static gputm_commit_sequencer_config few_slots()
	{
		auto config = gputm::config<gputm_commit_sequencer>();

		config.slots = warps;
		return config;
	}
	/* Each lane reads a word, and writes it with one more. */
	void add(std::uint32_t w, std::uint64_t mask, std::uint32_t first)
	{
		std::uint32_t value[lanes], more[lanes];
		std::uint64_t address[lanes];

		for (std::uint32_t i = 0; i < lanes; i++) {
			address[i] = (7 * i + first) % words * apart;
			value[i] = word[address[i] / apart];
			more[i] = value[i] + 1;
		}
		log[w].check(gputm_tx_log_append_read(log[w], mask, address, value));
		log[w].check(gputm_tx_log_append_write(log[w], mask, address, more));
	}
	/* BUSY is an answer, and not thrown: the warp waits, and begins again in the next cycle. */
	void begin(std::uint32_t w)
	{
		std::uint64_t mask = gputm_simt_stack_tx_running(stack[w]);

		waits[w] = seq.check(gputm_commit_sequencer_begin(seq, w, mask)) ==
			   GPUTM_COMMIT_SEQUENCER_BUSY;
		commits += !waits[w];
	}
	void attempt(std::uint32_t w)
	{
		std::uint64_t mask = gputm_simt_stack_tx_running(stack[w]);

		log[w].check(gputm_tx_log_restart(log[w], mask));
		add(w, mask, w + number);
		add(w, mask, w + number + 1);
		begin(w);
	}
	/* A report from the network. A resend is kept there while the sequencer is busy. */
	void receive(const answer &a)
	{
		const gputm_commit_unit_report &r = a.report;

		if (seq.check(gputm_commit_sequencer_push(seq, a.partition, &r)))
			return;
		const bool retired = r.kind == GPUTM_COMMIT_UNIT_REPORT_RETIRED;
		for (std::uint32_t i = 0; retired && i < r.lanes; i++)
			if (r.mask >> i & 1)
				vendor.id.check(gputm_commit_id_report_retired(
					vendor.id, a.partition, r.first_cid + i, 1, nullptr));
		to_core[number].pop();
	}
	void finish(const gputm_commit_sequencer_done &done)
	{
		gputm::unit<gputm_simt_stack> &s = stack[done.warp];

		if (done.fail)
			s.check(gputm_simt_stack_tx_abort(s, done.fail));
		if (done.pass)
			s.check(gputm_simt_stack_tx_commit(s, done.pass, 2));
		if (s.check(gputm_simt_stack_tx_commit_done(s)) == GPUTM_SIMT_STACK_RESTART)
			attempt(done.warp);
		else
			running--;
	}
	void cycle()
	{
		gputm_commit_sequencer_retired gone;
		gputm_commit_sequencer_done done;
		gputm_commit_unit_message message;
		std::uint32_t warp, count, to;
		std::uint64_t cid;

		for (std::uint32_t w = 0; w < warps; w++)
			if (waits[w])
				begin(w);
		if (const answer *a = to_core[number].top())
			receive(*a);
		if (gputm_commit_sequencer_wants(seq, &warp, &count) &&
		    vendor.acquire(number, count, &cid))
			seq.check(gputm_commit_sequencer_grant(seq, cid));
		gputm_commit_sequencer_tick(seq);
		if (gputm_commit_sequencer_peek(seq, &to, &message)) {
			const bool resent = message.kind >= GPUTM_COMMIT_UNIT_MESSAGE_RESENT;
			auto &way = to_partition[to][resent];

			if (way.has_buffer()) {
				way.push(message);
				gputm_commit_sequencer_pop(seq);
			}
		}
		while (gputm_commit_sequencer_take_done(seq, &done))
			finish(done);
		while (gputm_commit_sequencer_take_retired(seq, &gone))
			; /* frees its slot; else none is free after as many commits */
	}
};

struct partition {
	gputm::unit<gputm_commit_unit> unit;
	std::uint32_t number;

	explicit partition(std::uint32_t n) : number(n) {}
	void memory(gputm_commit_unit_port port)
	{
		std::uint32_t value[GPUTM_MEM_WORDS_MAX] = {};
		gputm_mem_request m;

		if (!gputm_commit_unit_mem_take(unit, port, &m))
			return;
		for (std::uint32_t i = 0; i < GPUTM_MEM_WORDS_MAX; i++)
			if (m.word_mask >> i & 1 && m.write)
				word[m.address / apart] = m.value[i];
			else if (m.word_mask >> i & 1)
				value[i] = word[m.address / apart];
		unit.check(gputm_commit_unit_mem_complete(unit, m.tag, value));
	}
	void cycle()
	{
		gputm_commit_unit_report r;

		for (auto &way : to_partition[number]) /* what is not accepted stays there */
			if (const gputm_commit_unit_message *m = way.top())
				if (unit.check(gputm_commit_unit_push(unit, m)) ==
				    GPUTM_COMMIT_UNIT_ACCEPTED)
					way.pop();
		gputm_commit_unit_tick(unit);
		memory(GPUTM_COMMIT_UNIT_PORT_VALIDATION);
		memory(GPUTM_COMMIT_UNIT_PORT_COMMIT);
		if (!gputm_commit_unit_peek(unit, &r))
			return;
		network<answer> &back = to_core[vendor.core_of(r.first_cid)];
		if (back.has_buffer()) {
			back.push({ number, r });
			gputm_commit_unit_pop(unit);
		}
	}
};

} // namespace

int main()
{
	std::vector<core> core_of;
	std::vector<partition> partition_of;
	std::uint32_t running = cores, commits = 0;

	for (std::uint32_t c = 0; c < cores; c++)
		core_of.emplace_back(c);
	for (std::uint32_t p = 0; p < partitions; p++)
		partition_of.emplace_back(p);
	for (; running && now < 1000000; now++) {
		running = 0;
		for (core &c : core_of)
			c.cycle();
		for (partition &p : partition_of)
			p.cycle();
		for (core &c : core_of)
			running += c.running;
	}
	for (std::uint32_t w : word)
		if (running || w != 2 * cores * warps * lanes / words) {
			std::fprintf(stderr, "kilo_tm: a word is %u\n", w);
			return 1;
		}
	for (const core &c : core_of)
		commits += c.commits;
	std::printf("kilo_tm: %u transactions of %u cores, %u commits in %llu cycles, "
		    "all words equal\n",
		    cores * warps * lanes, cores, commits, static_cast<unsigned long long>(now));
	return 0;
}
