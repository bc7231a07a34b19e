package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.link.LinkDecoder;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.stack.Appnp;
import dev.gossamer.gnn.stack.Finish;
import dev.gossamer.gnn.stack.Gat;
import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.Gcnii;
import dev.gossamer.gnn.stack.Gin;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.Mlp;
import dev.gossamer.gnn.stack.NetworkSettings.Decayed;
import dev.gossamer.gnn.stack.Rgcn;
import dev.gossamer.gnn.stack.Rsage;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.gnn.stack.Sgc;
import dev.gossamer.gnn.stack.Sign;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.planner.Cluster;
import dev.gossamer.run.EpochRecord;
import dev.gossamer.run.Metric;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Trains a graph network on a data set, which gives a [GraphModel]. Immutable: each method returns
/// a changed copy, so that variants can share settings.
///
/// ```java
/// GraphModel model = GraphTraining.on(Dataset.open(path)).gcn(64).epochs(100).run();
/// ```
///
/// Settings that are not set have the defaults of the command line. The same settings and seed give
/// bit-identical results, for any number of threads. Under a launcher such as `mpirun` every
/// process calls the same methods and is one rank.
public final class GraphTraining {
  private final Dataset dataset;
  private final TrainingSettings settings;
  private final Surroundings surroundings;

  /// What is known of the machines.
  ///
  /// @param cluster rates and links of the machines
  /// @param open how ranks may share a whole graph; null if that is set
  record Outlook(Cluster cluster, @Nullable ExchangeSpace open) {}

  /// Settings that do not change what is computed, except the split that is drawn.
  ///
  /// @param output what is written where
  /// @param listener is notified of progress
  /// @param stop asks it to stop
  /// @param split drawn if the data set has none
  /// @param outlook what is known of the machines; null for nothing
  record Surroundings(
      RunOutput output,
      TrainingListener listener,
      StopSignal stop,
      SplitProportions split,
      @Nullable Outlook outlook) {
    Surroundings with(RunOutput other) {
      return new Surroundings(other, listener, stop, split, outlook);
    }

    Surroundings with(TrainingListener other) {
      return new Surroundings(output, other, stop, split, outlook);
    }

    Surroundings with(StopSignal other) {
      return new Surroundings(output, listener, other, split, outlook);
    }

    Surroundings with(SplitProportions other) {
      return new Surroundings(output, listener, stop, other, outlook);
    }

    Surroundings with(Outlook other) {
      return new Surroundings(output, listener, stop, split, other);
    }
  }

  private GraphTraining(Dataset dataset, TrainingSettings settings, Surroundings surroundings) {
    this.dataset = dataset;
    this.settings = settings;
    this.surroundings = surroundings;
  }

  /// Begins with a data set and the defaults: a graph convolutional network with one hidden layer
  /// of [dev.gossamer.gnn.stack.NetworkSettings#DEFAULT_HIDDEN], trained on the whole graph on one
  /// rank.
  ///
  /// @param dataset with features and classes; if it has no split, one is drawn
  ///   ([SplitProportions#DEFAULT]) and the listener is told; borrowed
  /// @return a training to run
  public static GraphTraining on(Dataset dataset) {
    return new GraphTraining(
        Objects.requireNonNull(dataset, "dataset: expected one, found null"),
        TrainingSettings.DEFAULT,
        new Surroundings(
            RunOutput.NONE,
            TrainingListener.SILENT,
            new StopSignal(),
            SplitProportions.DEFAULT,
            null));
  }

  /// Replaces all settings that decide what is computed.
  ///
  /// @param other network, mode, learning, ranks, machine and seed
  /// @return the changed copy
  public GraphTraining settings(TrainingSettings other) {
    return new GraphTraining(dataset, other, surroundings);
  }

  /// {@return all settings that decide what is computed}
  public TrainingSettings settings() {
    return settings;
  }

  /// Uses graph convolutions.
  ///
  /// @param hidden width of each hidden layer; none for a single layer
  /// @return the changed copy
  public GraphTraining gcn(int... hidden) {
    return layers(new Gcn(), hidden);
  }

  /// Uses GraphSAGE with the mean over the neighbours.
  ///
  /// @param hidden width of each hidden layer; none for a single layer
  /// @return the changed copy
  public GraphTraining sage(int... hidden) {
    return layers(new Sage(), hidden);
  }

  /// Uses graph attention with [Gat#DEFAULT_HEADS] heads.
  ///
  /// @param hidden width of each hidden layer, summed over its heads; none for a single layer
  /// @return the changed copy
  public GraphTraining gat(int... hidden) {
    return layers(new Gat(), hidden);
  }

