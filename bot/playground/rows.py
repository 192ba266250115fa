"""What is kept of everything, and the looser shape in which it is shown."""

from typing import Any, TypedDict

# Rows and what is shown of them are as nested as they were sent: `forms` and `writing` know what may stand in them.
Json = dict[str, Any]
Shown = dict[str, object]


class Overwrite(TypedDict):
    """What a role (type 0) or a member (1) may do in one channel."""

    id: str
    type: int
    allow: str
    deny: str
