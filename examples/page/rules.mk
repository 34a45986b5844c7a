# SPDX-License-Identifier: BSD-2-Clause
# Rules of GNU make for check-freestanding and page, in a folder of their own of the build: the
# library for targets without a C library, the unit examples on it, and the page.
# srcdir is the top of the sources; clang-14, lld, wasi-libc and node are needed.
CLANG = clang-14
HERE = $(srcdir)/examples/page
$(foreach tool,$(CLANG) wasm-ld-14 ld.lld-14 node python3,$(if $(shell command -v $(tool)),,\
	$(error $(tool) is missing: run "./bootstrap ci-tools", which installs it)))
BARE = -ffreestanding -fno-builtin -nostdlibinc -isystem $(HERE)/libc -I$(srcdir)/include -I$(srcdir) \
	-fvisibility=hidden -Wall -Wextra -Werror -MMD -MP -MF $(@:.o=.dep)
WASM = $(CLANG) --target=wasm32 -Oz
RISCV = $(CLANG) --target=riscv64-unknown-elf -march=rv64gc -mcmodel=medany -O1
# What compilers call for arithmetic that a target lacks, as libgcc is: __multi3.
BUILTINS = $(shell $(CLANG) --target=wasm32-wasi -print-libgcc-file-name -rtlib=compiler-rt)
SOURCES := $(patsubst $(srcdir)/%,%,$(wildcard $(srcdir)/lib/*/*.c))
NAMES := $(patsubst $(srcdir)/examples/%.c,%,$(wildcard $(srcdir)/examples/*.c))

wasm_objects := $(SOURCES:%.c=wasm/%.o)
riscv_objects := $(SOURCES:%.c=riscv/%.o) riscv/examples/page/libc.o

# Linked with libc.c alone: a tenth function of libc would be undefined.
all: gputm.wasm bare.elf recorded
	@echo "the library links with the nine functions of examples/page/libc.c: wasm32, riscv64"
	@cat recorded
-include $(shell find . -name '*.dep')

wasm/%.o: $(srcdir)/%.c
	@mkdir -p $(@D)
	$(WASM) $(BARE) -c -o $@ $<
riscv/%.o: $(srcdir)/%.c
	@mkdir -p $(@D)
	$(RISCV) $(BARE) -c -o $@ $<
gputm.wasm: $(wasm_objects) wasm/examples/page/libc.o wasm/examples/page/page.o
	wasm-ld-14 --no-entry --export-dynamic --export=malloc --export=free --strip-all -o $@ $^ $(BUILTINS)
bare.elf: $(riscv_objects)
	ld.lld-14 --whole-archive -e gputm_is_present -o $@ $^

tables.json: $(HERE)/write.py $(srcdir)/examples/python/gputm/unit.py
	python3 $(HERE)/write.py tables >$@
traced.h: $(HERE)/write.py $(srcdir)/examples/python/gputm/unit.py
	python3 $(HERE)/write.py traced >$@
%.wasm: $(srcdir)/examples/%.c traced.h $(wasm_objects)
	$(CLANG) --target=wasm32-wasi -Os -I$(srcdir)/include -include traced.h -Wl,--export-dynamic \
		-Wl,--export=malloc -Wl,--export=free -Wl,--strip-all -o $@ $< $(wasm_objects)
recorded: tables.json $(HERE)/record.js $(HERE)/calls.js $(NAMES:%=%.wasm) $(wildcard $(srcdir)/examples/*.exp)
	node $(HERE)/record.js tables.json $(NAMES:%=%.wasm) >$@
gputm.html: recorded gputm.wasm $(HERE)/write.py $(wildcard $(HERE)/*.js) $(HERE)/page.html $(HERE)/page.css
	python3 $(HERE)/write.py page >$@
.DELETE_ON_ERROR:
