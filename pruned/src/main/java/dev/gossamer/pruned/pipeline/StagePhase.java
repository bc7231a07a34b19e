package dev.gossamer.pruned.pipeline;

/// Where the time of an iteration goes; parts do not overlap (SAMO, figure 8).
public enum StagePhase {
  /// Forward passes, with the loading of samples.
  FORWARD("forward"),
  /// Backward passes, without compression.
  BACKWARD("backward"),
  /// Compressing gradients as they are made.
  COMPRESSION("compression"),
  /// Beginning to send and receive, and waiting for messages that are on their way.
  POINT_TO_POINT("point-to-point"),
  /// Waiting for other stages to compute.
  BUBBLE("bubble"),
  /// Sums over replicas, as far as they are waited for.
  COLLECTIVE("collective"),
  /// Up-cast, clipping, optimizer and down-cast.
  UPDATE("update"),
  /// The rest.
  OTHER("other");

  private final String label;

  StagePhase(String label) {
    this.label = label;
  }

  /// {@return the name in files and reports}
  public String label() {
    return label;
  }
}
