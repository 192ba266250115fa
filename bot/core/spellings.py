"""Other spellings that models use, and what is meant by them; those of an action stand with its definition."""

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

IMPLIED: Mapping[str, Mapping[str, str]] = {  # what a name says besides the action that it means
    "update_self_concept": {"path": "character.self_concept"},
}

SILENCE = frozenset(
    {"", "[no response]", "[no_response]", "no response", "[silence]", "[silent]", "[none]", "(silence)"}
)

PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "path": ("path", "key", "knowledge_path"),
    "value": ("value", "data", "content", "text", "self_concept", "attention", "percent"),
    "w": ("w", "weight", "importance"),
    "message": ("message", "content", "text", "body", "billboard", "speak"),
    "text": (
        *("text", "note", "decision", "file", "blocker", "step", "content", "value", "message", "item"),
        *("goal", "milestone", "strategy", "id"),
    ),
    "emotion": ("emotion", "feeling", "mood"),
    "why": ("why", "reason", "because"),
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
    "name": ("name", "new_name", "filename", "file_name"),
    "background_prompt": ("background_prompt", "prompt", "background", "seed", "role"),
    "agent_type": ("agent_type", "kind"),
    "in_room_id": ("in_room_id", "room_id", "room"),
    "action": ("action", "operation", "op", "mode"),
    "query": ("query", "q", "text", "search"),
    "limit": ("limit", "count", "n"),
    "expires": ("expires", "expires_at", "expiry"),
    "uses": ("uses", "max_uses"),
}
