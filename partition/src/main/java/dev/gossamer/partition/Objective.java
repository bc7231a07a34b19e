package dev.gossamer.partition;

/// What a partitioner makes small.
public enum Objective {
  /// The weight of the edges between parts.
  EDGE_CUT("edge-cut", "edges between parts"),
  /// Total volume: rows sent, `sum of lambda(v)`.
  VOLUME("volume", "total volume"),
  /// Total volume and maximum send volume (Acer, Selvitopi and Aykanat 2016).
  SEND_VOLUME("gvb", "total and maximum send volume (the slowest sender decides)"),
  /// Total volume, maximum send volume and maximum receive volume.
  SEND_RECEIVE_VOLUME("gvb-receive", "total, maximum send and maximum receive volume");

  private final String partitioner;
  private final String description;

  Objective(String partitioner, String description) {
    this.partitioner = partitioner;
    this.description = description;
  }

  /// The name of the [MultilevelPartitioner] with this objective.
  String partitioner() {
    return partitioner;
  }

  /// {@return what is made small, in one line}
  public String description() {
    return description;
  }
}
