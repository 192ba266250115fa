/** What is done in a tree of what-ifs: at once, or once a form is filled in; the server tells what came of it. */

import { fill, h } from "/shared/js/lib/dom.js";
import { money } from "/shared/js/tree/runs.js";
import { confirmed, openDialog } from "/shared/js/widgets/dialog.js";
import { orSay, toast } from "/shared/js/widgets/toast.js";
import { deed, field, nothing } from "./parts.js";
import { change } from "./session.js";
import { counted, t } from "/shared/js/lib/words.js";

const GROWS = ["advance", "multi", "chain", "frontier"];
const CHANGES = [
  // by the key of what is said: its name, and how long it may be
  ["event", t("What happens, as a line in the tree's room"), 1500],
  ["visitor", t("Who says that line (empty: System)"), 32],
  ["knows", t("What the agent knows, as path=value (path+=value adds to a list, path= is known no more)"), 1500],
  ["told", t("A line that the agent alone is told, once"), 1500],
  ["note", t("A note in the agent's focus"), 300],
  ["plan", t("What it is after: goal=…, milestone=…, strategy=…; goal done=2 ticks off"), 320],
  ["properties", t("What it is, as name=value; …: model, tokens, interval, emotion, paused, attention, joins, leaves"), 1500],
  ["setting", t("A setting of the community, as name=value"), 200],
];

/** Where a tree is shown (`Pane` of the page's own tree): here its deeds are requests. */
export class TreeHost {
  constructor(tree, agents) {
    [this.tree, this.agents] = [tree, agents];
  }

  name(id) {
    return this.agents.find((one) => one.id === Number(id))?.name ?? t("agent {number}", { number: id });
  }

  /** The address says which node is looked at, so that it can be sent to somebody. */
  shown(id) {
    history.replaceState(null, "", `#/trees/${this.tree.id}${id ? `?at=${id}` : ""}`);
  }

  async use(what, values, usd) {
    if (GROWS.includes(what)) return orSay(() => this.#grow(what, values, usd));
    if (what === "merge") return this.#merge(values.node);
    if (what === "delete") return this.#delete(values.node);
    return orSay(() => this.#tell("POST", values.node, `/${what}`));
  }

  begin(what, { node }) {
    return { change: () => this.#change(node), ask: () => this.#ask(node), note: () => this.#note(node) }[what]();
  }

  async #grow(what, { node, ...more }, usd) {
    const said = { what, nodes: node === undefined ? [] : [node], ...more, ...(usd === undefined ? {} : { usd }) };
    const { nodes } = await change("POST", `/trees/${this.tree.id}/grow`, said);
    toast(t("Made: {nodes} ({numbers}).", { nodes: counted(nodes.length, "node"), numbers: nodes.map((one) => one.id).join(", ") }));
    return nodes;
  }

  async #tell(method, node, path, said = null) {
    const { told } = await change(method, `/trees/${this.tree.id}/nodes/${node}${path}`, said);
    toast(told);
    return told;
  }

  async #delete(node) {
    const sure = await confirmed(t("Delete node {number}?", { number: node }), t("All that came from it goes too, and does not come back."), { yes: t("Delete") });
    if (sure) await orSay(() => this.#tell("DELETE", node, ""));
  }

  /** Who there is to choose from. */
  #whom(first = null) {
    const options = this.agents.map((one) => h("option", { value: one.id }, one.name));
    return h("select", {}, first ? h("option", { value: "" }, first) : null, options);
  }

