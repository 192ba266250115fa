"""Agents made, changed and copied."""

from collections.abc import Iterator

import discord
from discord import app_commands

from bot.core.actions import AlterAgent, CloneAgent, SetAllocation
from bot.core.errors import Rejected
from bot.core.kinds import AgentType
from bot.core.sentences import Sentence, stacked
from bot.core.templates import BY_PURPOSE, TEMPLATES, Purpose, Template
from cogs.arguments import AgentArg, ModelArg, ModelsArg, models_here
from cogs.base import Group, Interaction, guild_of, managers_only, person, wait
from cogs.ui.again import Again, UseButton
from cogs.ui.faces import lasting
from cogs.ui.forms import AgentForm, Draft, NewAgentForm, open_form
from cogs.ui.guide import FOR_EVERYONE

MOST_BYTES = 64_000
Budget = app_commands.Range[int, 4_000, 200_000]
Heat = app_commands.Range[float, 0.0, 2.0]
Name = app_commands.Range[str, 1, 50]
Percent = app_commands.Range[int, 0, 100]
TEMPLATE_CHOICES = [
    app_commands.Choice(name=f"{template.name}: {template.about}"[:100], value=template.name)
    for template in TEMPLATES.values()
]


PURPOSES = {
    Purpose.COMPANION: Sentence("Companions"),
    Purpose.HELPER: Sentence("Helpers"),
    Purpose.GAME_MASTER: Sentence("Game masters"),
    Purpose.MODERATOR: Sentence("Moderators"),
}


class Making(Group):
    """Commands that make and change agents."""

    @app_commands.command()
    @app_commands.choices(template=TEMPLATE_CHOICES)
    async def create(
        self,
        interaction: Interaction,
        name: app_commands.Range[str, 0, 50] = "",
        template: str = "",
        prompt: app_commands.Range[str, 0, 4000] = "",
        model: ModelArg | None = None,
        avatar: discord.Attachment | None = None,
        type: AgentType = AgentType.PERSONA,
    ) -> None:
        """Make a new agent with a room of its own; a form asks for what you leave out.

        Args:
            name: What it is called
            template: Start from a ready-made one
            prompt: Who it is (persona) or what it does (bot)
            model: Its model; the server's own when left out
            avatar: Its picture
            type: A persona is a character, a bot is a function
        """
        managers_only(interaction)
        draft = Draft(name=name, prompt=prompt, type=type, model=model, picture=avatar).begun(TEMPLATES.get(template))
        if name and draft.prompt:
            await self.make_agent(interaction, draft)
        else:
            await open_form(interaction, NewAgentForm(draft, await models_here(interaction), self.make_agent))

    @app_commands.command(extras=FOR_EVERYONE)
    @app_commands.choices(template=TEMPLATE_CHOICES)
    async def browse(self, interaction: Interaction, template: str = "") -> None:
        """Look at ready-made agents, and make the one you like.

        Args:
            template: Which one to look at; all of them when left out
        """
        chosen = TEMPLATES.get(template)
        shown = all_templates() if chosen is None else one_template(chosen)
        buttons = [("agent browse", name, name) for name in TEMPLATES] if chosen is None else _on(interaction, chosen)
        view = discord.ui.View(timeout=None)
        for path, name, text in buttons:
            view.add_item(UseButton(Again(path, (f"template={name}",) if name else ()), label=text))
        await self.say(interaction, shown, view=view)

    @app_commands.command()
    async def edit(
        self,
        interaction: Interaction,
        agent: AgentArg,
        prompt: discord.Attachment | None = None,
        avatar: discord.Attachment | None = None,
        avatar_url: app_commands.Range[str, 8, 500] | None = None,
        token_budget: Budget | None = None,
        temperature: Heat | None = None,
        spare_models: ModelsArg | None = None,
        listens_to_bare_name: bool | None = None,
    ) -> None:
        """Change an agent; without further parameters a form shows what can be changed.

        Args:
            agent: Whom to change
            prompt: A text file with its prompt, for one that is longer than the form takes
            avatar: Its picture
            avatar_url: The public address of its picture
            token_budget: How many tokens its own part of the HUD may have
            temperature: How freely its model speaks
            spare_models: Answer while its own model fails, in this order, with commas; none takes them away
            listens_to_bare_name: Whether its name without an @ counts as a call
        """
        managers_only(interaction)
        given: dict[str, object] = {"token_budget": token_budget, "temperature": temperature}
        given |= {"spare_models": spare_models, "listens_to_bare_name": listens_to_bare_name}
        if all(value is None for value in (*given.values(), prompt, avatar, avatar_url)):
            whole = await self.desk.agents.whole(guild_of(interaction), agent.id)
            await open_form(interaction, AgentForm(Draft.of(whole), self.alter))
            return
        await wait(interaction)
        picture = await lasting(interaction, agent.id, avatar) if avatar else avatar_url
        text = await text_of(prompt) if prompt else None
        fields = {"agent_id": agent.id, "avatar_url": picture, "background_prompt": text, **given}
        await self.changed(interaction, AlterAgent.model_validate(fields))

    async def alter(self, interaction: Interaction, draft: Draft) -> None:
        """Change what the form describes."""
        action = AlterAgent(
            agent_id=draft.agent_id or 0,
            name=draft.name or None,
            background_prompt=draft.prompt,
            model=draft.model,
            spare_models=draft.spare_models,
            temperature=draft.temperature,
            aliases=draft.aliases,
        )
        await self.changed(interaction, action)

    async def changed(self, interaction: Interaction, action: AlterAgent) -> None:
        """Change an agent, and say which of its models their servers do not list."""
        told = await self.do(interaction, action)
        for model in filter(None, (action.model, *(action.spare_models or ()))):
            told += await self.desk.providers.unlisted(guild_of(interaction), model)
        await self.say(interaction, told)

    @app_commands.command()
    async def divide(
        self, interaction: Interaction, agent: AgentArg, knowledge: Percent, recent_actions: Percent, rooms: Percent
    ) -> None:
        """Divide an agent's token budget, in percent that sum up to 100.

        Args:
            agent: Whose budget
            knowledge: For what it knows
            recent_actions: For what it did lately
            rooms: For its rooms, at least 50
        """
        action = SetAllocation(knowledge=knowledge, recent_actions=recent_actions, rooms=rooms)
        await self.act(interaction, action, subject=agent.id)

    @app_commands.command()
    async def clone(self, interaction: Interaction, agent: AgentArg, name: Name, with_knowledge: bool = False) -> None:
        """Make another agent like one.

        Args:
            agent: Whom to copy
            name: What the copy is called
            with_knowledge: Whether it knows what the first one knows
        """
        await self.act(interaction, CloneAgent(agent_id=agent.id, name=name, with_knowledge=with_knowledge))


