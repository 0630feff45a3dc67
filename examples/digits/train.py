"""
Train `Digits` on scikit-learn's digits, and write the files that the demo reads.

    python examples/digits/train.py

needs torch, onnx, onnxruntime, safetensors and scikit-learn, and takes half a minute.
One image in five is held out and seen only after training. Batch norms and constants
are exported as they are, so that simplifying them is left to the compiler.
"""

# Of the libraries this script needs, most have few types, and not all are always there.
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
import torch
from model import Digits
from safetensors.torch import save_file
from sklearn.datasets import load_digits
from torch import Tensor, nn

HERE = Path(__file__).parent
SEED = 0
EPOCHS = 60
BATCH = 64
SHIPPED = 64
"""Held-out images that are stored with the model."""

Array = npt.NDArray[np.float32]


def split_digits() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Images and labels to learn from, then the images and labels held out."""
    pixels, digits = load_digits(return_X_y=True)
    images = torch.from_numpy(np.asarray(pixels, np.float32).reshape(-1, 1, 8, 8) / 16)
    labels = torch.from_numpy(np.asarray(digits, np.int64))
    order = torch.randperm(len(images))
    held_out, learned = order.tensor_split([len(order) // 5])
    return images[learned], labels[learned], images[held_out], labels[held_out]


def shifted(images: Tensor) -> Tensor:
    """The images, each moved by at most one pixel up or down and left or right."""
    padded = nn.functional.pad(images, (1, 1, 1, 1))
    corners = torch.randint(0, 3, (len(images), 2)).tolist()
    return torch.stack(
        [image[:, y : y + 8, x : x + 8] for image, (y, x) in zip(padded, corners)]
    )


def train(model: Digits, images: Tensor, labels: Tensor) -> None:
    """Fits `model` to the images, which it sees moved by a pixel in each epoch."""
    steps = EPOCHS * -(-len(images) // BATCH)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, steps)
    model.train()
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(images)).split(BATCH):
            optimizer.zero_grad()
            logits = model(shifted(images[rows]))
            nn.functional.cross_entropy(logits, labels[rows]).backward()
            optimizer.step()
            schedule.step()
    model.eval()


def export(model: Digits, path: Path) -> None:
    """Writes `model` as ONNX with a batch of any size and its batch norms kept."""
    torch.onnx.export(
        model,
        (torch.zeros(2, 1, 8, 8),),
        path,
        input_names=["image"],
        output_names=["logits"],
        dynamic_axes={"image": {0: "batch"}, "logits": {0: "batch"}},
        opset_version=18,
        training=torch.onnx.TrainingMode.PRESERVE,
        do_constant_folding=False,
        dynamo=False,
    )


def check(path: Path, images: Array, logits: Array) -> None:
    """Raises unless the file keeps its batch norms and computes the logits of torch."""
    kinds = [node.op_type for node in onnx.load(path).graph.node]
    if kinds.count("BatchNormalization") != 2:
        raise RuntimeError(f"expected 2 batch norms in {path.name}, got {kinds}")
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    found = np.asarray(session.run(["logits"], {"image": images})[0])
    difference = float(np.abs(found - logits).max() / np.abs(logits).max())
    if difference > 1e-5:
        raise RuntimeError(
            f"expected the logits of torch in {path.name}, "
            f"got a difference of {difference:.1e} of the largest"
        )
    print(f"{path.name}: {', '.join(kinds)}")
    print(f"ONNX Runtime and torch differ by {difference:.1e} of the largest logit")


def main() -> None:
    """Trains, measures on the held-out images, and writes all files."""
    torch.manual_seed(SEED)
    torch.use_deterministic_algorithms(True)
    images, labels, test_images, test_labels = split_digits()
    model = Digits()
    train(model, images, labels)
    with torch.inference_mode():
        logits = model(test_images)
    hits = int((logits.argmax(1) == test_labels).sum())
    total = len(test_images)
    print(f"test accuracy {hits / total:.2%} ({hits} of {total} held-out images)")
    export(model, HERE / "digits.onnx")
    check(HERE / "digits.onnx", test_images.numpy(), logits.numpy())
    save_file(model.state_dict(), HERE / "digits.safetensors")
    np.savez_compressed(
        HERE / "digits_test.npz",
        images=test_images[:SHIPPED].numpy(),
        labels=test_labels[:SHIPPED].numpy(),
        logits=logits[:SHIPPED].numpy(),
    )


if __name__ == "__main__":
    main()
