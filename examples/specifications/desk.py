"""The functions that the specifications describe: plain Python that does not depend on Toolcrib."""

import asyncio
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path


@dataclass
class Note:
    number: int
    text: str


# Kept for the session, because all calls of a session run in one process.
NOTES: list[Note] = []


def text_count(path: str) -> dict:
    text = Path(path).read_text(encoding="utf-8")
    return {"lines": len(text.splitlines()), "words": len(text.split()), "characters": len(text)}


def date_between(start: str, end: str) -> dict:
    return {"days": (date.fromisoformat(end) - date.fromisoformat(start)).days}


async def date_add(start: str, days: int) -> dict:
    await asyncio.sleep(0)
    return {"date": date.fromisoformat(start) + timedelta(days=days)}


def note_keep(text: str) -> Note:
    NOTES.append(Note(len(NOTES) + 1, text))
    return NOTES[-1]


def note_list() -> dict:
    return {"notes": NOTES}
