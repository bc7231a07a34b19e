package dev.gossamer.fullgraph;

import dev.gossamer.graph.Dataset;
import dev.gossamer.graph.Propagation;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.kernel.Dropout;
import dev.gossamer.matrix.kernel.SoftmaxCrossEntropy;
import dev.gossamer.nn.Activation;
import dev.gossamer.nn.Aggregation;
import dev.gossamer.nn.Glorot;
import dev.gossamer.nn.GraphConvolution;
import dev.gossamer.nn.Kernels;
import dev.gossamer.nn.LayerInput;
import dev.gossamer.nn.ModelState;
import dev.gossamer.nn.Phase;
import dev.gossamer.nn.optimizer.Optimizer;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.run.Confusion;
import dev.gossamer.run.EpochTrainer;
import dev.gossamer.run.Evaluation;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/// Trains a network on a whole graph held by this process: an epoch is one forward pass, one
/// backward pass and one optimizer step over all vertices (MG, section 4).
///
/// All buffers are made by the constructor, as the [NetworkPlan] said; an epoch allocates nothing
/// with a row per vertex.
public final class FullGraphTrainer implements EpochTrainer, AutoCloseable {
  private final Arena arena = Arena.ofShared();
  private final NetworkPlan plan;
  private final NetworkSettings settings;
  private final Kernels kernels;
  private final long seed;
  private final int[] labels;
  private final int[] trainRows;
  private final int[] validationRows;
  private final int[] testRows;
  private final int classes;

  private final Aggregation aggregation;
  private final InputFeatures input;
  private final DenseMatrix shared;
  private final List<DenseMatrix> outputs = new ArrayList<>();
  private final int[] predictions;
  private final ModelState state;
  private final Optimizer optimizer;

  /// Takes all memory and initialises the weights.
  ///
  /// @param dataset with features, labels and split; must outlive the trainer
  /// @param plan made for that data set and these settings
  public FullGraphTrainer(
      Dataset dataset,
      NetworkSettings settings,
      NetworkPlan plan,
      OptimizerRule rule,
      long seed,
      Kernels kernels) {
    this.plan = plan;
    this.settings = settings;
    this.kernels = kernels;
    this.seed = seed;
    labels = dataset.labels();
    classes = dataset.classes();
    trainRows = rowsOf(dataset, Split.TRAIN);
    validationRows = rowsOf(dataset, Split.VALIDATION);
    testRows = rowsOf(dataset, Split.TEST);

    aggregation = aggregationOver(dataset);
    shared = plan.buffers().allocate(arena, NetworkPlan.SHARED);
    for (int l = 0; l < plan.layers().size(); l++) {
      outputs.add(plan.buffers().allocate(arena, NetworkPlan.layer(l)));
    }
    input = InputFeatures.of(arena, dataset.features(), plan, settings, aggregation, seed, kernels);
    predictions = new int[dataset.vertices()];
    state = new ModelState(arena, plan.layout());
    optimizer = new Optimizer(arena, rule, plan.layout());
    Glorot.initialise(state, seed);
  }

  private Aggregation aggregationOver(Dataset dataset) {
    if (settings.model() == NetworkSettings.Model.MLP) {
      return Aggregation.IDENTITY;
    }
    Propagation propagation =
        Propagation.of(
            arena,
            dataset.adjacency(),
            dataset.info().directed(),
            settings.normalisation(),
            settings.selfLoops());
    return new WholeGraph(propagation, kernels);
  }

  @Override
  public double train(int epoch, double learningRate) {
    LayerInput features = input.forTraining(epoch);
    forward(features, epoch);
    DenseMatrix logits = outputs.getLast();
    double loss = SoftmaxCrossEntropy.lossAndGradient(logits, labels, trainRows, kernels.workers());
    backward(features, epoch);
    optimizer.step(state, learningRate, kernels.workers());
    return loss;
  }

  private void forward(LayerInput features, int epoch) {
    for (int l = 0; l < outputs.size(); l++) {
      layer(l)
          .forward(
              inputOf(l, features),
              aggregation,
              shared,
              outputs.get(l),
              activation(l, epoch),
              state,
              kernels);
    }
  }

  private void backward(LayerInput features, int epoch) {
    for (int l = outputs.size() - 1; l >= 0; l--) {
      DenseMatrix s =
          layer(l)
              .backward(inputOf(l, features), aggregation, outputs.get(l), shared, state, kernels);
      if (l > 0) {
        layer(l).inputGradient(s, outputs.get(l - 1), activation(l - 1, epoch), state, kernels);
      }
    }
  }

  private GraphConvolution layer(int l) {
    return plan.layers().get(l);
  }

  private LayerInput inputOf(int l, LayerInput features) {
    return l == 0 ? features : new LayerInput.Dense(outputs.get(l - 1));
  }

  /// The activation behind a layer.
  ///
  /// @param epoch whose dropout is drawn, or -1 for evaluation
  private Activation activation(int l, int epoch) {
    if (l == outputs.size() - 1) {
      return Activation.NONE;
    }
    return epoch < 0 || settings.dropout() == 0
        ? Activation.RELU
        : Activation.reluWithDropout(
            new Dropout(seed, l + 1, (float) settings.dropout()), epoch, 0);
  }

  @Override
  public Evaluation evaluate() {
    DenseMatrix probabilities = probabilities();
    SoftmaxCrossEntropy.argmax(probabilities, predictions, kernels.workers());
    return new Evaluation(scores(trainRows), scores(validationRows), scores(testRows));
  }

  private Evaluation.Scores scores(int[] rows) {
    Confusion confusion = new Confusion(classes);
    double loss = 0;
    for (int v : rows) {
      confusion.add(labels[v], predictions[v]);
      loss -= Math.log(Math.max(outputs.getLast().get(v, labels[v]), Float.MIN_NORMAL));
    }
    return new Evaluation.Scores(
        rows.length, loss / Math.max(1, rows.length), confusion.accuracy(), confusion.macroF1());
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
  public ModelState state() {
    return state;
  }

  @Override
  public Optimizer optimizer() {
    return optimizer;
  }

  @Override
  public Map<Phase, Double> takePhases() {
    return kernels.clock().take();
  }

  /// Frees all memory of the trainer.
  @Override
  public void close() {
    arena.close();
  }

  private static int[] rowsOf(Dataset dataset, Split part) {
    byte[] split = dataset.split();
    return IntStream.range(0, split.length)
        .filter(v -> split[v] == part.code() && dataset.labels()[v] != Dataset.UNLABELLED)
        .toArray();
  }
}
