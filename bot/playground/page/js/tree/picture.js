/** A tree drawn from left to right, to be pulled about and made larger by wheel, fingers or keys. */

import { h, oncePerFrame } from "../lib/dom.js";
import { counted, t } from "../lib/words.js";

const SVG = "http://www.w3.org/2000/svg";
const [LEVEL, ROW, DISC, REACH] = [84, 54, 18, 25];
const [SMALLEST, LARGEST, STEP] = [0.15, 3, 1.25];
const PULLED = 4; // pixels from which on a press is no click
const CAME = {
  advance: ["a", t("went on")],
  multi: ["m", t("one of several")],
  chain: ["c", t("a link of a chain")],
  ask: ["?", t("was asked")],
  branch: ["b", t("several changes")],
  agent_ctx: ["k", t("a changed mind")],
  agent_plan: ["p", t("a changed plan")],
  agent_props: ["r", t("a changed agent")],
  scene_state: ["s", t("a changed scene")],
  public_event: ["e", t("an event")],
  settings: ["o", t("changed settings")],
};

const STATUSES = { queued: t("queued"), running: t("running"), done: t("done"), failed: t("failed"), stopped: t("stopped") };

function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Where each node stands: by its depth, and below its siblings. */
function placesOf(nodes) {
  const children = new Map();
  for (const node of nodes.values()) {
    const above = nodes.has(node.parent) ? node.parent : null;
    children.set(above, [...(children.get(above) ?? []), node]);
  }
  const order = [];
  const waiting = [...(children.get(null) ?? [])].reverse();
  while (waiting.length) {
    const node = waiting.pop();
    order.push(node);
    waiting.push(...[...(children.get(node.id) ?? [])].reverse());
  }
  const rows = new Map();
  let leaf = 0;
  for (const node of order) if (!children.has(node.id)) rows.set(node.id, leaf++);
  for (const node of [...order].reverse()) {
    const below = children.get(node.id);
    if (below) rows.set(node.id, (rows.get(below[0].id) + rows.get(below.at(-1).id)) / 2);
  }
  const places = order.map((node) => ({ node, x: node.depth * LEVEL, y: rows.get(node.id) * ROW }));
  return { places, children };
}

function newestPath(nodes) {
  const found = new Set();
  let at = Math.max(...nodes.keys());
  while (nodes.has(at)) {
    found.add(at);
    at = nodes.get(at).parent;
  }
  return found;
}

/** How a node came from its parent, in words. */
export function cameOf(node) {
  return node.parent === null ? t("where it begins") : t("{how} after {number}", { how: CAME[node.edge]?.[1] ?? t("came"), number: node.parent });
}

/** What a node is, in words. */
export function wordsOf(node) {
  const from = node.parent === null ? "" : `, ${cameOf(node)}`;
  const turns = node.turns ? `, ${counted(node.turns, "turn")}` : "";
  const outcome = node.outcome ? `: ${node.outcome}` : "";
  return `${t("Node {number}", { number: node.id })}${from}, ${STATUSES[node.status]}${turns}${outcome}${node.note ? `. ${node.note}` : ""}`;
}

export class Picture {
  #places = [];
  #children = new Map();
  #nodes = new Map();
  #shapes = new Map(); // by node
  #at = { x: 0, y: 0, scale: 1 };
  #moved = false;
  #current = 0;
  #pointers = new Map();
  #pulled = 0;

