/** Notes on the desktop about what is said while this person looks elsewhere. */

import { kept } from "../lib/keep.js";
import { editable } from "../text/outgoing.js";
import { toast } from "../widgets/toast.js";

const LONGEST = 200;
export const LEVELS = { all: "of everything", mine: "of what is for me", none: "of nothing" };

export class Notices {
  constructor(app) {
    this.app = app;
    app.world.on("message", (message) => this.#wanted(message) && this.#show(message));
  }

  get level() {
    return kept.get("notices", "none");
  }

  /** Say of what to be told; the browser asks whether the page may. */
  async choose(level) {
    if (level !== "none" && (await Notification.requestPermission()) !== "granted") {
      toast("The browser does not let this page notify you: allow it in the page's settings.", "error");
      return;
    }
    kept.set("notices", level);
  }

  #wanted(message) {
    const { app } = this;
    const channel = app.world.channels.get(message.channel_id);
    const looks = document.hasFocus() && message.channel_id === app.channelId;
    if (this.level === "none" || looks || !channel || app.unread.isMuted(channel)) return false;
    if (message.author?.id === app.world.me.id || message.flags & 64) return false;
    return this.level === "all" || app.unread.isForMe(message);
  }

  #show(message) {
    const { app } = this;
    const channel = app.world.channels.get(message.channel_id);
    const who = message.webhook_id ? message.author.username : app.world.nameOf(message.author);
    const where = channel.guild_id ? ` in #${app.world.channelName(channel)}` : "";
    const body = editable(app.world, message.content || "sent a file").slice(0, LONGEST);
    const note = new Notification(`${who}${where}`, { body, tag: message.channel_id, icon: "favicon.svg" });
    note.addEventListener("click", () => {
      focus();
      app.open(message.channel_id, message.id);
    });
  }
}
