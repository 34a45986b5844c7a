/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_HOSTS_GEM5_UNIT_HH
#define GPUTM_HOSTS_GEM5_UNIT_HH
/* Any unit as a SimObject: parameters preset and settings, and its statistics in stats.txt. */
#include <deque>
#include <gputm/gputm.hpp>

#include "base/statistics.hh"
#include "sim/sim_object.hh"

namespace gem5
{

template <class Handle> class GputmUnit : public SimObject {
public:
	template <class P>
	explicit GputmUnit(const P &p)
		: SimObject(p), unit_(config(p.preset, p.settings, context_), context_)
	{
		gputm_unit_set_name(unit_.face(), p.name.c_str());
		for (const gputm_stat &stat : unit_.statistics())
			shown_.emplace_back(this, stat.name, stat.summary);
	}
	void preDumpStats() override
	{
		std::size_t i = 0;

		SimObject::preDumpStats();
		for (const gputm_stat &stat : unit_.statistics())
			shown_[i++] = static_cast<double>(stat.value);
	}
	void resetStats() override
	{
		SimObject::resetStats();
		gputm_unit_clear_stats(unit_.face());
	}

protected:
	gputm::context context_;
	gputm::unit<Handle> unit_;

private:
	using Config = typename gputm::kind<Handle>::config;

	/* Settings are "field=value". */
	static Config config(const std::string &preset, const std::vector<std::string> &settings,
			     const gputm::context &context)
	{
		const char *name = preset.empty() ? nullptr : preset.c_str();
		Config made = gputm::config<Handle>(name, context);

		for (const std::string &setting : settings) {
			std::size_t at = setting.find('=');
			std::string value = at == std::string::npos ? "" : setting.substr(at + 1);

			context.check(gputm_params_set(context, gputm::kind<Handle>::params(),
						       &made, setting.substr(0, at).c_str(),
						       value.c_str()));
		}
		return made;
	}
	std::deque<statistics::Scalar> shown_;
};

} // namespace gem5

#endif
