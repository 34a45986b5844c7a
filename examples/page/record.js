/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * node record.js TABLES PROGRAM.wasm...: run unit examples on the library beside them, compare what
 * each prints with examples/NAME.exp, and write each call of the library to NAME.json beside it.
 */
"use strict";
const fs = require("fs"), path = require("path");
const { Library } = require("./calls.js");
const tables = JSON.parse(fs.readFileSync(process.argv[2]));
const number = (key, value) => typeof value === "bigint" ? String(value) : value;

function run(file) {
	const name = path.basename(file, ".wasm"), steps = [], ids = new Map();
	const names = tables.FUNCTIONS.trim().split("\n").map((row) => row.split(" ")[0]);
	let library, exports, line = 0, count = 0, status = 0;
	const view = () => new DataView(exports.memory.buffer);
	/* Handles are numbered as they come. */
	const id = (at) => at && (ids.get(at) || (ids.set(at, ++count), count));

	/* A call as [line, function, what it is given, result, what it has changed]; a text is printed. */
	function traced(called, ...raw) {
		const f = library.functions[called], given = library.decode(f, raw);
		const before = library.decode(f, raw, true), changed = {};
		f.parameters.forEach((p, i) => { if (/[*!]/.test(p.code[0])) given[p.name] = id(raw[i]); });
		const digest = /_free$/.test(called) && names.includes(called.replace("_free", "_unit")) &&
			library.digest(raw[0]);
		const result = exports[called](...raw), after = library.decode(f, raw, true);
		for (const { name: one, code } of f.parameters)
			if (/[>\]]/.test(code) && JSON.stringify(before[one], number) !== JSON.stringify(after[one], number))
				changed[one] = after[one];
		if (/_new$/.test(called))
			changed.out = id(view().getUint32(raw[2], true));
		if (/_free$/.test(called))
			ids.delete(raw[0]);
		if (!/_params$|_config_preset$|gputm_params_/.test(called))
			steps.push([line, called.slice(6), f.parameters.map((p) => given[p.name]), digest ||
				(/^[*!]/.test(f.result) ? id(result) : library.plain(result, f.result)), changed]);
		return result;
	}

	const wasi = {
		fd_write(fd, vectors, length, written) {
			let bytes = 0;
			for (let i = 0; i < length; i++) {
				const at = view().getUint32(vectors + 8 * i, true), size = view().getUint32(vectors + 8 * i + 4, true);
				const text = Buffer.from(exports.memory.buffer, at, size).toString();
				if (typeof steps[steps.length - 1] === "string")
					steps[steps.length - 1] += text;
				else
					steps.push(text);
				bytes += size;
			}
			view().setUint32(written, bytes, true);
			return 0;
		},
		proc_exit(code) {
			status = code;
			throw new Error("exit");
		},
	};
	const imports = {
		wasi_snapshot_preview1: new Proxy({}, { get: (_, call) => wasi[call] || (() => 0), has: () => true }),
		page: { at(now) { line = now; } },
		library: Object.fromEntries(names.map((one) => [one, (...raw) => traced(one, ...raw)])),
	};
	const program = new WebAssembly.Module(fs.readFileSync(file));
	exports = new WebAssembly.Instance(program, imports).exports;
	library = new Library(tables, exports, exports.malloc(1 << 17));
	try {
		exports._start();
	} catch (stopped) {
		if (stopped.message !== "exit")
			throw stopped;
	}
	const printed = steps.filter((step) => typeof step === "string").join("");
	const expected = fs.readFileSync(path.join(__dirname, "..", name + ".exp"), "utf8");
	if (status || printed !== expected)
		throw new Error(`${name}: exit status ${status}, and it prints\n${printed}and not\n${expected}`);
	if (names.includes(`gputm_${name}_unit`))
		fs.writeFileSync(file.replace(/wasm$/, "json"), JSON.stringify(steps, number));
	return steps.length;
}

const steps = process.argv.slice(3).map(run);
console.log(`${steps.length} unit examples print what they should, in ${steps.reduce((a, b) => a + b)} calls`);
