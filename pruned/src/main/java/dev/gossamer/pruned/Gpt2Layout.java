package dev.gossamer.pruned;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.base.io.InputFile;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.nn.state.Safetensors;
import dev.gossamer.pruned.corpus.BpeTokenizer;
import dev.gossamer.pruned.corpus.ByteTokenizer;
import dev.gossamer.pruned.corpus.Gpt2TokenFiles;
import dev.gossamer.pruned.corpus.TokenFile;
import dev.gossamer.pruned.corpus.Tokenizer;
import dev.gossamer.pruned.layers.DenseArchitecture;
import dev.gossamer.pruned.layers.GptSettings;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.pruned.pipeline.NetworkTensors;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// GPT-2's published layout, which Hugging Face's `transformers` reads: a folder with
/// `config.json`, `model.safetensors` and the token files.
///
/// Matrices are input by output, like ours; the head is the token embedding, or `lm_head.weight`,
/// output by input. Only variants of GPT-2 that our network computes are read: GELU with `tanh`, a
/// hidden layer of four times the width, scores divided by the square root of the width of a head,
/// and an epsilon of `1e-5`.
final class Gpt2Layout {
  /// What describes the network.
  static final String CONFIGURATION = "config.json";

  private static final String WEIGHTS = "model.safetensors";
  private static final String TOKENS = "tokens.json";
  private static final Set<String> FILES =
      Set.of(
          CONFIGURATION,
          WEIGHTS,
          TOKENS,
          Gpt2TokenFiles.VOCABULARY,
          Gpt2TokenFiles.MERGES,
          Gpt2TokenFiles.SETTINGS);

  private static final String NAME = "gpt2";
  private static final String PREFIX = "transformer.";
  private static final String HEAD = "lm_head.weight";
  private static final String ATTENTION_IN = "attention.in";
  private static final float EPSILON = 1e-5f;
  private static final int LONGEST = 1 << 20;
  private static final Set<String> ACTIVATIONS = Set.of("gelu_new", "gelu_pytorch_tanh");
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final JsonMapper JSON = new JsonMapper();

  /// What the published files keep besides parameters: the triangle of causal attention.
  private static final Pattern BUFFER = Pattern.compile("h\\.[0-9]+\\.attn\\.(masked_)?bias");

  private static final Pattern BLOCK = Pattern.compile("blocks\\.([0-9]+)\\.(.+)\\.([a-z]+)");

  /// Our parts of a block and theirs.
  private static final Map<String, String> PARTS =
      Map.of(
          "attention_norm",
          "ln_1",
          ATTENTION_IN,
          "attn.c_attn",
          "attention.out",
          "attn.c_proj",
          "mlp_norm",
          "ln_2",
          "mlp.in",
          "mlp.c_fc",
          "mlp.out",
          "mlp.c_proj");

  /// Our other parameters and theirs.
  private static final Map<String, String> OTHERS =
      Map.of(
          "embedding.tokens", "wte.weight",
          "embedding.positions", "wpe.weight",
          "norm.gain", "ln_f.weight",
          "norm.bias", "ln_f.bias");

  /// Ours where the head has weights of its own.
  private static final String OUR_HEAD = "head.weight";

  private Gpt2Layout() {}

  /// Whether a folder has a network in this layout. A run's folder has `config.yaml` instead.
  static boolean isIn(Path folder) {
    return Files.isRegularFile(folder.resolve(CONFIGURATION));
  }

  /// Reads a network.
  ///
  /// @param folder that has the configuration
  /// @param file the weights
  /// @throws InvalidInputException if it is none that our network computes, or files are damaged
  static PrunedModel read(Path folder, Path file) {
    if (!Files.isRegularFile(file)) {
      throw new InvalidInputException(
          "%s: expected the weights of %s, found none; save weights in other formats as safetensors first"
              .formatted(file, folder.resolve(CONFIGURATION)));
    }
    DenseArchitecture.Text architecture;
    LayerNetwork network;
    try {
      architecture = new DenseArchitecture.Text(NAME, sizes(folder.resolve(CONFIGURATION)));
      network = architecture.network(0);
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException(
          "%s: expected the sizes of a GPT-2, found others: %s"
              .formatted(folder.resolve(CONFIGURATION), e.getMessage()),
          e);
    }
    Safetensors whole = Safetensors.open(Arena.ofAuto(), file);
    return new PrunedModel(
        new PrunedModelDescription(
            architecture, tokenizer(folder, architecture.sizes().vocabulary()), null, Map.of()),
        NetworkTensors.of(network, tensors(file, whole, network.layout())));
  }

