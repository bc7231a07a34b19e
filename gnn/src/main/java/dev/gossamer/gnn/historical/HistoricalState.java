package dev.gossamer.gnn.historical;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.FirstRankText;
import dev.gossamer.comm.GatheredBytes;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.nn.state.Safetensors;
import dev.gossamer.run.CarriedState;
import dev.gossamer.run.CheckpointFolder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A rank's part of a checkpoint: the contents of its caches, rows in flight to it, and what it has
/// pushed, between two turns.
///
/// A safetensors file `epoch-N.rank-R.safetensors` has, for each layer `l` but the first,
/// `layer-l.vertices`, `layer-l.batches` and `layer-l.rows` of the cache, oldest row first (the
/// vertex, the batch that computed the row, and the row), and `layer-l.pushed`, the batch in which
/// the row of each remote copy was last computed, -1 if never. `flights` are the batches whose rows
/// were received but are not due; the `i`-th has `flight-i.numbers`, the numbers of rows by peer
/// and layer, and `flight-i.rows`, the message. Features are not included: they are fetched again.
/// `life` in the file's description is the maximum age of rows in batches, which may have been
/// measured.
final class HistoricalState implements CarriedState {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final String FORMAT = "gossamer-historical";
  private static final String RANK = "rank";
  private static final String RANKS = "ranks";
  private static final String TURNS = "turns";
  private static final String LIFE = "life";

  private final Communicator world;
  private final RowDistribution distribution;
  private final int block;
  private final int life;
  private final List<HistoricalCache> caches;
  private final PushPlan plan;
  private final EmbeddingPush push;
  private final Clock clock;
  private final Workers workers;

  /// Counts turns across epochs.
  static final class Clock {
    /// The current turn, or the last; -1 before the first.
    int turn = -1;
  }

  /// @param world all ranks; borrowed, like all that follows
  /// @param block of this rank
  /// @param life `ls`
  HistoricalState(
      Communicator world,
      RowDistribution distribution,
      int block,
      int life,
      List<HistoricalCache> caches,
      PushPlan plan,
      EmbeddingPush push,
      Clock clock,
      Workers workers) {
    this.world = world;
    this.distribution = distribution;
    this.block = block;
    this.life = life;
    this.caches = caches;
    this.plan = plan;
    this.push = push;
    this.clock = clock;
    this.workers = workers;
  }

  @Override
  public List<File> write(@Nullable CheckpointFolder folder, int epochs) {
    String path =
        FirstRankText.onAll(world, folder == null ? "" : folder.path().toAbsolutePath().toString());
    if (path.isEmpty()) {
      return List.of();
    }
    CheckpointFolder shared = CheckpointFolder.ofEpochs(Path.of(path));
    String name = CheckpointFolder.fileOfRank(epochs, world.rank());
    try (Arena arena = Arena.ofShared()) {
      Map<String, String> facts =
          Map.of(
              "format",
              FORMAT,
              RANK,
              Integer.toString(world.rank()),
              RANKS,
              Integer.toString(world.size()),
              TURNS,
              Integer.toString(clock.turn + 1),
              LIFE,
              Integer.toString(life));
      new Safetensors(tensors(arena), facts).write(shared.file(name));
    }
    byte[] sha256 = shared.sha256(name).getBytes(StandardCharsets.UTF_8);
    List<File> files = new ArrayList<>();
    for (byte[] each : GatheredBytes.onFirst(world, sha256)) {
      files.add(
          new File(
              CheckpointFolder.fileOfRank(epochs, files.size()),
              new String(each, StandardCharsets.UTF_8)));
    }
    return files;
  }

  private Map<String, Safetensors.Tensor> tensors(Arena arena) {
    Map<String, Safetensors.Tensor> tensors = new LinkedHashMap<>();
    for (int e = 0; e < caches.size(); e++) {
      HistoricalCache cache = caches.get(e);
      int[] lines = cache.linesByAge();
      int[] vertices = new int[lines.length];
      int[] batches = new int[lines.length];
      for (int i = 0; i < lines.length; i++) {
        vertices[i] = cache.vertex(lines[i]);
        batches[i] = cache.madeIn(lines[i]);
      }
      tensors.put(layer(e, "vertices"), ints(arena, vertices));
      tensors.put(layer(e, "batches"), ints(arena, batches));
      tensors.put(layer(e, "rows"), cache.rows(arena, lines, workers));
      tensors.put(layer(e, "pushed"), ints(arena, plan.madeIn(e)));
    }
    List<EmbeddingPush.Flight> flights = List.copyOf(push.landAll());
    int[] turns = flights.stream().mapToInt(EmbeddingPush.Flight::turn).toArray();
    tensors.put("flights", ints(arena, turns));
    for (int i = 0; i < turns.length; i++) {
      int[] numbers = flights.get(i).numbers().toArray(ValueLayout.JAVA_INT);
      tensors.put(flight(i, "numbers"), ints(arena, numbers));
    }
    for (int i = 0; i < turns.length; i++) {
      MemorySegment rows = flights.get(i).rows();
      tensors.put(
          flight(i, "rows"),
          new Safetensors.Tensor(Safetensors.Dtype.U8, List.of(rows.byteSize()), rows));
    }
    return tensors;
  }

  private static String layer(int e, String what) {
    return "layer-%d.%s".formatted(e + 1, what);
  }

