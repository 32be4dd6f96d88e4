# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Parameters of estimators: each is a field of a class, declared once with its type and default.

scikit-learn reads them from the signature that dataclasses makes; a field that says kw_only=False goes by position.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeVar

    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import dataclass_transform

    Estimator = TypeVar("Estimator")
else:
    def dataclass_transform(**_):
        return lambda decorator: decorator


SHARED = ("precision", "random_state", "n_jobs", "verbose")


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def parameters(estimator: type[Estimator]) -> type[Estimator]:
    """A class whose annotated names are its parameters, after those of its bases. In its signature those that most
    estimators share come last.
    """
    made = dataclass(eq=False, repr=False, match_args=False, kw_only=True)(estimator)
    signature = inspect.signature(made.__init__)
    place = {name: at for at, name in enumerate(SHARED)}
    order = sorted(signature.parameters.values(), key=lambda one: (one.kind, place.get(one.name, -1)))
    made.__init__.__signature__ = signature.replace(parameters=order)  # type: ignore[attr-defined]
    return made


@parameters
class Drawn:
    random_state: int | np.random.RandomState | np.random.Generator | None = 0
    n_jobs: int | None = None


@parameters
class Common(Drawn):
    precision: str = "float"
    verbose: bool = False


@parameters
class OfKernel(Common):
    kernel: str = "gaussian"
    bandwidth: str | float | Sequence[float] | NDArray[Any] | None = None
    scale: str | None = None


@parameters
class Mapped(OfKernel):
    map: str = "fourier"
    n_components: int | None = None


@parameters
class OfMap(OfKernel):
    map: str = "fourier"
    n_map_features: int | None = None


@parameters
class Linear(Mapped):
    """A head on features."""

    fit_intercept: bool = True
    calibrate: bool = False
    keep_background: bool = False
