"""What an agent's configuration is held to."""

from urllib.parse import urlsplit

from bot.core.errors import Rejected
from bot.core.wording import counted
from bot.engine.performer.desk import Desk

PROMPT_PERCENT = 10


def check_prompt(desk: Desk, prompt: str, token_budget: int) -> None:
    """Raise Rejected when a prompt takes more than its share of the token budget."""
    tokens, most = desk.tokenizer.count(prompt), token_budget * PROMPT_PERCENT // 100
    if tokens > most:
        raise Rejected(
            f"The prompt has {counted(tokens, 'token')}: at most {most:,} fit into a budget of {token_budget:,}."
        )


async def check_model(desk: Desk, model: str) -> None:
    """Raise Rejected when the community does not allow a model, or the installation does not pay for it.

    The installation's list is about its own keys: a community that pays for its models is held to its own list only.
    """
    models = await desk.model()
    if models is not None and (why := models.refusal(model)):
        raise Rejected(why)
    allowed = desk.config.allowed_models
    if not allowed or model in allowed or model == desk.config.model:
        return
    is_own_list = "allowed_models" in desk.view.community.overrides
    if is_own_list or await desk.write.providers.of(desk.community_id) is None:
        raise Rejected(f"This community does not allow the model {model}: choose one of {', '.join(allowed)}.")


def check_avatar(url: str | None) -> None:
    """Raise Rejected when Discord could not fetch a picture from there."""
    if url is None:
        return
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or len(url) > 500:
        raise Rejected("Give the picture's public address, beginning with https://.")
