"""Performs what concerns keys: made, withdrawn, handed on."""

from dataclasses import replace

from bot.core.access import DRAWN_CHARACTERS, check_label, check_new_key, check_room_for_key, key_named
from bot.core.actions import CreateKey, GiveKey, HandKey, RevokeKey
from bot.core.changes import AddKey, CloseRequest, HoldKey, UpdateKey
from bot.core.errors import Rejected
from bot.core.kinds import RequestState
from bot.core.records import AccessKey, AgentId, KeyId, Snowflake
from bot.core.sealing import of_key
from bot.engine.performer.desk import Desk
from bot.engine.performer.keyring import close_request, hold, keys_of, put_key, requests_of
from bot.engine.performer.registry import handles


@handles(CreateKey)
def create_key(desk: Desk, action: CreateKey) -> str:
    owner, secret = desk.me(), action.key or desk.random.token(DRAWN_CHARACTERS)
    desk.blots |= [secret]
    keys = keys_of(desk, owner.id)
    check_room_for_key(keys, desk.config, desk.now)
    id = KeyId(desk.write.ids.take("key"))
    label = _label(desk, action, id)
    check_label(label, secret, desk.cipher.digests(label), keys)
    check_new_key(label, desk.cipher.digests(secret), keys, action.expires, desk.now)
    key = AccessKey(
        id=id,
        room_id=owner.id,
        label=label,
        ciphertext=desk.cipher.encrypt(secret, of_key(desk.community_id, owner.id, id)),
        digest=desk.cipher.digest(secret),
        created_at=desk.now,
        expires_at=action.expires,
        uses_left=action.uses,
    )
    put_key(desk, key)
    desk.put(AddKey(key=key))
    desk.secret = secret
    return f'The key "{label}" is made.'


def _label(desk: Desk, action: CreateKey, id: KeyId) -> str:
    """Give the label; one that an agent words behind a closed door would carry words out of it."""
    if desk.actor.agent_id is not None and desk.side_room() is not None:
        return f"key {id}"
    return action.label or f"key {len(keys_of(desk, desk.me().id)) + 1}"


@handles(RevokeKey)
def revoke_key(desk: Desk, action: RevokeKey) -> str:
    owner = desk.me()
    key = key_named(action.key, desk.cipher.digests(action.key), keys_of(desk, owner.id))
    desk.put(UpdateKey(key_id=key.id, fields={"revoked_at": desk.now}))
    put_key(desk, replace(key, revoked_at=desk.now))
    for request in requests_of(desk, owner.id):
        if request.key_id == key.id:
            desk.put(CloseRequest(request_id=request.id, state=RequestState.CANCELLED, at=desk.now))
            close_request(desk, request, "your request was cancelled: its key was withdrawn")
    return f'The key "{key.label}" opens the room no longer.'


@handles(GiveKey)
def give_key(desk: Desk, action: GiveKey) -> str:
    owner, agent = desk.me(), desk.agent(action.agent_id)
    if agent.id == owner.id:
        raise Rejected("It is your own room's key.")
    if agent.retired_at is not None:
        raise Rejected(f"{agent.name} is retired.")
    key = key_named(action.label, (), keys_of(desk, owner.id))
    if agent.id in key.held_by:
        return f'{agent.name} holds the key "{key.label}" already.'
    desk.put(HoldKey(key_id=key.id, agent_id=AgentId(agent.id)))
    hold(desk, key, agent.id)
    return f'{agent.name} holds the key "{key.label}" now.'


@handles(HandKey)
async def hand_key(desk: Desk, action: HandKey) -> str:
    key = key_named(action.label, (), keys_of(desk, desk.me().id))
    person = await desk.write.people.find(desk.community_id, Snowflake(action.person_id))
    desk.secret = desk.cipher.decrypt(key.ciphertext, of_key(desk.community_id, key.room_id, key.id))
    who = desk.name(person.id, person.username) if person else "that person"
    return f'The key "{key.label}" is for {who}.'
