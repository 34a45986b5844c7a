/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STANDIN_SST_LINK_H
#define STANDIN_SST_LINK_H
/* A stand-in of our own: events to a component at once, and those from it in a queue. */
#include <deque>
#include <memory>

#define ImplementSerializable(type) static_assert(sizeof(type *) > 0, "")

namespace SST {

class Event {
public:
	virtual ~Event() = default;

	class HandlerBase {
	public:
		virtual ~HandlerBase() = default;
		virtual void call(Event *event) = 0;
	};
	template <class C> class Handler : public HandlerBase {
	public:
		Handler(C *object, void (C::*method)(Event *)) : object_(object), method_(method) {}
		void call(Event *event) override { (object_->*method_)(event); }

	private:
		C *object_;
		void (C::*method_)(Event *);
	};
};

class Link {
public:
	void send(Event *event) { sent.emplace_back(event); }
	std::unique_ptr<Event::HandlerBase> handler;
	std::deque<std::unique_ptr<Event>> sent;
};

} // namespace SST

#endif
