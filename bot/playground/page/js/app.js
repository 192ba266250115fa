/** The page as one thing: what the views share and ask of one another. */

import { Bus } from "./lib/bus.js";
import { Api } from "./lib/api.js";
import { Gateway } from "./lib/gateway.js";
import { keptHere } from "./lib/keep.js";
import { Agents } from "./world/agents.js";
import { commandData, Commands } from "./world/commands.js";
import { Notices } from "./world/notices.js";
import { Interactions, KIND } from "./world/interactions.js";
import { Paces } from "./world/paces.js";
import { Timeline } from "./world/timeline.js";
import { Unread } from "./world/unread.js";
import { World } from "./world/world.js";
import { openUserMenu } from "./side/user_menu.js";
import { toast } from "./widgets/toast.js";

/** Emits `open` with a channel, and `panel`. The views hang themselves on it: log, tools, composer. */
export class App extends Bus {
  channelId = null;
  timeline = null;
  editing = null;
  panel = null;
  selectedAgent = null;

  constructor(settings, people, person) {
    super();
    this.settings = settings;
    this.people = people;
    this.api = new Api(person.token);
    this.gateway = new Gateway(person.token);
    this.world = new World();
    this.world.guildId = keptHere.get("guild") ?? settings.guild_id ?? null;
    this.unread = new Unread(this.world);
    this.notices = new Notices(this);
    this.agents = new Agents(settings.face_url, person.token);
    this.commands = new Commands(this);
    this.paces = new Paces(this);
    this.tree = null; // of what-ifs, whose thread is open
    this.interactions = new Interactions(this);
    this.gateway.on("event", (name, data) => this.world.apply(name, data));
  }

  /** An agent as an author, with the picture that it has, or else last posted under. */
  faceOf(agent) {
    const [, id, avatar] = agent.face?.match(/\/avatars\/(\d+)\/(\w+)\.png/) ?? [];
    return id ? { id, avatar, bot: true } : (this.world.faces.get(agent.name) ?? { id: String(agent.id), bot: true });
  }

  /** Open a channel, at a message if one is named. */
  async open(channelId, messageId = null) {
    const channel = this.world.channels.get(channelId) ?? (await this.#fetchChannel(channelId));
    if (!channel) return;
    if (channel.guild_id && channel.guild_id !== this.world.guildId) this.#changeGuild(channel.guild_id);
    if (channelId === this.channelId && this.timeline) {
      if (messageId) await this.quietly(this.log.goTo(messageId));
      this.emit("open", channel);
      return;
    }
    await this.#enter(channel, messageId);
  }

  async #enter(channel, messageId) {
    this.timeline?.close();
    this.editing = null;
    this.channelId = channel.id;
    keptHere.set("channel", channel.id);
    this.timeline = new Timeline(this.world, this.api, channel.id);
    this.emit("open", channel);
    this.composer.show(channel);
    if (this.world.isTalk(channel)) await this.quietly(this.log.show(this.timeline, messageId));
  }

  /** Open a message that stands in a panel, which makes way where it covers the chat. */
  lookAt(channelId, messageId) {
    if (matchMedia("(max-width: 1180px)").matches) this.showPanel(null);
    return this.open(channelId, messageId);
  }

  #changeGuild(guildId) {
    this.world.guildId = guildId;
    keptHere.set("guild", guildId);
    this.world.emit("guilds");
    this.world.emit("channels");
    this.world.emit("members");
  }

  async #fetchChannel(channelId) {
    const channel = await this.quietly(this.api.get(`/channels/${channelId}`));
    if (channel) this.world.putChannel(channel);
    else toast("That channel is not to be seen from here.", "error");
    return channel;
  }

  /** Open a thread, which may not be known yet. */
  openThread(thread) {
    if (!this.world.channels.has(thread.id)) {
      this.world.putChannel({ guild_id: this.world.guildId, ...thread });
    }
    return this.open(thread.id);
  }

  /** Go elsewhere when the open channel is gone, or is not to be seen any more. */
  leaveUnseen() {
    const channel = this.world.channels.get(this.channelId);
    if (!this.channelId || this.world.awaited?.size || (channel && this.world.sees(channel))) return;
    this.channelId = null;
    this.timeline.close();
    this.timeline = null;
    this.reopen();
  }

  /** After a new READY: what is open is read again. */
  async reopen() {
    const wanted = this.channelId ?? keptHere.get("channel");
    const known = this.world.channels.get(wanted);
    const channel = known && this.world.sees(known) ? known : this.world.firstChannel();
    if (!channel) return;
    if (channel.id === this.channelId) await this.quietly(this.timeline.newest());
    else await this.#enter(channel, null);
  }

  /** Wait for something; a failure is told in a note and gives undefined. */
  async quietly(promise) {
    try {
      return await promise;
    } catch (error) {
      toast(error.message, "error");
      return undefined;
    }
  }

  replyTo(message) {
    this.composer.replyTo(message);
  }

  focusComposer() {
    this.composer.focus();
  }

  /** Begin a slash command by its name, with what is already known of its options. */
  async startCommand(name, texts = {}) {
    await this.quietly(this.commands.refresh());
    const leaf = this.commands.slash().find((one) => one.name === name);
    if (leaf) this.composer.enterCommand(leaf, texts);
    else toast(`There is no command /${name} here.`, "error");
  }

  /** Run a slash command with all that it needs: its answer stands in the log. */
  async useCommand(name, values) {
    await this.quietly(this.commands.refresh());
    const leaf = this.commands.slash().find((one) => one.name === name);
    if (!leaf) {
      toast(`There is no command /${name} here.`, "error");
      return;
    }
    const options = leaf.options
      .filter((one) => one.name in values)
      .map(({ type, name }) => ({ type, name, value: values[name] }));
    const bot = leaf.command.application_id;
    const at = { channelId: this.channelId };
    const outcome = await this.interactions.send(KIND.COMMAND, bot, commandData(leaf, options), at);
    if (outcome.ok) this.commands.note(name);
    else toast(`/${name} failed. ${outcome.reason}`, "error");
  }

  /** Put away a message that only this person sees. */
  dismiss(message) {
    this.world.apply("MESSAGE_DELETE", { channel_id: message.channel_id, id: message.id });
  }

  /** Show who wrote a message: the agent's drawer, or the person's menu. */
  showAuthor(message, anchor) {
    const agent = this.agents.authorOf(message);
    if (agent) this.showAgent(agent.id);
    else if (!message.webhook_id) openUserMenu(this, message.author, anchor);
  }

  showAgent(id) {
    this.selectedAgent = id;
    this.showPanel("agent");
  }

  /** Show a panel beside the chat: "members", "agent", "search", or null for none. */
  showPanel(panel) {
    this.panel = panel;
    keptHere.set("panel", panel);
    this.emit("panel", panel);
  }
}
