/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_KILOTM_COMMIT_PURPOSES_H
#define GPUTM_LIB_KILOTM_COMMIT_PURPOSES_H
/* The names of enum gputm_commit_unit_purpose, for units that ask for logs and units that send
 * them. */
static const char *const gputm__commit_purposes[] = { "hazard", "record", "revalidate", "commit" };
#endif /* GPUTM_LIB_KILOTM_COMMIT_PURPOSES_H */
