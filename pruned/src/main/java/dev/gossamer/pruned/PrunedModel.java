package dev.gossamer.pruned;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.Workers;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ParameterFolder;
import dev.gossamer.nn.state.Safetensors;
import dev.gossamer.pruned.corpus.Corpora;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.ImageCorpus;
import dev.gossamer.pruned.corpus.Part;
import dev.gossamer.pruned.corpus.PixelScaling;
import dev.gossamer.pruned.corpus.ReadingProgress;
import dev.gossamer.pruned.corpus.TextCorpus;
import dev.gossamer.pruned.corpus.TokenFile;
import dev.gossamer.pruned.corpus.Tokenizer;
import dev.gossamer.pruned.corpus.Tokens;
import dev.gossamer.pruned.layers.DenseArchitecture;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.pruned.layers.TextDecoder;
import dev.gossamer.pruned.pipeline.GatheredNetwork;
import dev.gossamer.pruned.pipeline.NetworkTensors;
import dev.gossamer.pruned.pipeline.Score;
import dev.gossamer.pruned.prune.MaskFile;
import dev.gossamer.pruned.prune.MaskReport;
import dev.gossamer.run.RunFolder;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// A trained network, pruned or not. Its file is self-contained: it stores the architecture, the
/// tokens or how pixels are standardised, and how the network was pruned.
///
/// ```java
/// PrunedModel model = PrunedModel.open(Path.of("runs/20260131-101500-input"));
/// String text = model.generate("ROMEO:", GenerationSettings.DEFAULT.withCount(400));
/// ```
///
/// Immutable and thread-safe; it does not have to be closed. An opened model is mapped from its
/// file, which must not change while the model is in use.
public final class PrunedModel {
  private static final String DENSE = "gossamer-dense-model";
  private static final String COMPRESSED = "gossamer-compressed-model";

  /// File next to a model with its tokens, for other programs.
  private static final String TOKEN_FILE = "tokens.json";

  private final PrunedModelDescription description;
  private final NetworkTensors tensors;

  /// @param description the metadata of the model
  PrunedModel(PrunedModelDescription description, NetworkTensors tensors) {
    this.description = description;
    this.tensors = tensors;
  }

  /// Opens the model of a run, or one in GPT-2's published layout.
  ///
  /// @param path a model file, dense or compressed, or the folder of a finished run; or a folder
  ///   with a `config.json` of `model_type` `gpt2`, or the weights in it
  /// @return the model
  /// @throws InvalidInputException if there is none, or it is invalid
  public static PrunedModel open(Path path) {
    boolean folder = Files.isDirectory(path);
    Path around = folder ? path : path.toAbsolutePath().getParent();
    boolean described = around != null && Gpt2Layout.isIn(around);
    Path file =
        !folder
            ? path
            : described ? path.resolve(ModelFormat.DENSE.fileName()) : new RunFolder(path).model();
    if (around != null && described && !isOurs(file)) {
      return Gpt2Layout.read(around, file);
    }
    if (!Files.exists(file)) {
      throw new InvalidInputException(
          "%s: expected a trained model, found none%s"
              .formatted(
                  file,
                  folder && new RunFolder(path).isBegun()
                      ? "; resume an interrupted run to its end"
                      : ""));
    }
    Safetensors whole = Safetensors.open(Arena.ofAuto(), file);
    String format = whole.metadata().getOrDefault(PrunedModelDescription.FORMAT, "none");
    if (!format.equals(DENSE) && !format.equals(COMPRESSED)) {
      throw new InvalidInputException(
          "%s: expected the format %s or %s in the metadata, found %s"
              .formatted(file, DENSE, COMPRESSED, format));
    }
    DenseArchitecture architecture = DenseArchitecture.of(file, whole.metadata());
    LayerNetwork network = architecture.network(0);
    Mask mask = folder ? maskOf(new RunFolder(path), network) : null;
    Map<String, String> facts = new TreeMap<>(whole.metadata());
    architecture.description().keySet().forEach(facts::remove);
    facts.remove(PrunedModelDescription.FORMAT);
    facts.remove(PrunedModelDescription.TOKENS);
    PixelScaling standardisation =
        architecture instanceof DenseArchitecture.Images images
            ? PixelScaling.of(file, whole.metadata(), images.input().channels())
            : null;
    if (standardisation != null) {
      standardisation.description().keySet().forEach(facts::remove);
    }
    return new PrunedModel(
        new PrunedModelDescription(
            architecture, tokenizer(file, whole.metadata()), standardisation, facts),
        NetworkTensors.read(file, whole, network, mask));
  }

