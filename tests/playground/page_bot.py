"""A small discord.py bot of the page's tests: it uses what a bot can show a person."""

import io
from typing import Any, Literal

import discord
from discord import app_commands, ui
from PIL import Image

PETS = ("Ada the cat", "Bo the dog", "Cleo the owl", "Ducky the duck")
Interaction = discord.Interaction[discord.Client]


class Note(ui.Modal, title="Write a note"):
    """A form with a line, a text and a select."""

    intro: ui.TextDisplay[Any] = ui.TextDisplay("Write **as you like**.")
    heading: ui.TextInput[Any] = ui.TextInput(label="Heading", min_length=3, max_length=40)
    words: ui.TextInput[Any] = ui.TextInput(label="Words", style=discord.TextStyle.paragraph, required=False)
    mood: ui.Label[Any] = ui.Label(
        text="Mood",
        description="How it was",
        component=ui.Select(options=[discord.SelectOption(label=one) for one in ("calm", "merry")]),
    )

    async def on_submit(self, interaction: Interaction) -> None:
        select = self.mood.component
        assert isinstance(select, ui.Select)
        text = f"Noted **{self.heading.value}**: {self.words.value} ({select.values[0]})"
        await interaction.response.send_message(text)


class Survey(ui.Modal, title="A survey"):
    """A form with the rarer kinds of fields."""

    size: ui.Label[Any] = ui.Label(
        text="Size", component=ui.RadioGroup(options=[discord.RadioGroupOption(label=one) for one in ("S", "L")])
    )
    extras: ui.Label[Any] = ui.Label(
        text="Extras",
        component=ui.CheckboxGroup(
            required=False, options=[discord.CheckboxGroupOption(label=one) for one in ("milk", "sugar")]
        ),
    )
    agreed: ui.Label[Any] = ui.Label(text="Agreed", component=ui.Checkbox())
    host: ui.Label[Any] = ui.Label(text="Host", component=ui.UserSelect())
    paper: ui.Label[Any] = ui.Label(text="Paper", component=ui.FileUpload(required=False))

    async def on_submit(self, interaction: Interaction) -> None:
        given = [field.component for field in (self.size, self.extras, self.agreed, self.host, self.paper)]
        size, extras, agreed, host, paper = given
        assert isinstance(size, ui.RadioGroup) and isinstance(extras, ui.CheckboxGroup)
        assert isinstance(agreed, ui.Checkbox) and isinstance(host, ui.UserSelect)
        assert isinstance(paper, ui.FileUpload)
        text = (await paper.values[0].read()).decode() if paper.values else "nothing"
        words = f"{size.value}, {'+'.join(extras.values)}, {agreed.value}, {host.values[0].mention}, {text}"
        await interaction.response.send_message(words)


class Card(ui.View):
    """Buttons and selects below a message."""

    def __init__(self) -> None:
        super().__init__(timeout=None)
        self.count = 0
        self.add_item(ui.Button(label="A page elsewhere", url="https://example.org"))

    @ui.button(label="Count", style=discord.ButtonStyle.primary)
    async def up(self, interaction: Interaction, button: ui.Button["Card"]) -> None:
        self.count += 1
        await interaction.response.edit_message(content=f"Counted to {self.count}", view=self)

    @ui.button(label="Break", style=discord.ButtonStyle.danger)
    async def broken(self, interaction: Interaction, button: ui.Button["Card"]) -> None:
        """Answer nothing, as a bot does that fell over."""

    @ui.button(label="Not now", disabled=True)
    async def never(self, interaction: Interaction, button: ui.Button["Card"]) -> None:
        raise AssertionError("a disabled button was pressed")

    @ui.select(placeholder="Choose pets", max_values=3, options=[discord.SelectOption(label=pet) for pet in PETS])
    async def pets(self, interaction: Interaction, select: ui.Select["Card"]) -> None:
        await interaction.response.send_message("Chosen: " + ", ".join(select.values), ephemeral=True)

    @ui.select(cls=ui.UserSelect, placeholder="Choose somebody")
    async def somebody(self, interaction: Interaction, select: ui.UserSelect["Card"]) -> None:
        await interaction.response.send_message(f"Somebody: {select.values[0].mention}", ephemeral=True)

    @ui.select(cls=ui.ChannelSelect, placeholder="Choose a place", channel_types=[discord.ChannelType.text])
    async def place(self, interaction: Interaction, select: ui.ChannelSelect["Card"]) -> None:
        await interaction.response.send_message(f"Place: {select.values[0].mention}", ephemeral=True)


class Wave(ui.Button["Board"]):
    """A button inside a section."""

    async def callback(self, interaction: Interaction) -> None:
        await interaction.response.send_message("You waved.", ephemeral=True)


class Board(ui.LayoutView):
    """Components v2 in one message."""

    box: ui.Container["Board"] = ui.Container(
        ui.TextDisplay("## The board\nWith a **container** and what goes in it."),
        ui.Separator(spacing=discord.SeparatorSpacing.large),
        ui.Section("A section with a button beside it.", accessory=Wave(label="Wave")),
        ui.MediaGallery(discord.MediaGalleryItem("attachment://board.png", description="A board")),
        ui.File("attachment://board.txt"),
        accent_colour=discord.Colour(0x2F9E8F),
    )


