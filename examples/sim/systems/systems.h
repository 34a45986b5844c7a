/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SYSTEMS_H
#define SIM_SYSTEMS_H

#include "../port/system.h"

extern const struct sim_system_class sim_serial;
extern const struct sim_system_class sim_coarse_lock;
extern const struct sim_system_class sim_fine_lock;
extern const struct sim_system_class sim_ideal;
extern const struct sim_system_class sim_kilo_tm;
extern const struct sim_system_class sim_warptm;
extern const struct sim_system_class sim_warptm_tcd;
extern const struct sim_system_class sim_warptm_el;
extern const struct sim_system_class sim_eapg;
extern const struct sim_system_class sim_getm;
extern const struct sim_system_class sim_si_tm, sim_si_tm_oracle;
extern const struct sim_system_class sim_local_tm;
extern const struct sim_system_class sim_local_tm_perfect;
extern const struct sim_system_class sim_local_serialised;
extern const struct sim_system_class sim_hetm;

#endif
