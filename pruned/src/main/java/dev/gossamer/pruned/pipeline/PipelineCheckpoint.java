package dev.gossamer.pruned.pipeline;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.GatheredBytes;
import dev.gossamer.nn.optimizer.Optimizer;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ModelState;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.nn.state.Safetensors;
import dev.gossamer.nn.state.Safetensors.TensorSource;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.pruned.layers.Statistics;
import dev.gossamer.pruned.pipeline.BestWeights.Standing;
import dev.gossamer.pruned.prune.MaskFile;
import dev.gossamer.pruned.prune.Pruning;
import dev.gossamer.run.CheckpointFolder;
import dev.gossamer.run.ManifestFields;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The folder `checkpoint/` of a run over a pipeline: everything that the next iteration depends
/// on.
///
/// Each stage writes its state to one file, parameter by parameter: `weight.NAME`, `moment0.NAME`
/// and so on, the surviving elements as bits in `mask.NAME`, `statistics.NAME`, and the masks that
/// pruning remembers as `remembered.I.NAME`. The first rank writes the manifest after all stages
/// have written. Parameters are identified by name, so a run may continue on another grid.
final class PipelineCheckpoint {
  /// The content of the manifest.
  ///
  /// @param files of the stages
  /// @param iteration iterations done
  /// @param steps optimizer steps taken
  /// @param lossScale that the next iteration uses
  /// @param goodSteps since the scale changed
  /// @param skipped steps that were not taken
  /// @param remembered masks that pruning remembers
  /// @param ticket iteration before which the network was pruned last; -1 for never
  /// @param atRest whether the mask had stabilised then
  /// @param best how well the best weights did, if the network has been evaluated
  /// @param widths remaining units of layers, if units have been removed
  record Manifest(
      List<File> files,
      int iteration,
      long steps,
      double lossScale,
      int goodSteps,
      long skipped,
      int remembered,
      int ticket,
      boolean atRest,
      List<Standing> best,
      List<Width> widths) {}

  /// The remaining units of a layer.
  record Width(String layer, int units) {}

  /// A file of tensors.
  ///
  /// @param sha256 hexadecimal
  record File(String name, String sha256) {}

  private static final String MASK = "mask.";
  private static final String WEIGHT = "weight.";
  private static final String BEST = "best.";
  private static final Pattern LAYER = Pattern.compile("[a-z0-9._]{1,200}");
  private static final Pattern FILES =
      Pattern.compile("iteration-[0-9]{6,10}-stage-[0-9]{3,10}\\.safetensors");

  private final CheckpointFolder folder;

  PipelineCheckpoint(Path path) {
    folder = new CheckpointFolder(path, FILES);
  }

  private static String beginning(int iteration) {
    return String.format(Locale.ROOT, "iteration-%06d-", iteration);
  }

  /// Whether there is a checkpoint to continue from.
  boolean exists() {
    return folder.exists();
  }

  /// Puts the previous checkpoint in the place of a damaged one.
  ///
  /// @return what is wrong with the damaged one
  Optional<String> mend() {
    return folder.mend(fields -> {
      String beginning = beginning(manifest(fields).iteration());
      fields.objects("files").forEach(file -> folder.intact(file, "name", beginning));
    });
  }

  /// Writes a checkpoint. Collective.
  void write(int iteration, PipelineTrainer trainer, Pruner pruner) {
    Communicator world = trainer.world();
    StagePart part = trainer.part();
    byte[] mine = {};
    if (part.settings().grid().replica(world.rank()) == 0) {
      String name =
          beginning(iteration) + String.format(Locale.ROOT, "stage-%03d.safetensors", part.stage());
      Safetensors.write(
          folder.file(name),
          tensors(trainer, pruner),
          Map.of("format", "gossamer-dense-checkpoint"));
      mine = (name + " " + folder.sha256(name)).getBytes(StandardCharsets.UTF_8);
    }
    List<byte[]> all = GatheredBytes.onFirst(world, mine);
    if (world.rank() == 0) {
      List<File> files = new ArrayList<>();
      for (byte[] line : all) {
        if (line.length > 0) {
          String[] words = new String(line, StandardCharsets.UTF_8).split(" ", 2);
          files.add(new File(words[0], words[1]));
        }
      }
      folder.commit(
          new Manifest(
              files,
              iteration,
              trainer.state().optimizer().steps(),
              trainer.lossScale().value(),
              trainer.lossScale().good(),
              trainer.lossScale().skipped(),
              pruner.remembered().size(),
              pruner.ticket(),
              pruner.isStable(),
              best(trainer.best().standing()),
              widths(pruner)),
          files.stream().map(File::name).collect(Collectors.toSet()));
    }
  }

