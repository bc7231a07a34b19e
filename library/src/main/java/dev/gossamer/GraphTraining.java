package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.stack.Gat;
import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.Mlp;
import dev.gossamer.gnn.stack.NetworkSettings.Decayed;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.planner.Cluster;
import dev.gossamer.run.EpochRecord;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A training of a graph network, from a data set to a [GraphModel]. Immutable: each method gives
/// another training, so that variants share what they have in common.
///
/// ```java
/// GraphModel model = GraphTraining.on(Dataset.open(path)).gcn(64).epochs(100).run();
/// ```
///
/// Everything that is not set has the default of the command line. The same settings and seed give
/// the same bits, for any number of threads. Under a launcher such as `mpirun` every process calls
/// the same methods, and becomes one rank.
public final class GraphTraining {
  private final Dataset dataset;
  private final TrainingSettings settings;
  private final Surroundings surroundings;

  /// What a training is planned by.
  ///
  /// @param cluster what the machines do
  /// @param open how ranks may share a whole graph; null if that is set
  record Outlook(Cluster cluster, @Nullable ExchangeSpace open) {}

  /// What is around a training and changes nothing that it computes, but for a split that is drawn.
  ///
  /// @param output what is written where
  /// @param listener hears how it goes
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

  /// Everything that decides what is computed, at once.
  ///
  /// @param other network, mode, learning, ranks, machine and seed
  /// @return the changed copy
  public GraphTraining settings(TrainingSettings other) {
    return new GraphTraining(dataset, other, surroundings);
  }

  /// {@return everything that decides what is computed}
  public TrainingSettings settings() {
    return settings;
  }

  /// Graph convolutions.
  ///
  /// @param hidden width of each hidden layer; none for a single layer
  /// @return the changed copy
  public GraphTraining gcn(int... hidden) {
    return layers(new Gcn(), hidden);
  }

  /// GraphSAGE with the mean over the neighbours.
  ///
  /// @param hidden width of each hidden layer; none for a single layer
  /// @return the changed copy
  public GraphTraining sage(int... hidden) {
    return layers(new Sage(), hidden);
  }

  /// Graph attention with [Gat#DEFAULT_HEADS] heads.
  ///
  /// @param hidden width of each hidden layer, that of all heads together; none for a single layer
  /// @return the changed copy
  public GraphTraining gat(int... hidden) {
    return layers(new Gat(), hidden);
  }

  /// The layers of [#gcn] without the graph: what the graph is worth is the difference.
  ///
  /// @param hidden width of each hidden layer; none for a single layer
  /// @return the changed copy
  public GraphTraining mlp(int... hidden) {
    return layers(new Mlp(), hidden);
  }

  /// Any kind of layers.
  ///
  /// @param kind what a layer is
  /// @param hidden width of each hidden layer; none for a single layer
  /// @return the changed copy
  public GraphTraining layers(LayerKind kind, int... hidden) {
    return architecture(
        settings.architecture().withLayers(kind, Arrays.stream(hidden).boxed().toList()));
  }

  /// Everything about the network at once.
  ///
  /// @param other the network
  /// @return the changed copy
  public GraphTraining architecture(Architecture other) {
    return settings(settings.withArchitecture(other));
  }

  /// Shares that training drops of hidden activations and of input features.
  ///
  /// @param hidden share of hidden activations
  /// @param input share of input features
  /// @return the changed copy
  public GraphTraining dropout(double hidden, double input) {
    return architecture(
        settings.architecture().withDropout(new Architecture.DropoutRates(hidden, input)));
  }

  /// What is done to features before the network reads them; the model remembers it.
  ///
  /// @param scaling none, by row, or to a standard scale
  /// @return the changed copy
  public GraphTraining featureScaling(Architecture.FeatureScaling scaling) {
    return architecture(settings.architecture().withFeatureScaling(scaling));
  }

  /// How many epochs, at most.
  ///
  /// @param epochs at least 1
  /// @return the changed copy
  /// @throws InvalidSettingException if it is less than 1
  public GraphTraining epochs(int epochs) {
    return learning(settings.learning().withPace(pace().withEpochs(epochs)));
  }

  /// After how many epochs without a better validation accuracy to stop; 0 for never.
  ///
  /// @param epochs at least 0
  /// @return the changed copy
  /// @throws InvalidSettingException if it is negative
  public GraphTraining patience(int epochs) {
    return learning(settings.learning().withPace(pace().withPatience(epochs)));
  }

  /// The learning rate at the beginning.
  ///
  /// @param rate positive
  /// @return the changed copy
  /// @throws InvalidSettingException if it is not positive
  public GraphTraining learningRate(double rate) {
    return learning(settings.learning().withLearningRate(rate));
  }

