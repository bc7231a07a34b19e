"""Epochs of a graph network in PyTorch on the whole graph of a data set folder.

Argument: a JSON object with "data" (the folder), "model", "widths" (of the features, of each hidden
layer and of the classes), "heads", "hops", "teleport", "first" (whether the first layer multiplies
by the weights first), "way", "threads" and "epochs". The way is how neighbours are summed: "csr" and
"coo" multiply by a sparse matrix, "gather" copies the rows of all edges and adds them up. Writes a
JSON object: "seconds" of each epoch, "parameters" and "peak" bytes; or {"refused": reason}.
"""

import json
import math
import sys
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional

# In the file of the parts.
TRAINING = 1

# After two epochs that took so long, the figure is clear.
MOST_SECONDS = 60


class Product(torch.autograd.Function):
    """A product by a sparse matrix, whose transposed one multiplies the gradient."""

    @staticmethod
    def forward(ctx, x, forward, backward):
        ctx.product = backward
        return forward(x)

    @staticmethod
    def backward(ctx, gradient):
        return ctx.product(gradient), None, None


def add_up(rows, targets, n):
    """Sums of the rows of each target."""
    ends = targets.view(-1, *[1] * (rows.dim() - 1)).expand_as(rows)
    return torch.zeros(n, *rows.shape[1:]).scatter_add(0, ends, rows)


class Graph:
    def __init__(self, folder, way):
        rows = np.load(folder + "/row_ptr.npy").astype(np.int64)
        columns = np.load(folder + "/col_idx.npy").astype(np.int64)
        self.n = len(rows) - 1
        self.way = way
        ends = np.repeat(np.arange(self.n), np.diff(rows))
        loops = np.arange(self.n)
        self.plain = self.sorted(ends, columns)
        self.looped = self.sorted(np.concatenate([ends, loops]), np.concatenate([columns, loops]))

    def sorted(self, targets, sources):
        order = np.lexsort((sources, targets))
        return torch.from_numpy(targets[order]), torch.from_numpy(sources[order])

    def product(self, targets, sources, values):
        n = self.n
        if self.way == "gather":
            weights = values[:, None]
            return lambda x: add_up(x[sources] * weights, targets, n)
        if self.way == "coo":
            matrix = torch.sparse_coo_tensor(torch.stack([targets, sources]), values, (n, n)).coalesce()
            return lambda x: torch.sparse.mm(matrix, x)
        starts = torch.zeros(n + 1, dtype=torch.int64)
        starts[1:] = torch.bincount(targets, minlength=n).cumsum(0)
        matrix = torch.sparse_csr_tensor(starts, sources, values, (n, n))
        return lambda x: matrix @ x

    def of(self, values, edges):
        """The products by a matrix of these entries and by its transposed one."""
        targets, sources = edges
        order = torch.from_numpy(np.lexsort((targets.numpy(), sources.numpy())))
        return (
            self.product(targets, sources, values),
            self.product(sources[order], targets[order], values[order]),
        )

    def symmetric(self):
        targets, sources = self.looped
        scale = torch.bincount(targets, minlength=self.n).float().rsqrt()
        return self.of(scale[targets] * scale[sources], self.looped)

    def mean(self):
        targets, _ = self.plain
        return self.of(1 / torch.bincount(targets, minlength=self.n).float()[targets], self.plain)

    def sum(self):
        targets, _ = self.looped
        return self.of(torch.ones(len(targets)), self.looped)


class Gcn(nn.Module):
    def __init__(self, graph, wanted):
        super().__init__()
        self.a = graph.symmetric()
        self.first = wanted["first"]
        widths = wanted["widths"]
        self.layers = nn.ModuleList(nn.Linear(i, o) for i, o in zip(widths, widths[1:]))
        self.kept = None

    def forward(self, x):
        for l, layer in enumerate(self.layers):
            if l > 0:
                x = functional.relu(x)
            if self.first if l == 0 else layer.out_features <= layer.in_features:
                x = Product.apply(functional.linear(x, layer.weight), *self.a) + layer.bias
            elif l == 0:
                # The features never change.
                self.kept = self.a[0](x) if self.kept is None else self.kept
                x = layer(self.kept)
            else:
                x = layer(Product.apply(x, *self.a))
        return x


