package dev.gossamer.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Tables of 60 accounts, `accounts.csv`, and of the payments between them, `payments.csv`, of
/// which two are repeated, with a schema, `payments.yaml`.
public final class SmallTables {
  private static final int ACCOUNTS = 60;
  private static final String[] KINDS = {"private", "shop", "broker", ""};
  private static final String[] COUNTRIES = {"DE", "FR", "US"};

  private static final String SCHEMA =
      """
      vertices:
      - {name: accounts, source: accounts.csv, id: id, label: kind, features: {country: categorical, opened: date}}
      edges:
      - {name: payments, source: payments.csv, from: sender, to: receiver, time: paid, features: {amount: numeric}}
      """;

  private SmallTables() {}

  public static void write(Path folder) throws IOException {
    Files.createDirectories(folder);
    StringBuilder accounts = new StringBuilder("id,kind,balance,country,opened\n");
    StringBuilder payments =
        new StringBuilder(
            "sender,receiver,amount,paid\nacc-0,acc-1,3,2024-05-01\nacc-1,acc-0,4,2024-05-01\n");
    for (int i = 0; i < ACCOUNTS; i++) {
      accounts.append(
          "acc-%d,%s,%s,%s,2024-01-%02d%n"
              .formatted(
                  i,
                  KINDS[i % KINDS.length],
                  i % 7 == 0 ? "" : 100 * i % 37,
                  COUNTRIES[i % COUNTRIES.length],
                  1 + i % 28));
      payments.append(payment(i, (i + 1) % ACCOUNTS));
      payments.append(payment(i, (i + 7) % ACCOUNTS));
    }
    Files.writeString(folder.resolve("accounts.csv"), accounts.toString());
    Files.writeString(folder.resolve("payments.csv"), payments.toString());
    Files.writeString(folder.resolve("payments.yaml"), SCHEMA);
  }

  private static String payment(int from, int to) {
    return "acc-%d,acc-%d,%d,2024-%02d-%02d%n"
        .formatted(from, to, 1 + from % 5, 1 + from % 4, 1 + (from + to) % 28);
  }
}
