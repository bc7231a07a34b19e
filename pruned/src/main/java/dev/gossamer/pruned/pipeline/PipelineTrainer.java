package dev.gossamer.pruned.pipeline;

import dev.gossamer.base.Resources;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Element;
import dev.gossamer.comm.Reduction;
import dev.gossamer.comm.Traffic;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.optimizer.GradientNorm;
import dev.gossamer.nn.optimizer.LossScale;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ModelState;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.Part;
import dev.gossamer.pruned.layers.CrossEntropy;
import dev.gossamer.pruned.layers.Microbatch;
import dev.gossamer.pruned.layers.Pass;
import dev.gossamer.pruned.layers.Statistics;
import dev.gossamer.pruned.prune.SurvivingUnits;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;
import org.jspecify.annotations.Nullable;

/// One rank's part of the training of a network: a stage of a pipeline, for one replica.
///
/// An iteration takes a batch: each replica divides its share into microbatches, which go through
/// the stages forwards and backwards ([MicrobatchSchedule]); gradients of finished blocks are
/// summed over the replicas meanwhile ([GradientExchange]); then every rank updates its stage's
/// parameters. With the same seed and grid, every iteration is bit-identical; other grids differ
/// only by rounding.
///
/// All methods are collective over the ranks.
public final class PipelineTrainer implements AutoCloseable {
  /// Weight of an iteration in the running statistics of batch normalisation.
  private static final float MOMENTUM = 0.1f;

  private final Communicator world;
  private final Corpus corpus;
  private final RankEnvironment environment;
  private final Kernels kernels;
  private final StageClock clock;
  private final LossScale lossScale;
  private final int[] labels;
  private final long[] ids;
  private final BestWeights best;
  private GridPosition place;
  private Statistics statistics;
  private StageState state;

  private PipelineTrainer(
      Resources resources,
      Communicator world,
      StagePart part,
      Beginning beginning,
      Corpus corpus,
      RankEnvironment environment) {
    this.world = world;
    this.corpus = corpus;
    this.environment = environment;
    kernels = new Kernels(environment.workers(), Matmul.java());
    clock = new StageClock(environment.timeline());
    lossScale = part.stateSettings().lossScale();
    best = new BestWeights(part.stateSettings().keepsBest());
    labels = new int[part.settings().microbatch() * corpus.labelsPerSample()];
    ids = new long[part.settings().microbatch()];
    place = resources.add(GridPosition.open(world, part, clock, environment.link()));
    statistics = new Statistics(Arena.ofAuto(), part.statistics());
    for (ParameterLayout.Entry entry : statistics.layout().entries()) {
      beginning.values().read(entry, statistics.running(entry.name()));
    }
    state = StageState.of(part, beginning, place.replicas(), kernels.workers());
  }

  /// Allocates the memory of a rank. Collective.
  ///
  /// @param world all ranks of the grid
  /// @param part the rank's stage
  /// @param beginning its initial state
  /// @param corpus borrowed, the same on all ranks
  /// @param environment threads and timeline of the rank
  /// @return the trainer
  /// @throws IllegalArgumentException if the number of ranks differs from the grid
  public static PipelineTrainer open(
      Communicator world,
      StagePart part,
      Beginning beginning,
      Corpus corpus,
      RankEnvironment environment) {
    return Resources.owned(
        resources -> new PipelineTrainer(resources, world, part, beginning, corpus, environment));
  }

  /// {@return the stage of this rank}
  public StagePart part() {
    return place.part();
  }

  private PipelineSettings settings() {
    return part().settings();
  }

  /// {@return the state of this rank's stage}
  public StageState state() {
    return state;
  }

  /// {@return the running statistics of the stage}
  public Statistics statistics() {
    return statistics;
  }

  /// {@return the loss scale}
  public LossScale lossScale() {
    return lossScale;
  }

  /// Returns the best weights so far.
  BestWeights best() {
    return best;
  }

  /// Called after an evaluation of all ranks.
  void evaluated(int iteration, double loss) {
    best.offer(iteration, loss, state.model(), statistics);
  }

  /// Restores the best weights, if they are kept. Moments are those of the last iteration.
  void takeBest() {
    if (best.hasWeights()) {
      state.model().weights().copyFrom(best.weights());
      statistics.running().copyFrom(best.running());
      refresh();
    }
  }

  Communicator world() {
    return world;
  }

