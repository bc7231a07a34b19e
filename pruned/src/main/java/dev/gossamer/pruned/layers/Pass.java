package dev.gossamer.pruned.layers;

import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.state.ModelState;

/// What the layers of a pass share. The forward pass of a microbatch, the backward pass that
/// belongs to it, and its repetition under activation checkpointing have equal passes, so that they
/// draw the same dropout.
///
/// @param state parameters and their gradients
/// @param statistics of the batches
/// @param kernels that compute
/// @param microbatch whose pass it is
public record Pass(
    ModelState state, Statistics statistics, Kernels kernels, Microbatch microbatch) {
  /// {@return samples of the microbatch}
  public int samples() {
    return microbatch.samples();
  }

  /// {@return number of the first sample in the batch of all ranks}
  public long firstSample() {
    return microbatch.first();
  }

  /// {@return iteration, which dropout is drawn for}
  public long step() {
    return microbatch.step();
  }

  /// {@return whether dropout drops and batches are normalised by their own statistics}
  public boolean training() {
    return microbatch.training();
  }
}
