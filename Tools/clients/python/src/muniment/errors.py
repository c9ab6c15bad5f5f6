"""The errors of this package. All of them are subclasses of `MunimentError`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class MunimentError(Exception):
    """An error of a request. It can be pickled, for example for another process."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[MunimentError], arguments: tuple[Any, ...], members: dict[str, Any]) -> MunimentError:
    """Returns an error that was pickled."""
    error = kind.__new__(kind, *arguments)
    error.args = arguments
    error.__dict__.update(members)
    return error


class TransportError(MunimentError):
    """The service cannot be reached, or the connection failed. The cause is the error of httpx."""

    def __init__(self, message: str, *, is_sent: bool = True) -> None:
        super().__init__(message)
        #: Whether the service may have received the request.
        self.is_sent = is_sent


class ResponseError(MunimentError):
    """The response is not one of Muniment: check the address of the service, and the proxies in front of it."""

    def __init__(self, message: str, *, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        #: The HTTP status of an error response; None for a response that reports success.
        self.status = status
        #: The seconds to wait before the request is repeated; None if the response does not say.
        self.retry_after = retry_after


class ProblemError(MunimentError):
    """An error response of the service (RFC 9457).

    Each kind of problem has a subclass. A kind that this version of the client does not know is a plain `ProblemError`.
    """

    #: The last part of `type`, such as `not-found`.
    kind: str = "unknown"
    #: What to do, for every problem of this kind.
    remedy: str = "Read the page of this kind of problem: `GET` the path in `type`."
    _kinds: ClassVar[dict[str, type[ProblemError]]] = {}

    def __init_subclass__(cls, kind: str, remedy: str) -> None:
        cls.kind, cls.remedy = kind, remedy
        ProblemError._kinds[kind] = cls

    def __init__(
        self, status: int, problem: Mapping[str, Any], *, request_id: str | None = None, retry_after: float | None = None
    ) -> None:
        #: The HTTP status.
        self.status = status
        #: The problem in a few words, the same for every problem of this kind.
        self.title: str = problem.get("title", "Problem")
        #: What is wrong with which value.
        self.detail: str = problem.get("detail", self.title)
        #: The reason for a refusal by the store, such as `noPrivilege`; None for other problems.
        self.code: str | None = problem.get("code")
        #: The index of the refused change; None for other problems.
        self.change: int | None = problem.get("change")
        #: All members of the problem, as JSON.
        self.members = dict(problem)
        #: The id of the request in the service's log.
        self.request_id = request_id
        #: The seconds to wait before the request is repeated; None if the service does not say.
        self.retry_after = retry_after
        if type(self) is ProblemError and "type" in problem:
            self.kind = str(problem["type"]).rpartition("/")[2]
        super().__init__(f"{self.detail} ({self.kind}). {self.remedy}")

    @staticmethod
    def of(
        status: int, problem: Mapping[str, Any], *, request_id: str | None = None, retry_after: float | None = None
    ) -> ProblemError:
        """Returns the error of the problem's kind."""
        kind = str(problem.get("type", "")).rpartition("/")[2]
        return ProblemError._kinds.get(kind, ProblemError)(
            status, problem, request_id=request_id, retry_after=retry_after)


# The kinds of problems of the stores, with the remedies of `GET /problems`. The kinds of accounts are plain problems.


class MalformedError(
    ProblemError,
    kind="malformed",
    remedy="Read `detail`, which names the error, and correct the request; `/openapi.json` describes every "
           "request.",
):
    """Malformed request."""


class UnauthenticatedError(
    ProblemError,
    kind="unauthenticated",
    remedy="Send `Authorization: Bearer TOKEN`. `muniment token create` creates a token; an expired or revoked "
           "token is invalid.",
):
    """The caller is not authenticated."""


class ForbiddenError(
    ProblemError,
    kind="forbidden",
    remedy="`detail` names what is missing: for a right of the token, use another token (`muniment token create --can …`); "
           "for a privilege of the principal, someone with `setPermissions` grants it.",
):
    """The caller's token does not allow this."""


class NotFoundError(
    ProblemError,
    kind="not-found",
    remedy="Check the names: an object, class, principal, store or path of this name does not exist.",
):
    """Not found."""


class MethodNotAllowedError(
    ProblemError,
    kind="method-not-allowed",
    remedy="Use one of the methods in `Allow`.",
):
    """Method not allowed."""


class NotAcceptableError(
    ProblemError,
    kind="not-acceptable",
    remedy="Send `Accept: application/json`, or omit `Accept`.",
):
    """The requested media type is not available."""


class RequestTimeoutError(
    ProblemError,
    kind="request-timeout",
    remedy="Send the request without long pauses.",
):
    """The request took too long to arrive."""


class ConflictError(
    ProblemError,
    kind="conflict",
    remedy="Read `code` and `detail`; read the current state, and decide again.",
):
    """The current state does not allow this."""


class IdempotencyKeyInUseError(
    ProblemError,
    kind="idempotency-key-in-use",
    remedy="Wait for the first request, and repeat this one: it then returns the first result.",
):
    """A request with this idempotency key is still running."""


class RevisionNotReachedError(
    ProblemError,
    kind="revision-not-reached",
    remedy="Check the revision in `atLeast`. A store that was restored from an older copy has lost the later "
           "revisions.",
):
    """The store has not reached this revision."""


class PreconditionFailedError(
    ProblemError,
    kind="precondition-failed",
    remedy="Read the object again, decide with its current state, and send its new ETag.",
):
    """The object was changed meanwhile."""


class TooLargeError(
    ProblemError,
    kind="too-large",
    remedy="Send less at once; `detail` has the limit.",
):
    """The request is too large."""


class UnsupportedMediaTypeError(
    ProblemError,
    kind="unsupported-media-type",
    remedy="Send the body as JSON, with `Content-Type: application/json`.",
):
    """The media type of the body is not supported."""


class RefusedError(
    ProblemError,
    kind="refused",
    remedy="Read `code` and `detail`. A caller with `setPermissions` there can grant the missing privilege; "
           "`explain` shows all grants.",
):
    """The permissions of the store do not allow this."""


class MisdirectedError(
    ProblemError,
    kind="misdirected",
    remedy="Use an IP address of the service or a name that it knows. The operator adds names with "
           "`muniment serve --allow-host NAME`.",
):
    """The host of the request is not this service."""


class IdempotencyKeyReusedError(
    ProblemError,
    kind="idempotency-key-reused",
    remedy="Use a new `Idempotency-Key` for a new request.",
):
    """The idempotency key was used for another request."""


class TooMuchWorkError(
    ProblemError,
    kind="too-much-work",
    remedy="Split the transaction into smaller ones, or have an administrator commit it.",
):
    """The transaction takes too much work."""


class PreconditionRequiredError(
    ProblemError,
    kind="precondition-required",
    remedy="Send `If-Match` with the ETag of your copy, or `If-None-Match: *` for a new object.",
):
    """The request has no precondition."""


class TooManyRequestsError(
    ProblemError,
    kind="too-many-requests",
    remedy="Wait for the seconds in `Retry-After`.",
):
    """Too many requests."""


class HeadTooLargeError(
    ProblemError,
    kind="head-too-large",
    remedy="Send fewer and shorter headers; send long names in a body.",
):
    """The head of the request is too large."""


class FailedError(
    ProblemError,
    kind="failed",
    remedy="Ask the operator to search the service's log for the `X-Request-ID` of the response.",
):
    """Internal error."""


class UnavailableError(
    ProblemError,
    kind="unavailable",
    remedy="Try again later.",
):
    """The service is unavailable now."""


class InsufficientResourcesError(
    ProblemError,
    kind="insufficient-resources",
    remedy="Wait for the seconds in `Retry-After`. The operator frees the resource that the service's log names.",
):
    """The service lacks disk space, file descriptors or memory."""


class DeadlineExceededError(
    ProblemError,
    kind="deadline-exceeded",
    remedy="Request less at once, such as a smaller page. `muniment serve --deadline` sets the time limit of a "
           "route.",
):
    """The response took longer than the route allows."""
