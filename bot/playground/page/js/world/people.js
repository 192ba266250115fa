/** The people this playground knows, and which of them this tab is. */

import { keptHere } from "../lib/keep.js";
import { ApiError } from "../lib/api.js";

async function ask(method, body, path = "") {
  const headers = body ? { "Content-Type": "application/json" } : {};
  const answer = await fetch(`/playground/people${path}`, { method, headers, body: body && JSON.stringify(body) });
  const given = answer.status === 204 ? null : await answer.json();
  if (!answer.ok) throw new ApiError(answer.status, given);
  return given;
}

export class People {
  list = [];

  /** `owner` is the person who was here first. */
  constructor(owner) {
    this.owner = owner;
  }

  /** Read who there is; the owner stands first. */
  async read() {
    const others = (await ask("GET")).filter((person) => person.user.id !== this.owner.user.id);
    this.list = [this.owner, ...others];
  }

  /** Who this tab is: asked for in the address, as before, or the owner. */
  current() {
    const asked = location.hash.match(/^#as=(\d+)$/)?.[1];
    if (asked) {
      keptHere.set("person", asked);
      history.replaceState(null, "", location.pathname);
    }
    const id = keptHere.get("person");
    return this.list.find((person) => person.user.id === id) ?? this.owner;
  }

  /** Be somebody else in this tab. */
  become(person) {
    keptHere.set("person", person.user.id);
    location.reload();
  }

  /** Be somebody else in a new tab. */
  openApart(person) {
    open(`${location.pathname}#as=${person.user.id}`, "_blank");
  }

  /** Be called otherwise from now on. */
  rename(userId, name) {
    return ask("PATCH", { name }, `/${userId}`);
  }

  /** Read in another language from now on. */
  setLocale(userId, locale) {
    return ask("PATCH", { locale }, `/${userId}`);
  }

  /** Let somebody go for good. */
  remove(userId) {
    return ask("DELETE", null, `/${userId}`);
  }

  async create({ name, manager, guild_id }) {
    const person = await ask("POST", { name, manager, guild_id });
    this.list.push(person);
    return person;
  }
}
