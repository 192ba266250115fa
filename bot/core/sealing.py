"""To which row a sealed secret belongs: moved to another one it does not open. Pure."""

from bot.core.records import AgentId, CommunityId, KeyId


def of_key(community_id: CommunityId, room_id: AgentId, key_id: KeyId) -> str:
    """Name the row of a room's key."""
    return f"keys.ciphertext/{community_id}/{room_id}/{key_id}"


def of_provider(community_id: CommunityId) -> str:
    """Name the row of a community's own model provider."""
    return f"providers.sealed_key/{community_id}"
