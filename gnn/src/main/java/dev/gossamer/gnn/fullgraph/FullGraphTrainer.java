package dev.gossamer.gnn.fullgraph;

import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.SoftmaxCrossEntropy;
import dev.gossamer.nn.Activation;
import dev.gossamer.nn.DenseState;
import dev.gossamer.nn.Glorot;
import dev.gossamer.nn.GraphLayer;
import dev.gossamer.nn.Kernels;
import dev.gossamer.nn.LayerInput;
import dev.gossamer.nn.LayerPass;
import dev.gossamer.nn.Phase;
import dev.gossamer.nn.PhaseClock;
import dev.gossamer.nn.optimizer.Optimizer;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.run.EpochTrainer;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.Scoring;
import dev.gossamer.run.Team;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/// Trains a network on a whole graph: an epoch is one forward pass, one backward pass and one
/// optimizer step over all vertices (MG, section 4), which are all here or spread over ranks (SA,
/// section 4). Weights are the same on all ranks; their gradients are added up once an epoch.
///
/// All buffers are made by the constructor, as the [NetworkPlan] said; an epoch allocates nothing
/// with a row per vertex.
public final class FullGraphTrainer implements EpochTrainer, AutoCloseable {
  private final Arena arena;
  private final Shard shard;
  private final NetworkPlan plan;
  private final NetworkSettings settings;
  private final Kernels kernels;
  private final long seed;
  private final int[] trainRows;
  private final int[] validationRows;
  private final int[] testRows;
  private final long trainCount;

  private final InputFeatures input;
  private final DenseMatrix shared;
  private final List<DenseMatrix> outputs = new ArrayList<>();
  private final List<DenseMatrix> kept = new ArrayList<>();
  private final int[] predictions;
  private final List<String> forwardNames;
  private final List<String> backwardNames;
  private final DenseState state;
  private final Optimizer optimizer;

  /// Trains on a whole data set. Takes all memory and initialises the weights.
  ///
  /// @param dataset with features, labels and split; must outlive the trainer
  /// @param plan made for that data set and these settings
  public FullGraphTrainer(
      GraphData dataset,
      NetworkSettings settings,
      NetworkPlan plan,
      OptimizerRule rule,
      long seed,
      Kernels kernels) {
    Arena owned = Arena.ofShared();
    this(
        owned, Shard.whole(owned, dataset, settings, kernels), settings, plan, rule, seed, kernels);
  }

  /// Trains on a rank's share. Takes all memory and initialises the weights, alike on all ranks.
  /// Collective.
  ///
  /// @param arena shared; closed by [#close]
  /// @param plan made for the shard's rows and these settings
  public FullGraphTrainer(
      Arena arena,
      Shard shard,
      NetworkSettings settings,
      NetworkPlan plan,
      OptimizerRule rule,
      long seed,
      Kernels kernels) {
    this.arena = arena;
    this.shard = shard;
    this.plan = plan;
    this.settings = settings;
    this.kernels = kernels;
    this.seed = seed;
    trainRows = rowsOf(Split.TRAIN);
    validationRows = rowsOf(Split.VALIDATION);
    testRows = rowsOf(Split.TEST);
    trainCount = (long) shard.team().sum(trainRows.length)[0];
    shared = plan.buffers().allocate(arena, NetworkPlan.SHARED);
    for (int l = 0; l < plan.network().layers().size(); l++) {
      outputs.add(plan.buffers().allocate(arena, NetworkPlan.layer(l)));
      kept.add(
          plan.buffers().has(NetworkPlan.kept(l))
              ? plan.buffers().allocate(arena, NetworkPlan.kept(l))
              : shared.reshaped(0, 0));
    }
    input = InputFeatures.of(arena, shard, plan, settings, seed, kernels);
    predictions = new int[shard.rows()];
    forwardNames = steps("forward");
    backwardNames = steps("backward");
    state = new DenseState(arena, plan.network().layout());
    optimizer = new Optimizer(arena, rule, plan.network().layout());
    Glorot.initialise(state, seed);
  }

  private List<String> steps(String pass) {
    return IntStream.rangeClosed(1, plan.network().layers().size())
        .mapToObj(l -> "layer %d %s".formatted(l, pass))
        .toList();
  }

