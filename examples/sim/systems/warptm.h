/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_WARPTM_H
#define SIM_WARPTM_H
/* The state of a WarpTM system; see warptm.c. */
#include "gputm/conflict_address_table.h"
#include "gputm/first_read.h"
#include "gputm/last_written.h"
#include "gputm/reference_count_table.h"

#include "kilo_tm.h"
#include "records.h"
#include "resolver.h"

enum { EARLY_NONE, EARLY_COMMIT, EARLY_RUNNING };
enum { BROADCAST_FLIT, BROADCAST_ADDRESSES };

struct options {
	size_t size;
	uint32_t resolver;
	bool resolver_overhead;
	uint32_t isolation, backoff_from;
	uint32_t early_abort, broadcast; /* of EAPG, as the next */
	bool pause;
	uint32_t commit_trips; /* of WarpTM-EL */
};

struct warptm_config {
	struct kilo_config kilo;
	struct options system;
	struct gputm_ownership_table_config ownership_table;
	struct gputm_sequential_resolver_config sequential_resolver;
	struct gputm_first_read_config first_read;
	struct gputm_last_written_config last_written;
	struct gputm_reference_count_table_config reference_count_table;
	struct gputm_conflict_address_table_config conflict_address_table;
};

struct warptm {
	struct kilo kilo; /* first */
	const struct warptm_config *config;
	struct kilo_config kilo_config; /* what the units are made from */
	struct resolvers resolvers;
	struct gputm_first_read **first_read;	/* per core; NULL without TCD */
	struct gputm_last_written **last_written; /* per partition; NULL without TCD */
	struct sim_records *committing; /* words by warp; NULL but in WarpTM-EL */
	struct eapg *eapg;		/* NULL but in EAPG */
};

static inline struct warptm *sim_warptm_of(const struct sim_port *port)
{
	return port->state;
}

/* warptm_tcd.c: temporal conflict detection. */
int sim_tcd_make(struct sim_port *port, struct warptm *tm);
void sim_tcd_begin(struct sim_port *port, struct sim_warp *warp);
void sim_tcd_load(struct sim_port *port, struct sim_warp *warp);
void sim_tcd_served(struct sim_port *port, struct sim_message *message);
/* Read-only lanes without a conflict commit. @return the lanes that must still commit. */
uint64_t sim_tcd_commit(struct sim_port *port, struct sim_warp *warp, uint64_t lanes);

/* warptm_el.c: validation at each access. */
int sim_el_make(struct sim_port *port, struct warptm *tm);
void sim_el_free(struct warptm *tm);
void sim_el_load(struct sim_port *port, struct sim_warp *warp);
void sim_el_store(struct sim_port *port, struct sim_warp *warp);
bool sim_el_watch(struct sim_port *port, struct sim_warp *warp);
/* At the first attempt of a commit; false: all lanes have aborted. */
bool sim_el_commit(struct sim_port *port, struct sim_warp *warp);

/* warptm_eapg.c: early abort and pause-and-go. */
struct eapg_reference {
	uint64_t address, cid, write; /* cid: the first of its warp */
};

/* What the cores are told. */
struct eapg_update {
	uint64_t address;
	uint32_t write, insert;
};

struct eapg_partition {
	struct gputm_reference_count_table *table;
	struct eapg_reference *reference; /* of transactions that validate */
	struct eapg_update *update;	  /* that some core has yet to get, the oldest first */
	uint32_t *got;			  /* by core: so many of these have arrived there */
	size_t references, reference_room, updates, update_room;
};

struct eapg {
	struct eapg_partition *partition;
	struct gputm_conflict_address_table **table; /* per core */
	uint64_t *fresh; /* per core: warps whose logs have not been looked up since an insert */
};

/* What such a message asks for: c updates of its partition. */
#define EAPG_BROADCAST (REPORT + 1)

int sim_eapg_make(struct sim_port *port, struct warptm *tm);
void sim_eapg_free(const struct sim_port *port, struct warptm *tm);
void sim_eapg_io(struct sim_port *port, struct sim_io *io);
void sim_eapg_check(struct sim_port *port, const struct sim_message *message, enum sim_way way,
		    struct sim_io *io);
void sim_eapg_at_core(struct sim_port *port, const struct sim_message *message);
uint64_t sim_eapg_pause(struct sim_port *port, struct sim_warp *warp, bool write, uint64_t lanes);
bool sim_eapg_watch(struct sim_port *port, struct sim_warp *warp);
/* Lanes with a conflict abort. @return the lanes that must still commit. */
uint64_t sim_eapg_commit(struct sim_port *port, struct sim_warp *warp, uint64_t lanes);
void sim_eapg_finished(struct sim_port *port);

#endif
