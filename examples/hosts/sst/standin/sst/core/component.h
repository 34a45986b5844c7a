/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STANDIN_SST_COMPONENT_H
#define STANDIN_SST_COMPONENT_H
/*
 * A stand-in of our own: no more of SST than the element calls; one clock, and one link. A library
 * tells of its components when it is loaded, and each under the name of an element.
 */
#include <map>
#include <memory>
#include <sst/core/link.h>
#include <string>

#define SST_ELI_REGISTER_COMPONENT(cls, element, name, ...)                                    \
	static SST::Component *standin_make(SST::ComponentId_t id, SST::Params &params)        \
	{                                                                                      \
		return new cls(id, params);                                                    \
	}                                                                                      \
	inline static const bool standin_told =                                                \
		SST::Component::known().emplace(element "." name, &cls::standin_make).second;
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
	using HandlerBase = SST::HandlerBase<bool, Cycle_t>;
	STANDIN_HANDLERS(bool, Cycle_t);
};

class Component {
public:
	using make = Component *(*)(ComponentId_t, Params &);

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
	static std::map<std::string, make> &known();
	Link &link() { return link_; }
	void cycle(Cycle_t now) { clock_->call(now); }

private:
	ComponentId_t id_;
	Link link_;
	std::unique_ptr<Clock::HandlerBase> clock_;
};

} // namespace SST

#endif
