package dev.gossamer.graph.format;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/// The arcs of a file, parsed once and replayable. Off-heap memory: 8 bytes per arc (12 with
/// weights).
public final class ArcBuffer implements Arcs, AutoCloseable {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final int CHUNK = 1 << 18;

  private final Arena arena = Arena.ofShared();
  private final List<MemorySegment> chunks = new ArrayList<>();
  private final boolean weighted;
  private final int stride;
  private long size;
  private long loops;

  /// Creates an empty buffer.
  ///
  /// @param weighted whether weights are kept
  public ArcBuffer(boolean weighted) {
    this.weighted = weighted;
    stride = weighted ? 3 : 2;
  }

  /// Adds an arc.
  ///
  /// @param source vertex id
  /// @param target vertex id
  /// @param weight of the arc; ignored if weights are not kept
  public void add(int source, int target, float weight) {
    int at = (int) (size % CHUNK);
    if (at == 0) {
      chunks.add(arena.allocate((long) CHUNK * stride * Integer.BYTES, Integer.BYTES));
    }
    MemorySegment chunk = chunks.getLast();
    long index = (long) at * stride;
    chunk.setAtIndex(INT, index, source);
    chunk.setAtIndex(INT, index + 1, target);
    if (weighted) {
      chunk.setAtIndex(INT, index + 2, Float.floatToRawIntBits(weight));
    }
    size++;
    loops += source == target ? 1 : 0;
  }

  /// Adds an arc of weight 1 for each remaining line of a text, its source and its target.
  ///
  /// @param in whose separator is set
  /// @param n number of vertices
  void addLines(FieldScanner in, int n) {
    addLines(in, 0, n, 0, n);
  }

  /// Adds arcs likewise, whose ends are numbered from 0 in the text.
  ///
  /// @param in whose separator is set
  /// @param firstSource vertex that is source 0
  /// @param sources number of vertices that may be a source
  /// @param firstTarget vertex that is target 0
  /// @param targets number of vertices that may be a target
  void addLines(FieldScanner in, int firstSource, int sources, int firstTarget, int targets) {
    while (in.nextLineWithout("")) {
      in.rewind();
      int source = (int) in.nextLong("a vertex id", 0, sources - 1L);
      int target = (int) in.nextLong("a vertex id", 0, targets - 1L);
      in.requireEndOfLine();
      add(firstSource + source, firstTarget + target, 1f);
    }
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public long loops() {
    return loops;
  }

  @Override
  public boolean weighted() {
    return weighted;
  }

  @Override
  public void forEach(Sink sink) {
    for (int c = 0; c < chunks.size(); c++) {
      MemorySegment chunk = chunks.get(c);
      long end = Math.min(CHUNK, size - (long) c * CHUNK) * stride;
      for (long i = 0; i < end; i += stride) {
        float weight = weighted ? Float.intBitsToFloat(chunk.getAtIndex(INT, i + 2)) : 1f;
        sink.arc(chunk.getAtIndex(INT, i), chunk.getAtIndex(INT, i + 1), weight);
      }
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
