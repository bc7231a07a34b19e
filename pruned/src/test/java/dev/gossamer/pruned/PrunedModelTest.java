package dev.gossamer.pruned;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.Safetensors;
import dev.gossamer.pruned.corpus.Corpora;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.Fixtures;
import dev.gossamer.pruned.corpus.Part;
import dev.gossamer.pruned.corpus.ReadingProgress;
import dev.gossamer.pruned.corpus.Tokens;
import dev.gossamer.pruned.pipeline.Score;
import dev.gossamer.pruned.prune.MaskFile;
import dev.gossamer.pruned.prune.Pruning.Never;
import dev.gossamer.run.Confusion;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PrunedModelTest {
  private static final GenerationSettings FEW = GenerationSettings.DEFAULT.withCount(12);

  @TempDir static Path shared;
  static Path text = Path.of("");

  /// Of a pipeline of two stages, with files.
  static Path run = Path.of("");

  static PrunedModel trained;

  @TempDir Path folder;

  @BeforeAll
  static void train() throws IOException {
    text = TinyText.write(shared);
    PrunedResult done = TinyText.training(text).ranks(2).stages(2).folder(shared).train();
    run = Objects.requireNonNull(done.plan().folder());
    trained = Objects.requireNonNull(done.model());
  }

  private static Score validation(PrunedModel model) {
    try (Corpus corpus = model.corpus(text)) {
      return model.evaluate(corpus, Part.VALIDATION);
    }
  }

  @Test
  void weightsThatAreNoNumbersAreRefused() throws IOException {
    Path file = trained.write(folder.resolve("model.safetensors"), ModelFormat.DENSE);
    byte[] bytes = Files.readAllBytes(file);
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putFloat(bytes.length - 4, 1 / 0f);
    Files.write(file, bytes);
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> PrunedModel.open(file))
        .withMessageContaining("expected a finite number, found Infinity");
  }

  @ParameterizedTest
  @EnumSource(names = {"DENSE", "COMPRESSED"})
  void aFileAloneIsTheWholeModel(ModelFormat format) throws IOException {
    Path file = trained.write(folder.resolve("elsewhere.safetensors"), format);
    PrunedModel opened = PrunedModel.open(file);
    assertThat(opened.architecture()).isEqualTo(trained.architecture());
    assertThat(opened.facts()).isEqualTo(trained.facts());
    assertThat(opened.mask()).isEqualTo(trained.mask());
    assertThat(opened.inspect()).isEqualTo(trained.inspect());
    assertThat(validation(opened)).isEqualTo(validation(trained));
    assertThat(opened.generate("keep", FEW)).isEqualTo(trained.generate("keep", FEW)).isNotEmpty();
    // Written again in both forms, it has the same bytes.
    for (ModelFormat each : ModelFormat.values()) {
      assertThat(opened.write(folder, each)).hasSameBinaryContentAs(run.resolve(each.fileName()));
    }
  }

  @Test
  void theFolderOfARunIsTheModelToo() {
    PrunedModel opened = PrunedModel.open(run);
    assertThat(opened.mask()).isEqualTo(trained.mask());
    assertThat(validation(opened)).isEqualTo(validation(trained));
    assertThat(opened.tokenizer()).hasValueSatisfying(t -> assertThat(t.name()).isEqualTo("bytes"));
  }

  /// As files were before they said which tokens they read and how they were pruned.
  @Test
  void anOlderFileIsReadWithWhatIsBesideIt() throws IOException {
    Path file = folder.resolve("model.safetensors");
    Map<String, String> old = new HashMap<>(trained.architecture().description());
    old.put("format", "gossamer-dense-model");
    try (Arena arena = Arena.ofConfined()) {
      Safetensors whole = Safetensors.open(arena, run.resolve("model.safetensors"));
      new Safetensors(whole.tensors(), old).write(file);
    }
    PrunedModel alone = PrunedModel.open(file);
    assertThat(alone.facts()).isEmpty();
    assertThat(alone.mask()).isEqualTo(trained.mask());
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> alone.generate("keep", FEW))
        .withMessage("gpt-tiny: expected a language model with its tokens, found no tokens");
    Files.copy(run.resolve("tokens.json"), folder.resolve("tokens.json"));
    assertThat(PrunedModel.open(file).generate("keep", FEW))
        .isEqualTo(trained.generate("keep", FEW));
    assertThat(PrunedModel.open(folder).generate("keep", FEW))
        .isEqualTo(trained.generate("keep", FEW));
  }

  @Test
  void generationDependsOnItsSeedAlone() {
    GenerationSettings two = FEW.withThreads(2);
    assertThat(trained.generate("what", two)).isEqualTo(trained.generate("what", FEW));
    assertThat(trained.generate("what", FEW.withSeed(5).withCount(40)))
        .isNotEqualTo(trained.generate("what", FEW.withCount(40)));
    GenerationSettings likeliest = FEW.withTemperature(0);
    assertThat(trained.generate("what", likeliest))
        .isEqualTo(trained.generate("what", FEW.withTopK(1)));
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> trained.generate("", FEW))
        .withMessage("prompt: expected a character, found none");
  }

  @Test
  void aTextComesInPiecesUpToAStop() {
    GenerationSettings many = FEW.withCount(60);
    StringBuilder pieces = new StringBuilder();
    String whole = trained.generate("what", many, pieces::append);
    assertThat(pieces).hasToString(whole);
    String stop = whole.substring(20, 22);
    String stopped = trained.generate("what", many.withStop("no such text", stop));
    assertThat(stopped).isEqualTo(whole.substring(0, whole.indexOf(stop)));
    assertThat(trained.generate("what", many.withTopK(0).withTopP(1e-9)))
        .isEqualTo(trained.generate("what", many.withTemperature(0)));
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> many.withStop(""))
        .withMessage("stop: expected a character, found none");
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> many.withTopP(0))
        .withMessage("topP: expected more than 0 and at most 1, found 0.0");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 8})
  void howManySamplesAPassHasChangesNothingButRounding(int batch) {
    EvaluationSettings settings = EvaluationSettings.DEFAULT.withBatch(batch).withSamples(20);
    try (Corpus corpus = trained.corpus(text)) {
      Score expected =
          trained.evaluate(corpus, Part.TRAIN, EvaluationSettings.DEFAULT.withSamples(20));
      Score found = trained.evaluate(corpus, Part.TRAIN, settings);
      assertThat(found.labels()).isEqualTo(20L * TinyText.LENGTH);
      assertThat(found.accuracy()).isEqualTo(expected.accuracy());
      assertThat(Math.abs(found.loss() - expected.loss())).isLessThan(1e-6);
    }
  }

  /// Every image is counted by its label, the right ones on the diagonal; of texts nothing is.
  @Test
  void imagesAreCountedByTheirClasses() throws IOException {
    Path images = Files.createDirectory(folder.resolve("images"));
    Fixtures.mnistLike(images, 10, 8, 8);
    PrunedModel model =
        PrunedTraining.on(images).iterations(1).batch(1).microbatch(1).prune(new Never()).run();
    try (Corpus corpus = model.corpus(images);
        Corpus other = trained.corpus(text)) {
      PrunedEvaluation found =
          model.evaluateClasses(corpus, Part.TEST, EvaluationSettings.DEFAULT, _ -> {});
      Confusion counts = Objects.requireNonNull(found.counts());
      assertThat(found.score()).isEqualTo(model.evaluate(corpus, Part.TEST));
      assertThat(counts.count()).isEqualTo(4);
      assertThat(counts.accuracy()).isEqualTo(found.score().accuracy());
      for (int label : new int[] {0, 1, 2, 3}) {
        assertThat(counts.support(label)).isEqualTo(1);
      }
      EvaluationSettings few = EvaluationSettings.DEFAULT.withSamples(1);
      assertThat(trained.evaluateClasses(other, Part.TRAIN, few, _ -> {}).counts()).isNull();
    }
  }

  /// Two folders have the same images to test, and others to train.
  @Test
  void otherImagesAreStandardisedAsThoseOfTheTraining() throws IOException {
    Path images = Files.createDirectory(folder.resolve("images"));
    Path others = Files.createDirectory(folder.resolve("others"));
    Fixtures.mnistLike(images, 10, 8, 8);
    Fixtures.mnistLike(others, 30, 8, 8);
    PrunedModel model =
        PrunedTraining.on(images).iterations(1).batch(1).microbatch(1).prune(new Never()).run();
    Path file = model.write(folder.resolve("model.safetensors"));
    PrunedModel opened = PrunedModel.open(file);
    assertThat(opened.metadata()).isEqualTo(model.metadata()).containsKeys("means", "deviations");
    assertThat(opened.facts()).isEqualTo(model.facts()).doesNotContainKey("means");
    try (Arena arena = Arena.ofConfined();
        Corpus own = model.corpus(images);
        Corpus other = model.corpus(others)) {
      Score score = model.evaluate(own, Part.TEST);
      assertThat(opened.evaluate(other, Part.TEST)).isEqualTo(score);
      Safetensors written = Safetensors.open(arena, file);
      Map<String, String> metadata = new HashMap<>(written.metadata());
      metadata.put("deviations", "0.0");
      Path refused = folder.resolve("refused");
      new Safetensors(written.tensors(), metadata).write(refused);
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(() -> PrunedModel.open(refused))
          .withMessageEndingWith("refused: deviations: expected more than 0, found 0.0");
      metadata.remove("deviations");
      new Safetensors(written.tensors(), metadata).write(refused);
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(() -> PrunedModel.open(refused))
          .withMessageEndingWith(
              "deviations: expected a number for each of 1 channels, found none");
      // As older files are, which do not say how pixels were standardised.
      metadata.remove("means");
      Path old = folder.resolve("old");
      new Safetensors(written.tensors(), metadata).write(old);
      PrunedModel older = PrunedModel.open(old);
      assertThat(older.evaluate(own, Part.TEST)).isEqualTo(score);
      assertThat(older.evaluate(other, Part.TEST)).isNotEqualTo(score);
    }
  }

  /// The labels of the first windows are the text from its second character on.
  @Test
  void lossesAreSharedAmongBytesAndWords() throws IOException {
    Path known = Files.writeString(folder.resolve("known.txt"), "ab c\n".repeat(400));
    try (Corpus corpus = trained.corpus(known)) {
      Score score = trained.evaluate(corpus, Part.TRAIN, EvaluationSettings.DEFAULT.withSamples(2));
      // b c, ab c five times, and ab: 32 bytes with blanks and line ends.
      assertThat(score.text()).isEqualTo(new Score.Text(2 * TinyText.LENGTH, 13));
      double nats = score.loss() * 2 * TinyText.LENGTH;
      assertThat(score.bitsPerByte()).isCloseTo(nats / 32 / Math.log(2), within(1e-12));
      assertThat(score.wordPerplexity()).isCloseTo(Math.exp(nats / 13), within(1e-6));
    }
    Score nothing = new Score(1, 2, 0, new Score.Text(0, 0));
    assertThat(nothing.bitsPerByte()).isNaN();
    assertThat(nothing.wordPerplexity()).isNaN();
  }

  @Test
  void otherDataAreRefused() {
    try (Corpus wide = Corpora.open(text, new Tokens.Bytes(), 20, ReadingProgress.SILENT);
        Corpus pairs = Corpora.open(text, new Tokens.Bpe(256), 16, ReadingProgress.SILENT)) {
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(() -> trained.evaluate(wide, Part.TEST))
          .withMessage(
              "words.txt: expected samples of 16 x 1 x 1 with 256 classes, found 20 x 1 x 1 with 256");
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(() -> trained.evaluate(pairs, Part.TEST))
          .withMessage("words.txt: expected the tokens of the model, bytes, found others");
    }
  }

  @Test
  void aMaskIsFoundWhereverItIs() {
    Path dense = trained.write(folder.resolve("dense"));
    Mask mask = trained.mask();
    assertThat(PrunedModel.maskAt(dense)).isEqualTo(mask);
    Mask alone = MaskFile.read(run.resolve("mask.safetensors"));
    assertThat(PrunedModel.maskAt(run)).isEqualTo(alone);
    assertThat(PrunedModel.maskAt(run.resolve("mask.safetensors"))).isEqualTo(alone);
  }

  @Test
  void whatIsNotPrunedHasNoMask() {
    PrunedModel whole = TinyText.training(text).prune(new Never()).run();
    Path file = whole.write(folder.resolve("whole"));
    assertThat(PrunedModel.open(file).kept()).isEqualTo(whole.parameters());
    assertThat(whole.inspect().matrices()).isEmpty();
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> whole.write(folder.resolve("compressed"), ModelFormat.COMPRESSED))
        .withMessageContaining("compressed: expected a pruned network, found one that keeps all");
    assertThat(folder.resolve("compressed")).doesNotExist();
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> PrunedModel.maskAt(file))
        .withMessageContaining("expected a pruned network");
  }

  @Test
  void whatIsNoModelIsRefused() throws IOException {
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> PrunedModel.open(folder))
        .withMessageEndingWith("model.safetensors: expected a trained model, found none");
    Path begun = Files.createDirectory(folder.resolve("begun"));
    Files.createFile(begun.resolve("metrics.jsonl"));
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> PrunedModel.open(begun))
        .withMessageEndingWith("found none; resume an interrupted run to its end");
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> PrunedModel.open(run.resolve("mask.safetensors")))
        .withMessageContaining(
            "expected the format gossamer-dense-model or gossamer-compressed-model in the metadata, found gossamer-mask");
    Path file = folder.resolve("other");
    Map<String, String> metadata = new HashMap<>(trained.architecture().description());
    metadata.put("format", "gossamer-dense-model");
    metadata.put("width", "64");
    try (Arena arena = Arena.ofConfined()) {
      Safetensors whole = Safetensors.open(arena, run.resolve("model.safetensors"));
      new Safetensors(whole.tensors(), metadata).write(file);
      metadata.put("model", "transformer");
      new Safetensors(whole.tensors(), metadata).write(folder.resolve("unknown"));
    }
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> PrunedModel.open(file))
        .withMessageContaining("other: tensor embedding.tokens: expected 16384 elements");
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> PrunedModel.open(folder.resolve("unknown")))
        .withMessageContaining("unknown: model: expected one of gpt-tiny")
        .withMessageEndingWith("found transformer");
  }

  @Test
  void settingsOutOfTheirRangesAreRefused() {
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> FEW.withCount(0))
        .withMessage("count: expected at least 1, found 0");
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> FEW.withTemperature(101))
        .withMessage("temperature: expected 0 to 100, found 101.0");
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> FEW.withTopK(-1))
        .withMessage("topK: expected at least 0, found -1");
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> EvaluationSettings.DEFAULT.withSamples(0))
        .withMessage("samples: expected at least 1, found 0");
  }
}
