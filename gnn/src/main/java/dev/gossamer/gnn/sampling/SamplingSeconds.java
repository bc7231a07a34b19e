package dev.gossamer.gnn.sampling;

/// Breakdown of the time of drawing batches (MBS, figure 7), over all threads.
///
/// @param probability computing `P = Q A` and NORM
/// @param sampling SAMPLE; for subgraphs, drawing their vertices
/// @param extraction EXTRACT
/// @param communication fetching remote rows of the graph
public record SamplingSeconds(
    double probability, double sampling, double extraction, double communication) {
  /// No time.
  public static final SamplingSeconds NONE = new SamplingSeconds(0, 0, 0, 0);
}
