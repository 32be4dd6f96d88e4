# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""A recipe for Spack: `spack repo create` a repository, put this file under packages/bochner/, give `git`."""

from spack.package import CMakePackage, depends_on, generator, license, variant, version


class Bochner(CMakePackage):
    """Kernel machines in linear time: random features and exact sums that merge."""

    license("Apache-2.0")

    version("main", branch="main")

    variant("shared", default=True, description="Build a shared library")

    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cli11", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("fmt")
    depends_on("highway")
    depends_on("openblas threads=pthreads")
    depends_on("xz")
    depends_on("zlib-api")
    depends_on("zstd")

    generator("ninja")

    def cmake_args(self):
        return [self.define_from_variant("BUILD_SHARED_LIBS", "shared"), self.define("BOCHNER_TESTS", False)]
