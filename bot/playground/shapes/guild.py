"""Servers, roles and members as Discord shows them."""

from collections.abc import Iterable

from bot.playground.kinds import THREADS
from bot.playground.presence import show_presence
from bot.playground.rows import Json
from bot.playground.session import Session
from bot.playground.shapes.channel import show_channel, show_thread
from bot.playground.shapes.user import show_user
from bot.playground.snowflakes import stamp_of
from bot.playground.world import World


def show_role(row: Json) -> Json:
    """Show a role."""
    color = row.get("color", 0)
    shown = {
        "id": row["id"],
        "name": row["name"],
        "description": None,
        "permissions": row["permissions"],
        "position": row["position"],
        "color": color,
        "colors": {"primary_color": color, "secondary_color": None, "tertiary_color": None},
        "hoist": row.get("hoist", False),
        "managed": row.get("managed", False),
        "mentionable": row.get("mentionable", False),
        "icon": None,
        "unicode_emoji": row.get("unicode_emoji"),
        "flags": 0,
    }
    return shown | ({"tags": row["tags"]} if "tags" in row else {})


def show_bare_member(row: Json) -> Json:
    """Show a member without its user, as beside a message's author."""
    return {
        "avatar": None,
        "banner": None,
        "communication_disabled_until": row.get("communication_disabled_until"),
        "flags": 0,
        "joined_at": row["joined_at"],
        "nick": row.get("nick"),
        "pending": False,
        "premium_since": None,
        "roles": row["roles"],
        "mute": False,
        "deaf": False,
    }


def show_member(world: World, row: Json) -> Json:
    """Show a member."""
    return show_bare_member(row) | {"user": show_user(world.users.rows[row["user_id"]])}


def _fixed() -> Json:
    """What is the same for every server here."""
    nothing = (
        "icon banner splash discovery_splash home_header application_id widget_channel_id vanity_url_code "
        "max_presences rules_channel_id safety_alerts_channel_id public_updates_channel_id incidents_data "
        "icon_hash latest_onboarding_question_id"
    )
    return dict.fromkeys(nothing.split()) | {
        "features": [],
        "region": "deprecated",
        "system_channel_flags": 0,
        "widget_enabled": False,
        "mfa_level": 0,
        "max_members": 500_000,
        "max_stage_video_channel_users": 50,
        "max_video_channel_users": 25,
        "premium_tier": 0,
        "premium_subscription_count": 0,
        "premium_progress_bar_enabled": False,
        "nsfw": False,
        "nsfw_level": 0,
        "emojis": [],
        "stickers": [],
        "hub_type": None,
        "embed_enabled": False,
        "embed_channel_id": None,
    }


def guild_locale(row: Json) -> str:
    """Give the language of a server."""
    return str(row.get("preferred_locale", "en-US"))


def show_guild(world: World, row: Json) -> Json:
    """Show a server, without channels and members."""
    roles = sorted(world.roles.within(row["id"]).values(), key=lambda role: role["position"])
    return _fixed() | {
        "id": row["id"],
        "name": row["name"],
        "description": row.get("description"),
        "owner_id": row["owner_id"],
        "afk_channel_id": row.get("afk_channel_id"),
        "afk_timeout": row.get("afk_timeout", 300),
        "system_channel_id": row.get("system_channel_id"),
        "verification_level": row.get("verification_level", 0),
        "default_message_notifications": row.get("default_message_notifications", 0),
        "explicit_content_filter": row.get("explicit_content_filter", 0),
        "preferred_locale": guild_locale(row),
        "roles": [show_role(role) for role in roles],
    }


def show_whole_guild(world: World, row: Json, session: Session) -> Json:
    """Show a server as GUILD_CREATE does: with the channels, threads and members this session may see."""
    me = session.user_id
    visible = [c for c in world.channels.within(row["id"]).values() if world.sees(me, c)]
    members = world.members.within(row["id"])
    shown = members.values() if not session.is_bot else [members[f"{row['id']}:{me}"]]
    return show_guild(world, row) | {
        "joined_at": members[f"{row['id']}:{me}"]["joined_at"],
        "large": False,
        "member_count": len(members),
        "members": [show_member(world, member) for member in shown],
        "channels": [show_channel(world, c) for c in visible if c["type"] not in THREADS],
        "threads": [show_thread(c, viewer=me) for c in visible if c["type"] in THREADS and not c["archived"]],
        "voice_states": [],
        "presences": [show_presence(world, one) for one in _online(world, members, session)],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
        "version": int(row["id"]),
        "premium_since": None,
        "created_at": stamp_of(row["id"]),
    }


def _online(world: World, members: Iterable[str], session: Session) -> list[str]:
    """Give who of a server's members is here, for sessions that are told."""
    ids = [one.split(":")[1] for one in members]
    return [one for one in ids if world.hub.is_here(one)] if session.sees_presences else []
