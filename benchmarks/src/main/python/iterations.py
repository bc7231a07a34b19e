"""Iterations of a network in PyTorch, one for each line that is read.

Argument: a JSON object with the sizes of the network ("gpt" or "vgg"), "batch", "threads" and
"bfloat16". The first line that is written is the number of parameters; each line that is read is
answered with the seconds of an iteration by the clock and by the processor.
"""

import json
import sys
import time

import torch
from torch import nn
from torch.nn import functional


class Attention(nn.Module):
    def __init__(self, width, heads, length):
        super().__init__()
        self.heads = heads
        self.query_key_value = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        later = torch.full((length, length), float("-inf")).triu(1)
        self.register_buffer("later", later, persistent=False)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (
            part.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=2)
        )
        if hasattr(functional, "scaled_dot_product_attention"):
            mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            scores = q @ k.transpose(2, 3) * (width // self.heads) ** -0.5 + self.later
            mixed = functional.softmax(scores, dim=3) @ v
        return self.out(mixed.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self, width, heads, length):
        super().__init__()
        self.attention = nn.Sequential(nn.LayerNorm(width), Attention(width, heads, length))
        self.perceptron = nn.Sequential(
            nn.LayerNorm(width),
            nn.Linear(width, 4 * width),
            nn.GELU(approximate="tanh"),
            nn.Linear(4 * width, width),
        )

    def forward(self, x):
        x = x + self.attention(x)
        return x + self.perceptron(x)


class Gpt(nn.Module):
    def __init__(self, vocabulary, length, layers, heads, width):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Parameter(torch.randn(length, width) * 0.02)
        self.blocks = nn.Sequential(*(Block(width, heads, length) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens):
        return self.head(self.norm(self.blocks(self.tokens(tokens) + self.positions))).flatten(0, 1)


def vgg(channels, height, width, plan, hidden, normalised, classes):
    layers = []
    for wide in plan:
        if wide == 0:
            layers.append(nn.MaxPool2d(2))
            height, width = height // 2, width // 2
            continue
        layers.append(nn.Conv2d(channels, wide, 3, padding=1, bias=not normalised))
        if normalised:
            layers.append(nn.BatchNorm2d(wide))
        layers.append(nn.ReLU())
        channels = wide
    layers.append(nn.Flatten())
    wide = channels * height * width
    for next_wide in hidden:
        layers += [nn.Linear(wide, next_wide), nn.ReLU()]
        wide = next_wide
    layers.append(nn.Linear(wide, classes))
    return nn.Sequential(*layers)


def main():
    wanted = json.loads(sys.argv[1])
    torch.set_num_threads(wanted["threads"])
    torch.manual_seed(0)
    batch = wanted["batch"]
    if "gpt" in wanted:
        sizes = wanted["gpt"]
        network = Gpt(**sizes)
        samples = torch.randint(sizes["vocabulary"], (batch, sizes["length"] + 1))
        inputs, labels = samples[:, :-1], samples[:, 1:].flatten()
    else:
        sizes = wanted["vgg"]
        network = vgg(**sizes)
        inputs = torch.rand(batch, sizes["channels"], sizes["height"], sizes["width"])
        labels = torch.randint(sizes["classes"], (batch,))
    optimizer = torch.optim.AdamW(network.parameters())
    print(sum(p.numel() for p in network.parameters()), flush=True)
    for _ in sys.stdin:
        clock, processor = time.perf_counter(), time.process_time()
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=wanted["bfloat16"]):
            loss = functional.cross_entropy(network(inputs), labels)
        loss.backward()
        optimizer.step()
        print(time.perf_counter() - clock, time.process_time() - processor, flush=True)


main()
