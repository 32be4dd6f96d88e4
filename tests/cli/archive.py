# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Archives (docs/model-format.md) as a tree and arrays, to be altered and written again. What is written is well-formed
and has no checksum, as files of the first version: only the loaders are left to refuse it."""

import json
import struct


class Archive:
    def __init__(self, path):
        data = path.read_bytes()
        start = 8 + struct.unpack("<Q", data[:8])[0]
        header = json.loads(data[8:start])
        self.tree = json.loads(header.pop("__metadata__")["bochner"])
        self.arrays = {}  # name: [dtype, shape, bytes]
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            self.arrays[name] = [entry["dtype"], entry["shape"], data[start + begin:start + end]]

    def put(self, name, shape, content, dtype="F64"):
        self.arrays[name] = [dtype, shape, content]

    def doubles(self, name, shape, numbers):
        self.put(name, shape, struct.pack(f"<{len(numbers)}d", *numbers))

    def save(self, path):
        metadata = {"bochner": json.dumps(self.tree), "format_version": "1"}
        header, offset = {"__metadata__": metadata}, 0
        for name, (dtype, shape, content) in self.arrays.items():
            header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [offset, offset + len(content)]}
            offset += len(content)
        text = json.dumps(header).encode()
        path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(array[2] for array in self.arrays.values()))