  /// Whether the metadata of a file identify it as a model of Gossamer.
  private static boolean isOurs(Path file) {
    if (!Files.exists(file)) {
      return false;
    }
    try (Arena arena = Arena.ofConfined()) {
      String format =
          Safetensors.open(arena, file).metadata().getOrDefault(PrunedModelDescription.FORMAT, "");
      return format.startsWith("gossamer-");
    }
  }

  private static @Nullable Mask maskOf(RunFolder folder, LayerNetwork network) {
    Path bits = folder.file(ModelFormat.MASK.fileName());
    return Files.exists(bits) ? MaskFile.read(bits, network.layout()) : null;
  }

  /// The tokens that a file names; those of an older file are in a separate file next to it.
  private static @Nullable Tokenizer tokenizer(Path file, Map<String, String> metadata) {
    String content = metadata.get(PrunedModelDescription.TOKENS);
    if (content != null) {
      return TokenFile.parse(file, content);
    }
    Path beside = file.resolveSibling(TOKEN_FILE);
    return Files.isRegularFile(beside) ? TokenFile.read(beside) : null;
  }

  /// {@return what remains after pruning of each matrix of the network at a path}
  ///
  /// @param path a mask file, or a model as in [#open]
  /// @throws InvalidInputException if there is none, or nothing is pruned
  public static MaskReport inspectAt(Path path) {
    Path file = maskFile(path);
    if (MaskFile.isMask(file)) {
      return MaskReport.of(MaskFile.read(file));
    }
    PrunedModel model = open(path);
    if (model.architecture().widths().isEmpty()) {
      model.requirePruned(path, "");
    }
    return model.inspect();
  }

  private static Path maskFile(Path path) {
    return Files.isDirectory(path) ? new RunFolder(path).file(ModelFormat.MASK.fileName()) : path;
  }

  /// {@return the mask at a path}
  ///
  /// @param path a mask file, or a model as in [#open]
  /// @throws InvalidInputException if there is none
  public static Mask maskAt(Path path) {
    Path file = maskFile(path);
    if (MaskFile.isMask(file)) {
      return MaskFile.read(file);
    }
    PrunedModel model = open(path);
    model.requirePruned(path, ", which has no mask to compare");
    return model.mask();
  }

  /// {@return the architecture of the network}
  public DenseArchitecture architecture() {
    return description.architecture();
  }

  /// {@return what the model file says of the network: its sizes, the [#facts], the tokens of a
  /// language model, the means and deviations by which images are standardised}
  public Map<String, String> metadata() {
    return description.metadata();
  }

  /// {@return how the network was trained, from its metadata: `data`, `iterations`, `prune`, `kept`
  /// and so on}
  public Map<String, String> facts() {
    return description.facts();
  }

  /// {@return the number of parameters of the network, including pruned and removed ones}
  public long parameters() {
    return whole().layout().count();
  }

  /// The network with all units.
  private LayerNetwork whole() {
    return architecture().withWidths(Map.of()).network(0);
  }

  /// {@return the number of parameters that survive}
  public long kept() {
    return tensors.mask().count();
  }

  /// {@return the fraction of the parameters that is pruned or removed}
  public double sparsity() {
    return 1 - (double) kept() / (double) parameters();
  }

  /// {@return which parameters survive, among those of units that have not been removed}
  public Mask mask() {
    return tensors.mask();
  }