  /** `choose(id, beside)` is called for a node that is pressed; `beside`: it is to be set beside the first. */
  constructor(choose) {
    this.choose = choose;
    this.lines = s("g", { "aria-hidden": "true" });
    this.discs = s("g", { role: "none" });
    this.plane = s("g", { role: "none" }, this.lines, this.discs);
    this.element = s(
      "svg",
      { class: "tree-picture", role: "tree", "aria-label": t("Nodes"), "aria-multiselectable": "true" },
      this.plane,
    );
    this.frame = h("div.tree-frame", {}, this.element);
    this.#listen();
    this.resize = new ResizeObserver(oncePerFrame(() => !this.#moved && this.fit()));
    this.resize.observe(this.element);
  }

  #listen() {
    const on = (name, heard, options) => this.element.addEventListener(name, heard, options);
    on("wheel", (event) => this.#wheel(event), { passive: false });
    on("pointerdown", (event) => this.#down(event));
    on("pointermove", (event) => this.#pull(event));
    for (const name of ["pointerup", "pointercancel", "pointerleave"]) on(name, (event) => this.#up(event));
    on("click", (event) => this.#click(event));
    on("keydown", (event) => this.#keys(event));
    // Not on the picture itself: browsers let Tab stop at an SVG that listens for the focus.
    this.frame.addEventListener("focusin", (event) => this.#focused(event));
  }

  /** Draw nodes; `chosen`: up to two of them. */
  draw(nodes, chosen) {
    const { places, children } = placesOf(nodes);
    [this.#places, this.#children, this.#nodes] = [places, children, nodes];
    if (!nodes.has(this.#current)) this.#current = chosen[0] ?? 0;
    const at = new Map(places.map((one) => [one.node.id, one]));
    this.#drawLines(at, newestPath(nodes));
    const focused = this.element.contains(document.activeElement) ? this.#current : null;
    for (const [id, shape] of this.#shapes) {
      if (nodes.has(id)) continue;
      shape.remove();
      this.#shapes.delete(id);
    }
    for (const place of places) this.#disc(place, chosen);
    if (focused !== null) this.#shapes.get(this.#current)?.focus();
    if (!this.#moved) this.fit();
  }

  #drawLines(at, newest) {
    const lines = [];
    for (const { node, x, y } of at.values()) {
      const above = at.get(node.parent);
      if (!above) continue;
      const path = `M${above.x} ${above.y}C${above.x + LEVEL / 2} ${above.y} ${x - LEVEL / 2} ${y} ${x} ${y}`;
      lines.push(s("path", { d: path, class: newest.has(node.id) ? "edge newest" : "edge" }));
      const [lx, ly] = [(above.x + x) / 2, (above.y + y) / 2];
      lines.push(s("circle", { cx: lx, cy: ly, r: 8, class: "letter-ground" }));
      lines.push(s("text", { x: lx, y: ly, class: "letter" }, CAME[node.edge]?.[0] ?? ""));
    }
    this.lines.replaceChildren(...lines);
  }

  #disc({ node, x, y }, chosen) {
    let shape = this.#shapes.get(node.id);
    if (!shape) {
      shape = s(
        "g",
        { role: "treeitem", "data-node": node.id },
        s("circle", { r: REACH, class: "reach" }),
        s("circle", { r: DISC, class: "disc" }),
        s("text", { class: "number" }, String(node.id)),
      );
      this.#shapes.set(node.id, shape);
    }
    const rank = chosen.indexOf(node.id);
    shape.setAttribute("class", `node ${node.status}${rank >= 0 ? ` chosen-${rank + 1}` : ""}`);
    shape.setAttribute("transform", `translate(${x} ${y})`);
    shape.setAttribute("aria-level", node.depth + 1);
    shape.setAttribute("aria-selected", String(rank >= 0));
    shape.setAttribute("aria-label", wordsOf(node));
    shape.setAttribute("tabindex", node.id === this.#current ? 0 : -1);
    this.discs.append(shape); // in the order of the tree, for who hears it read
  }

  // Where one looks

  #show() {
    const { x, y, scale } = this.#at;
    this.plane.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
  }

  get #box() {
    return this.element.getBoundingClientRect();
  }

  /** Show all of it, as large as it can be. */
  fit() {
    const { width, height } = this.#box;
    if (!width || !this.#places.length) return;
    const [xs, ys] = [this.#places.map((one) => one.x), this.#places.map((one) => one.y)];
    const size = [Math.max(...xs) + 2 * REACH + 12, Math.max(...ys) + 2 * REACH + 12];
    const scale = Math.max(SMALLEST, Math.min(1.2, width / size[0], height / size[1]));
    const x = (width - Math.max(...xs) * scale) / 2;
    const y = (height - Math.max(...ys) * scale) / 2;
    this.#at = { x, y, scale };
    this.#moved = false;
    this.#show();
  }

  /** Make it larger or smaller about a point of the element, its middle when none is given. */
  zoom(factor, x = this.#box.width / 2, y = this.#box.height / 2) {
    const was = this.#at.scale;
    const scale = Math.min(LARGEST, Math.max(SMALLEST, was * factor));
    this.#at = { x: x - ((x - this.#at.x) * scale) / was, y: y - ((y - this.#at.y) * scale) / was, scale };
    this.#moved = true;
    this.#show();
  }

  #shift(x, y) {
    this.#at = { ...this.#at, x: this.#at.x + x, y: this.#at.y + y };
    this.#moved = true;
    this.#show();
  }

  larger() {
    this.zoom(STEP);
  }

  smaller() {
    this.zoom(1 / STEP);
  }

  /** Bring a node into sight. */
  #reveal(id) {
    const place = this.#places.find((one) => one.node.id === id);
    if (!place) return;
    const { width, height } = this.#box;
    const [x, y] = [this.#at.x + place.x * this.#at.scale, this.#at.y + place.y * this.#at.scale];
    const into = (at, size) => (at < REACH ? REACH - at : at > size - REACH ? size - REACH - at : 0);
    const by = [into(x, width), into(y, height)];
    if (by[0] || by[1]) this.#shift(...by);
  }

  // Wheel and fingers

  #wheel(event) {
    event.preventDefault();
    const box = this.#box;
    const lines = event.deltaMode === 1 ? 30 : 1;
    this.zoom(Math.exp(-event.deltaY * lines * 0.0015), event.clientX - box.x, event.clientY - box.y);
  }

  #down(event) {
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.#pointers.size === 1) this.#pulled = 0;
  }

  #up(event) {
    this.#pointers.delete(event.pointerId);
  }

  #pull(event) {
    const was = this.#pointers.get(event.pointerId);
    if (!was) return;
    const now = { x: event.clientX, y: event.clientY };
    const by = { x: now.x - was.x, y: now.y - was.y };
    this.#pulled += Math.abs(by.x) + Math.abs(by.y);
    if (this.#pulled < PULLED) return;
    this.#pointers.set(event.pointerId, now);
    if (!this.element.hasPointerCapture(event.pointerId)) this.element.setPointerCapture(event.pointerId);
    if (this.#pointers.size === 1) this.#shift(by.x, by.y);
    else this.#pinch(event.pointerId, was, now);
  }

  /** Two fingers: the point between them stays where it is under them. */
  #pinch(id, was, now) {
    const other = [...this.#pointers].find(([key]) => key !== id)[1];
    const far = (one) => Math.hypot(one.x - other.x, one.y - other.y) || 1;
    const middle = (one, size) => (one + size) / 2;
    const box = this.#box;
    this.#shift((now.x - was.x) / 2, (now.y - was.y) / 2);
    this.zoom(far(now) / far(was), middle(now.x, other.x) - box.x, middle(now.y, other.y) - box.y);
  }

  #click(event) {
    const node = event.target.closest("[data-node]");
    if (!node || this.#pulled >= PULLED) return;
    this.#current = Number(node.dataset.node);
    this.choose(this.#current, event.shiftKey || event.ctrlKey || event.metaKey);
  }

  // Keys

  #focused(event) {
    const node = event.target.closest("[data-node]");
    if (!node) return;
    this.#current = Number(node.dataset.node);
    for (const [id, shape] of this.#shapes) shape.setAttribute("tabindex", id === this.#current ? 0 : -1);
    if (event.target.matches(":focus-visible")) this.#reveal(this.#current);
  }

  #go(id) {
    if (id === undefined || id === null) return;
    this.#shapes.get(id)?.focus();
  }

  #beside(by) {
    const { depth } = this.#nodes.get(this.#current);
    const level = this.#places.filter((one) => one.node.depth === depth).map((one) => one.node.id);
    return level[level.indexOf(this.#current) + by];
  }

  #keys(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const pull = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
    const deeds = {
      ArrowLeft: () => this.#go(this.#nodes.get(this.#current)?.parent),
      ArrowRight: () => this.#go(this.#children.get(this.#current)?.[0]?.id),
      ArrowUp: () => this.#go(this.#beside(-1)),
      ArrowDown: () => this.#go(this.#beside(1)),
      Home: () => this.#go(0),
      End: () => this.#go(Math.max(...this.#nodes.keys())),
      Enter: () => this.choose(this.#current, event.shiftKey),
      " ": () => this.choose(this.#current, event.shiftKey),
      "+": () => this.larger(),
      "=": () => this.larger(),
      "-": () => this.smaller(),
      0: () => this.fit(),
    };
    const deed = event.shiftKey && pull ? () => this.#shift(...pull) : deeds[event.key];
    if (!deed) return;
    event.preventDefault();
    event.stopPropagation();
    deed();
  }
}
