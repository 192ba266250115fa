"""Other spellings that models use, and what is meant by them: the one place where they are listed."""

from collections.abc import Mapping

AGENT_LISTS = ("agents", "agent", "replies", "results", "answers", "output")

AGENT_FIELDS: Mapping[str, tuple[str, ...]] = {
    "agent_id": ("agent_id", "id", "agent", "agentid"),
    "thoughts": ("thoughts", "thought", "thinking", "reasoning", "inner_monologue", "reflection"),
    "responses": (
        "responses",
        "response",
        "room_messages",
        "room_responses",
        "messages",
        "message",
        "speak",
        "say",
        "says",
        "replies",
        "text",
    ),
    "actions": ("actions", "action", "acts", "tools", "tool_calls", "commands"),
}

RESPONSE_FIELDS: Mapping[str, tuple[str, ...]] = {
    "room_id": ("room_id", "room", "roomid", "channel_id", "channel"),
    "message": ("message", "content", "text", "speak", "say", "response", "body", "msg"),
}

ACTION_TYPE = ("type", "action_type", "name", "tool", "function", "kind", "command", "action")
ACTION_PARAMETERS = ("parameters", "params", "arguments", "args", "input")

ACTION_NAMES: Mapping[str, str] = {
    "knowledge_set": "set",
    "set_knowledge": "set",
    "remember": "set",
    "memory_set": "set",
    "knowledge_delete": "delete",
    "delete_knowledge": "delete",
    "forget": "delete",
    "remove": "delete",
    "knowledge_append": "append",
    "append_knowledge": "append",
    "knowledge_get": "get",
    "get_knowledge": "get",
    "reaction": "react",
    "add_reaction": "react",
    "wake": "wake_agent",
    "speak": "send_message",
    "say": "send_message",
    "message": "send_message",
    "send": "send_message",
    "post": "send_message",
    "respond": "send_message",
    "post_message": "send_message",
    "reply_to": "reply",
    "reply_to_message": "reply",
    "billboard": "set_billboard",
    "topic": "set_topic",
    "wpm": "set_wpm",
    "request_room_access": "request_access",
    "knock": "request_access",
    "grant": "grant_access",
    "approve_access": "grant_access",
    "deny": "deny_access",
    "join": "join_room",
    "leave": "leave_room",
    "attention": "set_attention",
    "rename": "set_name",
    "change_name": "set_name",
    "schedule": "schedule_message",
    "search": "recall",
    "search_history": "recall",
    "history": "read_history",
    "note": "hud_note",
    "decision": "hud_decision",
    "spawn_agent": "create_agent",
}

SILENCE = frozenset(
    {"", "[no response]", "[no_response]", "no response", "[silence]", "[silent]", "[none]", "(silence)"}
)

PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "path": ("path", "key", "knowledge_path"),
    "value": ("value", "data", "content", "text", "attention", "percent"),
    "w": ("w", "weight", "importance"),
    "message": ("message", "content", "text", "body", "billboard", "speak"),
    "text": ("text", "note", "decision", "file", "blocker", "step", "content", "value", "message", "item"),
    "reaction": ("reaction", "emoji", "emotion"),
    "message_id": ("message_id", "id", "msg_id", "reply_to"),
    "room_id": ("room_id", "room", "channel_id", "id"),
    "agent_id": ("agent_id", "agent", "target", "target_id", "id"),
    "request_id": ("request_id", "request", "id"),
    "id": ("id", "message_id", "checkpoint_id"),
    "key": ("key", "access_key", "secret", "label", "code"),
    "label": ("label", "name", "key_label", "key"),
    "until": ("until", "wake_at", "time", "at"),
    "at": ("at", "time", "when", "send_at"),
    "topic": ("topic", "value", "text"),
    "name": ("name", "new_name"),
    "background_prompt": ("background_prompt", "prompt", "background", "seed", "role"),
    "agent_type": ("agent_type", "kind"),
    "in_room_id": ("in_room_id", "room_id", "room"),
    "action": ("action", "operation", "op", "mode"),
    "query": ("query", "q", "text", "search"),
    "limit": ("limit", "count", "n"),
    "expires": ("expires", "expires_at", "expiry"),
    "uses": ("uses", "max_uses"),
}