  /// {@return what remains of each matrix after pruning} Rows and columns of units that have been
  /// removed count as empty.
  public MaskReport inspect() {
    return architecture().widths().isEmpty()
        ? MaskReport.of(tensors.mask())
        : MaskReport.removed(whole().layout(), tensors.mask());
  }

  /// {@return the tokens of a language model; empty for images, and for old files without this
  /// information}
  public Optional<Tokenizer> tokenizer() {
    return Optional.ofNullable(description.tokenizer());
  }

  /// Opens data for this model: a text is divided into the model's tokens and windows.
  ///
  /// @param data a file or folder as described in `docs/formats.md`
  /// @return the corpus, which the caller must close
  /// @throws InvalidInputException if there is nothing usable
  public Corpus corpus(Path data) {
    return corpus(data, ReadingProgress.SILENT);
  }

  /// Opens data for this model and reports progress.
  ///
  /// @param data a file or folder as described in `docs/formats.md`; null for the JDK's own text
  /// @param progress notified of the bytes of text that have been tokenised
  /// @return the corpus, which the caller must close
  /// @throws InvalidInputException if there is nothing usable
  public Corpus corpus(@Nullable Path data, ReadingProgress progress) {
    int window = tensors.network().input().height();
    return data == null
        ? Corpora.jdkText(tokens(), window, progress)
        : Corpora.open(data, tokens(), window, progress);
  }

  /// {@return the scores of the network on all samples of a part of the data}
  ///
  /// @param corpus borrowed; see [#corpus]
  /// @param part of the data
  /// @throws InvalidInputException if the data are not for this model
  public Score evaluate(Corpus corpus, Part part) {
    return evaluate(corpus, part, EvaluationSettings.DEFAULT);
  }

  /// {@return the scores of the network on a part of the data}
  ///
  /// @param corpus borrowed; see [#corpus]
  /// @param part of the data
  /// @param settings of the evaluation
  /// @throws InvalidInputException if the data are not for this model
  public Score evaluate(Corpus corpus, Part part, EvaluationSettings settings) {
    return evaluate(corpus, part, settings, done -> {});
  }

  /// {@return the scores of the network on a part of the data, in float32}
  ///
  /// The pixels of images are standardised by the means and deviations of the training.
  ///
  /// A pruned matrix is multiplied using only its surviving weights where that is faster. Memory:
  /// eight bytes per parameter, or per surviving weight plus an index, and the activations of a
  /// forward pass of a batch.
  ///
  /// @param corpus borrowed; see [#corpus]
  /// @param part of the data
  /// @param settings of the evaluation
  /// @param progress notified of the samples that are done
  /// @throws InvalidInputException if the data are not for this model
  public Score evaluate(
      Corpus corpus, Part part, EvaluationSettings settings, LongConsumer progress) {
    return evaluateClasses(corpus, part, settings, progress).score();
  }

  /// {@return the scores of the network on a part of the data as by [#evaluate], and of images
  /// which classes are taken for which}
  ///
  /// @param corpus borrowed; see [#corpus]
  /// @param part of the data
  /// @param settings of the evaluation
  /// @param progress notified of the samples that are done
  /// @throws InvalidInputException if the data are not for this model
  public PrunedEvaluation evaluateClasses(
      Corpus corpus, Part part, EvaluationSettings settings, LongConsumer progress) {
    requireFitting(corpus, tensors.network());
    try (Workers workers = new Workers(settings.threads());
        TrainedNetwork network = TrainedNetwork.open(tensors, settings.batch(), workers)) {
      return network.evaluate(standardised(corpus), part, settings.samples(), progress);
    }
  }

  /// The data as the network reads them: the pixels of other images than those of the training are
  /// standardised as these were. Older files do not say how.
  private Corpus standardised(Corpus corpus) {
    PixelScaling standardisation = description.standardisation();
    return standardisation != null && corpus instanceof ImageCorpus images
        ? images.standardised(standardisation)
        : corpus;
  }

  NetworkTensors tensors() {
    return tensors;
  }

