"""HTTP clients of the test, one for each thread."""

import http.client
import json

from . import pace
from .layout import STORE


class NoAnswer(Exception):
    """The connection failed or timed out: the request may have been carried out."""


class Client:
    """Sends requests to any node, over one connection for each node."""

    def __init__(self, timeout):
        self.timeout = timeout
        self.connections = {}

    def send(self, machine, method, path, token, body=None, headers=None, timeout=None):
        """Sends a request to a path of the store, or of the service, and returns the status and the JSON of the answer."""
        connection = self.connections.pop(machine.name, None)
        if connection is None or connection.sock is None:
            connection = http.client.HTTPConnection(machine.address, 8080, timeout=pace.stretched(timeout or self.timeout))
        whole = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {}) | (headers or {})
        try:
            whole_path = path if path.startswith("/") else f"/v1/stores/{STORE}/{path}"
            connection.request(method, whole_path, body=json.dumps(body) if body is not None else None, headers=whole)
            response = connection.getresponse()
            answer = response.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise NoAnswer(f"{type(error).__name__}: {error}") from error
        self.connections[machine.name] = connection
        try:
            return response.status, json.loads(answer) if answer else {}
        except ValueError as error:
            raise NoAnswer(f"the answer is no JSON: {answer[:80]!r}") from error

    def close(self):
        for connection in self.connections.values():
            connection.close()
        self.connections.clear()


def events(machine, path, token, last_id, timeout):
    """Yields (id, data) of each server-sent event of a feed, over one connection. `data` is None for an id without data.

    Throws `NoAnswer` if the connection fails, times out or is refused.
    """
    connection = http.client.HTTPConnection(machine.address, 8080, timeout=pace.stretched(timeout))
    headers = {"Authorization": f"Bearer {token}", "Accept": "text/event-stream"}
    if last_id is not None:
        headers["Last-Event-ID"] = last_id
    try:
        connection.request("GET", f"/v1/stores/{STORE}/{path}", headers=headers)
        response = connection.getresponse()
        if response.status != 200:
            raise NoAnswer(f"HTTP {response.status}: {response.read()[:300].decode(errors='replace')}")
        event_id, data = None, []
        for line in response:
            # An event is complete at its empty line. A line without an end was cut off.
            if not line.endswith(b"\n"):
                return
            name, _, value = line.decode().rstrip("\r\n").partition(":")
            value = value.removeprefix(" ")
            if name == "id":
                event_id = value
            elif name == "data":
                data.append(value)
            elif name == "" and value == "" and event_id is not None:
                yield event_id, json.loads("\n".join(data)) if data else None
                event_id, data = None, []
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NoAnswer(f"{type(error).__name__}: {error}") from error
    finally:
        connection.close()