@app_commands.command()
async def ping(interaction: Interaction) -> None:
    """Answer at once"""
    await interaction.response.send_message("pong")


@app_commands.command()
@app_commands.describe(name="Which pet", treat="What it gets", times="How often")
async def feed(
    interaction: Interaction,
    name: str,
    treat: Literal["apple", "biscuit"],
    times: app_commands.Range[int, 1, 9] = 1,
    guest: discord.Member | None = None,
) -> None:
    """Feed a pet"""
    who = f" for {guest.mention}" if guest else ""
    await interaction.response.send_message(f"{name} got {times} × {treat}{who}")


@feed.autocomplete("name")
async def complete_name(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    fits = [pet for pet in PETS if current.lower() in pet.lower()]
    return [app_commands.Choice(name=pet, value=pet.split()[0]) for pet in fits]


@app_commands.command()
async def brew(interaction: Interaction, leaf: str = "tea", cups: int = 0) -> None:
    """Make tea"""
    await interaction.response.send_message(f"Nothing but {leaf}, {cups} cups")


@app_commands.command()
async def tell(interaction: Interaction) -> None:
    """Tell something long"""
    lines = "\n".join(f"Line {number} of many" for number in range(1, 61))
    await interaction.response.send_message(f"**Once upon a time**\n{lines}", ephemeral=True)


@app_commands.command()
async def note(interaction: Interaction) -> None:
    """Open a form"""
    await interaction.response.send_modal(Note())


@app_commands.command()
async def survey(interaction: Interaction) -> None:
    """Open a form with rarer fields"""
    await interaction.response.send_modal(Survey())


@app_commands.command()
async def card(interaction: Interaction) -> None:
    """Show an embed with buttons and selects"""
    embed = discord.Embed(
        title="A card", description="With **bold** words and a [link](https://example.org).", colour=0xD08770
    )
    embed.add_field(name="Mood", value="calm").add_field(name="Pulse", value="`5.0 s`").add_field(
        name="Tokens", value="1,234"
    )
    embed.add_field(name="Notes", value="> Something to remember\n- and a list\n- of two", inline=False)
    embed.set_footer(text="The foot of the card")
    await interaction.response.send_message("Counted to 0", embed=embed, view=Card())


@app_commands.command()
async def board(interaction: Interaction) -> None:
    """Show components v2"""
    words = io.BytesIO(b"What the board says,\nline by line.\n")
    files = [discord.File(io.BytesIO(picture_bytes()), "board.png"), discord.File(words, "board.txt")]
    await interaction.response.send_message(view=Board(), files=files)


@app_commands.command()
async def secret(interaction: Interaction) -> None:
    """Whisper"""
    await interaction.response.send_message("Only for your eyes.", ephemeral=True)


@app_commands.command()
@app_commands.describe(paper="Something to read")
async def read(interaction: Interaction, paper: discord.Attachment) -> None:
    """Take a file, slowly"""
    await interaction.response.defer()
    text = (await paper.read()).decode()
    await interaction.followup.send(f"It says: {text}")


@app_commands.command()
@app_commands.default_permissions(manage_guild=True)
async def govern(interaction: Interaction) -> None:
    """Only for managers"""
    await interaction.response.send_message("Governed.")


@app_commands.context_menu(name="Count letters")
async def letters(interaction: Interaction, message: discord.Message) -> None:
    await interaction.response.send_message(f"{len(message.content)} letters", ephemeral=True)


@app_commands.context_menu(name="Greet")
async def greet(interaction: Interaction, user: discord.Member) -> None:
    await interaction.response.send_message(f"Hello, {user.mention}!")


room = app_commands.Group(name="room", description="A group of commands")


@room.command(name="paint", description="🔒 Paint it")
async def paint(interaction: Interaction) -> None:
    await interaction.response.send_message("Painted.")


@room.command()
async def topic(interaction: Interaction, words: str, channel: discord.TextChannel | None = None) -> None:
    """Say what a room is about"""
    where = channel.mention if channel else "here"
    await interaction.response.send_message(f"Topic {where}: {words}")


COMMANDS: tuple[Any, ...] = (
    ping,
    feed,
    brew,
    tell,
    note,
    survey,
    card,
    board,
    secret,
    read,
    govern,
    letters,
    greet,
    room,
)


def picture_bytes() -> bytes:
    """Draw a small picture."""
    out = io.BytesIO()
    Image.linear_gradient("L").resize((320, 160)).convert("RGB").save(out, "PNG")
    return out.getvalue()


class PageBot(discord.Client):
    """The bot: all its commands are in its tree."""

    def __init__(self) -> None:
        super().__init__(intents=discord.Intents.all(), chunk_guilds_at_startup=False, guild_ready_timeout=0.02)
        self.tree = app_commands.CommandTree(self)
        for command in COMMANDS:
            self.tree.add_command(command)

    async def setup_hook(self) -> None:
        await self.tree.sync()
