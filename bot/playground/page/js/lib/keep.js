/** What this browser (or this tab) keeps between visits. */

function read(store, key, otherwise) {
  try {
    const text = store.getItem(`playground.${key}`);
    return text === null ? otherwise : JSON.parse(text);
  } catch {
    return otherwise; // a damaged or forbidden store must not keep the page from opening
  }
}

function write(store, key, value) {
  try {
    if (value === null || value === undefined) store.removeItem(`playground.${key}`);
    else store.setItem(`playground.${key}`, JSON.stringify(value));
  } catch {
    // a full or forbidden store only means that nothing is remembered
  }
}

/** Kept for every tab of this browser. */
export const kept = {
  get: (key, otherwise = null) => read(localStorage, key, otherwise),
  set: (key, value) => write(localStorage, key, value),
};

/** Kept for this tab alone. */
export const keptHere = {
  get: (key, otherwise = null) => read(sessionStorage, key, otherwise),
  set: (key, value) => write(sessionStorage, key, value),
};
