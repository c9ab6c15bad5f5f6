"""Arguments that can never be valid, and what editors, mocks and other processes see."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from datetime import date
from typing import Any
from unittest.mock import create_autospec

import httpx
import pytest

from muniment import AsyncClient, Client, RetryPolicy
from muniment.changes import grant, register
from muniment.errors import ConflictError, MunimentError, NotFoundError, ProblemError, ResponseError, TransportError


@pytest.mark.parametrize(
    "make",
    [
        lambda: RetryPolicy(max_retries=-1),
        lambda: RetryPolicy(min_wait_seconds=-0.1),
        lambda: Client("http://127.0.0.1:1", retry=3),  # type: ignore[arg-type]
        lambda: Client("http://127.0.0.1:1", timeout=0),
        lambda: Client("http://127.0.0.1:1", timeout=-1),
        lambda: Client("http://127.0.0.1:1").notice_feed("user:ann", after=""),
        lambda: Client("http://127.0.0.1:1").commit_feed(after=1.5),  # type: ignore[arg-type]
        lambda: Client("http://127.0.0.1:1").commit(register("user:ann")),  # type: ignore[arg-type]
        lambda: grant("user:ann", "read", "doc:plan", until=date(2999, 1, 1)),  # type: ignore[arg-type]
    ],
)
def test_an_argument_that_can_never_be_valid_is_a_value_error(make: Callable[[], Any]) -> None:
    with pytest.raises(ValueError):
        make()


@pytest.mark.parametrize(
    "error",
    [
        ProblemError.of(404, {"type": "/problems/not-found", "detail": "there is no `doc:x`"}, request_id="r1"),
        ProblemError.of(409, {"type": "/problems/conflict", "code": "conflict", "change": 2}, retry_after=1.5),
        ProblemError.of(400, {"type": "/problems/of-a-later-version"}),
        TransportError("no connection", is_sent=False),
        ResponseError("a proxy", status=502, retry_after=3),
    ],
)
def test_an_error_comes_back_from_another_process(error: MunimentError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)


def test_the_kinds_of_problems_stay_distinct_in_another_process() -> None:
    assert isinstance(pickle.loads(pickle.dumps(ProblemError.of(404, {"type": "/problems/not-found"}))), NotFoundError)
    assert isinstance(pickle.loads(pickle.dumps(ProblemError.of(409, {"type": "/problems/conflict"}))), ConflictError)


def test_a_closed_client_raises_an_error_of_the_package() -> None:
    client = Client("http://127.0.0.1:1", retry=RetryPolicy(max_retries=0))
    client.close()
    with pytest.raises(TransportError, match="closed"):
        client.check("user:ann", "read", "doc:plan")


def test_a_mock_takes_the_arguments_of_the_client() -> None:
    for kind in (Client, AsyncClient):
        mock = create_autospec(kind, instance=True)
        result = mock.check("user:ann", "read", "doc:plan", at=3)
        if inspect.iscoroutine(result):
            result.close()
        with pytest.raises(TypeError):
            mock.check("user:ann", "read", "doc:plan", moment=3)


def test_editors_see_the_results_of_methods() -> None:
    assert inspect.signature(Client.check).return_annotation == "models.Check"
    assert inspect.signature(Client.who).return_annotation == "Items[str]"
    assert inspect.signature(AsyncClient.notice_feed).return_annotation == "AsyncFeed[models.Notice]"
    assert list(inspect.signature(Client("http://127.0.0.1:1", http=httpx.Client()).check).parameters)[0] == "subject"
    assert Client.check.__module__ == "muniment.client"
