package dev.gossamer.gnn.link;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.RowGather;
import dev.gossamer.matrix.sparse.PairScores;
import dev.gossamer.nn.layers.Kernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.IntStream;

/// The scores of given pairs of vertices, as a [LinkDecoder] has them: those of the first ends by
/// the map of the type of edges, with the second ends.
///
/// Cost of `p` pairs: `2 p f` operations of a dot product, `2 p f^2` more of a map or of two
/// layers; memory: [#bytes].
///
/// @param decoder how scores follow from outputs
/// @param weights parameters by their names; borrowed
/// @param outputs of vertices, `n x f`; borrowed
/// @param kernels threads and products; borrowed
public record PairScoring(
    LinkDecoder decoder,
    Function<String, DenseMatrix> weights,
    DenseMatrix outputs,
    Kernels kernels) {
  /// Pairs that are scored at a time.
  private static final int BLOCK = 1 << 14;

  /// {@return bytes that scoring takes besides its result}
  ///
  /// @param decoder how scores follow from outputs
  /// @param width of the outputs
  public static long bytes(LinkDecoder decoder, int width) {
    long pairs = CsrMatrix.bytes(BLOCK, BLOCK, true);
    return decoder.kind() == LinkDecoder.Kind.MLP
        ? pairs + PairNetwork.bytes(width)
        : pairs + 2 * DenseMatrix.bytes(BLOCK, width) + DenseMatrix.bytes(width, width);
  }

  /// Computes scores.
  ///
  /// @param firsts vertices of the first ends, the sources of directed edges
  /// @param seconds vertices of the second ends
  /// @param types number of the type of edges by which each pair is scored
  /// @return the score of each pair, the same for any number of threads
  public float[] scores(int[] firsts, int[] seconds, int[] types) {
    float[] scores = new float[firsts.length];
    int[] distinct = IntStream.of(types).distinct().toArray();
    for (int type : distinct) {
      int[] chosen = IntStream.range(0, types.length).filter(i -> types[i] == type).toArray();
      try (Arena arena = Arena.ofShared();
          Blocks blocks = blocks(type, arena)) {
        for (int from = 0; from < chosen.length; from += BLOCK) {
          int[] some = Arrays.copyOfRange(chosen, from, Math.min(from + BLOCK, chosen.length));
          float[] found =
              score(
                  blocks,
                  Arrays.stream(some).map(i -> firsts[i]).toArray(),
                  Arrays.stream(some).map(i -> seconds[i]).toArray());
          for (int i = 0; i < some.length; i++) {
            scores[some[i]] = found[i];
          }
        }
      }
    }
    return scores;
  }

  private float[] score(Blocks blocks, int[] firsts, int[] seconds) {
    long[] pointers = IntStream.rangeClosed(0, firsts.length).asLongStream().toArray();
    try (Arena arena = Arena.ofShared()) {
      CsrMatrix pairs =
          CsrMatrix.of(arena, Math.toIntExact(outputs.rows()), pointers, seconds, null);
      MemorySegment scores = arena.allocate(ValueLayout.JAVA_FLOAT, firsts.length);
      blocks.score(pairs, firsts, scores);
      return scores.toArray(ValueLayout.JAVA_FLOAT);
    }
  }

  /// Scores a block of pairs of one type.
  private interface Blocks extends AutoCloseable {
    /// @param pairs one entry in each row: the second end
    /// @param firsts the first ends
    /// @param scores one for each pair, overwritten
    void score(CsrMatrix pairs, int[] firsts, MemorySegment scores);

    @Override
    default void close() {}
  }

  private Blocks blocks(int type, Arena arena) {
    return decoder.kind() == LinkDecoder.Kind.MLP ? new Layers(type) : mapped(type, arena);
  }

  private final class Layers implements Blocks {
    private final PairNetwork network;

    private Layers(int type) {
      network = new PairNetwork(type, outputs, weights, kernels);
    }

    @Override
    public void score(CsrMatrix pairs, int[] firsts, MemorySegment scores) {
      network.score(pairs, firsts, scores);
    }

    @Override
    public void close() {
      network.close();
    }
  }

  private Blocks mapped(int type, Arena arena) {
    int f = outputs.cols();
    DenseMatrix rows = DenseMatrix.allocate(arena, BLOCK, f);
    DenseMatrix image = decoder.isDot() ? rows : DenseMatrix.allocate(arena, BLOCK, f);
    DenseMatrix map = decoder.isDot() ? null : DenseMatrix.allocate(arena, f, f);
    if (map != null) {
      decoder.map(decoder.group(type, false), weights, map);
    }
    return (pairs, firsts, scores) -> {
      DenseMatrix some = rows.rows(0, firsts.length);
      DenseMatrix images = image.rows(0, firsts.length);
      RowGather.gather(outputs, firsts, some, kernels.workers());
      if (map != null) {
        kernels.matmul().multiply(some, map, images, kernels.workers(), RowEpilogue.NONE);
      }
      PairScores.of(pairs, images, outputs, scores, kernels.workers());
    };
  }
}
