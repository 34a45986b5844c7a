/* SPDX-License-Identifier: BSD-2-Clause */
#define _XOPEN_SOURCE 700 /* lgamma */
#include "student.h"

#include <math.h>

/* The continued fraction of the incomplete beta function (Lentz's algorithm). */
static double fraction(double a, double b, double x)
{
	double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), all = d;

	for (int m = 1; m < 500; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double before = all;

		d = 1 / (1 + even * d);
		c = 1 + even / c;
		all *= c * d;
		d = 1 / (1 + odd * d);
		c = 1 + odd / c;
		all *= c * d;
		if (fabs(all - before) <= 1e-14 * fabs(all))
			break;
	}
	return all;
}

double sweep_t_likely(double t, double freedom)
{
	double a = freedom / 2, b = 0.5, x = freedom / (freedom + t * t);
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));

	if (x >= 1)
		return 1;
	return x < (a + 1) / (a + b + 2) ? front * fraction(a, b, x) / a :
					   1 - front * fraction(b, a, 1 - x) / b;
}

double sweep_t(double likely, double freedom)
{
	double low = 0, high = 1e6;

	for (int i = 0; i < 200; i++) {
		double middle = (low + high) / 2;

		*(sweep_t_likely(middle, freedom) > likely ? &low : &high) = middle;
	}
	return low;
}
