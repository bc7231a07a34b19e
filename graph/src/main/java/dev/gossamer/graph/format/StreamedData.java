package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A data set that was read, except for dense features that are still in their file: they can be
/// written to a data set folder without being in memory as a whole. Not thread-safe.
public final class StreamedData implements AutoCloseable {
  private static final long BLOCK_ROWS = 1 << 12;

  private final GraphData graph;
  private final Arena arena;
  private final @Nullable Supplier<? extends FileRows> features;
  private boolean taken;

  private StreamedData(
      GraphData graph, Arena arena, @Nullable Supplier<? extends FileRows> features) {
    this.graph = graph;
    this.arena = arena;
    this.features = features;
  }

  /// {@return a data set that is in memory}
  ///
  /// @param data closed with the result
  public static StreamedData of(GraphData data) {
    Objects.requireNonNull(data, "data");
    return new StreamedData(data, Arena.global(), null);
  }

  /// A data set whose features are read when they are needed.
  ///
  /// @param graph everything else; closed with the result
  /// @param arena owner of the memory of the graph
  /// @param features opens the features for one pass
  static StreamedData of(GraphData graph, Arena arena, Supplier<? extends FileRows> features) {
    return new StreamedData(graph, arena, features);
  }

  /// Reads the features, if they are still in their file.
  ///
  /// @return the whole data set, to be closed instead of this
  /// @throws InvalidInputException if the features are damaged
  public GraphData inMemory() {
    GraphData whole = graph;
    if (features != null) {
      whole = graph.withFeatures(read(features, arena, graph.vertices()));
    }
    taken = true;
    return whole;
  }

  /// Reads features into memory.
  ///
  /// @param features opens them for one pass
  /// @param n number of rows
  static Features read(Supplier<? extends FileRows> features, Arena arena, long n) {
    try (FileRows rows = features.get()) {
      DenseMatrix x = DenseMatrix.allocate(arena, n, rows.width());
      for (long begin = 0; begin < n; begin += BLOCK_ROWS) {
        rows.fill(begin, x.rows(begin, Math.min(n, begin + BLOCK_ROWS)));
      }
      return new Features.Dense(x);
    }
  }

  /// Writes a data set folder.
  ///
  /// @param folder created or replaced
  /// @return why it cannot be written; empty if it was
  /// @throws InvalidInputException if the features are damaged; nothing was written then
  public Optional<String> write(Path folder) {
    if (features == null) {
      try {
        DatasetFolder.write(folder, graph);
        return Optional.empty();
      } catch (InvalidInputException e) {
        return Optional.of(String.valueOf(e.getMessage()));
      }
    }
    try (FileRows rows = features.get()) {
      Watched watched = new Watched(rows);
      try {
        DatasetFolder.write(folder, graph, watched);
        return Optional.empty();
      } catch (InvalidInputException e) {
        if (watched.reading) {
          throw e;
        }
        return Optional.of(String.valueOf(e.getMessage()));
      }
    }
  }

  /// Tells a failure to read from one to write.
  private static final class Watched implements FeatureRows {
    private final FeatureRows rows;
    private boolean reading;

    Watched(FeatureRows rows) {
      this.rows = rows;
    }

    @Override
    public int width() {
      return rows.width();
    }

    @Override
    public void fill(long begin, DenseMatrix block) {
      reading = true;
      rows.fill(begin, block);
      reading = false;
    }
  }

  /// Frees the memory, unless [#inMemory] has passed it on.
  @Override
  public void close() {
    if (!taken) {
      graph.close();
    }
  }
}
