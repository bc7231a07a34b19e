package dev.gossamer.gnn.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.blocks.SampledBlock;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Comparison of samples to the bit.
public final class Samples {
  private Samples() {}

  public static void requireEqual(SampledBatch left, SampledBatch right) {
    assertThat(left.number()).isEqualTo(right.number());
    assertThat(left.seeds()).isEqualTo(right.seeds());
    assertThat(left.lossWeights()).isEqualTo(right.lossWeights());
    for (int l = 0; l < 2; l++) {
      SampledBlock x = left.blocks().get(l);
      SampledBlock y = right.blocks().get(l);
      assertThat(x.sources()).isEqualTo(y.sources());
      assertThat(bytes(x.matrix().rowPointers())).isEqualTo(bytes(y.matrix().rowPointers()));
      assertThat(bytes(x.matrix().columns())).isEqualTo(bytes(y.matrix().columns()));
      assertThat(bytes(x.matrix().values())).isEqualTo(bytes(y.matrix().values()));
      assertThat(bytes(x.matrix().rowScale())).isEqualTo(bytes(y.matrix().rowScale()));
      assertThat(bytes(x.matrix().columnScale())).isEqualTo(bytes(y.matrix().columnScale()));
    }
  }

  private static List<Byte> bytes(@Nullable MemorySegment segment) {
    List<Byte> bytes = new ArrayList<>();
    if (segment != null) {
      for (byte b : segment.toArray(ValueLayout.JAVA_BYTE)) {
        bytes.add(b);
      }
    }
    return bytes;
  }
}
