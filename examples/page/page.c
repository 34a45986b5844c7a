/* SPDX-License-Identifier: BSD-2-Clause */
/* What the page has of C: a context whose messages, and an observer whose events, go to it. */
#include <gputm/gputm.h>

#define FROM_PAGE(name) __attribute__((import_module("page"), import_name(#name)))
#define TO_PAGE __attribute__((visibility("default")))

FROM_PAGE(refused) extern void page_refused(const char *message);
FROM_PAGE(happened) extern void page_happened(const struct gputm_unit *unit,
					      const struct gputm_event *event);

static void tell_message(void *state, enum gputm_log_level level, const char *message)
{
	(void)state;
	(void)level;
	page_refused(message);
}

static void tell_event(void *state, const struct gputm_unit *unit, const struct gputm_event *event)
{
	(void)state;
	page_happened(unit, event);
}

/* A context for all units of the page, or NULL. */
TO_PAGE struct gputm_ctx *page_context(void);
struct gputm_ctx *page_context(void)
{
	struct gputm_ctx *context;

	if (gputm_ctx_new(NULL, &context))
		return NULL;
	gputm_ctx_set_log(context, tell_message, NULL, GPUTM_LOG_ERROR);
	return context;
}

/* As gputm_unit_observe(). */
TO_PAGE int page_observe(struct gputm_unit *unit);
int page_observe(struct gputm_unit *unit)
{
	return gputm_unit_observe(unit, tell_event, NULL);
}
