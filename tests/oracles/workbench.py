"""The page of the workbench, as a test drives it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page


@dataclass
class Workbench:
    """A page, and the problems and foreign addresses that it had."""

    page: Page
    url: str
    foreign: list[str]
    problems: list[str]

    def state(self) -> dict[str, str]:
        """Return the attributes that the page sets after painting."""
        values: dict[str, str] = self.page.evaluate("({...document.body.dataset})")
        return values

    def heads(self) -> list[int]:
        return [int(head) for head in self.state()["heads"].split()]

    def wait(self, **expected: object) -> None:
        """Wait until attributes have these values."""
        for name, value in expected.items():
            self.page.wait_for_selector(f"body[data-{name}='{value}']")

    def press(self, key: str) -> None:
        """Press a key that changes the sentence, and wait for the new tree."""
        seq = self.state()["seq"]
        self.page.keyboard.press(key)
        self.page.wait_for_selector(f"body:not([data-seq='{seq}'])")

    def go_to(self, word: int) -> None:
        """Move to a word by arrows."""
        while (now := int(self.state()["word"])) != word:
            self.page.keyboard.press("ArrowRight" if word > now else "ArrowLeft")
            self.wait(word=now + (1 if word > now else -1))

    def open(self, sentence: int) -> None:
        """Open a sentence of the list by a click."""
        self.page.locator(f"#sentences li[data-id='{sentence}']").click()
        self.wait(sentence=sentence)


Start = Callable[..., Workbench]
