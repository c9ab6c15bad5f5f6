"""The operations, against a service."""

import json
from datetime import datetime, timedelta, timezone

import pytest

from conftest import Service
from muniment import Client, changes, errors
from muniment._json import member_name
from muniment._requests import Request
from muniment.changes import (
    add_member,
    create_object,
    create_role,
    define_class,
    delete_object,
    grant,
    register,
    revoke,
    write_object,
)
from muniment.models import BatchDecision, Receipt, Refused

ROOT = "user:root"


def share(client: Client, *objects: str, subject: str = "user:bob") -> Receipt:
    changes = [create_object(object, value={"pages": number}) for number, object in enumerate(objects)]
    return client.commit([*changes, *(grant(subject, ["read", "query"], object) for object in objects)], as_=ROOT)


def test_a_check_answers_now_and_at_a_revision_or_a_time(client: Client) -> None:
    before = client.statistics()
    receipt = share(client, "doc:plan")
    now = client.check("user:bob", "read", "doc:plan")
    assert now.allowed and now.revision == receipt.revision and now.privileges == ["read"]
    assert "give user:bob read" in now.reason
    assert not client.check("user:bob", "read", "doc:plan", at=before.revision).allowed
    assert not client.check("user:bob", "read", "doc:plan", at=before.time).allowed
    assert not client.check("user:bob", ["read", "update"], "doc:plan").allowed
    assert client.privileges("user:bob", "doc:plan").privileges == ["query", "read"]


def test_several_checks_are_one_request_and_an_invalid_one_is_denied_with_its_error(client: Client) -> None:
    share(client, "doc:plan")
    decisions = client.batch_check(
        [("user:bob", "read", "doc:plan"), ("user:ann", "read", "doc:plan"), ("user:bob", "", "doc:plan")])
    assert decisions[:2] == [BatchDecision(True), BatchDecision(False)]
    assert not decisions[2].allowed and decisions[2].error is not None
    assert client.batch_check([("user:bob", "read", "doc:plan")], at=1) == [BatchDecision(False)]
    with pytest.raises(ValueError, match="nothing to check"):
        client.batch_check([])


def test_lists_are_iterated_over_all_pages_of_one_revision(client: Client) -> None:
    objects = [f"doc:{number}" for number in range(5)]
    share(client, *objects)
    found = iter(client.what("user:bob", "read", class_="doc", limit=2))
    first = next(found)
    share(client, "doc:new")
    assert [first, *found] == objects
    pages = list(client.what("user:bob", "read", limit=4).pages())
    assert [len(page.items) for page in pages] == [4, 2]
    assert len({page.revision for page in pages}) == 1
    assert list(client.who("read", "doc:0")) == ["user:bob", "user:root"]
    assert list(client.query("doc", where={"pages": {">": 2}}, order=["-pages"], as_="user:bob", limit=1)) == [
        "doc:4", "doc:3"
    ]


def test_lists_at_a_moment_continue_after_the_first_page(client: Client) -> None:
    receipt = share(client, "doc:a", "doc:b", "doc:c")
    client.commit([revoke("user:bob", "doc:b")], as_=ROOT)
    assert list(client.what("user:bob", "read", at=receipt.revision, limit=1)) == ["doc:a", "doc:b", "doc:c"]
    assert [n.object for n in client.notices("user:bob", after=0, at=receipt.revision, limit=1)] == ["doc:a", "doc:b", "doc:c"]
    assert [d.name for d in client.diff("user:bob", 0, receipt.revision, limit=1)] == ["doc:a", "doc:b", "doc:c"]


def test_access_is_not_changed_after_a_change_that_the_caller_has_not_seen(client: Client) -> None:
    seen = share(client, "doc:a").revision
    client.commit([grant("everyone", "read", "doc:a")], as_=ROOT)
    for change in [
        grant("user:bob", "update", "doc:a", expect_revision=seen),
        changes.set_access("user:bob", "update", "doc:a", expect_revision=seen),
        revoke("everyone", "doc:a", expect_revision=seen),
    ]:
        with pytest.raises(errors.ConflictError):
            client.commit([change], as_=ROOT)
    other = [grant("user:bob", "read", "doc:a"), create_object("doc:b")]
    with pytest.raises(errors.PreconditionFailedError) as caught:
        client.commit(other, as_=ROOT, expected_revision=seen)
    assert "doc:a" in str(caught.value)
    client.commit(other, as_=ROOT, expected_revision=next(client.entries("doc:a").pages()).revision)


