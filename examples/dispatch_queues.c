/* SPDX-License-Identifier: BSD-2-Clause */
/* Five requests, a CPU worker and a GPU whose first round fails. */
#include <gputm/dispatch_queues.h>
#include <inttypes.h>
#include <stdio.h>

static void gpu(struct gputm_dispatch_queues *queues, bool steal)
{
	uint64_t request[3];
	uint32_t type, count;

	if (gputm_dispatch_queues_dequeue_batch(queues, steal, false, &type, &count, request) !=
	    GPUTM_DISPATCH_QUEUES_TAKEN) {
		printf("GPU: too few requests\n");
		return;
	}
	printf("GPU:");
	for (uint32_t i = 0; i < count; i++)
		printf(" %" PRIu64, request[i]);
	printf("\n");
}

static void cpu(struct gputm_dispatch_queues *queues)
{
	uint64_t request;
	uint32_t type;

	if (gputm_dispatch_queues_dequeue(queues, false, &type, &request) ==
	    GPUTM_DISPATCH_QUEUES_TAKEN)
		printf("CPU: %" PRIu64 "\n", request);
	else
		printf("CPU: nothing to do\n");
}

int main(void)
{
	static const enum gputm_dispatch_queues_affinity affinity[] = {
		GPUTM_DISPATCH_QUEUES_AFFINITY_GPU, GPUTM_DISPATCH_QUEUES_AFFINITY_GPU,
		GPUTM_DISPATCH_QUEUES_AFFINITY_ANY, GPUTM_DISPATCH_QUEUES_AFFINITY_CPU,
		GPUTM_DISPATCH_QUEUES_AFFINITY_CPU,
	};
	struct gputm_dispatch_queues_config config = GPUTM_DISPATCH_QUEUES_CONFIG_INIT;
	struct gputm_dispatch_queues *queues;

	config.batch = 3;
	if (gputm_dispatch_queues_new(NULL, &config, &queues) < 0)
		return 1;
	for (uint64_t i = 0; i < 5; i++)
		if (gputm_dispatch_queues_push(queues, 0, affinity[i], i + 1) < 0)
			return 1;
	gpu(queues, false);
	cpu(queues);
	if (gputm_dispatch_queues_abort(queues) < 0)
		return 1;
	printf("the round has failed\n");
	cpu(queues);
	cpu(queues); /* takes 3 from SHARED_Q before the GPU can */
	gpu(queues, true);
	printf("%" PRIu64 " requests are in flight, %" PRIu64 " wait for the GPU\n",
	       gputm_dispatch_queues_in_flight(queues),
	       gputm_dispatch_queues_waiting(queues, GPUTM_DISPATCH_QUEUES_AFFINITY_GPU));
	gputm_dispatch_queues_free(queues);
	return 0;
}
