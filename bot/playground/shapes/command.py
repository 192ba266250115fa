"""Application commands as Discord shows them."""

from bot.playground.rows import Json

OPTIONAL = ("guild_id", "options", "contexts", "integration_types", "handler")


def show_command(row: Json) -> Json:
    """Show a slash command or a menu entry."""
    shown: Json = {
        "id": row["id"],
        "application_id": row["application_id"],
        "version": row["version"],
        "default_member_permissions": row.get("default_member_permissions"),
        "type": row["type"],
        "name": row["name"],
        "name_localizations": row.get("name_localizations"),
        "description": row.get("description", ""),
        "description_localizations": row.get("description_localizations"),
        "dm_permission": row.get("dm_permission", True),
        "contexts": None,
        "integration_types": [0],
        "nsfw": row.get("nsfw", False),
    }
    return shown | {key: row[key] for key in OPTIONAL if row.get(key) is not None}