  private static String flight(int i, String what) {
    return "flight-%d.%s".formatted(i, what);
  }

  private static Safetensors.Tensor ints(Arena arena, int[] values) {
    return new Safetensors.Tensor(
        Safetensors.Dtype.I32,
        List.of((long) values.length),
        arena.allocateFrom(ValueLayout.JAVA_INT, values));
  }

  @Override
  public int rank() {
    return world.rank();
  }

  @Override
  public int ranks() {
    return world.size();
  }

  @Override
  public void read(Path file) {
    try (Arena arena = Arena.ofConfined()) {
      restore(new Part(file, Safetensors.open(arena, file)));
    }
  }

  /// {@return the maximum age of rows in a file, in batches}
  static int life(Path file) {
    try (Arena arena = Arena.ofConfined()) {
      return new Part(file, Safetensors.open(arena, file)).fact(LIFE, 0, Integer.MAX_VALUE);
    }
  }

  /// A file that is checked while it is read.
  private record Part(Path path, Safetensors file) {
    /// Returns a number from the file's description.
    int fact(String name, int least, int most) {
      String found = file.metadata().getOrDefault(name, "none");
      int value;
      try {
        value = Integer.parseInt(found);
      } catch (NumberFormatException _) {
        value = least - 1;
      }
      return requireIn(name, value, least, most, found);
    }

    int requireIn(String what, int value, int least, int most, Object found) {
      if (value < least || value > most) {
        throw new InvalidInputException(
            "%s: %s: expected %s, found %s; the checkpoint is of another run"
                .formatted(path, what, least == most ? least : least + " to " + most, found));
      }
      return value;
    }

    private Safetensors.Tensor tensor(String name) {
      Safetensors.Tensor tensor = file.tensors().get(name);
      if (tensor == null) {
        throw new InvalidInputException(
            "%s: expected a tensor %s, found none".formatted(path, name));
      }
      return tensor;
    }

    /// Returns up to `most` numbers.
    int[] ints(String name, long most) {
      long count = tensor(name).count();
      if (count > most) {
        throw new InvalidInputException(
            "%s: tensor %s: expected at most %d elements, found %d; the checkpoint is of another run"
                .formatted(path, name, most, count));
      }
      return file.require(path, name, Safetensors.Dtype.I32, count).data().toArray(INT);
    }

    /// Returns exactly `count` numbers.
    int[] exactly(String name, long count) {
      return file.require(path, name, Safetensors.Dtype.I32, count).data().toArray(INT);
    }

    MemorySegment bytes(String name, long count) {
      return file.require(path, name, Safetensors.Dtype.U8, count).data();
    }

    /// Checks that numbers of batches are ascending.
    void requireAscending(String name, int[] batches, int least, int most) {
      int before = least;
      for (int batch : batches) {
        before = requireIn(name, batch, before, most, batch);
      }
    }
  }

  private void restore(Part part) {
    part.fact(RANK, world.rank(), world.rank());
    part.fact(RANKS, world.size(), world.size());
    int turn = part.fact(TURNS, 0, Integer.MAX_VALUE) - 1;
    for (int e = 0; e < caches.size(); e++) {
      HistoricalCache cache = caches.get(e);
      int[] vertices = part.ints(layer(e, "vertices"), cache.capacity());
      requireRemote(part, layer(e, "vertices"), vertices);
      int[] batches = part.exactly(layer(e, "batches"), vertices.length);
      part.requireAscending(layer(e, "batches"), batches, 0, turn);
      long elements = (long) vertices.length * cache.lines().width();
      MemorySegment rows = part.file().require(part.path(), layer(e, "rows"), elements).data();
      int[] pushed = part.exactly(layer(e, "pushed"), plan.madeIn(e).length);
      for (int batch : pushed) {
        part.requireIn(layer(e, "pushed"), batch, PushPlan.NEVER, turn, batch);
      }
      System.arraycopy(pushed, 0, plan.madeIn(e), 0, pushed.length);
      cache.restore(vertices, batches, rows);
    }
    int[] flights = part.ints("flights", turn + 1L);
    part.requireAscending("flights", flights, 0, turn);
    for (int i = 0; i < flights.length; i++) {
      restore(part, i, flights[i]);
    }
    clock.turn = turn;
  }

  private void restore(Part part, int i, int turn) {
    int[] numbers = part.exactly(flight(i, "numbers"), push.numbersOfBatch());
    for (int number : numbers) {
      part.requireIn(flight(i, "numbers"), number, 0, Integer.MAX_VALUE, number);
    }
    MemorySegment rows = part.bytes(flight(i, "rows"), push.bytesOf(numbers));
    push.eachVertices(numbers, rows, vertices -> requireRemote(part, flight(i, "rows"), vertices));
    push.restore(turn, MemorySegment.ofArray(numbers), rows);
  }

  /// Checks that vertices are distinct and remote.
  private void requireRemote(Part part, String name, int[] vertices) {
    Set<Integer> seen = new HashSet<>();
    for (int v : vertices) {
      boolean known = v >= 0 && v < distribution.rows();
      if (!known || distribution.owner(v) == block || !seen.add(v)) {
        throw new InvalidInputException(
            "%s: tensor %s: expected distinct vertices of other ranks, found %d; the checkpoint is of another run"
                .formatted(part.path(), name, v));
      }
    }
  }
}