def all_templates() -> str:
    """List what there is to start from, by what it is for."""
    lines: list[str] = [Sentence("**Ready-made agents** to begin with: look at one, and change in it what you like.")]
    for purpose, group in BY_PURPOSE.items():
        lines += [Sentence.joined("\n__", PURPOSES[purpose], "__"), *(f"**{one.name}** {one.about}" for one in group)]
    return stacked(*lines)


def one_template(template: Template) -> str:
    """Show what somebody gets who starts from a template."""
    told = template.prompt.replace("\n", "\n> ")
    what = Sentence("a persona") if template.type is AgentType.PERSONA else Sentence("a bot")
    return Sentence(
        "**{template}** {about} ({what}).\n> {told}\nTo begin with: *{first_words}*",
        template=template.name,
        about=template.about,
        what=what,
        told=told,
        first_words=template.first_words,
    )


def _on(interaction: Interaction, template: Template) -> Iterator[tuple[str, str, str]]:
    """Give the buttons under one template: path, template and label of each."""
    if person(interaction).is_architect:
        yield "agent create", template.name, Sentence("Make {template}", template=template.name)
    yield "agent browse", "", Sentence("All of them")


async def text_of(file: discord.Attachment) -> str:
    """Read a text file; raises Rejected when it is none or too long."""
    if file.size > MOST_BYTES:
        raise Rejected(Sentence("That file is too long: a prompt has at most 8,000 characters."))
    try:
        return (await file.read()).decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        raise Rejected(Sentence("That file is no text: give a plain text file in UTF-8.")) from None
