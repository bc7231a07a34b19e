package dev.gossamer.comm;

/// The kinds of operations that [Traffic] tells apart.
public enum Operation {
  SEND("send"),
  BARRIER("barrier"),
  BROADCAST("broadcast"),
  ALL_REDUCE("all-reduce"),
  REDUCE_SCATTER("reduce-scatter"),
  ALL_GATHER("all-gather"),
  ALL_TO_ALL("all-to-all");

  private final String label;

  Operation(String label) {
    this.label = label;
  }

  /// The name in messages and reports: `all-reduce`.
  public String label() {
    return label;
  }
}
