"""The same as `gossamer dataset import`, with pandas and scipy: CSV files of vertices and edges become arrays.

usage: python3 tables.py VERTICES.csv EDGES.csv FOLDER
"""
import os
import sys

import numpy as np
import pandas as pd
import scipy.sparse as sp

vertices, edges, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)

v = pd.read_csv(vertices)
n = len(v)
index = pd.Index(v["id"])
assert index.is_unique
e = pd.read_csv(edges, dtype={"amount": np.float32})
s = index.get_indexer(e["sender"])
t = index.get_indexer(e["receiver"])
assert (s >= 0).all() and (t >= 0).all()
w = e["amount"].to_numpy()
del e
loops = s == t
a = sp.csr_matrix((w[~loops], (s[~loops], t[~loops])), shape=(n, n))
del s, t, w
a = a + a.T
a.sort_indices()

labels = v["kind"].astype("category").cat.codes.to_numpy(np.int32)
rng = np.random.default_rng(0)
u = rng.random(n)
split = np.where(u < 0.6, 1, np.where(u < 0.8, 2, 3)).astype(np.int8)
train = split == 1
columns = []
for name in ("balance", "age", "score"):
    x = v[name].to_numpy(np.float64)
    missing = np.isnan(x)
    mean, deviation = np.nanmean(x[train]), np.nanstd(x[train])
    columns.append(np.where(missing, 0, (x - mean) / deviation))
    if missing.any():
        columns.append(missing)
known = np.unique(v["country"][train])
columns += [(v["country"] == each).to_numpy() for each in known]
columns.append(~v["country"].isin(known).to_numpy())
opened = pd.to_datetime(v["opened"]).astype(np.int64) / 1e9
columns.append((opened - opened[train].mean()) / opened[train].std())
for days in (365.2425, 7):
    turns = opened / (days * 86400)
    columns += [np.sin(2 * np.pi * turns), np.cos(2 * np.pi * turns)]
features = np.column_stack(columns).astype(np.float32)

np.save(os.path.join(folder, "row_ptr.npy"), a.indptr.astype(np.int64))
np.save(os.path.join(folder, "col_idx.npy"), a.indices.astype(np.int32))
np.save(os.path.join(folder, "edge_values.npy"), a.data)
np.save(os.path.join(folder, "features.npy"), features)
np.save(os.path.join(folder, "labels.npy"), labels)
np.save(os.path.join(folder, "split.npy"), split)
with open(os.path.join(folder, "vertices.txt"), "w") as names:
    names.write("\n".join(map(str, v["id"])) + "\n")
print('{"vertices": %d, "arcs": %d, "features": %d}' % (n, a.nnz, features.shape[1]))
