package dev.gossamer.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.onnxruntime.OrtException;
import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.nn.state.Safetensors;
import dev.gossamer.pruned.PrunedModel;
import dev.gossamer.pruned.corpus.ByteTokenizer;
import dev.gossamer.pruned.corpus.PixelScaling;
import dev.gossamer.pruned.corpus.TokenFile;
import dev.gossamer.pruned.layers.DenseArchitecture;
import dev.gossamer.pruned.layers.GptSettings;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.pruned.layers.Microbatch;
import dev.gossamer.pruned.layers.Pass;
import dev.gossamer.pruned.layers.Shape;
import dev.gossamer.pruned.layers.Statistics;
import dev.gossamer.pruned.pipeline.NetworkTensors;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Files of pruned networks, computed by ONNX Runtime.
final class PrunedOnnxModelTest {
  /// As promised; relative to numbers above 1.
  private static final double TOLERANCE = 1e-5;

  private static final int SAMPLES = 2;

  /// Share of the weights that survive.
  private static final double KEPT = 0.1;

  @TempDir private Path folder;

  static Stream<DenseArchitecture> networks() {
    return Stream.of(
        new DenseArchitecture.Text("gpt-tiny", new GptSettings(11, 7, 2, 2, 8, 0, false)),
        new DenseArchitecture.Text(
            "gpt-tiny",
            new GptSettings(11, 7, 1, 4, 8, 0, true),
            Map.of("blocks.0.attention", 3, "blocks.0.mlp.in", 5)),
        new DenseArchitecture.Images("vgg-mnist", new Shape(9, 12, 1), 3),
        new DenseArchitecture.Images("wideresnet-small", new Shape(10, 8, 2), 4));
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("networks")
  void logitsAreThoseOfGossamer(DenseArchitecture architecture) throws OrtException, IOException {
    LayerNetwork network = architecture.network(0);
    Map<String, Safetensors.Tensor> tensors = random(network);
    Map<String, String> metadata = metadata(architecture);
    metadata.put("format", "gossamer-dense-model");
    Path file = folder.resolve("model.safetensors");
    new Safetensors(tensors, metadata).write(file);
    metadata.remove("format");
    PrunedModel model = PrunedModel.open(file);
    float[] input = input(network, architecture);
    DenseMatrix expected = logits(network, tensors, input);
    try (OnnxRun run = OnnxRun.of(OnnxModel.of(model), folder)) {
      assertThat(run.session().getMetadata().getCustomMetadata()).isEqualTo(metadata);
      float[] found = run.of(given(network, input)).get("logits").values();
      assertThat(found).hasSize(Math.toIntExact(expected.rows() * expected.cols()));
      for (int i = 0; i < found.length; i++) {
        double number = expected.get(i / expected.cols(), i % expected.cols());
        assertThat(found[i])
            .isCloseTo((float) number, within((float) (TOLERANCE * Math.max(1, Math.abs(number)))));
      }
    }
    if (architecture instanceof DenseArchitecture.Images) {
      // A survivor has a position of 8 bytes besides its number.
      assertThat(3.0 * Files.size(folder.resolve("model.onnx"))).isLessThan(Files.size(file) + 3e4);
    }
  }

  /// What a program needs to know to make the input: which tokens, or means and deviations.
  private static Map<String, String> metadata(DenseArchitecture architecture) {
    Map<String, String> metadata = new TreeMap<>(architecture.description());
    switch (architecture) {
      case DenseArchitecture.Text _ ->
          metadata.put("tokens", TokenFile.content(new ByteTokenizer()));
      case DenseArchitecture.Images images -> {
        List<Double> levels = Collections.nCopies(images.input().channels(), 64.5);
        metadata.putAll(new PixelScaling(levels, levels).description());
      }
    }
    return metadata;
  }

  private static Map<String, Safetensors.Tensor> random(LayerNetwork network) {
    Random random = new Random(3);
    Map<String, Safetensors.Tensor> tensors = new LinkedHashMap<>();
    for (ParameterLayout.Entry entry : network.layout().entries()) {
      boolean matrix = entry.rows() > 1;
      double scale = matrix ? 1 / Math.sqrt(KEPT * entry.rows()) : 0.5;
      DenseMatrix values = DenseMatrix.allocate(Arena.ofAuto(), entry.rows(), entry.cols());
      for (int i = 0; i < entry.rows(); i++) {
        for (int j = 0; j < entry.cols(); j++) {
          boolean kept = !matrix || random.nextDouble() < KEPT;
          values.set(i, j, kept ? (float) (scale * random.nextGaussian()) : 0);
        }
      }
      tensors.put(entry.name(), new Safetensors.Tensor(entry.shape(), values.data()));
    }
    for (ParameterLayout.Entry entry : network.statistics().entries()) {
      DenseMatrix values = DenseMatrix.allocate(Arena.ofAuto(), 1, entry.cols());
      for (int j = 0; j < entry.cols(); j++) {
        values.set(0, j, 0.5f + random.nextFloat());
      }
      tensors.put(entry.name(), new Safetensors.Tensor(entry.shape(), values.data()));
    }
    return tensors;
  }

  /// Pixels, or numbers of tokens.
  private static float[] input(LayerNetwork network, DenseArchitecture architecture) {
    Random random = new Random(4);
    int count = Math.toIntExact(SAMPLES * network.input().elements());
    float[] input = new float[count];
    for (int i = 0; i < count; i++) {
      input[i] =
          architecture instanceof DenseArchitecture.Text text
              ? random.nextInt(text.sizes().vocabulary())
              : (float) random.nextGaussian();
    }
    return input;
  }

  private static OnnxRun.Given given(LayerNetwork network, float[] input) {
    Shape shape = network.input();
    long[] tokens = new long[input.length];
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = (long) input[i];
    }
    return new OnnxRun.Given()
        .with("tokens", tokens, SAMPLES, shape.height())
        .with("images", input, SAMPLES, shape.height(), shape.width(), shape.channels());
  }

  private static DenseMatrix logits(
      LayerNetwork network, Map<String, Safetensors.Tensor> tensors, float[] input) {
    Arena arena = Arena.ofAuto();
    Shape shape = network.input();
    DenseMatrix x =
        DenseMatrix.allocate(arena, (long) SAMPLES * shape.positions(), shape.channels());
    for (int i = 0; i < input.length; i++) {
      x.set(i / shape.channels(), i % shape.channels(), input[i]);
    }
    Statistics statistics = new Statistics(arena, network.statistics());
    for (ParameterLayout.Entry entry : network.statistics().entries()) {
      Safetensors.Tensor values = Objects.requireNonNull(tensors.get(entry.name()));
      statistics.running(entry.name()).copyFrom(values.data());
    }
    DenseMatrix kept = DenseMatrix.allocate(arena, network.whole().keptElements(SAMPLES), 1);
    try (Workers workers = new Workers(1)) {
      Pass pass =
          new Pass(
              NetworkTensors.of(network, tensors).state(arena, workers),
              statistics,
              new Kernels(workers, Matmul.java()),
              Microbatch.evaluation(SAMPLES, 0));
      return network.whole().forward(x, kept, pass);
    }
  }
}
