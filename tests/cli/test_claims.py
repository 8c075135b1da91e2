"""`safepoint claims`: every JDK that is here, kept verdicts, documents, comparisons, and what makes no sense."""

import json
import re
import sys

import pytest

from safepointlab import cli, jdks
from safepointlab.claims import base, measuring, series
from safepointlab.claims.base import Claim
from safepointlab.course import verdicts as claims
from safepointlab.jdks import Jdk

HERE = (8, 17, 25, 28)


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """A lab with two claims and four JDKs, in the standard profile; the list of what was measured."""
    measured = []

    def measure(jdk):
        measured.append(jdk)
        return {"n": jdk}

    def judge(evidence):
        return base.differs("25 is odd") if evidence["n"] == 25 else base.holds("even, or 17")

    both = [Claim(f"000-0{n}", f"Statement {n}.", "then", measure, judge) for n in (1, 2)]
    monkeypatch.setattr(claims, "topics", lambda: {"hang": both})
    known = [Jdk(tmp_path / str(n), n, f"{n}.0.1", "Somebody", "lab") for n in HERE]
    monkeypatch.setattr("safepointlab.jdks.finder.find", lambda: known)
    monkeypatch.setattr(jdks, "find", lambda: known)
    monkeypatch.setattr(measuring, "build_of", lambda jdk: f"{jdk}.0.1")
    monkeypatch.setattr(series, "measured", dict)
    monkeypatch.setenv("SAFEPOINTLAB_CLAIMS", str(tmp_path / "claims"))
    monkeypatch.setenv("SAFEPOINTLAB_PROFILE", "standard")
    return measured


def test_all_claims_are_judged_on_every_jdk_that_is_here_the_newest_included(lab, capsys):
    assert cli.main(["claims"]) == 0
    out = capsys.readouterr().out
    assert sorted(set(lab)) == [8, 17, 25, 28] and len(lab) == 8
    assert re.search(r"6 holds, 2 never did in \d+ s\n$", out) and "JDK 28" in out


def test_who_names_no_claim_hears_first_how_much_there_is_to_measure(lab, capsys):
    cli.main(["claims", "000-01", "--jdk", "8"])
    assert "measurement" not in capsys.readouterr().err
    cli.main(["claims", "--jdk", "8", "17"])
    assert capsys.readouterr().err.startswith("3 measurements, about 15 s. Ctrl-C keeps those that are made.")


def test_a_second_run_takes_over_and_a_fresh_one_does_not(lab, capsys):
    cli.main(["claims", "--jdk", "8"])
    cli.main(["claims", "--jdk", "8", "17"])
    assert sorted(lab) == [8, 8, 17, 17] and "2 of 4 verdicts kept from" in capsys.readouterr().out
    cli.main(["claims", "--jdk", "8", "--fresh"])
    assert sorted(lab) == [8, 8, 8, 8, 17, 17]


def test_an_interrupt_says_how_to_go_on_and_loses_nothing(lab, capsys, monkeypatch):
    run = measuring.run

    def interrupted(claim, jdk, patient):
        if (claim.id, jdk) == ("000-02", 17):
            raise KeyboardInterrupt
        return run(claim, jdk, patient)

    monkeypatch.setattr(measuring, "run", interrupted)
    assert cli.main(["claims", "--jdk", "8", "17"]) == 130
    assert "Stopped with 3 of 4 verdicts. All of them are kept. The same command goes on" in capsys.readouterr().err
    monkeypatch.setattr(measuring, "run", run)
    assert cli.main(["claims", "--jdk", "8", "17"]) == 0 and sorted(lab) == [8, 8, 17, 17]


def test_a_document_goes_to_a_file_and_the_counts_to_the_terminal(lab, capsys, tmp_path):
    file = tmp_path / "claims.json"
    assert cli.main(["claims", "--jdk", "8", "--to", "json", "--out", str(file)]) == 0
    assert [entry["measured"] for entry in json.loads(file.read_text())["verdicts"]] == [{"n": 8}, {"n": 8}]
    assert capsys.readouterr().out == "2 holds in 0 s\n"


@pytest.mark.each("kind", ["html", "csv", "json"])
def test_a_document_on_stdout_has_it_for_itself(lab, capsys, kind):
    cli.main(["claims", "--jdk", "8", "--to", kind])
    said = capsys.readouterr()
    assert "2 holds in" in said.err and "2 holds in" not in said.out and "000-02" in said.out


def test_what_differs_from_a_document_is_told_and_is_the_exit_status(lab, capsys, tmp_path):
    file = tmp_path / "claims.json"
    cli.main(["claims", "--jdk", "17", "25", "--to", "json", "--out", str(file)])
    file.write_text(file.read_text().replace('"verdict": "never did"', '"verdict": "holds"'))
    capsys.readouterr()
    assert cli.main(["claims", "000-01", "--compare", str(file), "--jdk", "17", "25"]) == 1
    out = capsys.readouterr().out
    assert "000-01 on JDK 25: holds -> never did" in out and "1 the same, 1 changed, 0 new, 0 gone" in out


