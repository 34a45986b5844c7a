/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STANDIN_PARAMS_GPUTM_FILTER_HH
#define STANDIN_PARAMS_GPUTM_FILTER_HH
/* What gem5 makes of GputmFilter.py. */
#include "sim/sim_object.hh"

struct GputmFilterParams : gem5::SimObjectParams {
	std::string preset;
	std::vector<std::string> settings;
};

#endif