  /// Continues with only the surviving weights of a mask, and frees the state of all others.
  ///
  /// @param mask of this stage; its survivors have survived so far
  void prune(Mask mask) {
    best.clear();
    StageState next = state.pruned(mask, place.replicas(), kernels.workers());
    state.close();
    state = next;
  }

  /// Continues with a smaller network, without the units that do not survive. Weights, moments and
  /// statistics of the remaining units are preserved; stages are divided again so that they have
  /// about the same cost.
  ///
  /// @param units of the whole network
  void remove(SurvivingUnits units) {
    best.clear();
    StagePart before = part();
    StagePart smaller = before.of(before.network().resized(units.widths()));
    Statistics averages = new Statistics(Arena.ofAuto(), smaller.statistics());
    for (ParameterLayout.Entry entry : statistics.layout().entries()) {
      units.gather(entry, statistics.running(entry.name()), averages.running(entry.name()));
    }
    best.clear();
    place.close();
    place = GridPosition.open(world, smaller, clock, environment.link());
    statistics = averages;
    StageState next = state.without(units, smaller, place.replicas(), kernels.workers());
    state.close();
    state = next;
    StagePart again = smaller.cutAnew();
    if (!again.cut().equals(smaller.cut())) {
      move(again.all());
    }
  }

  /// Continues on another grid of the same ranks: weights, moments and statistics move to the ranks
  /// that hold their stages there. Results are those of a run that is resumed on that grid.
  ///
  /// @param parts the stages of the other grid
  void move(List<StagePart> parts) {
    StagePart from = part();
    StagePart to = parts.get(parts.getFirst().settings().grid().stage(world.rank()));
    place.close();
    place = GridPosition.open(world, to, clock, environment.link());
    StageMove move = new StageMove(world, from, to);
    Statistics moved = new Statistics(Arena.ofAuto(), to.statistics());
    move.statistics(statistics, moved);
    statistics = moved;
    StageState before = state;
    Beginning beginning = new Beginning(move.mask(before.model().mask()), ParameterValues.ZERO);
    state = StageState.of(to, beginning, place.replicas(), kernels.workers());
    move.state(before, state);
    before.close();
    refresh();
  }

  /// Updates the weights of products after weights have been copied in.
  void refresh() {
    state.model().refresh(kernels.workers());
  }

  /// Runs one iteration.
  ///
  /// @param step 0-based
  /// @param learningRate of the iteration
  /// @param stop whether this rank was asked to stop
  /// @return its result
  public IterationResult iterate(int step, double learningRate, boolean stop) {
    long begin = System.nanoTime();
    Traffic.Snapshot before = world.traffic().snapshot();
    clock.begin(step + 1);
    ModelState model = state.model();
    model.gradients().fill((byte) 0);
    long compressed = model.compressionNanos();
    long sentGradients = state.exchange().sentBytes();
    Iteration work = new Iteration(step);
    place.schedule().run(settings().microbatches(), work);
    clock.move(StagePhase.BACKWARD, StagePhase.COLLECTIVE, work.exchangeNanos);
    long compression = (model.compressionNanos() - compressed) / kernels.workers().threads();
    clock.move(StagePhase.BACKWARD, StagePhase.COMPRESSION, compression);
    clock.measure(StagePhase.COLLECTIVE, "gradients", () -> state.exchange().finish());
    sumStatistics();
    Agreement agreed = new Agreement();
    agreed.loss = work.loss;
    agreed.stops = stop ? 1 : 0;
    double scale = lossScale.value();
    clock.measure(
        StagePhase.UPDATE,
        "norm",
        () -> {
          model.widenGradients(0, model.kept().count());
          double squares = GradientNorm.of(model.gradients(), kernels.workers()).sumOfSquares();
          agreed.squares = settings().grid().replica(world.rank()) == 0 ? squares : 0;
          agreed.infinite = Double.isFinite(squares) ? 0 : 1;
        });
    // Here a stage that is done waits for those that are not.
    StagePhase waiting = settings().grid().inter() > 1 ? StagePhase.BUBBLE : StagePhase.COLLECTIVE;
    clock.measure(waiting, "norm of all stages", () -> agreed.over(this::sum));
    GradientNorm norm = new GradientNorm(agreed.squares);
    boolean finite = agreed.infinite == 0;
    if (lossScale.advance(finite)) {
      clock.measure(StagePhase.UPDATE, "update", () -> update(norm, scale, learningRate));
    }
    Map<StagePhase, Double> phases = clock.end();
    return new IterationResult(
        agreed.loss / labelsOfBatch(),
        new IterationResult.Update(norm.length(scale), scale, !finite),
        agreed.stops > 0,
        times((System.nanoTime() - begin) / 1e9, phases),
        new IterationResult.Sent(
            world.traffic().snapshot().minus(before),
            state.exchange().sentBytes() - sentGradients));
  }

