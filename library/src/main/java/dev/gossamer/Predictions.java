package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.base.io.NpyFile;
import dev.gossamer.graph.Task;
import dev.gossamer.matrix.DenseMatrix;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;
import org.jspecify.annotations.Nullable;

/// The predictions of a model for every vertex of a graph: a probability for each class or label,
/// or a value for each number, and the activations of the last hidden layer.
public final class Predictions {
  /// The table in a folder of predictions.
  public static final String CSV = "predictions.csv";

  private static final String PROBABILITIES = "probabilities.npy";
  private static final String VALUES = "values.npy";
  private static final String EMBEDDINGS = "embeddings.npy";
  private static final Set<String> FILES = Set.of(CSV, PROBABILITIES, VALUES, EMBEDDINGS);

  /// Between two labels in a table.
  public static final String LABELS = ";";

  /// The probability from which on one of several labels is predicted.
  private static final double THRESHOLD = 0.5;

  /// Full-width signs count too, as spreadsheets read them in some languages.
  private static final Pattern FORMULA =
      Pattern.compile("[\\s\\p{Cntrl}]*[=+\\-@\uff1d\uff0b\uff0d\uff20]|[\\t\\r\\n]");

  private static final Pattern NUMBER =
      Pattern.compile("[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?");

  private final Task task;
  private final DenseMatrix probabilities;
  private final @Nullable DenseMatrix embeddings;
  private final List<String> classes;
  private final IntFunction<String> vertexNames;
  private final @Nullable Threshold threshold;

  /// From which probability of a class it is predicted instead of the other one of two.
  ///
  /// @param positive number of the class
  /// @param probability least one
  record Threshold(int positive, double probability) {}

  /// Which files [#write] writes.
  public enum Contents {
    /// `predictions.csv` and `probabilities.npy`, or `values.npy` of numbers.
    PROBABILITIES,
    /// `embeddings.npy` too.
    EMBEDDINGS
  }

  /// Which probabilities `predictions.csv` has.
  public enum Columns {
    /// The probability of the predicted class.
    LIKELIEST,
    /// The probabilities of the predicted class and, in a column of its name, of each class.
    ALL
  }

  /// @param probabilities `n x classes`; values of numbers
  /// @param embeddings `n x width`; null for a network without hidden layer
  /// @param threshold null for the likeliest class
  Predictions(
      Task task,
      DenseMatrix probabilities,
      @Nullable DenseMatrix embeddings,
      List<String> classes,
      IntFunction<String> vertexNames,
      @Nullable Threshold threshold) {
    this.task = task;
    this.probabilities = probabilities;
    this.embeddings = embeddings;
    this.classes = List.copyOf(classes);
    this.vertexNames = vertexNames;
    this.threshold = threshold;
  }

  /// {@return number of vertices}
  public int vertices() {
    return Math.toIntExact(probabilities.rows());
  }

  /// {@return what is predicted}
  public Task task() {
    return task;
  }

  /// {@return name of each class, label or number}
  public List<String> classes() {
    return classes;
  }

  /// Returns the user's own name of a vertex: its number if the data have no names.
  ///
  /// @param vertex from 0 on
  /// @return name of the vertex
  public String vertexName(int vertex) {
    return vertexNames.apply(vertex);
  }

  /// Returns the probability that a vertex has a class.
  ///
  /// @param vertex from 0 on
  /// @param c number of the class
  /// @return in `[0, 1]`
  /// @throws IndexOutOfBoundsException if there is no such vertex or class
  public double probability(int vertex, int c) {
    return probabilities.get(vertex, c);
  }

  /// Returns a predicted number of a vertex.
  ///
  /// @param vertex from 0 on
  /// @param c number of the number
  /// @return the value, in the units of the training data
  /// @throws IndexOutOfBoundsException if there is no such vertex or number
  public double value(int vertex, int c) {
    return probabilities.get(vertex, c);
  }

  /// Returns the labels of a vertex: those whose probability is at least one half.
  ///
  /// @param vertex from 0 on
  /// @return their names, in the order of [#classes]
  public List<String> labelsOf(int vertex) {
    return IntStream.range(0, classes.size())
        .filter(c -> probabilities.get(vertex, c) >= THRESHOLD)
        .mapToObj(classes::get)
        .toList();
  }

  /// Returns the number of the predicted class of a vertex: the likeliest, the first in case of
  /// ties; or of two classes the one whose probability reaches the threshold of the model
  /// ([Calibration]).
  ///
  /// @param vertex from 0 on
  /// @return number of the class
  /// @throws IndexOutOfBoundsException if there is no such vertex
  public int classOf(int vertex) {
    if (threshold != null) {
      boolean reached = probabilities.get(vertex, threshold.positive()) >= threshold.probability();
      return reached ? threshold.positive() : 1 - threshold.positive();
    }
    int best = 0;
    for (int c = 1; c < probabilities.cols(); c++) {
      best = probabilities.get(vertex, c) > probabilities.get(vertex, best) ? c : best;
    }
    return best;
  }

  /// Returns the name of the predicted class of a vertex.
  ///
  /// @param vertex from 0 on
  /// @return name of the class
  public String classNameOf(int vertex) {
    return classes.get(classOf(vertex));
  }

  /// {@return whether the network has a hidden layer}
  public boolean hasEmbeddings() {
    return embeddings != null;
  }

  /// {@return numbers of an embedding}
  ///
  /// @throws IllegalStateException if the network has no hidden layer
  public int embeddingWidth() {
    return requireEmbeddings().cols();
  }

