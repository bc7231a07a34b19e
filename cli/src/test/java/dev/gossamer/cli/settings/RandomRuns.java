package dev.gossamer.cli.settings;

import dev.gossamer.Architecture;
import dev.gossamer.Architecture.FeatureScaling;
import dev.gossamer.DataSettings;
import dev.gossamer.GraphRun;
import dev.gossamer.LearningSettings;
import dev.gossamer.LinkSettings;
import dev.gossamer.Loss;
import dev.gossamer.LossSettings;
import dev.gossamer.MachineSettings;
import dev.gossamer.RankSettings;
import dev.gossamer.Schedule;
import dev.gossamer.TrainingMode;
import dev.gossamer.TrainingSettings;
import dev.gossamer.VertexData;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.historical.HistoricalSettings.OnMiss;
import dev.gossamer.gnn.link.LinkDecoder;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.minibatch.MinibatchSettings.GraphPlace;
import dev.gossamer.gnn.minibatch.MinibatchSettings.Overlap;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.sampling.SamplerKind;
import dev.gossamer.gnn.sampling.SamplerRequest;
import dev.gossamer.gnn.sampling.Samplers;
import dev.gossamer.gnn.stack.Appnp;
import dev.gossamer.gnn.stack.Finish;
import dev.gossamer.gnn.stack.Gat;
import dev.gossamer.gnn.stack.Gcnii;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.LayerKinds;
import dev.gossamer.gnn.stack.NetworkSettings.Decayed;
import dev.gossamer.gnn.stack.Rgcn;
import dev.gossamer.gnn.stack.Sign;
import dev.gossamer.graph.LinkSplit;
import dev.gossamer.graph.LinkTask;
import dev.gossamer.graph.Negatives;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.graph.Task;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.nn.layers.Activation;
import dev.gossamer.nn.layers.GraphAttention.Variant;
import dev.gossamer.nn.layers.Jumping;
import dev.gossamer.nn.layers.Norm;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.run.Metric;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Runs of `train` at random, with settings that go together.
final class RandomRuns extends RandomValues {
  RandomRuns(int seed) {
    super(seed);
  }

  GraphRun run() {
    int layers = 1 + random.nextInt(4);
    RankSettings ranks = ranks();
    TrainingMode mode = mode(layers, ranks);
    if (mode instanceof TrainingMode.Minibatch(MinibatchSettings settings)) {
      ranks = agreeing(ranks, settings);
    }
    Architecture architecture = architecture(layers);
    return new GraphRun(
        data(),
        new TrainingSettings(architecture, mode, learning(), ranks, machine(), random.nextLong()));
  }

  private double share() {
    return random.nextInt(100) / 100.0;
  }

  private List<Integer> numbers(int count) {
    return IntStream.range(0, count).mapToObj(_ -> 1 + random.nextInt(50)).toList();
  }

  private DataSettings data() {
    VertexData vertexData = vertexData();
    return new DataSettings(
        one(List.of("jdk-classes", "my graph/", "a'b.npz", "${user}")),
        maybe("planetoid"),
        maybe(coin()),
        random.nextInt(3),
        vertexData.links() == null ? maybe("10/10/80") : null,
        random.nextLong(),
        vertexData);
  }

  private VertexData vertexData() {
    String features = maybe("my x.npy,degree,random:64");
    return coin()
        ? new VertexData(features, null, Task.LINKS, links())
        : new VertexData(
            features,
            maybe("random:40"),
            maybe(one(List.of(Task.CLASSIFICATION, Task.MULTI_LABEL, Task.REGRESSION))),
            null);
  }

  private LinkSettings links() {
    return new LinkSettings(
        one(List.of("85/5/10", "0.6/0.2/0.2")),
        one(List.of(LinkSplit.By.values())),
        share(),
        1 + random.nextInt(50),
        1 + random.nextInt(5),
        one(List.of(Negatives.By.values())),
        1 + random.nextInt(50),
        one(List.of(LinkTask.CandidateSet.values())));
  }

