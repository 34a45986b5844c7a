/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_HOSTS_SHADOW_HPP
#define GPUTM_HOSTS_SHADOW_HPP
/*
 * A unit beside the host's own code, switched by name:
 *
 *     off      the host's code alone runs
 *     shadow   both run, the host's answer counts; differences are counted, the first three told
 *     replace  the unit alone runs
 *
 *     hosts::shadow filter("filter", hosts::mode_named(option), say);
 *     last = filter([&] { return ours(address); }, [&] { return theirs(address); });
 *
 * Answers have == and go to a std::ostream by <<.
 */
#include <cstdint>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace hosts {

enum class mode { off, shadow, replace };

inline mode mode_named(const std::string &name)
{
	if (name == "off")
		return mode::off;
	if (name == "shadow")
		return mode::shadow;
	if (name == "replace")
		return mode::replace;
	throw std::invalid_argument("mode = " + name + " is none of: off, shadow, replace");
}

class shadow {
public:
	using say = std::function<void(const std::string &)>;

	shadow(std::string what, mode how, say tell)
		: what_(std::move(what)), how_(how), tell_(std::move(tell)) {}

	template <class Ours, class Theirs>
	auto operator()(Ours ours, Theirs theirs) -> decltype(theirs())
	{
		if (how_ == mode::off)
			return theirs();
		if (how_ == mode::replace)
			return ours();
		auto expected = theirs();
		auto given = ours();

		calls_++;
		if (!(given == expected) && differences_++ < 3) {
			std::ostringstream text;

			text << what_ << ", call " << calls_ << ": host " << expected
			     << ", libgputm " << given;
			tell_(text.str());
		}
		return expected;
	}
	/* Of mode::shadow only. */
	std::uint64_t calls() const { return calls_; }
	std::uint64_t differences() const { return differences_; }

private:
	std::string what_;
	mode how_;
	say tell_;
	std::uint64_t calls_ = 0, differences_ = 0;
};

} // namespace hosts

#endif
