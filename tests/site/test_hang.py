"""What the first page plays is the recorded run of page 00: its times, its answers, and the program that hung."""

from safepointlab.site import hang


def test_the_player_has_the_runs_own_times_and_what_the_jvm_did_not_answer():
    run = hang.recorded()
    data = hang.player(run, "Why?", "why.html").data
    main, killer, jvm = data["lanes"]
    assert run.hung and data["ends_s"] == run.wall_ms / 1000 > 2
    assert main["end_s"] == jvm["begin_s"] == data["printed"][0]["at_s"] < 1
    assert killer["name"] == "killer" and killer["end_s"] == jvm["end_s"] == data["ends_s"]
    asked = {answer["question"]: answer for answer in data["answers"]}
    assert {"SIGQUIT", "jstack", "SIGTERM"} <= set(asked)
    assert all(answer["says"].startswith("(no, not within") and answer["waited_s"] > 0 for answer in asked.values())
    assert str(run.forensics.pid) in asked["jstack"]["command"] and data["origin"].count("JDK 17") == 1


def test_the_listing_is_the_end_of_the_programs_main():
    lines = hang.listing().splitlines()
    assert lines[0].startswith("Thread killer") and lines[-1] == 'System.out.println("main returns");'
