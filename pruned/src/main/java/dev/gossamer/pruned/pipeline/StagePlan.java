package dev.gossamer.pruned.pipeline;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.pruned.layers.Layer;
import dev.gossamer.pruned.layers.Shape;
import java.util.List;

/// The planned memory of a stage besides its state. Elements are float32, in whole cache lines.
///
/// Without checkpointing, each microbatch in flight has the kept memory of all blocks. With it (T.
/// Chen, B. Xu, C. Zhang and C. Guestrin, *Training Deep Nets with Sublinear Memory Cost*, 2016)
/// each has only the inputs of the blocks, and the backward pass of a block first repeats its
/// forward pass.
///
/// Messages between stages are stored in [Messages]: in 16 bits, received ones take half the
/// memory.
///
/// @param blocks of the stage
/// @param samples of a microbatch
/// @param slots microbatches whose backward pass is still to come, at most
/// @param inputs maximum number of microbatches whose input has arrived or may arrive
/// @param checkpoint whether activations are recomputed
/// @param format of messages between stages
/// @param first whether the stage takes samples
/// @param last whether the stage computes the loss
record StagePlan(
    List<Layer> blocks,
    int samples,
    int slots,
    int inputs,
    boolean checkpoint,
    NumberFormat format,
    boolean first,
    boolean last) {
  private static final long LINE = DenseMatrix.ALIGNMENT / DenseMatrix.ELEMENT_BYTES;

  /// Number of buffers for gradients from the next stage, and for gradients in transit to the
  /// previous one.
  static final int GRADIENTS = 2;

  StagePlan {
    blocks = List.copyOf(blocks);
  }

  Shape input() {
    return blocks.getFirst().input();
  }

  Shape output() {
    return blocks.getLast().output();
  }

  /// Elements of a microbatch at a boundary between blocks.
  long elements(Shape shape) {
    return Math.ceilDiv(samples * shape.elements(), LINE) * LINE;
  }

  /// Returns the elements of a slot: the kept memory of the blocks, or their outputs.
  long slotElements() {
    return checkpoint
        ? blocks.stream().mapToLong(block -> elements(block.output())).sum()
        : blocks.stream().mapToLong(block -> block.keptElements(samples)).sum();
  }

  /// Returns the kept elements of one block between its repeated forward pass and its backward
  /// pass.
  long repeatedElements() {
    return checkpoint
        ? blocks.stream().mapToLong(block -> block.keptElements(samples)).max().orElse(0)
        : 0;
  }

  long workElements() {
    return blocks.stream().mapToLong(block -> block.workElements(samples)).max().orElse(0);
  }

  /// Elements of a gradient between two blocks.
  long innerElements() {
    return blocks.stream().skip(1).mapToLong(block -> elements(block.input())).max().orElse(0);
  }

  /// Returns the format of inputs: samples are not sent.
  NumberFormat inputFormat() {
    return first ? NumberFormat.FLOAT32 : format;
  }

  /// Returns the maximum number of outputs in transit in another format than that of the slots.
  int copiedOutputs() {
    return last || format == NumberFormat.FLOAT32 ? 0 : slots;
  }

  /// Bytes of the largest message that the stage sends or receives.
  long messageBytes() {
    return Math.max(bytesReceived(), bytesSent());
  }

  /// Bytes of a microbatch's input as it comes from the stage before.
  long bytesReceived() {
    return first ? 0 : samples * input().elements() * format.bytes();
  }

  /// Bytes of a microbatch's output as it goes to the next stage.
  long bytesSent() {
    return last ? 0 : samples * output().elements() * format.bytes();
  }

  /// Returns the total bytes.
  long bytes() {
    long elements =
        slots * slotElements() + repeatedElements() + workElements() + 2 * innerElements();
    return elements * Float.BYTES
        + Messages.bytes(inputFormat(), inputs, elements(input()))
        + copiedOutputs() * elements(output()) * format.bytes()
        + (last ? 0 : Messages.bytes(format, GRADIENTS, elements(output())))
        + (first ? 0 : Messages.bytes(format, GRADIENTS, elements(input())));
  }
}
