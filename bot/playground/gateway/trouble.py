"""Gateway trouble on request: connections closed, sessions ended, clients sent away."""

from bot.playground.errors import invalid
from bot.playground.faults import FaultForm
from bot.playground.session import Link
from bot.playground.world import World


def make_trouble(world: World, form: FaultForm) -> int:
    """Close, invalidate or send away the connections of one user, or of all; gives how many it hits."""
    user_id, code = form.get("user_id"), form.get("code", 4000)
    if not (code == 1000 or code >= 3000 or code in (1001, 1011, 1012)):
        raise invalid("code", "BASE_TYPE_CHOICES", "Use 1000, 1001, 1011, 1012, or a code from 3000 to 4999.")
    hit = [session for session in world.hub.sessions() if user_id in (None, session.user_id)]
    links = [session.connection for session in hit if session.connection is not None]
    for link in links:
        world.hub.run(_strike(link, form, code))
    return len(links)


async def _strike(link: Link, form: FaultForm, code: int) -> None:
    match form["kind"]:
        case "close":
            await link.close(code, "Closed on request.")
        case "reconnect":
            await link.ask_to_reconnect()
        case "invalid_session":
            await link.invalidate(resumable=form.get("resumable", False))
