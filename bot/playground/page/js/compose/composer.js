/** The box where a person writes: text, replies, files, and the door to slash commands. */

import { find, h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { maySend } from "../world/permissions.js";
import { outgoing } from "../text/outgoing.js";
import { authorName } from "../chat/message.js";
import { editNewest } from "../chat/edit.js";
import { openEmojiPicker } from "../widgets/emoji_picker.js";
import { confirmed } from "../widgets/dialog.js";
import { CommandForm } from "./command_form.js";
import { asCombobox, Suggestions } from "./suggestions.js";
import { alikeCommands, calledCommand, commandItems, parseOptions, triggered } from "./triggers.js";
import { acceptFiles, Uploads } from "./uploads.js";

const LONGEST = 2000;
const TYPING_EVERY = 8000;

export class Composer {
  #reply = null;
  #ping = true;
  #form = null;
  #doubted = null;
  #typedAt = 0;

  constructor(app, root) {
    this.app = app;
    this.root = root;
    this.suggestions = new Suggestions(find(".suggestions", root));
    this.replyBar = find(".reply-bar", root);
    this.line = find(".compose-line", root);
    this.area = asCombobox(find("textarea", root), this.suggestions);
    this.left = find(".letters-left", root);
    this.uploads = new Uploads(find(".uploads", root));
    acceptFiles(find(".chat"), this.uploads);
    this.#buttons();
    this.#listen();
  }

  #buttons() {
    const button = (label, name, click) =>
      h(
        "button.icon-button",
        { type: "button", "aria-label": label, title: label, on: { click } },
        icon(name),
      );
    const emoji = button("Emoji", "smile", () =>
      openEmojiPicker(
        this.app.world,
        emoji,
        (one) => this.insert(one.id ? `:${one.name}:` : one.name),
        "above",
      ),
    );
    this.area.before(button("Attach files", "plus", () => this.uploads.picker.click()));
    this.send = h(
      "button.icon-button.send",
      { type: "submit", "aria-label": "Send", title: "Send" },
      icon("send"),
    );
    this.line.append(emoji, this.send);
  }

  #listen() {
    this.root.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    this.area.addEventListener("keydown", (event) => this.#keys(event));
    this.area.addEventListener("input", () => this.#typed());
    this.area.addEventListener("click", () => this.#offer());
    this.area.addEventListener("blur", ({ relatedTarget }) => {
      if (!this.#form && relatedTarget !== this.suggestions.list) this.suggestions.hide();
    });
    this.app.world.onAny(["channels", "members"], () => this.#permit());
  }

  focus() {
    if (this.#form) this.#form.focus();
    else this.area.focus();
  }

  /** Change to another channel; each keeps what was being written. */
  show(channel) {
    this.leaveCommand({ quietly: true });
    const early = this.shown ? "" : this.area.value; // written before the page knew where
    this.shown = channel;
    this.area.value = this.app.world.unsent.words(channel.id) || early;
    this.replyTo(null);
    this.#fit();
    this.#permit();
    // A command that was being filled in is filled in again, once it is known.
    if (this.area.value.startsWith("/")) this.app.quietly(this.app.commands.refresh().then(() => this.#called()));
  }

  #permit() {
    const channel = this.shown && this.app.world.channels.get(this.shown.id);
    if (!channel) return;
    const may = maySend(this.app.world, channel);
    const { world } = this.app;
    const place =
      channel.guild_id && !world.isThread(channel)
        ? `#${world.channelName(channel)}`
        : world.channelName(channel);
    this.area.disabled = !may;
    this.area.placeholder = may ? `Message ${place}` : "You may read here, but not write.";
    this.area.setAttribute("aria-label", this.area.placeholder);
    this.root.classList.toggle("silent", !may);
    this.root.hidden = world.isForum(channel);
  }

  /** Answer a message with the next one; null for none. */
  replyTo(message) {
    this.#reply = message;
    this.#ping = true;
    this.replyBar.hidden = !message;
    if (!message) return;
    const leave = h(
      "button.icon-button",
      { type: "button", "aria-label": "Do not reply", on: { click: () => this.replyTo(null) } },
      icon("close", 16),
    );
    const ping = h(
      "button.link",
      { type: "button", "aria-pressed": "true", title: "Whether the reply mentions the author" },
      "@ on",
    );
    ping.addEventListener("click", () => {
      this.#ping = !this.#ping;
      ping.textContent = this.#ping ? "@ on" : "@ off";
      ping.setAttribute("aria-pressed", String(this.#ping));
    });
    this.replyBar.replaceChildren(
      h("span", {}, "Replying to ", h("strong", {}, authorName(this.app, message))),
      ping,
      leave,
    );
    this.focus();
  }

  insert(text) {
    const { selectionStart: start, selectionEnd: end } = this.area;
    this.area.setRangeText(text, start, end, "end");
    this.area.focus();
    this.#typed();
  }

  #fit() {
    this.area.style.height = "auto";
    this.area.style.height = `${this.area.scrollHeight}px`;
    const left = LONGEST - this.area.value.length;
    this.left.hidden = left > 200;
    this.left.textContent = left;
    this.left.classList.toggle("problem", left < 0);
  }

  #typed() {
    this.#fit();
    if (!this.shown) return;
    this.app.world.unsent.keepWords(this.shown.id, this.area.value);
    if (this.#called()) return;
    this.#offer();
    this.#tellTyping();
  }

  /** Begin the command that the text is a call of; false when it is none. */
  #called() {
    const called = this.area.value.startsWith("/") && calledCommand(this.app, this.area.value);
    if (called) this.enterCommand(called.leaf, parseOptions(called.leaf, called.rest));
    return Boolean(called);
  }

  #tellTyping() {
    const text = this.area.value.trim();
    if (!text || text.startsWith("/") || Date.now() - this.#typedAt < TYPING_EVERY) return;
    this.#typedAt = Date.now();
    this.app.quietly(this.app.api.post(`/channels/${this.shown.id}/typing`));
  }

  #offer() {
    const { value, selectionStart } = this.area;
    const slash = value.match(/^\/([^\n]{0,70})$/);
    if (slash) {
      this.#offerCommands();
      // By then a quick hand may have written the whole call.
      this.app.quietly(this.app.commands.refresh().then(() => this.#called() || this.#offerCommands()));
      return;
    }
    const found = triggered(this.app, value.slice(0, selectionStart));
    if (!found) this.suggestions.hide();
    else
      this.suggestions.show(
        this.area,
        found.items.map((one) => ({ ...one, pick: () => this.#replace(found.length, one.insert) })),
        { title: found.title },
      );
  }

  #offerCommands() {
    const slash = this.area.value.match(/^\/([^\n]{0,70})$/);
    if (!slash || document.activeElement !== this.area) return;
    const items = this.#pickable(commandItems(this.app, slash[1]));
    const alike = items.length ? [] : this.#pickable(alikeCommands(this.app, slash[1]));
    if (items.length) this.suggestions.show(this.area, items, { title: "Commands" });
    else if (alike.length) this.suggestions.show(this.area, alike, { title: "Did you mean", active: -1 });
    else this.suggestions.hide();
  }

  #pickable(items) {
    return items.map((one) => ({ ...one, pick: () => this.enterCommand(one.leaf, {}) }));
  }

  #replace(length, text) {
    const end = this.area.selectionStart;
    this.area.setRangeText(text, end - length, end, "end");
    this.area.focus();
    this.#typed();
  }

  /** Fill in a command in place of the text. */
  enterCommand(leaf, texts) {
    this.leaveCommand({ quietly: true });
    this.#empty();
    const keep = (words) => this.app.world.unsent.keepWords(form.channelId, words);
    const form = new CommandForm(this.app, this.suggestions, leaf, texts, {
      leave: (how) => {
        keep(""); // it may be sent by now from a channel that was left
        if (form === this.#form) this.leaveCommand(how);
      },
      changed: () => form === this.#form && keep(form.words),
    });
    this.#form = form;
    this.line.hidden = true;
    this.line.after(form.element);
    form.changed();
    form.focus();
  }

  leaveCommand({ quietly = false } = {}) {
    if (!this.#form) return;
    this.#form.element.remove();
    this.#form = null;
    this.line.hidden = false;
    this.suggestions.hide();
    this.#fit();
    if (!quietly) this.area.focus();
  }

  #keys(event) {
    if (this.suggestions.keys(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      this.submit();
    } else if (event.key === "Escape" && this.#reply) this.replyTo(null);
    else if (event.key === "ArrowUp" && !this.area.value) {
      event.preventDefault();
      editNewest(this.app);
    }
  }

  #empty() {
    this.area.value = "";
    this.app.world.unsent.keepWords(this.shown.id, "");
  }

  #body(content) {
    const reply = this.#reply && { message_reference: { message_id: this.#reply.id } };
    const mentions =
      reply && !this.#ping
        ? { allowed_mentions: { parse: ["users", "roles", "everyone"], replied_user: false } }
        : {};
    return { content, ...reply, ...mentions };
  }

  submit() {
    const content = outgoing(this.app.world, this.area.value);
    if (!this.app.timeline || (!content && !this.uploads.files.length)) return;
    if (this.#isSlip(content)) return;
    if (content.length > LONGEST) this.#offerFile(content);
    else this.#send(content);
  }

  /** What looks like a command and is none is said to everybody only when Enter is pressed again. */
  #isSlip(content) {
    const call = content.match(/^\/(?:[a-z][\w-]*)?(?=\s|$)/)?.[0];
    if (!call || this.#doubted === content) return false;
    this.#doubted = content;
    const alike = this.#pickable(alikeCommands(this.app, content.slice(1)));
    const isOnServer = Boolean(this.app.world.channels.get(this.app.channelId)?.guild_id);
    const again = isOnServer
      ? ". Press Enter again to say it to everybody"
      : ": use it in a server's channel. Press Enter again to send it as it is";
    const title =
      `${call} is no command that you may use here${again}` +
      (alike.length ? ", or take one that is like it." : ".");
    this.suggestions.show(this.area, alike, { title, problem: true, active: -1 });
    return true;
  }

  /** What is too long for a message goes as a file, if that is wished; else it stays in the box. */
  async #offerFile(content) {
    const words =
      `A message holds ${LONGEST.toLocaleString()} characters, and this has ${content.length.toLocaleString()}. ` +
      "As a file it goes as it is, and agents read it too.";
    const { channelId } = this.app;
    const agreed = await confirmed("Send it as a file?", h("p", {}, words), { yes: "Send as a file", danger: false });
    if (!agreed || this.app.channelId !== channelId) return;
    if (this.uploads.add([new File([content], "message.txt", { type: "text/plain" })])) this.#send("");
  }

  #send(content) {
    this.app.timeline.send(this.#body(content), this.uploads.take());
    this.#empty();
    this.#typedAt = 0;
    this.suggestions.hide();
    this.replyTo(null);
    this.#fit();
    this.area.focus();
  }
}
