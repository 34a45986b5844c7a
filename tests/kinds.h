/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_KINDS_H
#define GPUTM_TESTS_KINDS_H
/*
 * All kinds of units behind one type, for programs that treat every kind alike.
 * tests/units.h is made from include/gputm/gputm.h: one line UNIT(name) per unit.
 */
#include <stdlib.h>
#include <string.h>

#include "gputm/gputm.h"

struct kind {
	const char *name;
	const struct gputm_params *(*params)(void);
	int (*make)(struct gputm_ctx *ctx, const void *config, struct gputm_unit **out);
	void (*free)(struct gputm_unit *unit);
};

/* The unit's handle is what gputm_UNIT_unit() was given; kinds remember none but the face. */
#define UNIT(U)                                                                                \
	static int kind_make_##U(struct gputm_ctx *ctx, const void *config,                    \
				 struct gputm_unit **out)                                      \
	{                                                                                      \
		struct gputm_##U *self;                                                        \
		int error = gputm_##U##_new(ctx, config, &self);                               \
                                                                                               \
		if (!error)                                                                    \
			*out = gputm_##U##_unit(self);                                         \
		return error;                                                                  \
	}                                                                                      \
	static void kind_free_##U(struct gputm_unit *unit)                                     \
	{                                                                                      \
		gputm_##U##_free((struct gputm_##U *)(void *)unit);                            \
	}
#include "tests/units.h"
#undef UNIT

static const struct kind kinds[] = {
#define UNIT(U) { #U, gputm_##U##_params, kind_make_##U, kind_free_##U },
#include "tests/units.h"
#undef UNIT
};

#define KIND_COUNT (sizeof(kinds) / sizeof(kinds[0]))

/* NULL if there is no such unit. */
static inline const struct kind *kind_find(const char *name)
{
	for (size_t i = 0; i < KIND_COUNT; i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

/* One with the default config, or NULL. */
static inline struct gputm_unit *kind_new(const struct kind *kind)
{
	const struct gputm_params *params = kind->params();
	struct gputm_unit *unit = NULL;
	void *config = calloc(1, params->config_size);

	if (!config)
		return NULL;
	gputm_params_init(params, config, params->config_size);
	if (kind->make(NULL, config, &unit))
		unit = NULL;
	free(config);
	return unit;
}

#endif
