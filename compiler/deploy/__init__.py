"""What is built of models to run elsewhere: folders, models as data, bundles."""

from __future__ import annotations

from .build import build

__all__ = ["build"]
