package dev.gossamer.comm;

/// The kinds of operations that [Traffic] counts separately.
public enum Operation {
  /// [Communicator#send], counted by the sender.
  SEND(0, "send"),
  /// [Communicator#barrier].
  BARRIER(1, "barrier"),
  /// [Communicator#broadcast].
  BROADCAST(2, "broadcast"),
  /// [Communicator#allReduce].
  ALL_REDUCE(3, "all-reduce"),
  /// [Communicator#reduceScatter].
  REDUCE_SCATTER(4, "reduce-scatter"),
  /// [Communicator#allGather] and [Communicator#allGatherV].
  ALL_GATHER(5, "all-gather"),
  /// [Communicator#allToAll] and [Communicator#allToAllV].
  ALL_TO_ALL(6, "all-to-all");

  private final int row;
  private final String label;

  Operation(int row, String label) {
    this.row = row;
    this.label = label;
  }

  /// {@return the name in messages and reports: `all-reduce`}
  public String label() {
    return label;
  }

  /// The row of the counters.
  int row() {
    return row;
  }
}
