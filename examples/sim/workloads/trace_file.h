/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRACE_FILE_H
#define SIM_TRACE_FILE_H
/*
 * Traces of transactional accesses: plain text, header lines starting with '#',
 * then one line per committed transaction,
 *
 *     t THREAD rADDRESS=VALUE wADDRESS=VALUE ...
 *
 * THREAD decimal; ADDRESS and VALUE hexadecimal without 0x; addresses are byte
 * addresses of 4-byte words, multiples of 4 from 0x1000 to 0x7ffffffc. A header
 * "# transactions: N" is binding: the file must hold exactly N of them.
 *
 * Four bytes an access are kept; recorded values are checked for form and dropped.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SIM_TRACE_LOWEST 0x1000u
#define SIM_TRACE_HIGHEST 0x7ffffffcu

struct sim_trace {
	uint32_t transactions;
	uint32_t threads;    /* distinct ones */
	uint32_t accesses;
	uint32_t *first;     /* [threads + 1], into order: the transactions of a thread */
	uint32_t *order;     /* [transactions], by ascending thread, then file order */
	uint32_t *start;     /* [transactions + 1], into access */
	uint32_t *access;    /* address | write */
};

static inline uint32_t sim_trace_address(uint32_t access)
{
	return access & ~3u;
}

static inline int sim_trace_is_write(uint32_t access)
{
	return access & 1;
}

/*
 * Read a whole trace. 0; -EINVAL with "NAME:LINE: ..." in message; -ENOMEM, -EIO
 * likewise with a message. Nothing to free after a failure.
 */
int sim_trace_read(FILE *in, const char *name, struct sim_trace *out,
		   char *message, size_t size);
void sim_trace_free(struct sim_trace *trace);

#endif /* SIM_TRACE_FILE_H */
