/* SPDX-License-Identifier: BSD-2-Clause */
#include "../flow/mechanism.h"

const struct flow_mechanism *const flow_mechanisms[] = {
	&flow_pdom,
	&flow_pdom_lcp,
	&flow_dwf,
	&flow_dwf_wb,
	&flow_tbc,
	&flow_tbc_lcp,
	NULL,
};
