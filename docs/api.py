"""
Print what `import static_runtime` promises, as Markdown from its docstrings.

    python -m bench.document docs/api.md    writes it into the page

The sources are read, and not imported (griffe2md).
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from griffe import Alias, GriffeLoader, Module, Object
from griffe2md import ConfigDict, render_object_docs

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = ("__init__.py", "compiler", "dialects", "lowering", "runtime")

ORDER = (
    *("compile", "Options", "StaticModule", "StaticRuntime", "RuntimePool"),
    *("quantize", "build", "set_memory_limit", "trace", "scoring", "CompileError"),
    *("onnx_backend", "register_op", "CustomOp"),
    *("NestKernel", "LlvmKernel", "NativeKernel", "PythonKernel"),
)
"""The promised names, as a reader meets them."""

REACHED = (
    "compiler.session.report.CompileReport",
    "runtime.planning.plan.Plan",
    "runtime.call.coverage.Coverage",
    "runtime.call.coverage.Tally",
    "compiler.quantizing.profile.Profile",
    "compiler.quantizing.settings.Settings",
    "compiler.tracing.trace.Trace",
    "runtime.library.selection.Selection",
    "runtime.library.selection.Operator",
    "compiler.session.errors.UnsupportedModelError",
    "compiler.session.errors.UnsupportedOp",
    "compiler.session.errors.ModelFileError",
)
"""What a user is given by them: `model.report`, `model.plan`, and what is raised."""

CONSTRUCTED = (
    *("Options", "NestKernel", "LlvmKernel", "NativeKernel", "PythonKernel"),
)
"""Classes that users make objects of, so that what they take is told."""

OWN = (
    "!^(add|answer_by|context|for_a_run|key|maker|placement|growing"
    "|pool|plan_as|bind_arguments|program|usable_threads"
    # Of kernels and ops:
    "|check|check_runs|check_types|group_operands|has_kernel|has_reference|kernel|native"
    "|IS_VIEW|TAKES_STORED|agreements|all_requirements|below|copies|defines|dimensions"
    "|infer_types|label|layouts|parse|preferred|print|reference_values|refusal"
    "|run_reference|values|verify_|verify_elements)$"
)
"""Public for other files of the package, and not for users."""


def sources(folder: Path) -> Path:
    """A folder in which the package has its name, and nothing but the package is."""
    package = folder / "static_runtime"
    package.mkdir()
    for each in SHIPPED:
        (package / each).symlink_to(ROOT / each)
    return folder


def of_package(folder: Path) -> Module:
    """The package as its sources say."""
    loader = GriffeLoader(search_paths=[folder], allow_inspection=False)
    package = loader.load("static_runtime", try_relative_path=False)
    assert isinstance(package, Module)
    return package


def found(package: Module, path: str) -> Object:
    """What a path names, wherever it was imported from."""
    each = package[path]
    target = each.final_target if isinstance(each, Alias) else each
    assert isinstance(target, Object)
    return target


def sections(package: Module, path: str) -> list[str]:
    """What there is to say of one name, and of all that a package offers."""
    named = found(package, path)
    names = sorted(map(str, named.exports or ())) if named.is_module else ()
    inside = (f"{named.path.partition('.')[2]}.{each}" for each in names)
    return [section(package, each) for each in (path, *inside)]


def section(package: Module, path: str) -> str:
    """What there is to say of one name."""
    name = path.rpartition(".")[2]
    config: ConfigDict = {
        "docstring_style": None,
        "filters": ["!^_(?!_call__)", OWN],
        "group_by_category": False,
        "heading_level": 2 if name in ORDER else 3,
        "merge_init_into_class": name in CONSTRUCTED,
        "members": False if found(package, path).is_module else None,
        "members_order": "source",
        "show_bases": False,
        "show_if_no_docstring": False,
        "show_object_full_path": False,
        "show_root_full_path": False,
        "show_root_members_full_path": False,
        "separate_signature": True,
        "show_signature_annotations": True,
        "summary": False,
    }
    return render_object_docs(found(package, path), config).strip()


def main() -> None:
    """Prints the page."""
    with TemporaryDirectory() as folder:
        package = of_package(sources(Path(folder)))
        promised = set(package.exports or ()) - {"__version__"}
        if promised != set(ORDER):
            raise SystemExit(
                f"expected {sorted(ORDER)}, got {sorted(map(str, promised))}"
            )
        parts = [each for name in ORDER for each in sections(package, name)]
        parts.append("## Not made by users, but given to them")
        parts += [section(package, each) for each in REACHED]
    print("\n\n".join(parts))


if __name__ == "__main__":
    main()
