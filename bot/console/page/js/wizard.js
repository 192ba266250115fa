/** A run is set up in four steps: from what, who, what they do, and by which model, seed and budget. */

import { fill, h } from "/shared/js/lib/dom.js";
import { orSay } from "/shared/js/widgets/toast.js";
import { deed, field, nothing } from "./parts.js";
import { asFile } from "./runs.js";
import { change } from "./session.js";
import { t } from "/shared/js/lib/words.js";

const STEPS = [t("Begin from"), t("Agents"), t("Scene"), t("Model, seed and budget")];
const EMPTY = { title: "A run", agents: [], scene: null, events: [], settings: {}, turns: 20, seed: 1, model: "stand-in", budget: "1.00", every: 10 };

function select(values, chosen, on) {
  const made = h("select", {}, values.map(([value, words]) => h("option", { value }, words)));
  made.value = chosen ?? "";
  made.addEventListener("change", () => on(made.value));
  return made;
}

function input(value, on, more = {}) {
  return h("input", { value: value ?? "", ...more, on: { input: (event) => on(event.target.value) } });
}

/** A value as it is written by hand: JSON where it is any, else the words themselves. */
function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function written(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

class Wizard {
  #step = 0;
  #setup;
  #spec = structuredClone(EMPTY);
  #preset = "";

  constructor(setup) {
    this.#setup = setup;
    this.element = h("div.wizard");
    this.#draw();
  }

  #draw(focus = false) {
    const page = [() => this.#from(), () => this.#agents(), () => this.#scene(), () => this.#rest()][this.#step]();
    const title = h("h2", { tabindex: -1 }, `${t("Step {number} of {all}", { number: this.#step + 1, all: STEPS.length })}: ${STEPS[this.#step]}`);
    const to = (step) => () => {
      this.#step = step;
      this.#draw(true);
    };
    const last = this.#step === STEPS.length - 1;
    fill(
      this.element,
      title,
      page,
      h(
        "div.row.steps",
        {},
        this.#step ? h("button.button", { type: "button", on: { click: to(this.#step - 1) } }, t("Back")) : null,
        last
          ? deed(t("Begin"), () => change("POST", "/runs", this.#said()), ({ run }) => (location.hash = `#/runs/${run}`), ".primary")
          : h("button.button.primary", { type: "button", on: { click: to(this.#step + 1) } }, t("Next")),
        last ? asFile(() => this.#said()) : null,
      ),
    );
    if (focus) title.focus();
  }

  /** The run as it is told to the server: without what has no value. */
  #said() {
    const { minutes, ...rest } = this.#spec;
    return minutes ? { ...rest, minutes, turns: null } : rest;
  }

  #from() {
    const choose = (name, spec) => () => {
      this.#preset = name;
      this.#spec = structuredClone(spec);
    };
    const option = (name, words, spec) =>
      h(
        "label.tick.wide",
        {},
        h("input", { type: "radio", name: "preset", value: name, checked: this.#preset === name, on: { change: choose(name, spec) } }),
        ` ${words}`,
      );
    const ready = this.#setup.presets.map((one) => option(one.name, `${one.name}: ${one.spec.title}`, one.spec));
    return h("fieldset", {}, h("legend", {}, t("What to begin from")), option("", t("nothing: all by hand"), EMPTY), ready);
  }

  #agents() {
    const { agents } = this.#spec;
    const add = (made) => {
      agents.push(...made);
      this.#draw();
    };
    const rows = agents.map((one, index) => this.#agent(one, index));
    const template = select(this.#setup.templates.map((one) => [one.name, `${one.name}, ${one.about}`]), this.#setup.templates[0]?.name, () => {});
    const card = h("input", { type: "file", accept: ".json,.png,application/json,image/png" });
    card.addEventListener("change", async () => {
      const told = await orSay(() => change("POST", "/runs/card", card.files[0]));
      if (told) add([told]);
    });
    const number = h("input", { type: "number", min: 1, max: this.#setup.most.agents, value: 5 });
    const wished = () => change("POST", "/runs/agents", { number: Number(number.value), seed: Number(this.#spec.seed) });
    return [
      rows.length ? h("ol.agents", {}, rows) : nothing(t("There is nobody yet.")),
      h(
        "div.fields",
        {},
        h("div", {}, h("h3", {}, t("By hand")), deed(t("Add one"), async () => [{ name: "", prompt: "" }], add)),
        h("div", {}, h("h3", {}, t("From a template")), field(t("Template"), template), deed(t("Add it"), async () => [{ template: template.value }], add)),
        h("div", {}, h("h3", {}, t("From a card")), field(t("Character card (JSON or PNG)"), card)),
        h("div", {}, h("h3", {}, t("Generated")), field(t("How many"), number), deed(t("Generate"), wished, (told) => add(told.agents))),
      ),
    ];
  }

  #agent(one, index) {
    const who = one.name || one.template || t("agent {number}", { number: index + 1 });
    const set = (name) => (value) => {
      if (value || name === "prompt") one[name] = value;
      else delete one[name];
    };
    const remove = () => {
      this.#spec.agents.splice(index, 1);
      this.#draw();
    };
    const prompt = h("textarea", { rows: 2, value: one.prompt ?? "", on: { input: (event) => set("prompt")(event.target.value) } });
    return h(
      "li.line",
      {},
      field(t("Name"), input(one.name, set("name"), { maxlength: 50, placeholder: one.template ?? "" })),
      one.template ? h("p.quiet", {}, t("From the template {name}.", { name: one.template })) : field(t("Prompt"), prompt),
      h("button.button.small", { type: "button", "aria-label": t("Remove {name}", { name: who }), on: { click: remove } }, t("Remove")),
    );
  }

  #scene() {
    const spec = this.#spec;
    const kinds = [["", t("free talk")], ...this.#setup.kinds.map((one) => [one.name, t("{kind} ({least} to {most} agents)", { kind: one.name, least: one.seats[0], most: one.seats[1] })])];
    const choose = (name) => {
      spec.scene = name ? { kind: name, preset: "", title: "", ordering: null, options: {} } : null;
      this.#draw();
    };
    const kind = this.#setup.kinds.find((one) => one.name === spec.scene?.kind);
    const event = spec.events[0] ?? { text: "", by: "" };
    const happens = (name) => (value) => {
      const text = { ...event, [name]: value };
      Object.assign(event, text);
      spec.events = event.text.trim() ? [event, ...spec.events.slice(1)] : spec.events.slice(1);
    };
    return h(
      "div.fields",
      {},
      field(t("Scene"), select(kinds, spec.scene?.kind, choose)),
      kind ? this.#ofKind(kind) : null,
      field(t("What is said first"), h("textarea", { rows: 2, value: event.text, on: { input: (one) => happens("text")(one.target.value) } })),
      field(t("Who says it (a visitor; empty: System)"), input(event.by, happens("by"), { maxlength: 32 })),
    );
  }

  #ofKind(kind) {
    const { scene } = this.#spec;
    const orderings = [["", t("as the scene is played")], ...kind.orderings.map((one) => [one, one])];
    const presets = [["", t("none")], ...kind.presets.map((one) => [one, one])];
    const option = ({ name, about }) => {
      const set = (value) => {
        if (value === "") delete scene.options[name];
        else scene.options[name] = read(value);
      };
      const value = name in scene.options ? written(scene.options[name]) : "";
      return field(name.replaceAll("_", " "), input(value, set, { title: about }));
    };
    return [
      field(t("Ordering"), select(orderings, scene.ordering, (value) => (scene.ordering = value || null))),
      kind.presets.length ? field(t("Preset of the scene"), select(presets, scene.preset, (value) => (scene.preset = value))) : null,
      h("details.wide", { open: true }, h("summary", {}, t("Options")), h("div.fields", {}, kind.options.map(option))),
    ];
  }

  #rest() {
    const spec = this.#spec;
    const models = ["stand-in", ...this.#setup.models].map((one) => [one, one === "stand-in" ? t("stand-in (no model is asked)") : one]);
    const number = (name, more) => input(spec[name], (value) => (spec[name] = value === "" ? null : Number(value)), { type: "number", ...more });
    return h(
      "div.fields",
      {},
      field(t("Title"), input(spec.title, (value) => (spec.title = value), { maxlength: 100 })),
      field(t("Model"), select(models, spec.model, (value) => (spec.model = value))),
      field(t("Seed"), number("seed", { min: 0 })),
      field(this.#setup.coin === "USD" ? t("Budget in USD (imaginary with the stand-in)") : t("Budget in {coin}", { coin: this.#setup.coin }), input(spec.budget, (value) => (spec.budget = value), { inputmode: "decimal" })),
      field(t("Turns (empty: until nobody has anything to do)"), number("turns", { min: 1, max: 5000 })),
      field(t("A snapshot every so many turns"), number("every", { min: 1, max: 100 })),
    );
  }
}

/** The page. */
export function wizard(setup) {
  return [h("p", {}, h("a", { href: "#/runs" }, t("All runs"))), h("h1", {}, t("Set up a run")), new Wizard(setup).element];
}
