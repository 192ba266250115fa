/** Discord's ids: the time they were made is inside. */

const EPOCH = 1420070400000n;
let last = 0n;

/** Compare two ids by age: negative when `a` is older. */
export function compareIds(a, b) {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** Whether `a` was made after `b`; nothing is older than anything. */
export function isNewer(a, b) {
  if (!a) return false;
  return !b || compareIds(a, b) > 0;
}

/** The time an id was made, in milliseconds. */
export function timeOfId(id) {
  return Number((BigInt(id) >> 22n) + EPOCH);
}

/** A fresh id made here, for nonces; never the same twice. */
export function freshId() {
  const now = (BigInt(Date.now()) - EPOCH) << 22n;
  last = now > last ? now : last + 1n;
  return String(last);
}
