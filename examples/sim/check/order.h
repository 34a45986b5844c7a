/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_ORDER_H
#define SIM_ORDER_H
/*
 * A serial order of transactions from the order of their accesses word by word: writes
 * follow one another, and a read stands between the write it saw and the next one.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_order_access {
	uint64_t address;
	uint64_t key;  /* position in the accesses of the word; equal keys: one transaction */
	uint32_t node; /* number of the transaction */
	uint32_t write;
};

#define SIM_ORDER_STEPS 4

/* A cycle: each transaction must come before the next, and the last before the first. */
struct sim_order_cycle {
	uint32_t length; /* 0: there is none */
	struct {
		struct sim_order_access before, after; /* two accesses of one word */
		bool known;
	} step[SIM_ORDER_STEPS]; /* the first steps */
};

/*
 * Sort the accesses and fill order[] with the numbers 0 .. nodes - 1 so that every
 * transaction stands after those that its accesses follow.
 * @return how many transactions could be placed. If fewer than nodes, order[] holds those placed
 * and *cycle a short cycle. -ENOMEM.
 */
int64_t sim_order(struct sim_order_access *access, size_t count, uint32_t nodes, uint32_t *order,
		  struct sim_order_cycle *cycle);

#endif /* SIM_ORDER_H */
