/** A message's components: rows of buttons and selects, and what happens when they are used. */

import { findAll, h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { KIND } from "../world/interactions.js";
import { LAYOUTS } from "./layout.js";
import { isSelect, selectBox } from "./select.js";

const STYLES = { 1: "primary", 2: "secondary", 3: "success", 4: "danger", 5: "link" };

function note(holder, text) {
  holder.querySelector(":scope > .component-note")?.remove();
  if (text) holder.append(h("p.component-note", { role: "alert" }, text));
}

/** While the bot thinks nothing can be pressed; nothing is disabled, so that the focus stays where it is. */
function setBusy(holder, busy, control) {
  holder.classList.toggle("waiting", busy);
  control.classList.toggle("busy", busy);
  for (const one of findAll("button.button, button.choice-box", holder))
    one.setAttribute("aria-disabled", String(busy));
}

/** Press a component: everything waits until the bot has answered or failed to. */
async function press(context, component, control, more = {}) {
  const { app, message } = context;
  const holder = control.closest(".components");
  if (holder.classList.contains("waiting")) return;
  note(holder, "");
  setBusy(holder, true, control);
  const data = { component_type: component.type, custom_id: component.custom_id, ...more };
  const bot = message.application_id ?? message.author.application_id ?? message.author.id;
  const outcome = await app.interactions.send(KIND.COMPONENT, bot, data, {
    channelId: message.channel_id,
    message,
  });
  if (!holder.isConnected) return;
  setBusy(holder, false, control);
  if (!outcome.ok) note(holder, `This interaction failed. ${outcome.reason}`);
}

function buttonInside(component) {
  const { emoji, label } = component;
  return [
    emoji ? h("span.option-emoji", {}, emoji.id ? `:${emoji.name}:` : emoji.name) : null,
    label ? h("span", {}, label) : null,
    component.style === 5 ? icon("open", 14) : null,
  ];
}

function button(context, component) {
  const kind = STYLES[component.style] ?? "secondary";
  if (component.style === 5) {
    const link = { href: component.url, target: "_blank", rel: "noopener noreferrer" };
    return h("a.button.link-button", link, buttonInside(component));
  }
  const label = component.label ? null : component.emoji?.name;
  const element = h(
    `button.button.${kind}`,
    {
      type: "button",
      "aria-label": label,
      disabled: Boolean(component.disabled),
      data: { key: component.custom_id ?? "" },
      on: { click: () => press(context, component, element) },
    },
    buttonInside(component),
  );
  return element;
}

function select(context, component) {
  const send = (values) => press(context, component, box, { values });
  const { box } = selectBox(context.app, component, { onDone: send });
  box.dataset.key = component.custom_id;
  return box;
}

/** Build one component, whatever its type. */
export function component(context, part) {
  if (part.type === 1)
    return h(
      "div.component-row",
      {},
      part.components.map((one) => component(context, one)),
    );
  if (part.type === 2) return button(context, part);
  if (isSelect(part)) return select(context, part);
  const build = LAYOUTS[part.type];
  return build ? build(context, part, component) : h("p.quiet", {}, `(a component of type ${part.type})`);
}

/** All components of a message. */
export function componentsOf(app, message) {
  const context = { app, message };
  return h(
    "div.components",
    {},
    message.components.map((part) => component(context, part)),
  );
}
