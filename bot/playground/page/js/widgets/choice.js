/** A box that opens a list to choose one or several from, with a filter when the list is long. */

import { findAll, h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { walk } from "./menu.js";
import { openPopover } from "./popover.js";

const FILTER_FROM = 9;

function row(option, picked, toggle) {
  return h(
    "button.choice",
    {
      type: "button",
      role: "option",
      tabindex: -1,
      "aria-selected": String(picked),
      "data-value": option.value,
      on: { click: () => toggle(option) },
    },
    option.lead ?? null,
    h("span.choice-label", {}, option.label, option.detail ? h("small", {}, option.detail) : null),
    picked ? icon("check", 16) : null,
  );
}

function matching(options, text) {
  const needle = text.toLowerCase();
  return options.filter((one) => one.label.toLowerCase().includes(needle));
}

/** The list itself, redrawn as the filter and the choice change. */
function listOf(spec, picked, done) {
  const list = h("div.choices", {
    role: "listbox",
    "aria-label": spec.label,
    "aria-multiselectable": String(spec.max > 1),
  });
  const filter = h("input.field", {
    type: "search",
    placeholder: "Find",
    "aria-label": `Find in ${spec.label}`,
    autofocus: true,
  });
  const draw = () => {
    const shown = matching(spec.options(), filter.value);
    const rows = shown.map((one) => row(one, picked.has(one.value), toggle));
    list.replaceChildren(...(rows.length ? rows : [h("p.quiet", {}, "Nothing found.")]));
  };
  const toggle = (option) => {
    if (spec.max === 1) {
      const again = picked.has(option.value) && spec.min === 0;
      picked.clear();
      if (!again) picked.set(option.value, option);
      done();
      return;
    }
    if (picked.has(option.value)) picked.delete(option.value);
    else if (picked.size < spec.max) picked.set(option.value, option);
    draw();
    findAll(".choice", list)
      .find((one) => one.dataset.value === option.value)
      ?.focus();
  };
  filter.addEventListener("input", draw);
  draw();
  return spec.options().length >= FILTER_FROM ? [filter, list] : [list];
}

function labelOf(picked, placeholder) {
  const names = [...picked.values()].map((one) => one.label);
  if (!names.length) return h("span.placeholder", {}, placeholder);
  return h("span.choice-text", {}, names.join(", "));
}

function hintOf(spec) {
  const many = spec.min === spec.max ? spec.max : `${spec.min} to ${spec.max}`;
  const how = matchMedia("(pointer: coarse)").matches ? "touch anywhere else" : "close with Tab or Escape";
  return h("p.choice-hint", {}, `Choose ${many}, then ${how}.`);
}

/** Open the list beside its box; `onDone` gets the chosen options when they changed and are enough. */
function openList(box, spec, picked, show) {
  const before = [...picked.keys()].join();
  const parts = listOf(spec, picked, () => opened.close());
  const finish = () => {
    box.setAttribute("aria-expanded", "false");
    show();
    box.dispatchEvent(new Event("chosen", { bubbles: true }));
    const changed = [...picked.keys()].join() !== before;
    if (changed && picked.size >= spec.min) spec.onDone?.([...picked.values()]);
  };
  const content = [parts, spec.max > 1 ? hintOf(spec) : null].flat().filter(Boolean);
  const opened = openPopover(box, content, { label: spec.label, kind: "choice-popover", onClose: finish });
  box.setAttribute("aria-expanded", "true");
  opened.panel.style.minWidth = `${box.offsetWidth}px`;
  opened.again();
  const rows = () => findAll(".choice", opened.panel);
  opened.panel.addEventListener("keydown", (event) => {
    if (event.target.matches("input") && !["ArrowDown", "ArrowUp"].includes(event.key)) return;
    walk(event, rows());
  });
  if (parts.length === 1)
    (rows().find((one) => one.getAttribute("aria-selected") === "true") ?? rows()[0])?.focus();
}

/** Build the box. `spec`: label, placeholder, options() → [{value, label, detail?, lead?}], chosen, min, max, onDone. */
export function choiceBox(spec) {
  const picked = new Map((spec.chosen ?? []).map((one) => [one.value, one]));
  const text = h("span.choice-now");
  const show = () => {
    text.replaceChildren(labelOf(picked, spec.placeholder));
    const now = text.textContent;
    box.setAttribute("aria-label", now === spec.label ? now : `${spec.label}: ${now}`);
  };
  const box = h(
    "button.choice-box",
    {
      type: "button",
      "aria-haspopup": "listbox",
      "aria-expanded": "false",
      disabled: Boolean(spec.disabled),
      on: { click: () => openList(box, spec, picked, show) },
    },
    text,
    icon("chevron", 18),
  );
  show();
  return { box, values: () => [...picked.values()] };
}
