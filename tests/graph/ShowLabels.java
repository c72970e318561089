import it.unimi.dsi.webgraph.labelling.ArcLabelledImmutableGraph;
import it.unimi.dsi.webgraph.labelling.ArcLabelledNodeIterator;

/** Prints every arc of a labelled graph: source, target, and the numbers of its label. */
public class ShowLabels {
    public static void main(String[] arguments) throws Exception {
        ArcLabelledImmutableGraph graph = ArcLabelledImmutableGraph.load(arguments[0]);
        for (int node = graph.numNodes() - 1; node >= 0; node--) { // backwards, so that the offsets are used
            ArcLabelledNodeIterator.LabelledArcIterator arcs = graph.successors(node);
            for (int target = arcs.nextInt(); target != -1; target = arcs.nextInt()) {
                int[] days = (int[]) arcs.label().get();
                System.out.println(node + " " + target + " " + days[0] + " " + days[1] + " " + days[2]);
            }
        }
    }
}
