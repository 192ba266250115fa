/** Who this tab is: switch to another person, or make a new one. */

import { h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { isManager } from "../world/permissions.js";
import { avatar } from "../widgets/avatar.js";
import { confirmed, openDialog } from "../widgets/dialog.js";
import { openMenu } from "../widgets/menu.js";
import { orSay } from "../widgets/toast.js";

function nameOf(user) {
  return user.global_name || user.username;
}

function entry(app, person) {
  const current = person.user.id === app.world.me?.id;
  const name = nameOf(person.user);
  return {
    label: name,
    detail: isManager(app.world, person.user.id) ? "manager" : "member",
    lead: avatar(person.user, name, 26),
    checked: current,
    action: () => current || app.people.become(person),
  };
}

async function create(app, form, close) {
  const { name, manager, apart } = form.elements;
  const asked = { name: name.value.trim(), manager: manager.checked, guild_id: app.world.guildId };
  const person = await orSay(() => app.people.create(asked));
  if (!person) return;
  close();
  if (apart.checked) app.people.openApart(person);
  else app.people.become(person);
}

function tick(name, label, hint, checked = false) {
  return h(
    "label.tick",
    {},
    h("input", { type: "checkbox", name, checked }),
    h("span", {}, label, h("small", {}, hint)),
  );
}

function newPerson(app) {
  const build = (close) => {
    const submit = (event) => {
      event.preventDefault();
      create(app, event.target, close);
    };
    const field = h("input.field", {
      name: "name",
      required: true,
      minlength: 2,
      maxlength: 32,
      autofocus: true,
      autocomplete: "off",
    });
    const actions = h(
      "div.dialog-actions",
      {},
      h("button.button", { type: "button", on: { click: close } }, "Cancel"),
      h("button.button.primary", { type: "submit" }, "Create"),
    );
    return h(
      "form.dialog-body",
      { on: { submit } },
      h("label.form-field", {}, h("span.form-label", {}, "Name"), field),
      tick(
        "manager",
        "May manage the server",
        "A manager has every command; a member has the everyday ones.",
      ),
      tick("apart", "Open in a new tab", "So that two people can talk to each other here.", true),
      actions,
    );
  };
  openDialog("A new person", build, { kind: "small" });
}

/** Let this person choose the name under which everybody, agents too, knows them. */
export function chooseName(app) {
  const build = (close) => {
    const field = h("input.field", {
      name: "name",
      value: nameOf(app.world.me),
      required: true,
      minlength: 2,
      maxlength: 32,
      autofocus: true,
      autocomplete: "off",
    });
    const submit = async (event) => {
      event.preventDefault();
      if (await orSay(() => app.people.rename(app.world.me.id, field.value.trim()))) close();
    };
    const actions = h(
      "div.dialog-actions",
      {},
      h("button.button", { type: "button", on: { click: close } }, "Cancel"),
      h("button.button.primary", { type: "submit" }, "Use this name"),
    );
    const hint = h("small.form-hint", {}, "So people and agents see you; who manages the server is shown as The Architect beside it.");
    return h(
      "form.dialog-body",
      { on: { submit } },
      h("label.form-field", {}, h("span.form-label", {}, "Name"), field, hint),
      actions,
    );
  };
  openDialog("Your name", build, { kind: "small" });
}

async function remove(app, person) {
  const name = nameOf(person.user);
  const words = `${name} leaves the playground for good. What ${name} said stays; /privacy forget-me, used as ${name}, removes that too.`;
  if (!(await confirmed(`Remove ${name}?`, h("p", {}, words), { yes: "Remove" }))) return;
  await orSay(() => app.people.remove(person.user.id));
}

function chooseLeaver(app, people, anchor) {
  const items = people.map((person) => ({
    label: nameOf(person.user),
    lead: avatar(person.user, nameOf(person.user), 26),
    danger: true,
    action: () => remove(app, person),
  }));
  openMenu(anchor, [{ heading: "Remove" }, ...items], { label: "Remove a person", side: "above" });
}

/** Choose the language in which bots' commands are read; the page itself is English. */
async function chooseLanguage(app, anchor) {
  await app.quietly(app.commands.refresh());
  const { me } = app.world;
  const items = app.commands.locales().map((locale) => ({
    label: new Intl.DisplayNames([locale], { type: "language" }).of(locale),
    checked: locale === me.locale,
    action: () => orSay(() => app.people.setLocale(me.id, locale)),
  }));
  openMenu(anchor, [{ heading: "Commands are read in" }, ...items], { label: "Language", side: "above" });
}

async function openSwitcher(app, anchor) {
  await app.quietly(app.people.read());
  const owners = new Set([...app.world.guilds.values()].map((guild) => guild.owner_id));
  const removable = isManager(app.world) ? app.people.list.filter(({ user }) => !owners.has(user.id)) : [];
  const others = app.people.list.filter((person) => person.user.id !== app.world.me.id);
  const apart = others.map((person) => ({
    label: `${nameOf(person.user)} in a new tab`,
    icon: "open",
    action: () => app.people.openApart(person),
  }));
  openMenu(
    anchor,
    [
      { heading: "This tab is" },
      ...app.people.list.map((person) => entry(app, person)),
      { separator: true },
      { label: "Change your name …", icon: "edit", action: () => chooseName(app) },
      { label: "Language …", icon: "globe", action: () => chooseLanguage(app, anchor) },
      { label: "New person …", icon: "plus", action: () => newPerson(app) },
      ...apart,
      ...(removable.length
        ? [{ separator: true }, { label: "Remove a person …", icon: "trash", action: () => chooseLeaver(app, removable, anchor) }]
        : []),
    ],
    { label: "Who this tab is", side: "above" },
  );
}

/** Show who this tab is, in the corner. */
export function mountSwitcher(app, root) {
  const draw = () => {
    const { me } = app.world;
    if (!me) return;
    const name = app.world.nameOf(me);
    const role = isManager(app.world) ? "manager" : "member";
    root.removeAttribute("aria-label");
    root.replaceChildren(
      avatar(me, name, 34),
      h("span.member-words", {}, h("span.member-name", {}, name), h("small", {}, role)),
      h("span.unseen", {}, "Be somebody else"),
      icon("swap", 18),
    );
  };
  root.addEventListener("click", () => app.world.me && openSwitcher(app, root));
  app.world.onAny(["ready", "settled", "members"], draw);
}
