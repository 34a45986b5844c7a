/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_HOSTS_SST_EVENTS_H
#define GPUTM_HOSTS_SST_EVENTS_H
/* What cores send to the element, and get from it. */
#include <gputm/validation_unit.h>
#include <sst/core/event.h>

class GputmRequest : public SST::Event {
public:
	GputmRequest() = default; /* for serialisation */
	explicit GputmRequest(const gputm_validation_unit_request &what) : request(what) {}
	gputm_validation_unit_request request = {};
	ImplementSerializable(GputmRequest);
};

class GputmRelease : public SST::Event {
public:
	GputmRelease() = default;
	GputmRelease(std::uint64_t where, std::uint32_t whose, std::uint64_t attempt)
		: address(where), sequence(attempt), warp(whose) {}
	std::uint64_t address = 0, sequence = 0;
	std::uint32_t warp = 0;
	ImplementSerializable(GputmRelease);
};

class GputmAnswer : public SST::Event {
public:
	GputmAnswer() = default;
	explicit GputmAnswer(const gputm_validation_unit_answer &what) : answer(what) {}
	gputm_validation_unit_answer answer = {};
	ImplementSerializable(GputmAnswer);
};

#endif
