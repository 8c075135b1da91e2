// Exercise 07-3. ReusedNodeQueue goes back to one and the same empty node whenever it runs empty. Here one element stays
// in the queue all the time, and it fills the old generation with dead nodes as if there were no cure.
//
// Edit part(), above the line, so that young collections promote next to nothing while that element stays.
//
// Try it with  lab.java("MendedQueue.java", 17, "-Xms256m -Xmx256m", gc="Serial", log="gc")
// and then     lab.grade("07-3", "MendedQueue.java")
public class MendedQueue {
    static class Node {
        Object element;
        Node next;
    }

    // Called by poll with the node that it leaves behind: the old head.
    void part(Node old) {
        if (old == empty) {
            old.next = null;
        }
    }

    // ---- The rest is not yours to change. ----
    Node head = new Node();
    Node tail = head;
    final Node empty = head;

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
        if (head == tail) {
            head = tail = empty;
        }
        return element;
    }

    public static void main(String[] args) {
        MendedQueue queue = new MendedQueue();
        queue.offer(queue);
        System.gc();
        int right = 0;
        for (int i = 0; i < 15_000_000; i++) {
            queue.offer(queue);
            if (queue.poll() == queue) {
                right++;
            }
        }
        System.out.println("right=" + right);
        System.out.println("stays=" + (queue.poll() == queue ? 1 : 0));
    }
}
