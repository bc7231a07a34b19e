package dev.gossamer.cli.endurance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.gossamer.cli.Folders;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/// Damages the files of a case. What it does depends on the random numbers and the files alone.
///
/// Containers (zip, gzip, `.npy`, safetensors) are mostly opened, damaged inside and closed again
/// with right lengths and sums, so that what lies behind the first check is reached too.
final class Mutator {
  private static final Pattern NUMBER = Pattern.compile("-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?");
  private static final Pattern STRING = Pattern.compile("\"(?:[^\"\\\\]++|\\\\.)*+\"");
  private static final Pattern VALUE = Pattern.compile("(?m)(?<=: ?)[^\\n,{}\\[\\]:]+");

  /// A key of JSON with its value, or one of YAML.
  private static final Pattern PAIR =
      Pattern.compile(
          ",?\"\\w+\":(\"[^\"]*\"|[^,{}\\[\\]]+|\\{[^{}]*\\}|\\[[^\\[\\]]*\\]),?|(?m)^[\\w-]+: .*\\n");

  private static final Pattern LINE = Pattern.compile("(?m)^.*(\\n|$)");

  private static final Pattern STEERING =
      Pattern.compile("(manifest|dataset|tokens)\\.json$|config\\.yaml$");

  /// Files that an earlier damage has made so large are left alone.
  private static final long LARGE = 32 << 20;

  /// Settings whose great values are honest wishes for a run of years.
  private static final Pattern PATIENCE = Pattern.compile("(epochs|iterations)\"?: ?$");

  private static final List<String> NUMBERS =
      List.of(
          "-1",
          "0",
          "1",
          "2147483647",
          "2147483648",
          "-2147483648",
          "4294967296",
          "1000000000",
          "9223372036854775807",
          "-9223372036854775808",
          "1e9",
          "1e400",
          "-0.0",
          "1e-46",
          "NaN",
          ".nan",
          "Infinity",
          "-.inf",
          "0x7fffffff",
          "99999999999999999999",
          "1_000");

  private static final List<String> GREAT =
      List.of("2147483647", "1000000000", "1e9", "1_000", "0x7fffffff");

  private static final List<String> VALUES =
      List.of(
          "null",
          "null",
          "null",
          "~",
          "true",
          "\"\"",
          "{}",
          "[]",
          "[1, 2]",
          "{\"a\": 1}",
          "\"x\"",
          "[null]",
          "*a",
          "&a [*a, *a]",
          "!!java.io.File [/etc/passwd]",
          "|\n  x",
          "'",
          "\"",
          "\u0000",
          "\ufeff");

  private static final List<String> NAMES =
      List.of(
          "../../bystanders/notes.txt",
          "../bystanders/checkpoint/mine.safetensors",
          "/etc/hostname",
          "a\u0000b",
          "two\nlines",
          "\u001b[31mred\u001b[0m\u0007",
          "\u009b2J",
          "a\rb",
          "\u202egpj.exe",
          "",
          ".",
          "..",
          "=1+1",
          "\ud83d\ude00",
          "n".repeat(300),
          "%s%n",
          "$(touch x)");

  private final RandomGenerator random;
  private final Box box;
  private final List<String> done = new ArrayList<>();

  Mutator(RandomGenerator random, Box box) {
    this.random = random;
    this.box = box;
  }

  /// Damages files below a folder, mostly one.
  ///
  /// @return what was done, for people to read
  List<String> damage(Path folder) {
    int count = chance(75) ? 1 : 2 + random.nextInt(2);
    for (int i = 0; i < count; i++) {
      List<Path> files = regularFiles(folder);
      if (files.isEmpty()) {
        break;
      }
      // What steers is smaller than what is steered, and more delicate.
      List<Path> steering =
          files.stream().filter(file -> STEERING.matcher(file.toString()).find()).toList();
      Path file = one(steering.isEmpty() || chance(60) ? files : steering);
      String before = relative(file);
      if (chance(20)) {
        replace(file);
      } else {
        content(file);
      }
      if (!done.isEmpty()) {
        done.set(done.size() - 1, before + ": " + done.getLast());
      }
    }
    return List.copyOf(done);
  }

  private String relative(Path file) {
    return box.scene().relativize(file).toString();
  }

