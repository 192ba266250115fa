/**
 * The page's start: ask where we are, be somebody, listen.
 *
 * lib/      elements, REST, gateway, ids, times: nothing of this page
 * world/    what is known: guilds, channels, people, timelines, commands, interactions, agents
 * text/     markdown both ways, emoji
 * widgets/  menus, dialogs, pickers, notes
 * tree/     a tree of what-ifs, here and in the console
 * chat/     the log and what stands in it;  compose/  the box below it;  side/  what stands beside it
 *
 * Gateway events change the world; the world tells the views; views draw and ask the REST API. Nothing goes back up.
 */

import { App } from "./app.js";
import { Log } from "./chat/log.js";
import { mountHeader } from "./chat/header.js";
import { MessageTools } from "./chat/message_menu.js";
import { openForm } from "./chat/modal.js";
import { mountScene } from "./chat/scene.js";
import { mountTyping } from "./chat/typing.js";
import { mountTree } from "./chat/what_if.js";
import { Composer } from "./compose/composer.js";
import { mountLayout } from "./layout.js";
import { keepRelativeTimes } from "./lib/clock.js";
import { find } from "./lib/dom.js";
import { mountChannels } from "./side/channels.js";
import { Drawer } from "./side/drawer.js";
import { mountMembers } from "./side/members.js";
import { mountRoomPane } from "./side/room_pane.js";
import { mountSearch } from "./side/search.js";
import { mountSwitcher } from "./side/switcher.js";
import { mountTheme } from "./side/theme.js";
import { mountWelcome } from "./side/welcome.js";
import { icon } from "./lib/icons.js";
import { People } from "./world/people.js";

function fillIcons() {
  for (const holder of document.querySelectorAll("[data-icon]")) holder.prepend(icon(holder.dataset.icon));
}

function mount(app) {
  app.log = new Log(app, find(".log-frame"));
  app.tools = new MessageTools(app, app.log);
  app.composer = new Composer(app, find(".composer"));
  mountHeader(app, find(".chat-head"));
  mountScene(app, find(".scene"));
  mountTree(app, find(".tree"));
  mountTyping(app, find(".typing"));
  mountChannels(app, find(".channels"));
  mountMembers(app, find(".members"));
  mountRoomPane(app, find(".panel"));
  mountSwitcher(app, find(".switcher"));
  mountSearch(app, find(".found"));
  app.drawer = new Drawer(app, find(".drawer"));
  find(".open-welcome").addEventListener("click", mountWelcome(app, find(".welcome")));
  mountLayout(app);
  keepRelativeTimes();
  find(".frame").inert = false;
}

/** Open the page anew, drafts and all, where the bot is elsewhere after a restart: this page may not ask it there. */
async function followBot(app) {
  const answer = await fetch("/playground").catch(() => null);
  if (answer?.ok && (await answer.json()).face_url !== app.settings.face_url) location.reload();
}

function listen(app) {
  let wasLost = false;
  app.gateway.on("status", (status) => {
    if (status === "ready" && wasLost) followBot(app);
    wasLost = status !== "ready" && (wasLost || status === "lost");
  });
  app.interactions.on("modal", (modal, context) => openForm(app, modal, context));
  app.world.on("settled", () => app.reopen());
  app.world.on("channels", () => app.leaveUnseen());
  app.gateway.on("refused", () => say("The playground does not know you any more. Reload the page."));
}

function say(text) {
  find(".frame").inert = false;
  const banner = find(".connection");
  banner.textContent = text;
  banner.hidden = false;
}

async function start() {
  fillIcons();
  mountTheme(find(".theme"));
  const answer = await fetch("/playground");
  if (!answer.ok) throw new Error(`The playground answered ${answer.status}.`);
  const settings = await answer.json();
  const people = new People(settings.person);
  await people.read();
  const person = people.current();
  const app = new App(settings, people, person);
  mount(app);
  listen(app);
  app.gateway.open();
  app.agents.start();
}

start().catch((error) =>
  say(`The page could not start: ${error.message} Reload it when the playground runs.`),
);
