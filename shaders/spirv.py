# SPDX-License-Identifier: MIT
"""A reader of SPIR-V modules: just what the build embeds and the contract tests compare.

Section numbers refer to the SPIR-V specification 1.6. Only the standard library is used, so that
the build needs nothing else.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

MAGIC = 0x07230203

STAGES = {0: "vert", 1: "tesc", 2: "tese", 3: "geom", 4: "frag", 5: "comp"}  # 3.3 execution model

OP_NAME, OP_MEMBER_NAME = 5, 6
OP_ENTRY_POINT, OP_EXECUTION_MODE, OP_CAPABILITY, OP_EXECUTION_MODE_ID = 15, 16, 17, 331
OP_TYPE_BOOL, OP_TYPE_INT, OP_TYPE_FLOAT, OP_TYPE_VECTOR, OP_TYPE_MATRIX = 20, 21, 22, 23, 24
OP_TYPE_ARRAY, OP_TYPE_RUNTIME_ARRAY, OP_TYPE_STRUCT, OP_TYPE_POINTER = 28, 29, 30, 32
OP_CONSTANT, OP_CONSTANT_COMPOSITE = 43, 44
OP_SPEC_CONSTANT_TRUE, OP_SPEC_CONSTANT_FALSE = 48, 49
OP_SPEC_CONSTANT, OP_SPEC_CONSTANT_COMPOSITE = 50, 51
OP_FUNCTION, OP_FUNCTION_END = 54, 56
OP_VARIABLE, OP_DECORATE, OP_MEMBER_DECORATE = 59, 71, 72

MODE_LOCAL_SIZE, MODE_LOCAL_SIZE_ID = 17, 38
DECORATION_SPEC_ID, DECORATION_ARRAY_STRIDE, DECORATION_MATRIX_STRIDE = 1, 6, 7
DECORATION_BUILTIN, DECORATION_BINDING, DECORATION_DESCRIPTOR_SET = 11, 33, 34
DECORATION_OFFSET = 35
BUILTIN_WORKGROUP_SIZE = 25
CLASS_UNIFORM_CONSTANT, CLASS_UNIFORM, CLASS_PUSH_CONSTANT, CLASS_STORAGE_BUFFER = 0, 2, 9, 12

CLASS_NAMES = {
    CLASS_UNIFORM_CONSTANT: "image or sampler",
    CLASS_UNIFORM: "uniform buffer",
    CLASS_STORAGE_BUFFER: "storage buffer",
}


class SpirvError(ValueError):
    """The words are no SPIR-V module, or one that this reader does not cover."""


@dataclass(frozen=True)
class Resource:
    """A variable that a descriptor set provides."""

    name: str
    set: int
    binding: int
    kind: str
    count: int  # descriptors; above 1 for an array of resources


@dataclass(frozen=True)
class Member:
    """One field of a laid-out struct: its byte offset and a readable type such as float[3]."""

    name: str
    offset: int
    type: str
    size: int  # bytes; 0 for a run-time array


@dataclass
class Module:
    """What a module says of itself."""

    stage: str
    local_size: tuple[int, int, int]
    resources: list[Resource]
    push_constant_bytes: int
    spec_ids: list[int]
    capabilities: list[int]
    structs: dict[str, list[Member]] = field(default_factory=dict)


def words_of(data: bytes) -> tuple[int, ...]:
    """The 32-bit words of a module in either byte order."""
    if len(data) < 20 or len(data) % 4:
        raise SpirvError(f"a module is at least 20 bytes in whole words, got {len(data)} bytes")
    for order in "<>":
        if struct.unpack_from(order + "I", data)[0] == MAGIC:
            return struct.unpack(f"{order}{len(data) // 4}I", data)
    raise SpirvError(f"no SPIR-V magic number: {data[:4].hex()}")


def instructions(words: tuple[int, ...]):
    """Yields (opcode, operands) in order."""
    at = 5
    while at < len(words):
        count, opcode = words[at] >> 16, words[at] & 0xFFFF
        if count == 0 or at + count > len(words):
            raise SpirvError(f"instruction {opcode} at word {at} runs past the end")
        yield opcode, words[at + 1 : at + count]
        at += count


def text_of(operands: tuple[int, ...]) -> tuple[str, int]:
    """A literal string and the number of words it takes (2.2.1)."""
    raw = struct.pack(f"<{len(operands)}I", *operands)
    end = raw.index(0)
    return raw[:end].decode("utf-8"), end // 4 + 1


class _Tables:
    """Everything the module declares, by id."""

    def __init__(self, words: tuple[int, ...]):
        self.names: dict[int, str] = {}
        self.member_names: dict[tuple[int, int], str] = {}
        self.decorations: dict[int, dict[int, int]] = {}
        self.member_decorations: dict[tuple[int, int], dict[int, int]] = {}
        self.types: dict[int, tuple[int, tuple[int, ...]]] = {}
        self.constants: dict[int, tuple[int, ...]] = {}
        self.composites: dict[int, tuple[int, ...]] = {}
        self.variables: list[tuple[int, int, int]] = []  # id, pointer type, storage class
        self.entry_points: list[int] = []
        self.capabilities: list[int] = []
        self.local_size: tuple[int, ...] | None = None
        self.open_functions = 0
        for opcode, operands in instructions(words):
            self._take(opcode, operands)

    def _take(self, opcode: int, operands: tuple[int, ...]) -> None:
        if opcode == OP_NAME:
            self.names[operands[0]] = text_of(operands[1:])[0]
        elif opcode == OP_MEMBER_NAME:
            self.member_names[operands[0], operands[1]] = text_of(operands[2:])[0]
        elif opcode == OP_DECORATE:
            value = operands[2] if len(operands) > 2 else 1
            self.decorations.setdefault(operands[0], {})[operands[1]] = value
        elif opcode == OP_MEMBER_DECORATE:
            value = operands[3] if len(operands) > 3 else 1
            key = operands[0], operands[1]
            self.member_decorations.setdefault(key, {})[operands[2]] = value
        elif opcode == OP_ENTRY_POINT:
            self.entry_points.append(operands[0])
        elif opcode == OP_CAPABILITY:
            self.capabilities.append(operands[0])
        elif opcode in (OP_EXECUTION_MODE, OP_EXECUTION_MODE_ID):
            self._take_mode(operands)
        elif OP_TYPE_BOOL <= opcode <= OP_TYPE_POINTER:
            self.types[operands[0]] = opcode, operands[1:]
        elif opcode in (OP_CONSTANT, OP_SPEC_CONSTANT):
            self.constants[operands[1]] = operands[2:]
        elif opcode in (OP_CONSTANT_COMPOSITE, OP_SPEC_CONSTANT_COMPOSITE):
            self.composites[operands[1]] = operands[2:]
        elif opcode == OP_VARIABLE:
            self.variables.append((operands[1], operands[0], operands[2]))
        elif opcode in (OP_FUNCTION, OP_FUNCTION_END):
            self.open_functions += 1 if opcode == OP_FUNCTION else -1

    def _take_mode(self, operands: tuple[int, ...]) -> None:
        if operands[1] == MODE_LOCAL_SIZE:
            self.local_size = tuple(operands[2:5])
        elif operands[1] == MODE_LOCAL_SIZE_ID:
            raise SpirvError("LocalSizeId needs maintenance4; build with --target-env vulkan1.2")

    def workgroup_size(self) -> tuple[int, int, int]:
        """The size in force: a WorkgroupSize constant wins over the execution mode (3.20)."""
        for composite, parts in self.composites.items():
            builtin = self.decorations.get(composite, {}).get(DECORATION_BUILTIN)
            if builtin == BUILTIN_WORKGROUP_SIZE:
                return tuple(self.constants[part][0] for part in parts)  # type: ignore
        return self.local_size or (1, 1, 1)  # type: ignore

    def array_length(self, operands: tuple[int, ...]) -> int:
        return self.constants[operands[1]][0]

    def type_name(self, type_id: int) -> str:
        """float, uint16_t, vec3 as float[3], mat4x3 as float[4][3], a struct by its name."""
        opcode, operands = self.types[type_id]
        if opcode == OP_TYPE_BOOL:
            return "bool"
        if opcode == OP_TYPE_INT:
            return {(32, 1): "int", (32, 0): "uint"}.get(
                operands, f"{'' if operands[1] else 'u'}int{operands[0]}_t"
            )
        if opcode == OP_TYPE_FLOAT:
            return {16: "float16_t", 32: "float", 64: "double"}[operands[0]]
        if opcode in (OP_TYPE_VECTOR, OP_TYPE_MATRIX):
            return _with_extent(self.type_name(operands[0]), operands[1])
        if opcode == OP_TYPE_ARRAY:
            return _with_extent(self.type_name(operands[0]), self.array_length(operands))
        if opcode == OP_TYPE_RUNTIME_ARRAY:
            return _with_extent(self.type_name(operands[0]), 0)
        if opcode == OP_TYPE_POINTER:
            return "uint64_t"  # a buffer device address
        return self.names.get(type_id, f"struct{type_id}")

    def size(self, type_id: int, matrix_stride: int = 0) -> int:
        """Bytes in memory; 0 for a run-time array."""
        opcode, operands = self.types[type_id]
        if opcode in (OP_TYPE_INT, OP_TYPE_FLOAT):
            return operands[0] // 8
        if opcode == OP_TYPE_VECTOR:
            return self.size(operands[0]) * operands[1]
        if opcode == OP_TYPE_MATRIX:
            return (matrix_stride or self.size(operands[0])) * operands[1]
        if opcode == OP_TYPE_ARRAY:
            stride = self.decorations.get(type_id, {}).get(DECORATION_ARRAY_STRIDE)
            return (stride or self.size(operands[0])) * self.array_length(operands)
        if opcode == OP_TYPE_RUNTIME_ARRAY:
            return 0
        if opcode == OP_TYPE_POINTER:
            return 8
        if opcode == OP_TYPE_STRUCT:
            return max((m.offset + m.size for m in self.members(type_id)), default=0)
        raise SpirvError(f"type {self.type_name(type_id)} has no size in memory")

    def members(self, type_id: int) -> list[Member]:
        """The fields of a laid-out struct; none when the struct carries no offsets."""
        found = []
        for index, member in enumerate(self.types[type_id][1]):
            decorations = self.member_decorations.get((type_id, index), {})
            if DECORATION_OFFSET not in decorations:
                return []
            size = self.size(member, decorations.get(DECORATION_MATRIX_STRIDE, 0))
            name = self.member_names.get((type_id, index), f"field{index}")
            offset = decorations[DECORATION_OFFSET]
            found.append(Member(name, offset, self.type_name(member), size))
        return found

    def structs(self) -> dict[str, list[Member]]:
        found: dict[str, list[Member]] = {}
        for type_id, (opcode, _) in self.types.items():
            members = self.members(type_id) if opcode == OP_TYPE_STRUCT else []
            if members:
                found.setdefault(self.names.get(type_id, f"struct{type_id}"), members)
        return found

    def resources(self) -> list[Resource]:
        found = []
        for variable, pointer, storage in self.variables:
            decorations = self.decorations.get(variable, {})
            if DECORATION_BINDING not in decorations:
                continue
            pointee = self.types[pointer][1][1]
            opcode, operands = self.types[pointee]
            count = self.array_length(operands) if opcode == OP_TYPE_ARRAY else 1
            name = self.names.get(variable) or self.names.get(pointee, "")
            found.append(
                Resource(
                    name,
                    decorations.get(DECORATION_DESCRIPTOR_SET, 0),
                    decorations[DECORATION_BINDING],
                    CLASS_NAMES.get(storage, f"storage class {storage}"),
                    count,
                )
            )
        return sorted(found, key=lambda r: (r.set, r.binding))

    def push_constant_bytes(self) -> int:
        sizes = [
            self.size(self.types[pointer][1][1])
            for _, pointer, storage in self.variables
            if storage == CLASS_PUSH_CONSTANT
        ]
        return (max(sizes, default=0) + 3) // 4 * 4  # vkCmdPushConstants takes whole words

    def spec_ids(self) -> list[int]:
        return sorted(
            d[DECORATION_SPEC_ID] for d in self.decorations.values() if DECORATION_SPEC_ID in d
        )


def _with_extent(element: str, extent: int) -> str:
    """float[3] repeated 4 times is float[4][3]: the outer extent comes first, as in C."""
    base, bracket, rest = element.partition("[")
    return f"{base}[{extent or ''}]{bracket}{rest}"


def parse(data: bytes) -> Module:
    """Reads one module with exactly one entry point."""
    tables = _Tables(words_of(data))
    if tables.open_functions != 0:
        raise SpirvError("the module ends inside a function")
    if len(tables.entry_points) != 1:
        raise SpirvError(f"wanted one entry point, got {len(tables.entry_points)}")
    model = tables.entry_points[0]
    if model not in STAGES:
        raise SpirvError(f"execution model {model} is not supported")
    is_compute = STAGES[model] == "comp"
    return Module(
        stage=STAGES[model],
        local_size=tables.workgroup_size() if is_compute else (0, 0, 0),
        resources=tables.resources(),
        push_constant_bytes=tables.push_constant_bytes(),
        spec_ids=tables.spec_ids(),
        capabilities=tables.capabilities,
        structs=tables.structs(),
    )


def storage_binding_count(module: Module) -> int:
    """The number of storage buffers of set 0, which must be bound densely from 0."""
    return _dense_count(module, 0, "storage buffer")


def texture_count(module: Module) -> int:
    """The number of combined image samplers of set 1, which must be bound densely from 0."""
    return _dense_count(module, 1, "image or sampler")


def _dense_count(module: Module, set_index: int, kind: str) -> int:
    bindings = []
    for resource in module.resources:
        if resource.set != set_index:
            if resource.set > 1:
                raise SpirvError(f"set {resource.set} ({resource.name}): sets 0 and 1 are bound")
            continue
        where = f"binding {resource.binding} of set {set_index} ({resource.name})"
        if resource.kind != kind:
            raise SpirvError(f"{where} is a {resource.kind}; the set holds a {kind} each")
        if resource.count != 1:
            raise SpirvError(f"{where} is an array of {resource.count}; bind them one by one")
        bindings.append(resource.binding)
    if bindings != list(range(len(bindings))):
        raise SpirvError(
            f"bindings of set {set_index} must be 0..n-1 without a gap, got {bindings}"
        )
    return len(bindings)
