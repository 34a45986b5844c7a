/* SPDX-License-Identifier: BSD-2-Clause */
/* The page: a unit, its worked example by steps, its state in drawings, its calls as forms. */
"use strict";

const DATA = JSON.parse(document.getElementById("data").textContent);
const FAMILIES = { filter: "Filters", core: "Core", kilotm: "Kilo TM", warptm: "WarpTM",
	getm: "GETM", snapiso: "Snapshot isolation", localtm: "GPU-LocalTM", hetm: "HeTM",
	compaction: "Divergence", eapg: "EAPG" };
const $ = (id) => document.getElementById(id);
const problems = []; // answers that are not those which the example's program got
let library, context, about; // about: of DATA.units, the one that is looked at
let kind, unit, units, handles; // units by number; handles, parts of units too, by number
let at, history, seen, silent, refusals; // seen: addresses and words that calls have named
let before; // what the drawings had before the last step

function el(tag, attributes, ...children) {
	const node = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes))
		if (typeof value === "function")
			node.addEventListener(name, value);
		else if (value)
			node.setAttribute(name, value);
	node.append(...children.flat().filter((child) => child));
	return node;
}

/* ---- values as text, and back ---- */

const sentence = (text) => text.replace(/^@return (0;.*)?/, "")
	.split(/ @(?:return|param)|(?<=[.:]) (?=[A-Z])/)[0].replace(/:$/, "");
const element = (p) => ({ ...p, code: p.count ? p.code : p.code.slice(1), count: 0 });
const fieldsOf = (p) => library.structs[p.code.replace(/^[>&]?@?/, "")].fields;
const nameOf = (f) => f.unit === kind ? f.verb : `${f.unit} ${f.verb}`;
const choices = (p) => library.enums[p.list] || {};
const isNone = (value) => [4294967295n, 18446744073709551615n].includes(BigInt(value || 0));
const numbers = (mask) => [...BigInt(mask).toString(2)].reverse()
	.flatMap((bit, i) => bit === "1" ? [i] : []).join(" ") || "none";

/** A value of the field or parameter p, for people. */
function show(value, p) {
	const [word] = choices(p)[value] || [];
	if (word || value === null || value === undefined)
		return word || "none";
	if (Array.isArray(value))
		return `[${value.slice(0, 6).map((one) => show(one, element(p))).join(" ")}` +
			`${value.length > 6 ? " …" : ""}]`;
	if (typeof value === "object")
		return `{${fieldsOf(p).filter((f) => !f.count || !empty(value[f.name]))
			.map((f) => `${f.name} ${show(value[f.name], f)}`).join(", ")}}`;
	if (typeof value === "boolean" || isNone(value) || p.code === "H" && value === 65535)
		return value === true ? "yes" : value === false ? "no" : "none";
	if (/pc/.test(p.name) && value >= 65 && value <= 90)
		return String.fromCharCode(value);
	const hex = p.mask || /address|physical|source|destination/.test(p.name);
	return hex ? "0x" + value.toString(16) : String(value);
}

/** What an input has: structs with ";" between, arrays in them with ",", other arrays as words. */
function written(value, p) {
	if (Array.isArray(value))
		return value.map((one) => written(one, element(p)))
			.join(p.code.includes("@") ? "; " : " ");
	return value && typeof value === "object" ? fieldsOf(p).map((f) =>
		written(value[f.name], f).replaceAll(" ", ",") || ",").join(" ") : show(value, p);
}

function parse(text, p) {
	const array = p.count || /^[[\]]/.test(p.code), struct = p.code.includes("@");
	const between = array && struct ? ";" : struct ? /\s+/ : /[\s,]+/;
	const parts = text.split(between).map((part) => part.trim()).filter(Boolean);
	if (array)
		return parts.map((part) => parse(part, element(p)));
	if (struct)
		return Object.fromEntries(fieldsOf(p).map((f, i) =>
			[f.name, parse(parts[i] || "0", f)]));
	const named = Object.entries(choices(p)).find(([, [word]]) => word === text);
	if (named || p.code === "?")
		return named ? Number(named[0]) : text === "yes";
	if (!/^(none|[A-Z]|-?\d+|0[xX][0-9a-fA-F]+)$/.test(text))
		throw new SyntaxError(`${text} is not a number`);
	const number = text === "none" ? -1n :
		BigInt(/^[A-Z]$/.test(text) ? text.charCodeAt(0) : text);
	if (p.code !== "Q" && (number < -(1n << 31n) || number >> 32n > 0n))
		throw new SyntaxError(`${text} has more than 32 bits`);
	return p.code === "Q" ? plain(number, "Q") : Number(number);
}

