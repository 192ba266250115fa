/** Select menus of messages and forms: fixed options, people, roles, people and roles, channels. */

import { choiceBox } from "../widgets/choice.js";
import { h } from "../lib/dom.js";
import { channels, people, roles } from "./entities.js";

export const SELECT = { STRING: 3, USER: 5, ROLE: 6, MENTIONABLE: 7, CHANNEL: 8 };
const NAMES = {
  3: "Choose an option",
  5: "Choose a person",
  6: "Choose a role",
  7: "Choose people or roles",
  8: "Choose a channel",
};

function emojiOf(emoji) {
  if (!emoji) return null;
  return h("span.option-emoji", {}, emoji.id ? `:${emoji.name}:` : emoji.name);
}

function fixed(select) {
  return (select.options ?? []).map((one) => ({
    value: one.value,
    label: one.label,
    detail: one.description,
    lead: emojiOf(one.emoji),
    preset: one.default,
  }));
}

/** The options that a select offers. */
function optionsOf(world, select) {
  if (select.type === SELECT.STRING) return fixed(select);
  if (select.type === SELECT.USER) return people(world);
  if (select.type === SELECT.ROLE) return roles(world);
  if (select.type === SELECT.CHANNEL) return channels(world, select.channel_types);
  return [...people(world), ...roles(world)];
}

function presetOf(world, select, options) {
  const ids = (select.default_values ?? []).map((one) => one.id);
  return options.filter((one) => one.preset || ids.includes(one.value));
}

/** Build a select; `onDone` gets the chosen values. Gives `{box, values()}`. */
export function selectBox(app, select, { onDone = null, label = null } = {}) {
  const least = select.min_values ?? 1;
  return choiceBox({
    label: label ?? select.placeholder ?? NAMES[select.type],
    placeholder: select.placeholder ?? NAMES[select.type],
    options: () => optionsOf(app.world, select),
    chosen: presetOf(app.world, select, optionsOf(app.world, select)),
    min: select.required === false ? 0 : least,
    max: select.max_values ?? 1,
    disabled: select.disabled,
    onDone: onDone && ((chosen) => onDone(chosen.map((one) => one.value))),
  });
}

/** Whether a component is a select menu. */
export function isSelect(component) {
  return Object.values(SELECT).includes(component.type);
}
