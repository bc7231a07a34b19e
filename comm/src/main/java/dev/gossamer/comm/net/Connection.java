package dev.gossamer.comm.net;

import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The connection to another rank.
///
/// **A message sets out when its receive has begun**, unless it is short ([ShortMessages]). The
/// receiver says so ([Frame.Kind#READY]) with the size that it expects; the sender, when it has
/// both that and its own side, sends the bytes, which the receiver reads into their place. So no
/// message needs memory besides its two segments, none waits behind one that nobody receives yet,
/// and ranks that disagree about one learn it before it is sent. Where receives begin early, as
/// they do in every collective, the receiver's word has arrived by the time of the send and costs
/// nothing.
///
/// Long messages go in chunks, so that short frames need not wait for the end of one.
///
/// Any thread begins messages and writes, under the lock of this object; only the thread that
/// drives the [NetWorld] reads.
final class Connection implements Peer {
  /// Bytes of a message between two frames.
  static final int CHUNK = 1 << 20;

  /// Bytes of frames that are written at once; more than the longest.
  private static final int HEADS = 16 << 10;

  private static final int STAGED = 64 << 10;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  /// Reads in a row before other connections have their turn.
  private static final int READS = 16;

  private final NetWorld world;
  private final int peer;
  private final Wire wire;
  private final SelectionKey selection;

  // Guarded by this.
  private final ShortMessages shorts;
  private final Waiting<Transfer> sends = new Waiting<>();
  private final Waiting<Frame> ready = new Waiting<>();
  private final Waiting<Transfer> receives = new Waiting<>();
  private final Deque<Frame> notes = new ArrayDeque<>();
  private final Deque<Transfer> messages = new ArrayDeque<>();

  /// Messages whose last byte has left, or has come and is in its place.
  private final List<Transfer> complete = new ArrayList<>();

  private final ByteBuffer heads = ByteBuffer.allocateDirect(HEADS).flip();
  private @Nullable Transfer sending;
  private long sendingAt;
  private ByteBuffer payload = NOTHING;
  private @Nullable Failure lastWords;
  private boolean silenced;
  private long saidNanos = System.nanoTime();

  // Of the thread that drives.
  private final ByteBuffer staged = ByteBuffer.allocateDirect(STAGED);
  private @Nullable Transfer arriving;
  private long arrivedAt;
  private ByteBuffer place = NOTHING;
  private volatile boolean ended;
  private volatile long heardNanos = System.nanoTime();

  Connection(NetWorld world, int peer, Wire wire, Selector selector) throws IOException {
    this.world = world;
    this.peer = peer;
    shorts = new ShortMessages(world.rank(), peer);
    this.wire = wire;
    SocketChannel channel = wire.channel();
    channel.configureBlocking(false);
    selection = channel.register(selector, SelectionKey.OP_READ, this);
  }

  int peer() {
    return peer;
  }

  /// When the other side last said anything, in [System#nanoTime].
  long heardNanos() {
    return heardNanos;
  }

  /// Whether the other side says nothing more.
  boolean hasEnded() {
    return ended;
  }

  /// Expects nothing more from the other side.
  void giveUp() {
    ended = true;
  }

  // To the other side.

  @Override
  public void send(Transfer message) {
    update(() -> {
      if (ShortMessages.isShort(message)) {
        shorts.send(message);
        return;
      }
      Frame expected = ready.take(message.key());
      if (expected == null) {
        sends.add(message.key(), message);
      } else {
        set(message, expected);
      }
    });
  }

  @Override
  public void receive(Transfer message) {
    update(() -> {
      if (!ShortMessages.isShort(message)) {
        receives.add(message.key(), message);
        notes.add(message.frame(Frame.Kind.READY));
      } else if (shorts.receive(message)) {
        take(message);
      }
    });
  }

  /// A short message is in its place.
  private void take(Transfer message) {
    complete.add(message);
    long settled = shorts.settled();
    if (settled > 0) {
      notes.add(Frame.of(Frame.Kind.TAKEN, settled));
    }
  }

  /// Says something that is about no message.
  void say(Frame.Kind kind) {
    update(() -> notes.add(Frame.of(kind, 0)));
  }

  /// Says that this side lives, unless it has said something since.
  void sayAlive(long sinceNanos) {
    update(() -> {
      if (saidNanos - sinceNanos < 0) {
        notes.add(Frame.of(Frame.Kind.ALIVE, 0));
      }
    });
  }

  /// Says which rank has failed, after the frames that have begun; nothing else is said afterwards.
  void sayFailed(Failure failure) {
    update(() -> lastWords = failure);
  }

  /// Writes what the socket takes by now.
  void write() {
    update(() -> {});
  }

  /// Changes what is to be said, and writes what the socket takes of it. Messages that are complete
  /// are told so without the lock.
  private void update(Runnable change) {
    List<Transfer> done;
    synchronized (this) {
      change.run();
      flush();
      done = List.copyOf(complete);
      complete.clear();
    }
    done.forEach(Transfer::done);
  }

  private void set(Transfer message, Frame expected) {
    Transfer.requireAgreed(message.frame(Frame.Kind.MESSAGE), world.rank(), expected, peer);
    messages.add(message);
  }

  private void flush() {
    try {
      while (fill()) {
        if (!wire.write(heads, payload)) {
          selection.interestOpsOr(SelectionKey.OP_WRITE);
          world.wakeDriver();
          return;
        }
        saidNanos = System.nanoTime();
      }
      if ((selection.interestOps() & SelectionKey.OP_WRITE) != 0) {
        selection.interestOpsAnd(~SelectionKey.OP_WRITE);
      }
    } catch (IOException e) {
      throw new LostException(this, e);
    }
  }

