package dev.gossamer.comm;

/// The kinds of operations that [Traffic] tells apart.
public enum Operation {
  SEND(0, "send"),
  BARRIER(1, "barrier"),
  BROADCAST(2, "broadcast"),
  ALL_REDUCE(3, "all-reduce"),
  REDUCE_SCATTER(4, "reduce-scatter"),
  ALL_GATHER(5, "all-gather"),
  ALL_TO_ALL(6, "all-to-all");

  private final int row;
  private final String label;

  Operation(int row, String label) {
    this.row = row;
    this.label = label;
  }

  /// The name in messages and reports: `all-reduce`.
  public String label() {
    return label;
  }

  /// The row of the counters.
  int row() {
    return row;
  }
}
