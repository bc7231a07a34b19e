import dev.gossamer.*;
var data = Dataset.open("jdk-classes");
System.out.printf("data: %s, %,d vertices, %,d edges%n", data.name(), data.vertices(), data.edges());