  private static Map<String, Safetensors.Tensor> tensors(
      Path file, Safetensors whole, ParameterLayout layout) {
    boolean prefixed = whole.tensors().keySet().stream().anyMatch(n -> n.startsWith(PREFIX));
    String prefix = prefixed ? PREFIX : "";
    Set<String> unread = new HashSet<>(whole.tensors().keySet());
    unread.removeIf(name ->
        name.equals(HEAD)
            || (name.startsWith(prefix)
                && BUFFER.matcher(name.substring(prefix.length())).matches()));
    Map<String, Safetensors.Tensor> tensors = new LinkedHashMap<>();
    for (ParameterLayout.Entry entry : layout.entries()) {
      String name = entry.name().equals(OUR_HEAD) ? HEAD : prefix + published(entry.name());
      unread.remove(name);
      tensors.put(entry.name(), tensor(file, whole, name, entry));
    }
    if (!unread.isEmpty()) {
      throw new InvalidInputException(
          "%s: expected only the tensors of a GPT-2 of this configuration, found %s"
              .formatted(file, unread.stream().sorted().findFirst().orElseThrow()));
    }
    return tensors;
  }

  /// A tensor as one of ours: in float32, and the head transposed.
  private static Safetensors.Tensor tensor(
      Path file, Safetensors whole, String name, ParameterLayout.Entry entry) {
    Safetensors.Tensor found = whole.tensors().get(name);
    if (found == null) {
      throw new InvalidInputException("%s: expected a tensor %s, found none".formatted(file, name));
    }
    boolean turned = name.equals(HEAD);
    List<Long> shape = turned ? entry.shape().reversed() : entry.shape();
    if (!found.shape().equals(shape)) {
      throw new InvalidInputException(
          "%s: tensor %s: expected shape %s, found %s".formatted(file, name, shape, found.shape()));
    }
    MemorySegment values = float32(file, name, found);
    Safetensors.requireFinite(file, name, values);
    return new Safetensors.Tensor(entry.shape(), turned ? transposed(values, shape) : values);
  }

  private static MemorySegment float32(Path file, String name, Safetensors.Tensor tensor) {
    NumberFormat format =
        switch (tensor.dtype()) {
          case F32 -> NumberFormat.FLOAT32;
          case F16 -> NumberFormat.FP16;
          case BF16 -> NumberFormat.BF16;
          case I32, U8, BOOL ->
              throw new InvalidInputException(
                  "%s: tensor %s: expected dtype F32, F16 or BF16, found %s"
                      .formatted(file, name, tensor.dtype()));
        };
    if (format == NumberFormat.FLOAT32) {
      return tensor.data();
    }
    MemorySegment wide = floats(tensor.count());
    format.widen(tensor.data(), wide);
    return wide;
  }

  private static MemorySegment floats(long count) {
    return Arena.ofAuto().allocate(count * Float.BYTES, DenseMatrix.ALIGNMENT);
  }

  /// The transpose of a matrix of a shape.
  private static MemorySegment transposed(MemorySegment values, List<Long> shape) {
    long rows = shape.getFirst();
    long cols = shape.getLast();
    MemorySegment turned = floats(rows * cols);
    for (long i = 0; i < rows; i++) {
      for (long j = 0; j < cols; j++) {
        float value = values.get(FLOAT, (i * cols + j) * Float.BYTES);
        turned.set(FLOAT, (j * rows + i) * Float.BYTES, value);
      }
    }
    return turned;
  }

