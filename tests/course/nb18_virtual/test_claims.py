"""The lab's own claims on virtual threads: what their judges make of evidence that JDKs have returned."""

import pytest

TEN = "with few platform threads, ms"
PARKED = {TEN: [0.006, 0.006, 0.007], "with many platform threads, ms": [0.6, 0.7, 0.7]}
FEW, MANY = "time to safepoint with few, ms", "with many, ms"
WAITS = {"wait of a virtual newcomer, ms": [256, 257, 264]}
FAIR, REACHING, YIELD = "of a platform newcomer, ms", "median time to safepoint, ms", "wait with the call, ms"


@pytest.mark.parametrize(
    ("name", "evidence", "state"),
    [
        ("000-68", PARKED | {FEW: [0.005, 0.006, 0.005], MANY: [0.006, 0.005, 0.007]}, "holds"),
        ("000-68", PARKED | {FEW: [0.005, 0.006, 0.005], MANY: [0.7, 0.6, 0.7]}, "never did"),
        ("000-68", PARKED | {FEW: [0.005, 0.006, 0.005], MANY: [0.02, 0.02, 0.03]}, "unclear"),
        (
            "000-68",
            PARKED | {TEN: [0.6, 0.6, 0.7], FEW: [0.005, 0.006, 0.005], MANY: [0.006, 0.005, 0.007]},
            "never did",  # platform threads don't lengthen it either
        ),
        (
            "000-68",
            PARKED | {TEN: [0.1, 0.1, 0.2], FEW: [0.005, 0.006, 0.005], MANY: [0.006, 0.005, 0.007]},
            "unclear",
        ),
        ("000-69", WAITS | {FAIR: [0.3, 4.0, 1.2], REACHING: 0.1}, "holds"),
        ("000-69", WAITS | {FAIR: [90.0, 4.0, 1.2], REACHING: 0.1}, "unclear"),
        ("000-70", WAITS | {YIELD: [0.6, 0.6, 0.8]}, "never did"),
        ("000-70", WAITS | {YIELD: [268.0, 274.0, 269.0]}, "holds"),
        ("000-70", WAITS | {YIELD: [60.0, 70.0, 80.0]}, "unclear"),
    ],
)
def test_what_each_judge_makes_of_its_evidence(judge, name, evidence, state):
    assert judge(name, evidence, 25).state == state


@pytest.mark.gate
@pytest.mark.live
@pytest.mark.parametrize("name", ["000-68", "000-69", "000-70"])
def test_on_an_old_jdk_a_claim_is_not_applicable(measured, name):
    verdict = measured(name, 8)
    assert verdict.state == "not applicable" and "does not know virtual threads" in verdict.why
