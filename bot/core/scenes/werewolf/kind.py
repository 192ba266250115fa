"""The kind `werewolf`: what may be agreed on, and the rules as they are told."""

from pydantic import Field

from bot.core.scenes.kind import (
    MOST_TURNS,
    Applied,
    Chance,
    Event,
    Options,
    Ordering,
    Preset,
    SceneKind,
    Seat,
    Secrecy,
)
from bot.core.scenes.orderings import Schedule
from bot.core.scenes.werewolf.moves import (
    Heal,
    Hold,
    Inspect,
    Kill,
    LastWords,
    Pack,
    Poison,
    Say,
    Shoot,
    Silence,
    Vote,
)
from bot.core.scenes.werewolf.state import MODERATOR, MOST_DAYS, MOST_ROUNDS, AgreedRules, SwappedRoles, Werewolf
from bot.core.scenes.werewolf.village import in_words, roles_for

FEWEST = 5  # players
NOBODY: tuple[Seat, ...] = ()  # hears it before the end


class WerewolfOptions(Options):
    """What may be agreed on."""

    turns: int = Field(default=MOST_TURNS, ge=1, le=MOST_TURNS, description="after how many turns it ends undecided")
    ordering: Ordering = Field(default=Ordering.RULES, description="who is next: the rules say it")
    days: int = Field(default=MOST_DAYS, ge=1, le=MOST_DAYS, description="after how many days nobody has won")
    third_wolf: bool = Field(default=False, description="whether 8 players have three wolves instead of two")
    hunter: bool = Field(default=False, description="whether 9 players and more have a hunter")
    first_night_kill: bool = Field(default=False, description="whether the wolves kill in the first night already")
    reveal_roles: bool = Field(default=False, description="whether everybody learns what the dead were")
    side: bool = Field(
        default=False,
        description="whether wolves win once all villagers, or all with a gift, are dead, not when they are as many",
    )
    dead_write: bool = Field(default=False, description="whether lines of the dead stay in the thread")
    talk_drawn: bool = Field(default=False, description="whether it is drawn each day who speaks when")
    talk_moderated: bool = Field(
        default=False, description="whether seat 1 is on no side, and says each day who speaks when"
    )
    talk_rounds: int = Field(default=1, ge=1, le=MOST_ROUNDS, description="how often everybody speaks each day")

    def begin(self, seats: tuple[Seat, ...], chance: Chance) -> Applied:
        players = tuple(seat for seat in seats if not (self.talk_moderated and seat == MODERATOR))
        roles = roles_for(len(players), third_wolf=self.third_wolf, hunter=self.hunter)
        dealt = dict(sorted(zip(chance.shuffled("roles", players), roles, strict=True)))
        terms = AgreedRules(
            first_night_kill=self.first_night_kill,
            reveal_roles=self.reveal_roles,
            side=self.side,
            drawn=self.talk_drawn,
            rounds=self.talk_rounds,
            days=self.days,
            dead_write=self.dead_write,
            moderated=self.talk_moderated,
        )
        told = ", ".join(f"{{s{seat}}} {role}" for seat, role in dealt.items())
        events = (
            Event(text=f"Among you are {in_words(roles)}. Night 1 falls.", kind="night"),
            Event(text=f"Dealt: {told}.", audience=NOBODY, kind="dealt"),
        )
        return Applied(Werewolf(seats=seats, terms=terms, roles=dealt, alive=players), events)

    def refusal(self, seats: int) -> str:
        if self.talk_moderated and seats <= FEWEST:
            return "A moderated game needs five players beside the moderator: seat one more."
        return ""


WEREWOLF = SceneKind(
    kind="werewolf",
    version=1,
    title="Werewolf",
    rules=(
        "A village in which some are wolves, and only the wolves know who. Wolves win when they are as many as the "
        "others; the village wins when no wolf is left. A moderator, if there is one, is on no side. At night each "
        "wolf votes for a victim, and may say something to the pack first; in the first night nobody is killed, unless "
        "that was agreed on. The seer learns of one seat whether it is a wolf. The witch has one potion that saves the "
        "victim and one that kills, and uses one a night at most. At dawn the dead are named, not what they died of. "
        "By day everybody who lives speaks in turn, then all vote at once for whom to hang: whoever alone has the most "
        "votes; a tie hangs nobody. Whoever is hanged has last words. A hunter who is killed or hanged may shoot "
        "somebody. What you are is yours to tell, to hide or to lie about. Look at who voted for whom. Call the others "
        "by their names, and keep it short."
    ),
    seats=(FEWEST, 16),
    secrecy=Secrecy.CLOSED,
    orderings=(Ordering.RULES,),
    options=WerewolfOptions,
    state=Werewolf,
    edit=SwappedRoles,
    moves=(Pack, Kill, Inspect, Heal, Poison, Hold, Shoot, Say, LastWords, Silence, Vote, Schedule),
    speech=(Say.name, LastWords.name),
    presets=(
        Preset(name="classic", title="Classic: the dead take their secret along", options={}),
        Preset(
            name="open_graves",
            title="Open graves: the dead are shown, and there may be a hunter",
            options={"reveal_roles": True, "hunter": True},
        ),
        Preset(
            name="long_nights",
            title="Long nights: a kill in the first one, and a third wolf among eight",
            options={"first_night_kill": True, "third_wolf": True},
        ),
        Preset(
            name="moderated",
            title="Moderated: seat 1 is on no side, and says who speaks when",
            options={"talk_moderated": True},
        ),
    ),
)
