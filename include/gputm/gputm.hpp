/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_GPUTM_HPP
#define GPUTM_GPUTM_HPP

/**
 * @file
 * libgputm for C++17: owners, exceptions and ranges over the C functions, which stay as they are.
 *
 *     gputm::unit<gputm_recency_bloom> filter("kilo-tm");
 *     filter.update(0x1000, 7);
 *     for (const gputm_stat &stat : filter.statistics())
 *             std::cout << stat.name << ' ' << stat.value << '\n';
 *
 * Each function of a unit's handle is a method, which throws what the library refuses; a unit is
 * also passed to the C functions in place of its handle. What the library refuses is
 * a gputm::error whose text is the library's: field, value, range. What the hardware answers (full,
 * conflict, ...) is no error. Nothing is thrown through the library. Threads: as in C, and units
 * made with one gputm::context share its last message.
 */

#include <cstdio>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gputm/gputm.h>

namespace gputm {

/** What the library refused. */
class error : public std::runtime_error {
public:
	error(int negative_errno, const std::string &text)
		: std::runtime_error(text), code_(-negative_errno) {}
	/** @return the errno value, positive: EINVAL, ERANGE, E2BIG, ENOMEM, ENOTSUP or EBUSY. */
	int code() const noexcept { return code_; }

private:
	int code_;
};

/** Array of the library: pointer and length, alive as long as what gave it. */
template <class T> class span {
public:
	constexpr span(const T *data, std::size_t size) noexcept : data_(data), size_(size) {}
	constexpr const T *begin() const noexcept { return data_; }
	constexpr const T *end() const noexcept { return data_ + size_; }
	constexpr std::size_t size() const noexcept { return size_; }
	constexpr bool empty() const noexcept { return !size_; }
	constexpr const T &operator[](std::size_t i) const noexcept { return data_[i]; }

private:
	const T *data_;
	std::size_t size_;
};

/** What Get gives for 0, 1, ... until it gives false. */
template <class T, bool (*Get)(const gputm_unit *, std::size_t, T *)> class range {
public:
	class iterator {
	public:
		using iterator_category = std::input_iterator_tag;
		using value_type = T;
		using difference_type = std::ptrdiff_t;
		using pointer = const T *;
		using reference = const T &;

		explicit iterator(const gputm_unit *unit) noexcept : unit_(unit) { get(); }
		reference operator*() const noexcept { return value_; }
		pointer operator->() const noexcept { return &value_; }
		iterator &operator++() noexcept
		{
			index_++;
			get();
			return *this;
		}
		bool operator==(const iterator &other) const noexcept
		{
			return unit_ == other.unit_ && (!unit_ || index_ == other.index_);
		}
		bool operator!=(const iterator &other) const noexcept
		{
			return !(*this == other);
		}

	private:
		void get() noexcept
		{
			if (unit_ && !Get(unit_, index_, &value_))
				unit_ = nullptr;
		}
		const gputm_unit *unit_;
		std::size_t index_ = 0;
		T value_ = {};
	};

	explicit range(const gputm_unit *unit) noexcept : unit_(unit) {}
	iterator begin() const noexcept { return iterator(unit_); }
	iterator end() const noexcept { return iterator(nullptr); }

private:
	const gputm_unit *unit_;
};

/** @return the buckets of a histogram, none of other statistics. */
inline span<std::uint64_t> buckets(const gputm_stat &stat) noexcept
{
	return { stat.bucket, stat.bucket ? std::size_t{ GPUTM_HISTOGRAM_BUCKETS } : 0 };
}

/** A context that keeps its last message. Copies are the same context. */
class context {
public:
	context() : inside_(std::make_shared<inside>()) {}
	operator gputm_ctx *() const noexcept { return inside_->ctx; }
	/** Throw what @p result says, if it is negative, in the library's words since the check
	 * before. Answers such as BUSY or FULL are not thrown: look at the result.
	 * @return @p result. */
	int check(int result) const
	{
		std::string text = result < 0 ? inside_->message : "";

		inside_->message[0] = '\0';
		if (result >= 0)
			return result;
		throw error(result, text.empty() ? std::strerror(-result) : text);
	}

private:
	struct inside {
		inside()
		{
			if (gputm_ctx_new(nullptr, &ctx))
				throw std::bad_alloc();
			gputm_ctx_set_log(ctx, note, message, GPUTM_LOG_ERROR);
		}
		inside(const inside &) = delete;
		inside &operator=(const inside &) = delete;
		~inside() { gputm_ctx_unref(ctx); }
		gputm_ctx *ctx = nullptr;
		char message[1024] = "";
	};
	static void note(void *state, gputm_log_level, const char *text) noexcept
	{
		std::snprintf(static_cast<char *>(state), sizeof(inside::message), "%s", text);
	}
	std::shared_ptr<inside> inside_;
};

/** The functions that each kind of unit has, by the type of its handle. */
template <class Handle> struct kind;

#define GPUTM_KIND(U)                                                                          \
	template <> struct kind<::gputm_##U> {                                                 \
		using config = ::gputm_##U##_config;                                           \
		static constexpr auto make = ::gputm_##U##_new;                                \
		static constexpr auto free = ::gputm_##U##_free;                               \
		static constexpr auto face = ::gputm_##U##_unit;                               \
		static constexpr auto params = ::gputm_##U##_params;                           \
	};
