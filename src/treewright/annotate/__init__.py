"""Treebank projects: a journal of decisions, layers, undo, agreement, models trained on what is annotated."""

from treewright.annotate.answers import (
    AccessError,
    Answer,
    Choice,
    ConflictError,
    Difference,
    Hit,
    Job,
    Person,
    ProjectError,
    State,
    StoreError,
    Summary,
    UnknownItemError,
    WordState,
)
from treewright.annotate.project import Project

__all__ = [
    "AccessError", "Answer", "Choice", "ConflictError", "Difference", "Hit", "Job", "Person", "Project",
    "ProjectError", "State", "StoreError", "Summary", "UnknownItemError", "WordState",
]  # fmt: skip