/* ---- calls ---- */

function log(style, ...children) {
	$("log").append(el("li", { class: style }, ...children));
}

/** The library tells an event. */
function happened(face, event) {
	const one = [...units.values()].find((each) => each.face === face);
	const { kind: number, value } = library.struct(event, "event");
	if (!one || silent)
		return;
	const { name, summary, field } = one.events[number];
	const text = (f, v = 0) => f.measure === "lane mask" ? numbers(v) :
		f.choices ? library.text(library.view.getUint32(f.choices + 4 * v, true)) :
			show(v, { code: "Q", name: f.measure === "PC" ? "pc" : f.name });
	const parts = field.filter((f) => f.name).map((f, i) => el("span", { title: f.summary },
		`${i ? ", " : ""}${f.name} ${text(f, value[i])}`));
	log("event", el("b", {}, name), ` ${summary} `, parts);
}

/** A unit has been made, and has this number from now on. */
function adopt(id, name, handle) {
	const face = library.exports[`gputm_${name}_unit`](handle);
	const config = library.struct(library.exports.gputm_unit_config(face), name + "_config");
	const events = library.all("unit_event", face);
	library.exports.page_observe(face);
	units.set(id, { id, kind: name, handle, face, config, events });
	handles[id] = handle;
	unit = name === kind ? units.get(id) : unit;
}

/** Addresses and words in what a call is given: questions about the state are asked of them. */
function note(name, value) {
	if (value && typeof value === "object")
		for (const [key, one] of Object.entries(value))
			note(Array.isArray(value) ? name : key, one);
	else if (name in seen && !seen[name].includes(value))
		seen = { ...seen, [name]: [...seen[name].slice(-15), value] };
}

/** What a call has answered, in words, and what the header says of the word. */
function answer(f, { result, value }) {
	const [word, comment] = choices(f)[result] || [];
	const outs = /[1?]/.test(f.code) && !result ? [] : f.outs;
	const texts = outs.filter((p) => value[p.name] !== null).map((p) =>
		(p.name === "out" ? "" : p.name + " ") +
		show(value[p.name], /^>[^@]/.test(p.code) ? element(p) : p));
	if (/_offer$/.test(f.list)) {
		const bits = Object.entries(choices(f)).filter(([bit]) => result & bit);
		return [bits.map(([, [bit]]) => bit).join(" + ") || "nothing", ""];
	}
	if (f.code === "1")
		texts.unshift(result ? "" : "none");
	else if (!f.handle && !/[v0]/.test(f.code))
		texts.unshift(word || show(result, { ...f, name: f.verb }));
	return [texts.filter(Boolean).join(", "), comment || ""];
}

/** Call f, handles by their numbers, and write down what happens; `id` is for a handle given. */
function call(f, given, id) {
	const made = f.role === "new", changing = made || f.role === "operation";
	const explain = f.role === "operation" && !$("log").textContent.includes(f.verb + "(");
	const raw = { ...given };
	for (const p of f.parameters.filter((one) => /^[*!]/.test(one.code)))
		raw[p.name] = p.code === "*ctx" ? context : handles[given[p.name]] || 0;
	const texts = f.inputs.map((p) => `${p.name} ${show(given[p.name], p)}`);
	const line = el("span", {}, el("b", {}, nameOf(f)),
		made ? ` ${given.out}` : `(${texts.join(", ")})`);
	log(changing ? "called" : "asked", line);
	note("", given);
	refusals = [];
	const got = library.call(f.name, raw);
	if (got.result < 0 && (refusals.length || f.code !== "i")) {
		got.refused = refusals.join("; ") || `error ${-got.result}`;
		log(changing ? "refused" : "asked", `refused: ${got.refused}`);
		return got;
	}
	if (made)
		adopt(given.out, f.unit, got.made);
	else if (f.handle)
		handles[id] = got.result;
	const [text, comment] = made ? ["", ""] : answer(f, got);
	line.append(text && " → " + text, el("small", {}, comment && " " + comment,
		explain && ` (${f.verb}: ${sentence(f.about)})`));
	return got;
}

