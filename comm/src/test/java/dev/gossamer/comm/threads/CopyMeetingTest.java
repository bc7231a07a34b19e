package dev.gossamer.comm.threads;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.comm.PeerBlocks;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class CopyMeetingTest {
  private static CopyMeeting.Share share(int sent, int received) {
    return new CopyMeeting.Share(
        Arena.ofAuto().allocate(8),
        PeerBlocks.packed(0, sent),
        Arena.ofAuto().allocate(8),
        PeerBlocks.packed(received, 0));
  }

  /// Whichever rank looks first finds that sizes differ, and nothing is copied.
  @Test
  void bothRanksFindThatSizesDiffer() {
    ThreadWorld world = new ThreadWorld(2, ThreadOptions.DEFAULT, () -> 0);
    CopyMeeting meeting = new CopyMeeting(new RankGroup(world, new int[] {0, 1}));
    meeting.come(0, share(5, 0));
    String message = "rank 0 sends 5 bytes to rank 1, which expects 6";
    assertThatThrownBy(() -> meeting.come(1, share(0, 6))).hasMessageContaining(message);
    assertThatThrownBy(() -> meeting.advance(0)).hasMessageContaining(message);
    assertThatThrownBy(() -> meeting.advance(1)).hasMessageContaining(message);
  }

  @Test
  void theSenderFindsThatItsBlockIsNotExpected() {
    ThreadWorld world = new ThreadWorld(2, ThreadOptions.DEFAULT, () -> 0);
    CopyMeeting meeting = new CopyMeeting(new RankGroup(world, new int[] {0, 1}));
    meeting.come(0, share(5, 0));
    String message = "rank 0 sends 5 bytes to rank 1, which expects 0";
    assertThatThrownBy(() -> meeting.come(1, share(0, 0))).hasMessageContaining(message);
    assertThatThrownBy(() -> meeting.advance(0)).hasMessageContaining(message);
  }
}
