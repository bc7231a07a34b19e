package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.io.InputFile;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Where a database is, and who asks.
///
/// @param text such as `jdbc:postgresql://host/shop`, without a password
/// @param user name; null for that of the driver
/// @param passwordFile its first line is the password; null for the environment variable
record JdbcAddress(String text, @Nullable String user, @Nullable Path passwordFile) {
  /// A setting, or what stands behind the name of a user: `ann:secret@`, of Oracle `ann/secret@`.
  private static final Pattern PASSWORD =
      Pattern.compile(
          "(?i)[?&;,(]\\s*\\w*(password|passwd|pwd)\\s*=|//[^/@]*:[^/@]*@"
              + "|^jdbc:oracle:\\w+:[^@/]*/[^@]+@");

  private static final int MOST_PASSWORD = 4096;

  /// Checks what a user gives as an address.
  ///
  /// @param component name of the setting
  /// @throws InvalidSettingException if it is none, or has a password
  static void require(String component, String text) {
    if (!text.startsWith("jdbc:")) {
      throw new InvalidSettingException(
          "{%s}: expected the address of a database, jdbc:..., found another".formatted(component));
    }
    if (PASSWORD.matcher(text).find()) {
      throw new InvalidSettingException(
          "{%s}: expected an address without a password, found one; put it into the variable %s or a file"
              .formatted(component, TableSource.Database.PASSWORD_VARIABLE));
    }
  }

  /// Connects.
  ///
  /// @param more settings of the driver
  /// @throws SQLException if that fails
  Connection connect(Map<String, String> more) throws SQLException {
    Properties settings = new Properties();
    settings.putAll(more);
    Optional.ofNullable(user).ifPresent(name -> settings.setProperty("user", name));
    password().ifPresent(password -> settings.setProperty("password", password));
    return DriverManager.getConnection(text, settings);
  }

  private Optional<String> password() {
    if (passwordFile == null) {
      return Optional.ofNullable(System.getenv(TableSource.Database.PASSWORD_VARIABLE));
    }
    return Optional.of(
        InputFile.of(passwordFile)
            .text(MOST_PASSWORD)
            .lines()
            .findFirst()
            .orElseThrow(() ->
                new InvalidInputException(
                    "%s: expected a password in the first line, found none"
                        .formatted(passwordFile))));
  }
}
