"""A provider's moderation endpoint: what it objects to in a text."""

from openai import AsyncOpenAI

from bot.core.splitting import sound

LONGEST_TOLD = 300  # characters, of what a server calls trouble


async def ask(client: AsyncOpenAI, model: str, text: str) -> str:
    """Give the kinds of trouble the provider sees in a text, in words; empty when it sees none."""
    answer = await client.moderations.create(model=model, input=text)
    kinds = [
        name.replace("/", ", ").replace("_", " ")
        for result in answer.results
        if result.flagged
        for name, is_so in result.categories.model_dump(by_alias=True).items()
        if is_so
    ]
    flagged = any(result.flagged for result in answer.results)
    return sound("; ".join(dict.fromkeys(kinds)))[:LONGEST_TOLD] or ("flagged by the provider" if flagged else "")
