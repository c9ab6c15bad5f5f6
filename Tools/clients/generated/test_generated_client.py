"""A client that is generated from `/openapi.json` has every endpoint, and types for everything."""

import ast
import json
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from conftest import Service

Document = dict[str, Any]


@pytest.fixture(scope="module")
def document(service: Service) -> Document:
    document: Document = httpx.get(f"{service.address}/openapi.json").json()
    return document


@pytest.fixture(scope="module")
def generated(document: Document, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The folder of the generated package. The generator prints nothing about parts that it left out."""
    folder = tmp_path_factory.mktemp("generated")
    (folder / "openapi.json").write_text(json.dumps(document))
    tools = pathlib.Path(sys.executable).parent
    result = subprocess.run(
        [tools / "openapi-python-client", "generate", "--path", "openapi.json", "--output-path", "client", "--meta", "none"],
        cwd=folder, env={"PATH": f"{tools}:/usr/bin:/bin"}, capture_output=True, text=True)
    assert result.returncode == 0 and result.stdout.split() == ["Generating", "client"], result.stdout + result.stderr
    return folder / "client"


def operations(document: Document) -> dict[str, Document]:
    return {operation["operationId"]: operation for path in document["paths"].values() for operation in path.values()}


def schemas(value: Any, place: str) -> Iterator[tuple[str, Document]]:
    """Yields every schema in a schema, with its place."""
    if not isinstance(value, dict):
        return
    yield place, value
    for name, part in value.get("properties", {}).items():
        yield from schemas(part, f"{place}.{name}")
    for keyword in ["items", "additionalProperties"]:
        yield from schemas(value.get(keyword), f"{place}[]")
    for keyword in ["anyOf", "oneOf", "allOf"]:
        for part in value.get(keyword, []):
            yield from schemas(part, place)


def top_schemas(document: Document) -> Iterator[tuple[str, Document]]:
    yield from document["components"]["schemas"].items()
    for name, operation in operations(document).items():
        for parameter in operation.get("parameters", []):
            yield f"{name} {parameter['name']}", parameter["schema"]
        bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
        for content in [*bodies, *document["components"]["responses"].values()]:
            for media_type, body in content.get("content", {}).items():
                yield f"{name} {media_type}", body["schema"]


def test_no_schema_is_untyped(document: Document) -> None:
    typed = {"type", "$ref", "anyOf", "oneOf", "const", "enum"}
    untyped = {place for top, schema in top_schemas(document) for place, part in schemas(schema, top) if not typed & set(part)}
    assert untyped == {"JSONValue"}


def test_every_object_has_a_name(document: Document) -> None:
    named = [id(schema) for schema in document["components"]["schemas"].values()]
    unnamed = {
        place
        for top, schema in top_schemas(document)
        for place, part in schemas(schema, top)
        if part.get("type") == "object" and id(part) not in named
    }
    assert unnamed == set()


def test_no_endpoint_is_left_out(document: Document, generated: pathlib.Path) -> None:
    modules = {file.stem.replace("_", "") for file in generated.glob("api/*/*.py")} - {"init"}
    assert modules == {name.lower() for name in operations(document)}


def test_no_type_is_any_except_for_json_values_and_empty_responses(document: Document, generated: pathlib.Path) -> None:
    values = {"#/components/schemas/JSONValue"}
    members = {
        re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
        for _, top in top_schemas(document)
        for _, part in schemas(top, "")
        for name, member in part.get("properties", {}).items()
        if member.get("$ref") in values
    }
    assert members == {"value", "merge"}
    of_models = {
        f"{file.stem}.{field}"
        for file in generated.glob("models/*.py")
        for field, annotation in fields(file)
        if field not in members and has_any(annotation)
    }
    assert of_models == set()
    for name, operation in operations(document).items():
        (file,) = [file for file in generated.glob("api/*/*.py") if file.stem.replace("_", "") == name.lower()]
        content = operation.get("requestBody", {}).get("content", {})
        takes_any = any(body["schema"].get("$ref") in values for body in content.values())
        is_empty = any("$ref" not in response and "content" not in response for response in operation["responses"].values())
        for argument, annotation in signature(file):
            expected = takes_any if argument == "body" else is_empty if argument == "return" else False
            assert has_any(annotation) <= expected, f"{name}: {argument}"


def test_the_generated_client_passes_mypy(generated: pathlib.Path) -> None:
    # The other files are the same for every service.
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "client/api", "client/models"],
        cwd=generated.parent, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def has_any(annotation: ast.expr) -> bool:
    return any(isinstance(part, ast.Name) and part.id == "Any" for part in ast.walk(annotation))


def fields(file: pathlib.Path) -> Iterator[tuple[str, ast.expr]]:
    """The fields of the classes in a file, without the unknown members of objects, which are open for later versions."""
    for part in ast.parse(file.read_text()).body:
        if isinstance(part, ast.ClassDef):
            for field in part.body:
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                    if field.target.id != "additional_properties":
                        yield field.target.id, field.annotation


def signature(file: pathlib.Path) -> Iterator[tuple[str, ast.expr]]:
    """The arguments and the return type of the function that sends the request."""
    (function,) = [
        part for part in ast.parse(file.read_text()).body if isinstance(part, ast.FunctionDef) and part.name == "sync_detailed"
    ]
    for argument in [*function.args.args, *function.args.kwonlyargs]:
        assert argument.annotation is not None
        yield argument.arg, argument.annotation
    assert function.returns is not None
    yield "return", function.returns
