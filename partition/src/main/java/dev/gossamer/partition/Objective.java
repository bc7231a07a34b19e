package dev.gossamer.partition;

/// The objective that a partitioner minimises.
public enum Objective {
  /// The weight of the edges between parts.
  EDGE_CUT("edge-cut", "edges between parts"),
  /// Total volume: rows sent, `sum of lambda(v)`.
  VOLUME("volume", "total volume"),
  /// Total volume and the maximum that a part sends or receives (Acer, Selvitopi and Aykanat 2016).
  BUSIEST_VOLUME("gvb", "total volume and the most that a rank sends or receives");

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

  /// {@return a description in one line}
  public String description() {
    return description;
  }
}
