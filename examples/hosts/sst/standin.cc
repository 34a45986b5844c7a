/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stand-in for SST, which is not built here: standin/ has as much of its classes as the element
 * calls. As SST does, it opens the first PATH/lib<element>.so that there is on a path, and asks for
 * the component by its name. Cores send requests and releases to the clocked component; the same
 * unit is driven by its C functions, and the answers of each cycle are compared.
 *
 *     standin PATH[:PATH...] ELEMENT.COMPONENT
 */
#include "../traffic.hpp"
#include "gputm_events.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <gputm/gputm.hpp>
#include <sst/core/component.h>

std::map<std::string, SST::Component::make> &SST::Component::known()
{
	static std::map<std::string, make> all;

	return all;
}

namespace {

constexpr std::uint32_t warps = 48;

void require(bool held, const char *what)
{
	if (held)
		return;
	std::fprintf(stderr, "standin: %s\n", what);
	std::exit(1);
}

/* The component NAME, from the first lib<element>.so of the folders; null: there is none. */
SST::Component *loaded(const std::string &folders, const std::string &name, SST::Params &params)
{
	const std::string library = "/lib" + name.substr(0, name.find('.')) + ".so";
	void *opened = nullptr;

	for (std::size_t at = 0, end; at <= folders.size() && !opened; at = end + 1) {
		end = std::min(folders.find(':', at), folders.size());
		opened = dlopen((folders.substr(at, end - at) + library).c_str(),
				RTLD_LAZY | RTLD_GLOBAL);
	}
	if (!opened)
		std::fprintf(stderr, "standin: no folder of %s has an element %s that opens: %s\n",
			     folders.c_str(), library.c_str(), dlerror());
	else if (!SST::Component::known().count(name))
		std::fprintf(stderr, "standin: %s was opened, and has no component %s\n",
			     library.c_str(), name.c_str());
	else
		return SST::Component::known()[name](0, params);
	return nullptr;
}

/* The unit by itself; requests wait in front of its port as they do in the element. */
struct direct_unit {
	gputm::unit<gputm_validation_unit> unit{ "getm-256" };
	std::deque<gputm_validation_unit_request> waiting;

	void cycle()
	{
		while (!waiting.empty() &&
		       unit.check(gputm_validation_unit_push(unit, &waiting.front())) ==
			       GPUTM_VALIDATION_UNIT_ACCEPTED)
			waiting.pop_front();
		unit.check(gputm_validation_unit_tick(unit));
	}
	bool pop(gputm_validation_unit_answer &out)
	{
		return gputm_validation_unit_peek(unit, &out) && gputm_validation_unit_pop(unit);
	}
};

} // namespace

int main(int argc, char **argv)
{
	SST::Params params;
	hosts::traffic cores(4, warps);
	std::vector<hosts::access> sent;
	std::vector<std::uint64_t> attempt(warps), written;
	std::uint64_t answered = 0, passed = 0;
	direct_unit direct;

	params.value = { { "preset", "getm-256" }, { "stall_lines", "4" } };
	require(argc == 3, "usage: standin PATH[:PATH...] ELEMENT.COMPONENT");
	std::unique_ptr<SST::Component> partition(loaded(argv[1], argv[2], params));
	if (!partition)
		return 1;
	for (SST::Cycle_t now = 0; answered < 1000000; now++) {
		gputm_validation_unit_answer expected;
		hosts::access access;

		for (unsigned port = 0; port < 2 && cores.next(access); port++) {
			const gputm_validation_unit_request request = {
				sent.size(), access.address, access.time, attempt[access.warp],
				access.warp, access.write,
			};

			partition->link().handler->call(new GputmRequest(request));
			direct.waiting.push_back(request);
			cores.sent(access);
			sent.push_back(access);
		}
		partition->cycle(now);
		direct.cycle();
		for (; !partition->link().sent.empty(); partition->link().sent.pop_front()) {
			auto *event = dynamic_cast<GputmAnswer *>(
				partition->link().sent.front().get());

			require(event && direct.pop(expected) &&
					event->answer.tag == expected.tag &&
					event->answer.result == expected.result &&
					event->answer.reason == expected.reason &&
					event->answer.time == expected.time,
				"an answer differs");
			access = sent[expected.tag];
			answered++;
			passed += expected.result == GPUTM_VALIDATION_UNIT_OK;
			if (!cores.answered(access, expected.result == GPUTM_VALIDATION_UNIT_OK,
					    expected.time, written))
				continue;
			for (std::uint64_t address : written) {
				partition->link().handler->call(new GputmRelease(
					address, access.warp, attempt[access.warp]));
				direct.unit.check(gputm_validation_unit_release(
					direct.unit, address, access.warp, attempt[access.warp], 1,
					nullptr));
			}
			attempt[access.warp]++;
		}
		require(!direct.pop(expected), "an answer is missing");
	}
	partition->finish();
	require(passed && passed < answered, "no conflict");
	std::printf("validation_unit: %llu requests, %llu passed, equal\n",
		    static_cast<unsigned long long>(answered),
		    static_cast<unsigned long long>(passed));
	return 0;
}