  private static List<Path> regularFiles(Path folder) {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
          .filter(file -> file.toFile().length() < LARGE)
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  private <T> T one(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private void say(String what) {
    done.add(what);
  }

  // Whole files.

  /// Puts something else in the place of a file, or of the folder that it is in.
  private void replace(Path file) {
    try {
      int what = random.nextInt(12);
      Path folder = file.resolveSibling(".").normalize();
      if (what == 11 && !folder.equals(box.in()) && folder.startsWith(box.in())) {
        Folders.delete(folder);
        Files.createSymbolicLink(folder, box.bystanders().resolve("checkpoint"));
        say("its folder is a link to a foreign folder");
        return;
      }
      Files.delete(file);
      switch (what) {
        case 0 -> say("deleted");
        case 1 -> {
          Files.createFile(file);
          say("empty");
        }
        case 2 -> {
          Files.createDirectory(file);
          say("a folder");
        }
        case 3 -> {
          Box.pipe(file);
          say("a named pipe");
        }
        case 4 -> link(file, Path.of("/dev/zero"));
        case 5 -> link(file, Path.of("/dev/null"));
        case 6 -> link(file, file);
        case 7 -> link(file, box.bystanders().resolve("mine.safetensors"));
        case 8 -> link(file, Path.of("../../bystanders/notes.txt"));
        case 9 -> link(file, box.bystanders().resolve("not there"));
        case 10 -> {
          try (SeekableByteChannel channel =
              Files.newByteChannel(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.position(3L << 30);
            channel.write(ByteBuffer.wrap(new byte[] {'\n'}));
          }
          say("a hole of 3 GiB");
        }
        default -> {
          String name = one(NAMES).replace("\u0000", "").replace("/", "_");
          if (name.isEmpty() || name.matches("\\.{1,2}") || name.length() > 250) {
            name = " ";
          }
          Files.write(file.resolveSibling(name), new byte[] {1, 2, 3});
          say("renamed to " + printable(name));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void link(Path file, Path target) throws IOException {
    Files.createSymbolicLink(file, target);
    say("a link to " + target);
  }

  // Content.

  private void content(Path file) {
    try {
      byte[] before = Files.readAllBytes(file);
      byte[] after = damaged(before);
      Files.write(file, after);
      mendManifest(file, Checksum.sha256(before), Checksum.sha256(after));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Makes the checkpoint's manifest name the sum of the damaged file, mostly.
  private void mendManifest(Path file, String before, String after) throws IOException {
    Path manifest = file.resolveSibling("manifest.json");
    if (Files.isRegularFile(manifest, LinkOption.NOFOLLOW_LINKS) && chance(75)) {
      String text = Files.readString(manifest, ISO_8859_1);
      Files.writeString(manifest, text.replace(before, after), ISO_8859_1);
    }
  }

  private byte[] damaged(byte[] bytes) throws IOException {
    try {
      if (starts(bytes, "PK\003\004") && chance(70)) {
        return zip(bytes);
      }
      if (starts(bytes, "\037\213") && chance(70)) {
        return gzip(bytes);
      }
    } catch (ZipException | EOFException e) {
      return binary(bytes); // damaged before
    }
    if (starts(bytes, "\u0093NUMPY") && chance(60)) {
      int length = Math.min(10 + Short.toUnsignedInt(little(bytes).getShort(8)), bytes.length);
      byte[] header = text(Arrays.copyOfRange(bytes, 10, length));
      byte[] start = Arrays.copyOf(bytes, 10);
      if (chance(80)) {
        little(start).putShort(8, (short) header.length);
      }
      return join(start, header, Arrays.copyOfRange(bytes, length, bytes.length));
    }
    if (bytes.length > 9 && bytes[8] == '{' && chance(65)) {
      int length = Math.clamp(8 + little(bytes).getLong(0), 8, bytes.length);
      byte[] header = text(Arrays.copyOfRange(bytes, 8, length));
      byte[] start = Arrays.copyOf(bytes, 8);
      if (chance(80)) {
        little(start).putLong(0, header.length);
      }
      return join(start, header, Arrays.copyOfRange(bytes, length, bytes.length));
    }
    boolean readable = new String(bytes, UTF_8).chars().noneMatch(c -> c == 0 || c == 0xfffd);
    return readable && chance(85) ? text(bytes) : binary(bytes);
  }

  private static boolean starts(byte[] bytes, String magic) {
    byte[] wanted = magic.getBytes(ISO_8859_1);
    return bytes.length >= 10 && Arrays.equals(Arrays.copyOf(bytes, wanted.length), wanted);
  }

  private byte[] zip(byte[] bytes) throws IOException {
    Map<String, byte[]> members = new LinkedHashMap<>();
    try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(bytes))) {
      for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        members.put(entry.getName(), in.readAllBytes());
      }
    }
    if (members.isEmpty()) {
      return binary(bytes); // damaged before
    }
    String name = one(List.copyOf(members.keySet()));
    byte[] member = members.getOrDefault(name, new byte[0]);
    switch (random.nextInt(10)) {
      case 0 -> {
        members.remove(name);
        say("without member " + name);
      }
      case 1 -> {
        members.remove(name);
        String other = one(NAMES);
        members.put(other, member);
        say("member %s renamed to %s".formatted(name, printable(other)));
      }
      case 2 -> {
        int dictionary = name.endsWith(".npy") ? 128 : 0;
        members.put(name, Arrays.copyOf(member, Math.max(member.length, dictionary) + (64 << 20)));
        say("64 MiB of zeros behind member " + name);
      }
      default -> {
        members.put(name, damaged(member));
        done.set(done.size() - 1, "member %s: %s".formatted(name, done.getLast()));
      }
    }
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (ZipOutputStream out = new ZipOutputStream(packed)) {
      out.setLevel(1);
      for (Map.Entry<String, byte[]> each : members.entrySet()) {
        out.putNextEntry(new ZipEntry(each.getKey()));
        out.write(each.getValue());
      }
    } catch (IllegalArgumentException e) {
      return bytes; // a name that no zip can have
    }
    return packed.toByteArray();
  }

  private byte[] gzip(byte[] bytes) throws IOException {
    byte[] content;
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
      content = in.readAllBytes();
    }
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(packed)) {
      if (chance(8)) {
        byte[] megabyte = new byte[1 << 20];
        Arrays.fill(megabyte, (byte) '7');
        for (int i = 0; i < 256; i++) {
          out.write(megabyte);
        }
        say("gzip of a line of 256 MiB");
      } else {
        out.write(damaged(content));
      }
    }
    return packed.toByteArray();
  }

  // Text.

  private byte[] text(byte[] bytes) {
    String text = new String(bytes, ISO_8859_1);
    return switch (random.nextInt(20)) {
      case 0, 1, 2, 3 -> exchange(text, NUMBER, NUMBERS).getBytes(ISO_8859_1);
      case 4, 5 -> exchange(text, VALUE, NUMBERS).getBytes(ISO_8859_1);
      case 6, 7, 8 -> exchange(text, VALUE, VALUES).getBytes(ISO_8859_1);
      case 9, 10 -> name(text);
      case 11, 12 -> exchange(text, PAIR, List.of("")).getBytes(ISO_8859_1);
      case 13 -> lines(text).getBytes(ISO_8859_1);
      case 14 -> whole();
      case 15 -> insert(text, one(chance(50) ? VALUES : NAMES)).getBytes(UTF_8);
      case 16 -> endless(text);
      case 17 -> nested(text);
      default -> binary(bytes);
    };
  }

  private String exchange(String text, Pattern what, List<String> by) {
    List<MatchResult> found =
        Pattern.compile(what.pattern(), what.flags()).matcher(text).results().toList();
    if (found.isEmpty()) {
      return insert(text, one(by));
    }
    MatchResult place = one(found);
    String value = one(by);
    if (GREAT.contains(value) && PATIENCE.matcher(text.substring(0, place.start())).find()) {
      value = "-1";
    }
    say("byte %d: %s for %s".formatted(place.start(), printable(value), printable(place.group())));
    return text.substring(0, place.start()) + value + text.substring(place.end());
  }

  private byte[] whole() {
    String value = one(chance(70) ? VALUES : NUMBERS);
    say("nothing but " + printable(value));
    return value.getBytes(UTF_8);
  }

  /// A hostile name for a string or a word.
  private byte[] name(String text) {
    Matcher strings = STRING.matcher(text);
    List<MatchResult> found = strings.results().toList();
    boolean quoted = !found.isEmpty();
    if (!quoted) {
      found = Pattern.compile("[A-Za-z_][A-Za-z_0-9./-]*").matcher(text).results().toList();
    }
    String name = one(NAMES);
    if (found.isEmpty()) {
      return insert(text, name).getBytes(UTF_8);
    }
    MatchResult place = one(found);
    say(
        "byte %d: name %s for %s"
            .formatted(place.start(), printable(name), printable(place.group())));
    return join(
        text.substring(0, place.start()).getBytes(ISO_8859_1),
        (quoted ? quote(name) : name).getBytes(UTF_8),
        text.substring(place.end()).getBytes(ISO_8859_1));
  }

  private String quote(String name) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c < ' ' || c == '"' || c == '\\' || (c > '~' && chance(50))) {
        quoted.append("\\u%04x".formatted((int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }

  private String lines(String text) {
    List<MatchResult> found =
        LINE.matcher(text).results().filter(m -> !m.group().isEmpty()).toList();
    if (found.isEmpty()) {
      return insert(text, "\n");
    }
    MatchResult place = one(found);
    String line = place.group();
    String by =
        switch (random.nextInt(4)) {
          case 0 -> "";
          case 1 -> line + line;
          case 2 -> one(found).group();
          default -> line.replaceFirst("[,\\t :]", one(List.of("", "  ", ",", "\t", ";", "::")));
        };
    say("byte %d: line %s for %s".formatted(place.start(), printable(by), printable(line)));
    return text.substring(0, place.start()) + by + text.substring(place.end());
  }

  private String insert(String text, String what) {
    int place = random.nextInt(text.length() + 1);
    say("byte %d: %s inserted".formatted(place, printable(what)));
    return text.substring(0, place) + what + text.substring(place);
  }

  /// One letter again and again, in the middle of something.
  private byte[] endless(String text) {
    List<MatchResult> found = Pattern.compile("[A-Za-z0-9]").matcher(text).results().toList();
    int place = found.isEmpty() ? 0 : one(found).start();
    String letter = text.isEmpty() ? "7" : text.substring(place, place + 1);
    int count = 1 << (10 + random.nextInt(14));
    say("byte %d: %s %,d times".formatted(place, printable(letter), count));
    return (text.substring(0, place) + letter.repeat(count) + text.substring(place))
        .getBytes(ISO_8859_1);
  }

  /// Opening brackets, deeper than any stack.
  private byte[] nested(String text) {
    String bracket = one(List.of("[", "{\"a\":", "(", "- "));
    int count = 1 << (6 + random.nextInt(12));
    int place = random.nextInt(text.length() + 1);
    say("byte %d: %s %,d times".formatted(place, bracket, count));
    return (text.substring(0, place) + bracket.repeat(count) + text.substring(place))
        .getBytes(ISO_8859_1);
  }

  // Bytes.

  private byte[] binary(byte[] bytes) {
    if (bytes.length == 0) {
      say("a byte in an empty file");
      return new byte[] {(byte) random.nextInt(256)};
    }
    int place = random.nextInt(bytes.length);
    byte[] copy = bytes.clone();
    switch (random.nextInt(9)) {
      case 0, 1, 2 -> {
        int flips = 1 + random.nextInt(chance(70) ? 1 : 16);
        for (int i = 0; i < flips; i++) {
          // Headers lie at the front.
          int reach = chance(50) ? Math.min(copy.length, 256) : copy.length;
          place = random.nextInt(reach);
          copy[place] ^= (byte) (1 << random.nextInt(8));
        }
        say("%d bits flipped, the last in byte %d".formatted(flips, place));
      }
      case 3 -> {
        say("cut to %d of %d bytes".formatted(place, bytes.length));
        return Arrays.copyOf(bytes, place);
      }
      case 4 -> {
        byte[] more = new byte[1 + random.nextInt(64)];
        random.nextBytes(more);
        say("%d more bytes".formatted(more.length));
        return join(bytes, more);
      }
      case 5 -> {
        int length = 1 + random.nextInt(Math.min(64, bytes.length));
        int from = random.nextInt(bytes.length - length + 1);
        say("%d bytes from byte %d copied to byte %d".formatted(length, from, place));
        return join(
            Arrays.copyOf(bytes, place),
            Arrays.copyOfRange(bytes, from, from + length),
            Arrays.copyOfRange(bytes, place, bytes.length));
      }
      case 6 -> {
        int end = Math.min(bytes.length, place + 1 + random.nextInt(32));
        Arrays.fill(copy, place, end, (byte) (chance(50) ? 0 : 0xff));
        say("bytes %d to %d wiped".formatted(place, end));
      }
      default -> extreme(copy);
    }
    return copy;
  }

  /// A number of 4 or 8 bytes at the ends of its range.
  private void extreme(byte[] bytes) {
    if (bytes.length < 8) {
      bytes[0] = (byte) 0xff;
      say("first byte 0xff");
      return;
    }
    int reach = chance(50) ? Math.min(bytes.length, 256) : bytes.length;
    int place = random.nextInt(reach - 7) & -4;
    long value =
        one(
            List.of(
                -1L, 0L, 1L << 31, (1L << 31) - 1, Long.MAX_VALUE, 1_000_000_000L, 0x7fc00000L));
    boolean wide = chance(40);
    ByteBuffer buffer =
        ByteBuffer.wrap(bytes).order(chance(70) ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
    if (wide) {
      buffer.putLong(place, value);
    } else {
      buffer.putInt(place, (int) value);
    }
    say("byte %d: %d in %d bytes, %s".formatted(place, value, wide ? 8 : 4, buffer.order()));
  }

  private static ByteBuffer little(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static byte[] join(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  /// A short text without anything that a terminal obeys.
  static String printable(String text) {
    StringBuilder safe = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      safe.append(c < ' ' || c > '~' ? "\\u%04x".formatted((int) c) : c);
      if (safe.length() > 60) {
        return safe + "...";
      }
    }
    return safe.toString();
  }
}
