/** Discord's block markdown: fences, quotes, headings, lists, subtext. */

import { findAll, h } from "../lib/dom.js";
import { codeBlock } from "./code.js";
import { inline } from "./inline.js";

const FENCE = /```(?:([\w+\-.#]{1,20})\n)?\n?([\s\S]*?)\n?```/;
const HEADING = /^(#{1,3}) +(.+)$/;
const SUBTEXT = /^-# +(.+)$/;
const ITEM = /^( *)(?:([-*])|(\d{1,9})\.) +(.*)$/;
const EMOJI_ONLY =
  /^(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}\u{1F1E6}-\u{1F1FF}\u200d\ufe0f\u20e3\s])+$/u;
const MOST_JUMBO = 12;

function quote(app, lines, depth) {
  return h("blockquote", {}, blocks(app, lines.join("\n"), depth + 1));
}

/** Take the lines at the start that satisfy `fits`. */
function takeWhile(lines, fits) {
  const end = lines.findIndex((line) => !fits(line));
  return end === -1 ? lines.length : end;
}

function itemsOf(lines) {
  const items = [];
  for (const line of lines) {
    const match = line.match(ITEM);
    if (match) items.push({ indent: match[1].length, number: match[3], text: match[4] });
    else items.at(-1).text += `\n${line.trim()}`;
  }
  return items;
}

/** Build nested lists from items with indents; a list ends where bullets turn into numbers. */
function lists(app, items) {
  const roots = [];
  for (let rest = items; rest.length > 0;) {
    const [root, used] = listOf(app, rest);
    roots.push(root);
    rest = rest.slice(used);
  }
  return roots;
}

function listOf(app, items) {
  const [first] = items;
  const numbered = Boolean(first.number);
  const end = items.findIndex((item) => item.indent <= first.indent && Boolean(item.number) !== numbered);
  const own = end < 0 ? items : items.slice(0, end);
  const root = h(numbered ? "ol" : "ul", numbered ? { start: first.number } : {});
  for (let at = 0; at < own.length;) {
    const inner = takeWhile(own.slice(at + 1), (item) => item.indent > first.indent);
    const below = inner ? lists(app, own.slice(at + 1, at + 1 + inner)) : null;
    root.append(h("li", {}, inline(app, own[at].text), below));
    at += inner + 1;
  }
  return [root, own.length];
}

function quoteAt(app, lines, depth) {
  if (depth > 3) return null;
  if (lines[0].startsWith(">>> ")) {
    return { node: quote(app, [lines[0].slice(4), ...lines.slice(1)], depth), used: lines.length };
  }
  const count = takeWhile(lines, (line) => line.startsWith("> ") || line === ">");
  return count
    ? {
        node: quote(
          app,
          lines.slice(0, count).map((line) => line.slice(2)),
          depth,
        ),
        used: count,
      }
    : null;
}

function listAt(app, lines) {
  if (!ITEM.test(lines[0])) return null;
  const count = takeWhile(lines, (line) => ITEM.test(line) || /^ {2,}\S/.test(line));
  return { node: lists(app, itemsOf(lines.slice(0, count))), used: count };
}

function headingAt(app, lines) {
  const heading = lines[0].match(HEADING);
  if (heading)
    return { node: h(`div.heading.level-${heading[1].length}`, {}, inline(app, heading[2])), used: 1 };
  const subtext = lines[0].match(SUBTEXT);
  return subtext ? { node: h("div.subtext", {}, inline(app, subtext[1])), used: 1 } : null;
}

/** Text without fences: line by line, runs of plain lines kept together. */
function prose(app, text, depth) {
  const nodes = [];
  let plain = [];
  const flush = () => {
    if (plain.join("").trim())
      nodes.push(h("div.text", {}, inline(app, plain.join("\n").replace(/^\n+|\n+$/g, ""))));
    plain = [];
  };
  let lines = text.split("\n");
  while (lines.length) {
    const found = quoteAt(app, lines, depth) ?? listAt(app, lines) ?? headingAt(app, lines);
    if (found) {
      flush();
      nodes.push(...[found.node].flat());
    } else plain.push(lines[0]);
    lines = lines.slice(found?.used ?? 1);
  }
  flush();
  return nodes;
}

/** Whether a fence's start lies in a quote, which then takes it along. */
function quoted(text, index) {
  const line = text.slice(text.lastIndexOf("\n", index - 1) + 1, index);
  return line.startsWith("> ") || /(^|\n)>>> /.test(text.slice(0, index));
}

function blocks(app, text, depth = 0) {
  const match = text.match(FENCE);
  if (!match || !match[2].trim() || quoted(text, match.index)) return prose(app, text, depth);
  const after = text.slice(match.index + match[0].length).replace(/^\n/, "");
  const before = text.slice(0, match.index);
  return [
    ...(before.trim() ? prose(app, before, depth) : []),
    codeBlock(app, match[1], match[2]),
    ...(after.trim() ? blocks(app, after, depth) : []),
  ];
}

function isJumbo(text) {
  return EMOJI_ONLY.test(text) && /\p{Extended_Pictographic}/u.test(text) && [...text].length <= MOST_JUMBO;
}

/** A whole text as nodes inside one element. */
export function markdown(app, text) {
  const jumbo = isJumbo(text) ? ".jumbo" : "";
  return h(`div.markdown${jumbo}`, {}, blocks(app, text));
}

/** One line of a text, without its blocks: for previews; nothing in it can be pressed. */
export function preview(app, text) {
  const line = text
    .replace(/```[\s\S]*?```/g, "⟨code⟩")
    .replace(/^(?:-# |#{1,3} |> )/gm, "")
    .split("\n")
    .map((one) => one.trim())
    .filter(Boolean)
    .join(" ");
  const words = h("span.preview", {}, inline(app, line.slice(0, 200)));
  for (const one of findAll("a, button, [role]", words)) one.replaceWith(h(`span.${one.className.replaceAll(" ", ".")}`, {}, [...one.childNodes]));
  return words;
}
