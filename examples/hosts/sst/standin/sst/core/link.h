/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STANDIN_SST_LINK_H
#define STANDIN_SST_LINK_H
/* A stand-in of our own: events to a component at once, and those from it in a queue. */
#include <deque>
#include <memory>
#include <sst/core/event.h>

namespace SST {

class Link {
public:
	void send(Event *event) { sent.emplace_back(event); }
	std::unique_ptr<Event::HandlerBase> handler;
	std::deque<std::unique_ptr<Event>> sent;
};

} // namespace SST

#endif
