/** The people this playground knows, and which of them this tab is. */

import { kept, keptHere } from "../lib/keep.js";
import { ApiError } from "../lib/api.js";

export class People {
  list = [];

  /** `settings` is what GET /playground told. */
  constructor(settings) {
    this.told = [settings.person, ...(settings.people ?? [])];
    this.#collect();
  }

  /** What the server told comes first; what this browser remembers fills in. */
  #collect() {
    const known = new Map();
    for (const person of [...this.told, ...kept.get("people", [])]) {
      if (person?.user && !known.has(person.user.id)) known.set(person.user.id, person);
    }
    this.list = [...known.values()];
  }

  /** Who this tab is: asked for in the address, as before, or the owner. */
  current() {
    const asked = location.hash.match(/^#as=(\d+)$/)?.[1];
    if (asked) {
      keptHere.set("person", asked);
      history.replaceState(null, "", location.pathname);
    }
    const id = keptHere.get("person");
    return this.list.find((person) => person.user.id === id) ?? this.list[0];
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

  /** A token that no longer works: start again as the owner. */
  forget(person) {
    kept.set("people", kept.get("people", []).filter((one) => one.user.id !== person.user.id));
    keptHere.set("person", null);
  }

  async create({ name, manager, guild_id }) {
    const answer = await fetch("/playground/people", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ name, manager, guild_id }),
    });
    const given = await answer.json();
    if (!answer.ok) throw new ApiError(answer.status, given);
    const person = { user: given.user, token: given.token };
    kept.set("people", [...kept.get("people", []), person]);
    this.#collect();
    return person;
  }
}