/* ---- the worked example ---- */

/** Does a step change a unit? A step that is a text has been printed. */
const changes = ([, name]) => /new|operation/.test((library.functions[name] || {}).role);

/** Is each number of one among those of the other? Neither says what has not been written. */
function covered(one, other) {
	return empty(one) || (typeof one === "object" ?
		Object.keys(one).every((key) => covered(one[key], (other || {})[key])) :
		String(one) === String(other));
}

/** Do what the program has done: false, the answer is another one. */
function play([, name, values, result, answers]) {
	const f = library.functions[name];
	const given = Object.fromEntries(f.parameters.map((p, i) => [p.name, values[i]]));
	if (f.role === "free") { // in restart() at last: what is left can be looked at
		const one = units.get(values[0]);
		log("called", el("b", {}, nameOf(f)), ` ${values[0]}`);
		return !one || library.digest(one.face) === result;
	}
	if (f.role === "unit") {
		handles[result] = library.exports["gputm_" + name](handles[values[0]]);
		return true;
	}
	if (f.role === "new")
		return call(f, { ...given, out: answers.out }).result === 0;
	const got = call(f, given, result);
	return f.handle || covered(result, got.result) && covered(got.result, result) &&
		Object.keys(answers).every((one) => covered(got.value[one], answers[one]));
}

function remember() {
	history = [...history.slice(-400), { at, unit, seen, units: new Map(units),
		lines: $("log").childElementCount,
		saved: [...units.values()].map((one) => library.save(one.face)) }];
}

function free(gone) {
	for (const one of gone)
		library.exports[`gputm_${one.kind}_free`](one.handle);
}

function back() {
	const then = history.pop();
	if (!then)
		return;
	free([...units.values()].filter((one) => !then.units.has(one.id)));
	({ at, unit, seen, units } = then);
	[...units.values()].forEach((one, i) => library.load(one.face, then.saved[i]));
	while ($("log").childElementCount > then.lines)
		$("log").lastChild.remove();
	draw();
}

/** Steps up to one of which `last` is true, then what only asks or prints after it. */
function go(last) {
	let done = false;
	if (at < about.steps.length)
		remember();
	while (at < about.steps.length && !(done && changes(about.steps[at]))) {
		const step = about.steps[at++];
		if (typeof step === "string")
			log("printed", step);
		else if (!play(step))
			problems.push(`${kind}: the program got another answer: ${step}`);
		done = last(step) || done;
	}
	draw();
}

function restart() {
	free(units ? [...units.values()] : []);
	[units, handles, at, history, seen, unit] = [new Map(), {}, 0, [],
		{ address: [], word: [] }, null];
	$("log").replaceChildren();
	document.querySelectorAll("[role=alert]").forEach((one) => one.replaceChildren());
	go(() => unit);
	[history, before] = [[], null];
	draw();
}

/* ---- drawings ---- */

/** What a parameter of a question may be, or null: the question is not one of the state. */
function domain(p, one) {
	const c = one.config, asked = p.name === "cid" && library.functions[one.kind + "_oldest"];
	const first = asked ? Math.max(c.first_cid,
		library.call(asked.name, { unit: one.handle }).result - 3) : 0;
	const count = { way: c.ways, warp: c.warps, wavefront: c.wavefronts, lane: c.lanes,
		core: c.cores, region: c.regions, version: c.versions, tx: c.transactions,
		buffer: c.buffers, which: c.stamps, index: c.count || 1024, slot: c.warps,
		cid: asked && 8 }[p.name];
	if (p.list || seen[p.name])
		return seen[p.name] || Object.keys(library.enums[p.list]).map(Number);
	return count ? Array.from({ length: Math.min(count, 1024) }, (_, i) => first + i) : null;
}

