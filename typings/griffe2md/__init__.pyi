"""griffe2md: Markdown of what griffe read."""

from typing import TypedDict

from griffe import Object

class ConfigDict(TypedDict, total=False):
    docstring_style: str | None
    filters: list[str]
    group_by_category: bool
    heading_level: int
    members: bool | None
    members_order: str
    merge_init_into_class: bool
    separate_signature: bool
    show_bases: bool
    show_if_no_docstring: bool
    show_object_full_path: bool
    show_root_full_path: bool
    show_root_members_full_path: bool
    show_signature_annotations: bool
    summary: bool

def render_object_docs(
    obj: Object, config: ConfigDict | None = None, *, format_md: bool = False
) -> str: ...
