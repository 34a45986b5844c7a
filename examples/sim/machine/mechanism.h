/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_MECHANISM_H
#define SIM_MECHANISM_H
/*
 * A mechanism for branches, by its name: a former (wiring.h) and its settings. Without a TM system
 * the mechanism is in the place of the system, one of flavour SIM_ALONE.
 */
#include "gputm/access_coalescer.h"
#include "../kernel/kernel.h"
#include "../port/port.h"
#include "../port/system.h"

#define FLOW_WARPS_MAX 64u

/* A core after thesis Table 3.2. Rows are in plain_settings.c. */
struct flow_core_config {
	size_t size; /* of this struct, for its parameter table */
	uint32_t warps;		  /* static warps that are resident, 1..64 */
	uint32_t blocks;	  /* most resident blocks, 1..64 */
	uint32_t simd_width;	  /* lanes that execute in a cycle */
	uint32_t latency;	  /* cycles from an instruction to the next of its warp */
	uint32_t l1_bytes, l1_ways;
	uint32_t l1_latency;	  /* more, of a hit */
	uint32_t memory_latency;  /* more, of a miss */
	uint32_t memory_interval; /* cycles from one line that crosses to the next */
	uint64_t most_cycles;
};
const struct gputm_params *flow_core_params(void);

/* The config of each mechanism begins with these fields. */
struct flow_config {
	struct flow_core_config core;
	struct gputm_access_coalescer_config coalescer;
};
void flow_config_init(struct flow_config *config);

/* Are static warps whole in code that no branch divides? */
enum flow_restores {
	FLOW_RESTORES_NOT,
	FLOW_RESTORES_FULL_BLOCKS, /* while no thread of the block has ended */
	FLOW_RESTORES,
};

struct sim_former;

struct flow_mechanism {
	struct sim_system_class class; /* its config begins with a struct flow_config */
	const struct sim_former *former;
	enum flow_restores restores;
	bool compacts; /* the warps of a block have one stack */
	bool likely;   /* stacks use likely-convergence points */
};

/* The class of a mechanism: its roles are the core's, and those of its units. */
#define FLOW_CLASS(NAME, SUMMARY, CONFIG, ROLES, INIT, SETTLE, UNUSED)                         \
	.class = {                                                                             \
		.name = (NAME), .summary = (SUMMARY), .flavour = SIM_ALONE,                    \
		.config_size = sizeof(CONFIG), .role = (ROLES),                                \
		.role_count = sizeof(ROLES) / sizeof((ROLES)[0]), .init = (INIT),              \
		.ops = &flow_no_ops, .own = &sim_plain_runs, .tie = flow_ties,                 \
		.unused = (UNUSED), .settle = (SETTLE),                                        \
	}
#define FLOW_CORE_ROLES 2
#define FLOW_ROLES                                                                             \
	{ "core", flow_core_params, offsetof(struct flow_config, core) },                      \
	{                                                                                      \
		"access_coalescer", gputm_access_coalescer_params,                             \
			offsetof(struct flow_config, coalescer)                                \
	}
/* Of mechanisms on a machine; the second one is for those that use its scheduler. */
extern const struct sim_tie flow_ties[];
extern const struct sim_unused flow_unused[];
#define FLOW_SCHEDULED (flow_unused + 1)
extern const struct sim_run_class sim_plain_runs;
extern const struct sim_system_ops flow_no_ops;

/* A row for each mechanism. */
#define FLOW_MECHANISMS(ROW) ROW(pdom) ROW(pdom_lcp) ROW(dwf) ROW(dwf_wb) ROW(tbc) ROW(tbc_lcp)
#define FLOW_DECLARE(name) extern const struct flow_mechanism flow_##name;
FLOW_MECHANISMS(FLOW_DECLARE)

/* All of them, NULL-ended. */
extern const struct flow_mechanism *const flow_mechanisms[];
const char *flow_mechanism_name(const void *unused, size_t index);
/* The mechanism of this name; NULL, with the reason on stderr, if there is none. */
const struct flow_mechanism *flow_mechanism_named(const char *name);

#endif /* SIM_MECHANISM_H */
