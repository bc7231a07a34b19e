package dev.gossamer.pruned.layers;

import dev.gossamer.pruned.prune.Structure;
import dev.gossamer.pruned.prune.Structure.Axis;
import dev.gossamer.pruned.prune.Structure.Cut;
import dev.gossamer.pruned.prune.Structure.Kind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Finds the units of a network that can be removed: walks forward through the layers, and collects
/// the producer and the readers of each unit.
///
/// Units in residual sums, and inputs of layer normalisation, which is over all channels, must
/// stay: in a residual network, only units inside a body, or read by a body and its shortcut
/// convolution, can be removed.
final class StructureSearch {
  /// Units whose readers are being collected.
  private static final class Units {
    private final String name;
    private final Kind kind;
    private final int count;
    private final List<Cut> cuts = new ArrayList<>();
    private @Nullable String scale;
    private boolean whole;

    Units(String name, Kind kind, int count) {
      this.name = name;
      this.kind = kind;
      this.count = count;
    }

    void made(String parameter, int span) {
      cuts.add(new Cut(parameter, Axis.COLUMNS, span));
    }

    void read(String matrix, int span) {
      cuts.add(new Cut(matrix, Axis.ROWS, span));
    }
  }

  private final List<Units> found = new ArrayList<>();

  private StructureSearch() {}

  /// The structures of a network, in the order of the forward pass.
  static List<Structure> of(Layer network) {
    StructureSearch search = new StructureSearch();
    keep(search.through(network, null));
    return search.found.stream()
        .filter(units -> !units.whole)
        .map(units -> new Structure(units.name, units.kind, units.count, units.cuts, units.scale))
        .toList();
  }

  private static void keep(@Nullable Units units) {
    if (units != null) {
      units.whole = true;
    }
  }

  /// @param x the units of the input; null if they have to stay
  /// @return those of the output
  private @Nullable Units through(Layer layer, @Nullable Units x) {
    return switch (layer) {
      case Sequence sequence -> {
        Units next = x;
        for (Layer each : sequence.layers()) {
          next = through(each, next);
        }
        yield next;
      }
      case Residual residual -> {
        keep(through(residual.body(), x));
        // Without a layer beside the body its input is a term of the sum.
        keep(residual.shortcut() == null ? x : through(residual.shortcut(), x));
        yield null;
      }
      case Convolution convolution -> {
        read(x, convolution.weight());
        Units units = units(convolution.name(), Kind.CHANNELS, convolution.outChannels());
        units.made(convolution.weight(), 1);
        if (convolution.biased()) {
          units.made(convolution.bias(), 1);
        }
        yield units;
      }
      case Linear linear -> {
        read(x, linear.weight());
        Units units = units(linear.name(), Kind.NEURONS, linear.outChannels());
        units.made(linear.weight(), 1);
        if (linear.biased()) {
          units.made(linear.bias(), 1);
        }
        yield units;
      }
      case BatchNorm norm -> {
        if (x != null) {
          norm.vectors().forEach(vector -> x.made(vector, 1));
          x.scale = norm.gain();
        }
        yield x;
      }
      case CausalAttention attention -> {
        keep(x);
        Units heads = units(attention.name(), Kind.HEADS, attention.heads());
        heads.made(attention.inWeight(), attention.headWidth());
        heads.made(attention.inBias(), attention.headWidth());
        heads.read(attention.outWeight(), attention.headWidth());
        yield null;
      }
      case LayerNorm _, TiedHead _, TokenEmbedding _ -> {
        keep(x);
        yield null;
      }
      // Each unit by itself; flattened, the positions of a unit are as far apart as there are
      // units.
      case Relu _, Gelu _, DropoutLayer _, MaxPool _, AveragePool _, Flatten _ -> x;
    };
  }

  private Units units(String name, Kind kind, int count) {
    Units units = new Units(name, kind, count);
    found.add(units);
    return units;
  }

  private static void read(@Nullable Units x, String matrix) {
    if (x != null) {
      x.read(matrix, 1);
    }
  }
}
