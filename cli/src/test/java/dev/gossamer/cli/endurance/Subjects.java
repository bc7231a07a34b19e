package dev.gossamer.cli.endurance;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.gossamer.base.io.NpyFile;
import dev.gossamer.cli.Cli;
import dev.gossamer.cli.Folders;
import dev.gossamer.cli.SampleCluster;
import dev.gossamer.cli.SmallLists;
import dev.gossamer.cli.SmallTables;
import dev.gossamer.graph.format.FormatSamples;
import dev.gossamer.matlab.MatFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/// One subject of everything that the command line reads. Made by the command line itself where it
/// writes the format.
final class Subjects {
  private static final String GRAPH = "raw graphs";
  private static final String FOLDER = "data set folders";
  private static final String CORPUS = "texts and images";
  private static final String CONFIG = "configurations";
  private static final String RUN = "run folders";
  private static final String MODEL = "model files";

  /// What a run folder may lose or gain when it is resumed.
  private static final String RUN_FILES =
      "run/((data\\.json|metrics\\.jsonl|traffic\\.json|trace\\.json|tokens\\.json|(model|model-compressed|mask)\\.safetensors)"
          + "|checkpoint/?|checkpoint/((manifest|earlier)\\.json|(epoch-\\d{6}|iteration-\\d{6}-stage-\\d{3})\\.safetensors))";

  /// Named always: without its key, a configuration means the JDK's classes, which take a while.
  private static final String GRID = " --data KEPT/grid/data";

  private static final String WORDS = " --data KEPT/text/words.txt";

  /// More than the virtual machine of the fuzzer may hold, so that what it holds refuses no
  /// command.
  private static final String SMALL = " --hidden 4 --memory 4g -q --runs OUT ";

  private static final String GPT =
      " --model gpt-tiny --layers 1 --width 16 --heads 2 --length 8 --batch 2 --microbatch 1"
          + " --evaluate-samples 2 --memory 4g -q --runs OUT ";

  private final Box box;
  private final List<Subject> all = new ArrayList<>();

  private Subjects(Box box) {
    this.box = box;
  }

  /// Writes all of them below [Box#pristine].
  static List<Subject> prepare(Box box) throws IOException {
    Subjects subjects = new Subjects(box);
    Files.createDirectories(box.pristine());
    subjects.graphs();
    subjects.folders();
    subjects.clusters();
    subjects.corpora();
    subjects.trained();
    subjects.pruned();
    subjects.targets();
    return List.copyOf(subjects.all);
  }

