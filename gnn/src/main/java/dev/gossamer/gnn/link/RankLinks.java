package dev.gossamer.gnn.link;

import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.Placement;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.LinkSplit;
import dev.gossamer.graph.LinkTask;
import dev.gossamer.graph.Links;
import dev.gossamer.graph.Negatives;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.random.Philox;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.LinkScoring;
import dev.gossamer.run.Metric;
import dev.gossamer.run.SharedScores;
import dev.gossamer.run.Team;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// The edges whose vertices a rank has, against pairs without an edge. Each edge is drawn for by
/// the rank that has its source; what is drawn depends on the edge's number and the epoch alone, so
/// that any number of ranks computes the same loss, up to the order of sums. Methods are
/// collective.
public final class RankLinks {
  static final int HELD_STREAM = 0x4c48454c;

  /// Bytes of a pair: in lists that are sorted and sent, as an entry, its score and its label.
  static final int PAIR_BYTES = 64;

  /// Bytes of the ends of a pair of a batch, as they are drawn and sorted.
  private static final int END_BYTES = 24;

  /// Pairs that are scored at once.
  private static final int SCORED_PAIRS = 1 << 20;

  private final LinkComparison comparison;
  private final TrainingPairs trained;
  private final LinkDecoder decoder;
  private final Communicator comm;
  private final Placement placement;
  private final Team team;
  private final Kernels kernels;

  /// Begins with the ranks.
  ///
  /// @param comparison the edges, and the pairs that they are compared with
  /// @param decoder of the scores
  /// @param seed of the pairs that training edges are compared with
  /// @param comm a group whose rank `i` has block `i` of the vertices; borrowed
  /// @param placement of the vertices
  /// @param team the same ranks
  /// @param kernels threads and products; borrowed
  public RankLinks(
      LinkComparison comparison,
      LinkDecoder decoder,
      long seed,
      Communicator comm,
      Placement placement,
      Team team,
      Kernels kernels) {
    this.comparison = comparison;
    trained = new TrainingPairs(comparison, seed);
    this.decoder = decoder;
    this.comm = comm;
    this.placement = placement;
    this.team = team;
    this.kernels = kernels;
  }

  /// {@return bytes that the edges and pairs of a process take at most; 0 if none are predicted}
  ///
  /// @param data whose edges may be predicted
  /// @param decoder of the scores
  /// @param processRanks ranks of the process
  /// @param ranks of the run
  public static long bytes(GraphData data, LinkDecoder decoder, int processRanks, int ranks) {
    LinkTask task = data.links();
    if (task == null) {
      return 0;
    }
    long pairs = trainingPairs(data) * processRanks / ranks;
    return bytes(data, decoder, pairs, processRanks, ranks);
  }

  /// {@return the same for batches of edges}
  ///
  /// @param data whose edges may be predicted
  /// @param decoder of the scores
  /// @param edges of a batch
  /// @param processRanks ranks of the process
  /// @param ranks of the run
  public static long bytesOfBatches(
      GraphData data, LinkDecoder decoder, int edges, int processRanks, int ranks) {
    LinkTask task = data.links();
    if (task == null) {
      return 0;
    }
    int trained = task.parts().train().count();
    long pairs = 2L * Math.min(edges, trained) * (1 + task.negatives());
    // Orders of the edges and ends of pairs, of the batch that is drawn and of that in use.
    long ofBatches = 4L * trained * Integer.BYTES + pairs * END_BYTES;
    return bytes(data, decoder, pairs * processRanks, processRanks, ranks)
        + ofBatches * processRanks;
  }

  /// @param pairs that the process trains on at a time
  private static long bytes(
      GraphData data, LinkDecoder decoder, long pairs, int processRanks, int ranks) {
    LinkTask task = Objects.requireNonNull(data.links(), "links");
    LinkSplit.Parts parts = task.parts();
    long held = Math.max(parts.validation().count(), parts.test().count());
    LinkTask.Candidates candidates = task.candidates();
    long scored = Math.min(held + candidates.pairs(held), (long) processRanks * SCORED_PAIRS);
    long shared = candidates.areShared() ? candidates.count() : 0;
    long rows = processRanks * DenseMatrix.bytes(data.vertices(), task.width());
    return parts.edges() * (2 * Integer.BYTES + 1)
        + Math.max(pairs, scored) * PAIR_BYTES
        + held * LinkScoring.EDGE_BYTES
        + processRanks * shared * LinkScoring.SHARED_BYTES
        + Negatives.bytes(data, task.by())
        + (ranks == 1 ? 1 : 3) * rows
        + processRanks * decoder.bytes(data.vertices(), task.width());
  }

  /// {@return pairs whose scores and gradients an epoch computes, on all ranks: each in both
  /// directions}
  ///
  /// @param data whose edges are predicted
  public static long trainingPairs(GraphData data) {
    LinkTask task = Objects.requireNonNull(data.links(), "links");
    return 2L * task.parts().train().count() * (1 + task.negatives());
  }

