/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_HOSTS_SST_PARTITION_H
#define GPUTM_HOSTS_SST_PARTITION_H
/*
 * A validation unit as a clocked SST component. Cores send GputmRequest events on the port "cores"
 * and get GputmAnswer events; GputmRelease events end an attempt's reservations.
 */
#include "gputm_events.h"

#include <sst/core/component.h>
#include <sst/core/link.h>

#include <deque>
#include <gputm/gputm.hpp>
#include <memory>

class GputmPartition : public SST::Component {
public:
	/* SST looks for gputm_element.validation_unit in libgputm_element.so. */
	SST_ELI_REGISTER_COMPONENT(GputmPartition, "gputm_element", "validation_unit",
				   SST_ELI_ELEMENT_VERSION(0, 1, 0),
				   "validation unit of a memory partition (libgputm)",
				   COMPONENT_CATEGORY_MEMORY)
	SST_ELI_DOCUMENT_PARAMS({ "clock", "clock of the unit", "1400MHz" },
				{ "preset", "preset of gputm_validation_unit(3)", "getm-256" },
				{ "FIELD", "any field of its config, by name", "" })
	SST_ELI_DOCUMENT_PORTS({ "cores", "requests, releases and answers",
				 { "GputmRequest", "GputmRelease", "GputmAnswer" } })

	GputmPartition(SST::ComponentId_t id, SST::Params &params);
	bool tick(SST::Cycle_t cycle);
	void finish() override;

private:
	void take(SST::Event *event);

	gputm::context context_;
	std::unique_ptr<gputm::unit<gputm_validation_unit>> unit_;
	std::deque<std::unique_ptr<GputmRequest>> waiting_; /* for the unit's port */
	SST::Link *cores_;
};

#endif
