/** A slash command being filled in: its name, a field per option, checked before it is sent. */

import { h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { commandData, OPTION } from "../world/commands.js";
import { KIND } from "../world/interactions.js";
import { OptionField } from "./option_field.js";

export class CommandForm {
  #fields = [];
  #sending = false;

  /** `hooks`: `leave()` when it is over, `changed()` when it is filled in otherwise. */
  constructor(app, suggestions, leaf, texts, hooks) {
    this.app = app;
    this.suggestions = suggestions;
    this.leaf = leaf;
    this.hooks = hooks;
    this.channelId = app.channelId;
    this.fieldsRoot = h("span.options");
    this.more = h("span.more-options");
    this.element = this.#build();
    for (const option of leaf.options) {
      if (option.required || texts[option.name] !== undefined)
        this.#addField(option, texts[option.name] ?? "");
    }
    this.#offerMore();
  }

  #build() {
    const send = h(
      "button.icon-button.send",
      {
        type: "button",
        "aria-label": "Run the command",
        title: "Run the command",
        on: { click: () => this.submit() },
      },
      icon("send"),
    );
    const leave = h(
      "button.icon-button",
      {
        type: "button",
        "aria-label": "Leave the command",
        title: "Leave the command",
        on: { click: () => this.hooks.leave() },
      },
      icon("close"),
    );
    const name = h(
      "span.command-name",
      { tabindex: this.leaf.options.some((option) => option.required) ? null : 0 },
      `/${this.leaf.label}`,
    );
    const words = h("div.command-words", {}, name, this.fieldsRoot, this.more);
    const element = h(
      "div.command-line",
      { role: "group", "aria-label": `Command ${this.leaf.label}` },
      words,
      send,
      leave,
    );
    element.addEventListener("keydown", (event) => this.#keys(event));
    element.addEventListener("focusout", (event) => {
      if (!element.contains(event.relatedTarget) && event.relatedTarget !== this.suggestions.list)
        this.suggestions.hide();
    });
    return element;
  }

  #addField(option, text = "") {
    const field = new OptionField(this, option, text);
    this.#fields.push(field);
    this.fieldsRoot.append(field.element);
    return field;
  }

  #left() {
    const shown = new Set(this.#fields.map((field) => field.option.name));
    return this.leaf.options.filter((option) => !shown.has(option.name));
  }

  /** Optional ones wait as small buttons. */
  #offerMore() {
    const buttons = this.#left().map((option) => {
      return h(
        "button.more-option",
        {
          type: "button",
          title: option.description,
          "aria-label": `Add the option ${option.label}`,
          on: { click: () => this.#open(option) },
        },
        `+ ${option.label}`,
      );
    });
    this.more.replaceChildren(...buttons);
  }

  focus() {
    const target = this.#fields.find((field) => field.empty && field.option.required) ?? this.#fields.at(-1);
    (target?.input ?? this.element.querySelector(".command-name[tabindex], .more-option, button")).focus();
    if (!target) this.#say(`${this.leaf.description} Enter runs it.`);
  }

  #say(text, problem = false) {
    this.suggestions.show(this.element, [], { title: text, problem });
  }

  changed() {
    this.element.classList.remove("failed");
    this.hooks.changed();
  }

  /** It written out, as one would type it: `/room wpm value:50`. */
  get words() {
    const given = this.#fields.filter((field) => field.words).map((field) => `${field.option.label}:${field.words}`);
    return `/${this.leaf.label} ${given.join(" ")}`;
  }

  /** Whoever types `name:` goes to that option, as when a command is written out; true when that was typed. */
  named(field) {
    const typed = field.text.match(/(?:^|\s)([\p{L}\p{N}_-]+):$/u);
    const option = typed && this.leaf.options.find((one) => [one.label, one.name].includes(typed[1]));
    if (!option) return false;
    const before = field.text.slice(0, typed.index).trim();
    if (option === field.option && before) return false;
    field.put(before);
    if (option === field.option) return true;
    if (!before && !field.option.required) this.#take(field);
    this.#open(option);
    return true;
  }

  #open(option) {
    const field = this.#fields.find((one) => one.option === option) ?? this.#addField(option);
    this.#offerMore();
    field.input.focus();
    return field;
  }

  #take(field) {
    this.#fields.splice(this.#fields.indexOf(field), 1);
    field.element.remove();
  }

  /** Letters for a command that has no field yet go to its first option. */
  #typedBeside(event) {
    const isLetter = event.key.length === 1 && event.key !== " " && !(event.ctrlKey || event.metaKey || event.altKey);
    const [option] = this.#left();
    if (!isLetter || !option || event.target.matches("input")) return;
    event.preventDefault();
    const field = this.#open(option);
    field.put(event.key);
    field.offer();
  }

  /** After something was chosen: the next required field that is empty. */
  next(field) {
    const empty = this.#fields.find((one) => one !== field && one.empty && one.option.required);
    if (empty) empty.input.focus();
    else field.input.focus();
  }

  #values() {
    const files = [];
    const options = [];
    for (const field of this.#fields) {
      const { name, type } = field.option;
      if (type === OPTION.FILE && field.file)
        options.push({ type, name, value: String(files.push(field.file) - 1) });
      const { value } = field.read();
      if (value !== undefined) options.push({ type, name, value });
    }
    return { options, files };
  }

  /** Ask the bot what fits in a field. */
  async complete(field) {
    const { name, type } = field.option;
    const others = this.#values().options.filter((one) => one.name !== name);
    const options = [...others, { type, name, value: field.text, focused: true }];
    const data = commandData(this.leaf, options);
    const bot = this.leaf.command.application_id;
    const outcome = await this.app.interactions.send(KIND.AUTOCOMPLETE, bot, data, {
      channelId: this.channelId,
    });
    return outcome.choices ?? [];
  }

  #wrong() {
    return this.#fields.filter((field) => !field.check())[0];
  }

  async submit() {
    if (this.#sending) return;
    const wrong = this.#wrong();
    if (wrong) {
      wrong.input.focus();
      wrong.offer();
      return;
    }
    this.#setSending(true);
    const { options, files } = this.#values();
    const attachments = files.map((file, index) => ({ id: String(index), filename: file.name }));
    const data = commandData(this.leaf, options, attachments);
    const context = { channelId: this.channelId, files };
    const outcome = await this.app.interactions.send(
      KIND.COMMAND,
      this.leaf.command.application_id,
      data,
      context,
    );
    this.#setSending(false);
    if (outcome.ok) this.app.commands.note(this.leaf.name);
    if (outcome.ok) this.hooks.leave({ quietly: Boolean(outcome.modal) });
    else this.#failed(outcome.reason);
  }

  #failed(reason) {
    this.element.classList.add("failed");
    this.#say(`/${this.leaf.label} failed. ${reason}`, true);
  }

  #setSending(sending) {
    this.#sending = sending;
    this.element.classList.toggle("sending", sending);
    if (sending) this.#say(`Running /${this.leaf.label} …`);
  }

  #keys(event) {
    if (this.suggestions.keys(event)) return;
    const onButton = event.target.matches("button");
    if (event.key === "Enter" && !onButton && !event.isComposing) {
      event.preventDefault();
      this.submit();
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      this.hooks.leave();
    } else if (event.key === "Backspace" && event.target.value === "") this.#stepBack(event);
    else this.#typedBeside(event);
  }

  /** Backspace in an empty field removes an optional one, and leaves the command from its first. */
  #stepBack(event) {
    const at = this.#fields.findIndex((field) => field.input === event.target);
    if (at < 0) return;
    event.preventDefault();
    const field = this.#fields[at];
    if (!field.option.required) {
      this.#take(field);
      this.#offerMore();
    }
    if (at > 0) this.#fields[at - 1].input.focus();
    else if (field.option.required || !this.#fields.length) this.hooks.leave();
    else this.#fields[0].input.focus();
  }
}
