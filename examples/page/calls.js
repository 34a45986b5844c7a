/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The library, called by the tables of gputm/unit.py, which the headers have made. Values are
 * numbers (BigInt where a number is not exact), objects for structs, arrays; a handle is a number.
 */
"use strict";

const WIDTH = { Q: 8, I: 4, i: 4, H: 2, B: 1, "?": 1 }; // all others are pointers or sizes: 4
const ROOM = 64; // elements of an array whose length nothing says

const empty = (value) => !value || typeof value === "object" && Object.values(value).every(empty);

/** Without the zeros at its end, which are put back where the library reads the array. */
function trimmed(array) {
	while (array.length && empty(array[array.length - 1]))
		array.pop();
	return array;
}

class Library {
	/** exports: of the WebAssembly module; scratch: 128 kB of its memory for arguments. */
	constructor(tables, exports, scratch) {
		this.exports = exports;
		this.scratch = scratch;
		this.enums = {};
		this.structs = {};
		this.functions = {};
		for (const [name, ...values] of this.rows(tables.ENUMS)) {
			this.enums[name] = {};
			for (const [word, value] of values.map((v) => v.split("=")))
				this.enums[name][value] = this.short(name, word);
		}
		for (const [name, ...fields] of this.rows(tables.STRUCTS))
			this.structs[name] = this.layout(fields.map((f) => this.named(f)));
		for (const [name, result, ...parameters] of this.rows(tables.FUNCTIONS))
			this.functions[name] = { result, parameters: parameters.map((p) => this.named(p)) };
	}

	rows(text) {
		return text.trim().split("\n").map((line) => line.split(" "));
	}

	/** SIMT_STACK_EVENT_ABORT of the enum simt_stack_event is ABORT, and so are results. */
	short(name, word) {
		const prefix = name.toUpperCase() + "_", unit = name.replace(/_[a-z]*_?result$/, "_");
		return word.startsWith(prefix) ? word.slice(prefix.length) :
			word.slice(name.endsWith("_result") ? unit.length : 0).replace(/^_/, "");
	}

	named(text) {
		const [name, code] = text.split(":"), [, one, count] = /^(.[^*]*)(?:\*(\d+))?$/.exec(code);
		return { name, code: one, count: count && Number(count) };
	}

	layout(fields) {
		let at = 0, align = 1;
		for (const field of fields) {
			const a = this.align(field.code);
			field.at = at = Math.ceil(at / a) * a;
			at += this.size(field.code) * (field.count || 1);
			align = Math.max(align, a);
		}
		return { fields, align, size: Math.ceil(at / align) * align };
	}

	size(code) {
		return code[0] === "@" ? this.structs[code.slice(1)].size : WIDTH[code[0]] || 4;
	}

	align(code) {
		return code[0] === "@" ? this.structs[code.slice(1)].align : this.size(code);
	}

	view() {
		return new DataView(this.exports.memory.buffer);
	}

