/** Which trees of what-ifs there are, as the bot tells of them. */

import { ask } from "../lib/stream.js";
import { Tree } from "../tree/tree.js";

/** The tree that a thread tells of, or null: only managers are asked for, for nobody else may look into trees. */
export async function treeOf(agents, channel) {
  if (!agents.faceUrl) return null;
  try {
    const headers = { Authorization: agents.token };
    const trees = await ask(`${agents.faceUrl}/trees?guild_id=${channel.guild_id}`, headers);
    const found = trees.find((one) => one.thread_id === channel.id);
    return found ? new Tree(found.id, agents.faceUrl, headers, { guild_id: channel.guild_id }) : null;
  } catch {
    return null; // the bot is not there just now
  }
}