/** All answers to a question about the state, as [values of its parameters, answer]. */
function answers(one, f) {
	const { keys } = f, domains = keys.map((p) => domain(p, one)), found = [];
	const deeper = (given, [p, ...rest], [values, ...others]) => {
		if (p)
			return values.every((value) =>
				deeper({ ...given, [p.name]: value }, rest, others) || rest.length);
		const got = library.call(f.name, { ...given, [f.parameters[0].name]: one.handle });
		const refused = got.result < 0 && keys.length, { out } = got.value;
		if (!refused && (got.result || !/[1?]/.test(f.code) || !f.outs.length))
			found.push([given, { [f.verb]: got.result, ...got.value, ...out }]);
		return !refused || seen[keys[keys.length - 1].name];
	};
	if (!domains.includes(null))
		deeper({}, keys, domains);
	return /stack$/.test(one.kind) ? found.reverse() : found; // the top on top
}

function lanes(mask, { config }) {
	const count = Math.min(config.lanes || config.blocks || config.warps || 64, 64);
	const on = (i) => BigInt(mask) >> BigInt(i) & 1n;
	const lane = (_, i) => el("span", { class: on(i) ? "lane on" : "lane" }, String(i));
	return el("span", { class: "lanes", "aria-label": numbers(mask) },
		Array.from({ length: count }, lane));
}

/** A value in a drawing: lanes as boxes, a state with what the header says of it. */
function drawn(value, p, one) {
	const [, comment] = choices(p)[value] || [];
	if (p.mask && (Array.isArray(value) || !isNone(value)))
		return [value ?? 0].flat().map((mask) => lanes(mask, one));
	return [show(value, p), el("small", {}, comment && " " + comment)];
}

/** Lanes of a stack, rows of a log, a table: a line for each answer. */
function rows(found, one, f) {
	const { keys } = f, cell = (...parts) => el("td", {}, ...parts);
	const used = f.fields.filter(({ name, code, count }) => found.some(([, got]) =>
		count || code[0] === "[" ? !empty(got[name]) : !isNone(got[name])));
	const some = found.length < 20 ? found :
		found.filter(([, got]) => used.some((p) => !empty(got[p.name])));
	const head = [...keys, ...used].map((p) => el("th", { title: p.about }, p.name));
	return el("table", {}, el("tr", {}, head), some.map(([given, got]) => el("tr", {},
		keys.map((p) => cell(show(given[p.name], p))),
		used.map((p) => cell(drawn(got[p.name], p, one))))));
}

/** Cells of a table, slots of a ring: boxes along the last parameter, lines along the others. */
function boxes(found, one, { keys, fields: [field] }) {
	const varied = keys.filter((p) => p.list ||
		found.some(([given]) => given[p.name] !== found[0][0][p.name]));
	const last = varied.pop() || keys[keys.length - 1], lines = new Map();
	for (const [given, got] of found) {
		const line = varied.map((p) => `${p.name} ${show(given[p.name], p)}`).join(", ");
		const box = [`${last.name} ${show(given[last.name], last)} `, got[field.name]];
		lines.set(line, [...lines.get(line) || [], box]);
	}
	return [...lines].map(([line, all]) => {
		const many = all.length > 40;
		const named = many || field.list || last.list || seen[last.name];
		const used = all.filter(([, value]) => !empty(value));
		const count = many && ` ${used.length} of ${all.length} used`;
		return el("div", {}, el("small", {}, line, count), el("div", { class: "boxes" },
			(many ? used : all).slice(0, 200).map(([title, value]) => el("span",
				{ class: empty(value) ? "box" : "box used", title },
				named && el("small", {}, title), drawn(value, field, one)))));
	});
}

/** What a unit answers about itself, drawn. */
function view(one) {
	const single = [], several = [], asks = (f) => f.unit === one.kind && f.fields;
	for (const f of Object.values(library.functions).filter(asks)) {
		const text = el("small", {}, sentence(f.about)), found = answers(one, f);
		const [field, ...others] = f.fields, alone = !others.length;
		if (found.length && alone && !f.keys.length)
			single.push(el("tr", {}, el("th", {}, f.verb), el("td", {},
				drawn(found[0][1][field.name], field, one)), el("td", {}, text)));
		else if (found.length)
			several.push(el("h4", {}, f.verb, " ", text), alone && !field.mask ?
				boxes(found, one, f) : rows(found, one, f));
	}
	if (!several.length && !single.length)
		return [el("p", {}, "No question asks for its state now: see its statistics.")];
	return [...several.flat(), el("table", { class: "wrap" }, single)];
}

