"""agenda.py: each agenda fits its time with breaks, names parts that there are, and tells when each begins."""

import pytest

from safepointlab.errors import BadInput
from safepointlab.teaching.workshop import agenda

LONGEST_WITHOUT_BREAK = 100  # minutes that a class sits


@pytest.fixture(scope="module")
def agendas(course):
    return agenda.agendas(course)


def test_there_are_three_and_each_fits_its_time(agendas):
    assert [each.minutes for each in agendas] == [90, 180, 480]
    assert all(0.95 * each.minutes <= each.used <= each.minutes for each in agendas)


def test_each_step_takes_the_minutes_that_its_notebook_states(agendas, course):
    stated = {(page.name, part.heading): part.minutes for page in course for part in page.parts}
    steps = [step for each in agendas for step in each.steps if step.page]
    assert steps and all(stated[step.page, step.what] == step.minutes for step in steps)


def test_nobody_works_for_longer_than_100_minutes_without_a_break(agendas):
    for each in agendas:
        stretches = [0]
        for step in each.steps:
            stretches = [*stretches, 0] if step.is_break else [*stretches[:-1], stretches[-1] + step.minutes]
        assert max(stretches) <= LONGEST_WITHOUT_BREAK and len(stretches) > 1


def test_a_part_is_not_taught_twice_in_a_class(agendas):
    for each in agendas:
        parts = [(step.page, step.what) for step in each.steps if step.page]
        assert len(set(parts)) == len(parts)


def test_a_step_begins_where_the_one_before_it_ends(agendas):
    times = list(agendas[0].timed())
    assert [begin for begin, _ in times][:3] == ["0:00", "0:05", "0:09"]
    assert "| 0:05 | [00-start-here](student/00-start-here.ipynb): Part 1" in agenda.text(agendas[0])


def written(path, steps: str, minutes: int = 90):
    path.write_text(f'[[agenda]]\nname = "x"\ntitle = "X"\nminutes = {minutes}\nsteps = [{steps}]\n')
    return path


def test_an_agenda_that_is_too_long_or_names_what_is_not_there_is_refused(course, tmp_path):
    with pytest.raises(BadInput, match="its steps take 35 minutes, and it has 30"):
        agenda.agendas(course, written(tmp_path / "a.toml", '{ page = "02" }', 30))
    with pytest.raises(BadInput, match="02-when-will-it-exit has no Part 9. It has: Part 1"):
        agenda.agendas(course, written(tmp_path / "a.toml", '{ page = "02", parts = ["Part 9"] }'))
    with pytest.raises(BadInput, match="no notebook '99'. There are: 00, 01"):
        agenda.agendas(course, written(tmp_path / "a.toml", '{ page = "99" }'))
