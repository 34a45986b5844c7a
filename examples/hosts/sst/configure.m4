dnl SPDX-License-Identifier: BSD-2-Clause
dnl For src/sst/elements/gputm_element of sst-elements: build the element if libgputm is installed.
AC_DEFUN([SST_gputm_element_CONFIG], [
	AC_CHECK_LIB([gputm], [gputm_is_present],
		[GPUTM_LIBS=-lgputm; sst_check_gputm_element=yes], [sst_check_gputm_element=no])
	AC_SUBST([GPUTM_LIBS])
	AS_IF([test "$sst_check_gputm_element" = yes], [$1], [$2])
])