  /// {@return pairs whose scores an evaluation computes, on all ranks}
  ///
  /// @param data whose edges are predicted
  public static long scoringPairs(GraphData data) {
    LinkTask task = Objects.requireNonNull(data.links(), "links");
    LinkTask.Candidates candidates = task.candidates();
    long validation = task.parts().validation().count();
    long test = task.parts().test().count();
    return 2 * (validation + candidates.pairs(validation)) + test + candidates.pairs(test);
  }

  private RowDistribution distribution() {
    return placement.distribution();
  }

  private boolean isOwn(int row) {
    return row >= distribution().begin(comm.rank()) && row < distribution().end(comm.rank());
  }

  /// Computes this rank's part of the mean loss over the training edges and the pairs against them,
  /// replaces the outputs by its gradient, and writes the rank's part of the gradients of the
  /// decoder's parameters.
  ///
  /// @param outputs of the rank's vertices, `own x f`; overwritten
  /// @param epoch decides which pairs are drawn
  /// @param state with the decoder's parameters and their gradients
  /// @return the rank's part of the mean
  public double lossAndGradient(DenseMatrix outputs, int epoch, DenseState state) {
    Links links = comparison.task().parts().train();
    Philox philox = trained.ofEpoch(epoch);
    List<PairList> drawn = lists();
    for (int i = 0; i < links.count(); i++) {
      if (isOwn(placement.newId(links.sources()[i]))) {
        trained.add(
            philox, i, (source, target, type, edge) -> add(drawn, source, target, type, edge));
      }
    }
    long total = (long) links.count() * trained.each();
    List<long[]> mine = drawn.stream().map(list -> list.toOwners(comm, distribution())).toList();
    try (RankPairs all = pairs(mine, outputs.cols())) {
      return all.lossAndGradient(outputs, total, state);
    }
  }

  private List<PairList> lists() {
    return Stream.generate(PairList::new).limit(decoder.groups()).toList();
  }

  /// Adds a pair in both directions.
  private void add(List<PairList> lists, int source, int target, int type, boolean edge) {
    int first = placement.newId(source);
    int second = placement.newId(target);
    lists.get(decoder.group(type, false)).add(first, second, edge);
    lists.get(decoder.group(type, true)).add(second, first, edge);
  }

  /// Ranks edges of each part among pairs against them.
  ///
  /// @param outputs of the rank's vertices, `own x f`
  /// @param weights parameters by their names
  /// @return the scores over all ranks; of the training edges, over as many as are held out for
  ///   validation
  public Evaluation evaluate(DenseMatrix outputs, Function<String, DenseMatrix> weights) {
    int every =
        Math.ceilDiv(
            comparison.task().parts().train().count(),
            Math.max(1, comparison.task().parts().validation().count()));
    PairScorer byOutputs = pairs -> scores(outputs, weights, pairs);
    return new Evaluation(
        scores(byOutputs, Split.TRAIN, Math.max(1, every)),
        scores(byOutputs, Split.VALIDATION, 1),
        scores(byOutputs, Split.TEST, 1));
  }

  /// Ranks the test edges by each heuristic, among the same pairs as [#evaluate].
  ///
  /// @param graph the edges that a network sees
  /// @return the scores over all ranks, but the loss: the scores of pairs are no logits
  public Map<LinkHeuristic, Evaluation.Scores> rankByHeuristics(NeighbourGraph graph) {
    Map<LinkHeuristic, Evaluation.Scores> found = new EnumMap<>(LinkHeuristic.class);
    for (LinkHeuristic heuristic : LinkHeuristic.values()) {
      PairScorer scorer =
          pairs -> pairs.stream().map(some -> scores(graph, heuristic, some)).toList();
      found.put(heuristic, scores(scorer, Split.TEST, 1).without(Metric.LOSS));
    }
    return found;
  }

  /// Scores pairs: the higher, the more likely is an edge.
  @FunctionalInterface
  private interface PairScorer {
    /// @param pairs of each group, whose first vertices are this rank's and ascend
    List<float[]> of(List<long[]> pairs);
  }

  private List<float[]> scores(
      DenseMatrix outputs, Function<String, DenseMatrix> weights, List<long[]> pairs) {
    try (RankPairs all = pairs(pairs, outputs.cols())) {
      return all.score(outputs, weights);
    }
  }

  private float[] scores(NeighbourGraph graph, LinkHeuristic heuristic, long[] pairs) {
    int[] firsts = new int[pairs.length];
    int[] seconds = new int[pairs.length];
    for (int p = 0; p < pairs.length; p++) {
      firsts[p] = placement.oldId(PairList.first(pairs[p]));
      seconds[p] = placement.oldId(PairList.second(pairs[p]));
    }
    return graph.scores(heuristic, firsts, seconds, kernels.workers());
  }

