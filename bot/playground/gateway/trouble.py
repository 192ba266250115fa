"""Gateway trouble on request: connections closed, sessions ended, clients sent away."""

from typing import Any

from bot.playground.errors import invalid
from bot.playground.gateway.session import Link, Session
from bot.playground.rest.form import Form
from bot.playground.world import World

Json = dict[str, Any]


def make_trouble(world: World, body: Json) -> int:
    """Close, invalidate or send away the connections of one user, or of all; gives how many it hits."""
    form = Form(body)
    user_id = form.snowflake("user_id")
    code = form.number("code", low=1000, high=4999)
    form.check()
    if code is not None and not (code == 1000 or code >= 3000 or code in (1001, 1011, 1012)):
        raise invalid("code", "BASE_TYPE_CHOICES", "Use 1000, 1001, 1011, 1012, or a code from 3000 to 4999.")
    hit = [session for session in world.hub.sessions() if user_id in (None, session.user_id)]
    links = [(session, session.connection) for session in hit if session.connection is not None]
    for session, link in links:
        world.hub.run(_strike(world, session, link, body, code or 4000))
    return len(links)


async def _strike(world: World, session: Session, link: Link, body: Json, code: int) -> None:
    match body["kind"]:
        case "close":
            await link.close(code, "Closed on request.")
        case "reconnect":
            await link.ask_to_reconnect()
        case "invalid_session":
            await link.invalidate(resumable=bool(body.get("resumable")))
