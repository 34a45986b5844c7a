# SPDX-License-Identifier: BSD-2-Clause
# installed: sh cc.sh && out/embed
# sources: GPUTM_SOURCE="$GPUTM_SOURCE" sh cc.sh && out/embed
set -e
mkdir -p out
if [ "$GPUTM_SOURCE" ]; then
	cc -O2 -I"$GPUTM_SOURCE"/include -I"$GPUTM_SOURCE" embed.c "$GPUTM_SOURCE"/lib/*/*.c -o out/embed
else
	cc embed.c $(pkg-config --cflags --libs gputm) -Wl,-rpath,"$(pkg-config --variable=libdir gputm)" \
		-o out/embed
fi
