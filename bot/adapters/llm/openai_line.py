"""The line to servers that speak OpenAI's shapes: what is asked over it, and what such a server tells of itself."""

import asyncio
import hashlib
import json
from collections.abc import Callable
from typing import Any

import httpx2
from openai import APIError, AsyncOpenAI, DefaultAsyncHttpxClient, OpenAIError

from bot.adapters.llm import chat, responses
from bot.adapters.llm.faults import Lost
from bot.adapters.llm.guard import bare, examined, trusted, unpacked
from bot.adapters.llm.ladder import Known, Seen
from bot.adapters.llm.listening import Pieces
from bot.adapters.llm.responses import fields, several
from bot.core.models import Api
from bot.core.ports import ModelAnswer, ModelCall, VoiceMessage
from bot.core.records import Json, Usage
from bot.core.splitting import sound

AGAIN = "x-should-retry"  # what the library goes by, whatever the status
TRIED_AGAIN = frozenset({429, 500, 503, 521, 522, 523, 529})  # which surely gave no answer
BOUNDED: dict[str, list[Callable[..., object]]] = {"request": [unpacked], "response": [examined]}
LOOK_SECONDS = 5.0
OF_A_MODEL = ("id", "owned_by", "root", "max_model_len")  # what of a model in a server's list changes with the model
OPENAI_HOST = "api.openai.com"
LONGEST_TOLD = 300  # characters, of what a server calls trouble


class OpenAiLine:
    """One server's client."""

    errors: tuple[type[Exception], ...] = (OpenAIError,)
    broken: tuple[type[Exception], ...] = (Lost, APIError)

    def __init__(
        self, *, api: Api, base_url: str | None, api_key: str, seconds: float, retries: int, http: httpx2.AsyncClient
    ) -> None:
        self._api = api
        self._client = AsyncOpenAI(
            api_key=api_key,
            base_url=base_url,
            timeout=httpx2.Timeout(seconds, connect=min(seconds, 10.0)),
            max_retries=retries,
            default_headers={"Authorization": f"Bearer {api_key}"},  # whatever the environment says
            http_client=http,
        )

    @property
    def address(self) -> str:
        return str(self._client.base_url).rstrip("/")

    @property
    def is_known(self) -> bool:
        """Whether it is OpenAI itself, of which nothing has to be found out."""
        return self._client.base_url.host == OPENAI_HOST

    def pieces(self, model: str, call: ModelCall, known: Known, place: int | None) -> Pieces:
        """Ask; gives the answer as it comes. `place`: where the server keeps what it has read of this asker."""
        beside: dict[str, Json] = {} if place is None else {"id_slot": place, "cache_prompt": True}
        if self._api == "responses" and not known.chat:
            return responses.pieces(self._client, model, call, stream=known.stream, beside=beside)
        if not self.is_known and known.both_lengths:
            beside["max_tokens"] = call.answer_tokens  # as others call it still, Ollama among them
        return chat.pieces(self._client, model, call, stream=known.stream, beside=beside)

    async def objection(self, model: str, text: str) -> str:
        return await _objection(self._client, model, text)

    async def hear(self, model: str, voice: VoiceMessage) -> ModelAnswer:
        """Ask what is said in a voice message; servers tell what it took in tokens, in seconds, or not at all."""
        told = await self._client.post(
            "/audio/transcriptions",
            body={"model": model, "response_format": "json"},
            files={"file": (voice.filename, voice.content, voice.media_type)},
            options={"headers": {"Content-Type": "multipart/form-data"}},
            cast_to=object,
        )
        answer = fields(told)
        usage = responses.used(answer.get("usage"), "input_tokens", "output_tokens") or Usage()
        return ModelAnswer(text=sound(str(answer["text"])).strip(), usage=usage)

    async def seen(self, model: str) -> Seen:
        """Look what the server tells of itself: llama.cpp its slots, others their models."""
        root = self.address.removesuffix("/v1")
        props = await self._told(f"{root}/props")
        settings = props.get("default_generation_settings")
        if isinstance(settings, dict) and isinstance(props.get("total_slots"), int):
            mark = [props.get("build_info"), props.get("model_path"), props.get("chat_template"), settings.get("n_ctx")]
            return Seen(
                mark=_mark([self._api, *mark]),
                places=_count(props.get("total_slots")),
                context_tokens=_count(settings.get("n_ctx")),
                is_placed=True,
            )
        listed = (await self._told(f"{self.address}/models")).get("data")
        cards = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        card = next((one for one in cards if one.get("id") == model), {})
        told = [card.get(name) for name in OF_A_MODEL]
        names = tuple(str(one["id"]) for one in cards if isinstance(one.get("id"), str))
        return Seen(mark=_mark([self._api, *told]), context_tokens=_count(card.get("max_model_len")), names=names)

    async def _told(self, address: str) -> dict[str, Json]:
        """Give what a server tells at an address; nothing where it tells nothing."""
        quick = self._client.with_options(max_retries=0, timeout=LOOK_SECONDS)
        try:
            async with asyncio.timeout(LOOK_SECONDS):  # the library's own begins anew with every byte
                response = await quick.get(address, cast_to=httpx2.Response)
            told = json.loads(response.content)
        except (OpenAIError, TimeoutError, ValueError, RecursionError):
            return {}
        return told if isinstance(told, dict) else {}

    async def close(self) -> None:
        await self._client.close()


class Once(DefaultAsyncHttpxClient):
    """Sends once where nobody knows whether the server has taken it: what is tried again is paid for again."""

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:  # noqa: ANN401 - the library's
        """Send it; what broke off afterwards is an error of ours, which the library does not try again."""
        try:
            response = await super().send(request, **options)
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout):
            raise
        except httpx2.TransportError as error:
            raise Lost(str(error)) from error
        again = response.status_code in TRIED_AGAIN and response.headers.get(AGAIN, "true") != "false"
        response.headers[AGAIN] = str(again).lower()  # no server has us pay for what it may have taken
        return response


def of_ours() -> httpx2.AsyncClient:
    """Give the client for the installation's own servers."""
    return Once(verify=trusted(), event_hooks=BOUNDED)


def stranger(transport: httpx2.AsyncBaseTransport | None, key: str) -> httpx2.AsyncClient:
    """Give the client for a server that is to learn nothing of the installation: it is sent its own key alone."""
    hooks = BOUNDED | {"request": [bare(key), *BOUNDED["request"]]}
    return Once(verify=trusted(), transport=transport, trust_env=False, event_hooks=hooks)


def _mark(told: list[Json]) -> str:
    return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()[:16]


def _count(told: Json) -> int | None:
    return told if isinstance(told, int) and not isinstance(told, bool) and 0 < told < 2**31 else None


async def _objection(client: AsyncOpenAI, model: str, text: str) -> str:
    """Give the kinds of trouble the provider sees in a text, in words; empty when it sees none."""
    answer = fields(await client.post("/moderations", body={"model": model, "input": text}, cast_to=object))
    flagged = [result for result in several(answer["results"]) if result.get("flagged")]
    kinds = [
        name.replace("/", ", ").replace("_", " ")
        for result in flagged
        for name, is_so in fields(result.get("categories")).items()
        if is_so
    ]
    return sound("; ".join(dict.fromkeys(kinds)))[:LONGEST_TOLD] or ("flagged by the provider" if flagged else "")
