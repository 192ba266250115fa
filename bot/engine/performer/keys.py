"""Performs what concerns keys: made, withdrawn, handed on."""

from dataclasses import replace

from bot.core.access import DRAWN_CHARACTERS, check_label, check_new_key, check_room_for_key, key_named
from bot.core.actions import CreateKey, GiveKey, HandKey, RevokeKey
from bot.core.changes import AddKey, CloseRequest, HoldKey, UpdateKey
from bot.core.errors import Rejected
from bot.core.kinds import RequestState
from bot.core.records import AccessKey, AgentId, KeyId, Snowflake
from bot.core.sealing import of_key
from bot.engine.performer.keyring import close_request, hold, keys_of, put_key, requests_of
from bot.engine.performer.registry import handles
from bot.engine.performer.unit_of_work import UnitOfWork


@handles(CreateKey)
def create_key(work: UnitOfWork, action: CreateKey) -> str:
    owner, secret = work.me(), action.key or work.random.token(DRAWN_CHARACTERS)
    work.redactor |= [secret]
    keys = keys_of(work, owner.id)
    check_room_for_key(keys, work.config, work.now)
    id_ = KeyId(work.write.ids.take("key"))
    label = _label(work, action, id_)
    check_label(label, secret, work.cipher.digests(label), keys)
    check_new_key(label, work.cipher.digests(secret), keys, action.expires, work.now)
    key = AccessKey(
        id=id_,
        room_id=owner.id,
        label=label,
        ciphertext=work.cipher.encrypt(secret, of_key(work.community_id, owner.id, id_)),
        digest=work.cipher.digest(secret),
        created_at=work.now,
        expires_at=action.expires,
        uses_left=action.uses,
    )
    put_key(work, key)
    work.put(AddKey(key=key))
    work.secret = secret
    return f'The key "{label}" is made.'


def _label(work: UnitOfWork, action: CreateKey, key_id: KeyId) -> str:
    """Give the label; one that an agent words behind a closed door would carry words out of it."""
    if work.actor.agent_id is not None and work.side_room() is not None:
        return f"key {key_id}"
    return action.label or f"key {len(keys_of(work, work.me().id)) + 1}"


@handles(RevokeKey)
def revoke_key(work: UnitOfWork, action: RevokeKey) -> str:
    owner = work.me()
    key = key_named(action.key, work.cipher.digests(action.key), keys_of(work, owner.id))
    work.put(UpdateKey(key_id=key.id, fields={"revoked_at": work.now}))
    put_key(work, replace(key, revoked_at=work.now))
    for request in requests_of(work, owner.id):
        if request.key_id == key.id:
            work.put(CloseRequest(request_id=request.id, state=RequestState.CANCELLED, at=work.now))
            close_request(work, request, "your request was cancelled: its key was withdrawn")
    return f'The key "{key.label}" opens the room no longer.'


@handles(GiveKey)
def give_key(work: UnitOfWork, action: GiveKey) -> str:
    owner, agent = work.me(), work.agent(action.agent_id)
    if agent.id == owner.id:
        raise Rejected("It is your own room's key.")
    if agent.retired_at is not None:
        raise Rejected(f"{agent.name} is retired.")
    key = key_named(action.label, (), keys_of(work, owner.id))
    if agent.id in key.held_by:
        return f'{agent.name} holds the key "{key.label}" already.'
    work.put(HoldKey(key_id=key.id, agent_id=AgentId(agent.id)))
    hold(work, key, agent.id)
    return f'{agent.name} holds the key "{key.label}" now.'


@handles(HandKey)
async def hand_key(work: UnitOfWork, action: HandKey) -> str:
    key = key_named(action.label, (), keys_of(work, work.me().id))
    person = await work.write.people.find(work.community_id, Snowflake(action.person_id))
    work.secret = work.cipher.decrypt(key.ciphertext, of_key(work.community_id, key.room_id, key.id))
    who = work.name(person.id, person.username) if person else "that person"
    return f'The key "{key.label}" is for {who}.'
