/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_KILOTM_COMMIT_PURPOSES_H
#define GPUTM_LIB_KILOTM_COMMIT_PURPOSES_H
/* The names of enum gputm_commit_purpose, for those who ask for logs and those who send them. */
static const char *const gputm__commit_purposes[] = { "hazard", "record", "revalidate", "commit" };
#endif /* GPUTM_LIB_KILOTM_COMMIT_PURPOSES_H */
