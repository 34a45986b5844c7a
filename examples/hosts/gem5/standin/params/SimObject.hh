/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STANDIN_PARAMS_SIM_OBJECT_HH
#define STANDIN_PARAMS_SIM_OBJECT_HH
/* A stand-in of our own: the parameters of every SimObject. */
#include <string>

namespace gem5
{

struct SimObjectParams
{
	virtual ~SimObjectParams() = default;
	std::string name;
};

} // namespace gem5

#endif
