package dev.gossamer.comm.net;

import java.util.List;

/// How processes that are to become ranks tell each other where they are, once, before they are
/// connected: what the program that started them offers, such as `BarrierTaskContext.allGather` of
/// Spark. It must be trustworthy: what goes through it authenticates the connections and is what
/// their encryption rests on.
@FunctionalInterface
public interface Gathering {
  /// Gathers one line of text from each process. Collective.
  ///
  /// @param own this process's line, at most 500 characters of ASCII
  /// @return the lines of all processes, in rank order
  /// @throws Exception if a process does not come
  List<String> allGather(String own) throws Exception;
}
