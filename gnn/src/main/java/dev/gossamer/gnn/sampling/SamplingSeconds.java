package dev.gossamer.gnn.sampling;

/// Where the time of drawing batches goes (MBS, figure 7), in whichever thread.
///
/// @param probability making `P = Q A` and NORM
/// @param sampling SAMPLE; of subgraphs, drawing their vertices
/// @param extraction EXTRACT
/// @param communication bringing rows of the graph from the ranks that have them
public record SamplingSeconds(
    double probability, double sampling, double extraction, double communication) {
  /// Nothing yet.
  public static final SamplingSeconds NONE = new SamplingSeconds(0, 0, 0, 0);
}
