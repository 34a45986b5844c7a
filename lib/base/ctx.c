/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The context: where memory comes from and where messages go. It is the only
 * object that several threads may share, so its reference count is atomic and
 * everything else in it is set before it is shared.
 */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "lib/base/format.h"
#include "lib/base/unit.h"

struct gputm_ctx {
	struct gputm_allocator allocator;
	gputm_log_fn log;
	void *log_state;
	enum gputm_log_level level;
	atomic_uint references;
};

static void *libc_alloc(size_t size, void *state)
{
	(void)state;
	return malloc(size);
}

static void libc_free(void *memory, void *state)
{
	(void)state;
	free(memory);
}

static void *libc_alloc_zero(size_t size, void *state)
{
	(void)state;
	return calloc(1, size);
}

static const struct gputm_allocator libc_allocator = { libc_alloc, libc_free, NULL,
						       libc_alloc_zero };

int gputm_is_present(void)
{
	return 1;
}

const char *gputm_version(void)
{
	return GPUTM_VERSION;
}

int gputm_ctx_new(const struct gputm_allocator *allocator, struct gputm_ctx **out)
{
	const struct gputm_allocator *from = allocator ? allocator : &libc_allocator;
	struct gputm_ctx *ctx;

	if (!from->alloc || !from->free)
		return -EINVAL;
	ctx = from->alloc(sizeof(*ctx), from->state);
	if (!ctx)
		return -ENOMEM;
	memset(ctx, 0, sizeof(*ctx));
	ctx->allocator = *from;
	atomic_init(&ctx->references, 1);
	*out = ctx;
	return 0;
}

struct gputm_ctx *gputm_ctx_ref(struct gputm_ctx *ctx)
{
	if (ctx)
		atomic_fetch_add(&ctx->references, 1);
	return ctx;
}

void gputm_ctx_unref(struct gputm_ctx *ctx)
{
	struct gputm_allocator allocator;

	if (!ctx || atomic_fetch_sub(&ctx->references, 1) != 1)
		return;
	allocator = ctx->allocator;
	allocator.free(ctx, allocator.state);
}

void gputm_ctx_set_log(struct gputm_ctx *ctx, gputm_log_fn log, void *state,
		       enum gputm_log_level level)
{
	ctx->log = log;
	ctx->log_state = state;
	ctx->level = level;
}

/* Bytes that cannot be printed become \x0a: a message is a line. What does not fit is cut. */
static void escape(const char *from, char *to, size_t size)
{
	static const char digit[] = "0123456789abcdef";
	size_t used = 0;

	for (; *from && used + 5 < size; from++) {
		unsigned char c = (unsigned char)*from;

		if (c >= ' ' && c <= '~') {
			to[used++] = *from;
			continue;
		}
		to[used++] = '\\';
		to[used++] = 'x';
		to[used++] = digit[c / 16];
		to[used++] = digit[c % 16];
	}
	to[used] = '\0';
}

void gputm__vlog(struct gputm_ctx *ctx, enum gputm_log_level level, const char *prefix,
		 const char *format, va_list arguments)
{
	char text[512], line[sizeof(text) + 4];
	size_t used = 0;

	if (!ctx || !ctx->log || level > ctx->level)
		return;
	if (prefix) {
		used = gputm__append(text, sizeof(text), used, prefix);
		used = gputm__append(text, sizeof(text), used, ": ");
	}
	gputm__vformat(text, sizeof(text), used, format, arguments);
	escape(text, line, sizeof(line));
	ctx->log(ctx->log_state, level, line);
}

void gputm__log(struct gputm_ctx *ctx, enum gputm_log_level level, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	gputm__vlog(ctx, level, NULL, format, arguments);
	va_end(arguments);
}

static void *no_memory(struct gputm_ctx *ctx, size_t count, size_t size)
{
	gputm__log(ctx, GPUTM_LOG_ERROR, "no memory for %llu x %llu bytes",
		   (unsigned long long)count, (unsigned long long)size);
	return NULL;
}

static void *alloc(struct gputm_ctx *ctx, size_t count, size_t size, bool zero)
{
	const struct gputm_allocator *from = ctx ? &ctx->allocator : &libc_allocator;
	size_t bytes;
	void *memory;

	if (__builtin_mul_overflow(count, size, &bytes))
		return no_memory(ctx, count, size);
	if (zero && from->alloc_zero)
		memory = from->alloc_zero(bytes, from->state);
	else
		memory = from->alloc(bytes, from->state);
	if (!memory)
		return no_memory(ctx, count, size);
	return zero && !from->alloc_zero ? memset(memory, 0, bytes) : memory;
}

void *gputm__alloc(struct gputm_ctx *ctx, size_t count, size_t size)
{
	return alloc(ctx, count, size, true);
}

void *gputm__alloc_raw(struct gputm_ctx *ctx, size_t size)
{
	return alloc(ctx, 1, size, false);
}

void gputm__free(struct gputm_ctx *ctx, void *memory)
{
	const struct gputm_allocator *from = ctx ? &ctx->allocator : &libc_allocator;

	if (memory)
		from->free(memory, from->state);
}
