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
		const given = library.values(f, raw), answers = {};
		for (const [i, { name: one, code }] of f.parameters.entries())
			if (/^[*!]/.test(code))
				given[one] = id(raw[i]);
			else if (code[0] === ">" || code[0] === "]" && one !== "value") // read, too
				given[one] = null;
		const ends = f.role === "free" && library.digest(raw[0]);
		const result = exports["gputm_" + f.name](...raw), after = library.values(f, raw);
		for (const { name: one } of f.outs)
			if (!empty(after[one]))
				answers[one] = after[one];
		if (f.role === "new")
			answers.out = id(library.view.getUint32(raw[2], true));
		if (f.role === "free")
			ids.delete(raw[0]);
		if (!/^(params|config_preset)$/.test(f.verb) && !/^params_/.test(f.name))
			steps.push([line, f.name, f.parameters.map((p) => given[p.name]), ends ||
				(f.handle ? id(result) : plain(result, f.code) ?? 0), answers]);
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
	const imports = { page: { at(now) { line = now; } }, library: {}, wasi_snapshot_preview1:
		new Proxy(wasi, { get: (_, call) => wasi[call] || (() => 0) }) };
	for (const f of Object.values(tables.functions))
		imports.library["gputm_" + f.name] = (...raw) => traced(f, raw);
	const code = new WebAssembly.Module(fs.readFileSync(file));
	({ exports } = new WebAssembly.Instance(code, imports));
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
		throw new Error(`${name}: status ${status}, prints\n${printed}not\n${expected}`);
	fs.writeFileSync(file.replace(/wasm$/, "json"), JSON.stringify(steps,
		(key, value) => typeof value === "bigint" ? String(value) : value));
	return steps.length;
}

const lengths = process.argv.slice(3).map(run);
console.log(`${lengths.length} unit examples print what they should, in ` +
	`${lengths.reduce((a, b) => a + b)} calls and lines`);
