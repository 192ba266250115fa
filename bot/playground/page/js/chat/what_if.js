/** The tree of what-ifs above its thread. */

import { Pane } from "../tree/pane.js";
import { isManager } from "../world/permissions.js";
import { treeOf } from "../world/trees.js";

/** What is done in a tree here: the bot's own commands, whose answers stand in the thread below. */
function hostOf(app, tree, pane) {
  const name = (id) => app.agents.byId(Number(id))?.name ?? `agent ${id}`;
  const use = async (what, values) => {
    pane().small();
    await app.useCommand(`timeline ${what}`, { ...values, tree: tree.id });
  };
  const begin = (what, values) => {
    pane().small();
    const given = Object.entries({ ...values, tree: tree.id });
    app.startCommand(`timeline ${what}`, Object.fromEntries(given.map(([key, value]) => [key, String(value)])));
  };
  return { name, use, begin };
}

/** Keep it up to date while a tree's thread is open. */
export function mountTree(app, root) {
  let pane = null;
  const look = async () => {
    const channel = app.world.channels.get(app.channelId);
    if (pane || !channel || !app.world.isThread(channel) || !app.world.me || !isManager(app.world)) return;
    const tree = await treeOf(app.agents, channel);
    if (!tree || pane || app.channelId !== channel.id) return;
    pane = new Pane(hostOf(app, tree, () => pane), root, tree);
    app.tree = tree;
    app.emit("tree");
    pane.open();
  };
  app.on("open", () => {
    pane?.close();
    pane = app.tree = null;
    look();
  });
  app.world.on("messageUpdate", (message) => message.channel_id === app.channelId && pane?.refresh());
  app.world.on("message", (message) => message.channel_id === app.channelId && look());
}
