/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * node record.js TABLES PROGRAM.wasm...: run unit examples, each with the library in it, compare
 * what they print with examples/NAME.exp, and write what they call to NAME.json beside them.
 */
"use strict";
const fs = require("fs"), path = require("path");
const { Library, empty, plain } = require("./calls.js");
const tables = JSON.parse(fs.readFileSync(process.argv[2]));

function run(file) {
	const name = path.basename(file, ".wasm"), steps = [], ids = new Map();
	let library, exports, line = 0, count = 0, status = 0;
	/* Handles are numbered as they come. */
	const id = (at) => at && (ids.get(at) || (ids.set(at, ++count), count));

	/* A call as [line, function, what it is given, result, what else it answers]. */
	function traced(f, raw) {
		const given = library.values(f, raw), answers = {}, handle = raw[0];
		f.parameters.forEach((p, i) => {
			if (/[*!]/.test(p.code[0]))
				given[p.name] = id(raw[i]);
			else if (p.code[0] === ">" || p.code[0] === "]" && p.name !== "value") // that is read, too
				given[p.name] = null;
		});
		const ends = f.verb === "free" && f.unit !== "unit" && library.digest(handle);
		const result = exports["gputm_" + f.name](...raw), after = library.values(f, raw);
		for (const { name: one, code } of f.parameters)
			if (/[>\]]/.test(code[0]) && !empty(after[one]))
				answers[one] = after[one];
		if (f.verb === "new")
			answers.out = id(library.view.getUint32(raw[2], true));
		if (f.verb === "free")
			ids.delete(handle);
		if (!/_params$|_config_preset$|^params_/.test(f.name))
			steps.push([line, f.name, f.parameters.map((p) => given[p.name]), ends || (f.handle ?
				id(result) : result === undefined ? 0 : plain(result, f.code)), answers]);
		return result;
	}

	function print(text) {
		if (typeof steps[steps.length - 1] === "string")
			steps[steps.length - 1] += text;
		else
			steps.push(text);
	}
	const wasi = {
		fd_write(fd, vectors, length, written) {
			let bytes = 0;
			for (let i = 0; i < length; i++) {
				const part = library.view.getUint32(vectors + 8 * i, true);
				const size = library.view.getUint32(vectors + 8 * i + 4, true);
				print(Buffer.from(exports.memory.buffer, part, size).toString());
				bytes += size;
			}
			library.view.setUint32(written, bytes, true);
			return 0;
		},
		proc_exit(code) {
			status = code;
			throw new Error("exit");
		},
	};
	const imports = { page: { at(now) { line = now; } }, library: {},
		wasi_snapshot_preview1: new Proxy({}, { get: (_, call) => wasi[call] || (() => 0) }) };
	for (const f of Object.values(tables.functions))
		imports.library["gputm_" + f.name] = (...raw) => traced(f, raw);
	exports = new WebAssembly.Instance(new WebAssembly.Module(fs.readFileSync(file)), imports).exports;
	library = new Library(tables, exports);
	try {
		exports._start();
	} catch (stopped) {
		if (stopped.message !== "exit")
			throw stopped;
	}
	const printed = steps.filter((step) => typeof step === "string").join("");
	const expected = fs.readFileSync(path.join(__dirname, "..", name + ".exp"), "utf8");
	if (status || printed !== expected)
		throw new Error(`${name} ends with ${status} and prints\n${printed}and not\n${expected}`);
	fs.writeFileSync(file.replace(/wasm$/, "json"),
		JSON.stringify(steps, (key, value) => typeof value === "bigint" ? String(value) : value));
	return steps.length;
}

const lengths = process.argv.slice(3).map(run);
console.log(`${lengths.length} unit examples print what they should, in ` +
	`${lengths.reduce((a, b) => a + b)} calls and lines`);