  /// Uses graph isomorphism networks.
  ///
  /// @param hidden width of each hidden layer; none for a single layer
  /// @return the changed copy
  public GraphTraining gin(int... hidden) {
    return layers(new Gin(), hidden);
  }

  /// Uses a perceptron whose predictions are propagated [Appnp#DEFAULT_HOPS] times.
  ///
  /// @param hidden width of each hidden layer of the perceptron; none for a single layer
  /// @return the changed copy
  public GraphTraining appnp(int... hidden) {
    return layers(new Appnp(), hidden);
  }

  /// Uses deep convolutions with initial residual and identity mapping.
  ///
  /// @param convolutions number of convolutions
  /// @param width of each
  /// @return the changed copy
  public GraphTraining gcnii(int convolutions, int width) {
    return architecture(
        settings.architecture().withLayers(new Gcnii(), Collections.nCopies(convolutions, width)));
  }

  /// Uses a logistic regression on features that are propagated [Sgc#DEFAULT_HOPS] times, once
  /// before the first epoch.
  ///
  /// @return the changed copy
  public GraphTraining sgc() {
    return layers(new Sgc());
  }

  /// Uses a perceptron on the features of [Sign#DEFAULT_HOPS] hops, side by side, which are
  /// computed once before the first epoch.
  ///
  /// @param hidden width of each hidden layer, the first for each hop; at least one
  /// @return the changed copy
  public GraphTraining sign(int... hidden) {
    return layers(new Sign(), hidden);
  }

  /// Uses relational graph convolutions, which tell types of edges and their directions apart, with
  /// at most [Rgcn#DEFAULT_BASES] bases.
  ///
  /// @param hidden width of each hidden layer; none for a single layer
  /// @return the changed copy
  public GraphTraining rgcn(int... hidden) {
    return layers(new Rgcn(), hidden);
  }

  /// Uses GraphSAGE with weights of its own for each type of edges and each direction.
  ///
  /// @param hidden width of each hidden layer; none for a single layer
  /// @return the changed copy
  public GraphTraining rsage(int... hidden) {
    return layers(new Rsage(), hidden);
  }

  /// Uses the layers of [#gcn] without the graph, as a baseline.
  ///
  /// @param hidden width of each hidden layer; none for a single layer
  /// @return the changed copy
  public GraphTraining mlp(int... hidden) {
    return layers(new Mlp(), hidden);
  }

  /// Uses any kind of layer.
  ///
  /// @param kind what a layer is
  /// @param hidden width of each hidden layer; none for a single layer
  /// @return the changed copy
  public GraphTraining layers(LayerKind kind, int... hidden) {
    return architecture(
        settings.architecture().withLayers(kind, Arrays.stream(hidden).boxed().toList()));
  }

  /// Replaces all settings of the network.
  ///
  /// @param other the network
  /// @return the changed copy
  public GraphTraining architecture(Architecture other) {
    return settings(settings.withArchitecture(other));
  }

  /// Sets the dropout rates of hidden activations and of input features.
  ///
  /// @param hidden rate for hidden activations
  /// @param input rate for input features
  /// @return the changed copy
  public GraphTraining dropout(double hidden, double input) {
    double edges = settings.architecture().dropout().edgeDropout();
    return architecture(
        settings.architecture().withDropout(new Architecture.DropoutRates(hidden, input, edges)));
  }

  /// Sets the dropout rate of edges in training; none by default. See
  /// [dev.gossamer.gnn.stack.NetworkSettings#droppedEdges].
  ///
  /// @param rate probability that a step drops the edges between two vertices
  /// @return the changed copy
  public GraphTraining edgeDropout(double rate) {
    Architecture network = settings.architecture();
    return architecture(network.withDropout(network.dropout().withEdges(rate)));
  }

  /// Sets how features are scaled before the network reads them. The model stores the scaling.
  ///
  /// @param scaling none, by row, or to a standard scale
  /// @return the changed copy
  public GraphTraining featureScaling(Architecture.FeatureScaling scaling) {
    return architecture(settings.architecture().withFeatureScaling(scaling));
  }

  /// Sets what is around the graph layers, besides dropout.
  ///
  /// @param other activation, normalisation, residual connections, jumping knowledge and dense
  ///   layers
  /// @return a changed copy
  public GraphTraining finish(Finish other) {
    return architecture(settings.architecture().withFinish(other));
  }

