/** What is set of a room, who is in it, what opens it, and who knocks; changed as by slash commands. */

import { h } from "/shared/js/lib/dom.js";
import { toast } from "/shared/js/widgets/toast.js";
import { agentLink, deed, exactly, field, nothing, part, table } from "./parts.js";
import { change } from "./session.js";

/** The page; `show` reads it anew. */
export function settingsPage(told, show) {
  const { room } = told;
  const done = ({ told: words, secret }) => {
    toast(secret ? `${words} It is ${secret}. Only you see this.` : words || "Done.");
    show(true);
  };
  const act = (words, action, kind = ".small") => deed(words, () => change("POST", `/rooms/${room.id}/do`, action()), done, kind);
  const input = (value, more = {}) => h("input", { value, ...more });
  const texts = [
    ["Topic", "topic", input(room.topic, { maxlength: 120 }), (topic) => (topic ? { type: "set_topic", topic } : { type: "clear_topic" })],
    [
      "Billboard",
      "billboard",
      h("textarea", { rows: 3, maxlength: 1000, value: room.billboard }),
      (message) => (message ? { type: "set_billboard", message } : { type: "clear_billboard" }),
    ],
    ["Words a minute", "pace", input(room.wpm, { type: "number", min: 10, max: 200 }), (wpm) => ({ type: "set_wpm", wpm: Number(wpm) })],
    ["Messages a minute", "messages", input(room.rpm, { type: "number", min: 10, max: 500 }), (rpm) => ({ type: "set_rpm", rpm: Number(rpm) })],
    ["Silence for minutes (0 ends it)", "silence", input("10", { type: "number", min: 0, max: 1440 }), (minutes) => ({ type: "hush", minutes: Number(minutes) })],
  ];
  const access = h("select", {}, told.access.map((one) => h("option", { value: one }, one)));
  access.value = room.access;
  const guest = h("select", {}, told.others.map((one) => h("option", { value: one.id }, one.name)));
  const label = input("", { maxlength: 64 });
  return [
    h("p", {}, h("a", { href: `#/rooms/${room.id}` }, "Transcript")),
    h("h1", {}, `Settings of ${room.name}'s room`),
    room.hushed_until ? h("p", {}, "It is silent until ", exactly(room.hushed_until)) : null,
    h("p.quiet", {}, `The channel is ${room.visibility}: /room visibility changes that.`),
    part(
      "Settings",
      h(
        "div.fields",
        {},
        texts.map(([name, what, box, action]) => h("div", {}, field(name, box), act(`Set ${what}`, () => action(box.value.trim())))),
        h("div", {}, field("Who may join", access), act("Set access", () => ({ type: "set_access", access: access.value }))),
      ),
    ),
    part(
      "Knocks",
      told.knocks.length
        ? table("Knocks", ["Who", "With", "When", "Decide"], told.knocks.map((one) => [
            one.by,
            one.key,
            exactly(one.at),
            h("div.row", {}, act("Let in", () => ({ type: "grant_access", request_id: one.id }), ".small.primary"), act("Turn away", () => ({ type: "deny_access", request_id: one.id }))),
          ]))
        : nothing("Nobody knocks."),
    ),
    part(
      "Members",
      table("Members", ["Agent", "Do"], told.members.map((one) => [
        agentLink(one.id, one.name),
        one.owns ? "its owner" : act("Take out", () => ({ type: "remove", agent_id: one.id })),
      ])),
      told.others.length ? h("div.fields", {}, h("div", {}, field("Another agent", guest), act("Invite", () => ({ type: "invite", agent_id: Number(guest.value) })))) : null,
    ),
    part(
      "Keys",
      told.keys.length
        ? table("Keys", ["Label", "Secret", "Held by", "Uses left", "Do"], told.keys.map((one) => [
            one.label,
            h("code", {}, one.secret),
            one.held_by.join(", ") || "nobody",
            one.uses_left ?? "any number",
            act("Withdraw", () => ({ type: "revoke_key", key: one.label })),
          ]))
        : nothing("It has no key."),
      h("div.fields", {}, h("div", {}, field("Label of a new key", label), act("Make a key", () => ({ type: "create_key", label: label.value.trim() || null })))),
    ),
  ];
}

/** What was found in a room. */
export function foundPage(told, room, words, line) {
  return [
    h("p", {}, h("a", { href: `#/rooms/${room}` }, "Transcript")),
    h("h1", {}, `Found for “${words}”`),
    told.found.length
      ? h("ol.lines", { "aria-label": "Found" }, told.found.map((one) => {
          const shown = line(one);
          shown.append(h("p", {}, h("a", { href: `#/rooms/${one.room}?at=${one.id}` }, "In the transcript")));
          return shown;
        }))
      : nothing("Nothing was found."),
  ];
}
