"""What goes wrong, in the shape an OpenAI client expects it."""

from aiohttp import web

LONGEST_MESSAGE = 1_000  # characters: what was sent may be repeated in it


class Problem(Exception):
    """A request that is answered with an error; `status` is the HTTP status."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str | None = None,
        param: str | None = None,
        kind: str = "invalid_request_error",
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        message = message if len(message) <= LONGEST_MESSAGE else f"{message[:LONGEST_MESSAGE]}…"
        self.status, self.message, self.code, self.param, self.kind = status, message, code, param, kind
        self.headers = headers or {}

    def body(self) -> dict[str, object]:
        error = {"message": self.message, "type": self.kind, "param": self.param, "code": self.code}
        return {"error": error}

    def response(self, request_id: str) -> web.Response:
        headers = self.headers | {"x-request-id": request_id}
        return web.json_response(self.body(), status=self.status, headers=headers)


def bad_request(message: str, *, param: str | None = None, code: str | None = None) -> Problem:
    return Problem(400, message, param=param, code=code)


def no_key() -> Problem:
    return Problem(
        401,
        "You didn't provide an API key. Put it in an Authorization header: Authorization: Bearer YOUR_KEY.",
    )


def wrong_key(key: str) -> Problem:
    return Problem(401, f"Incorrect API key provided: {key}.", code="invalid_api_key")


def no_such_model(model: str, *, endpoint: str) -> Problem:
    """The two endpoints differ here as the real ones do: 404 for chat, 400 with `param` for responses."""
    if endpoint == "chat":
        message = f"The model `{model}` does not exist or you do not have access to it."
        return Problem(404, message, code="model_not_found")
    return bad_request(f"The requested model '{model}' does not exist.", param="model", code="model_not_found")


def rate_limited(retry_after_seconds: float) -> Problem:
    headers = {
        "Retry-After": f"{retry_after_seconds:g}",
        "retry-after-ms": str(round(retry_after_seconds * 1000)),
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": f"{retry_after_seconds:g}s",
    }
    message = f"Rate limit reached for requests. Please try again in {retry_after_seconds:g}s."
    return Problem(429, message, code="rate_limit_exceeded", kind="requests", headers=headers)


def no_credit() -> Problem:
    message = "You exceeded your current quota, please check your plan and billing details."
    return Problem(429, message, code="insufficient_quota", kind="insufficient_quota")


def server_error() -> Problem:
    message = "The server had an error while processing your request. Sorry about that!"
    return Problem(500, message, kind="server_error")
