/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers of errors that the library gives: those of Linux. */
#define EBUSY 16
#define E2BIG 7
#define EINVAL 22
#define ENOMEM 12
#define ENOTSUP 95
#define ERANGE 34
