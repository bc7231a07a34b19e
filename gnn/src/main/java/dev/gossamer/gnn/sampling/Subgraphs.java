package dev.gossamer.gnn.sampling;

import dev.gossamer.gnn.sampling.blocks.BatchNumbers;
import dev.gossamer.gnn.sampling.blocks.Frontier;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import java.util.Arrays;
import java.util.List;

/// The vertices of the subgraphs of a bulk. Remote vertices are the halo of a subgraph: columns
/// without rows.
///
/// @param here vertices of each subgraph whose rows can be selected, ascending
/// @param all these, followed by the halo, ascending
record Subgraphs(Frontier here, Frontier all) {
  /// Divides drawn vertices.
  ///
  /// @param vertices of each subgraph, ascending
  static Subgraphs of(AdjacencyRows a, BatchNumbers numbers, List<int[]> vertices) {
    if (a.hasAll()) {
      Frontier all = new Frontier(numbers, vertices);
      return new Subgraphs(all, all);
    }
    return new Subgraphs(
        new Frontier(numbers, vertices.stream().map(each -> here(a, each)).toList()),
        new Frontier(numbers, vertices.stream().map(each -> hereFirst(a, each)).toList()));
  }

  private static int[] here(AdjacencyRows a, int[] vertices) {
    return Arrays.stream(vertices).filter(v -> v >= a.begin() && v < a.end()).toArray();
  }

  private static int[] hereFirst(AdjacencyRows a, int[] vertices) {
    int[] here = here(a, vertices);
    int[] all = Arrays.copyOf(here, vertices.length);
    int size = here.length;
    for (int v : vertices) {
      if (v < a.begin() || v >= a.end()) {
        all[size++] = v;
      }
    }
    return all;
  }
}