  /// The name of one of our parameters, without prefix.
  private static String published(String name) {
    Matcher block = BLOCK.matcher(name);
    if (!block.matches()) {
      return OTHERS.getOrDefault(name, name);
    }
    String part = PARTS.getOrDefault(block.group(2), block.group(2));
    String kind = block.group(3).equals("gain") ? "weight" : block.group(3);
    return "h.%s.%s.%s".formatted(block.group(1), part, kind);
  }

  private static GptSettings sizes(Path file) {
    JsonNode root;
    try {
      root = JSON.readTree(InputFile.of(file).text(LONGEST));
    } catch (JacksonException e) {
      throw new InvalidInputException("%s: expected JSON, found something else".formatted(file), e);
    }
    require(file, root, "model_type", NAME::equals, NAME);
    require(
        file,
        root,
        "activation_function",
        found -> found.isEmpty() || ACTIVATIONS.contains(found),
        "gelu_new");
    require(
        file,
        root,
        "layer_norm_epsilon",
        found -> found.isEmpty() || isEpsilon(found),
        Float.toString(EPSILON));
    require(file, root, "scale_attn_weights", found -> !found.equals("false"), "true");
    require(file, root, "scale_attn_by_inverse_layer_idx", found -> !found.equals("true"), "false");
    require(file, root, "add_cross_attention", found -> !found.equals("true"), "false");
    int width = size(file, root, "n_embd");
    if (!root.path("n_inner").isMissingNode() && !root.path("n_inner").isNull()) {
      String inner = Long.toString(4L * width);
      require(file, root, "n_inner", inner::equals, inner);
    }
    return new GptSettings(
        size(file, root, "vocab_size"),
        size(file, root, "n_positions"),
        size(file, root, "n_layer"),
        size(file, root, "n_head"),
        width,
        0,
        !root.path("tie_word_embeddings").asString("true").equals("false"));
  }

