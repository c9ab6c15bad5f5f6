"""Writes a history with names that try to be more than text, and the list of these names: markup, directions, very long, very many."""
import json
import sys

NAMES = [
    "doc:<img src=x onerror=\"window.hacked=1\">",
    "doc:<script>window.hacked=1</script>",
    "doc:\"><b>bold</b>&lt;b&gt;",
    "doc:javascript:window.hacked=1",
    "doc:{owner} {0} ${x} `backticks`",
    "doc:../../../v1/stores",
    "doc:a/b?at=1#hash%2F%00",
    "doc:ab\u202egpj.exe",
    "doc:zero\u200bwidth\ufeff",
    "doc:" + "W" * 500,
    "doc:" + "x y " * 120,
    "doc:مرحبا שלום \u4f60\u597d",
]
json.dump(NAMES, open(sys.argv[1], "w"))

print(json.dumps({"format": "permission-history/1", "title": "hostile", "levels": {"read": ["read"]}}))
changes = [{"op": "createObject", "object": name} for name in NAMES]
changes += [{"op": "grant", "subject": "user:mallory", "object": name, "level": "read"} for name in NAMES]
changes += [{"op": "createRole", "role": "role:<b>admins</b>"}, {"op": "addMember", "role": "role:<b>admins</b>", "member": "user:</script>"}]
print(json.dumps({"id": "<b>id</b>", "time": "2024-01-01T00:00:00Z", "actor": "user:<i>eve</i>", "changes": changes}))
for block in range(10):
    changes = [{"op": "createRole", "role": f"role:crowd-{block * 1000 + number:05d}"} for number in range(1000)]
    print(json.dumps({"id": f"c{block}", "time": f"2024-02-{block + 1:02d}T00:00:00Z", "actor": "user:<i>eve</i>", "changes": changes}))
