package dev.gossamer.gnn.sampling.blocks;

/// Where a batch ends early: decides for each source of a block whether the sampler continues from
/// it, its row is supplied from a cache, or it is dropped (MB, section 3.2).
@FunctionalInterface
public interface Boundary {
  /// What happens to a source.
  enum Fate {
    /// The sampler continues from it: the previous block computes its row, or its features are
    /// fetched.
    COMPUTED,
    /// Its row is supplied.
    SUPPLIED,
    /// The batch omits it.
    DROPPED
  }

  /// Decides for the sources of one block.
  ///
  /// @param layer of the network, from 0 in the order of a forward pass; the layers of a batch come
  ///   from the last to the first
  /// @param sources vertices; borrowed
  /// @param destinations number of leading sources that are also destinations, and stay computed
  /// @param fates initially all computed; those of other sources are set
  void draw(int layer, int[] sources, int destinations, Fate[] fates);
}