  /// Sets how edges follow from the vectors of vertices, if edges are predicted.
  ///
  /// @param kind of decoder
  /// @return a changed copy
  public GraphTraining decoder(LinkDecoder.Kind kind) {
    return architecture(settings.architecture().withDecoder(kind));
  }

  /// Sets the maximum number of epochs.
  ///
  /// @param epochs at least 1
  /// @return the changed copy
  /// @throws InvalidSettingException if it is less than 1
  public GraphTraining epochs(int epochs) {
    return learning(settings.learning().withPace(pace().withEpochs(epochs)));
  }

  /// Sets the validation score by which the weights of the best epoch are kept, and by which
  /// [#patience] judges.
  ///
  /// @param metric that the data has: areas under curves need two classes
  /// @return the changed copy
  public GraphTraining selectBy(Metric metric) {
    return learning(settings.learning().withPace(pace().withSelectBy(metric)));
  }

  /// Sets the number of epochs without a better validation score ([#selectBy]) after which training
  /// stops, at an evaluation; 0 for never.
  ///
  /// @param epochs at least 0
  /// @return the changed copy
  /// @throws InvalidSettingException if it is negative
  public GraphTraining patience(int epochs) {
    return learning(settings.learning().withPace(pace().withPatience(epochs)));
  }

  /// Sets what training minimises: another loss, label smoothing, or weights of classes.
  ///
  /// @param other start with [LossSettings#DEFAULT]
  /// @return the changed copy
  public GraphTraining loss(LossSettings other) {
    return learning(settings.learning().withLoss(other));
  }

  /// Sets the initial learning rate.
  ///
  /// @param rate positive
  /// @return the changed copy
  /// @throws InvalidSettingException if it is not positive
  public GraphTraining learningRate(double rate) {
    return learning(settings.learning().withLearningRate(rate));
  }

  /// Sets the optimizer. Its weight decay applies to all weights.
  ///
  /// @param rule the optimizer and its parameters
  /// @return the changed copy
  public GraphTraining optimizer(OptimizerRule rule) {
    return learning(settings.learning().withOptimizer(rule, Decayed.ALL));
  }

  /// Sets the learning rate schedule.
  ///
  /// @param schedule applied to the initial rate
  /// @return the changed copy
  public GraphTraining schedule(Schedule schedule) {
    return learning(settings.learning().withSchedule(schedule));
  }

  /// Replaces all settings of learning.
  ///
  /// @param other how weights are learned
  /// @return the changed copy
  public GraphTraining learning(LearningSettings other) {
    return settings(settings.withLearning(other));
  }

  private LearningSettings.Pace pace() {
    return settings.learning().pace();
  }

  /// Trains on minibatches of sampled neighbourhoods.
  ///
  /// @param sampler with as many layers as the network: `Sampler.sage(15, 10)`
  /// @return the changed copy
  public GraphTraining minibatches(Sampler sampler) {
    return minibatches(MinibatchSettings.of(sampler).withAutomaticBulk());
  }

  /// Trains on minibatches.
  ///
  /// @param settings how minibatches are made
  /// @return the changed copy
  public GraphTraining minibatches(MinibatchSettings settings) {
    return mode(new TrainingMode.Minibatch(settings));
  }

  /// Trains on the whole graph if that fits in memory, else on minibatches ([TrainingMode.Auto]);
  /// the listener is told ([TrainingListener#minibatchesNeeded]).
  ///
  /// @param settings how minibatches would be made
  /// @return the changed copy
  public GraphTraining minibatchesIfNeeded(MinibatchSettings settings) {
    return mode(new TrainingMode.Auto(settings));
  }

  /// Trains on the whole graph: one step per epoch.
  ///
  /// @return the changed copy
  public GraphTraining wholeGraph() {
    return mode(new TrainingMode.FullGraph());
  }

  private GraphTraining mode(TrainingMode other) {
    return settings(settings.withMode(other));
  }

  /// Sets the number of ranks, which are threads of this process. Under a launcher, its processes
  /// are the ranks, and nothing needs to be set.
  ///
  /// @param count at least 1
  /// @return the changed copy
  /// @throws InvalidSettingException if it is less than 1
  public GraphTraining ranks(int count) {
    return ranks(settings.ranks().withCount(count));
  }

  /// Replaces all settings of the ranks.
  ///
  /// @param other how many, and how they exchange rows
  /// @return the changed copy
  public GraphTraining ranks(RankSettings other) {
    return settings(settings.withRanks(other));
  }

  /// Sets the number of threads of the process. Results do not depend on it.
  ///
  /// @param count at least 1; the ranks of the process share them
  /// @return the changed copy
  public GraphTraining threads(int count) {
    return machine(settings.machine().withThreads(count));
  }

