"""A provider's moderation endpoint: what it objects to in a text."""

from openai import AsyncOpenAI

from bot.adapters.llm.responses import fields, several
from bot.core.splitting import sound

LONGEST_TOLD = 300  # characters, of what a server calls trouble


async def ask(client: AsyncOpenAI, model: str, text: str) -> str:
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
