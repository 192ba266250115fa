"""Buttons, selects, forms and layouts: from discord.py's views to a person and back."""

import asyncio
import json
import re
from typing import Any, Self

import aiohttp
import discord
import pytest
from discord import ui
from discord.ext import commands
from discord.http import MultipartParameters

from tests.playground.person import PATIENCE_SECONDS, Person, Refusal


class Choosing(ui.View):
    """One of each select, and two buttons."""

    def __init__(self) -> None:
        super().__init__(timeout=None)
        self.seen: list[Any] = []

    @ui.button(label="Press", custom_id="press", style=discord.ButtonStyle.primary)
    async def press(self, interaction: discord.Interaction, button: ui.Button[Self]) -> None:
        self.seen.append(interaction.user.name)
        button.disabled = True
        await interaction.response.edit_message(content="pressed", view=self)

    @ui.button(label="Later", custom_id="later")
    async def later(self, interaction: discord.Interaction, _: ui.Button[Self]) -> None:
        await interaction.response.defer()
        await interaction.edit_original_response(content="changed later")

    @ui.select(custom_id="words", options=[discord.SelectOption(label=w) for w in "abc"], max_values=2)
    async def words(self, interaction: discord.Interaction, select: ui.Select[Self]) -> None:
        self.seen.append(select.values)
        await interaction.response.send_message("chosen", ephemeral=True)

    @ui.select(cls=ui.UserSelect, custom_id="people")
    async def people(self, interaction: discord.Interaction, select: ui.UserSelect[Self]) -> None:
        self.seen.append([user.name for user in select.values])
        await interaction.response.send_message("chosen", ephemeral=True)

    @ui.select(cls=ui.ChannelSelect, custom_id="rooms", channel_types=[discord.ChannelType.text])
    async def rooms(self, interaction: discord.Interaction, select: ui.ChannelSelect[Self]) -> None:
        self.seen.append([room.name for room in select.values])
        await interaction.response.send_message("chosen", ephemeral=True)


@pytest.fixture
async def shown(bot: commands.Bot, channel: discord.TextChannel, ada: Person) -> tuple[Choosing, dict[str, Any]]:
    """Post the view; give it and the message as Ada got it."""
    view = Choosing()
    await channel.send("choose", view=view)
    return view, await ada.hears("MESSAGE_CREATE", content="choose")


async def test_a_button_changes_its_message(shown: tuple[Choosing, dict[str, Any]], ada: Person) -> None:
    view, message = shown
    await ada.press(message, "press")
    changed = await ada.hears("MESSAGE_UPDATE", content="pressed")
    assert changed["components"][0]["components"][0]["disabled"]
    assert view.seen == ["ada"]
    with pytest.raises(Refusal):
        await ada.press(message, "press")


async def test_a_deferred_button_changes_its_message_later(shown: tuple[Choosing, dict[str, Any]], ada: Person) -> None:
    await ada.press(shown[1], "later")
    await ada.hears("MESSAGE_UPDATE", content="changed later")


@pytest.mark.parametrize("custom_id", ["words", "people", "rooms"])
async def test_selects_give_what_was_chosen(
    shown: tuple[Choosing, dict[str, Any]], channel: discord.TextChannel, ada: Person, custom_id: str
) -> None:
    kind, values, expected = {
        "words": (3, ["a", "c"], ["a", "c"]),
        "people": (5, [ada.id], ["ada"]),
        "rooms": (8, [str(channel.id)], ["welcome"]),
    }[custom_id]
    await ada.press(shown[1], custom_id, kind, values=values)
    answer = await ada.hears("MESSAGE_CREATE", content="chosen")
    assert (answer["flags"] & 64, answer["interaction_metadata"]["type"]) == (64, 3)
    assert shown[0].seen == [expected]


