"""What goes wrong at a provider, in the words of our own errors."""

import openai

from bot.core.errors import ModelBusy, ModelError, ModelRefused, ModelUnreachable


def as_model_error(error: openai.OpenAIError, *, address: str, model: str) -> ModelError:
    """Word a provider's error in one sentence that says what to do."""
    match error:
        case openai.APITimeoutError():
            return ModelUnreachable(f"The model at {address} took too long to answer: it is asked again by itself.")
        case openai.APIConnectionError():
            return ModelUnreachable(f"No model answers at {address}: start it, or change SELFROOM_OPENAI_BASE_URL.")
        case openai.RateLimitError(code="insufficient_quota"):
            return ModelRefused(f"There is no credit left at {address}: top it up with the provider.")
        case openai.RateLimitError():
            return ModelBusy(f"The provider at {address} is asked too often.", retry_after_seconds=_retry_after(error))
        case openai.AuthenticationError() | openai.PermissionDeniedError():
            return ModelRefused(f"The provider at {address} does not take the key: check OPENAI_API_KEY.")
        case openai.NotFoundError() | openai.BadRequestError(code="model_not_found"):
            return ModelRefused(f"The provider at {address} has no model {model!r}: choose another with /agent edit.")
        case openai.BadRequestError():
            return ModelRefused(f"The provider at {address} does not take the request for {model!r}: {error.message}")
        case openai.InternalServerError():
            return ModelUnreachable(f"The provider at {address} has a fault: it is asked again by itself.")
        case _:
            return ModelUnreachable(f"The provider at {address} did not answer usefully ({type(error).__name__}).")


def refuses_schema(error: openai.OpenAIError) -> bool:
    """Tell whether the provider cannot be held to a schema, so that the format has to be said in words."""
    if not isinstance(error, openai.BadRequestError):
        return False
    return any(word in error.message.lower() for word in ("response_format", "json_schema", "text.format"))


def _retry_after(error: openai.RateLimitError) -> float | None:
    try:
        return float(error.response.headers.get("retry-after", ""))
    except ValueError:
        return None