  private static Map<String, TensorSource> tensors(PipelineTrainer trainer, Pruner pruner) {
    Map<String, TensorSource> tensors = new LinkedHashMap<>();
    ModelState model = trainer.state().model();
    Optimizer optimizer = trainer.state().optimizer();
    for (ParameterLayout.Entry entry : model.kept().entries()) {
      tensors.put(WEIGHT + entry.name(), survivors(model, model.weights(), entry));
      for (int i = 0; i < optimizer.moments().size(); i++) {
        MemorySegment moment = optimizer.moments().get(i);
        tensors.put("moment" + i + "." + entry.name(), survivors(model, moment, entry));
      }
    }
    Statistics statistics = trainer.statistics();
    for (ParameterLayout.Entry entry : statistics.layout().entries()) {
      tensors.put("statistics." + entry.name(), floats(statistics.running(), entry));
    }
    if (trainer.best().hasWeights()) {
      for (ParameterLayout.Entry entry : model.kept().entries()) {
        tensors.put(BEST + entry.name(), survivors(model, trainer.best().weights(), entry));
      }
      for (ParameterLayout.Entry entry : statistics.layout().entries()) {
        tensors.put(BEST + entry.name(), floats(trainer.best().running(), entry));
      }
    }
    putBits(tensors, MASK, trainer.state().model().mask());
    for (int i = 0; i < pruner.remembered().size(); i++) {
      putBits(tensors, remembered(i), pruner.remembered().get(i));
    }
    return tensors;
  }

  /// What is kept of a parameter, whatever the order in which a state has it.
  private static TensorSource survivors(
      ModelState model, MemorySegment flat, ParameterLayout.Entry entry) {
    return TensorSource.floats(
        List.of(entry.count()), arena -> model.survivors(arena, entry.name(), flat));
  }

  private static TensorSource floats(MemorySegment flat, ParameterLayout.Entry entry) {
    return TensorSource.floats(List.of(entry.count()), arena -> entry.of(flat));
  }

  /// Returns the mask of a layout of the remaining network.
  ///
  /// @param layout of a stage, or of the network
  /// @throws InvalidInputException if the checkpoint is damaged, or of another model
  Mask mask(ParameterLayout layout) {
    ManifestFields fields = folder.read();
    Manifest manifest = manifest(fields);
    if (manifest.ticket() < 0) {
      return Mask.whole(layout);
    }
    try (Arena arena = Arena.ofShared()) {
      return tensors(arena, fields, manifest).mask(MASK, layout);
    }
  }

  /// Restores trainer and pruner. Collective.
  ///
  /// @return iterations done
  /// @throws InvalidInputException if the checkpoint is missing, damaged, or of another model
  int read(PipelineTrainer trainer, Pruner pruner) {
    ManifestFields fields = folder.read();
    Manifest manifest = manifest(fields);
    try (Arena arena = Arena.ofShared()) {
      Tensors tensors = tensors(arena, fields, manifest);
      ParameterLayout layout = trainer.part().layout();
      List<Mask> remembered = new ArrayList<>();
      for (int i = 0; i < manifest.remembered(); i++) {
        remembered.add(tensors.mask(remembered(i), layout));
      }
      restore(trainer, tensors);
      for (Standing standing : manifest.best()) {
        restoreBest(trainer, tensors, standing);
      }
      trainer.state().optimizer().restore(manifest.steps());
      trainer.lossScale().restore(manifest.lossScale(), manifest.goodSteps(), manifest.skipped());
      pruner.restore(remembered, manifest.ticket(), manifest.atRest());
    }
    return manifest.iteration();
  }

  private Tensors tensors(Arena arena, ManifestFields fields, Manifest manifest) {
    Tensors tensors = new Tensors(arena);
    for (ManifestFields file : fields.objects("files")) {
      tensors.open(folder.intact(file, "name", beginning(manifest.iteration())));
    }
    return tensors;
  }

  private static List<Standing> best(Standing standing) {
    return standing.iteration() > 0 ? List.of(standing) : List.of();
  }

  private static List<Standing> best(ManifestFields fields, int iteration) {
    return fields.objectsIfAny("best").stream()
        .map(each ->
            new Standing(
                (int) each.integer("iteration", 1, iteration),
                each.number("loss", -Double.MAX_VALUE, Double.MAX_VALUE),
                (int) each.integer("worse", 0, iteration)))
        .toList();
  }

  /// Returns the network of the checkpoint: the run's network without removed units.
  ///
  /// @param whole network of the run
  /// @throws InvalidInputException if the checkpoint is damaged, or of another model
  LayerNetwork network(LayerNetwork whole) {
    Map<String, Integer> left = new HashMap<>();
    manifest(folder.read()).widths().forEach(each -> left.put(each.layer(), each.units()));
    try {
      return whole.resized(left);
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException("checkpoint: it is of another model: " + e.getMessage(), e);
    }
  }

  private static List<Width> widths(Pruner pruner) {
    return pruner.widths().entrySet().stream()
        .map(layer -> new Width(layer.getKey(), layer.getValue()))
        .toList();
  }

