"""The vocabulary as a page for people."""

from bot.core.actions.definition import Definition, People, marked
from bot.core.actions.vocabulary import CATALOGUE

WHO = {People.NOBODY: "", People.MANAGERS: "managers", People.EVERYONE: "everyone"}


def actions_table() -> str:
    """Give all actions as Markdown: one table per category."""
    parts: list[str] = []
    for category in dict.fromkeys(each.category for each in CATALOGUE):
        rows = [_row(each) for each in CATALOGUE if each.category is category]
        head = f"### {category.value}\n\n| action | what it does | who |\n| --- | --- | --- |"
        parts.append("\n".join([head, *rows]))
    return "\n\n".join(parts) + "\n"


def _row(definition: Definition) -> str:
    parameters = ", ".join(marked(*item) for item in definition.parameters.items())
    summary = definition.summary.replace("|", "\\|")
    return f"| `{definition.name}({parameters})` | {summary} | {_who(definition)} |"


def _who(definition: Definition) -> str:
    agents = "agents that may create agents" if definition.privileged else "agents"
    return " and ".join(filter(None, [agents if definition.for_agents else "", WHO[definition.people]]))
