/** Discord's ids: the time they were made is inside. */

const EPOCH = 1420070400000n;
const LAST = (1n << 63n) - 1n;
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

/** The smallest id of a time. */
export function idOfTime(milliseconds) {
  const id = (BigInt(milliseconds) - EPOCH) << 22n;
  return String(id < 0n ? 0n : id > LAST ? LAST : id);
}

/** A fresh id made here, for nonces; never the same twice. */
export function freshId() {
  const now = (BigInt(Date.now()) - EPOCH) << 22n;
  last = now > last ? now : last + 1n;
  return String(last);
}
