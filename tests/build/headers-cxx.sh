#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
set -- c++
. "${srcdir:-.}/tests/build/headers.sh"
