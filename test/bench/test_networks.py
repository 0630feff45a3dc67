"""The networks of the table are those that the paper describes."""

from __future__ import annotations

import pytest

from bench.networks import MIB, NETWORKS
from static_runtime.runtime.planning import lower_bound, plan, shared_lower_bound

# MiB of all tensors, of shared objects and of offsets at best, which an independent
# program found for the same networks.
KNOWN = {
    "MobileNet v1": (19.248, 4.594, 4.594),
    "MobileNet v2": (26.313, 6.604, 5.742),
    "Inception v3": (53.999, 9.132, 7.913),
    "DeepLab v3": (50.170, 6.105, 4.320),
    "PoseNet": (30.179, 6.299, 6.271),
    "BlazeFace": (7.062, 1.337, 1.312),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_has_the_bytes_that_are_known(name: str):
    records = NETWORKS[name]().records
    sizes = sum(each.size for each in records), shared_lower_bound(records)
    found = [*sizes, lower_bound(records)]
    assert [round(size / MIB, 3) for size in found] == list(KNOWN[name])


@pytest.mark.parametrize("name", NETWORKS)
def test_a_search_reaches_the_bound_of_each(name: str):
    assert plan(NETWORKS[name]().records, alignment=1).is_optimal
