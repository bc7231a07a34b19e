#!/usr/bin/env python3
"""Losses and gradients of two tiny networks, by PyTorch in float64: what GoldenLossesTest expects.

Layers, gradients and optimizers are PyTorch's. Weights and data are numbers that a linear
congruential generator gives for a name, all of them exact in float32; GoldenLossesTest has the same
generator.

    python3 pruned/src/test/python/golden_losses.py \
        > pruned/src/test/resources/dev/gossamer/pruned/layers/golden-losses.txt

needs PyTorch (Debian: python3-torch). A line is

    NETWORK loss STEP VALUE
    NETWORK gradient PARAMETER NORM PROBE

with the loss before each step, and of each parameter's gradient before the first step the Euclidean
norm and the sum of its elements times the numbers of the name PARAMETER.probe.
"""

import torch
import torch.nn.functional as F

STEPS = 10
DECAY = 0.01


def draws(name, count):
    """Integers of 16 bits."""
    state = 0
    for letter in name:
        state = (31 * state + ord(letter)) % 2**31
    drawn = []
    for _ in range(count):
        state = (1103515245 * state + 12345) % 2**31
        drawn.append(state >> 15)
    return drawn


def numbers(name, *shape):
    """Numbers of [-1, 1)."""
    count = 1
    for size in shape:
        count *= size
    drawn = torch.tensor(draws(name, count), dtype=torch.float64)
    return ((drawn - 2**15) / 2**15).reshape(shape)


def integers(name, count, below):
    return torch.tensor([drawn % below for drawn in draws(name, count)])


class Parameters:
    """By name; matrices are `in x out`."""

    def __init__(self, shapes):
        self.of = {}
        for name, shape in shapes.items():
            value = numbers(name, *shape) / 4 + (1 if name.endswith("gain") else 0)
            self.of[name] = value.requires_grad_()

    def groups(self):
        """Weight decay is for matrices."""
        matrices = [p for p in self.of.values() if p.dim() > 1]
        vectors = [p for p in self.of.values() if p.dim() == 1]
        return [
            {"params": matrices, "weight_decay": DECAY},
            {"params": vectors, "weight_decay": 0.0},
        ]

    def linear(self, name, x):
        return x @ self.of[name + ".weight"] + self.of.get(name + ".bias", 0.0)

    def layer_norm(self, name, x):
        gain = self.of[name + ".gain"]
        return F.layer_norm(x, gain.shape, gain, self.of[name + ".bias"], 1e-5)


def train(network, parameters, optimizer, loss):
    for step in range(STEPS):
        optimizer.zero_grad()
        value = loss()
        value.backward()
        print(network, "loss", step, repr(value.item()))
        if step == 0:
            for name, parameter in parameters.of.items():
                gradient = parameter.grad
                probe = (gradient * numbers(name + ".probe", *gradient.shape)).sum()
                print(network, "gradient", name, repr(gradient.norm().item()), repr(probe.item()))
        optimizer.step()


def gpt():
    """GPT-2's decoder: two blocks of two heads, pre-norm, GELU by tanh, no tied head."""
    vocabulary, length, layers, heads, width, samples = 13, 8, 2, 2, 16, 4
    shapes = {
        "embedding.tokens": (vocabulary, width),
        "embedding.positions": (length, width),
        "norm.gain": (width,),
        "norm.bias": (width,),
        "head.weight": (width, vocabulary),
    }
    for i in range(layers):
        block = "blocks.%d." % i
        for norm in ("attention_norm", "mlp_norm"):
            shapes[block + norm + ".gain"] = (width,)
            shapes[block + norm + ".bias"] = (width,)
        for name, into, out in (
            ("attention.in", width, 3 * width),
            ("attention.out", width, width),
            ("mlp.in", width, 4 * width),
            ("mlp.out", 4 * width, width),
        ):
            shapes[block + name + ".weight"] = (into, out)
            shapes[block + name + ".bias"] = (out,)
    p = Parameters(shapes)
    tokens = integers("gpt.tokens", samples * length, vocabulary).reshape(samples, length)
    labels = integers("gpt.labels", samples * length, vocabulary)
    hidden = torch.ones(length, length, dtype=torch.bool).triu(1)

    def attention(block, x):
        def by_head(y):
            return y.reshape(samples, length, heads, width // heads).transpose(1, 2)

        q, k, v = (by_head(y) for y in p.linear(block + "attention.in", x).split(width, dim=2))
        scores = q @ k.transpose(2, 3) / (width // heads) ** 0.5
        shares = scores.masked_fill(hidden, float("-inf")).softmax(dim=3)
        joined = (shares @ v).transpose(1, 2).reshape(samples, length, width)
        return p.linear(block + "attention.out", joined)

    def loss():
        x = p.of["embedding.tokens"][tokens] + p.of["embedding.positions"]
        for i in range(layers):
            block = "blocks.%d." % i
            x = x + attention(block, p.layer_norm(block + "attention_norm", x))
            inner = p.linear(block + "mlp.in", p.layer_norm(block + "mlp_norm", x))
            x = x + p.linear(block + "mlp.out", F.gelu(inner, approximate="tanh"))
        logits = p.linear("head", p.layer_norm("norm", x))
        return F.cross_entropy(logits.reshape(-1, vocabulary), labels)

    optimizer = torch.optim.AdamW(p.groups(), lr=0.01, betas=(0.9, 0.999), eps=1e-8)
    train("gpt", p, optimizer, loss)


def convolutions():
    """Convolution, batch normalisation, ReLU, pooling, a residual convolution, a linear layer."""
    samples, size, classes = 6, 8, 5
    # Weights of a convolution are `(3 x 3 x in) x out`.
    p = Parameters(
        {
            "first.weight": (9 * 2, 4),
            "first.bias": (4,),
            "norm.gain": (4,),
            "norm.bias": (4,),
            "second.weight": (9 * 4, 4),
            "second.bias": (4,),
            "linear.weight": (4, classes),
            "linear.bias": (classes,),
        }
    )
    x = 2 * numbers("convolutions.x", samples, size, size, 2).permute(0, 3, 1, 2)
    labels = integers("convolutions.labels", samples, classes)

    def convolution(name, y):
        weight = p.of[name + ".weight"].reshape(3, 3, y.shape[1], 4).permute(3, 2, 0, 1)
        return F.conv2d(y, weight, p.of[name + ".bias"], padding=1)

    def loss():
        y = convolution("first", x)
        y = F.batch_norm(y, None, None, p.of["norm.gain"], p.of["norm.bias"], True, eps=1e-5)
        y = F.max_pool2d(F.relu(y), 2)
        y = y + convolution("second", y)
        return F.cross_entropy(p.linear("linear", y.mean(dim=(2, 3))), labels)

    train("convolutions", p, torch.optim.SGD(p.groups(), lr=0.1, momentum=0.9), loss)


if __name__ == "__main__":
    print("# Made by pruned/src/test/python/golden_losses.py with PyTorch", torch.__version__)
    gpt()
    convolutions()
