"""Discord's rate limits: buckets per route, the webhook and channel limits that no header shows, the global one.

Discord publishes few of these numbers; the rest is what its headers show.
"""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from bot.playground.clock import Clock
from bot.playground.errors import ApiError

Pace = Literal["discord", "fast", "off"]

# In the fast pace a minute passes in a second.
SPEED = {"discord": 1.0, "fast": 60.0}


@dataclass(frozen=True, slots=True)
class Limit:
    """So many requests in so many seconds."""

    count: int
    seconds: float


DEFAULT = Limit(10, 5)
GLOBAL = Limit(50, 1)
WEBHOOK_CHANNEL = Limit(30, 60)
NAME_AND_TOPIC = Limit(2, 600)
IDENTIFY = Limit(1, 5)

CHANNEL = "/channels/{channel_id}"
MESSAGES = CHANNEL + "/messages"
MESSAGE = MESSAGES + "/{message_id}"
REACTION = MESSAGE + "/reactions/{emoji_name}"
HOOK = "/webhooks/{webhook_id}/{webhook_token}"

LIMITS: Mapping[str, Limit] = {
    f"POST {MESSAGES}": Limit(5, 5),
    f"PATCH {MESSAGE}": Limit(5, 5),
    f"DELETE {MESSAGE}": Limit(5, 1),
    f"GET {MESSAGES}": Limit(5, 1),
    f"POST {MESSAGES}/bulk-delete": Limit(1, 1),
    f"PUT {REACTION}/@me": Limit(1, 0.25),
    f"DELETE {REACTION}/@me": Limit(1, 0.25),
    f"DELETE {REACTION}/{{user_id}}": Limit(1, 0.25),
    f"POST {CHANNEL}/typing": Limit(5, 5),
    f"PATCH {CHANNEL}": Limit(5, 15),
    f"POST {HOOK}": Limit(5, 2),
    f"PATCH {HOOK}/messages/{{message_id}}": Limit(5, 2),
    f"DELETE {HOOK}/messages/{{message_id}}": Limit(5, 2),
    "POST /guilds/{guild_id}/channels": Limit(50, 10),
    f"PUT {CHANNEL}/permissions/{{overwrite_id}}": Limit(10, 15),
    "PUT /applications/{application_id}/commands": Limit(5, 20),
    "PUT /applications/{application_id}/guilds/{guild_id}/commands": Limit(5, 20),
}
FREE = ("POST /interactions", "POST /interactions/{interaction_id}/{interaction_token}/callback")
MAJOR = ("channel_id", "guild_id", "webhook_id", "webhook_token")


class RateLimited(ApiError):
    """Too many requests: `retry_after` seconds to wait, for one bucket or for everything."""

    def __init__(self, retry_after: float, *, scope: str, headers: Mapping[str, str]) -> None:
        super().__init__(429, 0, "You are being rate limited.")
        self.retry_after = retry_after
        self.scope = scope
        # Without Via discord.py takes a 429 for a ban by Cloudflare and gives up.
        self.headers |= headers
        self.headers |= {
            "Retry-After": str(math.ceil(retry_after)),
            "X-RateLimit-Scope": scope,
            "Via": "1.1 google",
        }
        if scope == "global":
            self.headers["X-RateLimit-Global"] = "true"

    def body(self) -> dict[str, object]:
        """Give the JSON that is sent."""
        return {
            "message": self.message,
            "code": self.code,
            "retry_after": round(self.retry_after, 3),
            "global": self.scope == "global",
        }


@dataclass(slots=True)
class _Window:
    limit: Limit
    ends: float
    used: int = 0


@dataclass(slots=True)
class RateLimits:
    """Counts requests in windows that begin with their first one."""

    clock: Clock
    pace: Pace = "discord"
    _windows: dict[tuple[str, ...], _Window] = field(default_factory=dict)

    def take(self, route: str, params: Mapping[str, str], who: str) -> dict[str, str]:
        """Count a request and give its headers; raises RateLimited when there were too many."""
        if self.pace == "off" or route in FREE:
            return {}
        if not route.split(" ")[1].startswith("/webhooks"):
            self._take(GLOBAL, ("global", who), scope="global")
        major = tuple(params.get(name, "") for name in MAJOR)
        limit = LIMITS.get(route, DEFAULT)
        window = self._take(limit, (route, who, *major), scope="user", show=True)
        return self._headers(route, window)

    def take_webhook(self, channel_id: str) -> None:
        """Count a post through any webhook of a channel."""
        self._take(WEBHOOK_CHANNEL, ("webhooks", channel_id), scope="shared")

    def take_rename(self, channel_id: str) -> None:
        """Count a change of a channel's name or topic."""
        self._take(NAME_AND_TOPIC, ("rename", channel_id), scope="user")

    def may_identify(self, user_id: str) -> bool:
        """Count a start of a gateway session; false when the last one was too recent."""
        try:
            self._take(IDENTIFY, ("identify", user_id), scope="user")
        except RateLimited:
            return False
        return True

    def scaled(self, seconds: float) -> float:
        """Give how long a time is in this pace."""
        return seconds / SPEED.get(self.pace, math.inf)

    def _take(self, limit: Limit, key: tuple[str, ...], *, scope: str, show: bool = False) -> _Window:
        now = self.clock.seconds
        window = self._windows.get(key)
        if window is None or window.ends <= now:
            self._forget(now)
            window = self._windows[key] = _Window(limit, now + self.scaled(limit.seconds))
        if self.pace != "off" and window.used >= limit.count:
            headers = self._headers(key[0], window) if show else {}
            raise RateLimited(window.ends - now, scope=scope, headers=headers)
        window.used += 1
        return window

    def _headers(self, name: str, window: _Window) -> dict[str, str]:
        left = max(0.0, window.ends - self.clock.seconds)
        return {
            "X-RateLimit-Limit": str(window.limit.count),
            "X-RateLimit-Remaining": str(window.limit.count - window.used),
            "X-RateLimit-Reset": f"{window.ends:.3f}",
            "X-RateLimit-Reset-After": f"{left:.3f}",
            "X-RateLimit-Bucket": hashlib.sha256(name.encode()).hexdigest()[:32],
        }

    def _forget(self, now: float) -> None:
        if len(self._windows) > 5000:
            self._windows = {key: w for key, w in self._windows.items() if w.ends > now}