  @Override
  public double train(int epoch, double learningRate) {
    PhaseClock clock = kernels.clock();
    try (var _ = clock.epoch(epoch + 1)) {
      InputFeatures.Rows features = input.forTraining(epoch);
      forward(features, epoch);
      double loss = lossAndGradient();
      backward(features, epoch);
      clock.measure(Phase.REDUCE, "allreduce gradients", () -> shard.team().sum(state.gradients()));
      try (var _ = clock.step("optimizer")) {
        optimizer.step(state, learningRate, kernels.workers());
      }
      return clock.measured(Phase.REDUCE, "allreduce loss", () -> shard.team().sum(loss)[0]);
    }
  }

  private double lossAndGradient() {
    try (var _ = kernels.clock().step("loss")) {
      return SoftmaxCrossEntropy.lossAndGradient(
          outputs.getLast(), shard.labels(), trainRows, trainCount, kernels.workers());
    }
  }

  private void forward(InputFeatures.Rows features, int epoch) {
    for (int l = 0; l < outputs.size(); l++) {
      try (var _ = kernels.clock().step(forwardNames.get(l))) {
        layer(l).forward(pass(l, features, epoch), activation(l, epoch), state, kernels);
      }
    }
  }

  private void backward(InputFeatures.Rows features, int epoch) {
    for (int l = outputs.size() - 1; l >= 0; l--) {
      try (var _ = kernels.clock().step(backwardNames.get(l))) {
        LayerPass pass = pass(l, features, epoch);
        layer(l).backward(pass, state, kernels);
        if (l > 0) {
          layer(l)
              .inputGradient(pass, outputs.get(l - 1), activation(l - 1, epoch), state, kernels);
        }
      }
    }
  }

  private GraphLayer layer(int l) {
    return plan.network().layers().get(l);
  }

  /// @param epoch whose dropout is drawn, or -1 for evaluation
  private LayerPass pass(int l, InputFeatures.Rows features, int epoch) {
    InputFeatures.Rows input =
        l == 0 ? features : new InputFeatures.Rows(new LayerInput.Dense(outputs.get(l - 1)));
    return new LayerPass(
        input.own(),
        input.sources(),
        shard.graph(),
        epoch < 0 ? null : settings.attentionDropout(l, seed, epoch),
        shared,
        kept.get(l),
        outputs.get(l));
  }

  /// The activation behind a layer.
  ///
  /// @param epoch whose dropout is drawn, or -1 for evaluation
  private Activation activation(int l, int epoch) {
    return epoch < 0 ? settings.activation(l) : settings.activation(l, seed, epoch, shard.ids());
  }

  @Override
  public Evaluation evaluate() {
    try (var _ = kernels.clock().step("evaluation")) {
      DenseMatrix probabilities = probabilities();
      SoftmaxCrossEntropy.argmax(probabilities, predictions, kernels.workers());
      return new Evaluation(scores(trainRows), scores(validationRows), scores(testRows));
    }
  }

  private Evaluation.Scores scores(int[] rows) {
    return Scoring.scores(
        outputs.getLast(), predictions, shard.labels(), rows, shard.classes(), shard.team());
  }

  /// Class probabilities of every vertex (`n x classes`). Borrowed: the next pass overwrites them.
  public DenseMatrix probabilities() {
    forward(input.forEvaluation(), -1);
    DenseMatrix logits = outputs.getLast();
    SoftmaxCrossEntropy.softmax(logits, kernels.workers());
    return logits;
  }

  /// Whether there is a hidden layer.
  public boolean hasEmbeddings() {
    return outputs.size() > 1;
  }

  /// The last hidden layer's activations of every vertex as the last evaluation or prediction left
  /// them. Borrowed: the next pass overwrites them.
  ///
  /// @throws IllegalStateException if the network has no hidden layer
  public DenseMatrix embeddings() {
    if (!hasEmbeddings()) {
      throw new IllegalStateException("a network of one layer has no embeddings");
    }
    return outputs.get(outputs.size() - 2);
  }

  @Override
  public DenseState state() {
    return state;
  }

  @Override
  public Optimizer optimizer() {
    return optimizer;
  }

  @Override
  public Map<Phase, Double> takePhases() {
    return takePhases(shard.team());
  }

  /// The largest over some ranks. Collective for them.
  Map<Phase, Double> takePhases(Team ranks) {
    return ranks.largest(kernels.clock().take());
  }

  @Override
  public boolean anyRank(boolean value) {
    return shard.team().max(value ? 1 : 0)[0] > 0;
  }

  /// Frees all memory of the trainer.
  @Override
  public void close() {
    arena.close();
  }

  private int[] rowsOf(Split part) {
    byte[] split = shard.split();
    return IntStream.range(0, split.length)
        .filter(v -> split[v] == part.code() && shard.labels()[v] != GraphData.UNLABELLED)
        .toArray();
  }
}
