/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SYSTEM_H
#define SIM_SYSTEM_H
/*
 * A TM system for the command line: its options and the configs of its units. port.h connects a
 * system to a machine.
 */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "gputm/base.h"
#include "../workloads/workload.h"

struct sim_run_class;

/* What a system may know of the shape of its machine; machine.h says what the fields are. */
struct sim_shape {
	uint32_t cores, warps, blocks, lanes, partitions, interleave; /* warps, blocks: of a core */
	uint32_t core_mhz, flit_bytes, plain_latency, spill_latency;
	bool pack_messages, unbounded_ring;
	bool has_l1; /* for plain loads */
};

/* A part of a system's config that --set ROLE.field=value reaches. */
struct sim_role {
	const char *role;			    /* such as "commit_unit" */
	const struct gputm_params *(*params)(void); /* rows of its config struct */
	size_t offset;				    /* of that struct in the system's config */
};

/* What the user has set: "PATH.FIELD=VALUE", in order. */
struct sim_given {
	const char **set;
	size_t count;
};

/* The setting of this field, or, if path ends with a dot, of any field below; NULL if there is
 * none. */
static inline const char *sim_given(const struct sim_given *given, const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < given->count; i++) {
		const char *rest = given->set[i] + length;

		if (strncmp(given->set[i], name, length))
			continue;
		if (name[length - 1] == '.' ? rest[strcspn(rest, ".=")] == '=' : *rest == '=')
			return given->set[i];
	}
	return NULL;
}

/* Two fields that must have the same value: if only one is set, the other follows. */
struct sim_tie {
	const char *leader, *follower;
};

/* A field (or all fields of a path that ends with a dot) that a system ignores, and why. */
struct sim_unused {
	const char *name, *why;
	bool (*when)(const void *config); /* NULL: never read */
};

/* A unit inside another unit, whose config holds its parameters. */
struct sim_inner {
	const char *role, *whole;
};

/* Fields of the machine. */
#define SIM_NO_COMMIT_UNITS                                                                    \
	{ "machine.pack_messages", "only Kilo TM and WarpTM have commit units", NULL },        \
		{ "machine.unbounded_ring", "only Kilo TM and WarpTM have commit units", NULL }
#define SIM_NO_UNITS                                                                           \
	SIM_NO_COMMIT_UNITS,                                                                   \
		{ "machine.unit_latency", "the system has no units beside the L2", NULL }
#define SIM_NO_ABORTS                                                                          \
	{ "machine.patience", "a system of locks aborts nothing", NULL }

/* That of a unit whose config struct is the member of its name. */
#define SIM_ROLE(type, unit) { #unit, gputm_##unit##_params, offsetof(type, unit) }

/* Cycles of a run that a device, or each of several devices, spent in one way. */
struct sim_time {
	const char *device, *name, *summary;
	uint64_t cycles;
};

struct sim_system_class {
	const char *name;
	const char *summary;
	enum sim_flavour flavour;
	size_t config_size;
	const struct sim_role *role; /* "system" comes first, if the system has options */
	size_t role_count;
	/* Sets defaults that depend on this machine; call it after machine.* has been set. */
	void (*init)(void *config, const struct sim_shape *shape);
	const struct sim_system_ops *ops; /* port.h; NULL without cores and partitions */
	/* What it runs on (run.h), whose parameters are the role "machine"; init() is given no
	 * shape. NULL: the GPU. */
	const struct sim_run_class *own;
	const struct sim_tie *tie; /* NULL or ended by { NULL }; ties of one leader are together */
	const struct sim_unused *unused; /* NULL or ended by { NULL } */
	const struct sim_inner *inner; /* NULL or ended by { NULL } */
	/* Derive fields from those that were set; false, with the reason in error[], if these
	 * contradict one another or are too small for any run. NULL for none. */
	bool (*settle)(void *config, const struct sim_given *given, char *error, size_t size);
	bool compacts; /* keeps the logs of threads at home, as machines that compact warps need */
};

/* The unit that contains the units of this role and has their parameters; NULL: none. */
static inline const char *sim_whole_of(const struct sim_system_class *system, const char *role)
{
	const struct sim_inner *inner = system->inner;

	while (inner && inner->role && strcmp(inner->role, role))
		inner++;
	return inner ? inner->whole : NULL;
}

/* All systems, NULL-ended (study/systems.c). */
extern const struct sim_system_class *const sim_system_classes[];

#endif
