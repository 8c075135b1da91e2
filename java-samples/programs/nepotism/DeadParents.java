// DeadParents: trees that live for a moment only. The root of each gets old by bad luck, gets its branches after that,
// and dies with them. The branches are young and dead, and still they are promoted: the dead root drags them along.
//
// QUESTION  Is nepotism about queues only?
// RUN       mkdir -p classes && javac -d classes DeadParents.java
//           java -XX:+UseSerialGC -Xms256m -Xmx256m -verbose:gc -cp classes DeadParents keep
//           java -XX:+UseSerialGC -Xms256m -Xmx256m -verbose:gc -cp classes DeadParents part
//           java -XX:+UseSerialGC -Xms256m -Xmx256m -verbose:gc -cp classes DeadParents bridge
// ARGUMENTS keep | part | bridge (keep), trees (40), KiB in each (1024)
// NOTEBOOK  07-nepotism
// JDKS      8 11 17 21 25 28, any generational collector
// EXPECT    keep: the branches of all 40 trees are promoted, 40 MiB, and the heap never gets smaller. part: nothing is.
//           bridge, where one root alone is old and each tree points at the next one: as much as with keep.
//           = exited; /Pause Young.*->4\dM/
//           = exited; no /Pause Young.*->4\dM/
//           = exited; /Pause Young.*->4\dM/

import java.util.ArrayList;
import java.util.List;

public class DeadParents {
    static final class Node {
        Node left;
        Node right;
        byte[] state = new byte[1000];
    }

    // How large is a tree? As many nodes of 1 KiB as are asked for, each with two children: a user's graph of objects,
    // a request with its parts, a parsed document.
    static Node tree(int nodes) {
        if (nodes <= 0) {
            return null;
        }
        Node node = new Node();
        node.left = tree((nodes - 1) / 2);
        node.right = tree(nodes - 1 - (nodes - 1) / 2);
        return node;
    }

    static Object garbage;
    static final List<Node> ROOTS = new ArrayList<>();

    public static void main(String[] args) {
        String what = args.length > 0 ? args[0] : "keep";
        int trees = args.length > 1 ? Integer.parseInt(args[1]) : 40;
        int kib = args.length > 2 ? Integer.parseInt(args[2]) : 1024;

        // Which object has bad luck? The first root, and with `keep` and `part` all roots: a full collection comes by
        // while they are there and have no branches yet. With `bridge` the first one only.
        for (int i = 0; i < (what.equals("bridge") ? 1 : trees); i++) {
            ROOTS.add(new Node());
        }
        System.gc();

        // Now the branches, which are young. `bridge`: each tree's last branch points at the next tree, as a request
        // may know the one after it. So all of them hang on the first root.
        Node last = ROOTS.get(0);
        for (int i = 0; i < trees; i++) {
            if (what.equals("bridge")) {
                last.left = tree(kib);
                last = last.left;
                while (last.right != null) {
                    last = last.right;
                }
            } else {
                ROOTS.get(i).left = tree(kib);
            }
        }

        // And now all are dead. What a young collection finds: old roots, whether dead or not, and what hangs on them.
        // `part` does what the queues' cures do: a parent that is given up lets its children go.
        for (Node root : ROOTS) {
            root.left = what.equals("part") ? null : root.left;
        }
        ROOTS.clear();
        last = null;
        for (int i = 0; i < 3000; i++) {
            garbage = new byte[100_000];
        }
    }
}
