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
 * Calls are methods of the units, without gputm_UNIT_ before the name. A report names no core:
 * vendor knows who acquired a CID.
 */
#include <cstdio>
#include <deque>
#include <vector>

#include <gputm/gputm.hpp>

namespace {

constexpr std::uint32_t cores = 2, warps = 16, lanes = 32, partitions = 6, words = 16, apart = 256;
constexpr std::uint64_t all = UINT32_MAX, latency = 20;
std::uint32_t word[words], running = cores * warps, commits;
std::uint64_t now;

template <class Packet> struct network {
	struct entry {
		std::uint64_t due;
		Packet packet;
	};
	std::deque<entry> queue;

	bool has_buffer() const { return queue.size() < 8; }
	void push(const Packet &p) { queue.push_back({ now + latency, p }); }
	const Packet *top() const
	{
		return queue.empty() || queue[0].due > now ? nullptr : &queue[0].packet;
	}
	void pop() { queue.pop_front(); }
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
	std::vector<std::uint32_t> owner =
		std::vector<std::uint32_t>(gputm::config<gputm_commit_id>().ring);

	std::uint32_t &core_of(std::uint64_t cid) { return owner[cid % owner.size()]; }
} vendor;

struct core {
	std::uint32_t number;
	gputm::unit<gputm_commit_sequencer> sequencer;
	std::vector<gputm::unit<gputm_simt_stack>> stack;
	std::vector<gputm::unit<gputm_tx_log>> log;
	std::vector<bool> waits = std::vector<bool>(warps); /* for a free slot of the sequencer */

	explicit core(std::uint32_t n) : number(n), sequencer(few_slots()), stack(warps), log(warps)
	{
		for (std::uint32_t w = 0; w < warps; w++) {
			stack[w].launch(0, all);
			stack[w].tx_begin(1);
			sequencer.attach(w, log[w]);
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
	/* Each lane reads a word, and writes it with one more; and once more, the next word. */
	void attempt(std::uint32_t w)
	{
		std::uint64_t mask = stack[w].tx_running(), address[lanes];
		std::uint32_t value[lanes], more[lanes];

		log[w].restart(mask);
		for (std::uint32_t first = w + number; first < w + number + 2; first++) {
			for (std::uint32_t i = 0; i < lanes; i++) {
				address[i] = (7 * i + first) % words * apart;
				value[i] = word[address[i] / apart];
				more[i] = value[i] + 1;
			}
			log[w].append_read(mask, address, value);
			log[w].append_write(mask, address, more);
		}
		begin(w);
	}
	/* BUSY is an answer, and not thrown: the warp waits, and begins again in the next cycle. */
	void begin(std::uint32_t w)
	{
		waits[w] = sequencer.begin(w, stack[w].tx_running()) == GPUTM_COMMIT_SEQUENCER_BUSY;
		commits += !waits[w];
	}
	/* A report from the network. A resend is kept there while the sequencer is busy. */
	void receive(const answer &a)
	{
		const gputm_commit_unit_report &r = a.report;

		if (sequencer.push(a.partition, &r))
			return;
		const bool retired = r.kind == GPUTM_COMMIT_UNIT_REPORT_RETIRED;
		for (std::uint32_t i = 0; retired && i < r.lanes; i++)
			if (r.mask >> i & 1)
				vendor.id.report_retired(a.partition, r.first_cid + i, 1, nullptr);
		to_core[number].pop();
	}
	void acquire(std::uint32_t count)
	{
		std::uint64_t cid;

		if (vendor.id.acquire(number, count, &cid))
			return; /* no credits: ask again */
		vendor.core_of(cid) = number;
		sequencer.grant(cid);
	}
	void send()
	{
		gputm_commit_unit_message message;
		std::uint32_t to;

		if (!sequencer.peek(&to, &message))
			return;
		auto &way = to_partition[to][message.kind >= GPUTM_COMMIT_UNIT_MESSAGE_RESENT];
		if (!way.has_buffer())
			return;
		way.push(message);
		sequencer.pop();
	}
	void finish(const gputm_commit_sequencer_done &done)
	{
		gputm::unit<gputm_simt_stack> &s = stack[done.warp];

		if (done.fail)
			s.tx_abort(done.fail);
		if (done.pass)
			s.tx_commit(done.pass, 2);
		if (s.tx_commit_done() == GPUTM_SIMT_STACK_RESTART)
			attempt(done.warp);
		else
			running--;
	}
	void cycle()
	{
		gputm_commit_sequencer_retired gone;
		gputm_commit_sequencer_done done;
		std::uint32_t warp, count;

		for (std::uint32_t w = 0; w < warps; w++)
			if (waits[w])
				begin(w);
		if (const answer *a = to_core[number].top())
			receive(*a);
		if (sequencer.wants(&warp, &count))
			acquire(count);
		sequencer.tick();
		send();
		while (sequencer.take_done(&done))
			finish(done);
		while (sequencer.take_retired(&gone))
			; /* frees its slot; else none is free after as many commits */
	}
};

struct partition {
	std::uint32_t number;
	gputm::unit<gputm_commit_unit> unit;

	explicit partition(std::uint32_t n) : number(n) {}
	void memory(gputm_commit_unit_port port)
	{
		std::uint32_t value[GPUTM_MEM_WORDS_MAX] = {};
		gputm_mem_request m;

		if (!unit.mem_take(port, &m))
			return;
		for (std::uint32_t i = 0; i < GPUTM_MEM_WORDS_MAX; i++)
			if (m.word_mask >> i & 1 && m.write)
				word[m.address / apart] = m.value[i];
			else if (m.word_mask >> i & 1)
				value[i] = word[m.address / apart];
		unit.mem_complete(m.tag, value);
	}
	void send()
	{
		gputm_commit_unit_report r;

		if (!unit.peek(&r))
			return;
		network<answer> &back = to_core[vendor.core_of(r.first_cid)];
		if (!back.has_buffer())
			return;
		back.push({ number, r });
		unit.pop();
	}
	void cycle()
	{
		for (auto &way : to_partition[number]) /* what is not accepted stays there */
			if (const gputm_commit_unit_message *m = way.top())
				if (unit.push(m) == GPUTM_COMMIT_UNIT_ACCEPTED)
					way.pop();
		unit.tick();
		memory(GPUTM_COMMIT_UNIT_PORT_VALIDATION);
		memory(GPUTM_COMMIT_UNIT_PORT_COMMIT);
		send();
	}
};

} // namespace

int main()
{
	std::vector<core> core_of;
	std::vector<partition> partition_of;

	for (std::uint32_t c = 0; c < cores; c++)
		core_of.emplace_back(c);
	for (std::uint32_t p = 0; p < partitions; p++)
		partition_of.emplace_back(p);
	for (; running && now < 1000000; now++) {
		for (core &c : core_of)
			c.cycle();
		for (partition &p : partition_of)
			p.cycle();
	}
	for (std::uint32_t w : word)
		if (running || w != 2 * cores * warps * lanes / words) {
			std::fprintf(stderr, "kilo_tm: a word is %u\n", w);
			return 1;
		}
	std::printf("kilo_tm: %u transactions of %u cores, %u commits in %llu cycles, "
		    "all words equal\n",
		    cores * warps * lanes, cores, commits, static_cast<unsigned long long>(now));
	return 0;
}
