"""How a request becomes a response: encoding, errors and retries, without I/O.

The clients run these steps: `Client` with blocking calls, and `AsyncClient` with awaits.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
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

    A feed that was open uses only the waits: it reconnects without limit.
    """

    #: The largest number of repetitions; 0 for none.
    max_retries: int = 5
    #: The wait before the first repetition. It doubles with each one, and is reduced at random by up to half.
    min_wait_seconds: float = 0.1
    #: The longest wait. If the service asks for a longer one with `Retry-After`, the error is raised.
    max_wait_seconds: float = 10.0

    def __post_init__(self) -> None:
        for name in ("max_retries", "min_wait_seconds", "max_wait_seconds"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}: it must be 0 or more")

    def wait(self, error: MunimentError, retries: int, is_repeatable: bool) -> float | None:
        """Returns the seconds to wait before a repetition; None if the error is to be raised.

        `retries` is the number of repetitions so far.
        """
        if retries >= self.max_retries or not is_temporary(error, is_repeatable):
            return None
        wait = self.pause(error, retries)
        return None if (_retry_after(error) or 0) > self.max_wait_seconds else wait

    def pause(self, error: MunimentError, retries: int) -> float:
        """Returns the seconds to wait after an error that is temporary: at least as long as the service asks for."""
        # The exponent has a limit because a feed may repeat its request more often than a float has powers of two.
        wait = min(self.max_wait_seconds, self.min_wait_seconds * 2.0 ** min(retries, 64)) * random.uniform(0.5, 1)
        return max(wait, _retry_after(error) or 0)


def _retry_after(error: MunimentError) -> float | None:
    return error.retry_after if isinstance(error, (ProblemError, ResponseError)) else None


def is_temporary(error: MunimentError, is_repeatable: bool) -> bool:
    """Returns whether the same request can succeed later, and may be sent again."""
    if isinstance(error, TransportError):
        return is_repeatable or not error.is_sent
    if isinstance(error, TooManyRequestsError):
        return True
    if isinstance(error, ProblemError):
        return is_repeatable and (error.status in (502, 503, 504) or error.kind == "idempotency-key-in-use")
    return isinstance(error, ResponseError) and (error.status == 429 or is_repeatable and error.status in (502, 503, 504))


@dataclass(frozen=True)
class Configuration:
    """What the requests of a client have in common."""

    address: str
    store: str
    #: Not in `repr`, so that no log and no exception contains it.
    token: str | None = field(repr=False)
    timeout_seconds: float
    retry: RetryPolicy

    @staticmethod
    def of(address: str, store: str, token: str | None, timeout_seconds: float, retry: RetryPolicy) -> Configuration:
        """Returns a configuration with a valid address and token. Raises a `ValueError` otherwise."""
        if not isinstance(retry, RetryPolicy):
            raise ValueError(f"retry is {retry!r}: pass a RetryPolicy, for example RetryPolicy(max_retries=3)")
        if not timeout_seconds > 0:
            raise ValueError(f"timeout is {timeout_seconds}: it must be more than 0 seconds")
        return Configuration(_address(address), store, _token(token), timeout_seconds, retry)

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


def _address(address: str) -> str:
    try:
        url = httpx.URL(address.strip())
    except httpx.InvalidURL as error:
        raise ValueError(f"invalid `address` `{address}`: {error}. Pass a URL such as `http://127.0.0.1:8080`.") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise ValueError(f"invalid `address` `{address}`. Pass a URL with `http://` or `https://`, such as `http://127.0.0.1:8080`.")
    return address.strip()


def _token(token: str | None) -> str | None:
    if token is None:
        return None
    token = token.strip()
    if not token:
        raise ValueError("`token` is empty. Pass a token of the service, or None for the caller `anonymous`.")
    if re.fullmatch(r"[\x21-\x7e]+", token) is None:
        # The message must not contain the token, which is a secret.
        raise ValueError("invalid `token`: it contains a space, or a character outside ASCII. Pass the token as the service returned it.")
    return token


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
        text = f"no response of the service: {outcome!r}. Check its address and the network."
        if isinstance(outcome, httpx.PoolTimeout):
            text = (
                "no connection was free before the timeout: all connections of the HTTP client are in use. Send fewer requests at the same "
                "time, close unused feeds, or pass `http` with larger `limits`.")
        error = TransportError(text, is_sent=is_sent)
        error.__cause__ = outcome
        return error
    retry_after_text = outcome.headers.get("Retry-After", "")
    retry_after = float(retry_after_text) if retry_after_text.isdigit() else None
    try:
        problem = content(outcome)
    except ResponseError:
        problem = None
    if not isinstance(problem, dict) or "type" not in problem:
        return ResponseError(
            f"the error response is not from Muniment: HTTP {outcome.status_code}, {outcome.text[:200] or 'without a body'!r}. "
            "Check the address of the service, and the proxies in front of it.",
            status=outcome.status_code, retry_after=retry_after)
    return ProblemError.of(
        outcome.status_code, problem, request_id=outcome.headers.get("X-Request-ID"), retry_after=retry_after)