  /// Returns the activations of the last hidden layer for a vertex.
  ///
  /// @param vertex from 0 on
  /// @return a copy, one number per hidden unit
  /// @throws IllegalStateException if the network has no hidden layer
  public float[] embedding(int vertex) {
    DenseMatrix rows = requireEmbeddings();
    float[] row = new float[rows.cols()];
    for (int j = 0; j < row.length; j++) {
      row[j] = rows.get(vertex, j);
    }
    return row;
  }

  private DenseMatrix requireEmbeddings() {
    if (embeddings == null) {
      throw new IllegalStateException("a network of one layer has no embeddings");
    }
    return embeddings;
  }

  /// Checks that [#write] may write a folder: that it is new, empty, or holds only earlier
  /// predictions.
  ///
  /// @param folder of predictions
  /// @throws dev.gossamer.base.InvalidInputException naming what else the folder holds
  public static void requireReplaceable(Path folder) {
    AtomicOutput.requireReplaceable(folder, FILES);
  }

  /// Writes a folder: `predictions.csv` (vertex, class, probability, with the names of the data; of
  /// several labels those with a probability of at least one half, separated by `;`, or the value
  /// of each number), `probabilities.npy` (float32, vertices x classes) or `values.npy`, on request
  /// `embeddings.npy` (float32, vertices x width), and their checksums, `SHA256SUMS`. An earlier
  /// folder of predictions is replaced if it holds nothing else.
  ///
  /// In the table, an apostrophe precedes each name that a spreadsheet would take for a formula:
  /// one that is no number and begins with `=`, `+`, `-` or `@`, perhaps after blanks, or with a
  /// tab or a line break.
  ///
  /// @param folder made, or replaced
  /// @param contents which files
  /// @param columns which probabilities the table has
  /// @throws dev.gossamer.base.InvalidInputException if it cannot be written, or holds something
  ///   else
  public void write(Path folder, Contents contents, Columns columns) {
    requireHas(contents);
    AtomicOutput.folder(
        folder,
        FILES,
        into -> {
          writeCsv(into.resolve(CSV), columns);
          write(into.resolve(task.predictsNumbers() ? VALUES : PROBABILITIES), probabilities);
          if (contents == Contents.EMBEDDINGS) {
            write(into.resolve(EMBEDDINGS), requireEmbeddings());
          }
        });
  }

  /// Checks that there is what is to be written.
  ///
  /// @param contents wanted
  /// @throws InvalidSettingException if it is embeddings, and the network has no hidden layer
  public void requireHas(Contents contents) {
    if (contents == Contents.EMBEDDINGS && embeddings == null) {
      throw new InvalidSettingException(
          "{embeddings}: expected a hidden layer that was computed of all vertices, found none; a"
              + " single layer has none, nor have means of sampled neighbours");
    }
  }

  /// Writes a folder whose table has the probability of the predicted class.
  ///
  /// @param folder made, or replaced
  /// @param contents which files
  public void write(Path folder, Contents contents) {
    write(folder, contents, Columns.LIKELIEST);
  }

  /// Writes a folder with [Contents#PROBABILITIES].
  ///
  /// @param folder made, or replaced
  public void write(Path folder) {
    write(folder, Contents.PROBABILITIES);
  }

  private static void write(Path file, DenseMatrix matrix) throws IOException {
    NpyFile.write(file, NpyFile.Type.FLOAT32, matrix.data(), matrix.rows(), matrix.cols());
  }

  /// A name as spreadsheets show it. They take a cell that begins like a formula for one, quoted or
  /// not, unless an apostrophe stands before it; numbers are none.
  private static String cell(String name) {
    return FORMULA.matcher(name).lookingAt() && !NUMBER.matcher(name).matches() ? "'" + name : name;
  }

  private void writeCsv(Path file, Columns columns) throws IOException {
    List<String> header = new ArrayList<>(List.of("vertex"));
    header.addAll(
        switch (task) {
          case CLASSIFICATION -> List.of("class", "probability");
          case MULTI_LABEL -> List.of("labels");
          case REGRESSION, LINKS -> List.of();
        });
    boolean all = columns == Columns.ALL || task.predictsNumbers();
    if (all) {
      classes.forEach(name -> header.add(cell(name)));
    }
    CSVFormat format =
        CSVFormat.DEFAULT
            .builder()
            .setHeader(header.toArray(String[]::new))
            .setRecordSeparator('\n')
            .get();
    try (BufferedWriter writer = Files.newBufferedWriter(file);
        CSVPrinter csv = new CSVPrinter(writer, format)) {
      for (int v = 0; v < vertices(); v++) {
        csv.print(cell(vertexNames.apply(v)));
        switch (task) {
          case CLASSIFICATION -> {
            int best = classOf(v);
            csv.print(cell(classes.get(best)));
            csv.print(shown(v, best));
          }
          case MULTI_LABEL -> csv.print(cell(String.join(LABELS, labelsOf(v))));
          case REGRESSION, LINKS -> {}
        }
        for (int c = 0; c < classes.size() && all; c++) {
          csv.print(shown(v, c));
        }
        csv.println();
      }
    }
  }

  private String shown(int vertex, int c) {
    return task.predictsNumbers()
        ? Float.toString(probabilities.get(vertex, c))
        : String.format(Locale.ROOT, "%.6f", probabilities.get(vertex, c));
  }
}