  /// Sets the maximum memory of the process. A training that would not fit is refused before it
  /// starts.
  ///
  /// @param bytes of the process, the graph included
  /// @return the changed copy
  public GraphTraining memory(long bytes) {
    return machine(settings.machine().withMemory(bytes));
  }

  /// Replaces all settings of the machine.
  ///
  /// @param other what may be used of the machine
  /// @return the changed copy
  public GraphTraining machine(MachineSettings other) {
    return settings(settings.withMachine(other));
  }

  /// Plans the training before it begins. The listener is notified of the planned cost of an epoch
  /// ([TrainingPlan#cost]).
  ///
  /// @param cluster rates and links of the machines; a single node stands for this one, within the
  ///   settings of [#machine]
  /// @return the changed copy
  public GraphTraining planned(Cluster cluster) {
    return with(all -> all.with(new Outlook(cluster, null)));
  }

  /// Plans the training before it begins and chooses how ranks share a whole graph: the usual way,
  /// unless another saves a tenth of an epoch ([TrainingListener#chosen]). Results are
  /// bit-identical only for the same choice, which depends on the rates of the machines. A resumed
  /// run keeps its choice.
  ///
  /// @param cluster rates and links of the machines, as above
  /// @param open what may be chosen; replaces the strategy and placement of the ranks
  /// @return the changed copy
  public GraphTraining planned(Cluster cluster, ExchangeSpace open) {
    return with(all -> all.with(new Outlook(cluster, open)));
  }

  /// Sets the seed of weights, dropout and samples.
  ///
  /// @param seed any number
  /// @return the changed copy
  public GraphTraining seed(long seed) {
    return settings(settings.withSeed(seed));
  }

  /// Sets the split that is drawn if the data set has none.
  ///
  /// @param proportions of the parts
  /// @return the changed copy
  public GraphTraining split(SplitProportions proportions) {
    return with(all -> all.with(proportions));
  }

  /// Sets a listener that is notified after each epoch. Replaces an earlier listener.
  ///
  /// @param listener called from the thread that trains
  /// @return the changed copy
  public GraphTraining onEpoch(Consumer<EpochRecord> listener) {
    return listener(
        new TrainingListener() {
          @Override
          public void epoch(EpochRecord record) {
            listener.accept(record);
          }
        });
  }

  /// Sets the listener. Replaces an earlier one.
  ///
  /// @param other called from the thread that trains
  /// @return the changed copy
  public GraphTraining listener(TrainingListener other) {
    return with(all -> all.with(other));
  }

  /// Sets a signal by which the training can be asked to stop.
  ///
  /// @param signal given from any thread
  /// @return the changed copy
  public GraphTraining stopOn(StopSignal signal) {
    return with(all -> all.with(signal));
  }

  /// Writes a run folder `PARENT/TIME-NAME` with metrics, checkpoints, the model and the traffic.
  ///
  /// @param parent made if it does not exist
  /// @return the changed copy
  public GraphTraining folder(Path parent) {
    return output(RunOutput.in(parent));
  }

  /// Resumes the run in a folder from its checkpoint. With the same settings, results are
  /// bit-identical to an uninterrupted run.
  ///
  /// @param folder of the run
  /// @return the changed copy
  public GraphTraining resume(Path folder) {
    return output(RunOutput.resumed(folder));
  }

  /// Replaces all settings of what is written.
  ///
  /// @param other what is written where
  /// @return the changed copy
  public GraphTraining output(RunOutput other) {
    return with(all -> all.with(other));
  }

  private GraphTraining with(UnaryOperator<Surroundings> change) {
    return new GraphTraining(dataset, settings, change.apply(surroundings));
  }

  /// Trains.
  ///
  /// @return the model with the weights of the best validation epoch
  /// @throws dev.gossamer.base.InvalidInputException before training, if the settings do not suit
  ///   the data or memory does not suffice
  /// @throws dev.gossamer.base.TrainingFailedException if the loss or the weights are not finite
  public GraphModel run() {
    return train().model();
  }

  /// Trains, and returns the model together with scores and records.
  ///
  /// @return the model, its scores, how training ended, and a record per epoch
  /// @throws dev.gossamer.base.InvalidInputException as [#run]
  /// @throws dev.gossamer.base.TrainingFailedException as [#run]
  public TrainingResult train() {
    try (Arena arena = Arena.ofShared()) {
      return new TrainingRun(arena, this).run();
    }
  }

  Dataset dataset() {
    return dataset;
  }

  Surroundings surroundings() {
    return surroundings;
  }
}
