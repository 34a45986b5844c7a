/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STANDIN_STATISTICS_HH
#define STANDIN_STATISTICS_HH
/* A stand-in of our own: groups of scalars, which are told before they are printed. */
#include <cstdio>
#include <vector>

namespace gem5::statistics {

class Scalar;

class Group {
public:
	Group() = default;
	Group(const Group &) = delete;
	Group &operator=(const Group &) = delete;
	virtual ~Group() = default;
	virtual void preDumpStats() {}
	virtual void resetStats() {}
	std::vector<Scalar *> scalars;
};

class Scalar {
public:
	Scalar(Group *group, const char *name, const char *about) : name_(name), about_(about)
	{
		group->scalars.push_back(this);
	}
	Scalar &operator=(double value)
	{
		value_ = value;
		return *this;
	}
	void print() const { std::printf("%-24s %12.0f # %s\n", name_, value_, about_); }

private:
	const char *name_, *about_;
	double value_ = 0;
};

} // namespace gem5::statistics

#endif
