package dev.gossamer.spark.ranks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

/// How a command ended on one rank.
///
/// It leaves the stage as a text: Kryo, which an application may have chosen as its serializer
/// (`spark.serializer`), knows no records.
///
/// @param status 0, or one of those that no repetition mends
/// @param output of rank 0; empty of others
/// @param message what it said of a failure
record Outcome(int status, String output, String message) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /// Status of a command whose input or settings are wrong.
  static final int BAD_INPUT = 2;

  /// Status of a training whose numbers ceased to be finite.
  static final int DIVERGED = 3;

  /// {@return whether no repetition would come to another end}
  ///
  /// @param status of a command
  static boolean isFinal(int status) {
    return status == 0 || status == BAD_INPUT || status == DIVERGED;
  }

  /// {@return whether the command has done what it should}
  boolean isDone() {
    return status == 0;
  }

  /// {@return this as JSON}
  String json() {
    try {
      return JSON.writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /// {@return what a rank has returned}
  ///
  /// @param json as [#json] writes it
  static Outcome of(String json) {
    try {
      return JSON.readValue(json, Outcome.class);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
