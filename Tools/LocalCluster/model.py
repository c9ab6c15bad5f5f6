"""A naive model of the permission rules, for the operations that the workload uses.

It folds the commits of a log one by one, and answers each question from scratch. It shares nothing with the product.
"""

from datetime import datetime, timezone

BUILT_IN = ["create", "read", "update", "delete", "query", "setPermissions", "setOwner", "modifySchema"]
# Objects of these classes have no entries of their own: the class decides.
WITHOUT_ENTRIES = {"role", "user", "thing", "permission"}
FOREVER = datetime.max.replace(tzinfo=timezone.utc)
CHANGES_OBJECTS = {"create", "update", "delete"}


def instant(text):
    """The time of a text such as `2026-11-22T07:46:25.63253Z`. Times have at most six digits after the point."""
    whole, _, fraction = text.removesuffix("Z").partition(".")
    return datetime.fromisoformat(f"{whole}.{(fraction + '000000')[:6]}+00:00")


class Inconsistency(Exception):
    """A commit does not follow from those before it."""


class Model:
    """The state of a store at one revision."""

    def __init__(self):
        self.revision = -1
        self.time = None
        self.administrators = set()
        self.classes = {}
        self.members = {}
        self.objects = set()
        # object -> subject -> privilege -> the time of its end
        self.entries = {}
        # object -> the revision of the last change of its entries
        self.entries_changed = {}

    def fold(self, commit):
        """Adds one commit. Throws `Inconsistency` if it does not continue the log."""
        if commit["revision"] != self.revision + 1:
            raise Inconsistency(f"revision {commit['revision']} follows revision {self.revision}")
        time = instant(commit["time"])
        if self.time is not None and time < self.time:
            raise Inconsistency(f"revision {commit['revision']} has the time {commit['time']}, which is before that of the previous one")
        self.revision, self.time = commit["revision"], time
        for event in commit["events"]:
            fold = getattr(self, f"fold_{event['kind']}", None)
            if fold is None:
                raise Inconsistency(f"revision {self.revision} has an event that the workload cannot cause: {event['kind']}")
            fold(event)

    def fold_StoreCreated(self, event):
        if event["preset"] != "locked":
            raise Inconsistency("the store is not locked")

    def fold_AdministratorAppointed(self, event):
        self.administrators.add(event["principal"])

    def fold_PrincipalRegistered(self, event):
        pass

    def fold_ClassDefined(self, event):
        self.classes[event["class"].removeprefix("class:")] = event["options"]

    def fold_RoleCreated(self, event):
        self.members[event["role"]] = set()

    def fold_MemberAdded(self, event):
        if event["member"] in self.members[event["role"]]:
            raise Inconsistency(f"revision {self.revision} adds {event['member']} to {event['role']} a second time")
        self.members[event["role"]].add(event["member"])

    def fold_MemberRemoved(self, event):
        if event["member"] not in self.members[event["role"]]:
            raise Inconsistency(f"revision {self.revision} removes {event['member']} from {event['role']}, where it is no member")
        self.members[event["role"]].remove(event["member"])

    def fold_ObjectCreated(self, event):
        if event["object"] in self.objects:
            raise Inconsistency(f"revision {self.revision} creates {event['object']} a second time")
        self.objects.add(event["object"])
        self.entries_changed[event["object"]] = self.revision

    def fold_ObjectDeleted(self, event):
        if event["object"] not in self.objects:
            raise Inconsistency(f"revision {self.revision} deletes {event['object']}, which does not exist")
        self.objects.remove(event["object"])
        self.entries.pop(event["object"], None)
        self.entries_changed[event["object"]] = self.revision

    def fold_AccessGranted(self, event):
        until = instant(event["until"]) if event.get("until", "forever") != "forever" else FOREVER
        entry = self.entries.setdefault(event["object"], {}).setdefault(event["subject"], {})
        for privilege in event["privileges"]:
            entry[privilege] = max(until, entry.get(privilege, until))
        self.entries_changed[event["object"]] = self.revision

    def fold_AccessRevoked(self, event):
        entry = self.entries.get(event["object"], {}).get(event["subject"])
        if entry is None:
            raise Inconsistency(f"revision {self.revision} revokes access of {event['subject']} to {event['object']}, which it has not")
        for privilege in list(entry) if event["privileges"] == ["*"] else event["privileges"]:
            entry.pop(privilege, None)
        self.entries_changed[event["object"]] = self.revision

    def fold_AccessExpired(self, event):
        entry = self.entries.get(event["object"], {}).get(event["subject"], {})
        for privilege in event["privileges"]:
            if entry.get(privilege, FOREVER) > self.time:
                raise Inconsistency(
                    f"revision {self.revision} ends {privilege} of {event['subject']} on {event['object']}, which does not end then"
                )
            del entry[privilege]
        self.entries_changed[event["object"]] = self.revision

    def class_of(self, name):
        return "store" if name == "store" else name.partition(":")[0]

    def exists(self, name):
        kind, _, identifier = name.partition(":")
        if kind == "class":
            return identifier in self.classes
        if kind == "role":
            return name in self.members
        return name == "store" or name in self.objects

    def subjects(self, caller):
        """The subjects whose entries count for a caller: itself, everyone, anonymous, and all roles above."""
        found, queue = {caller, "everyone", "anonymous"}, [caller, "everyone"]
        while queue:
            member = queue.pop()
            for role, members in self.members.items():
                if member in members and role not in found:
                    found.add(role)
                    queue.append(role)
        return found

    def level(self, name, subjects, now):
        """The privileges that entries on one object give to subjects at a time."""
        entries = self.entries.get(name, {})
        return {privilege for subject in subjects for privilege, until in entries.get(subject, {}).items() if until > now}

    def effective(self, caller, name, now):
        """The privileges of a caller on an object."""
        if not self.exists(name):
            return set()
        if caller in self.administrators:
            return set(BUILT_IN)
        subjects = self.subjects(caller)
        own = None if self.class_of(name) in WITHOUT_ENTRIES else self.level(name, subjects, now)
        return self.narrowed(self.class_of(name), subjects, own, now)

    def class_level(self, caller, name, now):
        """The privileges of a caller on a class, which objects that do not exist yet are created with."""
        if caller in self.administrators:
            return set(BUILT_IN)
        return self.narrowed(name, self.subjects(caller), None, now)

    def narrowed(self, class_name, subjects, own, now):
        store = self.level("store", subjects, now)
        found = store & self.level(f"class:{class_name}", subjects, now)
        if own is not None:
            found &= own
        return found if "update" in store else found - CHANGES_OBJECTS

    def allows(self, caller, privilege, name, now):
        return privilege in self.effective(caller, name, now)

    def list(self, caller, privilege, now):
        """The objects on which a caller has a privilege."""
        return sorted(name for name in self.objects if self.allows(caller, privilege, name, now))

    def refusal(self, caller, changes, now):
        """Why a transaction is not permitted in this state, or None. Knows the changes of the workload."""
        created = set()
        for change in changes:
            name = change.get("object") or change.get("role")
            if change["op"] == "createObject":
                if name in self.objects or name in created:
                    return f"{name} exists"
                if "create" not in self.class_level(caller, self.class_of(name), now):
                    return f"{caller} may not create objects of the class of {name}"
                created.add(name)
                continue
            # The creator of an object has every right on it in the transaction that creates it.
            if name in created:
                continue
            name = f"role:{name}" if change["op"] in ("addMember", "removeMember") else name
            if not self.exists(name):
                return f"{name} does not exist"
            has = self.effective(caller, name, now)
            needed = {"deleteObject": "delete", "addMember": "update", "removeMember": "update"}.get(change["op"], "setPermissions")
            if needed not in has:
                return f"{caller} lacks {needed} on {name}"
            if change["op"] == "grant" and not set(change["privileges"]) <= has:
                return f"{caller} grants more on {name} than it has"
            expected = change.get("expectRevision")
            if expected is not None and self.entries_changed.get(name, 0) > expected:
                return f"the entries of {name} were changed by revision {self.entries_changed[name]}, after revision {expected}"
        return None
