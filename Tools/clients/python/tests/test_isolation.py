"""Secrets, connections and arguments: what must not mix, and what is rejected before a request."""

import multiprocessing
import multiprocessing.process
from datetime import date

import httpx
import pytest

from conftest import Service
from muniment import AsyncClient, Client, MunimentError, TransportError, errors
from muniment._exchange import failure
from muniment.changes import create_object, grant
from muniment.operations import batch_check, commit

FORK = multiprocessing.get_context("fork")


def in_child(body: multiprocessing.process.BaseProcess) -> int | None:
    body.start()
    body.join(30)
    return body.exitcode


def test_a_forked_process_has_its_own_connections(service: Service, client: Client) -> None:
    client.stores()
    parent = client._pools.current()

    def ask() -> None:
        assert client.check("user:ann", "read", "store").subject == "user:ann"
        assert client._pools.current().calls is not parent.calls

    assert in_child(FORK.Process(target=ask)) == 0
    assert client.check("user:bob", "read", "store").subject == "user:bob"
    assert client._pools.current() is parent

    asynchronous = AsyncClient(service.address)
    before = asynchronous._pools.current()

    def replace() -> None:
        assert asynchronous._pools.current().calls is not before.calls

    assert in_child(FORK.Process(target=replace)) == 0


def test_a_forked_process_cannot_use_a_given_http_client_or_a_feed_of_its_parent(service: Service, client: Client) -> None:
    feed = client.notice_feed("user:bob", after=0)
    with httpx.Client() as http:
        given = Client(service.address, token=service.token, http=http)
        given.stores()

        def use() -> None:
            with pytest.raises(MunimentError, match="parent process"):
                given.stores()
            with pytest.raises(MunimentError, match="parent process"):
                next(feed)
            feed.close()

        assert in_child(FORK.Process(target=use)) == 0
        given.stores()
    feed.close()


def test_a_token_is_stripped_and_never_in_an_exception(service: Service) -> None:
    with Client(service.address, token=f" {service.token}\n") as client:
        client.stores()
        assert service.token not in repr(client._configuration)
    for kind in (Client, AsyncClient):
        for token in ["", " \n", "secret-ä", "secret secret", "secret\nsecret"]:
            with pytest.raises(ValueError, match="`token`") as caught:
                kind(service.address, token=token)
            assert "secret" not in str(caught.value)


@pytest.mark.parametrize("address", ["127.0.0.1:9152", "localhost:9152", "", "http://", "ftp://host", "http://host:port"])
def test_an_address_must_be_a_url(address: str) -> None:
    with pytest.raises(ValueError, match="invalid `address`.*Pass a URL"):
        Client(address)


def test_an_idempotency_key_must_be_printable_ascii() -> None:
    for key in ["", "ä", " a", "a\n"]:
        with pytest.raises(ValueError, match="invalid `idempotency_key`"):
            commit([], idempotency_key=key)
    assert commit([], idempotency_key="a b").headers["Idempotency-Key"] == "a b"


def test_the_error_of_a_busy_pool_names_the_cause(service: Service) -> None:
    error = failure(httpx.PoolTimeout(""))
    assert isinstance(error, TransportError) and not error.is_sent and "all connections of the HTTP client are in use" in str(error)


def share(client: Client) -> int:
    receipt = client.commit([create_object("doc:plan"), grant("user:bob", "read", "doc:plan")], as_="user:root")
    assert receipt.revision is not None
    return receipt.revision


def test_many_feeds_leave_connections_for_calls(service: Service, client: Client) -> None:
    share(client)
    with Client(service.address, token=service.token, store=client.store, timeout=600) as one:
        feeds = [one.notice_feed("user:bob", after=0) for _ in range(120)]
        assert [next(feed).data.object for feed in feeds] == ["doc:plan"] * 120
        assert one.check("user:bob", "read", "doc:plan").allowed
    assert [next(feed, None) for feed in feeds] == [None] * 120


def test_an_invalid_name_in_several_checks_is_an_error_of_its_check(client: Client) -> None:
    share(client)
    names = ["ann", "user:", ":ann", "user:a\x07", "store:x"]
    decisions = client.batch_check([*((name, "read", "store") for name in names), ("user:bob", "read", "doc:plan")])
    for name, decision in zip(names, decisions):
        with pytest.raises(errors.MalformedError) as caught:
            client.check(name, "read", "store")
        assert not decision.allowed and decision.error is not None
        assert "\x07" in name or decision.error == caught.value.detail
    assert decisions[-1].allowed
    assert client.batch_check([("everyone", "read", "plan")])[0].error is not None


def test_several_checks_take_any_moment(client: Client) -> None:
    def moment(at: int | str | date) -> object:
        return batch_check([("user:ann", "read", "store")], at=at).body["context"]["muniment_at"]

    assert [moment(1), moment("1"), moment(date(2026, 1, 31)), moment("2026-01-31")] == [1, 1, "2026-01-31", "2026-01-31"]
    revision = share(client)
    moments: list[int | str | date] = [revision, str(revision), date(2999, 1, 1)]
    for at in moments:
        assert client.batch_check([("user:bob", "read", "doc:plan")], at=at)[0].allowed