class Sage(nn.Module):
    def __init__(self, graph, wanted):
        super().__init__()
        self.a = graph.mean()
        self.first = wanted["first"]
        widths = wanted["widths"]
        self.own = nn.ModuleList(nn.Linear(i, o) for i, o in zip(widths, widths[1:]))
        self.neighbours = nn.ModuleList(nn.Linear(i, o, bias=False) for i, o in zip(widths, widths[1:]))
        self.kept = None

    def forward(self, x):
        for l, (own, neighbours) in enumerate(zip(self.own, self.neighbours)):
            if l > 0:
                x = functional.relu(x)
            if self.first if l == 0 else own.out_features <= own.in_features:
                x = own(x) + Product.apply(neighbours(x), *self.a)
            elif l == 0:
                self.kept = self.a[0](x) if self.kept is None else self.kept
                x = own(x) + neighbours(self.kept)
            else:
                x = own(x) + neighbours(Product.apply(x, *self.a))
        return x


class Gin(nn.Module):
    def __init__(self, graph, wanted):
        super().__init__()
        self.a = graph.sum()
        widths = wanted["widths"]
        self.layers = nn.ModuleList(
            nn.Sequential(nn.Linear(i, o), nn.ReLU(), nn.Linear(o, o)) for i, o in zip(widths, widths[1:])
        )
        self.kept = None

    def forward(self, x):
        for l, layer in enumerate(self.layers):
            if l == 0:
                self.kept = self.a[0](x) if self.kept is None else self.kept
                x = layer(self.kept)
            else:
                x = layer(Product.apply(functional.relu(x), *self.a))
        return x


