package dev.gossamer.base;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// A shared arena that counts allocated bytes, without alignment, so that plans can be compared
/// with actual memory.
///
/// Memory is freed only when the arena closes; shorter-lived memory is in its own arena, a [#part]
/// of this one, whose bytes are counted here while it is open.
public final class MeasuredArena implements Arena {
  private final Arena arena = Arena.ofShared();
  private final Count count;
  private long own;

  /// Bytes of an arena and its parts.
  private static final class Count {
    private long now;
    private long peak;

    private synchronized void add(long bytes) {
      now += bytes;
      peak = Math.max(peak, now);
    }
  }

  /// Creates an arena.
  public MeasuredArena() {
    this(new Count());
  }

  private MeasuredArena(Count count) {
    this.count = count;
  }

  /// {@return an arena that is closed earlier, whose bytes are counted here}
  public MeasuredArena part() {
    return new MeasuredArena(count);
  }

  /// {@return the bytes that are currently allocated}
  public long bytes() {
    synchronized (count) {
      return count.now;
    }
  }

  /// {@return the maximum of [#bytes] so far}
  public long peak() {
    synchronized (count) {
      return count.peak;
    }
  }

  @Override
  public MemorySegment allocate(long byteSize, long byteAlignment) {
    MemorySegment segment = arena.allocate(byteSize, byteAlignment);
    synchronized (this) {
      own += byteSize;
    }
    count.add(byteSize);
    return segment;
  }

  @Override
  public MemorySegment.Scope scope() {
    return arena.scope();
  }

  @Override
  public void close() {
    arena.close();
    synchronized (this) {
      count.add(-own);
      own = 0;
    }
  }
}
