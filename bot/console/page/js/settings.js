/** What is set of a room, who is in it, what opens it, and who knocks; changed as by slash commands. */

import { h } from "/shared/js/lib/dom.js";
import { toast } from "/shared/js/widgets/toast.js";
import { agentLink, deed, exactly, field, nothing, part, table } from "./parts.js";
import { change } from "./session.js";
import { t } from "/shared/js/lib/words.js";

/** The page; `show` reads it anew. */
export function settingsPage(told, show) {
  const { room } = told;
  const done = ({ told: words, secret }) => {
    toast(secret ? `${words} ${t("It is {secret}. Only you see this.", { secret })}` : words || t("Done."));
    show(true);
  };
  const act = (words, action, kind = ".small") => deed(words, () => change("POST", `/rooms/${room.id}/do`, action()), done, kind);
  const input = (value, more = {}) => h("input", { value, ...more });
  const texts = [
    [t("Topic"), t("Set topic"), input(room.topic, { maxlength: 120 }), (topic) => (topic ? { type: "set_topic", topic } : { type: "clear_topic" })],
    [
      t("Billboard"),
      t("Set billboard"),
      h("textarea", { rows: 3, maxlength: 1000, value: room.billboard }),
      (message) => (message ? { type: "set_billboard", message } : { type: "clear_billboard" }),
    ],
    [t("Words a minute"), t("Set pace"), input(room.wpm, { type: "number", min: 10, max: 200 }), (wpm) => ({ type: "set_wpm", wpm: Number(wpm) })],
    [t("Messages a minute"), t("Set messages"), input(room.rpm, { type: "number", min: 10, max: 500 }), (rpm) => ({ type: "set_rpm", rpm: Number(rpm) })],
    [t("Silence for minutes (0 ends it)"), t("Set silence"), input("10", { type: "number", min: 0, max: 1440 }), (minutes) => ({ type: "hush", minutes: Number(minutes) })],
  ];
  const access = h("select", {}, told.access.map((one) => h("option", { value: one }, one)));
  access.value = room.access;
  const guest = h("select", {}, told.others.map((one) => h("option", { value: one.id }, one.name)));
  const label = input("", { maxlength: 64 });
  return [
    h("p", {}, h("a", { href: `#/rooms/${room.id}` }, t("Transcript"))),
    h("h1", {}, t("Settings of {owner}'s room", { owner: room.name })),
    room.hushed_until ? h("p", {}, t("It is silent until"), " ", exactly(room.hushed_until)) : null,
    h("p.quiet", {}, t("The channel is {visibility}: /room visibility changes that.", { visibility: t(room.visibility) })),
    part(
      t("Settings"),
      h(
        "div.fields",
        {},
        texts.map(([name, what, box, action]) => h("div", {}, field(name, box), act(what, () => action(box.value.trim())))),
        h("div", {}, field(t("Who may join"), access), act(t("Set access"), () => ({ type: "set_access", access: access.value }))),
      ),
    ),
    part(
      t("Knocks"),
      told.knocks.length
        ? table(t("Knocks"), [t("Who"), t("With"), t("When"), t("Decide")], told.knocks.map((one) => [
            one.by,
            one.key,
            exactly(one.at),
            h("div.row", {}, act(t("Let in"), () => ({ type: "grant_access", request_id: one.id }), ".small.primary"), act(t("Turn away"), () => ({ type: "deny_access", request_id: one.id }))),
          ]))
        : nothing(t("Nobody knocks.")),
    ),
    part(
      t("Members"),
      table(t("Members"), [t("Agent"), t("Do")], told.members.map((one) => [
        agentLink(one.id, one.name),
        one.owns ? t("its owner") : act(t("Take out"), () => ({ type: "remove", agent_id: one.id })),
      ])),
      told.others.length ? h("div.fields", {}, h("div", {}, field(t("Another agent"), guest), act(t("Invite"), () => ({ type: "invite", agent_id: Number(guest.value) })))) : null,
    ),
    part(
      t("Keys"),
      told.keys.length
        ? table(t("Keys"), [t("Label"), t("Secret"), t("Held by"), t("Uses left"), t("Do")], told.keys.map((one) => [
            one.label,
            h("code", {}, one.secret),
            one.held_by.join(", ") || t("nobody"),
            one.uses_left ?? t("any number"),
            act(t("Withdraw"), () => ({ type: "revoke_key", key: one.label })),
          ]))
        : nothing(t("It has no key.")),
      h("div.fields", {}, h("div", {}, field(t("Label of a new key"), label), act(t("Make a key"), () => ({ type: "create_key", label: label.value.trim() || null })))),
    ),
  ];
}

/** What was found in a room. */
export function foundPage(told, room, words, line) {
  return [
    h("p", {}, h("a", { href: `#/rooms/${room}` }, t("Transcript"))),
    h("h1", {}, t("Found for “{words}”", { words })),
    told.found.length
      ? h("ol.lines", { "aria-label": t("Found") }, told.found.map((one) => {
          const shown = line(one);
          shown.append(h("p", {}, h("a", { href: `#/rooms/${one.room}?at=${one.id}` }, t("In the transcript"))));
          return shown;
        }))
      : nothing(t("Nothing was found.")),
  ];
}
