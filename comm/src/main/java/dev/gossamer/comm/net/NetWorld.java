package dev.gossamer.comm.net;

import dev.gossamer.comm.CommunicationException;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.RankFailedException;
import dev.gossamer.comm.Traffic;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// All ranks, from the perspective of one: its connections, and what has failed.
///
/// **A rank that waits drives**: it reads from all connections and writes what their sockets did
/// not take before, for itself and for others that wait. So a message needs no change of threads on
/// its way. One thread drives at a time; others sleep until they are woken, or take over. Where
/// requests are pending and nobody waits, because the rank computes, the [Progress] thread drives
/// now and then. It also tells the others every second that this rank lives.
final class NetWorld implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NetWorld.class);

  /// How long a thread that drives sleeps at most, if nothing comes.
  private static final long SLEEP_MILLIS = 100;

  /// How long one sleeps that waits while another drives.
  private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /// Looks without sleeping: an answer may be on its way. None where ranks share processors, as
  /// they would look instead of answering.
  private static final int LOOKS = 100;

  /// How long a rank waits until the others have heard of a failure, and between two looks.
  private static final long LEAVE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final long LEAVE_MILLIS = 20;

  private final int rank;

  /// By rank; the own one leads to itself.
  private final Peer[] peers;

  private final List<Connection> connections = new ArrayList<>();
  private final Selector selector;
  private final NetOptions options;
  private final int looks;
  private final ReentrantLock driving = new ReentrantLock();
  private final Queue<Thread> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicReference<@Nullable RankFailedException> failure = new AtomicReference<>();
  private final NetCommunicator communicator;
  private final Progress progress;

  /// @param wires by rank; null for the own one
  NetWorld(int rank, @Nullable Wire[] wires, NetOptions options) {
    this.rank = rank;
    this.options = options;
    peers = new Peer[wires.length];
    looks = wires.length <= Runtime.getRuntime().availableProcessors() ? LOOKS : 0;
    try {
      selector = Selector.open();
      for (int peer = 0; peer < wires.length; peer++) {
        Wire wire = wires[peer];
        if (wire == null) {
          peers[peer] = new Loopback();
        } else {
          Connection connection = new Connection(this, peer, wire, selector);
          peers[peer] = connection;
          connections.add(connection);
        }
      }
    } catch (IOException e) {
      throw new CommunicationException("rank %d cannot begin: %s".formatted(rank, e), e);
    }
    int[] all = IntStream.range(0, wires.length).toArray();
    communicator = new NetCommunicator(this, 0, rank, all, new Traffic(wires.length));
    progress = new Progress(this, rank, options.patience());
    progress.start();
  }

  int size() {
    return peers.length;
  }

  int rank() {
    return rank;
  }

  Communicator communicator() {
    return communicator;
  }

  Progress progress() {
    return progress;
  }

  // Messages.

  /// Begins to send a message.
  void send(Transfer message) {
    carefully(() -> peers[message.peer()].send(message));
  }

  /// Begins to receive a message.
  void receive(Transfer message) {
    carefully(() -> peers[message.peer()].receive(message));
  }

  /// Does something with a connection; if that fails, everything ends.
  private void carefully(Runnable task) {
    check();
    try {
      task.run();
    } catch (LostException e) {
      lose(e);
    } catch (RuntimeException e) {
      fail(rank, e);
      throw e;
    }
    check();
  }

  private void lose(LostException e) {
    e.connection().giveUp();
    if (Thread.currentThread().isInterrupted()) {
      fail(rank, new CommunicationException("interrupted in a message", e));
    } else {
      fail(
          e.connection().peer(),
          new CommunicationException("the connection to it has broken: " + why(e), e));
    }
  }

  private static String why(LostException e) {
    Throwable cause = e.getCause();
    return cause == null || cause.getMessage() == null ? "no reason" : cause.getMessage();
  }

  // Waiting.

  /// Waits for a request, and drives meanwhile.
  void await(NetRequest request) {
    long since = System.nanoTime();
    for (int look = 0; !request.isDone(); look++) {
      if (look < looks) {
        turn(0);
        Thread.onSpinWait();
      } else {
        pause(request, since, TimeUnit.MILLISECONDS.toNanos(SLEEP_MILLIS));
      }
    }
    passOn();
  }

  /// Waits for something to happen.
  void pause(NetRequest request, long since, long longestNanos) {
    check();
    request.checkPatience(System.nanoTime() - since, options.timeout());
    long millis = TimeUnit.NANOSECONDS.toMillis(longestNanos);
    if (turn(millis, request::isDone)) {
      if (millis == 0) {
        LockSupport.parkNanos(this, Math.min(longestNanos, NAP_NANOS / 20));
      }
    } else {
      sleep(request, Math.min(longestNanos, NAP_NANOS));
    }
    if (Thread.currentThread().isInterrupted()) {
      check();
      CommunicationException interrupted =
          new CommunicationException("interrupted in " + request.what());
      fail(rank, interrupted);
      throw interrupted;
    }
  }

  private void sleep(NetRequest request, long nanos) {
    Thread self = Thread.currentThread();
    waiting.add(self);
    try {
      if (!request.isDone()) {
        LockSupport.parkNanos(this, nanos);
      }
    } finally {
      waiting.remove(self);
    }
  }

  /// Wakes one that sleeps while nobody drives any more.
  private void passOn() {
    Thread next = waiting.peek();
    if (next != null) {
      LockSupport.unpark(next);
    }
  }

  /// Called when there is news for a thread that may sleep in the selector: another does not have
  /// to be woken.
  void wakeDriver() {
    if (driving.isLocked() && !driving.isHeldByCurrentThread()) {
      selector.wakeup();
    }
  }

  /// Called when requests of other threads may be complete.
  void wakeAll() {
    for (Thread thread : waiting) {
      LockSupport.unpark(thread);
    }
  }

  /// Drives once, unless another thread does.
  ///
  /// @param millis how long to sleep at most until something comes; 0 for not at all
  /// @return whether it did
  boolean turn(long millis) {
    return turn(millis, () -> false);
  }

  /// @param over whether there is nothing to sleep for any more; asked when whoever makes it so
  ///   would wake this thread
  private boolean turn(long millis, BooleanSupplier over) {
    check();
    if (!driving.tryLock()) {
      return false;
    }
    try {
      drive(over.getAsBoolean() ? 0 : millis);
    } catch (LostException e) {
      lose(e);
    } catch (RuntimeException e) {
      fail(rank, e);
    } catch (IOException e) {
      fail(rank, new CommunicationException("the selector fails: " + e, e));
    } finally {
      driving.unlock();
    }
    check();
    return true;
  }

  private void drive(long millis) throws IOException {
    int ready = millis == 0 ? selector.selectNow() : selector.select(millis);
    if (ready > 0) {
      for (SelectionKey key : selector.selectedKeys()) {
        serve(key);
      }
      selector.selectedKeys().clear();
    }
  }

  private void serve(SelectionKey key) {
    Connection connection = (Connection) key.attachment();
    if (key.isWritable()) {
      connection.write();
    }
    if (key.isReadable()) {
      connection.read();
      if (connection.hasEnded()) {
        key.interestOpsAnd(~SelectionKey.OP_READ);
      }
    }
  }

  // Signs of life.

  /// Tells the others that this rank lives, and looks for those that do not say so.
  void exchangeSigns(long sinceNanos) {
    for (Connection connection : connections) {
      if (!connection.hasEnded()) {
        try {
          connection.sayAlive(sinceNanos);
        } catch (LostException e) {
          lose(e);
        }
        long silent = System.nanoTime() - connection.heardNanos();
        if (silent > options.patience().toNanos()) {
          connection.giveUp();
          fail(
              connection.peer(),
              new CommunicationException(
                  "no sign of life from it for %d s"
                      .formatted(TimeUnit.NANOSECONDS.toSeconds(silent))));
        }
      }
    }
  }

  // The end.

  /// Ends everything because a rank has failed; the first failure counts.
  void fail(int failed, Throwable cause) {
    RankFailedException first = new RankFailedException(failed, size(), cause);
    if (!failure.compareAndSet(null, first)) {
      return;
    }
    boolean interrupted = Thread.interrupted(); // or the channels would close before they say so
    Failure words = Failure.of(failed, cause);
    for (Connection connection : connections) {
      try {
        connection.sayFailed(words);
      } catch (LostException e) {
        connection.giveUp();
        LOG.debug("rank {} does not hear that rank {} failed", connection.peer(), failed, e);
      }
    }
    selector.wakeup();
    wakeAll();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /// {@return what has failed} There must be something.
  RankFailedException failure() {
    RankFailedException first = failure.get();
    if (first == null) {
      throw new IllegalStateException("nothing has failed");
    }
    Throwable cause = first.getCause();
    return new RankFailedException(first.rank(), size(), cause == null ? first : cause);
  }

  /// Throws if a rank has failed.
  void check() {
    if (failure.get() != null) {
      throw failure();
    }
  }

  /// Ends well, when all others do. Collective.
  void end() {
    communicator.barrier();
    // Signs of life would meet closed doors.
    progress.end();
    for (Connection connection : connections) {
      carefully(() -> connection.say(Frame.Kind.END));
    }
    long since = System.nanoTime();
    while (!othersHaveEnded()) {
      if (System.nanoTime() - since > options.timeout().toNanos()) {
        throw new CommunicationException("not all ranks have ended");
      }
      turn(SLEEP_MILLIS);
    }
  }

  private boolean othersHaveEnded() {
    return connections.stream().allMatch(Connection::hasEnded);
  }

  /// Of a run that has failed: lets the words about it leave, and waits until the others have heard
  /// them, as what they have not read when a socket is closed is lost.
  private void takeLeave() throws IOException {
    long since = System.nanoTime();
    while (!othersHaveEnded() && System.nanoTime() - since < LEAVE_NANOS) {
      selector.select(LEAVE_MILLIS);
      for (SelectionKey key : selector.selectedKeys()) {
        try {
          serve(key);
        } catch (RuntimeException e) {
          ((Connection) key.attachment()).giveUp();
          key.cancel();
        }
      }
      selector.selectedKeys().clear();
    }
  }

  @Override
  public void close() {
    progress.end();
    selector.wakeup();
    boolean interrupted = Thread.interrupted(); // or the channels would close at once
    driving.lock();
    try {
      if (failure.get() != null) {
        takeLeave();
      }
      for (Connection connection : connections) {
        connection.close();
      }
      selector.close();
    } catch (IOException e) {
      LOG.debug("closing the connections of rank {}", rank, e);
    } finally {
      driving.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
