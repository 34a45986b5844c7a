/* SPDX-License-Identifier: BSD-2-Clause */
#include "../systems/systems.h"

const struct sim_system_class *const sim_system_classes[] = {
	&sim_serial, &sim_coarse_lock, &sim_fine_lock, &sim_ideal, &sim_kilo_tm, &sim_warptm,
	&sim_warptm_tcd, &sim_warptm_el, &sim_eapg, &sim_getm, &sim_si_tm, &sim_si_tm_oracle,
	&sim_local_tm, &sim_local_tm_perfect, &sim_local_serialised, &sim_hetm, NULL,
};
