"""Ray, whose datasets are scored."""

from . import data as data