  /// Returns the kind of tokens of this model.
  Tokens tokens() {
    Tokenizer tokenizer = description.tokenizer();
    return tokenizer == null ? new Tokens.Bytes() : new Tokens.Given(tokenizer);
  }

  /// Checks that data are for this model.
  ///
  /// @param network the model's, or one for shorter texts
  void requireFitting(Corpus corpus, LayerNetwork network) {
    DenseArchitecture architecture = architecture();
    Tokenizer tokenizer = description.tokenizer();
    boolean text = architecture instanceof DenseArchitecture.Text;
    if (text != corpus instanceof TextCorpus) {
      throw new InvalidInputException(
          "%s: expected %s for %s, found %s"
              .formatted(
                  corpus.name(),
                  text ? "text" : "images",
                  architecture.name(),
                  text ? "images" : "text"));
    }
    int classes = network.output().channels();
    if (!corpus.input().equals(network.input()) || corpus.classes() != classes) {
      throw new InvalidInputException(
          "%s: expected samples of %s with %d classes, found %s with %d"
              .formatted(
                  corpus.name(), network.input(), classes, corpus.input(), corpus.classes()));
    }
    if (corpus instanceof TextCorpus other
        && tokenizer != null
        && !TokenFile.content(other.tokenizer()).equals(TokenFile.content(tokenizer))) {
      throw new InvalidInputException(
          "%s: expected the tokens of the model, %s, found others"
              .formatted(corpus.name(), tokenizer.name()));
    }
  }

  /// Continues a text.
  ///
  /// @param prompt the beginning of the text, at least one character
  /// @param settings of the evaluation
  /// @return the added text
  /// @throws InvalidSettingException if the prompt is empty
  /// @throws InvalidInputException if this is not a language model, or its tokens are not known
  public String generate(String prompt, GenerationSettings settings) {
    return generate(prompt, settings, piece -> {});
  }

  /// Continues a text and passes the added text to a listener as it is generated. Products read the
  /// weights in place, in float32, and only the surviving weights of a pruned matrix where that is
  /// faster; keys and values of previous tokens are cached. See [TextDecoder] for time and memory,
  /// and for texts that are longer than the context of the model.
  ///
  /// @param prompt the beginning of the text, at least one character
  /// @param settings of the evaluation
  /// @param listener called with the added text as it is generated, in pieces of whole characters
  /// @return the text that is added to the prompt
  /// @throws InvalidSettingException if the prompt is empty
  /// @throws InvalidInputException if this is not a language model, or its tokens are not known
  public String generate(String prompt, GenerationSettings settings, Consumer<String> listener) {
    DenseArchitecture architecture = architecture();
    Tokenizer tokenizer = description.tokenizer();
    if (!(architecture instanceof DenseArchitecture.Text) || tokenizer == null) {
      throw new InvalidInputException(
          "%s: expected a language model with its tokens, found %s"
              .formatted(
                  architecture.name(), tokenizer == null ? "no tokens" : "a model of images"));
    }
    int[] start = tokenizer.encode(prompt);
    if (start.length == 0) {
      throw new InvalidSettingException("{prompt}: expected a character, found none");
    }
    try (Workers workers = new Workers(settings.threads());
        TextDecoder decoder = decoder(workers)) {
      return new TextGenerator(decoder, tokenizer).continued(start, settings, listener);
    }
  }

  /// Returns a decoder that processes a text token by token.
  ///
  /// @param workers borrowed
  TextDecoder decoder(Workers workers) {
    return new TextDecoder(tensors.network(), tensors::values, tensors.mask(), workers);
  }

  /// Writes a language model in GPT-2's published layout: `config.json`, `model.safetensors` with
  /// zeros for pruned or removed weights, and the token files, which Hugging Face's `transformers`
  /// and [#open] read.
  ///
  /// @param folder written atomically; must be new, empty, or written by this method before without
  ///   added files, in which case it is replaced
  /// @return the folder
  /// @throws InvalidInputException if this is not a language model, or the folder has other files
  public Path writeHuggingFace(Path folder) {
    if (!(architecture() instanceof DenseArchitecture.Text text)) {
      throw new InvalidInputException(
          "%s: expected a language model, found a model of images"
              .formatted(architecture().name()));
    }
    Gpt2Layout.write(folder, text.sizes(), tensors, description.tokenizer());
    return folder;
  }

