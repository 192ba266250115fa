"""Sums of the simplest kind, read from a sentence."""

import re

NUMBER = r"-?\d{1,12}(?:\.\d{1,6})?"
SUM = re.compile(rf"(?<![\w.])({NUMBER}(?:\s*(?:[-+*/x×÷^]|plus|minus|times|divided by)\s*{NUMBER})+)", re.IGNORECASE)
PART = re.compile(rf"\s*({NUMBER})\s*([-+*/x×÷^]|plus|minus|times|divided by)?", re.IGNORECASE)
SIGNS = {"plus": "+", "minus": "-", "times": "*", "x": "*", "×": "*", "÷": "/", "divided by": "/"}
MAX_POWER = 12


def sum_in(text: str) -> tuple[str, str] | None:
    """The first sum of a text and its result, both to be shown; None when there is none."""
    found = SUM.search(text)
    if not found or re.fullmatch(r"\d{4}-\d{2}(-\d{2})?", found[1]):
        return None
    numbers, signs = parts_of(found[1])
    result = worked_out(numbers, signs)
    shown = found[1].strip()
    return (shown, "nothing a number can say") if result is None else (shown, f"{result:.10g}")


def parts_of(text: str) -> tuple[list[float], list[str]]:
    numbers, signs, place = [], [], 0
    while found := PART.match(text, place):
        numbers.append(float(found[1]))
        sign = (found[2] or "").lower()
        signs.append(SIGNS.get(sign, sign))
        place = found.end()
        if not sign:
            break
    return numbers, signs[: len(numbers) - 1]


def worked_out(numbers: list[float], signs: list[str]) -> float | None:
    """Powers first, then times and divided by, then plus and minus; None for what cannot be done."""
    for level in ("^", "*/", "+-"):
        kept, rest = [numbers[0]], []
        for sign, number in zip(signs, numbers[1:], strict=True):
            if sign not in level:
                kept.append(number)
                rest.append(sign)
                continue
            done = apply(kept.pop(), sign, number)
            if done is None:
                return None
            kept.append(done)
        numbers, signs = kept, rest
    return numbers[0]


def apply(left: float, sign: str, right: float) -> float | None:
    match sign:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left / right if right else None
        case _:
            return power(left, right)


def power(base: float, exponent: float) -> float | None:
    if abs(exponent) > MAX_POWER or abs(base) > 10**6 or (base <= 0 and exponent != int(exponent)):
        return None
    return None if base == 0 and exponent < 0 else float(base**exponent)
