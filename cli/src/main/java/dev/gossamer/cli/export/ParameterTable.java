package dev.gossamer.cli.export;

import dev.gossamer.nn.state.Safetensors;
import dev.gossamer.tables.OutputColumn;
import dev.gossamer.tables.OutputTable;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/// The parameters of a model as a table with a row for each element that is not 0: `parameter`,
/// `row`, `col` and `value`. The row counts along the first dimension of a tensor, the column along
/// all others.
final class ParameterTable {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final List<String> names = new ArrayList<>();
  private final List<Safetensors.Tensor> tensors = new ArrayList<>();

  /// Elements that are not 0, of each tensor.
  private final List<int[]> elements = new ArrayList<>();

  /// The first row of each tensor in the table, and the number of rows.
  private final int[] begins;

  private ParameterTable(Map<String, Safetensors.Tensor> parameters) {
    begins = new int[parameters.size() + 1];
    parameters.forEach((name, tensor) -> {
      names.add(name);
      tensors.add(tensor);
      int count = Math.toIntExact(tensor.data().byteSize() / Float.BYTES);
      elements.add(
          IntStream.range(0, count).filter(i -> tensor.data().getAtIndex(FLOAT, i) != 0).toArray());
      int t = elements.size();
      begins[t] = Math.addExact(begins[t - 1], elements.getLast().length);
    });
  }

  /// Returns the table of a model.
  ///
  /// @param parameters float32, by name; borrowed until the table is written
  /// @throws ArithmeticException if it has `2^31` rows or more
  static OutputTable of(Map<String, Safetensors.Tensor> parameters) {
    ParameterTable table = new ParameterTable(parameters);
    return new OutputTable(
        table.begins[table.names.size()],
        List.of(
            new OutputColumn.Text("parameter", row -> table.names.get(table.tensor(row))),
            new OutputColumn.Whole("row", row -> table.element(row) / table.columns(row)),
            new OutputColumn.Whole("col", row -> table.element(row) % table.columns(row)),
            new OutputColumn.Real("value", table::value)));
  }

  /// Which tensor a row belongs to; those without elements have none.
  private int tensor(int row) {
    int found = Arrays.binarySearch(begins, row);
    int at = found < 0 ? -found - 2 : found;
    while (begins[at + 1] == begins[at]) {
      at++;
    }
    return at;
  }

  private int element(int row) {
    int tensor = tensor(row);
    return elements.get(tensor)[row - begins[tensor]];
  }

  private long columns(int row) {
    List<Long> shape = tensors.get(tensor(row)).shape();
    return shape.stream().skip(1).reduce(1L, Math::multiplyExact);
  }

  private float value(int row) {
    return tensors.get(tensor(row)).data().getAtIndex(FLOAT, element(row));
  }
}
