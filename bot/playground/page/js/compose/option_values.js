/** From what stands in an option's field to the value that goes to the bot, or the sentence that says what is wrong. */

import { channels, people, roles } from "../chat/entities.js";
import { OPTION } from "../world/commands.js";

const NOUNS = {
  3: "text",
  4: "whole number",
  5: "true or false",
  6: "person",
  7: "channel",
  8: "role",
  9: "person or role",
  10: "number",
  11: "file",
};
const LONGEST = 6000;

/** The kind of value an option takes, in words. */
export function kindOf(option) {
  const { type, min_value: low, max_value: high } = option;
  const range = [low !== undefined ? `from ${low}` : "", high !== undefined ? `to ${high}` : ""]
    .filter(Boolean)
    .join(" ");
  return range ? `${NOUNS[type]} ${range}` : NOUNS[type];
}

/** What an option offers to choose from, or null when anything may be typed. */
export function offered(world, option) {
  if (option.choices?.length) return option.choices.map((one) => ({ label: one.name, value: one.value }));
  if (option.type === OPTION.BOOLEAN)
    return [
      { label: "True", value: true },
      { label: "False", value: false },
    ];
  if (option.type === OPTION.USER) return people(world);
  if (option.type === OPTION.CHANNEL) return channels(world, option.channel_types);
  if (option.type === OPTION.ROLE) return roles(world);
  if (option.type === OPTION.MENTIONABLE) return [...people(world), ...roles(world)];
  return null;
}

const bad = (problem) => ({ problem });

function fromList(list, text, option) {
  const bare = text.replace(/^[@#]/, "").toLowerCase();
  const id = text.match(/^<?[@#]?[!&]?(\d{15,20})>?$/)?.[1];
  const begins = option.choices ? list.filter((one) => one.label.toLowerCase().startsWith(bare)) : [];
  const found =
    list.find(
      (one) => one.label.toLowerCase() === bare || one.detail?.toLowerCase() === `@${bare}` || one.value === id,
    ) ?? (begins.length === 1 ? begins[0] : undefined);
  return found
    ? { value: found.value }
    : bad(option.choices ? "Choose one from the list." : `There is no such ${NOUNS[option.type]} here.`);
}

function number(option, text) {
  const whole = option.type === OPTION.INTEGER;
  const value = Number(text);
  if (!(whole ? /^-?\d{1,16}$/ : /^-?\d*\.?\d+(e-?\d+)?$/i).test(text) || Number.isNaN(value)) {
    return bad(`This must be a ${NOUNS[option.type]}.`);
  }
  if (option.min_value !== undefined && value < option.min_value)
    return bad(`At least ${option.min_value}, please.`);
  if (option.max_value !== undefined && value > option.max_value)
    return bad(`At most ${option.max_value}, please.`);
  return { value };
}

function words(option, text) {
  const high = option.max_length ?? LONGEST;
  if (option.min_length && text.length < option.min_length)
    return bad(`At least ${option.min_length} characters, please.`);
  return text.length > high ? bad(`At most ${high} characters, please.`) : { value: text };
}

/** `{value}`, `{problem}`, or `{}` for an optional field that is empty. `picked` is what was chosen from a list. */
export function valueOf(world, option, text, picked) {
  if (picked && picked.label === text) return { value: picked.value };
  if (!text.trim()) return option.required ? bad("This option is required.") : {};
  const list = offered(world, option);
  if (list) return fromList(list, text.trim(), option);
  if (option.type === OPTION.INTEGER || option.type === OPTION.NUMBER) return number(option, text.trim());
  return words(option, text);
}
