/* SPDX-License-Identifier: BSD-2-Clause */
/* Four work-items add 1 to a word of local memory: conflicts, then each after the one before. */
#include <gputm/local_tm.h>
#include <inttypes.h>
#include <stdio.h>

#define ALL 4

/* Bank 3's signatures of all work-items, and whether one of them owns word 35. */
static void show(const struct gputm_local_tm *local)
{
	struct gputm_local_tm_shadow shadow;

	printf("  signatures");
	for (uint32_t item = 0; item < ALL; item++)
		printf(" 0x%" PRIx64, gputm_local_tm_signature(local, 3, item));
	if (!gputm_local_tm_get_shadow(local, 35, &shadow))
		printf("; %s\n", shadow.owned ? "owned" : "free");
}

/* One attempt: load word 35, store it plus 1, commit. Gives what tx_commit answers. */
static int attempt(struct gputm_local_tm *local)
{
	static const char *const mode[] = { "-", "all lanes", "wavefront serialised", "alone" };
	uint32_t word[ALL] = { 35, 35, 35, 35 }, value[ALL] = { 0 };
	struct gputm_local_tm_begun begun;
	struct gputm_local_tm_answer load, store;
	struct gputm_local_tm_ended ended;
	int result;

	if (gputm_local_tm_begin(local, 0, &begun) != GPUTM_LOCAL_TM_OK ||
	    gputm_local_tm_access_probe(local, 0, begun.lanes, word, &load) < 0 ||
	    gputm_local_tm_access(local, 0, false, begun.lanes, word, value, &load) < 0)
		return -1;
	show(local);
	for (unsigned lane = 0; lane < ALL; lane++)
		value[lane]++;
	if (gputm_local_tm_access(local, 0, true, gputm_local_tm_running(local, 0), word, value,
				  &store) < 0)
		return -1;
	result = gputm_local_tm_commit(local, 0, &ended);
	printf("%-20s  lanes 0x%" PRIx64 ": 0x%" PRIx64 " conflict, 0x%" PRIx64 " commit, %u "
	       "cycles added\n", mode[begun.mode], begun.lanes, load.conflicts, ended.committed,
	       begun.cycles + load.cycles + store.cycles + ended.cycles);
	return result;
}

int main(void)
{
	struct gputm_local_tm_config config = GPUTM_LOCAL_TM_CONFIG_INIT;
	struct gputm_local_tm_capacity capacity;
	struct gputm_local_tm_place place;
	struct gputm_local_tm *local;
	uint32_t value = 0;
	int result;

	if (gputm_local_tm_config_preset(&config, "table-1") < 0 ||
	    gputm_local_tm_get_capacity(&config, &capacity) < 0 ||
	    gputm_local_tm_new(NULL, &config, &local) < 0)
		return 1;
	printf("%u bytes for data of %u, %u words in banks\n", capacity.data_bytes,
	       config.local_bytes, capacity.words);
	if (!gputm_local_tm_get_place(local, 35, &place))
		printf("word 35: bank %u, position %u, bit %u\n", place.bank, place.position,
		       place.bit);
	if (gputm_local_tm_begin_probe(local, 0) != GPUTM_LOCAL_TM_OK)
		return 1;
	do
		result = attempt(local);
	while (result == GPUTM_LOCAL_TM_RETRY);
	if (!gputm_local_tm_lookup(local, 35, &value))
		printf("word 35 = %u\n", value);
	gputm_local_tm_free(local);
	return result != GPUTM_LOCAL_TM_OK;
}
