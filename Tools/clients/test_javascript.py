"""The JavaScript client, run by Node.js against a service."""

import json
import subprocess

from conftest import PACKAGE, Service
from muniment import Client
from muniment.changes import create_object, grant, revoke

FOLLOW = """
import { pathToFileURL } from 'node:url';
const [module, address, token, name, after] = process.argv.slice(2);
const { Muniment } = await import(pathToFileURL(module));
const write = (...line) => console.log(JSON.stringify(line));
const store = new Muniment({ address, token }).store(name);
const query = { path: '/title', as: 'user:bob', after };
for await (const event of store.changesOf('doc:plan', query, { onState: (state) => write(state) })) {
    write(event.type, event.data.kind, event.data.value);
}
write('end');
try {
    for await (const event of store.changesOf('doc:plan', query)) write(event.type);
} catch (error) { write(error.status, error.code); }
"""


def test_changes_of_an_object_arrive_until_the_caller_loses_access(service: Service, client: Client) -> None:
    root = "user:root"
    client.commit([create_object("doc:plan", value={"title": "Plan"}), grant("user:bob", "read", "doc:plan")], as_=root)
    head = client.statistics().revision
    module = PACKAGE / "Sources" / "Service" / "Console" / "Files" / "muniment.js"
    command = ["node", "--input-type=module", "-", str(module), service.address, service.token, str(client.store), str(head)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(FOLLOW)
        process.stdin.close()
        read = (json.loads(line) for line in process.stdout)
        assert next(read) == ["open"]
        client.merge_object("doc:plan", {"title": "Bridge"}, expected_revision=None, as_=root)
        assert next(read) == ["muniment.change.valueChanged", "valueChanged", "Bridge"]
        client.commit([revoke("user:bob", "doc:plan")], as_=root)
        assert next(read) == ["muniment.change.accessEnded", "accessEnded", None]
        assert next(read) == ["end"]
        assert next(read) == [403, "noPrivilege"]
        assert list(read) == []
    assert process.returncode == 0
