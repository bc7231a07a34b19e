package dev.gossamer.pruned.pipeline;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.pruned.layers.Layer;
import dev.gossamer.pruned.layers.Pass;
import dev.gossamer.pruned.layers.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/// The blocks of one stage with the memory of its microbatches in flight. Forward passes run in the
/// order of microbatches, and so do backward passes; the [MicrobatchSchedule] interleaves them.
final class Stage {
  private final StagePlan plan;
  private final List<Layer> blocks;
  private final Messages inputs;
  private final List<DenseMatrix> slots = new ArrayList<>();
  private final DenseMatrix repeated;
  private final DenseMatrix work;
  private final DenseMatrix[] inner = new DenseMatrix[2];
  private final List<MemorySegment> copiedOutputs = new ArrayList<>();
  private final Messages incoming;
  private final Messages outgoing;

  /// Output of each block for the microbatch in each slot: views of the slot's memory.
  private final List<DenseMatrix[]> outputs = new ArrayList<>();

  Stage(Arena arena, StagePlan plan) {
    this.plan = plan;
    blocks = plan.blocks();
    inputs = messages(arena, plan.inputFormat(), plan.inputs(), plan.input());
    for (int i = 0; i < plan.slots(); i++) {
      slots.add(memory(arena, plan.slotElements()));
      outputs.add(new DenseMatrix[blocks.size()]);
    }
    repeated = memory(arena, plan.repeatedElements());
    work = memory(arena, plan.workElements());
    for (int i = 0; i < inner.length; i++) {
      inner[i] = memory(arena, plan.innerElements());
    }
    for (int i = 0; i < plan.copiedOutputs(); i++) {
      copiedOutputs.add(
          arena.allocate(
              plan.elements(plan.output()) * plan.format().bytes(), DenseMatrix.ALIGNMENT));
    }
    int gradients = StagePlan.GRADIENTS;
    incoming = messages(arena, plan.format(), plan.last() ? 0 : gradients, plan.output());
    outgoing = messages(arena, plan.format(), plan.first() ? 0 : gradients, plan.input());
  }

  private Messages messages(Arena arena, NumberFormat format, int count, Shape shape) {
    return new Messages(arena, format, count, plan.elements(shape));
  }

  private static DenseMatrix memory(Arena arena, long elements) {
    return DenseMatrix.allocate(arena, elements, 1);
  }

  StagePlan plan() {
    return plan;
  }

  private static DenseMatrix view(DenseMatrix memory, Shape shape, int samples) {
    return memory.reshaped((long) samples * shape.positions(), shape.channels());
  }

  /// Returns the memory for the samples of a microbatch, on the first stage.
  DenseMatrix samples(int microbatch, int samples) {
    return view(inputs.numbers(microbatch), plan.input(), samples);
  }

  /// Returns the receive buffer for the input of a microbatch.
  MemorySegment arrivingInput(int microbatch, int samples) {
    return inputs.message(microbatch, samples * plan.input().elements());
  }

  /// Returns the receive buffer for the gradient of a microbatch's output.
  MemorySegment arrivingGradient(int microbatch, int samples) {
    return incoming.message(microbatch, samples * plan.output().elements());
  }

  /// The input of a microbatch, which is there.
  private DenseMatrix input(int microbatch, int samples) {
    inputs.widen(microbatch, samples * plan.input().elements());
    return view(inputs.numbers(microbatch), plan.input(), samples);
  }

  /// Returns the gradient of a microbatch's output, which has arrived.
  DenseMatrix gradient(int microbatch, int samples) {
    incoming.widen(microbatch, samples * plan.output().elements());
    return view(incoming.numbers(microbatch), plan.output(), samples);
  }

  /// Returns the output of a microbatch's forward pass.
  DenseMatrix output(int microbatch) {
    return outputs.get(microbatch % slots.size())[blocks.size() - 1];
  }

  /// Returns the output of a microbatch's forward pass in the message format. Borrowed until the
  /// microbatch's slot is used again.
  MemorySegment leavingOutput(int microbatch) {
    MemorySegment made = output(microbatch).data();
    if (plan.copiedOutputs() == 0) {
      return made;
    }
    long bytes = made.byteSize() / Float.BYTES * plan.format().bytes();
    MemorySegment copy = copiedOutputs.get(microbatch % copiedOutputs.size()).asSlice(0, bytes);
    plan.format().narrow(made, copy);
    return copy;
  }

  /// Returns the input gradient of a microbatch in the message format.
  MemorySegment leavingGradient(int microbatch, int samples) {
    outgoing.narrow(microbatch, samples * plan.input().elements());
    return outgoing.message(microbatch, samples * plan.input().elements());
  }

  /// Runs the forward pass of a microbatch whose input has arrived.
  ///
  /// @return the output, borrowed until the microbatch's slot is used again
  DenseMatrix forward(int microbatch, Pass pass) {
    DenseMatrix slot = slots.get(microbatch % slots.size());
    DenseMatrix[] made = outputs.get(microbatch % slots.size());
    DenseMatrix x = input(microbatch, pass.samples());
    long at = 0;
    for (int b = 0; b < blocks.size(); b++) {
      Layer block = blocks.get(b);
      if (plan.checkpoint()) {
        DenseMatrix y = boundary(slot, at, block.output(), pass.samples());
        y.copyFrom(block.forward(x, kept(repeated, 0, block, pass), pass));
        at += plan.elements(block.output());
        x = y;
      } else {
        x = block.forward(x, kept(slot, at, block, pass), pass);
        at += block.keptElements(plan.samples());
      }
      made[b] = x;
    }
    return x;
  }

  /// Runs the backward pass of a microbatch, which computes the gradient of its input
  /// ([#leavingGradient]) except on the first stage.
  ///
  /// @param t gradient of its output
  /// @param done receives the number of each block, within the stage, after its gradients have been
  ///   added
  void backward(int microbatch, DenseMatrix t, Pass pass, IntConsumer done) {
    DenseMatrix slot = slots.get(microbatch % slots.size());
    DenseMatrix[] made = outputs.get(microbatch % slots.size());
    DenseMatrix gradient = t;
    DenseMatrix result =
        plan.first() ? null : view(outgoing.numbers(microbatch), plan.input(), pass.samples());
    DenseMatrix stageInput = input(microbatch, pass.samples());
    long at = plan.slotElements();
    for (int b = blocks.size() - 1; b >= 0; b--) {
      Layer block = blocks.get(b);
      DenseMatrix x = b == 0 ? stageInput : made[b - 1];
      DenseMatrix kept;
      if (plan.checkpoint()) {
        kept = kept(repeated, 0, block, pass);
        block.forward(x, kept, pass);
      } else {
        at -= block.keptElements(plan.samples());
        kept = kept(slot, at, block, pass);
      }
      DenseMatrix g = b == 0 ? result : view(inner[b % 2], block.input(), pass.samples());
      block.backward(x, kept, gradient, g, work, pass);
      if (g != null) {
        gradient = g;
      }
      done.accept(b);
    }
  }

  private static DenseMatrix kept(DenseMatrix memory, long at, Layer block, Pass pass) {
    return memory.rows(at, at + block.keptElements(pass.samples()));
  }

  private static DenseMatrix boundary(DenseMatrix memory, long at, Shape shape, int samples) {
    return memory
        .rows(at, at + samples * shape.elements())
        .reshaped((long) samples * shape.positions(), shape.channels());
  }
}
