/** Discord's REST v10, as one person. */

import { pause } from "./dom.js";

const BASE = "/api/v10";
const TRIES = 6;

/** A refusal by the server: `status`, Discord's `code`, a sentence. */
export class ApiError extends Error {
  constructor(status, body) {
    super(sentenceOf(body) || `The server answered ${status}.`);
    this.status = status;
    this.code = body?.code ?? 0;
  }
}

const PLAIN = {
  0: "That did not work: try again in a moment.",
  10003: "That channel is not there any more.",
  10008: "That message is not there any more.",
  10013: "That person is not here any more.",
  50001: "You may not look in there.",
  50013: "You may not do that here: ask who manages the server.",
  50035: "Something in it does not fit.",
};

/** What went wrong, as one would say it. */
function sentenceOf(body) {
  const detail = firstDetail(body?.errors);
  return detail || PLAIN[body?.code ?? 0] || body?.message;
}

function firstDetail(errors) {
  if (!errors || typeof errors !== "object") return "";
  if (Array.isArray(errors._errors) && errors._errors[0]) return errors._errors[0].message;
  for (const inner of Object.values(errors)) {
    const found = firstDetail(inner);
    if (found) return found;
  }
  return "";
}

function formOf(body, files) {
  const form = new FormData();
  form.append("payload_json", JSON.stringify(body));
  files.forEach((file, index) => form.append(`files[${index}]`, file, file.name));
  return form;
}

async function readBody(answer) {
  if (answer.status === 204) return null;
  const text = await answer.text();
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

export class Api {
  constructor(token) {
    this.token = token;
  }

  /** Call one of the playground's own routes. */
  own(method, path, more = {}) {
    return this.call(method, path, { ...more, base: "/playground" });
  }

  /** Call a route; rate limits are waited out; a refusal is thrown as ApiError. */
  async call(method, path, { body, files, query, base = BASE } = {}) {
    const search = query ? `?${new URLSearchParams(query)}` : "";
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#ask(base + path + search, this.#request(method, body, files));
      const given = await readBody(answer);
      if (answer.ok) return given;
      if (answer.status !== 429 || tries === TRIES) throw new ApiError(answer.status, given);
      await pause((given?.retry_after ?? 1) * 1000);
    }
  }

  async #ask(address, request) {
    try {
      return await fetch(address, request);
    } catch {
      throw new ApiError(0, { code: -1, message: "The playground does not answer: see whether it still runs." });
    }
  }

  #request(method, body, files) {
    const headers = { Authorization: this.token };
    if (files?.length) return { method, headers, body: formOf(body, files) };
    if (body === undefined) return { method, headers };
    return {
      method,
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    };
  }

  get(path, query) {
    return this.call("GET", path, { query });
  }

  post(path, body = {}, files = []) {
    return this.call("POST", path, { body, files });
  }

  put(path, body) {
    return this.call("PUT", path, { body });
  }

  patch(path, body) {
    return this.call("PATCH", path, { body });
  }

  delete(path) {
    return this.call("DELETE", path);
  }
}