@pytest.mark.parametrize("values", [[], ["a", "b", "c"], ["z"], ["a", "a"]])
async def test_what_cannot_be_chosen_is_refused(
    shown: tuple[Choosing, dict[str, Any]], ada: Person, values: list[str]
) -> None:
    with pytest.raises(Refusal) as refused:
        await ada.press(shown[1], "words", 3, values=values)
    assert refused.value.body["code"] == 50035


class Knock(ui.DynamicItem[ui.Button[ui.View]], template=r"knock:(?P<room>\d+)"):
    """A button that any later process can answer."""

    def __init__(self, room: int) -> None:
        super().__init__(ui.Button(label="Grant", custom_id=f"knock:{room}"))
        self.room = room

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction, item: ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        return cls(int(match["room"]))

    async def callback(self, interaction: discord.Interaction) -> None:
        await interaction.response.edit_message(content=f"granted {self.room}", view=None)


async def test_a_button_lives_on_without_its_view(bot: commands.Bot, channel: discord.TextChannel, ada: Person) -> None:
    bot.add_dynamic_items(Knock)
    view = ui.View(timeout=None).add_item(Knock(7))
    message = await channel.send("let in?", view=view)
    view.stop()
    await ada.press(await ada.hears("MESSAGE_CREATE", id=str(message.id)), "knock:7")
    changed = await ada.hears("MESSAGE_UPDATE", content="granted 7")
    assert changed["components"] == []


class Naming(ui.Modal, title="A new agent"):
    """A form with an input, a long one and a select."""

    name: ui.Label[Self] = ui.Label(text="Name", component=ui.TextInput(custom_id="name", max_length=50))
    role: ui.Label[Self] = ui.Label(
        text="Role", component=ui.TextInput(custom_id="role", style=discord.TextStyle.long, required=False)
    )
    kind: ui.Label[Self] = ui.Label(
        text="Kind",
        component=ui.Select(custom_id="kind", options=[discord.SelectOption(label=k) for k in ("persona", "bot")]),
    )

    def __init__(self) -> None:
        super().__init__(custom_id="naming")
        self.sent: asyncio.Future[list[Any]] = asyncio.get_running_loop().create_future()

    async def on_submit(self, interaction: discord.Interaction) -> None:
        parts = [label.component for label in (self.name, self.role, self.kind)]
        given = [p.values if isinstance(p, ui.Select) else p.value for p in parts if hasattr(p, "custom_id")]  # type: ignore[attr-defined]
        self.sent.set_result(given)
        await interaction.response.send_message("made", ephemeral=True)


async def test_a_form_opens_is_filled_and_sent(bot: commands.Bot, channel: discord.TextChannel, ada: Person) -> None:
    modal = Naming()

    @bot.tree.command(description="Make one")
    async def create(interaction: discord.Interaction) -> None:
        await interaction.response.send_modal(modal)

    await bot.tree.sync()
    await ada.command(channel.id, "create")
    opened = await ada.hears("INTERACTION_MODAL_CREATE")
    assert (opened["title"], [part["label"] for part in opened["components"]]) == (
        "A new agent",
        ["Name", "Role", "Kind"],
    )
    inputs = [{"type": 4, "custom_id": "name", "value": "Mira"}, {"type": 4, "custom_id": "role", "value": ""}]
    inputs.append({"type": 3, "custom_id": "kind", "values": ["bot"]})
    parts = [{"type": 18, "component": part} for part in inputs]
    data = {"id": opened["id"], "custom_id": opened["custom_id"], "components": parts}
    await ada.interact(5, channel.id, data)
    assert await asyncio.wait_for(modal.sent, PATIENCE_SECONDS) == ["Mira", "", ["bot"]]
    await ada.hears("MESSAGE_CREATE", content="made")
    inputs[0]["value"] = ""
    with pytest.raises(Refusal) as refused:
        await ada.interact(5, channel.id, data)
    assert refused.value.body["errors"]["name"]["_errors"][0]["code"] == "BASE_TYPE_REQUIRED"


