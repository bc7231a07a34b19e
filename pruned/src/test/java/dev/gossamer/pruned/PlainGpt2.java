package dev.gossamer.pruned;

import dev.gossamer.nn.state.Safetensors;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// A GPT-2 in float64 and plain loops, from the publication and the names and shapes of its files;
/// nothing is shared with the code under test. Weights are random, and exact in 16 bits.
final class PlainGpt2 {
  /// Shape and elements of a tensor.
  private static final class Values {
    final List<Long> shape;
    final double[] elements;

    Values(List<Long> shape, double[] elements) {
      this.shape = shape;
      this.elements = elements;
    }
  }

  final int vocabulary;
  final int length;
  final int layers;
  final int heads;
  final int width;
  final boolean tied;
  private final Map<String, Values> tensors = new LinkedHashMap<>();
  private final Random random = new Random(5);

  PlainGpt2(int vocabulary, int length, int layers, int heads, int width, boolean tied) {
    this.vocabulary = vocabulary;
    this.length = length;
    this.layers = layers;
    this.heads = heads;
    this.width = width;
    this.tied = tied;
    put("wte.weight", 0, vocabulary, width);
    put("wpe.weight", 0, length, width);
    for (int i = 0; i < layers; i++) {
      String h = "h." + i + ".";
      put(h + "ln_1.weight", 1, width);
      put(h + "ln_1.bias", 0, width);
      put(h + "attn.c_attn.weight", 0, width, 3 * width);
      put(h + "attn.c_attn.bias", 0, 3 * width);
      put(h + "attn.c_proj.weight", 0, width, width);
      put(h + "attn.c_proj.bias", 0, width);
      put(h + "ln_2.weight", 1, width);
      put(h + "ln_2.bias", 0, width);
      put(h + "mlp.c_fc.weight", 0, width, 4 * width);
      put(h + "mlp.c_fc.bias", 0, 4 * width);
      put(h + "mlp.c_proj.weight", 0, 4 * width, width);
      put(h + "mlp.c_proj.bias", 0, width);
    }
    put("ln_f.weight", 1, width);
    put("ln_f.bias", 0, width);
    if (!tied) {
      put("lm_head.weight", 0, vocabulary, width);
    }
  }

  private void put(String name, double around, int... shape) {
    int count = 1;
    List<Long> sizes = new ArrayList<>();
    for (int size : shape) {
      count *= size;
      sizes.add((long) size);
    }
    double[] elements = new double[count];
    for (int i = 0; i < count; i++) {
      elements[i] = around + random.nextInt(-60, 61) / 128.0;
    }
    tensors.put(name, new Values(sizes, elements));
  }

  private double[] of(String name) {
    Values values = tensors.get(name);
    if (values == null) {
      throw new IllegalArgumentException(name);
    }
    return values.elements;
  }

  /// Writes the network as `transformers` does.
  ///
  /// @param prefix of all names but that of the head
  /// @param dtype F32, F16 or BF16
  /// @param change of the configuration: a line that stands at its end, or null
  void write(Path folder, String prefix, Safetensors.Dtype dtype, @Nullable String change)
      throws IOException {
    Map<String, Safetensors.Tensor> all = new LinkedHashMap<>();
    try (Arena arena = Arena.ofConfined()) {
      tensors.forEach((name, values) -> {
        MemorySegment data = arena.allocate((long) values.elements.length * dtype.bytes(), 8);
        for (int i = 0; i < values.elements.length; i++) {
          float value = (float) values.elements[i];
          switch (dtype) {
            case F32 -> data.setAtIndex(ValueLayout.JAVA_FLOAT, i, value);
            case F16 -> data.setAtIndex(ValueLayout.JAVA_SHORT, i, Float.floatToFloat16(value));
            default ->
                data.setAtIndex(
                    ValueLayout.JAVA_SHORT, i, (short) (Float.floatToRawIntBits(value) >>> 16));
          }
        }
        String head = name.startsWith("lm_head") ? "" : prefix;
        all.put(head + name, new Safetensors.Tensor(dtype, values.shape, data));
      });
      for (int i = 0; i < layers; i++) {
        MemorySegment triangle = arena.allocate((long) length * length);
        List<Long> shape = List.of(1L, 1L, (long) length, (long) length);
        all.put(
            prefix + "h." + i + ".attn.bias",
            new Safetensors.Tensor(Safetensors.Dtype.BOOL, shape, triangle));
        all.put(
            prefix + "h." + i + ".attn.masked_bias",
            new Safetensors.Tensor(List.of(), arena.allocate(Float.BYTES, 8)));
      }
      new Safetensors(all, Map.of("format", "pt")).write(folder.resolve("model.safetensors"));
    }
    Files.writeString(
        folder.resolve("config.json"),
        """
        {"model_type": "gpt2", "vocab_size": %d, "n_positions": %d, "n_ctx": %d, "n_embd": %d,
         "n_layer": %d, "n_head": %d, "activation_function": "gelu_new", "n_inner": null,
         "layer_norm_epsilon": 1e-05, "tie_word_embeddings": %s%s}
        """
            .formatted(
                vocabulary,
                length,
                length,
                width,
                layers,
                heads,
                tied,
                change == null ? "" : ", " + change));
  }

