/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STANDIN_SST_COMPONENT_H
#define STANDIN_SST_COMPONENT_H
/* A stand-in of our own: no more of SST than the element calls; one clock, and one link. */
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include <sst/core/link.h>

#define SST_ELI_REGISTER_COMPONENT(...)
#define SST_ELI_ELEMENT_VERSION(...)
#define SST_ELI_DOCUMENT_PARAMS(...)
#define SST_ELI_DOCUMENT_PORTS(...)

namespace SST {

using ComponentId_t = std::uint64_t;
using Cycle_t = std::uint64_t;

class Params {
public:
	template <class T> T find(const std::string &name, const T &otherwise) const
	{
		auto at = value.find(name);

		return at == value.end() ? otherwise : T(at->second);
	}
	template <class T> T find(const std::string &name, const char *otherwise) const
	{
		return find<T>(name, T(otherwise));
	}
	std::map<std::string, std::string> value;
};

class Clock {
public:
	class HandlerBase {
	public:
		virtual ~HandlerBase() = default;
		virtual bool call(Cycle_t cycle) = 0;
	};
	template <class C> class Handler : public HandlerBase {
	public:
		Handler(C *object, bool (C::*method)(Cycle_t)) : object_(object), method_(method) {}
		bool call(Cycle_t cycle) override { return (object_->*method_)(cycle); }

	private:
		C *object_;
		bool (C::*method_)(Cycle_t);
	};
};

class Component {
public:
	explicit Component(ComponentId_t id) : id_(id) {}
	Component(const Component &) = delete;
	Component &operator=(const Component &) = delete;
	virtual ~Component() = default;
	virtual void setup() {}
	virtual void finish() {}
	std::string getName() const { return "partition" + std::to_string(id_); }
	Link *configureLink(const std::string &, Event::HandlerBase *handler)
	{
		link_.handler.reset(handler);
		return &link_;
	}
	void registerClock(const std::string &, Clock::HandlerBase *handler)
	{
		clock_.reset(handler);
	}

	/* What SST's core does. */
	Link &link() { return link_; }
	void cycle(Cycle_t now) { clock_->call(now); }

private:
	ComponentId_t id_;
	Link link_;
	std::unique_ptr<Clock::HandlerBase> clock_;
};

} // namespace SST

#endif
