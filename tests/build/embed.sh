#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# embed.sh LIBDIR: each snippet of examples/embed builds its program from a fresh folder, against
# the library installed there and from the sources, by the commands at its top; all print the same.
# So do three projects of its README.md, and the program of README.md with the library made by the
# three lines there.
. "${srcdir:-.}/tests/build/lib.sh"

source=$(cd "$srcdir" && pwd)
export PKG_CONFIG_PATH="$1/pkgconfig"
# The library is compiled seven times, which without optimisation takes a third of the time. A last
# -O0 wins over what the build systems say. With the PATH of before, a compiler that looks for another
# one, as ccache does, does not find this one.
mkdir "$work/bin"
for compiler in cc gcc; do
	! have $compiler || printf '#!/bin/sh\nPATH="%s" exec "%s" "$@" -O0\n' "$PATH" "$(command -v $compiler)" \
		>"$work/bin/$compiler"
done
chmod +x "$work"/bin/*
PATH=$work/bin:$PATH
for snippet in cc.sh GNUmakefile CMakeLists.txt SConstruct meson.build; do
	for how in installed sources; do
		mkdir "$work/fresh"
		cp "$source"/examples/embed/* "$work/fresh"
		command=$(sed -n "s/^# $how: //p" "$work/fresh/$snippet")
		[ -n "$command" ] || complain "$snippet does not say how it builds: $how"
		if ! (cd "$work/fresh" && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL $(
			[ $how = installed ] || echo "GPUTM_SOURCE=$source") sh -ec "$command") \
			>"$work/out" 2>&1 || ! tail -2 "$work/out" | diff - "$source/examples/embed/embed.exp"; then
			tail -30 "$work/out"
			complain "$snippet, $how: $command"
		else
			echo "$snippet, $how: $command"
		fi
		rm -rf "$work/fresh"
	done
done

# project WHAT COMMAND: built from a folder that has embed.c and what is there already.
project() {
	cp "$source/examples/embed/embed.c" "$work/fresh"
	if ! (cd "$work/fresh" && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL sh -ec "$2") >"$work/out" 2>&1 ||
		! tail -2 "$work/out" | diff - "$source/examples/embed/embed.exp"; then
		tail -30 "$work/out"
		complain "$1: $2"
	else
		echo "$1: $2"
	fi
	rm -rf "$work/fresh"
}
readme=$source/examples/embed/README.md
# In a prefix that has been moved.
prefix=$(cd "$(pkg-config --variable=prefix gputm)" && pwd)
mkdir "$work/fresh" "$work/moved"
cp -R "$prefix/include" "$prefix/lib" "$work/moved"
fenced cmake 1 "$readme" >"$work/fresh/CMakeLists.txt"
project find_package "cmake -S . -B out -DCMAKE_PREFIX_PATH='$work/moved' && cmake --build out &&
	ldd out/mine | grep '$work/moved/' && out/mine"
mkdir "$work/fresh"
fenced cmake 2 "$readme" >"$work/fresh/CMakeLists.txt"
project FetchContent "cmake -S . -B out -DFETCHCONTENT_SOURCE_DIR_GPUTM='$source' &&
	cmake --build out && ! ls out/_deps/*/embed 2>&- && out/mine"
# The wrap fetches from a repository of this tree's library.
git init -q "$work/tree" && cp -R "$source/include" "$source/lib" "$work/tree" &&
	git -C "$work/tree" add . && git -C "$work/tree" -c user.name=gputm -c user.email= commit -qm tree
mkdir -p "$work/fresh/subprojects/packagefiles/gputm"
fenced meson 1 "$readme" >"$work/fresh/meson.build"
fenced ini 1 "$readme" | sed "s,^url = .*,url = file://$work/tree,; s,^revision = .*,revision = HEAD," \
	>"$work/fresh/subprojects/gputm.wrap"
cp "$source"/examples/embed/meson* "$work/fresh/subprojects/packagefiles/gputm"
project wrap "meson setup out --force-fallback-for=gputm && ninja -C out && out/mine"
mkdir "$work/fresh"
ln -s "$source/include" "$source/lib" "$work/fresh"
fenced c 1 >"$work/fresh/filter.c"
fenced sh 4 >"$work/fresh/commands"
if ! (cd "$work/fresh" && sh -e ./commands && ./filter) >"$work/out" 2>&1 ||
	! grep -qx '0x1000 was last written by transaction 7' "$work/out"; then
	tail -30 "$work/out"
	complain "README.md's lines for a library without autotools: $(cat "$work/fresh/commands")"
fi
exit $failed
