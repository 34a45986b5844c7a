/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STANDIN_SIM_OBJECT_HH
#define STANDIN_SIM_OBJECT_HH
/* A stand-in of our own: no more of gem5 than the adapters call. */
#include <cstdint>
#include <string>
#include <vector>

#include "base/statistics.hh"
#include "params/SimObject.hh"

#define PARAMS(type)                                                                           \
	using Params = type##Params;                                                           \
	const Params &params() const { return reinterpret_cast<const Params &>(_params); }

namespace gem5
{

using Addr = std::uint64_t;

class SimObject : public statistics::Group {
public:
	explicit SimObject(const SimObjectParams &p) : _params(p) {}

protected:
	const SimObjectParams &_params;
};

} // namespace gem5

#endif