  private Architecture architecture(int layers) {
    LayerKind kind =
        one(
            Stream.concat(
                    LayerKinds.names().stream()
                        .filter(name -> !name.equals("appnp"))
                        .filter(name -> layers > 1 || !name.equals("sign"))
                        .map(LayerKinds::named),
                    Stream.of(
                        new Gat(2, one(List.of(Variant.values())), share()),
                        new Appnp(layers, share()),
                        new Rgcn(1 + random.nextInt(64)),
                        new Gcnii(share(), (1 + random.nextInt(17)) / 10.0)))
                .toList());
    boolean edges = kind.sight().ofEdges();
    boolean means = kind.name().equals("sage");
    // The first layer of sign is as wide as all hops.
    int followed = kind instanceof Sign ? 1 : layers - 1;
    Finish plain = kind.finishes() ? finish(followed) : Finish.USUAL;
    boolean jumps = kind.finishes() && kind.sight() != LayerKind.Sight.NONE && layers > 1;
    Finish finish =
        jumps
            ? plain
                .withJumping(one(List.of(Jumping.values())))
                .withInputProjection(coin())
                .withFeedForward(coin())
            : plain;
    // Of one width where it is required; each convolution of gcnii is a hidden layer.
    int hidden = kind instanceof Gcnii ? layers : layers - 1;
    boolean even = finish.residual() || finish.jumps() || kind instanceof Gcnii;
    boolean never = means || kind.sight() == LayerKind.Sight.RELATIONS;
    Boolean loops = never ? maybe(false) : maybe(coin());
    // Attention needs self loops where edges are dropped, which are the default.
    boolean drops =
        kind.sight() != LayerKind.Sight.NONE
            && (kind.sight() != LayerKind.Sight.EDGES || loops == null || loops);
    return new Architecture(
            kind,
            (even ? Collections.nCopies(hidden, 1 + random.nextInt(50)) : numbers(hidden))
                .stream().map(n -> 4 * n).toList(),
            new Architecture.DropoutRates(share(), maybe(share()), drops && coin() ? share() : 0),
            new Architecture.View(
                edges ? null : maybe(means ? Normalisation.ROW_MEAN : one(normalisations())),
                loops),
            one(List.of(FeatureScaling.values())),
            finish)
        .withDecoder(maybe(one(List.of(LinkDecoder.Kind.values()))));
  }

  private Finish finish(int hidden) {
    return hidden == 0
        ? Finish.USUAL
        : new Finish(
            maybe(one(List.of(Activation.Function.values()))),
            one(List.of(Norm.values())),
            hidden > 1 && coin());
  }

  private static List<Normalisation> normalisations() {
    return List.of(Normalisation.SYMMETRIC, Normalisation.ROW_MEAN, Normalisation.NONE);
  }

  private LearningSettings learning() {
    double decay = random.nextInt(10) / 1e4;
    OptimizerRule rule =
        one(
            List.of(
                new OptimizerRule.Adam(decay, share(), share(), OptimizerRule.EPSILON),
                new OptimizerRule.AdamW(decay),
                new OptimizerRule.Sgd(decay, share())));
    Schedule schedule =
        one(
            List.of(
                new Schedule.Constant(),
                new Schedule.Step(1 + random.nextInt(9), (1 + random.nextInt(9)) / 10.0),
                new Schedule.Cosine()));
    return new LearningSettings(
        loss(),
        rule,
        one(List.of(Decayed.values())),
        (1 + random.nextInt(100)) / 1e3,
        coin() ? schedule : schedule.warmedUp(1 + random.nextInt(5)),
        new LearningSettings.Pace(
            1 + random.nextInt(500),
            maybe(one(List.of(Metric.values()))),
            random.nextInt(9),
            1 + random.nextInt(9),
            random.nextInt(99)));
  }

