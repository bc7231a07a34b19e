package dev.gossamer.cli;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// A PostgreSQL server of a test, with a folder and a port of its own. When it is closed, both are
/// free again.
///
/// Everyone may connect, but the role `ann` needs the password `secret word`.
final class PostgresServer implements AutoCloseable {
  private static final String SUPERUSER = "gossamer";

  /// Who runs it if the tests are run by root, whom it refuses.
  private static final String SYSTEM_USER = "postgres";

  private static final int ATTEMPTS = 5;

  private final Path programs;
  private final Path folder;
  private final int port;
  private final Thread stopper = Thread.ofPlatform().name("postgres").unstarted(this::stop);

  private PostgresServer(Path programs) throws IOException, InterruptedException {
    this.programs = programs;
    folder = Files.createTempDirectory("gossamer-postgres-");
    if (isRoot()) {
      Files.setOwner(
          folder,
          FileSystems.getDefault()
              .getUserPrincipalLookupService()
              .lookupPrincipalByName(SYSTEM_USER));
    }
    run("initdb", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C", "-U", SUPERUSER);
    Files.writeString(
        data().resolve("pg_hba.conf"),
        "host all ann 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n");
    port = started();
    Runtime.getRuntime().addShutdownHook(stopper);
  }

  /// {@return a server; empty if PostgreSQL is not installed}
  static Optional<PostgresServer> start() throws IOException, InterruptedException, SQLException {
    Optional<Path> programs = programs();
    if (programs.isEmpty()) {
      return Optional.empty();
    }
    PostgresServer server = new PostgresServer(programs.get());
    server.run("CREATE ROLE ann LOGIN PASSWORD 'secret word'");
    server.run("GRANT CREATE ON SCHEMA public TO ann");
    return Optional.of(server);
  }

  /// Debian keeps them out of the path.
  private static Optional<Path> programs() throws IOException {
    List<Path> places = new ArrayList<>();
    Path debian = Path.of("/usr/lib/postgresql");
    if (Files.isDirectory(debian)) {
      try (Stream<Path> versions = Files.list(debian)) {
        versions
            .map(version -> version.resolve("bin"))
            .sorted(Comparator.reverseOrder())
            .forEach(places::add);
      }
    }
    Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .map(Path::of)
        .forEach(places::add);
    return places.stream()
        .filter(place -> Files.isExecutable(place.resolve("initdb")))
        .filter(place -> Files.isExecutable(place.resolve("pg_ctl")))
        .findFirst();
  }

  private static boolean isRoot() {
    return "root".equals(System.getProperty("user.name"));
  }

  private Path data() {
    return folder.resolve("data");
  }

  /// Another program may take a port that was free.
  private int started() throws IOException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      int free;
      try (ServerSocket socket = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
        free = socket.getLocalPort();
      }
      try {
        String settings =
            "-p %d -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
                .formatted(free);
        run("pg_ctl", "-w", "-t", "120", "-l", log().toString(), "-o", settings, "start");
        return free;
      } catch (IllegalStateException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private Path log() {
    return folder.resolve("log");
  }

  private void run(String program, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    if (isRoot()) {
      command.addAll(List.of("setpriv", "--reuid", SYSTEM_USER, "--regid", SYSTEM_USER));
      command.add("--clear-groups");
    }
    command.addAll(List.of(programs.resolve(program).toString(), "-D", data().toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(new File("/"));
    builder.environment().put("LC_ALL", "C");
    // The server keeps the streams of the program that starts it.
    Path said = Files.createTempFile("gossamer-postgres-", ".txt");
    try {
      builder.redirectErrorStream(true).redirectOutput(said.toFile());
      if (builder.start().waitFor() != 0) {
        String log = Files.exists(log()) ? Files.readString(log()) : "";
        throw new IllegalStateException(command + ": " + Files.readString(said) + log);
      }
    } finally {
      Files.delete(said);
    }
  }

  /// {@return `127.0.0.1:PORT/postgres?user=gossamer`, as addresses have it behind `//`}
  String place() {
    return place(SUPERUSER);
  }

  String place(String role) {
    return "127.0.0.1:%d/postgres?user=%s".formatted(port, role);
  }

  /// {@return the address of its database}
  String address() {
    return "jdbc:postgresql://" + place();
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(address());
  }

  /// Runs a statement.
  void run(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /// {@return the rows of a query, as [SqlRows] has them}
  List<String> rows(String sql) throws SQLException {
    try (Connection connection = connect()) {
      return SqlRows.of(connection, sql);
    }
  }

  private void stop() {
    try {
      run("pg_ctl", "-w", "-m", "immediate", "stop");
      try (Stream<Path> all = Files.walk(folder)) {
        for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    Runtime.getRuntime().removeShutdownHook(stopper);
    stop();
  }
}
