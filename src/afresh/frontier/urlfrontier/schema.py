"""Messages and calls from a ``.proto`` file, without generated code: the file that documents the wire is the wire.

Only what ``urlfrontier.proto`` uses is understood: messages with plain, repeated, optional and map fields, one level of
oneof and enum within a message, and one service.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

_SCALARS = {
    "bool": FieldDescriptorProto.TYPE_BOOL,
    "string": FieldDescriptorProto.TYPE_STRING,
    "uint32": FieldDescriptorProto.TYPE_UINT32,
    "uint64": FieldDescriptorProto.TYPE_UINT64,
}
_COMMENT = re.compile(r"//.*$", re.MULTILINE)
_PACKAGE = re.compile(r"package (\w+);")
_BLOCK = re.compile(r"^(message|service) (\w+) \{(?:\}|\n(.*?)^\})", re.MULTILINE | re.DOTALL)
_INNER = re.compile(r"(enum|oneof) (\w+) \{(.*?)\}", re.DOTALL)
_FIELD = re.compile(r"(?:(repeated|optional) )?([\w.]+|map<string, \w+>) (\w+) = (\d+);")
_VALUE = re.compile(r"(\w+) = (\d+);")
_CALL = re.compile(r"rpc (\w+) \((stream )?(\w+)\) returns \((stream )?(\w+)\);")


@dataclass(frozen=True, slots=True)
class Call:
    """A call: its name, the messages it takes and gives, and whether they come in streams."""

    name: str
    takes: str
    gives: str
    streams_in: bool
    streams_out: bool


@dataclass(frozen=True, slots=True)
class Schema:
    """What a ``.proto`` file says."""

    service: str  # with its package
    calls: tuple[Call, ...]
    messages: Mapping[str, Any]  # classes by name


def read_schema(text: str) -> Schema:
    """The messages and calls of a ``.proto`` file.

    >>> text = "message A {\\n  string x = 1;\\n}\\nservice S {\\n  rpc Do (A) returns (A);\\n}"
    >>> schema = read_schema("package p;\\n" + text)
    >>> schema.service, schema.calls[0].name, schema.messages["A"](x="y").SerializeToString()
    ('p.S', 'Do', b'\\n\\x01y')
    """
    plain = _COMMENT.sub("", text)
    found = _PACKAGE.search(plain)
    assert found is not None, "a .proto file names its package"
    file = FileDescriptorProto(name=f"{found[1]}.proto", package=found[1], syntax="proto3")
    service = ""
    calls: tuple[Call, ...] = ()
    for kind, name, body in _BLOCK.findall(plain):
        if kind == "service":
            service, calls = f"{found[1]}.{name}", tuple(map(_call, _CALL.findall(body)))
        else:
            _add_message(file.message_type.add(name=name), body, found[1])
    pool = DescriptorPool()
    pool.Add(file)
    descriptors = pool.FindFileByName(file.name).message_types_by_name
    return Schema(service, calls, {name: GetMessageClass(one) for name, one in descriptors.items()})


def _call(parts: tuple[str, ...]) -> Call:
    name, streams_in, takes, streams_out, gives = parts
    return Call(name, takes, gives, bool(streams_in), bool(streams_out))


def _add_message(message: DescriptorProto, body: str, package: str) -> None:
    enums = set()
    for kind, name, inner in _INNER.findall(body):
        if kind == "enum":
            enums.add(name)
            enum = message.enum_type.add(name=name)
            for value, number in _VALUE.findall(inner):
                enum.value.add(name=value, number=int(number))
    choices: dict[str, int] = {}
    for kind, name, inner in _INNER.findall(body):
        if kind == "oneof":
            choices |= dict.fromkeys((field[2] for field in _FIELD.findall(inner)), len(message.oneof_decl))
            message.oneof_decl.add(name=name)
    fields = re.sub(r"enum \w+ \{.*?\}", "", body, flags=re.DOTALL)
    optional = []
    for label, kind, name, number in _FIELD.findall(fields):
        field = message.field.add(name=name, number=int(number), label=FieldDescriptorProto.LABEL_OPTIONAL)
        if kind.startswith("map<"):
            kind, label = _add_map(message, name, kind, package), "repeated"
        if label == "repeated":
            field.label = FieldDescriptorProto.LABEL_REPEATED
        if label == "optional":
            optional.append(field)
        if name in choices:
            field.oneof_index = choices[name]
        _set_type(field, kind, f"{package}.{message.name}" if kind in enums else package)
    for field in optional:  # each the only member of a oneof of its own; these come last
        field.proto3_optional, field.oneof_index = True, len(message.oneof_decl)
        message.oneof_decl.add(name=f"_{field.name}")


def _add_map(message: DescriptorProto, name: str, kind: str, package: str) -> str:
    """A map is a repeated message of keys and values; its name, relative to the package."""
    entry = message.nested_type.add(name=f"{name[0].upper()}{name[1:]}Entry")
    entry.options.map_entry = True
    for number, (part, of) in enumerate(zip(("key", "value"), kind[4:-1].split(", "), strict=True), 1):
        field = entry.field.add(name=part, number=number, label=FieldDescriptorProto.LABEL_OPTIONAL)
        _set_type(field, of, package)
    return f"{message.name}.{entry.name}"


def _set_type(field: FieldDescriptorProto, kind: str, scope: str) -> None:
    """A scalar, or a type by its name; whether it is a message or an enum is found out when all are read."""
    if kind in _SCALARS:
        field.type = _SCALARS[kind]
    else:
        field.type_name = f".{scope}.{kind}"
