"""
The models that are measured, each with seeded weights and inputs.

Importing this needs torch and onnx. Weights are drawn in a fixed order after one seed,
so that everybody who builds a model builds the same one.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from .convolutional import MobileNetV2, ResNet50, UNet, Vgg16, as_if_trained
from .dense import DenseNet
from .dlrm import DENSE, Dlrm
from .export import export_onnx
from .model import SEED, Inputs, SuiteModel
from .operators import Gelu, Gemm, LayerNorm, Matmul, Softmax
from .recurrent import WIDTH, Recurrent
from .small import Add16, DeepWide, MlpSmall, SrExample
from .transformers import Bert, Gpt2Block

__all__ = ["DEEP", "SEED", "SUITE", "SuiteModel", "export_onnx"]


def normal(*shapes: tuple[int, ...]) -> Callable[[int], Inputs]:
    """What makes standard normal inputs of these shapes, the rows along axis 0."""

    def rows(batch: int) -> Inputs:
        return tuple(torch.randn(batch, *shape) for shape in shapes)

    return rows


def clicks(batch: int) -> Inputs:
    """Numbers and categories for DLRM."""
    return torch.randn(batch, DENSE), torch.randint(0, 1000, (batch, 26))


def sentences(batch: int) -> Inputs:
    """Words for BERT, none of them masked."""
    shape = batch, Bert.TOKENS
    return torch.randint(0, Bert.WORDS, shape), torch.ones(shape, dtype=torch.int64)


def signals(batch: int) -> Inputs:
    """Fifty steps for a recurrent net."""
    return (torch.randn(50, batch, WIDTH),)


def matrices(rows: int) -> Inputs:
    """Two matrices to multiply."""
    return torch.randn(rows, 1024), torch.randn(1024, 1024)


def gemm(size: int, rows: int) -> SuiteModel:
    """The product of `rows` rows with a square matrix."""
    return SuiteModel(lambda: Gemm(size, size), normal((size,)), rows)


def dense(*depths: int) -> SuiteModel:
    """DenseNet with blocks of these many layers, for an image."""
    return SuiteModel(
        lambda: as_if_trained(DenseNet(*depths)), normal((3, 224, 224)), 1
    )


SUITE: dict[str, SuiteModel] = {
    "add16": SuiteModel(Add16, normal((), ()), 16, (0, 0)),
    "sr_example": SuiteModel(SrExample, normal(*((32,),) * 5), 64, (0,) * 5),
    **{
        f"mlp_small_b{batch}": SuiteModel(MlpSmall, normal((64,)), batch)
        for batch in (1, 64)
    },
    **{
        f"deep_wide_b{batch}": SuiteModel(
            DeepWide, normal((1, 32), (1, 32), (50,)), batch, (0, 0, 0)
        )
        for batch in (1, 20, 200)
    },
    **{
        f"dlrm_small_b{batch}": SuiteModel(Dlrm, clicks, batch, (0, 0))
        for batch in (1, 128)
    },
    "resnet50": SuiteModel(lambda: as_if_trained(ResNet50()), normal((3, 224, 224)), 1),
    "mobilenet_v2": SuiteModel(
        lambda: as_if_trained(MobileNetV2()), normal((3, 224, 224)), 1
    ),
    "unet": SuiteModel(lambda: as_if_trained(UNet(32, 4)), normal((3, 128, 128)), 1),
    "vgg16": SuiteModel(lambda: as_if_trained(Vgg16()), normal((3, 112, 112)), 1),
    "bert_base": SuiteModel(Bert, sentences, 1, (0, 0)),
    "minilm": SuiteModel(lambda: Bert(384, 6, 12, 1536), sentences, 1, (0, 0)),
    "gpt2_block": SuiteModel(Gpt2Block, normal((256, 768)), 1),
    "lstm": SuiteModel(lambda: Recurrent("LSTM"), signals, 1, (1,)),
    "gru": SuiteModel(lambda: Recurrent("GRU"), signals, 1, (1,)),
    **{f"gemm_{size}": gemm(size, size) for size in (512, 1024, 2048)},
    "gemm_1024_dyn": SuiteModel(Matmul, matrices, 1024, (0, None)),
    "gemv_4096": gemm(4096, 1),
    "softmax_1024": SuiteModel(Softmax, normal((1024,)), 1024),
    "layernorm_1024": SuiteModel(lambda: LayerNorm(1024), normal((1024,)), 1024),
    "gelu_4m": SuiteModel(Gelu, normal((4096,)), 1024),
}
"""The models by name; the names are those of earlier measurements."""

DEEP: dict[str, SuiteModel] = {
    "densenet121": dense(6, 12, 24, 16),
    "densenet169": dense(6, 12, 32, 32),
}
"""Models of many layers that no two share, which take long to compile."""