  private IterationResult.Times times(double seconds, Map<StagePhase, Double> phases) {
    double forward = phases.getOrDefault(StagePhase.FORWARD, 0.0);
    double backward =
        phases.getOrDefault(StagePhase.BACKWARD, 0.0)
            + phases.getOrDefault(StagePhase.COMPRESSION, 0.0);
    int microbatches = settings().microbatches();
    return new IterationResult.Times(
        seconds, phases, forward / microbatches, backward / microbatches);
  }

  private void update(GradientNorm norm, double scale, double learningRate) {
    double clip = settings().batches().clip();
    double longest = clip > 0 ? clip : Double.POSITIVE_INFINITY;
    ModelState model = state.model();
    state.optimizer().step(model, learningRate, norm.factor(scale, longest), kernels.workers());
    model.refresh(kernels.workers());
  }

  private void sumStatistics() {
    if (statistics.layout().count() == 0) {
      return;
    }
    clock.measure(
        StagePhase.COLLECTIVE,
        "statistics",
        () -> place.replicas().first().allReduce(statistics.sums(), Element.FLOAT, Reduction.SUM));
    statistics.advance(settings().microbatches() * settings().grid().data(), MOMENTUM);
  }

  /// Adds up numbers over the stages of the first replica, in place.
  void sumOverParts(double[] values) {
    if (settings().grid().replica(world.rank()) > 0) {
      Arrays.fill(values, 0);
    }
    sum(values);
  }

  /// The sum of a number over the stages of a replica.
  long sumOverStages(long mine) {
    return gathered(mine, place.pipeline().size());
  }

  /// The sum of a number over the stages before this one.
  long sumOverStagesBefore(long mine) {
    return gathered(mine, place.pipeline().rank());
  }

  /// The sum of a number over the first stages.
  private long gathered(long mine, int stages) {
    try (Arena scratch = Arena.ofShared()) {
      MemorySegment all = scratch.allocate((long) place.pipeline().size() * Long.BYTES, Long.BYTES);
      MemorySegment own = all.asSlice((long) place.pipeline().rank() * Long.BYTES, Long.BYTES);
      own.set(ValueLayout.JAVA_LONG, 0, mine);
      place.pipeline().allGather(own, all);
      long sum = 0;
      for (int i = 0; i < stages; i++) {
        sum += all.getAtIndex(ValueLayout.JAVA_LONG, i);
      }
      return sum;
    }
  }

  /// Adds up numbers over all ranks, in place and in the order of ranks: threads and processes give
  /// bit-identical results.
  void sum(double[] values) {
    combine(values, Double::sum);
  }

  /// The largest over all ranks, in place.
  void max(double[] values) {
    combine(values, Math::max);
  }

  private void combine(double[] values, DoubleBinaryOperator operator) {
    int count = values.length;
    try (Arena scratch = Arena.ofShared()) {
      MemorySegment own = scratch.allocateFrom(ValueLayout.JAVA_DOUBLE, values);
      MemorySegment all = scratch.allocate(own.byteSize() * world.size(), Double.BYTES);
      world.allGather(own, all);
      for (int i = 0; i < count; i++) {
        double result = all.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
        for (int rank = 1; rank < world.size(); rank++) {
          double next = all.getAtIndex(ValueLayout.JAVA_DOUBLE, (long) rank * count + i);
          result = operator.applyAsDouble(result, next);
        }
        values[i] = result;
      }
    }
  }

  private long labelsOfBatch() {
    return (long) settings().batch() * corpus.labelsPerSample();
  }

  /// {@return the score of the network on a part of the data, without dropout}
  ///
  /// @param of part of the data
  /// @param most maximum number of samples
  public Score evaluate(Part of, long most) {
    long samples = Math.min(corpus.size(of), most);
    Forwards work = new Forwards(of, samples);
    place.schedule().runForward(work.microbatches(), work::samples, work);
    double[] sums = {work.loss, work.right, work.labelled};
    sum(sums);
    return Score.of((long) sums[2], sums[0], sums[1]);
  }

