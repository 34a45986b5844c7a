#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# gputm.pc.sh PREFIX PKGCONFIGDIR LIBDIR INCLUDEDIR VERSION <gputm.pc.in: gputm.pc whose prefix is
# as many folders above its own as in this installation. A folder that is not below the prefix
# keeps its name, and if that is gputm.pc's own, so does the prefix.
set -eu
prefix=${1%/}
case $2 in
"$prefix"/*) from='${pcfiledir}'$(echo "${2#"$prefix"}" | sed 's,/*$,,; s,//*[^/]*,/..,g') ;;
*) from=$1 ;;
esac
below() {
	case $1 in
	"$prefix"/*) echo "\${prefix}${1#"$prefix"}" ;;
	*) echo "$1" ;;
	esac
}
sed "s|@prefix@|$from|; s|@libdir@|$(below "$3")|; s|@includedir@|$(below "$4")|; s|@version@|$5|"
