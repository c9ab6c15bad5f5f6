"""How a feed is read: server-sent events and reconnection, without I/O."""

from __future__ import annotations

import json
from typing import Generic, TypeVar

import httpx

from ._exchange import Configuration, is_temporary
from ._json import decode_time
from ._requests import FeedRequest
from .errors import MunimentError, ResponseError
from .models import FeedEvent

T = TypeVar("T")

#: The service sends something every 15 seconds. After this time without data, the connection is lost.
SILENCE_SECONDS = 45.0


class FeedReader(Generic[T]):
    """The state of a feed over any number of connections."""

    def __init__(self, configuration: Configuration, request: FeedRequest[T]) -> None:
        self._configuration = configuration
        self._request = request
        self._position = self._next_position = request.after
        self._failures = 0
        #: The wait after a connection that was open, which the service sets.
        self._reconnect_seconds = 2.0
        self._is_open = self._was_open = False
        self._buffer = b""
        self._data: list[str] = []

    def request(self) -> httpx.Request:
        """Returns the request of the next connection, which starts after the last event."""
        self._buffer, self._data, self._next_position, self._is_open = b"", [], self._position, False
        headers = {"Accept": "text/event-stream"}
        if self._position is not None:
            headers["Last-Event-ID"] = self._position
        timeout = httpx.Timeout(self._configuration.timeout_seconds, read=SILENCE_SECONDS)
        return self._configuration.request("GET", self._request.path, self._request.query, headers, timeout)

    def accept(self, response: httpx.Response) -> None:
        """Raises a `ResponseError` if a successful response is not a feed."""
        media_type = response.headers.get("Content-Type", "")
        if media_type.partition(";")[0].strip() != "text/event-stream":
            raise ResponseError(
                f"the response is not a feed of Muniment: its media type is `{media_type}`. Check the address of the service, and the "
                "proxies in front of it.")

    def receive(self, content: bytes) -> list[FeedEvent[T]]:
        """Returns the events that are complete with these bytes."""
        self._failures, self._is_open, self._was_open = 0, True, True
        # Only line feeds end a line. `splitlines` would also split at characters that JSON may contain.
        *lines, self._buffer = (self._buffer + content).split(b"\n")
        events = []
        for line in lines:
            event = self._line(line.removesuffix(b"\r").decode())
            if event is not None:
                events.append(event)
        return events

    def _line(self, line: str) -> FeedEvent[T] | None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "id":
            self._next_position = value
        elif name == "data":
            self._data.append(value)
        elif name == "retry" and value.isdigit():
            self._reconnect_seconds = int(value) / 1000
        elif line == "":
            # Only now: the connection can break between the position of an event and its data.
            self._position = self._next_position
            if self._data:
                text, self._data = "\n".join(self._data), []
                return self._event(text)
        return None

    def _event(self, text: str) -> FeedEvent[T]:
        try:
            event = json.loads(text)
            return FeedEvent(
                self._position or "", event["type"], decode_time(event["time"]), self._request.parse(event["data"]))
        except (ValueError, KeyError, TypeError) as error:
            raise ResponseError(f"unexpected event of the service: {text}") from error

    def wait(self, error: MunimentError | None) -> float:
        """Returns the seconds to wait before the next connection. Raises an error that a new connection does not solve.

        A feed that was open has no limit for the number of connections; until then, the retry policy has one. `error` is None if the
        service has ended the connection.
        """
        if error is None or self._is_open:
            return self._reconnect_seconds
        policy = self._configuration.retry
        wait = policy.wait(error, self._failures, is_repeatable=True)
        if self._was_open and is_temporary(error, is_repeatable=True):
            wait = policy.pause(error, self._failures)
        if wait is None:
            raise error
        self._failures += 1
        return wait
