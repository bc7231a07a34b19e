package dev.gossamer.pruned.pipeline;

import dev.gossamer.comm.Communicator;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.Mask;
import dev.gossamer.nn.ModelState;
import dev.gossamer.nn.ParameterLayout;
import dev.gossamer.nn.Safetensors;
import dev.gossamer.pruned.layers.DenseNetwork;
import dev.gossamer.pruned.prune.MaskFile;
import dev.gossamer.run.RunFolder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/// The network that a run leaves: `model.safetensors` with zeros for what is pruned, which any
/// program reads; and, of a pruned network, `mask.safetensors` with the survivors' bits and
/// `model-compressed.safetensors` with the survivors alone, in the order of the bits.
///
/// The first rank writes; it gets the parameters of the other stages one after the other.
public final class DenseModel {
  private static final int TAG = 3;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  private final PipelineTrainer trainer;
  private final Communicator world;
  private final Arena arena;

  /// The survivors of this rank's stage.
  private final Mask mine;

  /// The whole network with zeros, on the first rank.
  private final Map<String, Safetensors.Tensor> dense = new LinkedHashMap<>();

  /// The survivors of the matrices that are pruned, on the first rank.
  private final Map<String, BitSet> survivors = new LinkedHashMap<>();

  private DenseModel(PipelineTrainer trainer, Arena arena) {
    this.trainer = trainer;
    this.arena = arena;
    world = trainer.world();
    mine = trainer.state().model().mask();
  }

  /// Writes the files. Collective.
  ///
  /// @param description of the network, for whoever reads it
  public static void write(
      RunFolder folder, PipelineTrainer trainer, Map<String, String> description) {
    if (trainer.part().settings().grid().replica(trainer.world().rank()) > 0) {
      return;
    }
    try (Arena arena = Arena.ofShared()) {
      DenseModel model = new DenseModel(trainer, arena);
      DenseNetwork network = trainer.part().network();
      StageCut cut = trainer.part().cut();
      for (int stage = 0; stage < cut.stages(); stage++) {
        int begin = cut.begin(stage);
        int end = cut.end(stage);
        for (ParameterLayout.Entry entry : network.layout(begin, end).entries()) {
          model.gatherParameter(stage, entry);
        }
        for (ParameterLayout.Entry entry : network.statistics(begin, end).entries()) {
          model.gather(stage, entry, to -> to.copyFrom(trainer.statistics().running(entry.name())));
        }
      }
      if (trainer.world().rank() == 0) {
        model.write(folder, new TreeMap<>(description));
      }
    }
  }

  private void gatherParameter(int stage, ParameterLayout.Entry entry) {
    ModelState state = trainer.state().model();
    gather(stage, entry, to -> state.dense(entry.name(), to));
    if (!Mask.prunable(entry)) {
      return;
    }
    MemorySegment bits = arena.allocate(Math.ceilDiv(entry.count(), (long) Byte.SIZE));
    move(
        stage,
        bits,
        to -> {
          byte[] kept = mine.survivors(entry.name()).toByteArray();
          MemorySegment.copy(MemorySegment.ofArray(kept), 0, to, 0, kept.length);
        });
    if (world.rank() == 0) {
      survivors.put(entry.name(), BitSet.valueOf(bits.toArray(ValueLayout.JAVA_BYTE)));
    }
  }

  private void gather(int stage, ParameterLayout.Entry entry, Consumer<MemorySegment> fill) {
    MemorySegment values = arena.allocate(entry.count() * Float.BYTES, DenseMatrix.ALIGNMENT);
    move(stage, values, fill);
    if (world.rank() == 0) {
      dense.put(entry.name(), new Safetensors.Tensor(entry.shape(), values));
    }
  }

  /// Brings what a stage has to the first rank.
  ///
  /// @param fill puts it there, on that stage
  private void move(int stage, MemorySegment values, Consumer<MemorySegment> fill) {
    if (stage == trainer.part().stage()) {
      fill.accept(values);
      if (stage > 0) {
        world.send(0, TAG, values);
      }
    } else if (world.rank() == 0) {
      world.receive(stage, TAG, values);
    }
  }

  private void write(RunFolder folder, Map<String, String> metadata) {
    metadata.put("format", "gossamer-dense-model");
    new Safetensors(dense, metadata).write(folder.model());
    Mask mask = new Mask(trainer.part().network().layout(), survivors);
    if (mask.count() == mask.layout().count()) {
      return;
    }
    MaskFile.write(folder.path().resolve("mask.safetensors"), mask);
    metadata.put("format", "gossamer-compressed-model");
    new Safetensors(compressed(mask), metadata)
        .write(folder.path().resolve("model-compressed.safetensors"));
  }

  private Map<String, Safetensors.Tensor> compressed(Mask mask) {
    Map<String, Safetensors.Tensor> tensors = new LinkedHashMap<>();
    dense.forEach((name, tensor) ->
        tensors.put(name, survivors.containsKey(name) ? kept(name, tensor) : tensor));
    MaskFile.tensors(mask).forEach((name, bits) -> tensors.put("mask." + name, bits));
    return tensors;
  }

  /// The survivors of a matrix, one after the other.
  private Safetensors.Tensor kept(String name, Safetensors.Tensor tensor) {
    BitSet bits = survivors.getOrDefault(name, new BitSet());
    long count = bits.cardinality();
    MemorySegment values = arena.allocate(count * Float.BYTES, DenseMatrix.ALIGNMENT);
    long at = 0;
    for (int i = bits.nextSetBit(0); i >= 0; i = bits.nextSetBit(i + 1)) {
      values.setAtIndex(FLOAT, at++, tensor.data().getAtIndex(FLOAT, i));
    }
    return new Safetensors.Tensor(List.of(count), values);
  }
}
