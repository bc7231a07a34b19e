package dev.gossamer.cli.tensorboard;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.io.UncheckedIOException;

/// A message of Protocol Buffers, written field by field.
final class ProtoMessage {
  private final ByteString.Output bytes = ByteString.newOutput();
  private final CodedOutputStream out = CodedOutputStream.newInstance(bytes);

  /// Writes something to memory, which does not fail.
  private interface Writing {
    void run() throws IOException;
  }

  private ProtoMessage add(Writing writing) {
    try {
      writing.run();
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Appends a field of type `double`.
  ProtoMessage float64(int field, double value) {
    return add(() -> out.writeDouble(field, value));
  }

  /// Appends a field of type `float`.
  ProtoMessage float32(int field, double value) {
    return add(() -> out.writeFloat(field, (float) value));
  }

  /// Appends a packed field of type `repeated double`.
  ProtoMessage float64s(int field, double... values) {
    return add(() -> {
      out.writeTag(field, WireFormat.WIRETYPE_LENGTH_DELIMITED);
      out.writeUInt32NoTag(values.length * Double.BYTES);
      for (double value : values) {
        out.writeDoubleNoTag(value);
      }
    });
  }

  /// Appends a field of an integer type without zigzag encoding, or of an enum.
  ProtoMessage integer(int field, long value) {
    return add(() -> out.writeInt64(field, value));
  }

  /// Appends a field of type `string`.
  ProtoMessage text(int field, String value) {
    return add(() -> out.writeString(field, value));
  }

  /// Appends a field of type `bytes`, or a message that is written already.
  ProtoMessage bytes(int field, ByteString value) {
    return add(() -> out.writeBytes(field, value));
  }

  /// Appends a message.
  ProtoMessage message(int field, ProtoMessage value) {
    return bytes(field, value.written());
  }

  /// Returns the message.
  ByteString written() {
    add(out::flush);
    return bytes.toByteString();
  }
}
