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
    // Pairs of one type follow each other, each as its type and its place.
    long[] order =
        IntStream.range(0, types.length)
            .mapToLong(i -> (long) types[i] << Integer.SIZE | i)
            .sorted()
            .toArray();
    int end;
    for (int from = 0; from < order.length; from = end) {
      int type = (int) (order[from] >>> Integer.SIZE);
      end = from + 1;
      while (end < order.length
          && end - from < BLOCK
          && (int) (order[end] >>> Integer.SIZE) == type) {
        end++;
      }
      int[] some = Arrays.stream(order, from, end).mapToInt(pair -> (int) pair).toArray();
      float[] found =
          score(
              type,
              Arrays.stream(some).map(i -> firsts[i]).toArray(),
              Arrays.stream(some).map(i -> seconds[i]).toArray());
      for (int i = 0; i < some.length; i++) {
        scores[some[i]] = found[i];
      }
    }
    return scores;
  }

  private float[] score(int type, int[] firsts, int[] seconds) {
    long[] pointers = IntStream.rangeClosed(0, firsts.length).asLongStream().toArray();
    try (Arena arena = Arena.ofShared()) {
      CsrMatrix pairs =
          CsrMatrix.of(arena, Math.toIntExact(outputs.rows()), pointers, seconds, null);
      MemorySegment scores = arena.allocate(ValueLayout.JAVA_FLOAT, firsts.length);
      if (decoder.kind() == LinkDecoder.Kind.MLP) {
        try (PairNetwork layers = new PairNetwork(type, outputs, weights, kernels)) {
          layers.score(pairs, firsts, scores);
        }
      } else {
        PairScores.of(pairs, mapped(firsts, type, arena), outputs, scores, kernels.workers());
      }
      return scores.toArray(ValueLayout.JAVA_FLOAT);
    }
  }

  /// {@return the rows of some vertices by the decoder's map of a type of edges, whose dot products
  /// with all rows are scores} Two layers have no map.
  ///
  /// @param vertices rows of the outputs
  /// @param type number of the type
  /// @param arena owner of the rows
  public DenseMatrix mapped(int[] vertices, int type, Arena arena) {
    DenseMatrix rows = DenseMatrix.allocate(arena, vertices.length, outputs.cols());
    RowGather.gather(outputs, vertices, rows, kernels.workers());
    if (decoder.isDot()) {
      return rows;
    }
    DenseMatrix map = DenseMatrix.allocate(arena, outputs.cols(), outputs.cols());
    decoder.map(decoder.group(type, false), weights, map);
    DenseMatrix images = DenseMatrix.allocate(arena, vertices.length, outputs.cols());
    kernels.matmul().multiply(rows, map, images, kernels.workers(), RowEpilogue.NONE);
    return images;
  }
}