/* begin kinds */
GPUTM_KIND(access_bitmap) GPUTM_KIND(access_coalescer) GPUTM_KIND(block_priority)
GPUTM_KIND(block_stack) GPUTM_KIND(commit_buffer) GPUTM_KIND(commit_id)
GPUTM_KIND(commit_sequencer) GPUTM_KIND(commit_unit) GPUTM_KIND(conflict_address_table)
GPUTM_KIND(device_validator) GPUTM_KIND(dispatch_queues) GPUTM_KIND(first_read)
GPUTM_KIND(last_writer) GPUTM_KIND(last_written) GPUTM_KIND(local_tm) GPUTM_KIND(metadata_table)
GPUTM_KIND(ownership_table) GPUTM_KIND(reader_list) GPUTM_KIND(recency_bloom)
GPUTM_KIND(reference_count_table) GPUTM_KIND(row_copier) GPUTM_KIND(sequential_resolver)
GPUTM_KIND(signature) GPUTM_KIND(simt_stack) GPUTM_KIND(stall_buffer) GPUTM_KIND(sync_round)
GPUTM_KIND(thread_compactor) GPUTM_KIND(timestamp_table) GPUTM_KIND(tx_log) GPUTM_KIND(tx_throttle)
GPUTM_KIND(validation_unit) GPUTM_KIND(version_table) GPUTM_KIND(warp_access_filter)
GPUTM_KIND(warp_clock) GPUTM_KIND(warp_former) GPUTM_KIND(write_set_log) GPUTM_KIND(writer_table)
/* end kinds */
#undef GPUTM_KIND

/** Frees a handle of any kind. */
struct deleter {
	template <class Handle> void operator()(Handle *handle) const noexcept
	{
		kind<Handle>::free(handle);
	}
	void operator()(gputm_h3 *family) const noexcept { gputm_h3_free(family); }
};

/** An owner without anything else. */
template <class Handle> using owner = std::unique_ptr<Handle, deleter>;

/** @return the config of that kind with the defaults, or with a preset on top of them. */
template <class Handle>
typename kind<Handle>::config config(const char *preset = nullptr, const context &ctx = {})
{
	typename kind<Handle>::config made = {};

	ctx.check(gputm_params_init(kind<Handle>::params(), &made, sizeof(made)));
	if (preset)
		ctx.check(gputm_params_preset(ctx, kind<Handle>::params(), preset, &made));
	return made;
}

/** The methods of a unit: its functions without gputm_UNIT_; union_ for union. */
template <class Unit, class Handle> struct calls;
template <class Unit> struct caller {
	const Unit &self() const noexcept { return static_cast<const Unit &>(*this); }
};
#include <gputm/calls.hpp>

/** A unit, freed with this owner. */
template <class Handle> class unit : public calls<unit<Handle>, Handle> {
public:
	using observer = std::function<void(const gputm_event &)>;

	explicit unit(const typename kind<Handle>::config &config, context ctx = {})
		: ctx_(std::move(ctx))
	{
		Handle *made = nullptr;

		ctx_.check(kind<Handle>::make(ctx_, &config, &made));
		handle_.reset(made);
	}
	explicit unit(const char *preset = nullptr, const context &ctx = {})
		: unit(gputm::config<Handle>(preset, ctx), ctx) {}
	operator Handle *() const noexcept { return handle_.get(); }
	/** @return the common face, for the functions gputm_unit_...(). */
	gputm_unit *face() const noexcept { return kind<Handle>::face(handle_.get()); }
	/** Throw what a call on the unit has refused. Answers such as BUSY or FULL are not thrown:
	 * look at the result. @return @p result if it is not negative. */
	int check(int result) const { return ctx_.check(result); }
	range<gputm_stat, gputm_unit_stat> statistics() const noexcept
	{
		return range<gputm_stat, gputm_unit_stat>(face());
	}
	range<gputm_storage, gputm_unit_storage> storage() const noexcept
	{
		return range<gputm_storage, gputm_unit_storage>(face());
	}
	range<gputm_event_kind, gputm_unit_event> events() const noexcept
	{
		return range<gputm_event_kind, gputm_unit_event>(face());
	}
	static span<gputm_param> params() noexcept
	{
		return { kind<Handle>::params()->param, kind<Handle>::params()->param_count };
	}
	static span<gputm_preset> presets() noexcept
	{
		return { kind<Handle>::params()->preset, kind<Handle>::params()->preset_count };
	}
	std::vector<unsigned char> save() const
	{
		std::vector<unsigned char> bytes(gputm_unit_save(face(), nullptr, 0));

		gputm_unit_save(face(), bytes.data(), bytes.size());
		return bytes;
	}
	/** Without statistics: equal bytes for equal states. */
	std::vector<unsigned char> save_state() const
	{
		std::vector<unsigned char> bytes(gputm_unit_save_state(face(), nullptr, 0));

		gputm_unit_save_state(face(), bytes.data(), bytes.size());
		return bytes;
	}
	void load(const std::vector<unsigned char> &bytes)
	{
		check(gputm_unit_load(face(), bytes.data(), bytes.size()));
	}
	/** Call @p callback, which must not throw, after each event, and no other one that was set
	 * so before; an empty one ends it. */
	void observe(observer callback)
	{
		if (observer_)
			check(gputm_unit_unobserve(face(), tell, observer_.get()));
		observer_ = callback ? std::make_unique<observer>(std::move(callback)) : nullptr;
		if (observer_)
			check(gputm_unit_observe(face(), tell, observer_.get()));
	}

private:
	static void tell(void *state, const gputm_unit *, const gputm_event *event) noexcept
	{
		(*static_cast<observer *>(state))(*event);
	}
	context ctx_;
	std::unique_ptr<observer> observer_;
	owner<Handle> handle_;
};

} // namespace gputm

#endif /* GPUTM_GPUTM_HPP */
