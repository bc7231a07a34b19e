package dev.gossamer.base.io;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Tells the operating system how a mapped file that does not fit into memory will be read.
///
/// By default, Linux reads the surroundings of each missing page, up to the read-ahead of the disk
/// (`/sys/block/.../read_ahead_kb`), and blocks a thread at each such page: scattered rows of a 4
/// GB file read all of it. With advice, it reads only the pages of the rows, many at a time. Advice
/// does not change results. A system without `madvise`, or one that ignores it, uses its default
/// read-ahead.
public final class PageAdvice {
  private static final int RANDOM = 1;
  private static final int WILL_NEED = 3;

  private final MemorySegment mapped;
  private final @Nullable MethodHandle madvise;
  private final long pageBytes;

  /// Advises that pages of a file are accessed in random order.
  ///
  /// @param mapped (a part of) a mapped file; borrowed
  public PageAdvice(MemorySegment mapped) {
    this.mapped = mapped;
    Linker linker = Linker.nativeLinker();
    FunctionDescriptor advise = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
    MethodHandle pageSize =
        linker
            .defaultLookup()
            .find("getpagesize")
            .map(symbol -> linker.downcallHandle(symbol, FunctionDescriptor.of(JAVA_INT)))
            .orElse(null);
    madvise =
        linker
            .defaultLookup()
            .find("madvise")
            .map(symbol -> linker.downcallHandle(symbol, advise))
            .orElse(null);
    pageBytes = pageSize == null ? 1 : pageBytes(pageSize);
    advise(0, mapped.byteSize(), RANDOM);
  }

  private static long pageBytes(MethodHandle pageSize) {
    try {
      return (int) pageSize.invokeExact();
    } catch (Throwable e) {
      throw new IllegalStateException("getpagesize: cannot be called", e);
    }
  }

  /// Starts reading the pages of rows, without waiting. Cost: one system call for each run of
  /// adjacent pages.
  ///
  /// @param rows numbers of rows, ascending; borrowed
  /// @param rowBytes length of a row; row 0 is at the beginning of the segment
  /// @throws IndexOutOfBoundsException if a row is not in the segment
  public void willNeedRows(int[] rows, long rowBytes) {
    long begin = 0;
    long end = 0;
    for (int row : rows) {
      long from = row * rowBytes;
      Objects.checkFromIndexSize(from, rowBytes, mapped.byteSize());
      if (pageOf(from) > pageOf(end - 1) + 1) {
        advise(begin, end - begin, WILL_NEED);
        begin = from;
      }
      end = from + rowBytes;
    }
    advise(begin, end - begin, WILL_NEED);
  }

  private long pageOf(long at) {
    return (mapped.address() + at) / pageBytes;
  }

  @SuppressWarnings("ReachabilityFenceUsage")
  private void advise(long from, long bytes, int advice) {
    if (madvise == null || bytes == 0) {
      return;
    }
    long begin = pageOf(from) * pageBytes;
    long length = mapped.address() + from + bytes - begin;
    try {
      int ignored = (int) madvise.invokeExact(begin, length, advice);
    } catch (Throwable e) {
      throw new IllegalStateException("madvise: cannot be called", e);
    }
    Reference.reachabilityFence(mapped);
  }
}
