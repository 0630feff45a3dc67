"""
`build`: write what runs models elsewhere, as `sr-build` does.

    sr.build("model.onnx", "out/")
    sr.build("model.onnx", "model.sr")
    sr.build(["a.onnx", "b.pt2"], "c/", kind="bundle")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...runtime.library import Selection
from ..bundle import Network, identifier_of, make_bundle, write_bundle
from ..compile import Compilation
from ..front_end import as_path
from ..library import (
    build_c_library,
    build_data_model,
    build_library_folder,
    catalogue,
)
from ..runtime_folder import build_runtime
from ..selective import read_selection
from ..session import CompileError, Options, Progress, silent

_KINDS = ("folder", "data", "bundle", "library", "c-library")
"""What can be built."""

_OF_BUNDLES = ("bundle_api", "network_name", "main_entry_name")
"""The arguments that a bundle alone has."""

_USED_BY = {"selection": ("library", "c-library"), "library": ("data",)}
"""The kinds that other arguments are for."""


def build(
    models: Any,
    output: str | Path,
    *,
    kind: str | None = None,
    target: str | Sequence[str] = "host",
    options: Options = Options(),
    selection: Selection | str | Path | None = None,
    library: str | Path | None = None,
    bundle_api: str | None = None,
    network_name: str | None = None,
    main_entry_name: str | None = None,
    progress: Progress = silent,
) -> list[Path]:
    """
    Writes what runs one model, or several, elsewhere; returns the files.

    `models` is a model as `compile` takes it, or a list of some. `kind` is one of:

    * "folder", which runs the model with numpy alone;
    * "data", the model for a library, maybe for the `library` of a folder: what an
      `output` means that ends in .sr;
    * "bundle", an object, headers and weights for C;
    * "library" or "c-library", kernels for models as data, as a `selection` says, or
      the YAML file of one; otherwise all of the models, or of the compiler.

    `target` is a name or several. `progress` is told of the models and kernels of a
    library. The other arguments are of a bundle, as those of `sr-build`.

    Raises `CompileError` for models that cannot be built so, `ValueError` for arguments
    that do not fit together, and `OSError`.
    """
    output, several = Path(output), _listed(models)
    targets = _targets(target)
    kind = kind or ("data" if output.suffix == ".sr" else "folder")
    names = bundle_api, network_name, main_entry_name
    of_bundle = dict(zip(_OF_BUNDLES, names, strict=True))
    _check(kind, {**of_bundle, "selection": selection, "library": library})
    if kind in ("library", "c-library"):
        make = build_library_folder if kind == "library" else build_c_library
        if not several and selection is None:
            several = [*catalogue()]
        chosen = _selection(selection)
        return make(chosen, several, targets, output, options, progress)
    if kind == "bundle":
        only = _only(targets, "target of a bundle")
        networks = _networks(several, only, options, network_name, main_entry_name)
        name = network_name or ("bundle" if len(several) > 1 else networks[0].name)
        write_bundle(make_bundle(networks, name, bundle_api or "static"), output)
        return sorted(each for each in output.iterdir() if each.is_file())
    model = _only(several, "model; a library of several has a kind of its own")
    if kind == "folder":
        return build_runtime(model, targets, output, options)
    if targets != ["host"]:
        raise CompileError(
            "expected a target with a library, got one with a model as data, which "
            "runs over the libraries of all targets"
        )
    build_data_model(model, output, options, None if library is None else Path(library))
    return [output]


def _targets(given: str | Sequence[str]) -> list[str]:
    """The names of targets; raises `CompileError` for none."""
    if not given:
        raise CompileError("expected a target, got none")
    return [given] if isinstance(given, str) else [*given]


def _listed(models: Any) -> list[Any]:
    """One model or several, as a list."""
    return [*models] if isinstance(models, list | tuple) else [models]


def _only(several: Sequence[Any], what: str) -> Any:
    """The only one; raises `CompileError` for none and for several."""
    if not several:
        raise CompileError(f"expected a {what.partition(';')[0]}, got none")
    if len(several) != 1:
        raise CompileError(f"expected one {what}, got {len(several)}")
    return several[0]


def _check(kind: str, given: Mapping[str, Any]) -> None:
    """Raises `CompileError` for an argument that a kind has no use for."""
    if kind not in _KINDS:
        raise CompileError(f"expected a kind of {', '.join(_KINDS)}, got {kind}")
    wrong = [
        name
        for name, value in given.items()
        if value is not None and kind not in _USED_BY.get(name, ("bundle",))
    ]
    if wrong:
        raise CompileError(f"expected a {kind} without {', '.join(wrong)}, got it with")


def _selection(given: Selection | str | Path | None) -> Selection:
    """What a library has; everything where that is not said."""
    if given is None:
        return Selection(include_all_operators=True)
    return given if isinstance(given, Selection) else read_selection(Path(given))


def _networks(
    models: Sequence[Any],
    target: str,
    options: Options,
    name: str | None,
    entry: str | None,
) -> list[Network]:
    """The models of a bundle, by the names of their files where there are several."""
    if not models:
        raise CompileError("expected a model for a bundle, got none")
    if entry is not None:
        _only(models, "model, to have a main_entry_name")
    found: list[Network] = []
    for model in models:
        own = None if len(models) > 1 else name
        if own is None:
            path = as_path(model)
            if not isinstance(path, Path):
                raise CompileError(
                    "expected files, or one model with a network_name, got a model "
                    f"without a name, {type(model).__name__}"
                )
            own = identifier_of(path.stem)
        made = Compilation(model, target=target, options=replace(options, threads=1))
        found.append(Network(made, own, entry))
    return found