class Survey(ui.Modal, title="Survey"):
    """A form with everything that is ticked, and a file."""

    size: ui.Label[Self] = ui.Label(
        text="Size",
        component=ui.RadioGroup(custom_id="size", options=[discord.RadioGroupOption(label=s) for s in "SML"]),
    )
    extras: ui.Label[Self] = ui.Label(
        text="Extras",
        component=ui.CheckboxGroup(
            custom_id="extras", options=[discord.CheckboxGroupOption(label=s) for s in ("milk", "sugar")]
        ),
    )
    agreed: ui.Label[Self] = ui.Label(text="Agreed", component=ui.Checkbox(custom_id="agreed"))
    paper: ui.Label[Self] = ui.Label(text="Paper", component=ui.FileUpload(custom_id="paper"))

    async def on_submit(self, interaction: discord.Interaction) -> None:
        size, extras, agreed, paper = (part.component for part in (self.size, self.extras, self.agreed, self.paper))
        assert isinstance(size, ui.RadioGroup) and isinstance(extras, ui.CheckboxGroup)
        assert isinstance(agreed, ui.Checkbox) and isinstance(paper, ui.FileUpload)
        text = (await paper.values[0].read()).decode()
        words = f"{size.value}, {'+'.join(extras.values)}, {agreed.value}, {text}"
        await interaction.response.send_message(words, ephemeral=True)


async def test_a_form_takes_ticks_and_files(bot: commands.Bot, channel: discord.TextChannel, ada: Person) -> None:
    @bot.tree.command(description="Ask much")
    async def ask(interaction: discord.Interaction) -> None:
        await interaction.response.send_modal(Survey(custom_id="survey"))

    await bot.tree.sync()
    await ada.command(channel.id, "ask")
    opened = await ada.hears("INTERACTION_MODAL_CREATE")
    answers: list[dict[str, Any]] = [
        {"type": 21, "custom_id": "size", "value": "M"},
        {"type": 22, "custom_id": "extras", "values": ["milk", "sugar"]},
        {"type": 23, "custom_id": "agreed", "value": True},
        {"type": 19, "custom_id": "paper", "values": ["0"]},
    ]
    data = {"id": opened["id"], "custom_id": "survey", "components": [{"type": 18, "component": a} for a in answers]}
    body = {"type": 5, "application_id": ada.about["application_id"], "channel_id": str(channel.id), "data": data}
    form = aiohttp.FormData(quote_fields=False)
    form.add_field("payload_json", json.dumps(body))
    form.add_field("files[0]", b"signed", filename="paper.txt")
    await ada.call("POST", "/interactions", data=form)
    await ada.hears("MESSAGE_CREATE", content="M, milk+sugar, True, signed")


class Card(ui.LayoutView):
    """A layout: a container with text, a section with a button, a picture and a line."""

    def __init__(self, texts: int = 1) -> None:
        super().__init__(timeout=None)
        button: ui.Button[Self] = ui.Button(label="Open", custom_id="open")
        section: ui.Section[Self] = ui.Section("A section", accessory=button)
        gallery: ui.MediaGallery[Self] = ui.MediaGallery(discord.MediaGalleryItem("https://example.com/a.png"))
        self.add_item(ui.Container(section, ui.Separator(), gallery, accent_colour=0x336699))
        for number in range(texts):
            self.add_item(ui.TextDisplay(f"text {number}"))


async def test_a_layout_is_shown_and_answered(bot: commands.Bot, channel: discord.TextChannel, ada: Person) -> None:
    view = Card()
    pressed: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def on_press(interaction: discord.Interaction) -> None:
        pressed.set_result(interaction.user.name)
        await interaction.response.defer()

    found = next(item for item in view.walk_children() if isinstance(item, ui.Button))
    found.callback = on_press  # type: ignore[method-assign]
    message = await channel.send(view=view)
    assert message.flags.components_v2
    shown = await ada.hears("MESSAGE_CREATE", id=str(message.id))
    assert [part["type"] for part in shown["components"]] == [17, 10]
    await ada.press(shown, "open")
    assert await asyncio.wait_for(pressed, PATIENCE_SECONDS) == "ada"


