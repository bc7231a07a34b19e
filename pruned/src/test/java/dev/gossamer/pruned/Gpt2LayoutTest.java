package dev.gossamer.pruned;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.Safetensors.Dtype;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.Part;
import dev.gossamer.pruned.corpus.Tokens;
import dev.gossamer.pruned.layers.TextDecoder;
import dev.gossamer.pruned.prune.Pruning.Never;
import dev.gossamer.pruned.prune.Pruning.OneShot;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class Gpt2LayoutTest {
  private static final int LENGTH = 12;
  private static final int WIDTH = 20;

  @TempDir Path folder;

  /// Of bytes.
  private static PlainGpt2 plain(boolean tied) {
    return new PlainGpt2(256, LENGTH, 2, 2, WIDTH, tied);
  }

  private PrunedModel written(PlainGpt2 plain) throws IOException {
    plain.write(folder, "transformer.", Dtype.F32, null);
    return PrunedModel.open(folder);
  }

  @ParameterizedTest
  @CsvSource({"true, transformer., F32", "true, '', F16", "false, transformer., BF16"})
  void logitsAreThoseOfPlainLoops(boolean tied, String prefix, Dtype dtype) throws IOException {
    PlainGpt2 plain = plain(tied);
    plain.write(folder, prefix, dtype, null);
    PrunedModel model = PrunedModel.open(folder.resolve("model.safetensors"));
    int[] text = new Random(1).ints(LENGTH, 0, 256).toArray();
    double[][] expected = plain.logits(text);
    double largest = 0;
    for (double[] row : expected) {
      for (double logit : row) {
        largest = Math.max(largest, Math.abs(logit));
      }
    }
    // Five sums of at most 4 d + T terms on the way, each wrong by about the root of their number
    // in half units of the last place.
    double tolerance = 8 * 5 * Math.sqrt(4 * WIDTH + LENGTH) * 0x1p-24 * largest;
    try (Workers workers = new Workers(1);
        TextDecoder whole = model.decoder(workers);
        TextDecoder single = model.decoder(workers)) {
      compare(whole.append(text), expected[LENGTH - 1], tolerance);
      for (int t = 0; t < LENGTH; t++) {
        compare(single.append(text[t]), expected[t], tolerance);
      }
    }
  }

  private static void compare(DenseMatrix logits, double[] expected, double tolerance) {
    for (int v = 0; v < expected.length; v++) {
      assertThat(logits.get(0, v))
          .as("token %d", v)
          .isCloseTo((float) expected[v], within((float) tolerance));
    }
  }

  @Test
  void theLossIsThatOfPlainLoops() throws IOException {
    PlainGpt2 plain = plain(true);
    PrunedModel model = written(plain);
    Path words = TinyText.write(folder);
    EvaluationSettings few = EvaluationSettings.DEFAULT.withSamples(5).withThreads(1);
    try (Corpus corpus = model.corpus(words)) {
      double sum = 0;
      long[] ids = new long[5];
      int[] labels = new int[5 * LENGTH];
      corpus.evaluationSamples(Part.TEST, 0, 5, ids);
      try (Arena arena = Arena.ofConfined()) {
        DenseMatrix inputs = DenseMatrix.allocate(arena, 5L * LENGTH, 1);
        corpus.load(Part.TEST, ids, 5, inputs, labels);
        for (int i = 0; i < 5; i++) {
          int[] text = new int[LENGTH];
          for (int t = 0; t < LENGTH; t++) {
            text[t] = (int) inputs.get((long) i * LENGTH + t, 0);
          }
          double[][] logits = plain.logits(text);
          for (int t = 0; t < LENGTH; t++) {
            double total = 0;
            for (double logit : logits[t]) {
              total += Math.exp(logit);
            }
            sum += Math.log(total) - logits[t][labels[i * LENGTH + t]];
          }
        }
      }
      double loss = model.evaluate(corpus, Part.TEST, few).loss();
      // Of the size of a logit, which errs as above.
      assertThat(loss).isCloseTo(sum / labels.length, within(1e-5 * loss));
    }
  }

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void whatIsWrittenIsWhatWasRead(boolean tied) throws IOException {
    PrunedModel model = written(plain(tied));
    Path there = folder.resolve("there");
    assertThat(model.writeHuggingFace(there)).isEqualTo(there);
    PrunedModel again = PrunedModel.open(there);
    assertThat(again.architecture()).isEqualTo(model.architecture());
    assertThat(again.mask()).isEqualTo(model.mask());
    Path one = model.write(folder.resolve("one"));
    assertThat(again.write(folder.resolve("two"))).hasSameBinaryContentAs(one);
    // Our own form says it all, too, and a folder that was written before is replaced.
    assertThat(PrunedModel.open(one).architecture()).isEqualTo(model.architecture());
    assertThat(PrunedModel.open(one).writeHuggingFace(there).resolve("config.json"))
        .content()
        .contains("\"tie_word_embeddings\" : " + tied);
    assertThat(there.resolve("vocab.json")).doesNotExist();
    Files.writeString(there.resolve("mine.txt"), "not to be lost");
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> model.writeHuggingFace(there))
        .withMessageContaining(
            "there: expected a new folder, or one that contains only files listed in its SHA256SUMS,"
                + " found mine.txt;");
  }

  @Test
  void aTrainedNetworkGoesThereAndBack() throws IOException {
    Path words = TinyText.write(folder);
    PrunedModel trained = TinyText.training(words).run();
    PrunedModel back = PrunedModel.open(trained.writeHuggingFace(folder.resolve("gpt")));
    assertThat(back.mask()).isEqualTo(trained.mask());
    GenerationSettings few = GenerationSettings.DEFAULT.withCount(20);
    assertThat(back.generate("keep", few)).isEqualTo(trained.generate("keep", few));
  }

  @Test
  void aNetworkIsTunedAndPruned() throws IOException {
    PrunedModel model = written(plain(true));
    Path words = TinyText.write(folder);
    PrunedTraining tuning =
        TinyText.training(words).model(ModelSettings.DEFAULT).from(model).prune(new Never());
    PrunedModel same = tuning.iterations(1).learningRate(1e-12).run();
    try (Corpus corpus = model.corpus(words)) {
      double before = model.evaluate(corpus, Part.VALIDATION).loss();
      assertThat(same.evaluate(corpus, Part.VALIDATION).loss()).isCloseTo(before, within(1e-6));
      PrunedModel tuned = tuning.iterations(40).learningRate(1e-2).prune(new OneShot(20)).run();
      assertThat(tuned.evaluate(corpus, Part.VALIDATION).loss()).isLessThan(0.75 * before);
      assertThat(tuned.sparsity()).isCloseTo(0.9, within(1e-3));
      assertThat(tuned.architecture()).isEqualTo(model.architecture());
    }
    PrunedModel shorter =
        tuning.model(ModelSettings.DEFAULT.withLength(5)).iterations(1).learningRate(1e-12).run();
    assertThat(shorter.architecture().network(0).input().height()).isEqualTo(5);
    GenerationSettings one = GenerationSettings.DEFAULT.withTemperature(0).withCount(1);
    assertThat(shorter.generate("keep", one)).isEqualTo(model.generate("keep", one));
  }

  @Test
  void whatATrainedNetworkHasIsNotGivenAgain() throws IOException {
    PrunedModel model = written(plain(true));
    PrunedTraining tuning =
        TinyText.training(TinyText.write(folder)).model(ModelSettings.DEFAULT).from(model);
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> tuning.model(ModelSettings.DEFAULT.withLayers(3)).run())
        .withMessage("layers: expected none with from, which has its own, found 3");
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> tuning.model(ModelSettings.DEFAULT.withLength(13)).run())
        .withMessage("length: expected at most the 12 positions of from, found 13");
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> tuning.tokens(new Tokens.Bytes()).run())
        .withMessage("tokens: expected none with from, which has its own, found bytes");
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> tuning.ranks(2).stages(2).run())
        .withMessageStartingWith("stages: expected 1, as the head of gpt2 is its embedding");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"model_type\": \"llama\"|config.json: model_type: expected gpt2, found llama",
        "\"activation_function\": \"relu\"|config.json: activation_function: expected gelu_new, found relu",
        "\"layer_norm_epsilon\": 1e-6|config.json: layer_norm_epsilon: expected 1.0E-5, found 1.0E-6",
        "\"n_inner\": 79|config.json: n_inner: expected 80, found 79",
        "\"scale_attn_by_inverse_layer_idx\": true|config.json: scale_attn_by_inverse_layer_idx: expected false",
        "\"n_layer\": 3|model.safetensors: expected a tensor transformer.h.2.ln_1.weight, found none",
        "\"n_layer\": 1|model.safetensors: expected only the tensors of a GPT-2 of this configuration, found transformer.h.1",
        "\"n_head\": 3|config.json: expected the sizes of a GPT-2, found others: ",
        "\"n_layer\": 9999|config.json: expected the sizes of a GPT-2, found others: gpt: expected 1..1000 layers, found 9999",
        "\"n_embd\": \"wide\"|config.json: n_embd: expected a number of at least 1, found wide",
        "\"vocab_size\": 255|tensor transformer.wte.weight: expected shape [255, 20], found [256, 20]",
      })
  void otherNetworksAreRefused(String change, String message) throws IOException {
    plain(true).write(folder, "transformer.", Dtype.F32, change);
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> PrunedModel.open(folder))
        .withMessageContaining(message);
  }

  @Test
  void weightsThatAreMissingAreRefused() throws IOException {
    plain(true).write(folder, "", Dtype.F32, null);
    Files.delete(folder.resolve("model.safetensors"));
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> PrunedModel.open(folder))
        .withMessageContaining("model.safetensors: expected the weights of ");
  }

  @ParameterizedTest
  @EnumSource(names = {"F32", "F16", "BF16"})
  void weightsThatAreNoNumbersAreRefused(Dtype dtype) throws IOException {
    plain(true).write(folder, "", dtype, null);
    Path file = folder.resolve("model.safetensors");
    byte[] bytes = Files.readAllBytes(file);
    int header = Math.toIntExact(ByteBuffer.wrap(bytes).order(LITTLE_ENDIAN).getLong(0));
    Arrays.fill(bytes, Long.BYTES + header, bytes.length, (byte) 0xFF);
    Files.write(file, bytes);
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> PrunedModel.open(folder))
        .withMessageContaining("model.safetensors: tensor ")
        .withMessageContaining("expected a finite number, found ");
  }

  /// A network with GPT-2's own tokens takes the files of these along.
  @Tag("slow")
  @Test
  void bytePairsAreThoseOfGpt2() throws IOException {
    PrunedModel model = writtenWithPairs();
    Path there = model.writeHuggingFace(folder.resolve("there"));
    assertThat(Files.readAllLines(there.resolve("merges.txt")))
        .hasSize(50_001)
        .startsWith("#version: 0.2", "Ġ t", "Ġ a", "h e", "i n", "r e", "o n", "Ġt he");
    assertThat(there.resolve("vocab.json"))
        .content()
        .startsWith("{\"!\":0,\"\\\"\":1,")
        .contains("\"Ġworld\":995,")
        .endsWith("\"<|endoftext|>\":50256}");
    Files.delete(there.resolve("tokens.json"));
    assertThat(PrunedModel.open(there).tokenizer())
        .hasValueSatisfying(tokens -> assertThat(tokens.name()).isEqualTo("bpe"));
    Path vocabulary = there.resolve("vocab.json");
    Files.writeString(vocabulary, Files.readString(vocabulary).replace("\"!\":0", "\"!\":7"));
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> PrunedModel.open(there))
        .withMessageEndingWith(
            "vocab.json: expected GPT-2's tokens, of which '!' has the number 0, found 7");
  }

  private PrunedModel writtenWithPairs() throws IOException {
    PlainGpt2 plain = new PlainGpt2(50_257, 4, 1, 1, 2, true);
    plain.write(folder, "", Dtype.F32, null);
    return PrunedModel.open(folder);
  }
}
