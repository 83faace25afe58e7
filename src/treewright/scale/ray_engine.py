"""Shards on Ray: actors on this machine or on a cluster, each with the model, one a CPU."""

from __future__ import annotations

import socket
from importlib import import_module
from typing import Any

from treewright.errors import InputError, MissingExtra
from treewright.scale.engines import Report, Task, run_task
from treewright.scale.shards import Job, Worker

CONNECTION_SECONDS = 10.0


class Actor:
    """A worker in a process of Ray; the model is loaded with the first task."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._worker: Worker | None = None

    def run(self, task: Task) -> Report:
        if self._worker is None:
            self._worker = Worker(self._job)
        return run_task(self._worker, task)


def check_answers(address: str | None) -> None:
    """Raise an OSError if nothing listens at HOST:PORT; Ray itself would try for minutes."""
    host, _, port = (address or "").rpartition(":")
    if host and port.isdecimal() and "/" not in host:
        socket.create_connection((host, int(port)), timeout=CONNECTION_SECONDS).close()


class RayEngine:
    """Actors of Ray; one that dies is replaced."""

    def __init__(self, job: Job, jobs: int | None, address: str | None) -> None:
        try:
            self._ray: Any = import_module("ray")
        except ImportError:
            raise MissingExtra("ray", "ray", "--engine ray") from None
        self._is_ours = not self._ray.is_initialized()
        if self._is_ours:
            self._connect(jobs, address)
        self._jobs = jobs or max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        self._new_actor = self._ray.remote(num_cpus=1, max_restarts=0)(Actor).remote
        self._job = job
        self._idle: list[Any] = []
        self._busy: dict[Any, tuple[Any, Task]] = {}  # the reference of a result -> the actor and its task

    def _connect(self, jobs: int | None, address: str | None) -> None:
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
        if address is None:
            options |= {"num_cpus": jobs, "include_dashboard": False}
        try:
            check_answers(address)
            self._ray.init(address=address, **options)
        except (OSError, ValueError, RuntimeError) as error:
            raise InputError(f"--ray-address {address}: no cluster answers there ({error})") from None

    def has_room(self) -> bool:
        return len(self._busy) < self._jobs

    def start(self, task: Task) -> None:
        actor = self._idle.pop() if self._idle else self._new_actor(self._job)
        self._busy[actor.run.remote(task)] = actor, task

    def wait(self, seconds: float) -> list[Report]:
        ready, _ = self._ray.wait(list(self._busy), num_returns=1, timeout=seconds)
        reports = []
        for reference in ready:
            actor, task = self._busy.pop(reference)
            try:
                reports.append(self._ray.get(reference))
                self._idle.append(actor)
            except self._ray.exceptions.RayActorError:
                reports.append(Report(task))
        return reports

    def stop(self) -> None:
        for actor in [*self._idle, *(actor for actor, _ in self._busy.values())]:
            self._ray.kill(actor)
        self._idle, self._busy = [], {}
        if self._is_ours:
            self._ray.shutdown()