  private static List<Width> widths(ManifestFields fields) {
    return fields.objectsIfAny("widths").stream()
        .map(each ->
            new Width(
                each.text("layer", LAYER, "the name of a layer"),
                (int) each.integer("units", 1, Integer.MAX_VALUE)))
        .toList();
  }

  /// The manifest but for its files, each number within what a run can come to.
  private static Manifest manifest(ManifestFields fields) {
    int iteration = (int) fields.integer("iteration", 1, Integer.MAX_VALUE);
    int ticket = (int) fields.integer("ticket", -1, iteration - 1L);
    return new Manifest(
        List.of(),
        iteration,
        fields.integer("steps", 0, iteration),
        fields.number("lossScale", 1, Float.MAX_VALUE),
        (int) fields.integer("goodSteps", 0, iteration),
        fields.integer("skipped", 0, iteration),
        (int) fields.integer("remembered", 0, ticket < 0 ? Pruning.EarlyBird.MOST_MASKS : 0),
        ticket,
        fields.truth("atRest"),
        best(fields, iteration),
        ticket < 0 ? List.of() : widths(fields));
  }

  private static void restore(PipelineTrainer trainer, Tensors tensors) {
    ModelState model = trainer.state().model();
    Optimizer optimizer = trainer.state().optimizer();
    for (ParameterLayout.Entry entry : model.kept().entries()) {
      model.setSurvivors(entry.name(), tensors.require(WEIGHT, entry), model.weights());
      for (int i = 0; i < optimizer.moments().size(); i++) {
        MemorySegment moment = tensors.require("moment" + i + ".", entry);
        model.setSurvivors(entry.name(), moment, optimizer.moments().get(i));
      }
    }
    Statistics statistics = trainer.statistics();
    for (ParameterLayout.Entry entry : statistics.layout().entries()) {
      entry.of(statistics.running()).copyFrom(tensors.require("statistics.", entry));
    }
    trainer.refresh();
  }

  /// A run that keeps them now and did not before has none until the next evaluation.
  private static void restoreBest(PipelineTrainer trainer, Tensors tensors, Standing standing) {
    ModelState model = trainer.state().model();
    Statistics statistics = trainer.statistics();
    BestWeights best = trainer.best();
    boolean lacks = trainer.part().stateSettings().keepsBest() && !tensors.has(BEST);
    best.restore(lacks ? Standing.NONE : standing, model, statistics);
    if (best.hasWeights()) {
      for (ParameterLayout.Entry entry : model.kept().entries()) {
        model.setSurvivors(entry.name(), tensors.require(BEST, entry), best.weights());
      }
      for (ParameterLayout.Entry entry : statistics.layout().entries()) {
        entry.of(best.running()).copyFrom(tensors.require(BEST, entry));
      }
    }
  }

  private static String remembered(int number) {
    return "remembered." + number + ".";
  }

  private static void putBits(Map<String, TensorSource> tensors, String prefix, Mask mask) {
    MaskFile.tensors(mask)
        .forEach((name, bits) -> tensors.put(prefix + name, TensorSource.of(bits)));
  }

  /// The tensors of all stages.
  private static final class Tensors {
    /// A tensor and the file that it is from.
    private record Found(Path file, Safetensors whole) {}

    private final Arena arena;
    private final Map<String, Found> byName = new HashMap<>();
    private final Set<Path> files = new HashSet<>();

    Tensors(Arena arena) {
      this.arena = arena;
    }

    /// @throws InvalidInputException if it is open
    void open(Path file) {
      if (!files.add(file)) {
        throw new InvalidInputException(
            "%s: expected to be named once by the manifest, found it again".formatted(file));
      }
      Safetensors whole = Safetensors.open(arena, file);
      whole.tensors().keySet().forEach(name -> byName.put(name, new Found(file, whole)));
    }

    /// Whether there is a tensor whose name begins so.
    boolean has(String prefix) {
      return byName.keySet().stream().anyMatch(name -> name.startsWith(prefix));
    }

    /// Returns a tensor with one element for each survivor of a parameter.
    MemorySegment require(String prefix, ParameterLayout.Entry entry) {
      String name = prefix + entry.name();
      Found found = byName.get(name);
      if (found == null) {
        throw new InvalidInputException(
            "checkpoint: expected a tensor %s, found none; it is of another model".formatted(name));
      }
      return found.whole().require(found.file(), name, entry.count()).data();
    }

    /// The mask whose bits begin with a prefix; parameters without bits survive whole.
    Mask mask(String prefix, ParameterLayout layout) {
      Map<String, BitSet> kept = new HashMap<>();
      for (ParameterLayout.Entry entry : layout.where(Mask::prunable).entries()) {
        Found found = byName.get(prefix + entry.name());
        if (found != null) {
          kept.put(
              entry.name(),
              MaskFile.bits(found.file(), found.whole(), prefix + entry.name(), entry.count()));
        }
      }
      return new Mask(layout, kept);
    }
  }
}
