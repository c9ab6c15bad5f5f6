"""Which requests are repeated, when, and with what. The service is replaced by a list of responses."""

import asyncio
from collections.abc import Callable

import httpx
import pytest

from conftest import Service
from muniment import AsyncClient, Client, RetryPolicy, TransportError, errors
from muniment._exchange import exchange
from muniment.changes import create_role, register
from muniment.operations import check, commit, commit_each

FAST = RetryPolicy(max_retries=2, min_wait_seconds=0, max_wait_seconds=1)
ALLOWED = {
    "subject": "user:ann", "privileges": ["read"], "object": "doc:plan", "allowed": True, "reason": "", "revision": 1,
    "time": "2026-01-01T00:00:00.123456789Z",
}


class Responses(httpx.BaseTransport):
    """Answers requests with these responses or errors, in order."""

    def __init__(self, *responses: httpx.Response | Exception) -> None:
        self.responses = list(responses)
        self.requests: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        response = self.responses.pop(0)
        if isinstance(response, Exception):
            raise response
        return response

    def client(self) -> Client:
        return Client("http://service", token="t", retry=FAST, http=httpx.Client(transport=self))


def problem(status: int, kind: str, **headers: str) -> httpx.Response:
    body = {"type": f"/problems/{kind}", "title": "", "status": status, "detail": "", }
    return httpx.Response(status, json=body, headers={"Content-Type": "application/problem+json", **headers})


def test_a_question_is_repeated_after_temporary_failures() -> None:
    responses = Responses(
        httpx.ReadError("lost"), problem(503, "unavailable"), httpx.Response(200, json=ALLOWED))
    assert responses.client().check("user:ann", "read", "doc:plan").time.microsecond == 123456
    assert len(responses.requests) == 3


def test_a_question_is_repeated_a_limited_number_of_times() -> None:
    responses = Responses(*(httpx.ConnectError("no route") for _ in range(9)))
    with pytest.raises(TransportError) as caught:
        responses.client().check("user:ann", "read", "doc:plan")
    assert len(responses.requests) == 3 and isinstance(caught.value.__cause__, httpx.ConnectError)


def test_a_lasting_problem_is_raised_at_once() -> None:
    responses = Responses(problem(403, "forbidden"))
    with pytest.raises(errors.ForbiddenError):
        responses.client().check("user:ann", "read", "doc:plan")


def test_a_transaction_is_repeated_with_the_same_key() -> None:
    receipt = {"head": 1, "revision": 1, "time": "2026-01-01T00:00:00Z"}
    responses = Responses(
        httpx.ReadTimeout("lost"), problem(409, "idempotency-key-in-use"), httpx.Response(200, json=receipt))
    assert responses.client().commit([register("user:ann")], as_="user:root").revision == 1
    keys = {request.headers["Idempotency-Key"] for request in responses.requests}
    assert len(keys) == 1 and len(responses.requests) == 3
    assert commit([]).headers["Idempotency-Key"] not in keys
    assert commit([], idempotency_key="mine").headers["Idempotency-Key"] == "mine"


def test_changes_without_a_key_are_repeated_only_if_the_service_did_not_get_them() -> None:
    responses = Responses(httpx.ReadError("lost"))
    with pytest.raises(TransportError):
        responses.client().commit_each([register("user:ann")])
    responses = Responses(
        httpx.ConnectError("no route"), problem(429, "too-many-requests"),
        httpx.Response(200, json={"results": [], "head": 1}))
    assert responses.client().commit_each([register("user:ann")]) == []
    assert "Idempotency-Key" not in commit_each([]).headers


def test_the_client_waits_as_long_as_the_service_asks_for() -> None:
    with Client("http://service") as client:
        configuration = client._configuration
    steps = exchange(configuration, check("user:ann", "read", "doc:plan"))
    assert isinstance(next(steps), httpx.Request)
    assert steps.send(problem(429, "too-many-requests", **{"Retry-After": "3"})) == 3.0
    assert isinstance(next(steps), httpx.Request)
    with pytest.raises(errors.TooManyRequestsError) as caught:
        steps.send(problem(429, "too-many-requests", **{"Retry-After": "60"}))
    assert caught.value.retry_after == 60


def test_waits_double_and_have_a_limit() -> None:
    policy = RetryPolicy(max_retries=9, min_wait_seconds=0.1, max_wait_seconds=1)
    waits = [policy.wait(errors.UnavailableError(503, {}), retries, True) for retries in range(10)]
    for wait, longest in zip(waits, [0.1, 0.2, 0.4, 0.8, 1, 1, 1, 1, 1]):
        assert wait is not None and longest / 2 <= wait <= longest
    assert waits[9] is None


def test_a_response_of_another_service_is_an_error() -> None:
    for response in [httpx.Response(200, text="<html>"), httpx.Response(200, json={"allowed": True})]:
        with pytest.raises(errors.ResponseError):
            Responses(response).client().check("user:ann", "read", "doc:plan")
    for response in [httpx.Response(200, text="<html>"), httpx.Response(200, json=[])]:
        with pytest.raises(errors.ResponseError):
            Responses(response).client().stores()
    responses = Responses(*(httpx.Response(502, html="<h1>bad gateway") for _ in range(3)))
    with pytest.raises(errors.ResponseError, match="HTTP 502, '?<h1>bad gateway.*proxies") as caught:
        responses.client().stores()
    assert caught.value.status == 502 and len(responses.requests) == 3


def test_a_repeated_transaction_is_made_once(service: Service, client: Client) -> None:
    """The first response is lost after the service has made the transaction."""

    class LosesFirst(httpx.HTTPTransport):
        lost = 0

        def handle_request(self, request: httpx.Request) -> httpx.Response:
            response = super().handle_request(request)
            if not self.lost:
                self.lost += 1
                response.read()
                raise httpx.ReadError("lost")
            return response

    transport = LosesFirst()
    with httpx.Client(transport=transport) as http:
        unlucky = Client(service.address, token=service.token, store=client.store, retry=FAST, http=http)
        before = client.statistics().revision
        receipt = unlucky.commit([create_role("editors")], as_="user:root")
    assert transport.lost == 1
    assert receipt.revision == before + 1 == client.statistics().revision


def test_the_asynchronous_client_repeats_requests_too() -> None:
    responses = Responses(httpx.ReadError("lost"), httpx.Response(200, json=ALLOWED))
    handler: Callable[[httpx.Request], httpx.Response] = responses.handle_request

    async def run() -> bool:
        http = httpx.AsyncClient(transport=httpx.MockTransport(handler))
        async with AsyncClient("http://service", retry=FAST, http=http) as client:
            return (await client.check("user:ann", "read", "doc:plan")).allowed

    assert asyncio.run(run()) and len(responses.requests) == 2
