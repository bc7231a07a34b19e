package dev.gossamer.nn.layers;

import dev.gossamer.matrix.attention.EdgePattern;
import dev.gossamer.matrix.attention.EdgeRows;

/// Edges with features.
///
/// @param around the edges; borrowed
/// @param features of each edge; borrowed
public record FeaturedNeighbourhood(Neighbourhood around, EdgeRows features)
    implements AroundEdges {
  /// Checks that there are features of each edge.
  ///
  /// @throws IllegalArgumentException if there are others than of each edge
  public FeaturedNeighbourhood {
    if (features.edges() != around.edges().count()) {
      throw new IllegalArgumentException(
          "features of edges: expected those of %d, found %d"
              .formatted(around.edges().count(), features.edges()));
    }
  }

  @Override
  public EdgePattern edges() {
    return around.edges();
  }
}
