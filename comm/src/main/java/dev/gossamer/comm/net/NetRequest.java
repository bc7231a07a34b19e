package dev.gossamer.comm.net;

import dev.gossamer.base.memory.Memory;
import dev.gossamer.comm.CommunicationException;
import dev.gossamer.comm.Operation;
import dev.gossamer.comm.Request;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/// The messages of one operation of one rank.
final class NetRequest extends Request {
  private final NetWorld world;
  private final Operation operation;
  private final MemorySegment[] held;

  // Guarded by this.
  private final List<Transfer> open = new ArrayList<>();
  private boolean allBegun;
  private boolean watched;

  private volatile long completedNanos;
  private volatile boolean done;

  /// @param held segments whose memory must stay while somebody waits
  NetRequest(NetWorld world, Operation operation, MemorySegment... held) {
    this.world = world;
    this.operation = operation;
    this.held = held;
  }

  /// Begins to send a message.
  ///
  /// @param peer the receiver's number in the world
  void send(int peer, Frame.Key key, MemorySegment segment) {
    world.send(opened(peer, key, segment));
  }

  /// Begins to receive a message.
  ///
  /// @param peer the sender's number in the world
  void receive(int peer, Frame.Key key, MemorySegment segment) {
    world.receive(opened(peer, key, segment));
  }

  private synchronized Transfer opened(int peer, Frame.Key key, MemorySegment segment) {
    Transfer transfer = new Transfer(this, operation, peer, key, segment);
    open.add(transfer);
    return transfer;
  }

  /// All messages have begun, and their rank waits for them now.
  NetRequest begun() {
    begun(false);
    return this;
  }

  /// All messages have begun, and their rank does something else.
  NetRequest inBackground() {
    begun(true);
    return this;
  }

  private synchronized void begun(boolean inBackground) {
    allBegun = true;
    if (open.isEmpty()) {
      complete();
    } else if (inBackground) {
      watched = true;
      world.progress().watch();
    }
  }

  /// Called when a message is complete.
  synchronized void done(Transfer transfer) {
    open.remove(transfer);
    if (allBegun && open.isEmpty()) {
      complete();
    }
  }

  private void complete() {
    completedNanos = System.nanoTime();
    done = true;
    if (watched) {
      world.progress().forget();
    }
    world.wakeAll();
    world.wakeDriver();
  }

  boolean isDone() {
    return done;
  }

  /// Checks that nobody has waited too long.
  ///
  /// @throws CommunicationException if somebody has: with the ranks that did not come
  void checkPatience(long waitedNanos, Duration timeout) {
    if (waitedNanos <= timeout.toNanos()) {
      return;
    }
    CommunicationException late;
    synchronized (this) {
      late =
          new CommunicationException(
              "rank %d waited %.1f s in %s for %s"
                  .formatted(
                      world.rank(),
                      waitedNanos / (double) TimeUnit.SECONDS.toNanos(1),
                      operation.label(),
                      open.stream()
                          .map(each -> "rank " + each.peer())
                          .distinct()
                          .collect(Collectors.joining(", "))));
    }
    world.fail(world.rank(), late);
    throw late;
  }

  /// The operation in the words of a message.
  String what() {
    return operation.label();
  }

  @Override
  public boolean test() {
    if (!done) {
      world.turn(0);
    }
    return done;
  }

  @Override
  public void await() {
    if (!done) {
      Memory.hold(() -> world.await(this), held);
    }
  }

  @Override
  public long completedNanos() {
    return completedNanos;
  }

  @Override
  protected void pause(long sinceNanos, long longestNanos) {
    world.pause(this, sinceNanos, longestNanos);
  }
}
