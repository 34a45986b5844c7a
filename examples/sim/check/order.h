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
	uint64_t key;  /* place among the accesses of that word; equal keys: one transaction's */
	uint32_t node; /* number of the transaction */
	uint32_t write;
};

#define SIM_ORDER_STEPS 4

/* Transactions of which each must stand before the next one, and the last one before the first. */
struct sim_order_cycle {
	uint32_t length; /* 0: there is none */
	struct {
		struct sim_order_access before, after; /* of the same word, by two of them */
		bool known;
	} step[SIM_ORDER_STEPS]; /* the first ones */
};

/*
 * Sort the accesses and fill order[] with the numbers 0 .. nodes - 1 so that every
 * transaction stands after those that its accesses follow.
 * @return how many could be placed: nodes, or fewer where there is a cycle (order[] then has
 * those that could, and *cycle a short one); -ENOMEM.
 */
int64_t sim_order(struct sim_order_access *access, size_t count, uint32_t nodes, uint32_t *order,
		  struct sim_order_cycle *cycle);

#endif /* SIM_ORDER_H */
