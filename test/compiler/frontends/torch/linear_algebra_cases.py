"""Functions of operators on stacks of small matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .case import Case, dynamic, fixed, floats

ATEN = torch.ops.aten

linalg: Any = torch.linalg


def definite(x: Tensor) -> Tensor:
    """A matrix with a Cholesky factor."""
    return x @ x.mT + torch.eye(x.shape[-1])


def factors(x: Tensor) -> Any:
    """L and U in one matrix, and rows that were exchanged."""
    return linalg.lu_factor(x)


def triangular(up: bool, left: bool, unit: bool) -> Callable[[Tensor], Any]:
    """Equations of triangles of some kind."""

    def solve(x: Tensor) -> Any:
        matrix, right = x + 3 * torch.eye(5), x[..., :2] if left else x[:, :2]
        how = {"upper": up, "left": left, "unitriangular": unit}
        return linalg.solve_triangular(matrix, right, **how)

    return solve


OF_ONE: dict[str, Callable[[Tensor], Any]] = {
    "det": linalg.det,
    "slogdet": lambda x: tuple(linalg.slogdet(x)),
    "inv": linalg.inv,
    "lu": lambda x: tuple(linalg.lu(x[:, 1:])),
    "lu_factor": lambda x: tuple(linalg.lu_factor_ex(x[..., 1:])),
    "lu_unpack": lambda x: torch.lu_unpack(*factors(x)),
    "lu_solve": lambda x: linalg.lu_solve(*factors(x), x[..., :2]),
    "lu_solve adjoint": lambda x: linalg.lu_solve(*factors(x), x[:, :2], left=False),
    "lu_solve of a transpose": lambda x: linalg.lu_solve(
        *factors(x), x[..., :2], adjoint=True
    ),
    "solve": lambda x: linalg.solve(x, x[..., :2] + 1),
    "solve from the right": lambda x: linalg.solve(x, x[:, :2] + 1, left=False),
    "solve for vectors": lambda x: linalg.solve(x, x[..., 0] + 1),
    "solve for one matrix": lambda x: linalg.solve(x[0], x[..., :2] + 1),
    "cholesky": lambda x: linalg.cholesky(definite(x)),
    "cholesky upper": lambda x: torch.cholesky(definite(x), upper=True),
    "cholesky_ex": lambda x: tuple(linalg.cholesky_ex(definite(x) - 2)[1:]),
    "cholesky_solve": lambda x: torch.cholesky_solve(
        x[..., :2], linalg.cholesky(definite(x))
    ),
    "cholesky_inverse": lambda x: torch.cholesky_inverse(
        linalg.cholesky(definite(x)).mT, upper=True
    ),
    **{
        f"solve_triangular {up} {left} {unit}": triangular(up, left, unit)
        for up in (False, True)
        for left in (False, True)
        for unit in (False, True)
    },
    "triangular_solve": lambda x: tuple(
        ATEN.triangular_solve(x[..., :2], x + 3 * torch.eye(5), True, True)
    ),
}


def composed(x: Tensor, full: bool) -> Any:
    """Singular values, and what does not depend on the signs of vectors."""
    u, values, v = linalg.svd(x, full_matrices=full)
    count = values.shape[-1]
    whole = (u[..., :count] * values[..., None, :]) @ v[..., :count, :]
    return values, whole, u.mT @ u, v @ v.mT


def eigen(x: Tensor, triangle: str) -> Any:
    """Eigenvalues, and what does not depend on the signs of vectors."""
    values, vectors = linalg.eigh(x, UPLO=triangle)
    return values, (vectors * values[..., None, :]) @ vectors.mT, vectors.mT @ vectors


LOW = floats(2, 6, 2) @ floats(2, 2, 4)
"""Matrices of rank two."""

ROTATED: dict[str, tuple[Callable[[Tensor], Any], Tensor]] = {
    "qr": (lambda x: tuple(linalg.qr(x)), floats(2, 6, 4)),
    "qr complete": (lambda x: tuple(linalg.qr(x, "complete")), floats(2, 6, 4)),
    "qr without Q": (lambda x: linalg.qr(x, "r")[1], floats(2, 4, 6)),
    "geqrf": (lambda x: tuple(torch.geqrf(x)), floats(2, 4, 6)),
    "householder_product": (
        lambda x: linalg.householder_product(*torch.geqrf(x)),
        floats(2, 6, 4),
    ),
    "ormqr": (lambda x: torch.ormqr(*torch.geqrf(x), x), floats(2, 6, 4)),
    "ormqr transposed": (
        lambda x: torch.ormqr(*torch.geqrf(x), x, transpose=True),
        floats(2, 6, 4),
    ),
    "ormqr from the right": (
        lambda x: torch.ormqr(*torch.geqrf(x), x.mT, left=False),
        floats(2, 6, 4),
    ),
    "svd": (lambda x: composed(x, False), floats(2, 6, 4)),
    "svd of rank two": (lambda x: composed(x, True), LOW),
    "svd of wide matrices": (lambda x: composed(x, True), LOW.mT),
    "svdvals": (linalg.svdvals, LOW),
    "eigh": (lambda x: eigen(x, "L"), floats(3, 5, 5)),
    "eigh of the upper triangle": (lambda x: eigen(x, "U"), floats(3, 5, 5)),
    "eigvalsh": (linalg.eigvalsh, floats(3, 5, 5)),
    "pinv": (linalg.pinv, LOW),
    "pinv with limits": (
        lambda x: linalg.pinv(x, atol=x[:, 0, 0].abs(), rtol=x[:, 0, 1].abs() / 4),
        floats(2, 6, 4),
    ),
    "pinv of symmetric matrices": (
        lambda x: linalg.pinv(x @ x.mT, hermitian=True),
        LOW,
    ),
    "matrix_rank": (linalg.matrix_rank, LOW),
    "matrix_exp": (torch.matrix_exp, floats(3, 5, 5)),
}

OF_REFLECTIONS = ("geqrf", "householder", "ormqr")
"""What torch cannot trace for any number of matrices, as it has no shape of it."""

WELL = floats(3, 5, 5) + 8 * torch.eye(5)  # well-conditioned, whatever is drawn

CASES: dict[str, Case] = {
    **{name: dynamic(each, WELL) for name, each in OF_ONE.items()},
    **{
        name: (fixed if name.startswith(OF_REFLECTIONS) else dynamic)(each, x)
        for name, (each, x) in ROTATED.items()
    },
    **{
        f"{name} of nothing": fixed(f, floats(2, 0, 3))
        for name, f in (("svd", torch.linalg.svd), ("svdvals", torch.linalg.svdvals))
    },
    **{
        f"{name} of nothing": fixed(OF_ONE[name], floats(2, 0, 0))
        for name in ("det", "slogdet", "inv")
    },
}
