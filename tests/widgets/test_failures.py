"""What goes wrong in a notebook's cell is a sentence with the cell's line; an interrupt leaves no JVM."""

import time
from contextlib import suppress

import psutil
import pytest
from jupyter_client.manager import KernelManager

from safepointlab.errors import JdkNotFound
from safepointlab.widgets import failures


def failing(source):
    """What a session shows of a cell that fails: its lines."""
    cell = {"JdkNotFound": JdkNotFound}
    try:
        exec(compile(source, "<cell>", "exec"), cell)
    except BaseException as error:
        return failures.in_words(error, error.__traceback__, cell)
    raise AssertionError("it did not fail")


def test_an_error_of_the_lab_is_its_own_words_and_the_line_that_failed():
    lines = failing("a = 1\nraise JdkNotFound('no JDK 99: try 25')")
    assert lines[:2] == ["JdkNotFound in line 2", "no JDK 99: try 25"] and "%tb" in lines[2]


def test_an_interrupt_of_ones_own_loop_claims_nothing_about_the_lab():
    assert failing("raise KeyboardInterrupt") == ["Interrupted in line 1."]


def test_outside_of_a_notebook_nothing_is_changed():
    assert failures.install() is None


@pytest.fixture
def kernel():
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(60)
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def jvms(manager):
    with suppress(psutil.NoSuchProcess):
        below = psutil.Process(manager.provisioner.pid).children(recursive=True)
        return [child for child in below if "KillerTask" in child.cmdline()]
    return []


def reply(client, asked):
    """The kernel's answer to that request, others left out."""
    while (message := client.get_shell_msg(timeout=30))["parent_header"].get("msg_id") != asked:
        pass
    return message["content"]


@pytest.mark.live
@pytest.mark.parametrize(
    "call",
    [
        'lab.java("hang/KillerTask", 17, gc="Serial", args="600", deadline=60)',
        'lab.sweep("hang/KillerTask", jdk=[17], gc="Serial", args="600", deadline=60)',
    ],
    ids=["run", "sweep"],
)
def test_an_interrupt_during_a_run_is_one_sentence_and_leaves_no_jvm(kernel, call, eventually):
    manager, client = kernel
    asked = client.execute(f"import safepointlab as lab\n{call}")
    assert eventually(lambda: jvms(manager), 60)
    time.sleep(1)  # into the wait for its end
    manager.interrupt_kernel()
    content = reply(client, asked)
    assert content["ename"] == "KeyboardInterrupt" and len(content["traceback"]) == 1
    assert content["traceback"][0].startswith(f"Interrupted in line 2: {call[:20]}") and not jvms(manager)
