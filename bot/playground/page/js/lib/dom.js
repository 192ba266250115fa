/** Small tools for building elements. Text always goes in as text, never as HTML. */

const PROPERTIES = new Set([
  "value",
  "checked",
  "disabled",
  "selected",
  "hidden",
  "multiple",
  "indeterminate",
]);

function setProperty(element, name, value) {
  if (name === "on") {
    for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
  } else if (name === "style") {
    for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
  } else if (name === "data") {
    Object.assign(element.dataset, value);
  } else if (PROPERTIES.has(name)) {
    element[name] = value;
  } else if (value !== null && value !== undefined && value !== false) {
    element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** Build an element: `h("button.primary", {type: "button", on: {click}}, "Send")`. */
export function h(spec, properties = {}, ...children) {
  const [tag, ...classes] = spec.split(".");
  const element = document.createElement(tag || "div");
  if (classes.length) element.className = classes.join(" ");
  for (const [name, value] of Object.entries(properties ?? {})) setProperty(element, name, value);
  add(element, children);
  return element;
}

/** Append children: nodes, texts, nested lists; null and false are left out. */
export function add(parent, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : String(child));
  }
  return parent;
}

/** Replace all that an element holds. */
export function fill(parent, ...children) {
  parent.replaceChildren();
  return add(parent, children);
}

/** Empty an element and give it back. */
export function clear(parent) {
  parent.replaceChildren();
  return parent;
}

/** Find the first element that matches. */
export function find(selector, root = document) {
  return root.querySelector(selector);
}

/** Find all elements that match, as a list. */
export function findAll(selector, root = document) {
  return [...root.querySelectorAll(selector)];
}

/** Everything inside `root` that the keyboard can reach, in order. */
export function focusable(root) {
  const selector = "a[href], button, input, select, textarea, [tabindex]";
  return findAll(selector, root).filter(
    (element) => !element.disabled && element.tabIndex >= 0 && element.offsetParent !== null,
  );
}

const WITHOUT_FRAMES = 500; // milliseconds

/** Run `work` once per animation frame, however often the result is called; a hidden tab has no frames, and works too. */
export function oncePerFrame(work) {
  let timer = 0;
  let frame = 0;
  const run = () => {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
    timer = 0;
    work();
  };
  return () => {
    if (timer) return;
    timer = setTimeout(run, WITHOUT_FRAMES);
    frame = requestAnimationFrame(run);
  };
}

/** Run `work` when calls have stopped for `wait` milliseconds. */
export function afterPause(wait, work) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...given), wait);
  };
}

/** A promise that resolves after `milliseconds`. */
export function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
