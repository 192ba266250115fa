"""What was said while a test ran, as its people heard it: a failing test shows it."""

from typing import Any

HEARD: dict[tuple[str, str], str] = {}  # by message and words: several people hear the same
ROOMS: dict[str, str] = {}


def note(kind: str, data: dict[str, Any]) -> None:
    """Keep a line for a message that came or changed."""
    for channel in data.get("channels", ()) if kind == "GUILD_CREATE" else ():
        ROOMS[channel["id"]] = channel["name"]
    if kind == "CHANNEL_CREATE":
        ROOMS[data["id"]] = data.get("name", "")
    if kind not in ("MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE"):
        return
    said = data.get("content") or "; ".join(str(embed.get("title")) for embed in data.get("embeds", ())) or "(no words)"
    who = data.get("author", {}).get("username", "somebody")
    did = {"MESSAGE_CREATE": "", "MESSAGE_UPDATE": " (changed)", "MESSAGE_DELETE": " (deleted)"}[kind]
    at, room = data.get("timestamp", "")[11:19], ROOMS.get(data["channel_id"], data["channel_id"])
    HEARD.setdefault((data["id"], f"{said}{did}"), f"{at} #{room} {who}{did}: {said}")


def transcript() -> str:
    """Give what was heard since the test began."""
    return "\n".join(HEARD.values())