  /// The logits behind each token.
  double[][] logits(int[] tokens) {
    int n = tokens.length;
    double[][] x = new double[n][width];
    for (int t = 0; t < n; t++) {
      for (int c = 0; c < width; c++) {
        x[t][c] = of("wte.weight")[tokens[t] * width + c] + of("wpe.weight")[t * width + c];
      }
    }
    for (int i = 0; i < layers; i++) {
      String h = "h." + i + ".";
      add(x, linear(h + "attn.c_proj", attention(linear(h + "attn.c_attn", norm(h + "ln_1", x)))));
      double[][] hidden = linear(h + "mlp.c_fc", norm(h + "ln_2", x));
      for (double[] row : hidden) {
        for (int c = 0; c < row.length; c++) {
          double u = Math.sqrt(2 / Math.PI) * (row[c] + 0.044715 * Math.pow(row[c], 3));
          row[c] = 0.5 * row[c] * (1 + Math.tanh(u));
        }
      }
      add(x, linear(h + "mlp.c_proj", hidden));
    }
    double[][] last = norm("ln_f", x);
    double[] head = of(tied ? "wte.weight" : "lm_head.weight");
    double[][] logits = new double[n][vocabulary];
    for (int t = 0; t < n; t++) {
      for (int v = 0; v < vocabulary; v++) {
        for (int c = 0; c < width; c++) {
          logits[t][v] += last[t][c] * head[v * width + c];
        }
      }
    }
    return logits;
  }

  private static void add(double[][] x, double[][] y) {
    for (int t = 0; t < x.length; t++) {
      for (int c = 0; c < x[t].length; c++) {
        x[t][c] += y[t][c];
      }
    }
  }

  private double[][] norm(String name, double[][] x) {
    double[][] y = new double[x.length][width];
    for (int t = 0; t < x.length; t++) {
      double mean = 0;
      double square = 0;
      for (double value : x[t]) {
        mean += value / width;
      }
      for (double value : x[t]) {
        square += (value - mean) * (value - mean) / width;
      }
      for (int c = 0; c < width; c++) {
        double hat = (x[t][c] - mean) / Math.sqrt(square + 1e-5);
        y[t][c] = of(name + ".weight")[c] * hat + of(name + ".bias")[c];
      }
    }
    return y;
  }

  /// Input by output.
  private double[][] linear(String name, double[][] x) {
    double[] bias = of(name + ".bias");
    double[] weight = of(name + ".weight");
    double[][] y = new double[x.length][bias.length];
    for (int t = 0; t < x.length; t++) {
      for (int j = 0; j < bias.length; j++) {
        y[t][j] = bias[j];
        for (int i = 0; i < x[t].length; i++) {
          y[t][j] += x[t][i] * weight[i * bias.length + j];
        }
      }
    }
    return y;
  }

  private double[][] attention(double[][] qkv) {
    int size = width / heads;
    double[][] o = new double[qkv.length][width];
    for (int head = 0; head < heads; head++) {
      int q = head * size;
      for (int t = 0; t < qkv.length; t++) {
        double[] p = new double[t + 1];
        double sum = 0;
        for (int s = 0; s <= t; s++) {
          double score = 0;
          for (int c = 0; c < size; c++) {
            score += qkv[t][q + c] * qkv[s][width + q + c];
          }
          p[s] = Math.exp(score / Math.sqrt(size));
          sum += p[s];
        }
        for (int s = 0; s <= t; s++) {
          for (int c = 0; c < size; c++) {
            o[t][q + c] += p[s] / sum * qkv[s][2 * width + q + c];
          }
        }
      }
    }
    return o;
  }
}
