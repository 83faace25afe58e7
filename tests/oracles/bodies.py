"""Random bodies of requests, made from an OpenAPI schema by a seeded generator."""

from __future__ import annotations

import json
import string
from random import Random
from typing import Any
from urllib.parse import quote, urlencode

WORDS = [
    "It",
    "rains",
    ".",
    "\n\n",
    "1\tx\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n",
    "_",
    "\t",
    "#",
    "é",
    "\u202e",
    "\x00",
    "</a>",
    "\ud800",
]
KEYS = ("words", "form", "head", "deprel", "upos", "proof", "heads", "score", "tokens", "first", "last", "text", "misc")


class Generator:
    """Makes values that fit a schema, and sometimes others."""

    def __init__(self, schemas: dict[str, Any], seed: int) -> None:
        self._schemas = schemas
        self._random = Random(seed)

    def value(self, schema: dict[str, Any], depth: int = 0) -> Any:
        random = self._random
        if random.random() < 0.08 or depth > 4:
            return self._anything(depth)
        if "$ref" in schema:
            return self.value(self._schemas[schema["$ref"].rpartition("/")[2]], depth)
        if "anyOf" in schema:
            return self.value(random.choice(schema["anyOf"]), depth)
        if "enum" in schema:
            return random.choice(schema["enum"])
        kind = schema.get("type")
        if kind == "object" and "properties" in schema:
            required = schema.get("required", ())
            kept = [name for name in schema["properties"] if name in required or random.random() < 0.5]
            return {name: self.value(schema["properties"][name], depth + 1) for name in kept}
        if kind == "object":
            return {random.choice(KEYS): self._anything(depth + 1) for _ in range(random.randint(0, 5))}
        if kind == "array":
            return [self.value(schema.get("items", {}), depth + 1) for _ in range(random.randint(0, 4))]
        if kind == "string":
            return self._text()
        if kind in ("integer", "number"):
            return random.choice([0, 1, 2, 3, 20, 200, -1, 10**30, 0.5])
        return random.choice([True, False, None])

    def _anything(self, depth: int) -> Any:
        random = self._random
        if depth < 4 and random.random() < 0.4:
            if random.random() < 0.5:
                return [self._anything(depth + 1) for _ in range(random.randint(0, 4))]
            return {random.choice(KEYS): self._anything(depth + 1) for _ in range(random.randint(0, 4))}
        return random.choice([None, True, 0, 1, -1, 1e308, 10**25, "", "NaN", self._text()])

    def _text(self) -> str:
        random = self._random
        if random.random() < 0.1:
            return "".join(random.choices(string.printable, k=random.randint(0, 40)))
        return " ".join(random.choices(WORDS, k=random.randint(0, 8)))

    def body(self, operation: dict[str, Any]) -> tuple[bytes, str]:
        """A body and its type."""
        kind, content = self._random.choice(list(operation["requestBody"]["content"].items()))
        value = self.value(content["schema"])
        if self._random.random() < 0.05:
            return self._random.randbytes(self._random.randint(0, 30)), kind
        if kind == "application/json":
            return json.dumps(value).encode(), kind
        fields = {name: str(cell) for name, cell in value.items()} if isinstance(value, dict) else {"data": str(value)}
        if kind == "application/x-www-form-urlencoded":
            return urlencode(fields, errors="replace").encode(), kind
        head = '--b\r\nContent-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'
        parts = [head.format(quote(name, errors="replace"), cell) for name, cell in fields.items()]
        return ("".join(parts) + "--b--\r\n").encode(errors="replace"), f"{kind}; boundary=b"