async def test_a_layout_holds_forty_parts_and_no_content(bot: commands.Bot, channel: discord.TextChannel) -> None:
    full = Card(texts=34)
    await channel.send(view=full)
    parts = [*full.to_components(), {"type": 10, "content": "one more"}]  # type: ignore[no-untyped-call]
    for body in ({"components": parts}, {"components": parts[:1], "content": "words"}):
        params = MultipartParameters(payload={"flags": 1 << 15, **body}, multipart=None, files=None)
        with pytest.raises(discord.HTTPException) as refused:
            await bot.http.send_message(channel.id, params=params)
        assert refused.value.code == 50035


ROW = {"type": 1, "components": [{"type": 2, "style": 1, "label": "x", "custom_id": "x"}]}


@pytest.mark.parametrize(
    "parts",
    [
        [ROW] * 6,
        [ROW, ROW],
        [{"type": 1, "components": []}],
        [{"type": 1, "components": [{"type": 2, "style": 1, "label": "no id"}]}],
        [{"type": 1, "components": [{"type": 2, "style": 5, "label": "no address"}]}],
        [{"type": 1, "components": [{"type": 2, "style": 1, "custom_id": "no words"}]}],
        [{"type": 1, "components": [{"type": 3, "custom_id": "s", "options": []}]}],
        [{"type": 10, "content": "only in a layout"}],
        "buttons",
    ],
)
async def test_faulty_components_are_refused(channel: discord.TextChannel, owner: Person, parts: object) -> None:
    with pytest.raises(Refusal) as refused:
        await owner.say(channel.id, "look", components=parts)
    assert refused.value.body["code"] == 50035


async def test_nobody_else_presses_what_only_one_sees(
    bot: commands.Bot, channel: discord.TextChannel, ada: Person, owner: Person
) -> None:
    @bot.tree.command(description="Ask quietly")
    async def ask(interaction: discord.Interaction) -> None:
        await interaction.response.send_message("quietly", view=Choosing(), ephemeral=True)

    await bot.tree.sync()
    await ada.command(channel.id, "ask")
    message = await ada.hears("MESSAGE_CREATE", content="quietly")
    with pytest.raises(Refusal) as refused:
        await owner.press(message, "press")
    assert refused.value.body["code"] == 10008
    await ada.press(message, "press")
    await ada.hears("MESSAGE_UPDATE", content="pressed")


async def test_a_button_can_open_a_form_whose_answer_changes_the_message(
    bot: commands.Bot, channel: discord.TextChannel, ada: Person
) -> None:
    class Renaming(ui.Modal, title="Rename"):
        text: ui.TextInput[Self] = ui.TextInput(label="Name", custom_id="text")

        async def on_submit(self, interaction: discord.Interaction) -> None:
            await interaction.response.edit_message(content=f"now {self.text.value}", view=None)

    class Opening(ui.View):
        @ui.button(label="Rename", custom_id="rename")
        async def rename(self, interaction: discord.Interaction, _: ui.Button[Self]) -> None:
            await interaction.response.send_modal(Renaming())

    await channel.send("called Bo", view=Opening())
    message = await ada.hears("MESSAGE_CREATE", content="called Bo")
    await ada.press(message, "rename")
    opened = await ada.hears("INTERACTION_MODAL_CREATE")
    row = {"type": 1, "components": [{"type": 4, "custom_id": "text", "value": "Mo"}]}
    await ada.interact(5, channel.id, {"id": opened["id"], "custom_id": opened["custom_id"], "components": [row]})
    await ada.hears("MESSAGE_UPDATE", content="now Mo")