	text(at) {
		const bytes = new Uint8Array(this.exports.memory.buffer);
		return at ? new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at))) : "";
	}

	/** The value of a code at an address; `beside` has what tells the length of an array. */
	get(at, code, beside) {
		const kind = code[0], view = this.view();
		if (kind === "@")
			return this.getStruct(at, code.slice(1));
		if (kind === "s")
			return this.text(view.getUint32(at, true));
		if (kind === "[")
			return this.getArray(view.getUint32(at, true), code.slice(1), beside);
		if (kind === "Q") {
			const value = view.getBigUint64(at, true);
			return value > Number.MAX_SAFE_INTEGER ? value : Number(value);
		}
		const number = WIDTH[kind] === 1 ? view.getUint8(at) : WIDTH[kind] === 2 ? view.getUint16(at, true) :
			kind === "i" ? view.getInt32(at, true) : view.getUint32(at, true);
		return kind === "?" ? number !== 0 : number;
	}

	getStruct(at, name) {
		const value = {}, fields = this.structs[name].fields;
		for (const array of [false, true]) // numbers first, as they tell lengths
			for (const f of fields.filter((one) => (one.code[0] === "[") === array))
				value[f.name] = f.count ? this.elements(at + f.at, f.code, f.count) :
					this.get(at + f.at, f.code, { ...value, "": f.name });
		return value;
	}

	getArray(at, code, beside) {
		const size = this.size(code), end = this.exports.memory.buffer.byteLength;
		const length = Math.min(this.length(beside), Math.floor((end - at) / size));
		return at ? this.elements(at, code, length) : null;
	}

	elements(at, code, length) {
		return trimmed(Array.from({ length }, (_, i) => this.get(at + i * this.size(code), code)));
	}

	/** Elements of the array beside.[""]: what a count, a mask or a number of lanes beside it says. */
	length(beside = {}) {
		const name = beside[""] || "", count = beside[name + "_rows"] ?? beside.count ?? beside.capacity;
		const mask = beside.mask ?? beside.lane_mask ?? beside.lanes ?? beside.fail;
		if (name.endsWith("rows"))
			return 16 * ROOM;
		return count !== undefined ? Number(count) : mask !== undefined && name !== "mask" ?
			BigInt(mask).toString(2).length : ROOM;
	}

	put(at, value, code) {
		const kind = code[0], view = this.view();
		if (kind === "@")
			for (const f of this.structs[code.slice(1)].fields)
				[].concat(value[f.name] ?? 0).slice(0, f.code[0] === "[" ? 1 : f.count || 1)
					.forEach((one, i) => this.put(at + f.at + i * this.size(f.code),
						f.code[0] === "[" ? value[f.name] : one, f.code));
		else if (kind === "[" || kind === "]")
			view.setUint32(at, value ? this.putArray(value, code.slice(1)) : 0, true);
		else if (kind === "Q")
			view.setBigUint64(at, BigInt.asUintN(64, BigInt(value)), true);
		else if (WIDTH[kind] === 1)
			view.setUint8(at, Number(value));
		else if (WIDTH[kind] === 2)
			view.setUint16(at, Number(value), true);
		else
			view.setUint32(at, Number(value), true);
	}

	room(bytes) {
		const at = this.top;
		this.top += (bytes + 15) & ~15;
		new Uint8Array(this.exports.memory.buffer, at, bytes).fill(0);
		return at;
	}

	putArray(values, code) {
		const size = this.size(code), at = this.room(Math.max(values.length, ROOM) * size);
		values.forEach((value, i) => this.put(at + i * size, value, code));
		return at;
	}

	putText(text) {
		return this.putArray([...new TextEncoder().encode(text), 0], "B");
	}

	/** What goes to the function for a value of the parameter. */
	argument(value, code) {
		const kind = code[0], of = code.slice(1);
		if (kind === ">")
			return this.room(Math.max(this.size(of), 8));
		if (kind === "&")
			return this.putArray([value], "@" + of);
		if (kind === "[" || kind === "]")
			return value ? this.putArray(value, of) : kind === "]" ? this.room(ROOM * this.size(of)) : 0;
		if (kind === "s")
			return this.putText(value);
		return kind === "Q" ? BigInt.asUintN(64, BigInt(value)) : Number(value);
	}

	/** Values by parameter from what a function is given, or from where its answers are. */
	decode(f, raw, answers) {
		const value = {};
		for (const array of [false, true])
			f.parameters.forEach(({ name, code }, i) => {
				const kind = code[0], isArray = kind === "[" || kind === "]", beside = { ...value, "": name };
				if (isArray !== array)
					return;
				if (kind === ">" || kind === "]" && answers)
					value[name] = !answers || !raw[i] ? null : kind === ">" ?
						this.get(raw[i], code.slice(1)) : this.getArray(raw[i], code.slice(1), beside);
				else if (isArray)
					value[name] = raw[i] ? this.getArray(raw[i], code.slice(1), beside) : null;
				else if (kind === "&")
					value[name] = raw[i] ? this.getStruct(raw[i], code.slice(1)) : null;
				else
					value[name] = this.plain(raw[i], kind);
			});
		return value;
	}

	/** A number of WebAssembly, as what the code says. */
	plain(raw, code) {
		if (typeof raw !== "bigint")
			return code === "?" ? raw !== 0 : raw === undefined || /^[i01]/.test(code) ? raw : raw >>> 0;
		const value = BigInt.asUintN(64, raw);
		return value > Number.MAX_SAFE_INTEGER ? value : Number(value);
	}

	/** A snapshot of a unit, as bytes; and its checksum, which it ends with. */
	snapshot(handle) {
		const size = this.exports.gputm_unit_save(handle, 0, 0), at = this.exports.malloc(size);
		this.exports.gputm_unit_save(handle, at, size);
		const bytes = new Uint8Array(this.exports.memory.buffer.slice(at, at + size));
		this.exports.free(at);
		return bytes;
	}

	digest(handle) {
		return [...this.snapshot(handle).slice(-8)].map((b) => b.toString(16).padStart(2, "0")).join("");
	}

	/** Call with values by parameter: { result, value } with what is given back in value. */
	call(name, given) {
		const f = this.functions[name];
		this.top = this.scratch;
		const raw = f.parameters.map((p) => this.argument(given[p.name] ?? 0, p.code));
		const result = this.plain(this.exports[name](...raw), f.result);
		return { result, value: this.decode(f, raw, true) };
	}
}

if (typeof module !== "undefined")
	module.exports = { Library };
