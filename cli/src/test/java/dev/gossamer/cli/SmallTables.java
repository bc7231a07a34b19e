package dev.gossamer.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Tables of 60 accounts, `accounts.csv`, and of the payments between them, `payments.csv`, of
/// which two are repeated.
public final class SmallTables {
  private static final int ACCOUNTS = 60;
  private static final String[] KINDS = {"private", "shop", "broker", ""};
  private static final String[] COUNTRIES = {"DE", "FR", "US"};

  private SmallTables() {}

  public static void write(Path folder) throws IOException {
    Files.createDirectories(folder);
    StringBuilder accounts = new StringBuilder("id,kind,balance,country,opened\n");
    StringBuilder payments =
        new StringBuilder("sender,receiver,amount\nacc-0,acc-1,3\nacc-1,acc-0,4\n");
    for (int i = 0; i < ACCOUNTS; i++) {
      accounts.append(
          "acc-%d,%s,%s,%s,2024-01-%02d%n"
              .formatted(
                  i,
                  KINDS[i % KINDS.length],
                  i % 7 == 0 ? "" : 100 * i % 37,
                  COUNTRIES[i % COUNTRIES.length],
                  1 + i % 28));
      payments.append("acc-%d,acc-%d,%d%n".formatted(i, (i + 1) % ACCOUNTS, 1 + i % 5));
      payments.append("acc-%d,acc-%d,%d%n".formatted(i, (i + 7) % ACCOUNTS, 1 + i % 5));
    }
    Files.writeString(folder.resolve("accounts.csv"), accounts.toString());
    Files.writeString(folder.resolve("payments.csv"), payments.toString());
  }
}