def test_a_verdict_that_differs_from_the_committed_one_or_was_not_measured_is_the_exit_status(lab, capsys, monkeypatch):
    committed = {("000-01", jdk): {"id": "000-01", "jdk": jdk, "verdict": "holds"} for jdk in (8, 25)}
    monkeypatch.setattr(series, "measured", lambda: committed)
    assert cli.main(["claims", "000-01", "--jdk", "8"]) == 0
    assert cli.main(["claims", "000-01", "--jdk", "8", "25"]) == 1
    said = "000-01 on JDK 25: holds in the committed document, now never did: 25 is odd"
    assert said in capsys.readouterr().out


def test_a_damaged_result_is_told_and_the_rest_is_used(lab, capsys, tmp_path):
    cli.main(["claims", "--jdk", "8"])
    (file,) = (tmp_path / "claims").glob("*.jsonl")
    file.write_text(file.read_text()[:-20])
    cli.main(["claims", "--jdk", "8"])
    said = capsys.readouterr()
    assert "cannot be read are left out" in said.err and "1 of 2 verdicts kept" in said.out and lab == [8, 8, 8]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["000-99"], "safepoint claims: no claim '000-99'. Did you mean"),
        (["--jdk", "99"], "safepoint claims: no JDK 99."),
        (["--jdk", "17.0.15"], "safepoint claims: --jdk 17.0.15: a verdict is one of a feature version"),
        (["--jdk", "temurin:25"], "safepoint claims: --jdk temurin:25: a verdict is one of a feature version"),
        (["--compare", "/etc/passwd"], "safepoint claims: /etc/passwd holds no verdicts"),
        (["--compare", "/nowhere.json"], "safepoint claims: /nowhere.json holds no verdicts"),
        (["--out", "/nowhere/claims.txt"], "safepoint claims: cannot write /nowhere/claims.txt"),
        (["--out", "/etc"], "safepoint claims: /etc is a folder"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_measured(lab, capsys, words, error):
    assert cli.main(["claims", *words]) == 2
    assert capsys.readouterr().err.startswith(error) and lab == []


def test_a_machine_without_a_jdk_or_a_folder_for_results_is_told_so_before_anything_is_measured(
    lab, capsys, monkeypatch
):
    monkeypatch.setenv("SAFEPOINTLAB_CLAIMS", "/etc/passwd/claims")
    assert cli.main(["claims"]) == 2 and lab == []
    assert capsys.readouterr().err.startswith("safepoint claims: cannot make the folder")
    monkeypatch.setattr(jdks, "find", list)
    assert cli.main(["claims"]) == 2
    assert "safepoint jdks install" in capsys.readouterr().err


def test_a_defect_of_a_judge_is_told_and_makes_the_answer_no(lab, capsys, monkeypatch):
    broken = Claim("000-01", "S.", "t", lambda jdk: {"n": 1}, lambda measured: measured["gone"])
    monkeypatch.setattr(claims, "topics", lambda: {"hang": [broken]})
    assert cli.main(["claims", "--jdk", "8"]) == 1
    assert "by a defect of the lab: KeyError: 'gone'" in capsys.readouterr().out


@pytest.mark.parametrize(("terminal", "lines"), [(True, 4), (False, 1)])
def test_the_list_fits_a_terminal_and_is_one_line_a_claim_elsewhere(lab, capsys, monkeypatch, terminal, lines):
    wordy = Claim("000-01", "One word after the other. " * 8, "t", lambda jdk: {}, lambda measured: None)
    monkeypatch.setattr(claims, "topics", lambda: {"hang": [wordy]})
    monkeypatch.setenv("COLUMNS", "70")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    cli.main(["claims", "--list"])
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == lines and (not terminal or max(map(len, printed)) <= 70)


def test_the_list_says_what_is_run_where(lab, capsys, monkeypatch):
    kinds = [
        Claim("000-01", "Long.", "t", lambda jdk: {}, lambda measured: None, full=True),
        Claim("000-02", "Sum.", "t", lambda jdk: {}, lambda measured: None),
        Claim("000-03", "Zing.", "t", not_run="needs Zing"),
    ]
    monkeypatch.setattr(claims, "topics", lambda: {"hang": kinds})
    cli.main(["claims", "--list"])
    states = [line.partition("  [")[2] for line in capsys.readouterr().out.splitlines()]
    assert states == [
        "runnable, with SAFEPOINTLAB_PROFILE=full or by its id]",
        "runnable]",
        "not run: needs Zing]",
    ]
