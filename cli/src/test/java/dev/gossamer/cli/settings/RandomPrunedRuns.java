package dev.gossamer.cli.settings;

import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.sparse.IndexKind;
import dev.gossamer.nn.state.DownCast;
import dev.gossamer.pruned.CorpusSettings;
import dev.gossamer.pruned.ModelSettings;
import dev.gossamer.pruned.OptimizerSettings;
import dev.gossamer.pruned.PrunedMachineSettings;
import dev.gossamer.pruned.PrunedRun;
import dev.gossamer.pruned.PrunedSettings;
import dev.gossamer.pruned.PruningSettings;
import dev.gossamer.pruned.corpus.Tokens;
import dev.gossamer.pruned.layers.DenseArchitecture;
import dev.gossamer.pruned.pipeline.BatchSettings;
import dev.gossamer.pruned.pipeline.IterationSettings;
import dev.gossamer.pruned.pipeline.IterationSettings.Keep;
import dev.gossamer.pruned.pipeline.StateSettings.Products;
import dev.gossamer.pruned.pipeline.StorageSettings;
import dev.gossamer.pruned.prune.BlockShape;
import dev.gossamer.pruned.prune.Criterion;
import dev.gossamer.pruned.prune.Pruning;
import dev.gossamer.pruned.prune.Pruning.EarlyBird;
import dev.gossamer.pruned.prune.Pruning.Gradual;
import dev.gossamer.pruned.prune.Pruning.Never;
import dev.gossamer.pruned.prune.Pruning.OneShot;
import java.nio.file.Path;
import java.util.List;

/// Runs of `prune train` at random, with settings that go together.
final class RandomPrunedRuns extends RandomValues {
  RandomPrunedRuns(int seed) {
    super(seed);
  }

  PrunedRun run() {
    PruningSettings pruning = pruning();
    return new PrunedRun(
        new CorpusSettings(
            maybe(Path.of("my text.txt")),
            maybe(one(List.of(new Tokens.Bytes(), new Tokens.Bpe(1000), new Tokens.Bpe(50_257)))),
            maybe(Path.of("runs/model.safetensors"))),
        new PrunedSettings(
            model(),
            iterations(),
            new OptimizerSettings(
                maybe(one(List.of(OptimizerSettings.Kind.values()))),
                maybe(share()),
                maybe(share()),
                maybe(random.nextInt(50)),
                maybe(share()),
                maybe(share())),
            pruning,
            storage(),
            new BatchSettings(
                positive(64),
                positive(16),
                maybe(positive(9)),
                coin(),
                4 + random.nextInt(1 << 20),
                share()),
            random.nextInt(5),
            launch(positive(8)),
            new PrunedMachineSettings(
                maybe(positive(64)),
                maybe(random.nextLong(1L << 42)),
                maybe(random.nextLong(1L << 42)),
                null),
            random.nextLong()),
        pruning.prunes() ? maybe(coin()) : maybe(false));
  }

  private int positive(int most) {
    return 1 + random.nextInt(most);
  }

  private double share() {
    return (1 + random.nextInt(98)) / 100.0;
  }

  private ModelSettings model() {
    return new ModelSettings(
        maybe(one(DenseArchitecture.NAMES)),
        maybe(positive(9)),
        maybe(positive(99)),
        maybe(positive(9)),
        maybe(positive(99)),
        random.nextInt(9) / 10f,
        coin());
  }

  private IterationSettings iterations() {
    return new IterationSettings(
        positive(999),
        positive(99),
        positive(999),
        random.nextInt(99),
        maybe(one(List.of(Keep.values()))),
        random.nextInt(9));
  }

  private PruningSettings pruning() {
    PruningSettings usual = PruningSettings.DEFAULT;
    return switch (random.nextInt(5)) {
      case 0 -> usual.withWhen(new Never());
      case 1 -> usual.withWhen(new Pruning.ByMask(Path.of("an old run/mask.bin")));
      default -> withCriterion(usual.withWhen(when()).withSparsity(share()));
    };
  }

  private Pruning when() {
    return one(
        List.of(
            new OneShot(random.nextInt(99)),
            new Gradual(maybe(random.nextInt(99)), maybe(random.nextInt(99)), positive(50)),
            new EarlyBird(
                positive(50), 2 + random.nextInt(4), share(), maybe(random.nextInt(99)))));
  }

  private PruningSettings withCriterion(PruningSettings pruned) {
    Criterion criterion = maybe(one(List.of(Criterion.values())));
    if (criterion == null) {
      return pruned;
    }
    return criterion == Criterion.BLOCKS
        ? pruned.withBlocks(BlockShape.parse(one(List.of("4x4", "8x4"))))
        : pruned.withCriterion(criterion);
  }

  private StorageSettings storage() {
    Products products = one(List.of(Products.values()));
    boolean formed = products != Products.SPARSE;
    return new StorageSettings(
        one(List.of(NumberFormat.values())),
        formed ? maybe(one(List.of(IndexKind.values()))) : null,
        formed ? maybe(one(List.of(DownCast.values()))) : null,
        products,
        maybe(one(List.of(NumberFormat.FLOAT32, NumberFormat.BF16))));
  }
}
