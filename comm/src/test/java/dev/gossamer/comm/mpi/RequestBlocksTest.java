package dev.gossamer.comm.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.comm.mpi.FakeMpi.Kind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RequestBlocksTest {
  @ParameterizedTest
  @EnumSource
  void aBlockHasRoomForItsRequests(Kind kind) {
    RequestBlocks blocks = new RequestBlocks(MpiFlavour.of(new FakeMpi(kind)));
    int[][] capacities = {{0, 16}, {1, 16}, {16, 16}, {17, 32}, {32, 32}, {33, 64}, {1000, 1024}};
    for (int[] each : capacities) {
      RequestBlocks.Block block = blocks.take(each[0]);
      assertThat(block.capacity()).isEqualTo(each[1]);
      assertThat(block.handles().byteSize()).isEqualTo((long) each[1] * kind.handleBytes);
      assertThat(block.statuses().byteSize()).isEqualTo((long) each[1] * kind.statusBytes);
      assertThat(block.flag().byteSize()).isEqualTo(4);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aBlockIsUsedAgainByOneRequestAtATime(Kind kind) {
    RequestBlocks blocks = new RequestBlocks(MpiFlavour.of(new FakeMpi(kind)));
    RequestBlocks.Block first = blocks.take(3);
    RequestBlocks.Block second = blocks.take(3);
    assertThat(second.handles().address()).isNotEqualTo(first.handles().address());
    blocks.give(first);
    assertThat(blocks.take(17)).isNotSameAs(first);
    assertThat(blocks.take(9)).isSameAs(first);
    assertThat(blocks.take(9)).isNotSameAs(first).isNotSameAs(second);
  }
}
