package dev.gossamer.gnn.link;

/// A score of a pair of vertices that follows from the graph alone, without features or training:
/// what a network that predicts edges has to beat. `N(v)` are the vertices other than `v` that have
/// an edge with `v`, in either direction and of any weight.
public enum LinkHeuristic {
  /// `|N(u) ∩ N(v)|`.
  COMMON_NEIGHBOURS,
  /// The sum over `w` in `N(u) ∩ N(v)` of `1 / log |N(w)|`: neighbours that have few count more (L.
  /// Adamic and E. Adar, *Friends and neighbors on the web*, 2003).
  ADAMIC_ADAR,
  /// The sum over `l = 1, 2, 3` of `.05^l` times the number of walks of length `l` between `u` and
  /// `v` (L. Katz, *A new status index*, 1953; longer walks hardly count, and cost much).
  KATZ
}
