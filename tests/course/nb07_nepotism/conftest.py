"""Runs of ZombieChain, with which the model of a queue is compared."""

import pytest

from safepointlab.run import launch


@pytest.fixture
def zombie_chain():
    """zombie_chain(jdk, parting, nodes, steps): the run; a young collection ends each of the steps."""

    def run(jdk, parting="keep", nodes=3, steps=3):
        flags = "-Xmx256m -XX:MaxTenuringThreshold=1"
        return launch.java("nepotism/ZombieChain", jdk, flags, gc="Serial", args=[parting, nodes, steps])

    return run