  private Evaluation.Scores scores(PairScorer scorer, Split part, int every) {
    Philox philox = Philox.keyed(comparison.task().seed(), HELD_STREAM, part.code());
    Links links = comparison.task().parts().scored(part);
    long[] ranked = ranked(links, philox, every);
    if (candidates().areShared() && links.count() > 0) {
      LinkScoring scoring = new LinkScoring(sharedScores(scorer, links, philox));
      inRounds(
          ranked,
          SCORED_PAIRS,
          some ->
              scorer
                  .of(edges(links, some))
                  .forEach(scores -> {
                    for (float score : scores) {
                      scoring.addAmongShared(score);
                    }
                  }));
      return scoring.scores(team);
    }
    LinkScoring scoring = new LinkScoring();
    inRounds(
        ranked,
        Math.max(1, SCORED_PAIRS / (1 + candidates().count())),
        some -> score(scorer, links, philox, some, scoring));
    return scoring.scores(team);
  }

  private LinkTask.Candidates candidates() {
    return comparison.task().candidates();
  }

  /// Passes numbers of this rank, some at a time, in as many rounds as the rank with most needs.
  private void inRounds(long[] all, int atOnce, Consumer<long[]> use) {
    int rounds = (int) team.max(Math.ceilDiv(all.length, atOnce))[0];
    for (int round = 0; round < rounds; round++) {
      int begin = (int) Math.min(all.length, (long) round * atOnce);
      int end = (int) Math.min(all.length, (long) begin + atOnce);
      use.accept(Arrays.copyOfRange(all, begin, end));
    }
  }

  /// The scores of the pairs that all edges of a part share. Every rank draws all pairs, and scores
  /// those whose source it has.
  private SharedScores sharedScores(PairScorer scorer, Links links, Philox philox) {
    PairList own = new PairList();
    for (int k = 0; k < candidates().count(); k++) {
      long pair = comparison.held().shared(philox, links, k);
      int row = placement.newId((int) (pair >>> Integer.SIZE));
      if (isOwn(row)) {
        own.add(row, placement.newId((int) pair), false);
      }
    }
    int forward = decoder.group(0, false);
    DoubleStream.Builder found = DoubleStream.builder();
    inRounds(
        own.sorted(),
        SCORED_PAIRS,
        some -> {
          List<long[]> pairs = new ArrayList<>(Collections.nCopies(decoder.groups(), new long[0]));
          pairs.set(forward, some);
          scorer
              .of(pairs)
              .forEach(scores -> {
                for (float score : scores) {
                  found.add(score);
                }
              });
        });
    return new SharedScores(team.gathered(found.build().toArray()));
  }

  /// The pairs of edges, without others.
  private List<long[]> edges(Links links, long[] ranked) {
    List<PairList> pairs = lists();
    for (long each : ranked) {
      int edge = (int) each;
      int row = (int) (each >>> Integer.SIZE);
      int kept = placement.oldId(row);
      int other = links.sources()[edge] + links.targets()[edge] - kept;
      pairs
          .get(decoder.group(links.type(edge), kept != links.sources()[edge]))
          .add(row, placement.newId(other), true);
    }
    return pairs.stream().map(PairList::inOrder).toList();
  }

  /// The edges that this rank scores, whose kept end is its own: that end's row, and the edge's
  /// number. Ascending.
  private long[] ranked(Links links, Philox philox, int every) {
    return IntStream.range(0, Math.ceilDiv(links.count(), every))
        .map(i -> i * every)
        .mapToLong(i -> (long) placement.newId(kept(links, philox, i)) << Integer.SIZE | i)
        .filter(each -> isOwn((int) (each >>> Integer.SIZE)))
        .sorted()
        .toArray();
  }

  private int kept(Links links, Philox philox, int edge) {
    int source = links.sources()[edge];
    int target = links.targets()[edge];
    return comparison.held().replacesSource(philox, edge, source, target) ? target : source;
  }

  private void score(
      PairScorer scorer, Links links, Philox philox, long[] ranked, LinkScoring scoring) {
    int group = 1 + candidates().count();
    List<PairList> pairs = lists();
    for (long each : ranked) {
      int edge = (int) each;
      int row = (int) (each >>> Integer.SIZE);
      int kept = placement.oldId(row);
      int replaced = links.sources()[edge] + links.targets()[edge] - kept;
      PairList list = pairs.get(decoder.group(links.type(edge), kept != links.sources()[edge]));
      list.add(row, placement.newId(replaced), true);
      for (int k = 0; k < candidates().count(); k++) {
        int other = comparison.held().instead(philox, kept, replaced, edge, k);
        list.add(row, placement.newId(other), false);
      }
    }
    for (float[] scores : scorer.of(pairs.stream().map(PairList::inOrder).toList())) {
      for (int at = 0; at < scores.length; at += group) {
        double[] others = new double[group - 1];
        for (int k = 0; k < others.length; k++) {
          others[k] = scores[at + 1 + k];
        }
        scoring.add(scores[at], others);
      }
    }
  }

  private RankPairs pairs(List<long[]> ordered, int width) {
    return new RankPairs(comm, distribution(), decoder, ordered, width, kernels);
  }
}