  @Override
  public void close() {
    best.close();
    state.close();
    place.close();
  }

  /// The microbatches of one iteration.
  private final class Iteration implements MicrobatchSchedule.Work {
    private final int step;
    private double loss;
    private long exchangeNanos;

    Iteration(int step) {
      this.step = step;
    }

    /// Position of a microbatch's first sample in the batch.
    private int position(int microbatch) {
      int replica = settings().grid().replica(world.rank());
      return (replica * settings().microbatches() + microbatch) * settings().microbatch();
    }

    private Pass pass(int microbatch) {
      return new Pass(
          state.model(),
          statistics,
          kernels,
          Microbatch.training(settings().microbatch(), position(microbatch), step));
    }

    private void choose(int microbatch) {
      corpus.trainingSamples(
          settings().seed(), step, settings().batch(), position(microbatch), ids);
    }

    @Override
    public void load(int microbatch) {
      choose(microbatch);
      DenseMatrix inputs = place.stage().samples(microbatch, settings().microbatch());
      corpus.inputs(Part.TRAIN, ids, ids.length, inputs);
    }

    @Override
    public void forward(int microbatch) {
      DenseMatrix output = place.stage().forward(microbatch, pass(microbatch));
      if (place.stage().plan().last()) {
        choose(microbatch);
        corpus.labels(Part.TRAIN, ids, ids.length, labels);
        float scale = (float) (lossScale.value() / labelsOfBatch());
        loss += CrossEntropy.lossAndGradient(output, labels, scale, kernels.workers());
      }
    }

    @Override
    public void backward(int microbatch, @Nullable DenseMatrix t) {
      boolean lastOne = microbatch == settings().microbatches() - 1;
      place
          .stage()
          .backward(
              microbatch,
              t == null ? place.stage().output(microbatch) : t,
              pass(microbatch),
              block -> {
                if (lastOne) {
                  exchange(block);
                }
              });
    }

    /// Sends what the last microbatch has completed on its way.
    private void exchange(int block) {
      long begin = System.nanoTime();
      state.exchange().poll();
      for (Buckets.Bucket bucket : state.buckets().all()) {
        if (bucket.block() == block) {
          state.exchange().begin(state.model(), bucket.begin(), bucket.end());
        }
      }
      exchangeNanos += System.nanoTime() - begin;
    }
  }

  /// The microbatches of an evaluation: replicas take them in turn.
  private final class Forwards implements MicrobatchSchedule.Work {
    private final Part of;
    private final long total;
    private double loss;
    private double right;
    private double labelled;

    Forwards(Part of, long total) {
      this.of = of;
      this.total = total;
    }

    /// Microbatches of this replica.
    int microbatches() {
      int data = settings().grid().data();
      int replica = settings().grid().replica(world.rank());
      long all = Math.ceilDiv(total, settings().microbatch());
      return Math.toIntExact((all - replica + data - 1) / data);
    }

    private long begin(int microbatch) {
      int data = settings().grid().data();
      int replica = settings().grid().replica(world.rank());
      return ((long) microbatch * data + replica) * settings().microbatch();
    }

    int samples(int microbatch) {
      return (int) Math.min(settings().microbatch(), total - begin(microbatch));
    }

    private void choose(int microbatch) {
      corpus.evaluationSamples(of, begin(microbatch), samples(microbatch), ids);
    }

    @Override
    public void load(int microbatch) {
      choose(microbatch);
      int count = samples(microbatch);
      corpus.inputs(of, ids, count, place.stage().samples(microbatch, count));
    }

    @Override
    public void forward(int microbatch) {
      int count = samples(microbatch);
      Microbatch samples = Microbatch.evaluation(count, begin(microbatch));
      Pass pass = new Pass(state.model(), statistics, kernels, samples);
      DenseMatrix output = place.stage().forward(microbatch, pass);
      if (place.stage().plan().last()) {
        choose(microbatch);
        int[] wanted = new int[count * corpus.labelsPerSample()];
        corpus.labels(of, ids, count, wanted);
        CrossEntropy.Evaluation found = CrossEntropy.evaluate(output, wanted, kernels.workers());
        loss += found.loss();
        right += found.right();
        labelled += found.rows();
      }
    }

    @Override
    public void backward(int microbatch, @Nullable DenseMatrix t) {
      throw new IllegalStateException("an evaluation has no backward pass");
    }
  }
}
