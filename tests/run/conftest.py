"""A program that does as its arguments say, and who still works in a folder."""

from pathlib import Path

import pytest

SOURCE = """
public class Talker {
    public static void main(String[] args) throws Exception {
        System.out.println("n=" + args.length);
        System.out.println("seen=" + Runtime.getRuntime().availableProcessors());
        if (args.length > 0 && args[0].equals("fail")) throw new IllegalStateException("as asked");
        if (args.length > 0 && args[0].equals("forever")) Thread.sleep(1_000_000);
        if (args.length > 0 && args[0].equals("nap")) Thread.sleep(200);
        if (args.length > 0 && args[0].equals("flood")) while (true) System.out.println("again and again and again");
        System.gc();
    }
}
"""


@pytest.fixture
def talker(tmp_path):
    path = tmp_path / "Talker.java"
    path.write_text(SOURCE)
    return str(path)


@pytest.fixture
def processes_in():
    """A folder -> the ids of the processes that work in it or below."""

    def look(folder: Path) -> list[int]:
        pids = []
        for link in Path("/proc").glob("[0-9]*/cwd"):
            try:
                if link.resolve().is_relative_to(folder):
                    pids.append(int(link.parent.name))
            except OSError:
                continue  # gone, or not ours to look at
        return pids

    return look
