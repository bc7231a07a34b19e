package dev.gossamer.pruned.layers;

import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.state.ModelState;

/// The context that the layers of a pass share. The forward pass of a microbatch, its backward
/// pass, and its repetition under activation checkpointing have equal contexts, so that they draw
/// the same dropout.
///
/// @param state parameters and their gradients
/// @param statistics of the batches
/// @param kernels to use
/// @param microbatch of the pass
public record Pass(
    ModelState state, Statistics statistics, Kernels kernels, Microbatch microbatch) {
  /// {@return the number of samples of the microbatch}
  public int samples() {
    return microbatch.samples();
  }

  /// {@return the number of the first sample in the batch of all ranks}
  public long firstSample() {
    return microbatch.first();
  }

  /// {@return the iteration, a key of the dropout draws}
  public long step() {
    return microbatch.step();
  }

  /// {@return whether dropout is applied and batch normalisation uses the statistics of the batch}
  public boolean training() {
    return microbatch.training();
  }
}
