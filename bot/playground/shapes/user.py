"""Users and applications as Discord shows them."""

from bot.playground.rows import Json


def show_user(row: Json) -> Json:
    """Show a user to others."""
    shown: Json = {
        "id": row["id"],
        "username": row["username"],
        "global_name": row.get("global_name"),
        "discriminator": "0000" if row.get("bot") else "0",
        "avatar": row.get("avatar"),
        "avatar_decoration_data": None,
        "collectibles": None,
        "display_name_styles": None,
        "banner": None,
        "accent_color": None,
        "clan": None,
        "primary_guild": None,
        "public_flags": 0,
        "flags": 0,
    }
    if row.get("bot"):
        shown["bot"] = True
    if row.get("system"):
        shown["system"] = True
    return shown


def locale_of(row: Json) -> str:
    """Give the language that a user reads."""
    return str(row.get("locale", "en-US"))


def show_me(row: Json) -> Json:
    """Show a user to itself."""
    return show_user(row) | {
        "mfa_enabled": False,
        "locale": locale_of(row),
        "premium_type": 0,
        "email": None,
        "verified": True,
    }


def show_application(row: Json, *, bot: Json, owner: Json, guilds: int) -> Json:
    """Show an application to its own bot."""
    return {
        "id": row["id"],
        "name": row["name"],
        "icon": None,
        "description": row["description"],
        "type": None,
        "bot": show_user(bot),
        "bot_public": True,
        "bot_require_code_grant": False,
        "verify_key": "0" * 64,
        "flags": row["flags"],
        "flags_new": str(row["flags"]),
        "redirect_uris": [],
        "interactions_endpoint_url": None,
        "role_connections_verification_url": None,
        "owner": show_user(owner),
        "approximate_guild_count": guilds,
        "approximate_user_install_count": 0,
        "approximate_user_authorization_count": 0,
        "event_webhooks_url": None,
        "event_webhooks_status": 1,
        "explicit_content_filter": 0,
        "team": None,
        "integration_types_config": {"0": {}},
        "eligible_oauth2_scopes": [],
        "tags": [],
    }