def test_a_receipt_has_notes_about_the_changes_without_effect(client: Client) -> None:
    assert share(client, "doc:plan").notes == []
    receipt = client.commit([grant("user:ann", "read", "doc:plan"), grant("user:ann", "update", "doc:plan")], as_=ROOT)
    (change,) = receipt.notes
    assert (change.change, change.reason) == (1, "storeLevel") and "Grant it on `store`" in change.message


def test_a_receipt_and_an_empty_list_tell_what_a_caller_may_not_read(client: Client) -> None:
    rights = ["read", "query", "create", "update"]
    changes = [define_class("note"), *(grant("user:ann", rights, place) for place in ["store", "class:note"])]
    assert [note.reason for note in client.commit(changes, as_=ROOT).notes] == ["noCreatorPrivileges"]
    (note,) = client.commit([create_object("note:1")], as_="user:ann").notes
    assert note.reason == "unreadable" and "`note:1`" in note.message
    page = next(client.query("note", as_="user:ann").pages())
    assert page.items == [] and page.note is not None and page.note.reason == "noAccess"
    client.commit([grant("user:ann", "read", "note:1")], as_=ROOT)
    page = next(client.query("note", as_="user:ann").pages())
    assert page.note is not None and page.note.reason == "noQuery"
    client.commit([grant("user:ann", "query", "note:1")], as_=ROOT)
    page = next(client.query("note", as_="user:ann").pages())
    assert page.items == ["note:1"] and page.note is None


def test_entries_members_and_administrators(client: Client) -> None:
    until = datetime(2999, 1, 1, tzinfo=timezone(timedelta(hours=2)))
    client.commit(
        [create_role("editors"), add_member("role:editors", "user:ann"), create_object("doc:plan"),
         grant("role:editors", "read", "doc:plan", until=until)], as_=ROOT)
    (entry,) = client.entries("doc:plan")
    assert (entry.subject, entry.privileges, entry.until) == ("role:editors", ["read"], until)
    assert list(client.members("editors")) == list(client.members("role:editors")) == ["user:ann"]
    assert client.administrators() == [ROOT]


def test_an_explanation_has_the_paths_and_the_changes_that_would_allow_it(client: Client) -> None:
    share(client, "doc:plan")
    allowed = client.explain("user:bob", "read", "doc:plan")
    (path,) = next(level for level in allowed.levels if level.level == "object").paths
    assert path.steps[-1].fact == "entry" and path.steps[-1].members["subject"] == "user:bob"
    denied = client.explain("user:ann", "read", "doc:plan")
    assert denied.outcomes[0].decided_by == "object"
    assert [dict(grant("user:ann", "read", "doc:plan"))] in denied.proposals
    assert client.explain("user:ann", "read", "doc:plan", proposals=False).proposals == []
    assert client.explain(ROOT, "read", "doc:plan").appointment is not None
    several = client.explain_several([("user:bob", "read", "doc:plan"), ("user:ann", ["read"], "doc:plan")])
    assert [(each.levels, each.proposals) for each in several] == [(each.levels, each.proposals) for each in (allowed, denied)]


def test_a_transaction_is_made_whole_or_not_at_all(client: Client) -> None:
    with pytest.raises(errors.NotFoundError) as caught:
        client.commit([create_object("doc:plan"), grant("user:nobody", "read", "doc:plan")], as_=ROOT)
    assert caught.value.code == "unknownPrincipal" and caught.value.change == 1
    assert list(client.entries("doc:plan")) == []
    assert client.commit([register("user:ann")], as_=ROOT).revision is None


def test_changes_can_be_made_one_by_one(client: Client) -> None:
    results = client.commit_each([delete_object("doc:none"), create_object("doc:plan")], as_=ROOT)
    refused, made = results
    assert isinstance(refused, Refused) and refused.code == "unknownObject"
    assert isinstance(made, Receipt) and made.revision is not None


def test_what_if_makes_nothing(client: Client) -> None:
    share(client, "doc:plan")
    answer = client.what_if([(ROOT, [grant("user:ann", "read", "doc:plan")]), ("user:bob", [delete_object("doc:plan")])])
    assert [(d.subject, d.gained) for d in answer.differences] == [("user:ann", ["read"])]
    assert [(r.transaction, r.code) for r in answer.refused] == [(1, "noPrivilege")]
    assert not client.check("user:ann", "read", "doc:plan").allowed


