/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The library, called by the tables that write.py has made of the headers. Values are numbers
 * (BigInt where a number is not exact), objects for structs, and arrays; a handle is its address.
 * Codes of types are those of gputm/unit.py.
 */
"use strict";

const NUMBER = { Q: "BigUint64", i: "Int32", H: "Uint16", B: "Uint8", "?": "Uint8" }; // else Uint32
const WIDTH = { Q: 8, H: 2, B: 1, "?": 1 }; // else 4
const ROOM = 64; // elements of an array whose length nothing says

const empty = (value) =>
	!value || typeof value === "object" && Object.values(value).every(empty);

/** A number as JavaScript has it: big only where it must be. */
function plain(value, code) {
	if (typeof value !== "bigint")
		return code === "?" ? value !== 0 : /[i01]/.test(code) ? value : value >>> 0;
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

	/** A value in memory; an array's length is what values beside it tell, and [""] is its name. */
	get(at, code, beside) {
		const number = this.view["get" + (NUMBER[code[0]] || "Uint32")];
		if (code[0] === "@")
			return this.struct(at, code.slice(1));
		const value = plain(number.call(this.view, at, true), code[0]);
		return code[0] === "s" ? this.text(value) :
			code[0] === "[" ? this.array(value, code.slice(1), beside) : value;
	}

	struct(at, name) {
		const value = {};
		for (const pointers of [false, true]) // numbers first: they tell the lengths of arrays
			for (const f of this.structs[name].fields)
				if ((f.code[0] === "[") === pointers)
					value[f.name] = f.count ? this.array(at + f.at, f.code, { count: f.count }) :
						this.get(at + f.at, f.code, { ...value, "": f.name });
		return value;
	}

	/** Elements without the zeros at the end, which are put back where the library reads them. */
	array(at, code, beside) {
		const size = this.size(code), end = this.exports.memory.buffer.byteLength, values = [];
		if (!at)
			return null;
		for (let i = 0; i < this.length(beside) && at + (i + 1) * size <= end; i++)
			values.push(this.get(at + i * size, code));
		while (values.length && empty(values[values.length - 1]))
			values.pop();
		return values;
	}

	length(beside) {
		const name = beside[""], mask = beside.mask ?? beside.lane_mask ?? beside.lanes ?? beside.fail;
		const count = beside[name + "_rows"] ?? beside[name + "_count"] ?? beside.count ?? beside.capacity;
		if (/rows$/.test(name))
			return 16 * ROOM;
		return count !== undefined ? count : mask !== undefined && name !== "mask" ?
			BigInt(mask).toString(2).length : ROOM;
	}

	put(at, value, code) {
		if (code[0] === "@")
			for (const f of this.structs[code.slice(1)].fields)
				if (f.count)
					(value[f.name] || []).forEach((one, i) =>
						this.put(at + f.at + i * this.size(f.code), one, f.code));
				else
					this.put(at + f.at, value[f.name] ?? 0, f.code);
		else if (code[0] === "[")
			this.view.setUint32(at, value ? this.room(value, code.slice(1)) : 0, true);
		else
			this.view["set" + (NUMBER[code[0]] || "Uint32")](at, this.raw(value, code), true);
	}

	raw(value, code) {
		return code[0] === "Q" ? BigInt.asUintN(64, BigInt(value)) : Number(value);
	}

	/** Room for an array, with zeros after its values. */
	room(values, code) {
		const at = this.top, size = this.size(code), bytes = Math.max(values.length, ROOM) * size;
		this.top += (bytes + 15) & ~15;
		new Uint8Array(this.exports.memory.buffer, at, bytes).fill(0);
		values.forEach((value, i) => this.put(at + i * size, value, code));
		return at;
	}

	/** What goes to a function for a value. */
	argument(value, code) {
		const kind = code[0], of = code.slice(1);
		if (kind === ">" || kind === "]" || code === "P" && !value)
			return this.room(value || [], of || "Q");
		if (kind === "&" || kind === "[")
			return value ? this.room(kind === "&" ? [value] : value, kind === "&" ? "@" + of : of) : 0;
		return kind === "s" ? this.room([...new TextEncoder().encode(value), 0], "B") :
			this.raw(value ?? 0, code);
	}

	/** Values by parameter of what a function gets, or, after the call, of what it has answered. */
	values(f, raw) {
		const value = {};
		for (const arrays of [false, true])
			f.parameters.forEach(({ name, code }, i) => {
				const kind = code[0], of = code.slice(1);
				if (/[[\]]/.test(kind) === arrays)
					value[name] = !/[>&[\]]/.test(kind) ? plain(raw[i], kind) : !raw[i] ? null :
						kind === ">" ? this.get(raw[i], of, {}) : kind === "&" ? this.struct(raw[i], of) :
							this.array(raw[i], of, { ...value, "": name });
			});
		return value;
	}

	/** Call with values by parameter, handles as addresses. */
	call(name, given) {
		const f = this.functions[name];
		this.top = this.scratch;
		const raw = f.parameters.map((p) => this.argument(given[p.name], p.code));
		const result = this.exports["gputm_" + name](...raw);
		return { result: result === undefined ? result : plain(result, f.code), value: this.values(f, raw),
			made: /_new$/.test(name) && this.view.getUint32(raw[2], true) };
	}

	/** All answers of gputm_unit_stat() and the like. */
	all(name, unit) {
		const found = [];
		for (let index = 0, got; (got = this.call(name, { unit, index, kind: index })).result; index++)
			found.push(got.value.out);
		return found;
	}

	/** A snapshot of a unit; and its checksum, in which it ends. */
	save(unit) {
		const size = this.exports.gputm_unit_save(unit, 0, 0), at = this.exports.malloc(size);
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

	/** A config of a kind, with a preset or with fields by text: its address, or 0 where refused. */
	configure(kind, ctx, preset, texts) {
		const params = this.exports[`gputm_${kind}_params`](), config = this.scratch + (1 << 17);
		this.exports.gputm_params_init(params, config, this.structs[kind + "_config"].size);
		const refused = (call, ...rest) => {
			this.top = this.scratch;
			return this.exports[call](ctx, params, ...rest.map((one) =>
				typeof one === "string" ? this.argument(one, "s") : one));
		};
		if (preset && refused("gputm_params_preset", preset, config))
			return 0;
		return Object.entries(texts).some(([name, text]) =>
			refused("gputm_params_set", config, name, text)) ? 0 : config;
	}
}

if (typeof module !== "undefined")
	module.exports = { Library, empty, plain };
