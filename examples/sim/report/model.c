/* SPDX-License-Identifier: BSD-2-Clause */
#include "point.h"

#include "examples/sim/model.h" /* made by model.sh */

const char *sim_model(void)
{
	return SIM_MODEL;
}
