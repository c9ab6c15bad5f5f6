"""Feeds, against a service."""

import itertools
from collections.abc import Iterator

import httpx
import pytest

from conftest import Service
from muniment import Client, RetryPolicy, TransportError, errors
from muniment._exchange import Configuration
from muniment._feed import FeedReader
from muniment.changes import create_object, grant, revoke
from muniment.operations import commit_feed

ROOT = "user:root"


def share(client: Client, *objects: str) -> None:
    changes = [change for object in objects for change in [create_object(object), grant("user:bob", "read", object)]]
    client.commit(changes, as_=ROOT)


def test_a_feed_yields_past_and_new_notices(client: Client) -> None:
    share(client, "doc:plan")
    feed = client.notice_feed("user:bob", after=0)
    first = next(feed)
    assert (first.type, first.data.kind, first.data.object) == ("muniment.notice.shared", "shared", "doc:plan")
    client.commit([revoke("user:bob", "doc:plan")], as_=ROOT)
    second = next(feed)
    assert second.data.kind == "madeInaccessible" and second.id == str(second.data.revision)
    feed.close()


def test_a_feed_continues_after_the_id_of_an_event(client: Client) -> None:
    share(client, "doc:a", "doc:b", "doc:c")
    everything = [event.id for event in itertools.islice(client.notice_feed("user:bob", after=0), 3)]
    for number, position in enumerate(everything[:-1]):
        rest = itertools.islice(client.notice_feed("user:bob", after=position), 2 - number)
        assert [event.id for event in rest] == everything[number + 1 :]


def test_a_feed_of_changes_yields_values_until_the_caller_loses_access(client: Client) -> None:
    client.commit([create_object("doc:plan", value={"title": "Plan"}), grant("user:bob", "read", "doc:plan")], as_=ROOT)
    head = client.statistics().revision
    feed = client.change_feed("doc:plan", path="/title", as_="user:bob", after=head)
    client.merge_object("doc:plan", {"title": "Bridge"}, expected_revision=None, as_=ROOT)
    changed = next(feed)
    assert (changed.type, changed.data.kind, changed.data.value) == ("muniment.change.valueChanged", "valueChanged", "Bridge")
    client.commit([revoke("user:bob", "doc:plan")], as_=ROOT)
    assert next(feed).data.kind == "accessEnded"
    with pytest.raises(errors.RefusedError):
        next(feed)
    feed.close()


class Breaking(httpx.HTTPTransport):
    """Breaks each connection after some bytes."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit, self.connections = limit, 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.connections += 1
        response = super().handle_request(request)
        assert isinstance(response.stream, httpx.SyncByteStream)
        return httpx.Response(response.status_code, headers=response.headers, stream=_Broken(response.stream, self.limit))


class _Broken(httpx.SyncByteStream):
    def __init__(self, stream: httpx.SyncByteStream, limit: int) -> None:
        self.stream, self.limit = stream, limit

    def __iter__(self) -> Iterator[bytes]:
        left = self.limit
        for content in self.stream:
            content = content.replace(b"retry: 2000\n", b"retry: 1\n")
            yield content[:left]
            left -= len(content)
            if left <= 0:
                raise httpx.ReadError("broken")

    def close(self) -> None:
        self.stream.close()


def test_each_event_arrives_once_over_broken_connections(service: Service, client: Client) -> None:
    objects = [f"doc:{number}" for number in range(20)]
    for place in range(0, 20, 2):
        share(client, *objects[place : place + 2])
    transport = Breaking(limit=1_000)
    with httpx.Client(transport=transport) as http:
        unlucky = Client(service.address, token=service.token, store=client.store, http=http)
        found = [event.data.object for event in itertools.islice(unlucky.notice_feed("user:bob", after=0), 20)]
    assert sorted(found) == sorted(objects) and transport.connections > 5


def test_the_feed_of_commits_has_their_events_and_hashes(client: Client) -> None:
    head = client.statistics()
    (event,) = itertools.islice(client.commit_feed(after=head.revision - 1), 1)
    assert event.type == "muniment.commit" and event.data.revision == head.revision
    assert event.data.hash == head.hash and event.data.events[0].kind == "ClassDefined"


def test_a_rejected_feed_is_an_error(service: Service, client: Client) -> None:
    with pytest.raises(errors.MalformedError):
        next(client.notice_feed("user:bob", after=9999))
    with Client(service.address, token="wrong") as stranger, pytest.raises(errors.UnauthenticatedError):
        next(stranger.commit_feed())


def test_events_are_read_from_any_pieces_of_the_stream() -> None:
    text = (
        'retry: 10\r\n\r\nid: 3\n\n:\nid: 4\ndata: {"type":"muniment.commit","time":"2026-01-01T00:00:00Z","data":\n'
        'data: {"revision":4,"time":"2026-01-01T00:00:00Z","actor":null,"events":[],"comment":"a\u2028b"}}\n\nid: 5\n\n'
    ).encode()
    configuration = Configuration("http://service", "default", None, 1, RetryPolicy())
    for size in [1, 7, len(text)]:
        reader = FeedReader(configuration, commit_feed())
        assert "Last-Event-ID" not in reader.request().headers
        pieces = [text[start : start + size] for start in range(0, len(text), size)]
        (event,) = [event for piece in pieces for event in reader.receive(piece)]
        assert event.id == "4" and event.data.comment == "a\u2028b"
        assert reader.request().headers["Last-Event-ID"] == "5"
        assert reader.wait(None) == 0.01


def test_a_feed_waits_as_the_service_asks_and_then_as_its_retry_policy() -> None:
    configuration = Configuration("http://service", "default", None, 1, RetryPolicy(max_retries=2, min_wait_seconds=0.1))
    reader = FeedReader(configuration, commit_feed())
    lost = TransportError("lost")
    reader.request()
    reader.receive(b"retry: 5000\n\nid: 1\n\n")
    assert reader.wait(lost) == 5.0
    waits = []
    for _ in range(2_000):
        reader.request()
        waits.append(reader.wait(lost))
    assert waits[0] <= 0.1 and waits[1] <= 0.2 and 5 <= waits[-1] <= 10
    assert reader.wait(errors.TooManyRequestsError(429, {}, retry_after=60)) == 60
    with pytest.raises(errors.ForbiddenError):
        reader.wait(errors.ForbiddenError(403, {}))