  /// The optimizer, whose decay pulls at all weights.
  ///
  /// @param rule by which weights follow their gradients
  /// @return the changed copy
  public GraphTraining optimizer(OptimizerRule rule) {
    return learning(settings.learning().withOptimizer(rule, Decayed.ALL));
  }

  /// How the learning rate changes.
  ///
  /// @param schedule from the rate at the beginning on
  /// @return the changed copy
  public GraphTraining schedule(Schedule schedule) {
    return learning(settings.learning().withSchedule(schedule));
  }

  /// Everything about learning at once.
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

  /// How many ranks, as threads of this process. Under a launcher, its processes are the ranks and
  /// nothing is to be set.
  ///
  /// @param count at least 1
  /// @return the changed copy
  /// @throws InvalidSettingException if it is less than 1
  public GraphTraining ranks(int count) {
    return ranks(settings.ranks().withCount(count));
  }

  /// Everything about ranks at once.
  ///
  /// @param other how many, and what travels between them
  /// @return the changed copy
  public GraphTraining ranks(RankSettings other) {
    return settings(settings.withRanks(other));
  }

  /// How many threads the process uses. Results do not depend on it.
  ///
  /// @param count at least 1; the ranks of the process share them
  /// @return the changed copy
  public GraphTraining threads(int count) {
    return machine(settings.machine().withThreads(count));
  }

  /// How many bytes the process may take: a training that would not fit is refused before it
  /// starts.
  ///
  /// @param bytes of the process, the graph included
  /// @return the changed copy
  public GraphTraining memory(long bytes) {
    return machine(settings.machine().withMemory(bytes));
  }

  /// Everything about the machine at once.
  ///
  /// @param other what may be used of the machine
  /// @return the changed copy
  public GraphTraining machine(MachineSettings other) {
    return settings(settings.withMachine(other));
  }

  /// Plans the training before it begins: the listener hears what an epoch is to take
  /// ([TrainingPlan#cost]).
  ///
  /// @param cluster what the machines do; a single node stands for this one, of which is used what
  ///   may be used
  /// @return the changed copy
  public GraphTraining planned(Cluster cluster) {
    return with(all -> all.with(new Outlook(cluster, null)));
  }

  /// Plans the training before it begins, and lets it choose how ranks share a whole graph: as is
  /// usual, unless another way saves a tenth of an epoch ([TrainingListener#chosen]). Bits of
  /// results depend on the choice, and so on what the machines do. A run that is resumed has
  /// nothing to choose.
  ///
  /// @param cluster what the machines do, as above
  /// @param open what may be chosen; strategy and placement of the ranks are not read
  /// @return the changed copy
  public GraphTraining planned(Cluster cluster, ExchangeSpace open) {
    return with(all -> all.with(new Outlook(cluster, open)));
  }

  /// Another seed of weights, dropout and samples.
  ///
  /// @param seed any number
  /// @return the changed copy
  public GraphTraining seed(long seed) {
    return settings(settings.withSeed(seed));
  }

  /// The split that is drawn if the data set has none.
  ///
  /// @param proportions of the parts
  /// @return the changed copy
  public GraphTraining split(SplitProportions proportions) {
    return with(all -> all.with(proportions));
  }

  /// Hears of every epoch. Replaces an earlier listener.
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

  /// Hears of everything. Replaces an earlier listener.
  ///
  /// @param other called from the thread that trains
  /// @return the changed copy
  public GraphTraining listener(TrainingListener other) {
    return with(all -> all.with(other));
  }

  /// Asks the training to stop.
  ///
  /// @param signal that somebody may give
  /// @return the changed copy
  public GraphTraining stopOn(StopSignal signal) {
    return with(all -> all.with(signal));
  }

  /// Leaves a run folder `PARENT/TIME-NAME` with metrics, checkpoints, the model and the traffic.
  ///
  /// @param parent made if it does not exist
  /// @return the changed copy
  public GraphTraining folder(Path parent) {
    return output(RunOutput.in(parent));
  }

  /// Continues the run in a folder from its checkpoint, with results that are bit-identical to an
  /// uninterrupted run if the settings are the same.
  ///
  /// @param folder of the run
  /// @return the changed copy
  public GraphTraining resume(Path folder) {
    return output(RunOutput.resumed(folder));
  }

  /// Everything about what is written at once.
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
  /// @throws dev.gossamer.base.InvalidInputException if data or settings do not fit, or memory does
  ///   not suffice: before anything is trained
  /// @throws dev.gossamer.run.TrainingFailedException if the loss is not finite
  public GraphModel run() {
    return train().model();
  }

  /// Trains, and says how it went.
  ///
  /// @return the model, its scores, how training ended, and a record per epoch
  /// @throws dev.gossamer.base.InvalidInputException as [#run]
  /// @throws dev.gossamer.run.TrainingFailedException as [#run]
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
