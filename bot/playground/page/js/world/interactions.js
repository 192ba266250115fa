/** Interactions as a client makes them: a POST, and an answer over the gateway that bears the same nonce. */

import { Bus } from "../lib/bus.js";
import { freshId } from "../lib/snowflake.js";

export const KIND = { COMMAND: 2, COMPONENT: 3, AUTOCOMPLETE: 4, MODAL: 5 };
const PATIENCE = 20000;

/** Emits `modal` with the form that a bot opens. */
export class Interactions extends Bus {
  #waiting = new Map();

  constructor(app) {
    super();
    this.app = app;
    app.gateway.on("event", (name, data) => this.#hear(name, data));
  }

  #hear(name, data) {
    const nonce = String(data?.nonce ?? "");
    if (name === "INTERACTION_SUCCESS") this.#settle(nonce, { ok: true });
    else if (name === "INTERACTION_FAILURE")
      this.#settle(nonce, { ok: false, reason: "The bot did not respond in time." });
    else if (name === "INTERACTION_MODAL_CREATE") this.#form(nonce, data);
    else if (name === "APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE")
      this.#settle(nonce, { ok: true, choices: data.choices });
  }

  /** A form opens in the tab where it was asked for. */
  #form(nonce, data) {
    const context = this.#waiting.get(nonce)?.context;
    if (!context) return;
    this.#settle(nonce, { ok: true, modal: data });
    this.emit("modal", data, context);
  }

  #settle(nonce, outcome) {
    const waiting = this.#waiting.get(nonce);
    if (!waiting) return;
    clearTimeout(waiting.timer);
    this.#waiting.delete(nonce);
    waiting.resolve(outcome);
  }

  #wait(nonce, context) {
    return new Promise((resolve) => {
      const late = { ok: false, reason: "The bot did not respond in time." };
      const timer = setTimeout(() => this.#settle(nonce, late), PATIENCE);
      this.#waiting.set(nonce, { resolve, timer, context });
    });
  }

  /** Send one; resolves to `{ok, reason?, choices?, modal?}` and never throws. */
  async send(type, applicationId, data, { channelId, message, files } = {}) {
    const nonce = freshId();
    const channel = this.app.world.channels.get(channelId);
    const body = {
      type,
      application_id: applicationId,
      guild_id: channel?.guild_id,
      channel_id: channelId,
      session_id: this.app.gateway.sessionId,
      nonce,
      data,
      ...(message ? { message_id: message.id, message_flags: message.flags ?? 0 } : {}),
    };
    const answer = this.#wait(nonce, { applicationId, channelId, message });
    try {
      await this.app.api.post("/interactions", body, files);
    } catch (error) {
      this.#settle(nonce, { ok: false, reason: error.message });
    }
    return answer;
  }
}