  private Path at(String name) {
    try {
      return Files.createDirectories(box.pristine().resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Cli run(String command) {
    Cli cli = Cli.run(Subject.words(command, box));
    if (cli.status() != 0) {
      throw new IllegalStateException(command + ": " + cli.err());
    }
    return cli;
  }

  private void graphs() throws IOException {
    Path raw = at("raw");
    List<Path> samples = new ArrayList<>(FormatSamples.writeTo(raw));
    samples.add(MatFiles.write(raw.resolve("facebook.mat")));
    for (Path sample : samples) {
      String file = sample.getFileName().toString();
      String name = file.replace('.', '-');
      Files.move(sample, at(name).resolve(file));
      String data = " --data IN/" + file;
      Subject subject =
          Subject.of(
              name,
              GRAPH,
              "dataset info -q" + data,
              "dataset convert -q --out OUT/d" + data,
              "partition -q --parts 2 --out OUT/parts" + data);
      all.add(subject);
    }
    Files.delete(raw);
    all.add(
        Subject.of(
                "cache",
                FOLDER,
                "dataset info -q --data KEPT/musae/musae",
                "partition -q --parts 2 --out OUT/p --data KEPT/musae/musae")
            .damagingTheCacheOf("dataset info -q --data KEPT/musae/musae"));
    tables();
    at("cache");
    jar(at("jar").resolve("some.jar"));
    all.add(
        Subject.of("jar", GRAPH, "dataset build classpath -q --classpath IN/some.jar --out OUT/d"));
  }

  private void tables() throws IOException {
    SmallTables.write(at("tables"));
    String sources = " --vertices IN/accounts.csv --edges IN/payments.csv";
    run(
        "dataset import -q --dry-run --schema KEPT/tables/graph.yaml --out OUT/d"
            + sources.replace("IN/", "KEPT/tables/"));
    all.add(
        Subject.of(
            "tables",
            GRAPH,
            "dataset import -q --schema OUT/new.yaml --out OUT/d" + sources,
            "dataset import -q --schema IN/graph.yaml --out OUT/e",
            "dataset import -q --schema OUT/alone.yaml --out OUT/f --edges IN/payments.csv",
            "dataset info -q --data IN/graph.yaml",
            "dataset info -q --data IN/payments.yaml"));
    // A data set whose edges have times and features.
    run("dataset import -q --schema KEPT/tables/payments.yaml --out KEPT/payments/data");
    all.add(
        Subject.of(
            "payments",
            FOLDER,
            "dataset info -q --data IN/data",
            "dataset convert -q --data IN/data --out OUT/d",
            "train --data IN/data --epochs 1 --model gat" + SMALL));
    // A data set with the schema that it was fitted by; vertices and edges of two types.
    String typed = sources + " --vertices IN/goods.csv --edges IN/bought.csv";
    Files.writeString(at("tables").resolve("goods.csv"), "id,price\ng1,3\ng2,5\n");
    Files.writeString(at("tables").resolve("bought.csv"), "who,what\nacc-1,g1\nacc-2,g2\n");
    run(
        "dataset import -q --schema OUT/typed.yaml --out KEPT/fitted"
            + typed.replace("IN/", "KEPT/tables/"));
    all.add(
        Subject.of(
            "fitted",
            GRAPH,
            "dataset info -q --data IN",
            "dataset import -q --dry-run --schema OUT/like.yaml --out OUT/d --like IN"
                + typed.replace("IN/", "KEPT/tables/")));
    SmallLists.write(at("lists"));
    all.add(Subject.of("lists", GRAPH, "dataset build debian-packages -q --lists IN --out OUT/d"));
  }

  /// Some classes of our own.
  private static void jar(Path file) throws IOException {
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(file))) {
      for (Class<?> each :
          new Class<?>[] {Box.class, Subject.class, Mutator.class, Subjects.class}) {
        String name = each.getName().replace('.', '/') + ".class";
        out.putNextEntry(new ZipEntry(name));
        try (var in = each.getResourceAsStream("/" + name)) {
          in.transferTo(out);
        }
      }
    }
  }

  private void clusters() throws IOException {
    SampleCluster.write(at("cluster").resolve("cluster.yaml"), 2, "4g");
    all.add(
        Subject.of(
            "cluster",
            CONFIG,
            "plan -q --data KEPT/grid/data --mode full-graph --ranks 1,2 --cluster IN/cluster.yaml",
            "prune plan -q --model gpt-tiny --ranks 1,2 --cluster IN/cluster.yaml"));
  }

  private void folders() throws IOException {
    run(
        "dataset build grid -q --rows 8 --cols 8 --patch 2 --classes 3 --features 4 --split 40/30/30 --out KEPT/grid/data");
    Path names = box.pristine().resolve("grid/data/vertices.txt");
    Files.writeString(names, "vertex\n".repeat(64));
    run("dataset convert -q --data KEPT/cora/cora --split 40/30/30 --out KEPT/converted/data");
    String train = "train --data IN/data --epochs 1" + SMALL;
    all.add(
        Subject.of(
            "grid",
            FOLDER,
            "dataset info -q --data IN/data",
            "dataset convert -q --data IN/data --out OUT/d",
            train,
            train + "--mode minibatch --model sage --batch 8 --fanout 2,2",
            train + "--ranks 2"));
    all.add(
        Subject.of(
            "converted",
            FOLDER,
            "dataset info -q --data IN/data",
            "partition -q --parts 2 --out OUT/p --data IN/data"));
    Path given = at("given");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment x = arena.allocateFrom(ValueLayout.JAVA_FLOAT, new float[128]);
      NpyFile.write(given.resolve("x.npy"), NpyFile.Type.FLOAT32, x, 64, 2);
    }
    Files.writeString(given.resolve("y.csv"), "0\n1\n".repeat(32));
    String bare = "dataset info -q --data KEPT/grid/data ";
    all.add(
        Subject.of(
            "given",
            FOLDER,
            bare + "--features IN/x.npy --labels IN/y.csv",
            bare + "--features degree,IN/x.npy"));
    run("partition -q --data KEPT/grid/data --parts 2 --out KEPT/parts/grid.part");
    all.add(
        Subject.of(
            "parts",
            FOLDER,
            "train --data KEPT/grid/data --epochs 1 --ranks 2 --placement IN/grid.part" + SMALL,
            "partition -q --data KEPT/grid/data --report IN/grid.part"));
  }

