/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The library, called by the tables that write.py has made of the headers. Values are numbers
 * (BigInt where a number is not exact), objects for structs, and arrays; a handle is its address.
 * Codes of types are those of gputm/unit.py.
 */
"use strict";

const WIDTH = { Q: 8, H: 2, B: 1, "?": 1 }; // else 4
const ROOM = 64; // elements of an array whose length nothing says

const accessor = (code) => ({ Q: "BigUint64", i: "Int32", H: "Uint16", B: "Uint8",
	"?": "Uint8" }[code[0]] || "Uint32");
const empty = (value) =>
	!value || typeof value === "object" && Object.values(value).every(empty);

/** A number as JavaScript has it: big only where it must be. */
function plain(value, code) {
	if (typeof value !== "bigint")
		return code === "?" ? value !== 0 : /[iv01]/.test(code) ? value : value >>> 0;
	const unsigned = BigInt.asUintN(64, value);
	return unsigned > Number.MAX_SAFE_INTEGER ? unsigned : Number(unsigned);
}

class Library {
	constructor(tables, exports) {
		Object.assign(this, tables, { exports, scratch: exports.malloc(1 << 18) });
	}

	get view() {
		return new DataView(this.exports.memory.buffer);
	}

	size(code) {
		return code[0] === "@" ? this.structs[code.slice(1)].size : WIDTH[code[0]] || 4;
	}

	text(at) {
		const bytes = new Uint8Array(this.exports.memory.buffer);
		return at ? new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at))) : "";
	}

	/** A value in memory; name and values beside an array tell its length. */
	get(at, code, beside) {
		if (code[0] === "@")
			return this.struct(at, code.slice(1));
		const value = plain(this.view["get" + accessor(code)](at, true), code[0]);
		return code[0] === "s" ? this.text(value) :
			code[0] === "[" ? this.array(value, code.slice(1), beside) : value;
	}

	struct(at, name) {
		const value = {};
		for (const pointers of [false, true]) // numbers first, as they tell lengths
			for (const f of this.structs[name].fields)
				if ((f.code[0] === "[") === pointers)
					value[f.name] = f.count ?
						this.array(at + f.at, f.code, { value: f }) :
						this.get(at + f.at, f.code, { ...f, value });
		return value;
	}

	/** Elements without the zeros at the end, which room() puts back. */
	array(at, code, beside) {
		const size = this.size(code), values = [];
		const end = at && Math.min(at + this.length(beside) * size, this.view.byteLength);
		for (let i = at; i + size <= end; i += size)
			values.push(this.get(i, code));
		while (values.length && empty(values[values.length - 1]))
			values.pop();
		return at ? values : null;
	}

	length({ name, value }) {
		const count = value[name + "_rows"] ?? value[name + "_count"] ?? value.count ??
			value.capacity;
		const mask = value.mask ?? value.lane_mask ?? value.lanes ?? value.fail;
		if (/rows$/.test(name))
			return 16 * ROOM;
		return count ?? (mask === undefined || name === "mask" ? ROOM :
			BigInt(mask).toString(2).length);
	}

	put(at, value, code) {
		if (code[0] === "@")
			for (const f of this.structs[code.slice(1)].fields) {
				const values = f.count ? value[f.name] || [] : [value[f.name] ?? 0];
				values.forEach((one, i) =>
					this.put(at + f.at + i * this.size(f.code), one, f.code));
			}
		else if (code[0] === "[")
			this.view.setUint32(at, value ? this.room(value, code.slice(1)) : 0, true);
		else
			this.view["set" + accessor(code)](at, this.raw(value, code), true);
	}

	raw(value, code) {
		return code[0] === "Q" ? BigInt.asUintN(64, BigInt(value)) : Number(value);
	}

	/** Room for an array, with zeros after its values. */
	room(values, code) {
		const at = this.top, bytes = Math.max(values.length, ROOM) * this.size(code);
		this.top += (bytes + 15) & ~15;
		new Uint8Array(this.exports.memory.buffer, at, bytes).fill(0);
		values.forEach((value, i) => this.put(at + i * this.size(code), value, code));
		return at;
	}

	/** What goes to a function for a value. */
	argument(value, code) {
		const kind = code[0], of = code.slice(1);
		if (kind === ">" || kind === "]" || code === "P" && !value)
			return this.room(value || [], of || "Q");
		if (kind === "&")
			return value ? this.room([value], "@" + of) : 0;
		if (kind === "[")
			return value ? this.room(value, of) : 0;
		return kind === "s" ? this.room([...new TextEncoder().encode(value), 0], "B") :
			this.raw(value ?? 0, code);
	}

	/** Values by parameter of what a function gets or, after the call, has answered. */
	values(f, raw) {
		const value = {}, one = (code, at) => !/^[>&]/.test(code) ? plain(at, code[0]) :
			at ? this.get(at, code.replace("&", ">@").slice(1), {}) : null;
		for (const [i, { name, code }] of f.parameters.entries())
			if (!/^[[\]]/.test(code))
				value[name] = one(code, raw[i]);
		for (const [i, { name, code }] of f.parameters.entries())
			if (/^[[\]]/.test(code))
				value[name] = this.array(raw[i], code.slice(1), { name, value });
		return value;
	}

	/** Call with values by parameter, handles as addresses. */
	call(name, given) {
		const f = this.functions[name];
		this.top = this.scratch;
		const raw = f.parameters.map((p) => this.argument(given[p.name], p.code));
		const result = plain(this.exports["gputm_" + name](...raw), f.code);
		return { result, value: this.values(f, raw),
			made: f.role === "new" && this.view.getUint32(raw[2], true) };
	}

	/** All answers of gputm_unit_stat() and the like. */
	all(name, unit) {
		const found = [], next = (i) => this.call(name, { unit, index: i, kind: i });
		for (let got = next(0); got.result; got = next(found.length))
			found.push(got.value.out);
		return found;
	}

	/** A snapshot of a unit; and its checksum, in which it ends. */
	save(unit) {
		const size = this.exports.gputm_unit_save(unit, 0, 0);
		const at = this.exports.malloc(size);
		this.exports.gputm_unit_save(unit, at, size);
		const bytes = new Uint8Array(this.exports.memory.buffer.slice(at, at + size));
		this.exports.free(at);
		return bytes;
	}

	digest(unit) {
		return String(new DataView(this.save(unit).slice(-8).buffer).getBigUint64(0));
	}

	load(unit, bytes) {
		const at = this.exports.malloc(bytes.length);
		new Uint8Array(this.exports.memory.buffer).set(bytes, at);
		this.exports.gputm_unit_load(unit, at, bytes.length);
		this.exports.free(at);
	}

	/** A config of a kind by a preset or by texts of fields; 0: the library refuses one. */
	configure(kind, ctx, preset, texts) {
		const { exports, scratch } = this, config = scratch + (1 << 17);
		const params = exports[`gputm_${kind}_params`]();
		const string = (text) => this.argument(text, "s");
		const set = ([name, text]) =>
			exports.gputm_params_set(ctx, params, config, string(name), string(text));
		this.top = scratch;
		exports.gputm_params_init(params, config, this.structs[kind + "_config"].size);
		if (preset && exports.gputm_params_preset(ctx, params, string(preset), config))
			return 0;
		return Object.entries(texts).some(set) ? 0 : config;
	}
}

if (typeof module !== "undefined")
	module.exports = { Library, empty, plain };
