package dev.gossamer.partition;

/// What a multilevel partitioner makes small.
public enum Objective {
  /// The weight of the edges between parts.
  EDGE_CUT,
  /// Total volume: rows sent, `sum of lambda(v)`.
  VOLUME,
  /// Total volume and maximum send volume (Acer, Selvitopi and Aykanat 2016).
  SEND_VOLUME,
  /// Total volume, maximum send volume and maximum receive volume.
  SEND_RECEIVE_VOLUME,
}
