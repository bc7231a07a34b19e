package dev.gossamer.matrix.memory;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Objects;

/// All memory as one segment, for the innermost loops.
///
/// A segment of its own costs a check of bounds and lifetime with every vector, about a fifth of
/// the speed; and code that meets segments of several kinds (mapped, allocated) grows until the
/// compiler stops inlining it and boxes its vectors. So a kernel checks its operands once, by
/// [#address], and then goes by addresses.
public final class Memory {
  /// Every address is inside.
  public static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private static final long ADDRESS = Long.MAX_VALUE >>> 8;

  private Memory() {}

  /// {@return the same address, cut to the bits that addresses have: it tells the compiler that
  /// [#ALL] holds it}
  ///
  /// @param address any
  public static long at(long address) {
    return address & ADDRESS;
  }

  /// {@return the address of a part of a segment}
  ///
  /// @param segment checked
  /// @param from first byte of the part
  /// @param bytes length of the part
  /// @throws IndexOutOfBoundsException if the part is not inside
  public static long address(MemorySegment segment, long from, long bytes) {
    Objects.checkFromIndexSize(from, bytes, segment.byteSize());
    return segment.address() + from;
  }

  /// Keeps segments alive that are used by address; called after their last use. Where a kernel
  /// throws instead, it uses them no more.
  ///
  /// @param a one segment
  /// @param b another
  /// @param c a third
  @SuppressWarnings("ReachabilityFenceUsage")
  public static void keep(MemorySegment a, MemorySegment b, MemorySegment c) {
    Reference.reachabilityFence(a);
    Reference.reachabilityFence(b);
    Reference.reachabilityFence(c);
  }
}
