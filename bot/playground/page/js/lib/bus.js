/** Something that others can listen to. */
export class Bus {
  #listeners = new Map();

  /** Listen to `name`; the answer stops listening. */
  on(name, listener) {
    if (!this.#listeners.has(name)) this.#listeners.set(name, new Set());
    this.#listeners.get(name).add(listener);
    return () => this.#listeners.get(name).delete(listener);
  }

  /** Listen to several names at once. */
  onAny(names, listener) {
    const stops = names.map((name) => this.on(name, listener));
    return () => stops.forEach((stop) => stop());
  }

  /** Tell everyone who listens to `name`. */
  emit(name, ...given) {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) listener(...given);
  }
}
