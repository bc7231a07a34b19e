package dev.gossamer.gnn.sampling.blocks;

/// Where a batch ends before its layers do: of the sources of a block, those that the sampler goes
/// on from, those whose rows somebody else will supply, and those that are left out (MB, section
/// 3.2).
@FunctionalInterface
public interface Boundary {
  /// What becomes of a source.
  enum Fate {
    /// The sampler continues from it: the block before computes its row, or its features are
    /// fetched.
    COMPUTED,
    /// Its row is there already.
    SUPPLIED,
    /// The batch does without it.
    DROPPED
  }

  /// Decides for the sources of one block.
  ///
  /// @param layer of the network, from 0 in the order of a forward pass; the layers of a batch come
  ///   from the last to the first
  /// @param sources vertices; borrowed
  /// @param destinations number of sources, the first ones, that are destinations too, and stay
  ///   computed
  /// @param fates all computed; those of others are set
  void draw(int layer, int[] sources, int destinations, Fate[] fates);
}
