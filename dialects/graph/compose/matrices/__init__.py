"""
Linear algebra on stacks of small matrices, as loops over rows and columns, and the
matrices of Fourier transforms.
"""

from __future__ import annotations

from .exponential import (
    exponential as exponential,
)
from .factors import (
    Factors as Factors,
)
from .factors import (
    cholesky as cholesky,
)
from .factors import (
    determinant as determinant,
)
from .factors import (
    exchanged as exchanged,
)
from .factors import (
    factored as factored,
)
from .factors import (
    inverse as inverse,
)
from .factors import (
    inverse_order as inverse_order,
)
from .factors import (
    is_odd as is_odd,
)
from .factors import (
    order_of as order_of,
)
from .factors import (
    permutation as permutation,
)
from .factors import (
    solution as solution,
)
from .orthogonal import (
    orthogonal as orthogonal,
)
from .orthogonal import (
    packed as packed,
)
from .orthogonal import (
    reflected as reflected,
)
from .orthogonal import (
    vectors_of as vectors_of,
)
from .spectrum import (
    eigen as eigen,
)
from .spectrum import (
    singular as singular,
)
from .spectrum import (
    symmetric as symmetric,
)
from .transform import (
    transform_table as transform_table,
)
from .triangular import (
    identity as identity,
)
from .triangular import (
    lower as lower,
)
from .triangular import (
    solved as solved,
)
from .triangular import (
    transposed as transposed,
)
from .triangular import (
    upper as upper,
)