  /** A form whose button says what it costs, as soon as that is known; it closes once it was done. */
  #form(title, inner, { node, what, words, act }) {
    const build = (close) => {
      const price = h("span.price", {}, " …");
      let seen;
      const button = deed([words, price], () => act(seen), close, ".primary");
      button.disabled = true;
      const why = h("p.quiet", { role: "status" });
      const read = async () => {
        const { usd, refused } = (await this.tree.ask(`/nodes/${node}/prices`, { turns: 1, siblings: 2 }))[what];
        seen = usd;
        price.textContent = refused ? "" : ` ${money(usd, this.tree.about.coin)}`;
        button.disabled = Boolean(refused);
        why.textContent = refused ?? "";
      };
      read().catch((error) => (why.textContent = error.message));
      return h("div.dialog-body.fields", {}, inner, h("div.dialog-actions.wide", {}, button), why);
    };
    openDialog(title, build, { kind: "form" });
  }

  #change(node) {
    const whom = this.#whom(t("nobody"));
    const boxes = CHANGES.map(([name, words, most]) => [name, words, h("input", { name, maxlength: most })]);
    const scene = h("input", { type: "number", min: 1, name: "scene" });
    const state = h("input", { name: "state", maxlength: 1500 });
    const said = () => ({
      ...Object.fromEntries(boxes.map(([name, , box]) => [name, box.value.trim()]).filter(([, value]) => value)),
      ...(whom.value ? { agent: Number(whom.value) } : {}),
      ...(scene.value ? { scene: Number(scene.value) } : {}),
      ...(state.value.trim() ? { state: state.value.trim() } : {}),
    });
    const [event, visitor, ...ofAgent] = boxes.map(([, words, box]) => field(words, box));
    const inner = [
      event,
      visitor,
      field(t("Which agent is otherwise"), whom),
      ofAgent,
      field(t("A scene that stands otherwise, by its number"), scene),
      field(t("How it does, as name=value"), state),
    ];
    const act = (usd) => this.#grow("branch", { node, change: said() }, usd);
    this.#form(t("What is otherwise after node {number}", { number: node }), inner, { node, what: "branch", words: t("Change"), act });
  }

  #ask(node) {
    const whom = this.#whom();
    const question = h("textarea", { rows: 3, maxlength: 1500, required: true });
    const asked = () => ({ agent: Number(whom.value), question: question.value.trim() });
    const act = (usd) => this.#grow("ask", { node, asked: asked() }, usd);
    const inner = [field(t("Whom"), whom), h("div.wide", {}, field(t("What you ask"), question))];
    this.#form(t("Ask after node {number}", { number: node }), inner, { node, what: "ask", words: t("Ask"), act });
  }

  #note(node) {
    const text = h("input", { maxlength: 200, value: this.tree.nodes.get(node)?.note ?? "" });
    const keep = async () => {
      const told = await this.#tell("POST", node, "/note", { text: text.value.trim() });
      await this.tree.refresh(); // no event tells of notes
      return told;
    };
    const build = (close) => h("div.dialog-body", {}, field(t("Note"), text), h("div.dialog-actions", {}, deed(t("Keep it"), keep, close, ".primary")));
    openDialog(t("A note beside node {number}", { number: node }), build, { kind: "form" });
  }

  /** What of a node life may take over, to be ticked one by one. */
  async #merge(node) {
    const offer = await orSay(() => this.tree.ask(`/nodes/${node}/offer`));
    if (!offer) return;
    const ticks = offer.items.map((one) => [h("input", { type: "checkbox", value: one.mark }), one]);
    const chosen = () => ticks.filter(([box]) => box.checked).map(([box]) => box.value);
    const take = (what) => this.#tell("POST", node, "/merge", { what });
    const build = (close) => {
      const some = deed(t("Take over what is ticked"), () => take(chosen().join("+")), close, ".primary");
      const all = deed(t("Take over all that life did not change"), () => take("all"), close);
      const lines = ticks.map(([box, one]) => h("li", {}, h("label.tick.wide", {}, box, h("span", {}, ` ${this.#offered(one)}`))));
      const list = h("ul.agents", { "aria-label": t("What may be taken over") }, lines);
      const body = h("div.dialog-body");
      fill(body, lines.length ? list : nothing(t("It holds nothing that could be taken over.")));
      if (offer.more) body.append(h("p.quiet", {}, t("And {number} more.", { number: offer.more })));
      if (lines.length) body.append(h("div.dialog-actions", {}, all, some));
      return body;
    };
    openDialog(t("What life takes over from node {number}", { number: node }), build, { kind: "form" });
  }

  #offered(one) {
    const short = (value) => (typeof value === "string" ? value : JSON.stringify(value)).slice(0, 200);
    if (one.what === "message") return `${t("A quotation in {owner}'s room", { owner: one.by })}: ${short(one.node)}`;
    const beside = one.side ? `, ${t("beside {owner}'s room", { owner: this.name(one.side) })}` : "";
    const name = one.name === one.node ? "" : ` ${one.name}`;
    const now = one.live === null ? "" : `, ${t("in place of {value}", { value: short(one.live) })}`;
    const since = one.changed ? `, ${t("which changed since (it was {value})", { value: short(one.fork) })}` : "";
    return `${one.by}: ${one.what}${name} = ${short(one.node)}${now}${since}${beside}`;
  }
}
