"""What a JVM answers to a request through its socket -> whether it did it."""

import pytest

from safepointlab.culprit import attach_socket


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("0\nreturn code: 0\n", ""),
        ("0\n[ok]\n", ""),
        ("-1\n", "-1"),
        ("0\nreturn code: 100\nno such agent\n", "return code: 100, no such agent"),
        # JDK 17 answers -1 where -XX:-EnableDynamicAgentLoading forbids agents, JDK 25 answers 0
        ("-1\nDynamic agent loading is not enabled.", "Dynamic agent loading is not enabled."),
        ("0\nDynamic agent loading is not enabled.\n", "Dynamic agent loading is not enabled."),
    ],
)
def test_a_refusal_is_told_in_the_jvms_own_words(monkeypatch, answer, told):
    monkeypatch.setattr(attach_socket, "request", lambda *_, **__: answer.encode())
    assert attach_socket.ask(7, "load", "agent.so") == told