  /// What is predicted, other than one class: labels, numbers, and weights of classes.
  private void targets() throws IOException {
    Path given = at("targets");
    Files.writeString(given.resolve("labels.csv"), "0,1\n1,\n".repeat(32));
    Files.writeString(given.resolve("numbers.csv"), "0.5\n-1e3\n".repeat(32));
    Files.writeString(given.resolve("weights.csv"), "class,weight\n0,1\n1,2.5\n2,0\n");
    String train = "train --data KEPT/grid/data --epochs 1" + SMALL;
    all.add(
        Subject.of(
            "targets",
            FOLDER,
            "dataset info -q --data KEPT/grid/data --labels IN/labels.csv",
            train + "--labels IN/numbers.csv --loss huber",
            train + "--class-weights IN/weights.csv"));
    run(
        "dataset convert -q --data KEPT/grid/data --labels KEPT/targets/labels.csv --out KEPT/several/data");
    all.add(
        Subject.of(
            "several",
            FOLDER,
            "dataset info -q --data IN/data",
            "train --data IN/data --epochs 1 --ranks 2" + SMALL));
  }

  private void corpora() throws IOException {
    String text = "what survives is kept, what is kept survives\n".repeat(40);
    Files.writeString(at("text").resolve("words.txt"), text);
    try (var out =
        new GZIPOutputStream(Files.newOutputStream(at("packed-text").resolve("words.txt.gz")))) {
      out.write(text.getBytes(UTF_8));
    }
    for (String part : List.of("train", "valid", "test")) {
      Files.writeString(at("wiki/wiki").resolve("wiki." + part + ".tokens"), text);
    }
    Path images = at("images/images");
    Files.write(images.resolve("train-images-idx3-ubyte"), idx(3, 12, 28, 28));
    Files.write(images.resolve("train-labels-idx1-ubyte"), idx(1, 12));
    Files.write(images.resolve("t10k-images-idx3-ubyte"), idx(3, 4, 28, 28));
    Files.write(images.resolve("t10k-labels-idx1-ubyte"), idx(1, 4));
    Path cifar = at("cifar/cifar");
    for (String name :
        List.of(
            "data_batch_1",
            "data_batch_2",
            "data_batch_3",
            "data_batch_4",
            "data_batch_5",
            "test_batch")) {
      Files.write(cifar.resolve(name + ".bin"), cifar(3));
    }
    for (String[] corpus :
        new String[][] {{"text", "words.txt"}, {"packed-text", "words.txt.gz"}, {"wiki", "wiki"}}) {
      String data = " --data IN/" + corpus[1];
      all.add(
          Subject.of(
              corpus[0],
              CORPUS,
              "prune train --iterations 1" + data + GPT,
              "prune train --dry-run" + data + GPT,
              "prune evaluate KEPT/gpt-model/model.safetensors -q --samples 2" + data));
    }
    String plan = "prune train --dry-run --batch 2 --microbatch 1 -q --runs OUT --data IN/";
    all.add(
        Subject.of(
            "images",
            CORPUS,
            plan + "images",
            "prune evaluate KEPT/vgg-model/model.safetensors -q --samples 2 --data IN/images"));
    all.add(Subject.of("cifar", CORPUS, plan + "cifar"));
  }

