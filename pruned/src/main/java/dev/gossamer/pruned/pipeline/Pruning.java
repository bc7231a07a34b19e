package dev.gossamer.pruned.pipeline;

import dev.gossamer.nn.Mask;

/// When a network is pruned. What goes is up to the [Criterion].
public sealed interface Pruning {
  /// What decides which parameters survive.
  enum Criterion {
    /// The largest of each matrix.
    PER_LAYER,
    /// The largest of the network.
    GLOBAL,
    /// The blocks of each matrix whose norm is the largest.
    BLOCKS,
    /// The channels with the largest scales in batch normalisation.
    CHANNELS
  }

  /// Never: all parameters are kept.
  record None() implements Pruning {}

  /// At once, before an iteration.
  ///
  /// @param at 0-based
  record OneShot(int at) implements Pruning {}

  /// When the mask has stabilised: an Early-Bird Ticket (H. You, C. Li, P. Xu and others, *Drawing
  /// Early-Bird Tickets*, ICLR 2020).
  ///
  /// @param every iterations between two masks: an epoch of the publication
  /// @param window masks that are compared with the newest
  /// @param threshold the largest distance of stable masks
  /// @param latest iteration before which the newest mask is taken, stable or not
  record EarlyBird(int every, int window, double threshold, int latest) implements Pruning {
    /// Masks that are remembered, at most: each takes a bit for each element. Published are five.
    public static final int MOST_MASKS = 64;
  }

  /// Step by step (M. Zhu and S. Gupta, *To prune, or not to prune*, 2017).
  ///
  /// @param begin iteration before which the first step is taken
  /// @param end iteration before which the last step is taken
  /// @param every iterations between two steps
  record Gradual(int begin, int end, int every) implements Pruning {}

  /// By a mask of the whole network, before the first iteration.
  ///
  /// @param mask of the whole network
  record Given(Mask mask) implements Pruning {}
}
