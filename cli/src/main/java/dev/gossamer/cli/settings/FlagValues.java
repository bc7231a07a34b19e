package dev.gossamer.cli.settings;

import dev.gossamer.GraphRun;
import dev.gossamer.Loss;
import dev.gossamer.Schedule;
import dev.gossamer.TrainingMode;
import dev.gossamer.cli.terminal.Choice;
import dev.gossamer.cli.terminal.FlagNames;
import dev.gossamer.comm.Link;
import dev.gossamer.comm.mpi.MpiOptions;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.NetworkSettings.Decayed;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.pruned.PrunedRun;
import dev.gossamer.pruned.PrunedSettings;
import dev.gossamer.pruned.PruningSettings;
import dev.gossamer.pruned.corpus.Tokens;
import dev.gossamer.pruned.prune.Pruning;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Represents a run by flags without their dashes and their values: numbers, booleans, strings, and
/// lists of these. `config.yaml`, printed commands and JSON use this form, and the parser of the
/// command line reads it.
///
/// Components of records are visited by reflection and named by [FlagNames]: a new component needs
/// no code here. Only kinds that are chosen by name and have their own settings (a layer, a
/// sampler, an optimizer, a schedule, a mode) are distinguished by type.
public final class FlagValues {
  /// Components that only programs set.
  private static final Set<String> WITHOUT_FLAG =
      Set.of("epsilon", "owner", "occurrences", "taken");

  private final Map<String, Object> values = new LinkedHashMap<>();

  private FlagValues() {}

  /// Returns the flags of a run, in the order of its components, without automatic settings and
  /// those that the run does not read.
  public static Map<String, Object> of(GraphRun run) {
    return ofRecord(run);
  }

  /// Returns the flags of a run of a pruned network, likewise.
  public static Map<String, Object> of(PrunedRun run) {
    return ofRecord(run);
  }

  private static Map<String, Object> ofRecord(Record run) {
    FlagValues all = new FlagValues();
    all.addAll(run);
    return Collections.unmodifiableMap(all.values);
  }

  private void addAll(Record settings) {
    for (RecordComponent component : settings.getClass().getRecordComponents()) {
      add(component.getName(), value(settings, component));
    }
  }

  private static @Nullable Object value(Record settings, RecordComponent component) {
    try {
      return component.getAccessor().invoke(settings);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("%s of %s".formatted(component, settings), e);
    }
  }

  private void add(String component, @Nullable Object value) {
    switch (value) {
      case null -> {}
      case LayerKind kind -> named("model", kind.name(), kind.options());
      case Sampler sampler -> named("sampler", sampler.name(), sampler.options());
      case TrainingMode mode -> addMode(mode);
      case MinibatchSettings.Step step -> addStep(step);
      case HistoricalSettings kept -> addHistorical(kept);
      case ExchangeStrategy strategy -> addStrategy(strategy);
      case Loss loss -> named("loss", loss.label(), (Record) loss);
      case OptimizerRule rule -> named("optimizer", simpleName(rule), (Record) rule);
      case Schedule.Warmup warmup -> addAll(warmup);
      case Schedule schedule -> named("schedule", simpleName(schedule), (Record) schedule);
      case Decayed decayed -> put("weightDecayOn", decayed == Decayed.ALL ? "all" : "first");
      case PruningSettings pruning -> addPruning(pruning);
      case Tokens tokens -> put(component, tokens.toString());
      case Path path -> put(component, path.toString());
      case Integer stages when component.equals("stages") ->
          put(component, stages == PrunedSettings.AUTOMATIC_STAGES ? "auto" : stages);
      // Elsewhere, the flag --count is another.
      case Integer ranks when component.equals("count") -> put("ranks", ranks);
      case MpiOptions mpi -> put("mpiLibrary", mpi.library());
      case Link link -> put(component, link.toString());
      case Matmul matmul -> put(component, matmul.setting());
      case Duration duration -> put(component, duration.toSeconds());
      case OptionalInt number -> number.ifPresent(n -> put(component, n));
      case OptionalLong number -> number.ifPresent(n -> put(component, n));
      case List<?> list when list.isEmpty() && component.equals("hidden") -> put("layers", 1);
      case Record settings -> addAll(settings);
      case Enum<?> constant -> put(component, Choice.name(constant));
      default -> put(component, value);
    }
  }

  private void addMode(TrainingMode mode) {
    switch (mode) {
      case TrainingMode.FullGraph _ -> put("mode", "full-graph");
      case TrainingMode.Auto _ -> put("mode", "auto");
      case TrainingMode.Minibatch(MinibatchSettings settings) -> {
        put("mode", "minibatch");
        addAll(settings);
        if (settings.hasAutomaticBulk()) {
          put("bulk", "auto");
        }
        put("remote", settings.historical() == null ? "fetch" : "historical");
      }
    }
  }

  /// What is pruned when; sparsity and criterion are those of a mask, if one is given.
  private void addPruning(PruningSettings pruning) {
    if (pruning.when() instanceof Pruning.ByMask byMask) {
      addAll(byMask);
      return;
    }
    put("prune", pruning.when().label());
    if (pruning.prunes()) {
      addAll((Record) pruning.when());
      put("sparsity", pruning.sparsity());
      if (pruning.criterion() != null) {
        put("criterion", pruning.criterionName());
      }
    }
  }

  private void addStep(MinibatchSettings.Step step) {
    put("batchSize", step.batchSize());
    if (step.scope() == MinibatchSettings.BatchScope.RANK) {
      put("batchPerRank", true);
    }
    if (step.batches() != MinibatchSettings.Step.ONE_PER_RANK) {
      put("stepBatches", step.batches());
    }
  }

  private void addHistorical(HistoricalSettings kept) {
    addAll(kept);
    if (kept.life() == HistoricalSettings.AUTOMATIC) {
      put("life", "auto");
    }
  }

  private void addStrategy(ExchangeStrategy strategy) {
    put("exchange", Choice.name(strategy.kind()));
    put("replication", strategy.replication());
    put("overlap", strategy.overlap() ? "on" : "off");
    put("wire", Choice.name(strategy.wire()));
  }

  private void named(String component, String name, Record settings) {
    put(component, name);
    addAll(settings);
  }

  private void named(String component, String name, Map<String, ?> options) {
    put(component, name);
    new TreeMap<>(options)
        .forEach((option, value) ->
            put(option, value instanceof List<?> list && list.size() == 1 ? list.get(0) : value));
  }

  /// `AdamW` is `adamw`.
  private static String simpleName(Object kind) {
    return kind.getClass().getSimpleName().toLowerCase(Locale.ROOT);
  }

  private void put(String component, Object value) {
    boolean empty = value.equals("") || value.equals(List.of());
    if (!empty && !WITHOUT_FLAG.contains(component)) {
      values.put(FlagNames.of(component).substring("--".length()), value);
    }
  }
}
