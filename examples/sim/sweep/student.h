/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SWEEP_STUDENT_H
#define SIM_SWEEP_STUDENT_H
/* Student's t distribution, with a real number of degrees of freedom. */

/* The probability of a t at least this far from 0. */
double sweep_t_likely(double t, double freedom);
/* The t with this probability. */
double sweep_t(double likely, double freedom);

#endif
