package dev.gossamer.pruned.pipeline;

/// The phases of an iteration; they do not overlap (SAMO, figure 8).
public enum StagePhase {
  /// Forward passes, including loading of samples.
  FORWARD("forward"),
  /// Backward passes, without compression.
  BACKWARD("backward"),
  /// Compressing gradients as they are computed.
  COMPRESSION("compression"),
  /// Starting sends and receives, and waiting for messages in transit.
  POINT_TO_POINT("point-to-point"),
  /// Waiting for other stages to compute.
  BUBBLE("bubble"),
  /// Waiting for sums over replicas.
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
