#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""The loops that x86-64 multiplies in keep their sums in registers: read off the machine code, which any machine can.

usage: check_loops.py BUILD: a build for x86-64 by g++. Of each loop its instructions, the products among them, and how
often it goes to the stack; exit code 1 where one of them does, takes too many instructions a product, or is not found.
"""
import pathlib
import re
import shutil
import subprocess
import sys

# object: [(function, products of the loop at least, instructions a product at most)]. SSE4 cannot read unaligned memory
# within another instruction, so each vector costs it a load of its own: 87 instructions for 16 products.
LOOPS = {
    "exact_vectors": [("N_SSE4::VectorKernel::multiply", 16, 5.5), ("N_AVX2::VectorKernel::multiply", 16, 4),
                      ("N_AVX3::VectorKernel::multiply", 32, 4)],
    "exact_vnni": [("vnni::VnniKernel::multiply", 26, 2)],
    "bfloat16_vectors": [("multiply_panels<3ul>", 24, 2)],
    "fourier": [("N_AVX2::sum_segment<float, 2ul>", 24, 2.2), ("N_AVX3::sum_segment<float, 3ul>", 36, 2)],
    "cross_product": [("N_AVX2::strip_tile<float>", 24, 2.2), ("N_AVX3::strip_tile<float>", 48, 2)],
}
PRODUCT = re.compile(r"v?(fn?madd|pmaddwd|pdpwssd|pdpbusd|dpbf16ps)")
VECTOR_ON_STACK = re.compile(r"%[xyz]mm\d+.*\(%r[sb]p\)|\(%r[sb]p\).*%[xyz]mm")


def functions(path):
    """name, [(address, operation, operands)]"""
    objdump = shutil.which("x86_64-linux-gnu-objdump") or "objdump"
    text = subprocess.run([objdump, "-d", "-C", "--no-show-raw-insn", path], check=True, capture_output=True, text=True).stdout
    for part in re.split(r"^[0-9a-f]+ <(?=.*>:$)", text, flags=re.MULTILINE)[1:]:
        name, body = part.split(">:\n", 1)
        yield name, [(int(a, 16), operation, operands) for a, operation, operands in
                     re.findall(r"^\s+([0-9a-f]+):\s+(\S+)[ \t]*(.*)$", body, re.MULTILINE)]


def innermost_loops(code):
    """The instructions between a jump back and its target that have no such jump between them."""
    place = {address: i for i, (address, _, _) in enumerate(code)}
    ends = []
    for i, (address, operation, operands) in enumerate(code):
        target = re.match(r"[0-9a-f]+(?= )", operands) if operation.startswith("j") else None
        if target and int(target[0], 16) <= address and int(target[0], 16) in place:
            ends.append((place[int(target[0], 16)], i))
    for begin, end in ends:
        if not any(begin <= b and e <= end and (b, e) != (begin, end) for b, e in ends):
            yield code[begin:end + 1]


def main():
    folder = pathlib.Path(sys.argv[1]) / "CMakeFiles/bochner.dir/src/backend/cpu"
    failed = False
    for name, wanted in LOOPS.items():
        found = list(functions(folder / f"{name}.cc.o"))
        for function, products, most in wanted:
            loops = [loop for label, code in found if function in label for loop in innermost_loops(code)]
            counts = [(sum(bool(PRODUCT.match(operation)) for _, operation, _ in loop), loop) for loop in loops]
            product_count, loop = max(counts, key=lambda count: count[0], default=(0, []))
            stack = sum(bool(VECTOR_ON_STACK.search(operands)) for _, _, operands in loop)
            bad = product_count < products or stack or len(loop) > most * product_count
            failed |= bad
            print(f"{function:36} {len(loop):4} instructions, {product_count:3} products, {stack} on the stack"
                  + (f": expected {products} products, none on the stack, {most} instructions a product at most" if bad else ""))
    sys.exit(failed)


main()