/** Mark the lines and boxes that were not there before. */
function mark() {
	const parts = [...$("state").querySelectorAll("tr, .box")];
	const texts = parts.map((one) => one.outerHTML);
	parts.forEach((one, i) => one.classList.toggle("new", before && !before.has(texts[i])));
	before = new Set(texts);
}

function draw() {
	const next = about.steps.slice(at).find((step) => typeof step !== "string");
	const beside = [...units.values()].filter((one) => one.kind !== kind);
	const row = (...texts) => el("tr", {}, texts.map((text) => el("td", {}, text)));
	silent = true;
	$("state").replaceChildren(...view(unit), ...beside.map((one) => el("details", {},
		el("summary", {}, `${one.kind} ${one.id}, beside it`), view(one))));
	$("statistics").replaceChildren(...library.all("unit_stat", unit.face).map((stat) =>
		row(stat.name, String(stat.value), stat.summary)));
	$("bits").textContent = library.call("unit_storage_bits", { unit: unit.face }).result;
	$("storage").replaceChildren(...library.all("unit_storage", unit.face).map((array) =>
		row(array.name, `${array.entries} × ${array.bits}`, array.apart && "apart")));
	silent = false;
	mark();
	$("log").scrollTop = $("log").scrollHeight;
	$("where").textContent = next ? `${at} of ${about.steps.length} calls and lines` :
		"The example has ended.";
	const focused = document.activeElement;
	for (const id of ["step", "line", "end"])
		$(id).disabled = !next;
	$("back").disabled = !history.length;
	if (focused.disabled)
		$(next ? "step" : "back").focus();
	$("program").replaceChildren(...about.program.split("\n").map((text, i) =>
		el(next && i + 1 === next[0] ? "mark" : "span", {}, text + "\n")));
	$("program").scrollTop = next ? $("program").children[next[0] - 1].offsetTop -
		$("program").offsetTop - 90 : $("program").scrollHeight;
}

/* ---- forms ---- */

function input(p, value) {
	const known = p.code === "?" ? { 0: ["no"], 1: ["yes"] } : choices(p);
	const options = Object.entries(known).map(([number, [word]]) =>
		el("option", { selected: Number(number) === Number(value) && "selected" }, word));
	return options.length ? el("select", {}, options) :
		el("input", { value: written(value, p) });
}

/** A button for a function, with inputs that have what the example's first call is given. */
function callForm(f) {
	const [, , first] = about.steps.find((step) => step[1] === f.name) || [], inputs = [];
	f.parameters.slice(1).forEach((p, i) => {
		const given = first && first[i + 1], whole = p.code[0] !== "&";
		for (const field of /^[>P]/.test(p.code) ? [] : whole ? [p] : fieldsOf(p)) {
			const array = field.count || /^[[\]]/.test(field.code);
			const value = whole || !given ? given : given[field.name];
			const start = array ? [] : /^[*!]/.test(p.code) ? 2 : 0;
			inputs.push([p, field, input(field, value ?? start)]);
		}
	});
	const alert = el("span", { role: "alert" });
	const submit = (event) => {
		const given = { [f.parameters[0].name]: unit.id };
		event.preventDefault();
		try {
			for (const [p, field, { value }] of inputs) {
				const one = { [field.name]: parse(value.trim(), field) };
				Object.assign(given, p === field ? one :
					{ [p.name]: { ...given[p.name], ...one } });
			}
		} catch (wrong) {
			alert.textContent = wrong.message;
			return;
		}
		remember();
		alert.textContent = call(f, given).refused || "";
		draw();
	};
	const labels = inputs.map(([, field, box]) =>
		el("label", { title: field.about }, field.name, " ", box));
	return el("form", { submit }, el("button", {}, f.verb), " ", labels, alert,
		el("div", {}, el("small", { title: f.about }, sentence(f.about))));
}

