package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.Workers;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Progress;
import dev.gossamer.graph.Split;
import dev.gossamer.partition.Balance;
import dev.gossamer.partition.Partition;
import dev.gossamer.partition.PartitionQuality;
import dev.gossamer.partition.PartitionRequest;
import dev.gossamer.partition.Partitioner;
import dev.gossamer.run.memory.MemoryEstimate;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.BiConsumer;

/// Partitions a graph, for Gossamer's own ranks or for any program. Immutable: each method returns
/// a changed copy.
///
/// ```java
/// GraphPartitioning.Result result = GraphPartitioning.of(dataset).parts(16).run();
/// result.write(Path.of("my.part"));
/// ```
public final class GraphPartitioning {
  /// The fewest parts that divide a graph.
  public static final int DEFAULT_PARTS = 2;

  private final GraphData data;
  private final int parts;
  private final String method;
  private final Balance balance;
  private final long seed;
  private final MachineSettings machine;
  private final Listener listener;

  /// Is notified of the progress of a partitioning.
  ///
  /// @param begun receives the partitioner and the estimated bytes that it needs beyond the graph
  /// @param progress receives the progress
  public record Listener(BiConsumer<Partitioner, Long> begun, Progress progress) {
    /// Ignores all notifications.
    public static final Listener SILENT = new Listener((method, bytes) -> {}, Progress.SILENT);
  }

  private GraphPartitioning(
      GraphData data,
      int parts,
      String method,
      Balance balance,
      long seed,
      MachineSettings machine,
      Listener listener) {
    this.data = data;
    this.parts = parts;
    this.method = method;
    this.balance = balance;
    this.seed = seed;
    this.machine = machine;
    this.listener = listener;
  }

  /// Partitions a graph in two parts by the partitioner that training uses.
  ///
  /// @param dataset borrowed
  /// @return a partitioning to run
  public static GraphPartitioning of(Dataset dataset) {
    return of(Objects.requireNonNull(dataset, "dataset: expected one, found null").data());
  }

  static GraphPartitioning of(GraphData data) {
    return new GraphPartitioning(
        data,
        DEFAULT_PARTS,
        RankSettings.USUAL_PLACEMENT,
        Balance.DEFAULT.withTraining(Balance.FREE),
        0,
        MachineSettings.DEFAULT,
        Listener.SILENT);
  }

  /// Sets the number of parts.
  ///
  /// @param count 1 or more
  /// @return the changed copy
  /// @throws InvalidSettingException if it is less than 1 or more than
  ///   [PartitionRequest#MOST_PARTS]
  public GraphPartitioning parts(int count) {
    if (count < 1 || count > PartitionRequest.MOST_PARTS) {
      throw new InvalidSettingException(
          "{parts}: expected 1 to %d, found %d".formatted(PartitionRequest.MOST_PARTS, count));
    }
    return new GraphPartitioning(data, count, method, balance, seed, machine, listener);
  }

  /// Sets the partitioner.
  ///
  /// @param name one of [Partitioner#names]
  /// @return the changed copy
  /// @throws InvalidSettingException if there is none of this name
  public GraphPartitioning method(String name) {
    String known = Partitioner.named(name).name();
    return new GraphPartitioning(data, parts, known, balance, seed, machine, listener);
  }

  /// Sets the bounds of the loads of parts.
  ///
  /// @param other bounds
  /// @return the changed copy
  public GraphPartitioning balance(Balance other) {
    return new GraphPartitioning(data, parts, method, other, seed, machine, listener);
  }

  /// Sets the seed. The same seed gives the same parts, for any number of threads.
  ///
  /// @param other of all draws
  /// @return the changed copy
  public GraphPartitioning seed(long other) {
    return new GraphPartitioning(data, parts, method, balance, other, machine, listener);
  }

  /// Sets the threads and the memory limit.
  ///
  /// @param other threads and memory
  /// @return the changed copy
  public GraphPartitioning machine(MachineSettings other) {
    return new GraphPartitioning(data, parts, method, balance, seed, other, listener);
  }

  /// Sets the receiver of the progress.
  ///
  /// @param other replaces an earlier one
  /// @return the changed copy
  public GraphPartitioning listener(Listener other) {
    return new GraphPartitioning(data, parts, method, balance, seed, machine, other);
  }

  /// A partition that was made.
  ///
  /// @param partition the part of each vertex
  /// @param request what was asked for
  /// @param method the partitioner's name
  /// @param seconds of wall clock that it took
  /// @param estimatedBytes estimated bytes that it needs beyond the graph
  public record Result(
      Partition partition,
      PartitionRequest request,
      String method,
      double seconds,
      long estimatedBytes) {
    /// Computes edge cut, volumes and imbalances. Cost: one pass over the edges.
    ///
    /// @return the quality of the partition
    public PartitionQuality quality() {
      return PartitionQuality.of(request, partition);
    }

    /// Writes a part file in the format of METIS: one line per vertex.
    ///
    /// @param file replaced if it exists
    public void write(Path file) {
      partition.write(file);
    }
  }

  GraphData data() {
    return data;
  }

  /// Returns the request to the partitioner. Training vertices are the labelled ones of the data
  /// set's split.
  ///
  /// @return the request
  public PartitionRequest request() {
    boolean weighted = data.relations() == null;
    return new PartitionRequest(
        weighted ? data.adjacency() : data.adjacency().withValues(null),
        parts,
        balance,
        v -> data.isLabelled(v, Split.TRAIN),
        seed);
  }

  /// {@return estimated bytes that partitioning needs beyond the graph}
  public long estimatedBytes() {
    long entries = (data.info().directed() ? 2 : 1) * data.adjacency().nnz();
    return Partitioner.named(method).bytes(data.vertices(), entries, parts, machine.threads(1));
  }

  /// Partitions the graph.
  ///
  /// @return the partition, with time and memory
  /// @throws dev.gossamer.base.InvalidInputException if it would exceed the memory limit
  public Result run() {
    Partitioner partitioner = Partitioner.named(method);
    long bytes = estimatedBytes();
    long limit = machine.limit(1);
    if (bytes > limit) {
      throw new InvalidSettingException(
          "{memory}: partitioning with %s needs %s beyond the graph but %s may be used; random and block need less"
              .formatted(method, MemoryEstimate.readable(bytes), MemoryEstimate.readable(limit)));
    }
    listener.begun().accept(partitioner, bytes);
    PartitionRequest request = request();
    try (Workers workers = new Workers(machine.threads(1))) {
      long begin = System.nanoTime();
      Partition partition = partitioner.partition(request, workers, listener.progress());
      double seconds = (System.nanoTime() - begin) / 1e9;
      return new Result(partition, request, method, seconds, bytes);
    }
  }
}
