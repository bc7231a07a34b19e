package dev.gossamer.cli.report;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.function.Supplier;

/// A page for browsers that is made again for each request, which they send every few seconds.
///
/// The address of the page has a token; everything else is not found. Pages run no scripts and load
/// nothing, and are kept by nobody.
final class PageServer implements AutoCloseable {
  private static final int TOKEN_BYTES = 16;
  private static final int REFRESH_SECONDS = 3;
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int NOT_ALLOWED = 405;
  private static final int UNAVAILABLE = 503;

  private final HttpServer server;
  private final String path;
  private final Supplier<String> page;

  /// Starts to listen.
  ///
  /// @param address with 0 as port for any that is free
  /// @param page makes the page; called by one thread at a time
  /// @throws InvalidInputException if the address is not free, or none of this machine
  PageServer(InetSocketAddress address, Supplier<String> page) {
    this.page = page;
    byte[] token = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(token);
    path = "/" + HexFormat.of().formatHex(token) + "/";
    try {
      server = HttpServer.create(address, 0);
    } catch (IOException e) {
      throw new InvalidInputException(
          "--serve: expected a free address of this machine, found %s:%d: %s"
              .formatted(address.getHostString(), address.getPort(), e.getMessage()),
          e);
    }
    server.createContext("/", this::answer);
    server.start();
  }

  /// Returns where the page is.
  String url() {
    InetSocketAddress bound = server.getAddress();
    InetAddress host = bound.getAddress();
    String name = host.getHostAddress();
    return "http://%s:%d%s"
        .formatted(name.contains(":") ? "[" + name + "]" : name, bound.getPort(), path);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!isPage(exchange)) {
        exchange.sendResponseHeaders(NOT_FOUND, -1);
      } else if (!exchange.getRequestMethod().equals("GET")) {
        exchange.sendResponseHeaders(NOT_ALLOWED, -1);
      } else {
        sendPage(exchange);
      }
    }
  }

  /// Sends the page or, if the run cannot be read now, why: a later request may succeed.
  private void sendPage(HttpExchange exchange) throws IOException {
    try {
      send(exchange, OK, "text/html", page.get());
    } catch (InvalidInputException e) {
      send(exchange, UNAVAILABLE, "text/plain", String.valueOf(e.getMessage()));
    }
  }

  private static void send(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    Headers headers = exchange.getResponseHeaders();
    headers.set("Content-Type", type + "; charset=utf-8");
    headers.set("Refresh", Integer.toString(REFRESH_SECONDS));
    headers.set("Cache-Control", "no-store");
    headers.set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
    headers.set("Referrer-Policy", "no-referrer");
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }

  /// How long the comparison takes says nothing about the token.
  private boolean isPage(HttpExchange exchange) {
    return MessageDigest.isEqual(
        path.getBytes(StandardCharsets.UTF_8),
        exchange.getRequestURI().getPath().getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