function parameterForm() {
	const table = library.exports[`gputm_${kind}_params`](), size = library.structs.param.size;
	const { param, preset } = library.struct(table, "params");
	const words = (row) => row.bytes === 1 ? ["false", "true"] : row.choices ? Array.from(
		{ length: row.max - row.min + 1 }, (_, i) =>
			library.text(library.view.getUint32(row.choices + 4 * i, true))) : null;
	const inputs = param.map(() => el("input", {}));
	const fill = (config) => param.forEach((row, i) => {
		const at = library.view.getUint32(table + 8, true) + i * size; // of params.param
		const value = plain(library.exports.gputm_params_get(at, config), "Q");
		inputs[i].value = words(row) ? words(row)[value - row.min] : value;
	});
	const change = () => fill(library.configure(kind, context, from.value, {}));
	const from = el("select", { change }, el("option", { value: "" }, "defaults"),
		preset.map((one) => el("option", { title: one.summary }, one.name)));
	const range = (row) => words(row) ? words(row).join(", ") :
		`${row.min} .. ${row.max}${row.power_of_two ? ", power of two" : ""}`;
	const line = (row, i) => el("tr", {}, [el("label", {}, row.name, " ", inputs[i]),
		range(row), `${row.summary} ${row.source}`].map((part) => el("td", {}, part)));
	const alert = el("span", { role: "alert" });
	$("parameters").replaceChildren(el("p", {}, el("label", {}, "from ", from),
		el("button", {}, "Make a unit of these"), " ", alert),
	el("table", { class: "wrap" }, param.map(line)));
	$("parameters").onsubmit = (event) => {
		event.preventDefault();
		refusals = [];
		const config = library.configure(kind, context, "",
			Object.fromEntries(param.map((row, i) => [row.name, inputs[i].value])));
		alert.textContent = refusals.join("; ");
		if (!config)
			return;
		remember();
		alert.textContent = call(library.functions[kind + "_new"], {
			config: library.struct(config, kind + "_config"),
			out: 1 + Math.max(...Object.keys(handles)) }).refused || "";
		draw();
	};
	fill(library.exports.gputm_unit_config(unit.face));
}

function choose(name) {
	kind = DATA.units[name] ? name : "simt_stack";
	about = DATA.units[kind];
	document.title = `${kind}: libgputm by steps`;
	for (const link of $("units").querySelectorAll("a"))
		link.toggleAttribute("aria-current", link.hash === "#" + kind);
	$("about").innerHTML = about.html;
	$("example").textContent = about.example;
	$("essay").textContent = about.essay;
	const own = Object.values(library.functions).filter((f) => f.unit === kind);
	for (const role of ["operation", "question"])
		$(role).replaceChildren(...own.filter((f) => f.role === role).map(callForm));
	restart();
	parameterForm();
}

async function begin() {
	const lacking = ["WebAssembly", "DecompressionStream"].find((one) => !(one in globalThis));
	if (lacking) {
		$("stop").textContent = `This browser has no ${lacking}, by which the page runs ` +
			"the library: take a newer one, or switch it on.";
		return;
	}
	const packed = Uint8Array.from(atob($("wasm").textContent.trim()), (c) => c.charCodeAt(0));
	const bytes = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
	const refused = (text) => silent || refusals.push(library.text(text));
	const { instance } = await WebAssembly.instantiate(await new Response(bytes).arrayBuffer(),
		{ page: { refused, happened } });
	library = new Library(DATA.tables, instance.exports);
	context = library.exports.page_context();
	const names = Object.keys(library.functions);
	for (const one of Object.values(DATA.units))
		one.steps = one.steps.map((step) => typeof step === "string" ? step :
			[step[0], names[step[1]], step[2] || [], step[3] || 0, step[4] || {}]);
	const families = [...new Set(Object.values(DATA.units).map((one) => one.family))];
	for (const family of families)
		$("units").append(el("span", {}, el("b", {}, FAMILIES[family] || family),
			Object.keys(DATA.units).filter((one) => DATA.units[one].family === family)
				.flatMap((one) => [" ", el("a", { href: "#" + one }, one)])));
	const acts = { step: () => go(changes), back, end: () => go(() => false), restart,
		line: () => go((step) => typeof step === "string") };
	for (const [id, act] of Object.entries(acts))
		$(id).addEventListener("click", act);
	$("skip").addEventListener("click", () => $("step").focus());
	addEventListener("keydown", ({ target, key }) => {
		const act = { ArrowRight: acts.step, ArrowLeft: back }[key];
		if (act && !/^(INPUT|SELECT)$/.test(target.tagName))
			act();
	});
	addEventListener("hashchange", () => choose(location.hash.slice(1)));
	$("main").hidden = false;
	choose(location.hash.slice(1));
}

begin();
