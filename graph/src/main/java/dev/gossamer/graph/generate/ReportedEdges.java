package dev.gossamer.graph.generate;

import dev.gossamer.graph.EdgeStream;
import dev.gossamer.graph.Progress;

/// Edges that report the progress of their stream; the first pass counts them, the second places
/// them.
final class ReportedEdges implements EdgeStream {
  private static final long STEP = 1 << 20;

  private final EdgeStream edges;
  private final long expected;
  private final Progress progress;
  private boolean counted;

  ReportedEdges(EdgeStream edges, long expected, Progress progress) {
    this.edges = edges;
    this.expected = expected;
    this.progress = progress;
  }

  @Override
  public void forEach(Sink sink) {
    String label = counted ? "placing edges" : "counting edges";
    counted = true;
    Telling telling = new Telling(sink, label);
    edges.forEach(telling);
    progress.at(label, telling.told, telling.told);
  }

  private final class Telling implements Sink {
    private final Sink sink;
    private final String label;
    private long told;

    private Telling(Sink sink, String label) {
      this.sink = sink;
      this.label = label;
    }

    @Override
    public void arc(int source, int target, float weight) {
      sink.arc(source, target, weight);
      if (++told % STEP == 0) {
        progress.at(label, told, Math.max(told, expected));
      }
    }
  }
}
