"""Values on one line: nothing that somebody wrote can look like a line of the HUD."""

import sys
import unicodedata

from bot.core.hud.escape import one_line


def test_what_nobody_sees_is_written_out_but_for_what_joins() -> None:
    unseen = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) == "Cf"]
    for sign in [*unseen, *"\u3164\u2800\u115f\u1160\uffa0"]:
        assert (sign in one_line(f"a{sign}b")) == (sign in "\u200c\u200d"), hex(ord(sign))
    for shown in ("\N{WOMAN}\u200d\N{PERSONAL COMPUTER} (hi)", "\N{HEAVY BLACK HEART}\ufe0f (hi)"):
        assert one_line(shown) == shown
