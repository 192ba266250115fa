/** The gateway: one websocket that tells what happens, resumed when it drops. */

import { Bus } from "./bus.js";

const OP = {
  DISPATCH: 0,
  HEARTBEAT: 1,
  IDENTIFY: 2,
  RESUME: 6,
  RECONNECT: 7,
  INVALID: 9,
  HELLO: 10,
  ACK: 11,
};
const ALL_INTENTS = 53608447;
const REFUSED = new Set([4004, 4010, 4011, 4012, 4013, 4014]);
const STALE = new Set([4003, 4007, 4009]);
const LONGEST_WAIT = 10000;

/** Emits `event` (name, data), `status` ("connecting", "ready", "lost") and `refused`. */
export class Gateway extends Bus {
  #socket = null;
  #sequence = null;
  #timer = 0;
  #failures = 0;
  #answered = true;
  #closed = false;
  sessionId = null;

  constructor(token) {
    super();
    this.url = `ws://${location.host}/gateway`;
    this.token = token;
  }

  open() {
    this.emit("status", "connecting");
    const socket = new WebSocket(`${this.url}?v=10&encoding=json`);
    this.#socket = socket;
    socket.onmessage = (event) => this.#socket === socket && this.#receive(JSON.parse(event.data));
    socket.onclose = (event) => this.#socket === socket && this.#lost(event.code);
  }

  close() {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#socket?.close(1000);
  }

  #send(op, d) {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ op, d }));
  }

  #receive({ op, d, s, t }) {
    if (s) this.#sequence = s;
    if (op === OP.DISPATCH) this.#dispatch(t, d);
    else if (op === OP.HELLO) this.#hello(d.heartbeat_interval);
    else if (op === OP.HEARTBEAT) this.#send(OP.HEARTBEAT, this.#sequence);
    else if (op === OP.ACK) this.#answered = true;
    else if (op === OP.RECONNECT) this.#again();
    else if (op === OP.INVALID) this.#invalid(d);
  }

  #dispatch(name, data) {
    if (name === "READY") this.sessionId = data.session_id;
    if (name === "READY" || name === "RESUMED") {
      this.#failures = 0;
      this.emit("status", "ready");
    }
    this.emit("event", name, data);
  }

  #hello(interval) {
    clearInterval(this.#timer);
    this.#answered = true;
    this.#timer = setInterval(() => this.#beat(), interval);
    if (this.sessionId) this.#resume();
    else this.#identify();
  }

  #beat() {
    if (!this.#answered) return this.#again();
    this.#answered = false;
    return this.#send(OP.HEARTBEAT, this.#sequence);
  }

  #identify() {
    const properties = { os: "browser", browser: "playground page", device: "playground page" };
    this.#send(OP.IDENTIFY, { token: this.token, intents: ALL_INTENTS, compress: false, properties });
  }

  #resume() {
    this.#send(OP.RESUME, { token: this.token, session_id: this.sessionId, seq: this.#sequence });
  }

  #invalid(resumable) {
    if (!resumable) this.#forget();
    this.#again();
  }

  #forget() {
    this.sessionId = null;
    this.#sequence = null;
  }

  #again() {
    const socket = this.#socket;
    this.#lost(0);
    socket.close(4000);
  }

  #lost(code) {
    clearInterval(this.#timer);
    this.#socket = null;
    if (this.#closed) return;
    if (REFUSED.has(code)) {
      this.emit("refused", code);
      return;
    }
    if (STALE.has(code)) this.#forget();
    this.emit("status", "lost");
    setTimeout(() => this.#closed || this.open(), this.#wait());
  }

  #wait() {
    this.#failures += 1;
    return Math.min(LONGEST_WAIT, 250 * 2 ** (this.#failures - 1));
  }
}
