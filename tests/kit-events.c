/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of the unit under observation, and those that no test has seen. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "tests/kit.h"

#include <sys/mman.h>

#define KINDS 16

/* Shared by the processes of all tests of the program. */
static struct unseen {
	char unit[32];
	char name[KINDS][32]; /* of each kind, until it has happened */
} of_a_process, *unseen = &of_a_process;

/* Since kit_observe(). */
static struct gputm_unit *observed;
static unsigned events[KINDS];
static uint64_t last[KINDS][4];

/* False of units whose operations tell before they are over, see gputm_observe_fn. */
static bool is_whole(const struct gputm_unit *unit)
{
	static const char *const amid[] = { "block_stack",    "commit_id",   "commit_sequencer",
					    "commit_unit",    "last_writer", "local_tm",
					    "metadata_table", "simt_stack",  "warp_former" };
	const char *kind = gputm_unit_kind(unit);

	for (size_t i = 0; i < sizeof(amid) / sizeof(amid[0]); i++)
		if (!strcmp(amid[i], kind))
			return false;
	return true;
}

static void check_event(void *state, const struct gputm_unit *unit, const struct gputm_event *event)
{
	struct gputm_event_kind kind;

	ck_assert(gputm_unit_event(unit, event->kind, &kind));
	ck_assert_str_eq(event->name, kind.name);
	for (unsigned i = 0; i < 4; i++) {
		const struct gputm_event_field *field = &kind.field[i];

		if (!field->name || field->choices)
			ck_assert_msg(event->value[i] < (field->name ? field->choice_count : 1),
				      "%s: value %u of %s is %llu", gputm_unit_kind(unit), i,
				      kind.name, (unsigned long long)event->value[i]);
	}
	if (is_whole(unit))
		kit_valid(unit);
	unseen->name[event->kind][0] = '\0';
	events[event->kind]++;
	memcpy(last[event->kind], event->value, sizeof(*last));
}

static void name_kinds(const struct gputm_unit *unit)
{
	struct gputm_event_kind kind;

	strncpy(unseen->unit, gputm_unit_kind(unit), sizeof(unseen->unit) - 1);
	for (size_t i = 0; gputm_unit_event(unit, i, &kind); i++) {
		ck_assert_uint_lt(i, KINDS);
		strncpy(unseen->name[i], kind.name, sizeof(*unseen->name) - 1);
	}
}

void kit_observe(struct gputm_unit *unit)
{
	if (!*unseen->unit)
		name_kinds(unit);
	ck_assert_str_eq(unseen->unit, gputm_unit_kind(unit));
	memset(events, 0, sizeof(events));
	memset(last, 0, sizeof(last));
	observed = unit;
	gputm_unit_observe(unit, check_event, NULL);
}

void kit_observe_instead(const struct gputm_unit *unit, struct gputm_unit *other)
{
	if (unit != observed)
		return;
	if (other)
		gputm_unit_observe(other, check_event, NULL);
	else
		kit_unobserve();
	observed = other;
}

void kit_unobserve(void)
{
	ck_assert_int_eq(gputm_unit_unobserve(observed, check_event, NULL), 0);
	observed = NULL;
}

unsigned kit_events(uint32_t kind)
{
	return events[kind];
}

const uint64_t *kit_event(uint32_t kind)
{
	ck_assert_uint_gt(events[kind], 0);
	return last[kind];
}

void kit_told(const char *name, unsigned count, const uint64_t value[4])
{
	struct gputm_event_kind kind;
	size_t i = 0;

	while (gputm_unit_event(observed, i, &kind) && strcmp(kind.name, name))
		i++;
	ck_assert_str_eq(kind.name, name);
	ck_assert_msg(events[i] == count, "%u events %s, not %u", events[i], name, count);
	for (unsigned v = 0; v < 4; v++)
		ck_assert_msg(last[i][v] == value[v], "value %u of %s is %llu, not %llu", v, name,
			      (unsigned long long)last[i][v], (unsigned long long)value[v]);
}

void kit_heard(const char *text)
{
	struct gputm_event_kind kind;
	char heard[512] = "";

	for (size_t i = 0; gputm_unit_event(observed, i, &kind); i++)
		if (events[i])
			snprintf(heard + strlen(heard), sizeof(heard) - strlen(heard), "%s%s=%u",
				 *heard ? " " : "", kind.name, events[i]);
	ck_assert_str_eq(heard, text);
}

/* ---- events that no test has seen ---- */

bool kit_watch(void)
{
	unseen = mmap(NULL, sizeof(*unseen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	return unseen != MAP_FAILED;
}

int kit_missed(void)
{
	int missed = 0;

	for (size_t i = 0; i < KINDS; i++) {
		if (unseen->name[i][0]) {
			printf("%s: no test saw the event %s\n", unseen->unit, unseen->name[i]);
			missed++;
		}
	}
	munmap(unseen, sizeof(*unseen));
	return missed;
}