  private static byte[] idx(int dimensions, int... sizes) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    ByteBuffer header = ByteBuffer.allocate(4 + 4 * dimensions).putInt(0x800 + dimensions);
    int count = 1;
    for (int size : sizes) {
      header.putInt(size);
      count *= size;
    }
    bytes.writeBytes(header.array());
    for (int i = 0; i < count; i++) {
      bytes.write(dimensions == 1 ? i % 10 : 7 * i % 251);
    }
    return bytes.toByteArray();
  }

  private static byte[] cifar(int records) {
    byte[] bytes = new byte[3073 * records];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i % 3073 == 0 ? i / 3073 % 10 : 31 * i);
    }
    return bytes;
  }

  /// The folder of the only run below `OUT`, moved to that of a subject.
  private Path taken(String subject) {
    try (Stream<Path> runs = Files.list(box.out())) {
      Path run = at(subject).resolve("run");
      Files.move(runs.toList().getFirst(), run);
      // Times differ from run to run, and with them what a random number damages.
      Path metrics = run.resolve("metrics.jsonl");
      Files.writeString(
          metrics, Files.readString(metrics).replaceAll("\\d+\\.[0-9.E-]+(?=[,}])", "0.25"));
      return run;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void model(String subject, Path run, String... files) throws IOException {
    for (String file : files) {
      Files.copy(run.resolve(file), at(subject).resolve(file));
    }
  }

  private void config(String subject, Path run, String train, String data) throws IOException {
    Files.copy(run.resolve("config.yaml"), at(subject).resolve("config.yaml"));
    all.add(
        Subject.of(
            subject, CONFIG, train + " --config IN/config.yaml --memory 4g -q --runs OUT" + data));
  }

  private void emptyScene() {
    box.set(at("empty"));
    Folders.copy(box.rates(), box.cache());
  }

  private void trained() throws IOException {
    String train = "train --data KEPT/grid/data --epochs 2 --checkpoint-every 2" + SMALL;
    String minibatches = "--mode minibatch --batch 8 --fanout 2,2 --model sage";
    for (String[] way :
        new String[][] {
          {"gcn", ""},
          {"gat", "--model gat --heads 2 --feature-scaling standard"},
          {"sage", minibatches},
          {"ranks", "--ranks 2 --wire bf16"}
        }) {
      emptyScene();
      run(train + way[1]);
      String name = way[0] + "-run";
      Path run = taken(name);
      all.add(
          Subject.of(
                  name,
                  RUN,
                  "train --resume IN/run --epochs 3 --memory 4g -q" + GRID,
                  "train --resume IN/run -q" + GRID)
              .writing(RUN_FILES));
      all.add(
          Subject.of(
              name,
              RUN,
              "evaluate IN/run -q" + GRID,
              "predict IN/run --out OUT/p -q --embeddings" + GRID,
              "export IN/run --out OUT/m.onnx -q",
              "report IN/run --out OUT/r.html --charts OUT/charts -q",
              "watch IN/run --once -q"));
      model(way[0] + "-model", run, "model.safetensors");
      all.add(
          Subject.of(
              way[0] + "-model",
              MODEL,
              "evaluate IN/model.safetensors --data KEPT/grid/data -q",
              "predict IN/model.safetensors --data KEPT/grid/data --out OUT/p -q --embeddings --probabilities",
              "predict IN/model.safetensors --data KEPT/grid/data --out OUT/p.parquet -q --embeddings --probabilities",
              "calibrate IN/model.safetensors --data KEPT/grid/data --out OUT/c.safetensors -q",
              "export IN/model.safetensors --format npy --out OUT/m"));
      config(way[0] + "-config", run, "train", GRID);
    }
    for (String kind :
        List.of(
            "rgcn --bases 2",
            "rsage --activation prelu",
            "appnp",
            "gcnii",
            "sign",
            "sgc --layers 2",
            "gin --jumping max --input-projection --feed-forward")) {
      emptyScene();
      run(train + "--model " + kind);
      String name = kind.replaceFirst(" .*", "");
      Path run = taken(name + "-run");
      model(name + "-model", run, "model.safetensors");
      all.add(
          Subject.of(
              name + "-model",
              MODEL,
              "evaluate IN/model.safetensors --data KEPT/grid/data -q",
              "predict IN/model.safetensors --data KEPT/grid/data --out OUT/p -q",
              "export IN/model.safetensors --out OUT/m.onnx"));
      config(name + "-config", run, "train", GRID);
    }
    emptyScene();
    run(
        train
            + "--task links --link-split 60/20/20 --embedding 4 --candidates 5 --decoder distmult");
    Path links = taken("links-run");
    all.add(
        Subject.of(
            "links-run",
            RUN,
            "evaluate IN/run --heuristics -q" + GRID,
            "predict IN/run --out OUT/p -q" + GRID,
            "recommend IN/run --top 3 --out OUT/r.csv -q" + GRID));
    model("links-model", links, "model.safetensors");
    all.add(
        Subject.of(
            "links-model",
            MODEL,
            "predict IN/model.safetensors --data KEPT/grid/data --out OUT/p -q",
            "recommend IN/model.safetensors --data KEPT/grid/data --for vertex -q"));
    Files.writeString(at("names").resolve("names.txt"), "vertex\n");
    all.add(
        Subject.of(
            "names",
            CONFIG,
            "recommend KEPT/links-model/model.safetensors --for-file IN/names.txt -q" + GRID));
    config("links-config", links, "train", GRID);
    // One of the models has a decision in its description.
    run("calibrate KEPT/gat-model/model.safetensors -q" + GRID);
    Files.writeString(at("password").resolve("password.txt"), "secret\n");
    all.add(
        Subject.of(
            "password",
            CONFIG,
            "predict KEPT/gcn-model/model.safetensors --data KEPT/grid/data -q --password-file IN/password.txt"
                + " --out jdbc:duckdb:OUT/p.db␣p"));
  }

  private void pruned() throws IOException {
    String train =
        "prune train --data KEPT/text/words.txt --iterations 2 --checkpoint-every 2" + GPT;
    for (String[] way :
        new String[][] {
          {"gpt", "--prune one-shot --prune-at 1"},
          {"early-bird", "--prune early-bird --mask-every 1 --mask-window 2 --ranks 2 --inter 2"}
        }) {
      emptyScene();
      run(train + way[1]);
      String name = way[0] + "-run";
      Path run = taken(name);
      all.add(
          Subject.of(name, RUN, "prune train --resume IN/run --iterations 3 --memory 4g -q" + WORDS)
              .writing(RUN_FILES));
      all.add(
          Subject.of(
              name,
              RUN,
              "prune evaluate IN/run --samples 2 -q" + WORDS,
              "prune generate IN/run --count 3",
              "prune export IN/run --out OUT/m",
              "report IN/run --out OUT/r.html -q",
              "watch IN/run --once -q"));
      config(way[0] + "-config", run, "prune train", WORDS);
    }
    Path run = box.pristine().resolve("gpt-run/run");
    model("gpt-model", run, "model.safetensors", "tokens.json");
    all.add(
        Subject.of(
            "gpt-model",
            MODEL,
            "prune evaluate IN/model.safetensors --data KEPT/text/words.txt --samples 2 -q",
            "prune generate IN/model.safetensors --count 3",
            "prune export IN/model.safetensors --out OUT/m",
            "export IN/model.safetensors --out OUT/m.onnx"));
    model("compressed-model", run, "model-compressed.safetensors");
    all.add(
        Subject.of(
            "compressed-model",
            MODEL,
            "prune generate IN/model-compressed.safetensors --count 3",
            "prune inspect IN/model-compressed.safetensors"));
    model("mask", run, "mask.safetensors");
    all.add(
        Subject.of(
            "mask",
            MODEL,
            "prune inspect IN/mask.safetensors",
            "prune train --data KEPT/text/words.txt --iterations 1 --mask IN/mask.safetensors"
                + GPT));
    emptyScene();
    run(
        "prune train --data KEPT/images/images --iterations 1 --batch 2 --microbatch 1 --evaluate-samples 2 --prune none -q --runs OUT");
    model("vgg-model", taken("vgg-run"), "model.safetensors");
    all.add(
        Subject.of(
            "vgg-model",
            MODEL,
            "prune evaluate IN/model.safetensors --data KEPT/images/images --samples 2 -q"));
  }
}