def test_objects_are_written_only_in_the_version_that_was_read(client: Client) -> None:
    name = "doc:a/b ü"
    client.create_object(name, {"pages": 3}, as_=ROOT)
    with pytest.raises(errors.PreconditionFailedError):
        client.create_object(name, {"pages": 4}, as_=ROOT)
    read = client.read_object(name, as_=ROOT)
    assert read.value == {"pages": 3}
    client.merge_object(name, {"title": "Plan"}, expected_revision=read.changed, as_=ROOT)
    with pytest.raises(errors.PreconditionFailedError) as caught:
        client.write_object(name, None, expected_revision=read.changed, as_=ROOT)
    assert caught.value.code == "conflict"
    assert client.read_object(name, as_=ROOT).value == {"pages": 3, "title": "Plan"}
    client.write_object(name, None, expected_revision=None, as_=ROOT)
    assert client.read_object(name, as_=ROOT).value is None
    client.delete_object(name, expected_revision=None, as_=ROOT)
    with pytest.raises(errors.NotFoundError):
        client.read_object(name, as_=ROOT)


def test_history_notices_audit_and_export(client: Client) -> None:
    receipt = share(client, "doc:plan")
    client.commit([write_object("doc:plan", {"pages": 9})], as_=ROOT, comment="longer")
    commits = list(client.history("doc:plan", limit=1))
    assert [event.kind for commit in commits for event in commit.events] == ["ObjectCreated", "AccessGranted", "ObjectWritten"]
    assert commits[1].comment == "longer" and commits[1].events[0].members["value"] == {"pages": 9}
    (notice,) = client.notices("user:bob", after=0)
    assert (notice.kind, notice.object, notice.revision, notice.was_accessible) == ("shared", "doc:plan", receipt.revision, False)
    with pytest.raises(errors.RefusedError):
        client.commit([delete_object("doc:plan")], as_="user:bob")
    (refusal,) = client.audit(outcome="refused")
    assert (refusal.caller, refusal.code, refusal.tried["op"]) == ("user:bob", "noPrivilege", "deleteObject")
    done = list(client.audit(object="doc:plan", kinds=["AccessGranted", "ObjectWritten"], order="newest", limit=1))
    assert [record.event.kind for record in done if record.event] == ["ObjectWritten", "AccessGranted"]
    (span,) = next(access.spans for access in client.audit_access("read", "doc:plan", limit=1) if access.subject == "user:bob")
    assert span.begin == receipt.revision and span.end is None and not span.as_administrator
    header, *lines = client.export(from_=receipt.revision).decode().splitlines()
    assert json.loads(header)["format"].startswith("permission-history/") and len(lines) == 2


def test_stores_can_be_listed_and_verified(client: Client) -> None:
    assert client.store in client.stores()
    report = client.verify()
    assert report.sound and report.revision == client.statistics().revision
    with pytest.raises(errors.ConflictError):
        client.create_store(client.store)


def test_problems_keep_kind_detail_and_remedy(client: Client, service: Service) -> None:
    with pytest.raises(errors.MalformedError) as caught:
        client.check("", "read", "doc:plan")
    problem = caught.value
    assert problem.kind == "malformed" and problem.status == 400 and problem.request_id
    assert problem.members["argument"] == "subject"
    assert problem.detail in str(problem) and problem.remedy in str(problem)
    with Client(service.address, token="wrong") as stranger, pytest.raises(errors.UnauthenticatedError):
        stranger.stores()
    with pytest.raises(errors.RevisionNotReachedError):
        client.check("user:ann", "read", "doc:plan", at_least=9999)


def test_remedies_are_those_of_the_service(service: Service) -> None:
    with Client(service.address) as client:
        kinds = client.send(Request("GET", "/problems", lambda value: value["problems"]))
    remedies = {kind["type"].rpartition("/")[2]: kind["remedy"] for kind in kinds}
    known = errors.ProblemError._kinds
    assert {kind: problem.remedy for kind, problem in known.items()} == {kind: remedies[kind] for kind in known}
    accounts = {kind["type"].rpartition("/")[2] for kind in kinds} - set(known)
    assert accounts == {
        "wrong-credentials", "wrong-code", "account-exists", "no-account", "recent-sign-in-required", "linked-elsewhere",
        "already-linked", "last-sign-in-method", "unacceptable-password", "session-ended",
    }


def test_a_time_without_a_zone_is_rejected(client: Client) -> None:
    with pytest.raises(ValueError, match="has no time zone"):
        client.check("user:ann", "read", "doc:plan", at=datetime(2026, 1, 1))


def test_every_change_of_the_description_has_a_function(client: Client) -> None:
    document = client.send(Request("GET", "/openapi.json", lambda value: value))
    schemas = document["components"]["schemas"]
    operations = {schemas[one["$ref"].rpartition("/")[2]]["properties"]["op"]["const"] for one in schemas["Change"]["oneOf"]}
    functions = {member_name(name) for name in vars(changes) if not name.startswith("_")}
    assert operations <= functions