  /// Makes the next frames and the next chunk ready to be written.
  ///
  /// @return whether there is anything to write
  private boolean fill() {
    if (heads.hasRemaining() || payload.hasRemaining()) {
      return true;
    }
    endWritten();
    heads.clear();
    if (lastWords != null) {
      if (!silenced) {
        silenced = true;
        lastWords.put(heads);
      }
      return heads.flip().hasRemaining();
    }
    while (!notes.isEmpty() && heads.remaining() >= 2 * Frame.BYTES) {
      notes.remove().put(heads);
    }
    while (heads.remaining() >= 2 * Frame.BYTES + ShortMessages.LONGEST) {
      Transfer next = shorts.leaving();
      if (next == null) {
        break;
      }
      next.frame(Frame.Kind.SHORT).put(heads);
      heads.put(next.chunk(0));
      complete.add(next);
    }
    if (sending == null && !messages.isEmpty()) {
      Transfer next = messages.remove();
      next.frame(Frame.Kind.MESSAGE).put(heads);
      sending = next;
      sendingAt = 0;
      payload = next.chunk(0);
    } else if (sending != null) {
      Frame.of(Frame.Kind.MORE, 0).put(heads);
      payload = sending.chunk(sendingAt);
    }
    return heads.flip().hasRemaining();
  }

  /// The last chunk has left.
  private void endWritten() {
    Transfer message = sending;
    if (message != null) {
      sendingAt += payload.position();
      payload = NOTHING;
      if (sendingAt == message.bytes()) {
        complete.add(message);
        sending = null;
      }
    }
  }

  /// Closes it without another word.
  void close() throws IOException {
    wire.channel().close();
  }

  // From the other side.

  /// Reads what has come.
  ///
  /// @throws LostException if the other side is gone
  void read() {
    try {
      for (int i = 0; (i < READS || wire.holds()) && !ended; i++) {
        int count = wire.read(place.hasRemaining() ? place : forFrames());
        if (count < 0) {
          throw new EOFException("it has ended");
        }
        if (count == 0) {
          return;
        }
        heardNanos = System.nanoTime();
        understand();
      }
    } catch (IOException e) {
      throw new LostException(this, e);
    }
  }

  /// Where frames are read to: in the midst of a message one, as its bytes follow, which belong
  /// elsewhere.
  private ByteBuffer forFrames() {
    return arriving == null
        ? staged.limit(STAGED)
        : staged.limit(Math.min(STAGED, staged.position() + Frame.BYTES));
  }

  /// Takes what has been read, frame by frame.
  private void understand() throws ProtocolException {
    if (arriving != null && !place.hasRemaining()) {
      endChunk();
    }
    staged.flip();
    boolean more = true;
    while (more) {
      more = place.hasRemaining() ? takePiece() : takeFrame();
    }
    staged.compact();
  }

  private boolean takePiece() throws ProtocolException {
    int count = Math.min(staged.remaining(), place.remaining());
    place.put(staged.slice(staged.position(), count));
    staged.position(staged.position() + count);
    if (place.hasRemaining()) {
      return false;
    }
    endChunk();
    return true;
  }

  /// @return whether it was there as a whole
  private boolean takeFrame() throws ProtocolException {
    if (staged.remaining() < Frame.BYTES) {
      return false;
    }
    int begin = staged.position();
    Frame frame = Frame.take(staged);
    switch (frame.kind()) {
      case SHORT -> {
        if (frame.bytes() < 0 || frame.bytes() > ShortMessages.LONGEST) {
          throw Frame.unexpected("a short message of %d bytes".formatted(frame.bytes()));
        }
        if (staged.remaining() < frame.bytes()) {
          staged.position(begin);
          return false;
        }
        arrive(frame);
      }
      case TAKEN -> update(() -> shorts.credit(frame.bytes()));
      case READY -> becomeReady(frame);
      case MESSAGE -> begin(frame);
      case MORE -> place = begun().chunk(arrivedAt);
      case ALIVE -> {}
      case END -> ended = true;
      case FAILED -> {
        if (staged.remaining() < frame.bytes() && frame.bytes() <= Failure.LONGEST) {
          staged.position(begin);
          return false;
        }
        Failure told = Failure.taken(staged, frame.bytes());
        ended = true;
        world.fail(told.rank(), told.cause());
      }
    }
    return true;
  }

  private void arrive(Frame frame) {
    update(() -> {
      Transfer message = shorts.arrive(frame, staged);
      if (message != null) {
        take(message);
      }
    });
  }

  private void becomeReady(Frame frame) {
    update(() -> {
      Transfer message = sends.take(frame.key());
      if (message == null) {
        ready.add(frame.key(), frame);
      } else {
        set(message, frame);
      }
    });
  }

  private void begin(Frame frame) throws ProtocolException {
    Transfer message;
    synchronized (this) {
      message = receives.take(frame.key());
    }
    if (arriving != null || message == null || message.bytes() != frame.bytes()) {
      throw Frame.unexpected("a message that nobody receives");
    }
    arriving = message;
    arrivedAt = 0;
    place = message.chunk(0);
  }

  private Transfer begun() throws ProtocolException {
    Transfer message = arriving;
    if (message == null) {
      throw Frame.unexpected("more of a message that has not begun");
    }
    return message;
  }

  private void endChunk() throws ProtocolException {
    Transfer message = begun();
    arrivedAt += place.position();
    place = NOTHING;
    if (arrivedAt == message.bytes()) {
      arriving = null;
      message.done();
    }
  }
}