  private LossSettings loss() {
    Loss loss =
        one(
            List.of(
                new Loss.Auto(),
                new Loss.CrossEntropy(),
                new Loss.Focal(random.nextInt(50) / 10.0),
                new Loss.Squared(),
                new Loss.Absolute(),
                new Loss.Huber((1 + random.nextInt(50)) / 10.0)));
    boolean smooth = loss instanceof Loss.Auto || loss instanceof Loss.CrossEntropy;
    return new LossSettings(
        loss, smooth ? share() : 0, maybe(one(List.of("balanced", "my weights.csv"))));
  }

  private RankSettings ranks() {
    int count = one(List.of(1, 2, 4, 8));
    int replication = count >= 4 && coin() ? 2 : 1;
    return new RankSettings(
        launch(count),
        new ExchangeStrategy(
            one(List.of(Kind.values())), replication, coin(), one(List.of(RowFormat.values()))),
        maybe(one(List.of("block", "random", "gvb", "my parts.txt"))));
  }

  private MachineSettings machine() {
    return new MachineSettings(
        coin() ? OptionalInt.empty() : OptionalInt.of(1 + random.nextInt(64)),
        coin() ? OptionalLong.empty() : OptionalLong.of(random.nextLong(1L << 42)),
        Matmul.java());
  }

  private TrainingMode mode(int layers, RankSettings ranks) {
    return coin() ? new TrainingMode.FullGraph() : minibatch(layers, ranks);
  }

  private TrainingMode minibatch(int layers, RankSettings ranks) {
    SamplerKind kind = one(Samplers.all());
    int batch = 1 + random.nextInt(2000);
    SamplerRequest request = SamplerRequest.ofLayers(layers).withBatchSize(batch);
    for (String component : kind.reads()) {
      request =
          request.with(component, maybe(numbers(component.equals("walkLength") ? 1 : layers)));
    }
    Sampler sampler = kind.make(request);
    MinibatchSettings settings = MinibatchSettings.of(sampler);
    settings = coin() ? settings.withBatchPerRank(batch) : settings.withBatchSize(batch);
    settings = coin() ? settings : settings.withStepBatches(1 + random.nextInt(9));
    settings = settings.withReplication(ranks.strategy().replication());
    settings = settings.withWire(ranks.strategy().wire());
    boolean historical = coin();
    if (historical) {
      boolean drops = sampler.drawsSubgraphs() || coin();
      settings = settings.withAutomaticBulk();
      settings = drops ? settings : fetching(settings, layers);
      return new TrainingMode.Minibatch(
          settings.withOwnBatches(historical(drops ? OnMiss.DROP : OnMiss.FETCH)));
    }
    settings = coin() ? settings.withAutomaticBulk() : settings.withBulk(1 + random.nextInt(9));
    settings = settings.withOverlap(coin() ? Overlap.ON : Overlap.OFF);
    settings = fetching(settings, layers);
    boolean own = ranks.placement() != null && !sampler.drawsSubgraphs();
    return new TrainingMode.Minibatch(own ? settings.withOwnBatches(null) : settings);
  }

  private MinibatchSettings fetching(MinibatchSettings settings, int layers) {
    return settings
        .withGraph(one(List.of(GraphPlace.values())))
        .withCacheBytes(random.nextLong(1L << 40))
        .withTestFanouts(coin() ? List.of() : numbers(layers));
  }

  private HistoricalSettings historical(OnMiss onMiss) {
    return new HistoricalSettings(
        random.nextInt(1000),
        coin() ? HistoricalSettings.AUTOMATIC : random.nextInt(30),
        random.nextInt(1000),
        1 + random.nextInt(5),
        onMiss);
  }

  /// Ranks that minibatches go with: they read neither placement nor overlap of a whole graph.
  private static RankSettings agreeing(RankSettings ranks, MinibatchSettings settings) {
    RankSettings agreed =
        ranks.withStrategy(
            new ExchangeStrategy(
                Kind.SPARSITY_AWARE,
                ranks.strategy().replication(),
                settings.overlaps(),
                settings.wire()));
    return settings.ownBatches() ? agreed : agreed.withUsualPlacement();
  }
}