  /// Writes the whole model with zeros for pruned weights, which [#open] and other programs read.
  ///
  /// @param file written atomically; if it is a folder, the default name is used in it
  /// @return the file
  public Path write(Path file) {
    return write(file, ModelFormat.DENSE);
  }

  /// Writes the model in one of its formats.
  ///
  /// @param file written atomically; if it is a folder, the default name is used in it
  /// @param format dense, compressed or only the mask
  /// @return the file
  /// @throws InvalidInputException if nothing is pruned and the format is not dense
  public Path write(Path file, ModelFormat format) {
    Path to = Files.isDirectory(file) ? file.resolve(format.fileName()) : file;
    if (format != ModelFormat.DENSE) {
      requirePruned(to, "; write it as dense");
    }
    switch (format) {
      case DENSE -> Safetensors.write(to, tensors.sources(), description.metadata(DENSE));
      case COMPRESSED ->
          Safetensors.write(
              to,
              NetworkTensors.compressed(tensors.sources(), tensors.mask()),
              description.metadata(COMPRESSED));
      case MASK -> MaskFile.write(to, tensors.mask());
    }
    return to;
  }

  /// Writes the parameters and statistics as NumPy arrays, with zeros for pruned weights,
  /// atomically ([ParameterFolder]).
  ///
  /// @param folder new, empty, or written by this method before without added files, in which case
  ///   it is replaced
  /// @throws InvalidInputException if it cannot be written, or has other files
  public void writeArrays(Path folder) {
    ParameterFolder.write(folder, values(), description.metadata(DENSE));
  }

  /// {@return the parameters and statistics by their names, in the order of the file, with zeros
  /// for pruned weights} Borrowed and read-only.
  public Map<String, Safetensors.Tensor> values() {
    return tensors.tensors();
  }

  /// @param removed what follows from it if units were removed instead
  private void requirePruned(Path place, String removed) {
    if (!tensors.isPruned() && !architecture().widths().isEmpty()) {
      throw new InvalidInputException(
          "%s: expected a network with a mask, found one whose pruned units were removed%s"
              .formatted(place, removed));
    }
    if (!tensors.isPruned()) {
      throw new InvalidInputException(
          "%s: expected a pruned network, found one that keeps all of its %d parameters"
              .formatted(place, parameters()));
    }
  }

  /// Refuses a folder whose contents conflict with the files that a run writes.
  static void requireWritable(RunFolder folder) {
    for (ModelFormat format : ModelFormat.values()) {
      folder.file(format.fileName());
    }
    folder.file(TOKEN_FILE);
  }

  /// Writes the output files of a run and opens the resulting model. The network is never in memory
  /// as a whole. Collective.
  ///
  /// @param folder of the run
  /// @param network of the ranks
  /// @param pruned whether the network is pruned
  /// @param description of the model
  /// @return the model on the first rank, null on others
  static @Nullable PrunedModel writeAll(
      RunFolder folder,
      GatheredNetwork network,
      boolean pruned,
      PrunedModelDescription description) {
    if (!network.isFirst()) {
      network.send();
      if (pruned) {
        network.send();
      }
      return null;
    }
    Safetensors.write(
        folder.file(ModelFormat.DENSE.fileName()), network.sources(), description.metadata(DENSE));
    if (pruned) {
      Safetensors.write(
          folder.file(ModelFormat.COMPRESSED.fileName()),
          NetworkTensors.compressed(network.sources(), network.mask()),
          description.metadata(COMPRESSED));
      MaskFile.write(folder.file(ModelFormat.MASK.fileName()), network.mask());
    }
    Tokenizer tokenizer = description.tokenizer();
    if (tokenizer != null) {
      TokenFile.write(folder.file(TOKEN_FILE), tokenizer);
    }
    return open(folder.path());
  }
}
