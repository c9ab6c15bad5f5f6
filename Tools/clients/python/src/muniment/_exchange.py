"""How a request becomes a response: encoding, errors and retries, without I/O.

The clients run these steps: `Client` with blocking calls, and `AsyncClient` with awaits.
"""

from __future__ import annotations

import json
import random
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import TypeAlias, TypeVar
from urllib.parse import quote

import httpx

from ._json import JSON
from ._requests import Request
from .errors import MunimentError, ProblemError, ResponseError, TooManyRequestsError, TransportError

T = TypeVar("T")
#: Yields requests to send and seconds to wait; receives the outcome of each request.
Steps: TypeAlias = Generator["httpx.Request | float", "httpx.Response | httpx.RequestError | None", T]

VERSION = "0.1.0"


@dataclass(frozen=True)
class RetryPolicy:
    """When a request is sent again.

    The client repeats a request after 429, 502, 503 and 504, after the problem `idempotency-key-in-use`, and after a failed connection.
    It does not repeat a request that the service may have received already, unless a repetition has no further effect: that is true
    for questions, and for changes with an idempotency key.
    """

    #: The largest number of repetitions; 0 for none.
    max_retries: int = 3
    #: The wait before the first repetition. It doubles with each one, and is reduced at random by up to half.
    min_wait_seconds: float = 0.1
    #: The longest wait. If the service asks for a longer one with `Retry-After`, the error is raised.
    max_wait_seconds: float = 10.0

    def wait(self, error: MunimentError, retries: int, is_repeatable: bool) -> float | None:
        """Returns the seconds to wait before a repetition; None if the error is to be raised.

        `retries` is the number of repetitions so far.
        """
        if retries >= self.max_retries or not _is_temporary(error, is_repeatable):
            return None
        wait = min(self.max_wait_seconds, self.min_wait_seconds * 2.0**retries) * random.uniform(0.5, 1)
        retry_after = error.retry_after if isinstance(error, ProblemError) else None
        if retry_after is None:
            return wait
        return None if retry_after > self.max_wait_seconds else max(wait, retry_after)


def _is_temporary(error: MunimentError, is_repeatable: bool) -> bool:
    if isinstance(error, TransportError):
        return is_repeatable or not error.is_sent
    if isinstance(error, TooManyRequestsError):
        return True
    return (
        is_repeatable
        and isinstance(error, ProblemError)
        and (error.status in (502, 503, 504) or error.kind == "idempotency-key-in-use")
    )


@dataclass(frozen=True)
class Configuration:
    """What the requests of a client have in common."""

    address: str
    store: str
    token: str | None
    timeout_seconds: float
    retry: RetryPolicy

    def encode(self, request: Request[T]) -> httpx.Request:
        headers = {"Accept": "application/json"}
        content = None
        if request.has_body:
            headers["Content-Type"] = "application/json"
            content = json.dumps(request.body, ensure_ascii=False, allow_nan=False).encode()
        headers.update(request.headers)
        return self.request(
            request.method, request.path, request.query, headers, httpx.Timeout(self.timeout_seconds), content)

    def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, JSON],
        headers: dict[str, str],
        timeout: httpx.Timeout,
        content: bytes | None = None,
    ) -> httpx.Request:
        """Returns a request of httpx, with what all requests of the client have in common."""
        own = {"User-Agent": f"muniment-python/{VERSION}"}
        if self.token is not None:
            own["Authorization"] = f"Bearer {self.token}"
        texts = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in query.items()}
        return httpx.Request(
            method,
            self.address.rstrip("/") + path.replace("{store}", quote(self.store, safe="")),
            params=texts,
            headers={**own, **headers},
            content=content,
            extensions={"timeout": timeout.as_dict()},
        )


def exchange(configuration: Configuration, request: Request[T]) -> Steps[T]:
    """The steps of one request, with its repetitions."""
    encoded = configuration.encode(request)
    retries = 0
    while True:
        outcome = yield encoded
        if isinstance(outcome, httpx.Response) and outcome.is_success:
            return read(request, content(outcome))
        error = failure(outcome)
        wait = configuration.retry.wait(error, retries, request.is_repeatable)
        if wait is None:
            raise error
        retries += 1
        yield wait


def read(request: Request[T], value: JSON) -> T:
    """Returns the result of a request that succeeded."""
    try:
        return request.parse(value)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ResponseError(f"unexpected response of the service to {request.path}: {value!r:.200}") from error


def content(response: httpx.Response) -> JSON:
    """Returns the body of a response: JSON, or bytes if the response has another media type."""
    media_type = response.headers.get("Content-Type", "").partition(";")[0].strip()
    if not (media_type == "application/json" or media_type.endswith("+json")):
        return response.content
    try:
        return json.loads(response.content)
    except ValueError as error:
        raise ResponseError(f"unexpected response of the service: HTTP {response.status_code} without valid JSON") from error


def failure(outcome: httpx.Response | httpx.RequestError | None) -> MunimentError:
    """Returns the error of a request that failed."""
    if not isinstance(outcome, httpx.Response):
        is_sent = not isinstance(outcome, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))
        error = TransportError(f"no response of the service: {outcome!r}. Check its address and the network.", is_sent=is_sent)
        error.__cause__ = outcome
        return error
    problem = content(outcome)
    if not isinstance(problem, dict):
        text = outcome.text[:200]
        problem = {"title": outcome.reason_phrase, "detail": f"HTTP {outcome.status_code}: {text or 'an empty response'}"}
    retry_after = outcome.headers.get("Retry-After", "")
    return ProblemError.of(
        outcome.status_code,
        problem,
        request_id=outcome.headers.get("X-Request-ID"),
        retry_after=float(retry_after) if retry_after.isdigit() else None,
    )
