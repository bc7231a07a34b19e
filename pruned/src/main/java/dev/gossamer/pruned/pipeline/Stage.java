package dev.gossamer.pruned.pipeline;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.pruned.layers.Layer;
import dev.gossamer.pruned.layers.Pass;
import dev.gossamer.pruned.layers.Shape;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/// The blocks of one stage with the memory of the microbatches that are in flight. Forward passes
/// come in the order of microbatches, and so do backward passes; how they interleave is up to the
/// [Schedule].
final class Stage {
  private final StagePlan plan;
  private final List<Layer> blocks;
  private final List<DenseMatrix> inputs = new ArrayList<>();
  private final List<DenseMatrix> slots = new ArrayList<>();
  private final DenseMatrix repeated;
  private final DenseMatrix work;
  private final DenseMatrix[] inner = new DenseMatrix[2];
  private final List<DenseMatrix> incoming = new ArrayList<>();
  private final List<DenseMatrix> outgoing = new ArrayList<>();

  /// Output of each block for the microbatch in each slot: views of the slot's memory.
  private final List<DenseMatrix[]> outputs = new ArrayList<>();

  Stage(Arena arena, StagePlan plan) {
    this.plan = plan;
    blocks = plan.blocks();
    for (int i = 0; i < plan.inputs(); i++) {
      inputs.add(memory(arena, plan.elements(plan.input())));
    }
    for (int i = 0; i < plan.slots(); i++) {
      slots.add(memory(arena, plan.slotElements()));
      outputs.add(new DenseMatrix[blocks.size()]);
    }
    repeated = memory(arena, plan.repeatedElements());
    work = memory(arena, plan.workElements());
    for (int i = 0; i < inner.length; i++) {
      inner[i] = memory(arena, plan.innerElements());
    }
    for (int i = 0; i < StagePlan.GRADIENTS; i++) {
      incoming.add(memory(arena, plan.last() ? 0 : plan.elements(plan.output())));
      outgoing.add(memory(arena, plan.first() ? 0 : plan.elements(plan.input())));
    }
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

  /// Where the input of a microbatch goes.
  DenseMatrix input(int microbatch, int samples) {
    return view(inputs.get(microbatch % inputs.size()), plan.input(), samples);
  }

  /// Where the gradient of a microbatch's output arrives.
  DenseMatrix incoming(int microbatch, int samples) {
    return view(incoming.get(microbatch % StagePlan.GRADIENTS), plan.output(), samples);
  }

  /// Where the gradient of a microbatch's input is made, to be sent.
  DenseMatrix outgoing(int microbatch, int samples) {
    return view(outgoing.get(microbatch % StagePlan.GRADIENTS), plan.input(), samples);
  }

  /// What the forward pass of a microbatch has made.
  DenseMatrix output(int microbatch) {
    return outputs.get(microbatch % slots.size())[blocks.size() - 1];
  }

  /// The forward pass of a microbatch whose input is there.
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

  /// The backward pass of a microbatch.
  ///
  /// @param t gradient of its output
  /// @param done told the number of each block, within the stage, whose gradients this microbatch
  ///   has been added to
  /// @return gradient of the input, in [#outgoing]; null on the first stage
  @Nullable DenseMatrix backward(int microbatch, DenseMatrix t, Pass pass, IntConsumer done) {
    DenseMatrix slot = slots.get(microbatch % slots.size());
    DenseMatrix[] made = outputs.get(microbatch % slots.size());
    DenseMatrix gradient = t;
    DenseMatrix result = plan.first() ? null : outgoing(microbatch, pass.samples());
    long at = plan.slotElements();
    for (int b = blocks.size() - 1; b >= 0; b--) {
      Layer block = blocks.get(b);
      DenseMatrix x = b == 0 ? input(microbatch, pass.samples()) : made[b - 1];
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
    return result;
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
