package dev.gossamer.pruned.corpus;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.pruned.layers.Shape;

/// Samples that a network learns from: windows of a text, or images.
///
/// A sample is identified by its part and an id: for a text the number of the window's first token,
/// for an image its number, both from 0 within the part. [#trainingSamples] and
/// [#evaluationSamples] return ids; [#inputs] and [#labels] load the data, so that ranks read only
/// what they need. The samples of a step depend only on seed, step and position in the batch, not
/// on how the batch is divided among ranks.
///
/// A corpus is immutable and safe to share; the owner closes it, which frees its memory.
public sealed interface Corpus extends AutoCloseable permits TextCorpus, ImageCorpus {
  /// {@return the name of its file or folder, as given by the user}
  String name();

  /// {@return the shape of a sample: a text is `T x 1 x 1`, token ids in one column; an image is
  /// `height x width x channels`}
  Shape input();

  /// {@return the number of classes of the network: the vocabulary size of a text, or the number of
  /// image classes}
  int classes();

  /// {@return the number of labels of a sample: `T` for a text, one for an image}
  int labelsPerSample();

  /// {@return the number of samples in the evaluation of a part: non-overlapping windows, or
  /// images} Zero if there is no test part.
  ///
  /// @param part of the data
  long size(Part part);

  /// Draws samples of the training part for one step.
  ///
  /// @param seed of the run
  /// @param step from 0
  /// @param batch samples of the whole step, on all ranks
  /// @param begin position of the first sample in the batch
  /// @param ids receives the ids at the positions `begin` to `begin + ids.length - 1`
  /// @throws IllegalArgumentException if the positions are not in the batch
  void trainingSamples(long seed, long step, int batch, int begin, long[] ids);

  /// Lists the samples that an evaluation of a part uses, in order.
  ///
  /// @param part of the data
  /// @param first number of the first, in `0..size(part)-1`
  /// @param count number of samples
  /// @param ids receives `count` ids
  /// @throws IllegalArgumentException if the part has no such samples
  void evaluationSamples(Part part, long first, int count, long[] ids);

  /// Loads the inputs of samples.
  ///
  /// @param part of the data
  /// @param ids samples of the part
  /// @param count number of ids to use
  /// @param inputs at least `count * positions` rows and `channels` columns; the first rows are
  ///   overwritten
  /// @throws IllegalArgumentException if a sample does not exist, or the sizes do not fit
  void inputs(Part part, long[] ids, int count, DenseMatrix inputs);

  /// Loads the labels of samples.
  ///
  /// @param part of the data
  /// @param ids samples of the part
  /// @param count number of ids to use
  /// @param labels the first `count * labelsPerSample` are overwritten, sample by sample, with
  ///   classes in `0..classes-1`
  /// @throws IllegalArgumentException if a sample does not exist, or the sizes do not fit
  void labels(Part part, long[] ids, int count, int[] labels);

  /// Loads both [#inputs] and [#labels].
  ///
  /// @param part of the data
  /// @param ids samples of the part
  /// @param count number of samples
  /// @param inputs as for [#inputs]
  /// @param labels as for [#labels]
  default void load(Part part, long[] ids, int count, DenseMatrix inputs, int[] labels) {
    inputs(part, ids, count, inputs);
    labels(part, ids, count, labels);
  }

  /// {@return a description in one line: name, kind and sizes of the parts}
  String description();

  /// {@return the SHA-256 of the content, the parts' tokens or pixels and labels, as 64 hexadecimal
  /// digits} Name and window length are not included. Cost: one pass over the data.
  String fingerprint();

  /// {@return bytes of off-heap memory}
  long bytes();

  /// {@return the memory that a process needs for it, on and off the Java heap}
  CorpusMemory memory();

  /// Frees the memory.
  @Override
  void close();
}