class Gat(nn.Module):
    def __init__(self, graph, wanted):
        super().__init__()
        self.targets, self.sources = graph.looped
        self.n = graph.n
        self.sparse = graph.way != "gather"
        self.heads = wanted["heads"]
        widths = wanted["widths"]
        hidden = len(widths) - 2
        outs = [w // self.heads if l < hidden else w for l, w in enumerate(widths[1:])]
        self.layers = nn.ModuleList(
            nn.Linear(i, self.heads * o, bias=False) for i, o in zip(widths, outs)
        )
        self.scores = nn.ParameterList(nn.Parameter(0.1 * torch.randn(2, self.heads, o)) for o in outs)
        self.biases = nn.ParameterList(nn.Parameter(torch.zeros(self.heads * o)) for o in outs)

    def forward(self, x):
        for l, layer in enumerate(self.layers):
            h = layer(functional.relu(x) if l > 0 else x).view(self.n, self.heads, -1)
            own, other = (h * self.scores[l][0]).sum(2), (h * self.scores[l][1]).sum(2)
            e = functional.leaky_relu(own[self.targets] + other[self.sources], 0.2)
            ends = self.targets[:, None].expand_as(e)
            most = torch.full((self.n, self.heads), -math.inf).scatter_reduce(0, ends, e.detach(), "amax")
            e = (e - most[self.targets]).exp()
            shares = e / add_up(e, self.targets, self.n)[self.targets]
            x = self.mixed(h, shares).flatten(1) + self.biases[l]
        return x.view(self.n, self.heads, -1).mean(1)

    def mixed(self, h, shares):
        if not self.sparse:
            return add_up(h[self.sources] * shares[:, :, None], self.targets, self.n)
        ends, size = torch.stack([self.targets, self.sources]), (self.n, self.n)
        heads = [
            torch.sparse.mm(torch.sparse_coo_tensor(ends, shares[:, k], size), h[:, k])
            for k in range(self.heads)
        ]
        return torch.stack(heads, 1)


class Appnp(nn.Module):
    def __init__(self, graph, wanted):
        super().__init__()
        self.a = graph.symmetric()
        self.hops, self.teleport = wanted["hops"], wanted["teleport"]
        self.perceptron = perceptron(wanted["widths"])

    def forward(self, x):
        z = h = self.perceptron(x)
        for _ in range(self.hops):
            h = (1 - self.teleport) * Product.apply(h, *self.a) + self.teleport * z
        return h


class Gcnii(nn.Module):
    def __init__(self, graph, wanted):
        super().__init__()
        self.a = graph.symmetric()
        self.teleport = wanted["teleport"]
        widths = wanted["widths"]
        self.begin, self.end = nn.Linear(*widths[:2]), nn.Linear(*widths[-2:])
        self.layers = nn.ModuleList(nn.Linear(w, w, bias=False) for w in widths[1:-1])

    def forward(self, x):
        z = h = functional.relu(self.begin(x))
        for l, layer in enumerate(self.layers):
            beta = math.log(0.5 / (l + 1) + 1)
            mixed = (1 - self.teleport) * Product.apply(h, *self.a) + self.teleport * z
            h = functional.relu((1 - beta) * mixed + beta * layer(mixed))
        return self.end(h)


class Hops(nn.Module):
    def __init__(self, graph, wanted):
        super().__init__()
        self.a = graph.symmetric()
        self.hops, self.all = wanted["hops"], wanted["model"] == "sign"
        widths = wanted["widths"]
        if self.all:
            self.projections = nn.ModuleList(nn.Linear(*widths[:2]) for _ in range(self.hops + 1))
            self.perceptron = perceptron([widths[1] * (self.hops + 1)] + widths[2:])
        else:
            self.perceptron = perceptron(widths)
        self.kept = None

    def forward(self, x):
        if self.kept is None:
            self.kept = [x]
            for _ in range(self.hops):
                self.kept.append(self.a[0](self.kept[-1]))
        if not self.all:
            return self.perceptron(self.kept[-1])
        sides = [p(k) for p, k in zip(self.projections, self.kept)]
        return self.perceptron(functional.relu(torch.cat(sides, 1)))


class Mlp(nn.Module):
    def __init__(self, graph, wanted):
        super().__init__()
        self.perceptron = perceptron(wanted["widths"])

    def forward(self, x):
        return self.perceptron(x)


def perceptron(widths):
    layers = []
    for i, o in zip(widths, widths[1:]):
        layers += [nn.Linear(i, o), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


MODELS = {
    "gcn": Gcn,
    "sage": Sage,
    "gin": Gin,
    "gat": Gat,
    "appnp": Appnp,
    "gcnii": Gcnii,
    "sgc": Hops,
    "sign": Hops,
    "mlp": Mlp,
}


def peak():
    with open("/proc/self/status") as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


def run(wanted):
    torch.set_num_threads(wanted["threads"])
    torch.manual_seed(0)
    folder = wanted["data"]
    features = torch.from_numpy(np.load(folder + "/features.npy"))
    labels = torch.from_numpy(np.load(folder + "/labels.npy").astype(np.int64))
    training = torch.from_numpy(np.flatnonzero(np.load(folder + "/split.npy") == TRAINING))
    network = MODELS[wanted["model"]](Graph(folder, wanted["way"]), wanted)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    seconds = []
    for epoch in range(wanted["epochs"]):
        if epoch >= 2 and sum(seconds) > MOST_SECONDS:
            break
        begin = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        loss = functional.cross_entropy(network(features)[training], labels[training])
        loss.backward()
        optimizer.step()
        seconds.append(time.perf_counter() - begin)
    return {
        "seconds": seconds,
        "loss": loss.item(),
        "parameters": sum(p.numel() for p in network.parameters()),
        "peak": peak(),
    }


try:
    print(json.dumps(run(json.loads(sys.argv[1]))))
except RuntimeError as e:
    print(json.dumps({"refused": str(e).splitlines()[0]}))