  private static boolean isEpsilon(String text) {
    try {
      return Float.parseFloat(text) == EPSILON;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  /// @param fits whether the value of a key, empty if there is none, is one that our network has
  private static void require(
      Path file, JsonNode root, String key, Predicate<String> fits, String expected) {
    String found = root.path(key).asString("");
    if (!fits.test(found)) {
      throw new InvalidInputException(
          "%s: %s: expected %s, found %s"
              .formatted(file, key, expected, found.isEmpty() ? "nothing" : found));
    }
  }

  private static int size(Path file, JsonNode root, String key) {
    String found = root.path(key).asString("nothing");
    if (!found.matches("[1-9][0-9]{0,7}")) {
      throw new InvalidInputException(
          "%s: %s: expected a number of at least 1, found %s".formatted(file, key, found));
    }
    return Integer.parseInt(found);
  }

  /// Ours if the folder says so; else GPT-2's, or bytes, where the vocabulary has as many tokens.
  private static @Nullable Tokenizer tokenizer(Path folder, int vocabulary) {
    Path ours = folder.resolve(TOKENS);
    if (Files.isRegularFile(ours)) {
      Tokenizer tokenizer = TokenFile.read(ours);
      if (tokenizer.vocabulary() != vocabulary) {
        throw new InvalidInputException(
            "%s: expected the %d tokens of %s, found %d"
                .formatted(ours, vocabulary, CONFIGURATION, tokenizer.vocabulary()));
      }
      return tokenizer;
    }
    if (vocabulary == BpeTokenizer.FULL) {
      BpeTokenizer tokenizer = new BpeTokenizer();
      Path theirs = folder.resolve(Gpt2TokenFiles.VOCABULARY);
      if (Files.isRegularFile(theirs)) {
        Gpt2TokenFiles.requireSame(theirs, tokenizer);
      }
      return tokenizer;
    }
    ByteTokenizer bytes = new ByteTokenizer();
    return vocabulary == bytes.vocabulary() ? bytes : null;
  }

  /// Writes a network, whole or not at all.
  ///
  /// @param folder new, empty, or written by this before: it is replaced
  /// @throws InvalidInputException if the folder has other files, or cannot be written
  static void write(
      Path folder, GptSettings sizes, NetworkTensors network, @Nullable Tokenizer tokenizer) {
    Map<String, Safetensors.Tensor> whole = wholeTensors(sizes, network.tensors());
    Map<String, Safetensors.Tensor> tensors = new LinkedHashMap<>();
    whole.forEach((name, tensor) -> {
      if (name.equals(OUR_HEAD)) {
        tensors.put(
            HEAD,
            new Safetensors.Tensor(
                tensor.shape().reversed(), transposed(tensor.data(), tensor.shape())));
      } else {
        tensors.put(PREFIX + published(name), tensor);
      }
    });
    AtomicOutput.folder(
        folder,
        FILES,
        temporary -> {
          // The program that made the tensors, as readers of the format expect it.
          new Safetensors(tensors, Map.of("format", "pt")).write(temporary.resolve(WEIGHTS));
          Files.writeString(
              temporary.resolve(CONFIGURATION),
              JSON.writerWithDefaultPrettyPrinter()
                      .writeValueAsString(configuration(sizes, tokenizer))
                  + "\n");
          if (tokenizer != null) {
            TokenFile.write(temporary.resolve(TOKENS), tokenizer);
          }
          if (tokenizer instanceof BpeTokenizer pairs && pairs.isFull()) {
            Gpt2TokenFiles.write(temporary, pairs, sizes.length());
          }
        });
  }

  /// Tensors of the widths that all layers of the layout have: heads and neurons that were removed
  /// come back as zeros, and add nothing. A head without keys looks everywhere alike, at values
  /// that are zero; GELU of zero is zero.
  private static Map<String, Safetensors.Tensor> wholeTensors(
      GptSettings sizes, Map<String, Safetensors.Tensor> tensors) {
    Map<String, Safetensors.Tensor> whole = new LinkedHashMap<>();
    for (ParameterLayout.Entry entry :
        new DenseArchitecture.Text(NAME, sizes).network(0).layout().entries()) {
      Safetensors.Tensor tensor = Objects.requireNonNull(tensors.get(entry.name()), entry.name());
      // Queries, keys and values lie side by side.
      int parts = entry.name().contains(ATTENTION_IN) ? 3 : 1;
      whole.put(entry.name(), padded(tensor, entry.shape(), parts));
    }
    return whole;
  }

  /// A tensor with zeros below its rows and behind each part of its columns.
  private static Safetensors.Tensor padded(Safetensors.Tensor tensor, List<Long> shape, int parts) {
    if (tensor.shape().equals(shape)) {
      return tensor;
    }
    long narrow = tensor.shape().getLast() / parts * Float.BYTES;
    long wide = shape.getLast() / parts * Float.BYTES;
    MemorySegment values = floats(shape.stream().reduce(1L, Math::multiplyExact));
    for (long part = 0; part * narrow < tensor.data().byteSize(); part++) {
      MemorySegment.copy(tensor.data(), part * narrow, values, part * wide, narrow);
    }
    return new Safetensors.Tensor(shape, values);
  }

  private static ObjectNode configuration(GptSettings sizes, @Nullable Tokenizer tokenizer) {
    ObjectNode root = JSON.createObjectNode();
    root.putArray("architectures").add("GPT2LMHeadModel");
    root.put("model_type", NAME);
    root.put("vocab_size", sizes.vocabulary());
    root.put("n_positions", sizes.length());
    root.put("n_ctx", sizes.length());
    root.put("n_embd", sizes.width());
    root.put("n_layer", sizes.layers());
    root.put("n_head", sizes.heads());
    root.put("activation_function", "gelu_new");
    root.put("layer_norm_epsilon", 1e-5);
    root.put("initializer_range", 0.02);
    root.put("tie_word_embeddings", sizes.tiedHead());
    root.put("embd_pdrop", 0.0);
    root.put("attn_pdrop", 0.0);
    root.put("resid_pdrop", 0.0);
    root.put("torch_dtype", "float32");
    if (tokenizer instanceof BpeTokenizer pairs && pairs.isFull()) {
      root.put("bos_token_id", BpeTokenizer.FULL - 1);
      root.put("eos_token_id", BpeTokenizer.FULL - 1);
    }
    return root;
  }
}
