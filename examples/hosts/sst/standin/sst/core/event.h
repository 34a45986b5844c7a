/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STANDIN_SST_EVENT_H
#define STANDIN_SST_EVENT_H
/*
 * A stand-in of our own for SST. STANDIN_SST is its version, 13 to 16, as handlers differ: their
 * functions are arguments up to 13, arguments of the template since 16, and either in 14 and 15.
 */
#include <cstdint>

#ifndef STANDIN_SST
#define STANDIN_SST 16
#endif
#define ImplementSerializable(type) static_assert(sizeof(type *) > 0, "")

namespace SST {

template <class R, class A> class HandlerBase {
public:
	virtual ~HandlerBase() = default;
	virtual R call(A argument) = 0;
};

template <class R, class A, class C> class OldHandler : public HandlerBase<R, A> {
public:
	OldHandler(C *object, R (C::*method)(A)) : object_(object), method_(method) {}
	R call(A argument) override { return (object_->*method_)(argument); }

private:
	C *object_;
	R (C::*method_)(A);
};

template <class R, class A, class C, auto Method> class NewHandler : public HandlerBase<R, A> {
public:
	explicit NewHandler(C *object) : object_(object) {}
	R call(A argument) override { return (object_->*Method)(argument); }

private:
	C *object_;
};

#define STANDIN_OLD(R, A, ...)                                                                 \
	template <class C, class Data = void> using Handler __VA_ARGS__ = SST::OldHandler<R, A, C>
#define STANDIN_NEW(R, A, NAME)                                                                \
	template <class C, auto Method, class Data = void>                                     \
	using NAME = SST::NewHandler<R, A, C, Method>
#if STANDIN_SST >= 16
#define STANDIN_HANDLERS(R, A) STANDIN_NEW(R, A, Handler)
#elif STANDIN_SST == 15
#define STANDIN_HANDLERS(R, A)                                                                 \
	STANDIN_OLD(R, A, [[deprecated("use Handler2")]]);                                     \
	STANDIN_NEW(R, A, Handler2)
#elif STANDIN_SST == 14
#define STANDIN_HANDLERS(R, A)                                                                 \
	STANDIN_OLD(R, A, );                                                                   \
	STANDIN_NEW(R, A, Handler2)
#else
#define STANDIN_HANDLERS(R, A) STANDIN_OLD(R, A, )
#endif

class Event {
public:
	virtual ~Event() = default;
	using HandlerBase = SST::HandlerBase<void, Event *>;
	STANDIN_HANDLERS(void, Event *);
};

} // namespace SST

#endif
