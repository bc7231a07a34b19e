package dev.gossamer.comm;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/// A clock that stands until a test moves it: what happens by it does not depend on how fast the
/// machine is.
public final class StandingClock implements LongSupplier {
  /// Where the clock stands at first.
  public static final long BEGIN = 7_000_000_000L;

  private final AtomicLong nanos = new AtomicLong(BEGIN);

  @Override
  public long getAsLong() {
    return nanos.get();
  }

  public void advance(long by) {
    nanos.addAndGet(by);
  }
}
