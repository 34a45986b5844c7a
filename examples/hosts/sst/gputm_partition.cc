/* SPDX-License-Identifier: BSD-2-Clause */
#include "gputm_partition.h"

#include <iostream>

using unit_kind = gputm::kind<gputm_validation_unit>;

/*
 * A handler in the form of the SST at hand: Handler<C, &C::f>(object) since 16, Handler2 in 14 and
 * 15, Handler<C>(object, &C::f) before. The first that there is serves, as 0 is an int.
 */
template <class What, auto Call, class C>
static auto handler(C *object, int) -> typename What::template Handler<C, Call> *
{
	return new typename What::template Handler<C, Call>(object);
}
template <class What, auto Call, class C>
static auto handler(C *object, long) -> typename What::template Handler2<C, Call> *
{
	return new typename What::template Handler2<C, Call>(object);
}
template <class What, auto Call, class C> static auto handler(C *object, ...)
{
	return new typename What::template Handler<C>(object, Call);
}

static gputm_validation_unit_config configured(SST::Params &params, const gputm::context &context)
{
	auto preset = params.find<std::string>("preset", "getm-256");
	auto config = gputm::config<gputm_validation_unit>(preset.c_str(), context);

	for (const gputm_param &field : gputm::unit<gputm_validation_unit>::params()) {
		auto value = params.find<std::string>(field.name, "");

		if (!value.empty())
			context.check(gputm_params_set(context, unit_kind::params(), &config,
						       field.name, value.c_str()));
	}
	return config;
}

GputmPartition::GputmPartition(SST::ComponentId_t id, SST::Params &params)
	: SST::Component(id), unit_(std::make_unique<gputm::unit<gputm_validation_unit>>(
				      configured(params, context_), context_))
{
	gputm_unit_set_name(unit_->face(), getName().c_str());
	cores_ = configureLink("cores", handler<SST::Event, &GputmPartition::take>(this, 0));
	registerClock(params.find<std::string>("clock", "1400MHz"),
		      handler<SST::Clock, &GputmPartition::tick>(this, 0));
}

void GputmPartition::take(SST::Event *event)
{
	std::unique_ptr<SST::Event> owner(event);

	if (auto *request = dynamic_cast<GputmRequest *>(event)) {
		owner.release();
		waiting_.emplace_back(request);
	} else if (auto *over = dynamic_cast<GputmRelease *>(event)) {
		unit_->check(gputm_validation_unit_release(*unit_, over->address, over->warp,
							   over->sequence, 1, nullptr));
	}
}

bool GputmPartition::tick(SST::Cycle_t)
{
	gputm_validation_unit_answer answer;

	while (!waiting_.empty() &&
	       unit_->check(gputm_validation_unit_push(*unit_, &waiting_.front()->request)) ==
		       GPUTM_VALIDATION_UNIT_ACCEPTED)
		waiting_.pop_front();
	unit_->check(gputm_validation_unit_tick(*unit_));
	while (gputm_validation_unit_peek(*unit_, &answer)) {
		gputm_validation_unit_pop(*unit_);
		cores_->send(new GputmAnswer(answer));
	}
	return false; /* the clock goes on */
}

void GputmPartition::finish()
{
	for (const gputm_stat &stat : unit_->statistics())
		std::cout << getName() << '.' << stat.name << ' ' << stat.value << '\n';
}
