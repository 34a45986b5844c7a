#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# model.sh FOLDER FILE...: a header with a sum of these files in FOLDER, by which a result says what
# has made it. Equal files have an equal sum on any machine, in any order.
set -eu
folder=$1
shift
sums=$(cd "$folder" && printf '%s\n' "$@" | LC_ALL=C sort -u | xargs cksum)
sum=$(printf '%s\n' "$sums" | cksum)
printf '#define SIM_MODEL "%08x"\n' "${sum%% *}"
