package dev.gossamer.gnn.stack;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.run.memory.GrowingSegment;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// Memory that batches reuse, growing to the largest batch so far.
public final class GrowingMemory implements StackMemory, NetworkInput.Memory, AutoCloseable {
  private final GrowingSegment shared = new GrowingSegment();
  private final GrowingSegment carried = new GrowingSegment();
  private final List<GrowingSegment> outputs;
  private final List<GrowingSegment> kept;
  private final Map<NetworkInput.Values, GrowingSegment> values =
      new EnumMap<>(NetworkInput.Values.class);

  /// Creates an empty memory.
  ///
  /// @param layers of the network
  public GrowingMemory(int layers) {
    outputs = Stream.generate(GrowingSegment::new).limit(layers).toList();
    kept = Stream.generate(GrowingSegment::new).limit(layers).toList();
  }

  @Override
  public DenseMatrix shared(long elements) {
    return shared.ofRows(elements, 1);
  }

  @Override
  public DenseMatrix kept(int l, long elements) {
    return kept.get(l).ofRows(elements, 1);
  }

  @Override
  public DenseMatrix carried(long rows, int cols) {
    return carried.ofRows(rows, cols);
  }

  @Override
  public DenseMatrix output(int l, long rows, int cols) {
    return outputs.get(l).ofRows(rows, cols);
  }

  /// Returns `x`: a batch owns its features, so that dropout works in place.
  @Override
  public DenseMatrix dropped(DenseMatrix x) {
    return x;
  }

  @Override
  public MemorySegment values(NetworkInput.Values which, long bytes) {
    return values.computeIfAbsent(which, ignored -> new GrowingSegment()).ofBytes(bytes);
  }

  @Override
  public void close() {
    shared.close();
    carried.close();
    outputs.forEach(GrowingSegment::close);
    kept.forEach(GrowingSegment::close);
    values.values().forEach(GrowingSegment::close);
  }
}
