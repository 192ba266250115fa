/** The runs that are kept: societies without anybody chatting. */

import { h } from "/shared/js/lib/dom.js";
import { confirmed, openDialog } from "/shared/js/widgets/dialog.js";
import { copyText } from "/shared/js/widgets/toast.js";
import { ago, deed, nothing, part, table } from "./parts.js";
import { change, save, saveText } from "./session.js";
import { counted, t } from "/shared/js/lib/words.js";

/** What is done with a run; `after` is called once something has changed. */
export function deeds(run, snapshot, after) {
  const sure = () => confirmed(t("Delete run {number}?", { number: run }), t("All its snapshots go, and do not come back."), { yes: t("Delete") });
  const remove = async () => (await sure()) && change("DELETE", `/runs/${run}`);
  return h(
    "div.row",
    {},
    snapshot === null
      ? null
      : deed(t("Export"), async () => save(`/runs/${run}/snapshots/${snapshot}/export`, `run-${run}.zip`), null, ".small"),
    deed(t("Copy"), () => change("POST", `/runs/${run}/copy`), ({ run: made }) => after(made), ".small"),
    deed(t("Delete"), remove, () => after(null), ".small.danger"),
  );
}

/** A button that shows a run as the file that `selfroom sim` plays; `spec()` says the run. */
export function asFile(spec) {
  const show = ({ toml }) => {
    const copy = () => copyText(toml, t("The file"));
    const save = () => saveText(toml, "run.toml");
    const build = () =>
      h(
        "div.dialog-body",
        {},
        h("p", {}, t("selfroom sim run.toml plays the same, with the same bytes.")),
        h("pre.hud", { tabindex: 0, "aria-label": "run.toml" }, toml),
        h(
          "div.dialog-actions",
          {},
          h("button.button", { type: "button", on: { click: copy } }, t("Copy")),
          h("button.button.primary", { type: "button", on: { click: save } }, t("Save")),
        ),
      );
    openDialog(t("As a file"), build, { kind: "wide" });
  };
  return deed(t("As TOML"), () => change("POST", "/runs/file", spec()), show, ".small");
}

/** What is played now, with a button that ends it. */
export function underWay(going) {
  return h(
    "div.row.going",
    { role: "status" },
    h("span", {}, t("Run {number} is being played: {turns} so far.", { number: going.run, turns: counted(going.turns, "turn") })),
    deed(t("End it"), () => change("POST", "/runs/end"), null, ".small"),
  );
}

function row(one, show) {
  const address = h("a", { href: `#/runs/${one.run}` }, one.title ?? t("Run {number}", { number: one.run }));
  if (one.why) return [one.run, h("span", {}, t("Run {number}", { number: one.run })), one.why, "", "", deeds(one.run, null, () => show())];
  const what = `${one.scene}, ${counted(one.agents, "agent")}`;
  const newest = one.snapshots - 1;
  return [
    one.run,
    address,
    what,
    t("{model}, seed {seed}", { model: one.model, seed: one.seed }),
    [ago(one.made), `, ${counted(one.snapshots, "snapshot")}, ${Number(one.usd).toFixed(4)} ${one.coin}`],
    deeds(one.run, newest, () => show()),
  ];
}

/** The page. */
export function runs(told, show) {
  const heads = [t("Run"), t("Title"), t("What"), t("Model"), t("Made"), t("Do")];
  return [
    h("h1", {}, t("Runs")),
    h("p", {}, t("A run is a community without Discord: agents play a scene, or talk, in a time of their own.")),
    h("p", {}, h("a.button.primary", { href: "#/runs/new" }, t("Set up a run"))),
    told.under_way ? underWay(told.under_way) : null,
    part(t("Kept runs"), told.runs.length ? table(t("Runs"), heads, told.runs.map((one) => row(one, show))) : nothing(t("There are none yet."))),
  ];
}
