package dev.gossamer.pruned.pipeline;

/// How an iteration is divided and what it may keep.
///
/// @param grid stages and replicas
/// @param batch samples of an iteration, of all replicas
/// @param microbatch samples that go through a stage at a time
/// @param inFlight microbatches of a replica that have begun and not ended, at most; the stages
///   before a stage hold one each, so stage `s` has room for `inFlight - s`
/// @param checkpoint whether activations are computed again in the backward pass
/// @param bucketBytes of gradients that travel together
/// @param clip largest norm of the gradient of all parameters; 0 for any
/// @param seed of weights, samples and dropout
public record PipelineSettings(
    Grid grid,
    int batch,
    int microbatch,
    int inFlight,
    boolean checkpoint,
    long bucketBytes,
    double clip,
    long seed) {
  public PipelineSettings {
    if (microbatch < 1 || batch < 1 || batch % (grid.data() * microbatch) != 0) {
      throw new IllegalArgumentException(
          "batch: expected a multiple of %d replicas x %d samples a microbatch, found %d"
              .formatted(grid.data(), microbatch, batch));
    }
    if (inFlight < grid.inter()) {
      throw new IllegalArgumentException(
          "in-flight: expected at least %d, one microbatch for each stage, found %d"
              .formatted(grid.inter(), inFlight));
    }
    if (bucketBytes < 4) {
      throw new IllegalArgumentException("bucket: expected at least 4 bytes, found " + bucketBytes);
    }
    if (!(clip >= 0)) {
      throw new IllegalArgumentException("clip: expected at least 0, found " + clip);
    }
  }

  /// Microbatches of one replica in an iteration.
  public int microbatches() {
    return batch / grid.data() / microbatch;
  }

  /// Microbatches whose backward pass is still to come at a stage, at most.
  int slots(int stage) {
    return Math.min(microbatches(), inFlight - stage);
  }

  /// Whether the replicas of a grid can share the batch.
  boolean dividesOn(Grid other) {
    return batch % (other.data() * microbatch) == 0;
  }

  /// Microbatches in flight where nobody says otherwise: two for each stage. With one, a stage that
  /// is late by chance makes its neighbours wait; with another in store they go on. A single stage
  /// needs no more than one.
  public static int usualInFlight(Grid grid) {
    return grid.inter() == 1 ? 1 : 2 * grid.inter();
  }

  /// The same on another grid. What is usual there takes the place of the usual microbatches in
  /// flight.
  public PipelineSettings on(Grid other) {
    boolean usual = inFlight == usualInFlight(grid);
    return new PipelineSettings(
        other,
        batch,
        microbatch,
        usual ? usualInFlight(other) : Math.max(inFlight, other.inter()),
        checkpoint,
        bucketBytes,
        clip,
        seed);
  }
}
