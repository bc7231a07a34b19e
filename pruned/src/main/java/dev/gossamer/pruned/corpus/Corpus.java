package dev.gossamer.pruned.corpus;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.pruned.layers.Shape;

/// Samples that a network learns from: windows of a text, or images.
///
/// A sample is known by its part and an id: for a text the number of the window's first token, for
/// an image its number, both from 0 within the part. [#trainingSamples] and [#evaluationSamples]
/// give ids, [#inputs] and [#labels] what they stand for; ranks that need only one of the two read
/// only that. Which samples a step trains on depends on seed, step and position in the batch alone,
/// never on how a batch is cut among ranks.
///
/// A corpus is immutable and safe to share; the owner closes it, which frees its memory.
public sealed interface Corpus extends AutoCloseable permits TextCorpus, ImageCorpus {
  /// {@return what the user gave: the name of its file or folder}
  String name();

  /// {@return what a sample looks like: a text is `T x 1 x 1`, token ids in one column; an image is
  /// `height x width x channels`}
  Shape input();

  /// {@return the number of classes of the network: the vocabulary size of a text, or the number of
  /// image classes}
  int classes();

  /// {@return labels of a sample: `T` for a text, one for an image}
  int labelsPerSample();

  /// {@return samples that the evaluation of a part goes through: windows that do not overlap, or
  /// images} Zero for a test part that does not exist.
  ///
  /// @param part of the data
  long size(Part part);

  /// Draws samples of the training part for one step.
  ///
  /// @param seed of the run
  /// @param step from 0
  /// @param batch samples of the whole step, on all ranks
  /// @param begin position in the batch of the first sample wanted
  /// @param ids receives the ids at the positions `begin` to `begin + ids.length - 1`
  /// @throws IllegalArgumentException if the positions are not in the batch
  void trainingSamples(long seed, long step, int batch, int begin, long[] ids);

  /// Lists the samples that an evaluation of a part uses, in order.
  ///
  /// @param part of the data
  /// @param first number of the first, in `0..size(part)-1`
  /// @param count how many
  /// @param ids receives `count` ids
  /// @throws IllegalArgumentException if the part has no such samples
  void evaluationSamples(Part part, long first, int count, long[] ids);

  /// Fills in what the network sees.
  ///
  /// @param part of the data
  /// @param ids samples of the part
  /// @param count how many of `ids`
  /// @param inputs at least `count * positions` rows and `channels` columns; the first rows are
  ///   overwritten
  /// @throws IllegalArgumentException if a sample does not exist, or the sizes do not fit
  void inputs(Part part, long[] ids, int count, DenseMatrix inputs);

  /// Fills in what the network is to say.
  ///
  /// @param part of the data
  /// @param ids samples of the part
  /// @param count how many of `ids`
  /// @param labels the first `count * labelsPerSample` are overwritten, sample by sample, with
  ///   classes in `0..classes-1`
  /// @throws IllegalArgumentException if a sample does not exist, or the sizes do not fit
  void labels(Part part, long[] ids, int count, int[] labels);

  /// Loads both [#inputs] and [#labels].
  ///
  /// @param part of the data
  /// @param ids samples of the part
  /// @param count how many
  /// @param inputs as for [#inputs]
  /// @param labels as for [#labels]
  default void load(Part part, long[] ids, int count, DenseMatrix inputs, int[] labels) {
    inputs(part, ids, count, inputs);
    labels(part, ids, count, labels);
  }

  /// {@return one line for people: name, kind and sizes of the parts}
  String description();

  /// {@return what identifies the content: SHA-256 of the parts' tokens, or of pixels and labels,
  /// as 64 hexadecimal digits} The name and the length of windows do not count. Cost: one pass over
  /// the data.
  String fingerprint();

  /// {@return bytes of memory that it holds outside the Java heap}
  long bytes();

  /// {@return what a process takes for it, on the Java heap and outside}
  CorpusMemory memory();

  /// Frees the memory.
  @Override
  void close();
}
