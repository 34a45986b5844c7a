/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of what a run counts. */
#include "result.h"

const char *const sim_abort_reason_name[SIM_ABORT_REASONS] = {
	"validation", "conflict", "intra_warp", "watchdog", "capacity", "rollover", "writer",
	"loop",	      "stale",	  "round",	"estimated",
};

const char *const sim_traffic_name[SIM_TRAFFIC_KINDS] = {
	"load",	     "load_reply", "store", "store_reply", "atomic",  "atomic_reply", "read_log",
	"write_log", "done",	   "skip",  "outcome",	   "verdict", "retire",	      "resend",
	"cleanup",   "rollover",  "broadcast",
};
