# SPDX-License-Identifier: BSD-2-Clause
"""A page of judged figures: Markdown with pictures beside it, and HTML that needs no other file."""
import base64
import html
import math
import os
import re

from . import plot
from .claims import Claim, claims_of
from .results import shown

STYLE = """body{font:15px/1.45 sans-serif;max-width:70em;margin:2em auto;padding:0 1em}
table{border-collapse:collapse;margin:.6em 0 1.4em}td,th{border:1px solid #999;padding:.2em .6em;vertical-align:top}
td+td:not(.t){text-align:right}.t{text-align:left}h2{margin-top:2em;border-top:2px solid;padding-top:.4em}
code{font-size:85%}img{display:block;max-width:100%}"""


def escaped(words):
    """What would end a cell of a table, or start other markup, as its number."""
    return re.sub(r"[|<>&*_\\]", lambda match: f"&#{ord(match.group())};", words)


def table_lines(table):
    """The first axis goes across, the others down; a single axis goes down. Empty ones are left out."""
    value, grid = table.value, table.value.grid
    across = value.over[:1] if len(value.over) > 1 else ()
    down = value.over[len(across):]
    printed = table.paper.spread(value.over) if table.paper else [math.nan] * len(value.cells)
    cells = {}
    for row, *pair in zip(grid.cells(value.over), value.cells, printed):
        column = tuple(row[axis] for axis in across)
        cells.setdefault(tuple(row[axis] for axis in down), {})[column] = pair
    full = [row for row in cells if any(not math.isnan(x) for pair in cells[row].values() for x in pair)]
    columns = [column for column in next(iter(cells.values()))
               if any(not math.isnan(x) for row in cells for x in cells[row][column])]
    heads = [" ".join(column) if across else escaped(table.name) for column in columns]
    yield " | ".join(["| " + ", ".join(map(escaped, down)), *heads]) + " |"
    yield "|---|" + "---:|" * len(columns)
    for row in full:
        pairs = [shown(ours) + ("" if math.isnan(theirs) else f" ({shown(theirs)})")
                 for ours, theirs in (cells[row][column] for column in columns)]
        yield " | ".join(["| " + " ".join(row), *pairs]) + " |"


def claim_line(claim, quick):
    verdict = claim.shown_verdict()
    if claim.surprises(quick) and claim.verdict != "no result":
        verdict += f" (expected: {claim.expected(quick)})"
    if claim.verdict != "holds" and claim.why:
        verdict += ": " + escaped(claim.why)
    judged_by = claim.judged_by.replace("|", "\\|")
    return f"| {escaped(claim.title)} | `{judged_by}` | {escaped(claim.here)} | {verdict} |"


def markdown(story, stem, seeds, quick=False):
    """The lines of the page, and the pictures of its tables, each a figure and its file."""
    lines, pictures = [], []
    for source, items in story:
        lines += ["## " + escaped(source), ""]
        for at, item in enumerate(items):
            if isinstance(item, Claim):
                if not at or not isinstance(items[at - 1], Claim):
                    lines += ["| Claim | Judged by | Here | Verdict |", "|---|---|---|---|"]
                lines.append(claim_line(item, quick))
                if items[at + 1:at + 2] == [] or not isinstance(items[at + 1], Claim):
                    lines.append("")
            elif isinstance(item, str):
                lines += [escaped(item), ""]
            else:
                lines += [f"**{escaped(item.title)}**" +
                          (" (in parentheses: the paper's)" if item.paper else ""), ""]
                if item.value.over:
                    file = f"{stem}-{item.name}.svg"
                    pictures.append(((item.title, item.value, item.reach, item.paper), file, seeds))
                    lines += [f"![{item.name}]({os.path.basename(file)})", ""]
                lines += [*table_lines(item), ""]
    return lines, pictures


def without_setting(story):
    """The claims whose mechanism no setting turns off, by the reason."""
    reasons = {}
    for claim in claims_of(story):
        if claim.no_off:
            reasons.setdefault(claim.no_off, []).append(claim.title)
    lines = ["## Claims whose mechanism no setting turns off", ""] * bool(reasons)
    for reason, titles in reasons.items():
        lines += [f"**{escaped(reason[0].upper() + reason[1:])}**: {escaped('; '.join(titles))}.", ""]
    return lines


def draw(pictures):
    for figure, file, seeds in pictures:
        plot.draw([figure], file, seeds)


def to_html(lines, folder):
    """HTML of Markdown as it is above, with the pictures in it."""
    def marked(words):
        parts = re.split(r"`([^`]*)`", words)  # every second is code
        parts = [f"<code>{html.escape(part, False).replace(chr(92) + '|', '|')}</code>" if at % 2 else
                 re.sub(r"\*\*([^*]*)\*\*", r"<b>\1</b>", part) for at, part in enumerate(parts)]
        return "".join(parts)

    out, inside, words = [], False, False
    for line in lines:
        if inside and not line.startswith("|"):
            out.append("</table>")
        if line.startswith("|---"):
            continue
        if line.startswith("|"):
            words = words if inside else line.startswith("| Claim ")
            kind = ("td class=\"t\"" if words else "td") if inside else "th"
            cells = re.split(r"(?<!\\)\|", line)[1:-1]
            out.append(("" if inside else "<table>") + "<tr>" +
                       "".join(f"<{kind}>{marked(cell.strip())}" for cell in cells))
        elif line.startswith("#"):
            level = line.index(" ")
            out.append(f"<h{level}>{marked(line[level + 1:])}</h{level}>")
        elif picture := re.match(r"!\[.*\]\((.*)\)", line):
            try:
                with open(os.path.join(folder, picture.group(1)), "rb") as file:
                    code = base64.b64encode(file.read()).decode()
                out.append(f'<img alt="{picture.group(1)}" src="data:image/svg+xml;base64,{code}">')
            except OSError:
                out.append(f"<p>(no picture {picture.group(1)})</p>")
        elif line:
            out.append(f"<p>{marked(line)}</p>")
        inside = line.startswith("|")
    return (f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Results</title>\n<style>{STYLE}</style>\n' +
            "\n".join(out) + "</table>" * inside + "\n</html>\n")
