/** Forms that bots open: texts, selects, boxes to tick, files. */

import { findAll, h } from "../lib/dom.js";
import { markdown } from "../text/blocks.js";
import { KIND } from "../world/interactions.js";
import { openDialog } from "../widgets/dialog.js";
import { isSelect, selectBox } from "./select.js";

const CHECKBOX = 23;
let fields = 0;

function textInput(part) {
  const limits = {
    minlength: part.min_length ?? null,
    maxlength: part.max_length ?? 4000,
    required: part.required !== false,
  };
  const shared = {
    ...limits,
    placeholder: part.placeholder ?? null,
    value: part.value ?? "",
    data: { id: part.custom_id },
  };
  const field =
    part.style === 2
      ? h("textarea.field", { rows: 5, ...shared })
      : h("input.field", { type: "text", ...shared });
  return { field, read: () => ({ value: field.value }) };
}

function ticks(part, type) {
  const group = `ticks-${(fields += 1)}`;
  const boxes = (part.options ?? []).map((option) =>
    h("input", { type, name: group, value: option.value, checked: Boolean(option.default) }),
  );
  const rows = boxes.map((box, index) => {
    const { label, description } = part.options[index];
    return h("label.tick", {}, box, h("span", {}, label, description ? h("small", {}, description) : null));
  });
  const chosen = () => boxes.filter((box) => box.checked).map((box) => box.value);
  const read = () => (type === "radio" ? { value: chosen()[0] ?? null } : { values: chosen() });
  return {
    field: h("div.ticks", { role: type === "radio" ? "radiogroup" : "group" }, rows),
    read,
    count: () => chosen().length,
  };
}

function checkbox(part) {
  const box = h("input", { type: "checkbox", checked: Boolean(part.default) });
  return { field: h("label.tick", {}, box, h("span", {}, "Yes")), read: () => ({ value: box.checked }) };
}

function upload(part, files) {
  const many = (part.max_values ?? 1) > 1;
  const field = h("input.field", {
    type: "file",
    multiple: many,
    required: part.required !== false && (part.min_values ?? 1) > 0,
  });
  const read = () => ({ values: [...field.files].map((file) => String(files.push(file) - 1)) });
  return { field, read };
}

function select(app, part, label) {
  const { box, values } = selectBox(app, part, { label });
  return {
    field: box,
    read: () => ({ values: values().map((one) => one.value) }),
    count: () => values().length,
  };
}

function control(app, part, label, files) {
  if (part.type === 4) return textInput(part);
  if (part.type === 19) return upload(part, files);
  if (part.type === 21) return ticks(part, "radio");
  if (part.type === 22) return ticks(part, "checkbox");
  if (part.type === CHECKBOX) return checkbox(part);
  if (isSelect(part)) return select(app, part, label);
  const sorry = `This page does not know fields of type ${part.type}.`;
  return { field: h("p.quiet", {}, sorry), read: () => ({}) };
}

function least(part) {
  if (part.required === false) return 0;
  return part.min_values ?? 1;
}

function fieldOf(app, part, { label, description }, files, wrap) {
  const made = control(app, part, label, files);
  const id = `field-${(fields += 1)}`;
  const hint = description ? h("small.form-hint", { id: `${id}-hint` }, description) : null;
  const error = h("small.form-error", { role: "alert" });
  made.field.id = id;
  if (hint) made.field.setAttribute("aria-describedby", hint.id);
  if (made.field.matches(".ticks")) made.field.setAttribute("aria-labelledby", `${id}-label`);
  const mark =
    part.required !== false && part.type !== CHECKBOX
      ? h("span.required", { "aria-hidden": "true" }, " *")
      : null;
  const element = h(
    "div.form-field",
    {},
    h("label.form-label", { for: id, id: `${id}-label` }, label, mark),
    hint,
    made.field,
    error,
  );
  const check = () => {
    const short = made.count && made.count() < least(part);
    error.textContent = short ? `Choose at least ${least(part)}.` : problemOf(made.field);
    return !error.textContent;
  };
  const again = () => error.textContent && check();
  element.addEventListener("input", again);
  element.addEventListener("chosen", again);
  const read = () => wrap({ type: part.type, id: part.id, custom_id: part.custom_id, ...made.read() });
  return { element, check, read };
}

/** What is wrong with a text, in a sentence; set values are checked too, which browsers leave out. */
function problemOf(field) {
  const { value, minLength, required } = field;
  if (typeof value !== "string" || field.type === "checkbox") return "";
  if (required && !value.trim()) return "Please fill this in.";
  if (value && minLength > 0 && value.length < minLength) return `At least ${minLength} characters, please.`;
  return "";
}

function rowsOf(app, modal, files) {
  return modal.components.flatMap((part) => {
    if (part.type === 10) return [{ element: markdown(app, part.content) }];
    if (part.type === 18) {
      return [
        fieldOf(app, part.component, part, files, (component) => ({ type: 18, id: part.id, component })),
      ];
    }
    const inner = part.components ?? [];
    return inner.map((one) =>
      fieldOf(app, one, { label: one.label ?? "" }, files, (read) => ({ type: 1, components: [read] })),
    );
  });
}

function allGood(rows) {
  const checks = rows.map((row) => row.check?.() ?? true);
  const wrong = checks.indexOf(false);
  if (wrong >= 0) findAll("input, textarea, button", rows[wrong].element)[0]?.focus();
  return wrong < 0;
}

/** Open the form that a bot sent; it stays open until the bot has taken it. */
export function openForm(app, modal, context) {
  const files = [];
  const rows = rowsOf(app, modal, files);
  const problem = h("p.component-note", { role: "alert", hidden: true });
  const build = (close) => {
    const ok = h("button.button.primary", { type: "submit" }, "Submit");
    const submit = async (event) => {
      event.preventDefault();
      if (!allGood(rows)) return;
      files.length = 0;
      ok.disabled = true;
      const outcome = await sendForm(app, modal, context, rows, files);
      ok.disabled = false;
      if (outcome.ok) close();
      problem.hidden = outcome.ok;
      problem.textContent = outcome.ok ? "" : `Something went wrong. ${outcome.reason}`;
    };
    const cancel = h("button.button", { type: "button", on: { click: close } }, "Cancel");
    const inner = [rows.map((row) => row.element), problem, h("div.dialog-actions", {}, cancel, ok)];
    return h("form.dialog-body", { novalidate: true, on: { submit } }, inner);
  };
  const bot = modal.application?.name ?? "an app";
  openDialog(modal.title, build, { kind: "form", note: h("p.dialog-note", {}, `A form by ${bot}.`) });
}

function sendForm(app, modal, context, rows, files) {
  const components = rows.filter((row) => row.read).map((row) => row.read());
  const attachments = files.map((file, index) => ({ id: String(index), filename: file.name }));
  const data = {
    id: modal.id,
    custom_id: modal.custom_id,
    components,
    ...(files.length ? { attachments } : {}),
  };
  const application = modal.application?.id ?? context.applicationId;
  return app.interactions.send(KIND.MODAL, application, data, { ...context, files });
}
