// Exercise 07-2. A linked queue that keeps its links, and so fills the old generation with dead nodes.
//
// Edit what is above the line, so that young collections promote next to nothing although you hardly cut any links: you
// may change at most one in a hundred, and one in a thousand is enough. You may add fields.
//
// Try it with  lab.java("YourQueue.java", 17, "-Xms256m -Xmx256m", gc="Serial", log="gc")
// and then     lab.grade("07-2", "YourQueue.java")
public class YourQueue {
    static class Node {
        Object element;
        Node next;
    }

    // Called by poll with the node that it leaves behind: the old head, which is dead from now on.
    void part(Node old) {
    }

    // ---- The rest is not yours to change. ----
    Node head = new Node();
    Node tail = head;
    int changed;

    void offer(Object element) {
        Node node = new Node();
        node.element = element;
        tail.next = node;
        tail = node;
    }

    Object poll() {
        Node old = head;
        Node first = old.next;
        if (first == null) {
            return null;
        }
        head = first;
        Object element = first.element;
        first.element = null;
        part(old);
        if (old.next != first) {
            changed++;
        }
        return element;
    }

    public static void main(String[] args) {
        YourQueue queue = new YourQueue();
        System.gc();
        int right = 0;
        for (int i = 0; i < 15_000_000; i++) {
            if (i == 7_500_000) {
                System.gc(); // a second node that is old before it is dead
            }
            queue.offer(queue);
            if (queue.poll() == queue) {
                right++;
            }
        }
        System.out.println("right=" + right);
        System.out.println("changed=" + queue.changed);
    }
}
