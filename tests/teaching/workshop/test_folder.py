"""`safepoint workshop`: one folder with all of it, made again at will, over nothing else; what its documents say."""

import json
import math
import re
from contextlib import suppress
from hashlib import sha256
from html import unescape
from zipfile import ZipFile

import pytest

from safepointlab import cli
from safepointlab.errors import BadInput
from safepointlab.teaching.workshop import announce, folder, guide, page

LONGEST_WITHOUT_BREAK = 100  # minutes that a class sits
PAGES = len(list(page.FOLDER.glob("*.ipynb")))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    out = tmp_path_factory.mktemp("class") / "workshop"
    folder.build(out)
    return out


@pytest.fixture(scope="module")
def agendas(course):
    return announce.agendas(course)


def test_the_folder_has_all_that_a_class_needs(made):
    names = {str(path.relative_to(made)) for path in made.rglob("*") if path.is_file()}
    assert {"instructor.md", "instructor.html", "agendas.html", "handout.html", "message.md"} <= names
    assert sum(name.startswith("student/") for name in names) == PAGES
    assert sum(name.startswith("solutions/") for name in names) == PAGES - 1  # not of the workbench


def test_each_link_leads_to_a_file_of_the_folder_or_to_a_heading_and_pages_to_print_fetch_nothing(made):
    for path in [*made.glob("*.md"), *made.glob("solutions/*.md"), *made.glob("student/*.ipynb")]:
        targets = re.findall(r"\]\(((?!https?:|#)[^)\s]+)\)", path.read_text())
        assert not [target for target in targets if not (path.parent / target).exists()]
    for path in made.glob("*.html"):
        assert not re.findall(r"(?:src|href)=[\"']?(?!#|https?://)[^\"' >]*//|<script|@import|url\(", path.read_text())
    text = unescape((made / "instructor.html").read_text())
    anchors = re.findall(r'href="#([^"]+)"', text)
    assert len(anchors) == PAGES and all(f'id="{anchor}"' in text for anchor in anchors)


def test_the_command_makes_it_again_and_says_where(made, capsys):
    mark = made / folder.MARK
    old = "{}"  # a page that the course has no more
    (made / "student" / "old.ipynb").write_text(old)
    mark.write_text(json.dumps({**json.loads(mark.read_text()), "student/old.ipynb": sha256(old.encode()).hexdigest()}))
    assert cli.main(["workshop", "--out", str(made)]) == 0
    assert not (made / "student" / "old.ipynb").exists()
    said = capsys.readouterr().out
    assert f"{PAGES} student pages" in said and "Fill in message.md, and send it a week before" in said
    assert "give --agenda and its name: 90-minutes, 2-hours, 2-hours-more, 3-hours and one-day." in said


def test_what_a_teacher_added_or_edited_stays(tmp_path, capsys):
    out = tmp_path / "class"
    arguments = ["workshop", "--out", str(out), "--pages", "02", "--minutes", "60"]
    assert cli.main(arguments) == 0 and cli.main(arguments) == 0
    assert "Kept" not in capsys.readouterr().out and not (out / "message-new.md").exists()
    made = (out / "message.md").read_text()
    (out / "mine.txt").write_text("mine")
    (out / "agendas.md").write_text((out / "agendas.md").read_text() + "\nCoffee is in the hall.\n")
    (out / "message.md").write_text(made.replace("DATE", "Tuesday"))
    for _ in range(2):
        assert cli.main(arguments) == 0
        said = capsys.readouterr().out
        assert "Kept as you left it: agendas.md, message.md, mine.txt.\n" in said and "now" not in said
        assert (out / "message.md").read_text() == made.replace("DATE", "Tuesday")
        assert (out / "mine.txt").read_text() == "mine" and "Coffee" in (out / "agendas.html").read_text()
    assert not (out / "message-new.md").exists()  # it would be the same


def test_what_an_edited_file_would_be_now_is_beside_it_and_not_in_what_students_get(tmp_path, capsys):
    out = tmp_path / "class"
    assert cli.main(["workshop", "--out", str(out), "--pages", "02", "--minutes", "60"]) == 0
    page, message = out / "student" / "02-when-will-it-exit.ipynb", out / "message.md"
    for edited in (page, message):
        edited.write_text(edited.read_text() + "\n")
    for _ in range(2):
        assert cli.main(["workshop", "--out", str(out), "--pages", "02", "20", "--minutes", "90"]) == 0
        said = capsys.readouterr().out
        assert "by another version. What they would be now: message-new.md." in said
        assert "in student.zip, too: student/02-when-will-it-exit.ipynb." in said
        assert "90 minutes" in (out / "message-new.md").read_text() and "60 minutes" in message.read_text()
    with ZipFile(out / "student.zip") as archive:
        assert [name[8:10] for name in archive.namelist()] == ["02", "20"]
        assert archive.read("student/02-when-will-it-exit.ipynb") == page.read_bytes()
    assert cli.main(["workshop", "--out", str(out), "--pages", "02", "--minutes", "60"]) == 0
    assert not (out / "message-new.md").exists()  # for that class it was edited
    message.write_text(message.read_text().removesuffix("\n"))  # as it is made
    assert cli.main(["workshop", "--out", str(out), "--pages", "20", "--minutes", "60"]) == 0
    assert "message.md" not in capsys.readouterr().out.split("Kept")[-1] and "20 " in message.read_text()


def test_one_ready_agenda_makes_a_folder_like_one_to_measure(tmp_path, capsys):
    out = tmp_path / "class"
    assert cli.main(["workshop", "--out", str(out), "--agenda", "2-hours"]) == 0
    said = capsys.readouterr().out
    assert "Fill in message.md, and send it a week before" in said and "It has agendas" not in said
    assert sorted(path.name[:2] for path in (out / "student").iterdir()) == ["00", "02", "11", "23"]
    guide, message = (out / "instructor.md").read_text(), (out / "message.md").read_text()
    assert "## 2 hours: why a JVM doesn't exit" in guide and "| Part 1: which one gets slower? | 8 | 1:13 |" in guide
    assert (out / "agendas.md").read_text().count("\n## ") == 1 and "Keep one of the lines" not in message
    assert message.count("hours, breaks included)") == 1
    with pytest.raises(SystemExit):
        cli.main(["workshop", "--out", str(out), "--agenda", "3-days"])
    assert "2-hours-more" in capsys.readouterr().err
    assert cli.main(["workshop", "--out", str(out), "--agenda", "2-hours", "--pages", "02"]) == 2
    assert "Give only one of them" in capsys.readouterr().err


def test_minutes_without_pages_are_refused(tmp_path, capsys):
    assert cli.main(["workshop", "--out", str(tmp_path / "class"), "--minutes", "60"]) == 2
    assert "agendas of 90, 120, 180 and 480 minutes" in capsys.readouterr().err and not (tmp_path / "class").exists()


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path, capsys):
    (tmp_path / "thesis.txt").write_text("mine")
    assert cli.main(["workshop", "--out", str(tmp_path)]) == 2
    assert "holds something else" in capsys.readouterr().err
    assert (tmp_path / "thesis.txt").read_text() == "mine"


def test_each_agenda_fits_its_time_with_breaks_and_teaches_no_part_twice(agendas, course):
    assert [each.minutes for each in agendas] == [90, 120, 120, 180, 480]
    stated = {(page.name, part.heading): part.minutes for page in course for part in page.parts}
    for each in agendas:
        assert 0.95 * each.minutes <= each.used <= each.minutes
        taught = [step for step in each.steps if step.page and not step.is_practice]
        assert len({(step.page, step.what) for step in taught}) == len(taught)
        assert taught and all(stated[step.page, step.what] == step.minutes for step in taught)
        stretches = [0]
        for step in each.steps:
            stretches = [*stretches, 0] if step.is_break else [*stretches[:-1], stretches[-1] + step.minutes]
        assert max(stretches) <= LONGEST_WITHOUT_BREAK and len(stretches) > 1
        assert each.practice >= 0.4
        exercises = [step.minutes for step in each.steps if step.page and step.is_practice]
        assert all(10 <= minutes <= 15 for minutes in exercises)


def test_an_agenda_to_measure_teaches_these_pages_with_an_exercise_of_each_and_fills_the_time(course):
    cases = ((["02", "11", "23"], 120), (["02"], 60), (["00", "02", "20", "23"], 240), (["11"], 90))
    for numbers, minutes in cases:
        agenda = announce.to_measure(course, numbers, minutes)
        assert agenda.used == agenda.minutes == minutes and agenda.practice >= 0.4
        taught = dict.fromkeys(step.page[:2] for step in agenda.steps if step.page)
        practised = {step.page[:2] for step in agenda.steps if step.is_practice}
        assert list(taught) == numbers and practised == set(numbers)
    with pytest.raises(BadInput, match="no page 99. There are: 00, 01"):
        announce.to_measure(course, ["99"], 90)
    assert announce.to_measure(course, ["2"], 60) == announce.to_measure(course, ["02"], 60)


@pytest.mark.each(
    ("numbers", "minutes", "words"),
    [
        (["02", "11", "23"], 40, "3 pages need [0-9]+ minutes.* or name fewer pages"),
        (["02"], 20, r"Page 02 needs [0-9]+ minutes, with one exercise. Give --minutes [0-9]+\.$"),
        (["02"], 40, "Page 02 can't fill 40 minutes with whole"),
        (["11"], 180, "Page 11 fills 90 minutes at most.*--minutes 90"),
        (["23", "02"], -5, "2 pages need"),
    ],
)
def test_a_length_that_is_impossible_is_refused_with_one_that_works(course, numbers, minutes, words):
    with pytest.raises(BadInput, match=words) as refusal:
        announce.to_measure(course, numbers, minutes)
    for length in re.findall(r"--minutes (\d+)(?: or (\d+))?", str(refusal.value))[0]:
        assert not length or announce.to_measure(course, numbers, int(length)).used == int(length)


def test_an_agenda_says_where_a_page_comes_before_one_that_helps(course):
    swapped, in_order = (announce.to_measure(course, pages, 60).text(course) for pages in (["23", "02"], ["02", "23"]))
    said = "23 is easier after 02, which comes later here: you may want to name 02 first."
    assert said in swapped and "later here" not in in_order
    assert "05 builds on 02, which comes" in announce.to_measure(course, ["05", "02"], 60).text(course)


def test_an_exercise_whose_part_is_left_out_is_no_homework(course):
    text = announce.to_measure(course, ["23"], 50).text(course)
    assert "Exercise 1 of 23 uses Part 2, left out here: show the class first" in text
    assert "Presupposed" not in text and "For a first class." in text


def test_an_agenda_says_what_it_leaves_out_and_what_it_presupposes(course):
    text = announce.to_measure(course, ["02", "11", "23"], 120).text(course)
    assert "02-when-will-it-exit.ipynb): Part 3: which cure works? | 6 |" in text  # before any second exercise
    assert "Left out: 02 Exercise 2, Exercise 3; 11 Part 3 (7 minutes), Exercise 1, Exercise 3; 23 Part 3" in text
    assert (
        "not in this agenda: 00, on which 02 builds (Part 1, Part 2 and Part 3, 15 minutes). Give that as homework"
        in text
    )
    assert "For a class that has seen 00, or gets it as homework (see below)." in text


def test_homework_that_builds_on_a_page_of_the_class_is_told(course):
    told = "05 builds on 04, which isn't in this agenda and builds on 02 of it: so as homework it is too early."
    early, whole = (
        announce.to_measure(course, pages, 120).text(course) for pages in (["02", "05"], ["02", "04", "05"])
    )
    assert told in early and told not in whole
    asked = announce.message([announce.to_measure(course, ["02", "05"], 120)], course)
    assert "please do page 00 (" in asked and "page 04" not in asked


def test_an_agenda_says_for_whom_it_is(course, agendas):
    said = {each.name: each.text(course).splitlines()[2] for each in agendas}
    assert said.pop("2-hours-more") == "For a class that has seen 00, 02 and 23, or gets them as homework (see below)."
    assert {*said.values()} == {"For a first class."}
    first = announce.to_measure(course, ["00", "04"], 90).text(course)
    assert first.splitlines()[2] == "For a first class." and "04 builds on 02, which isn't in" in first


def test_the_message_of_one_agenda_asks_for_what_it_presupposes(course, agendas):
    one = announce.message([announce.to_measure(course, ["02", "11", "23"], 120)], course)
    assert (
        "please do page 00 (Part 1, Part 2 and Part 3, 15 minutes). You'll find it" in one
        and "Keep one of the lines" not in one
    )
    first = [announce.to_measure(course, ["00"], 60)]
    assert "You don't have to read anything beforehand." in announce.message(first, course)
    [two_hours] = re.findall(r"- 2 more hours.*", announce.message(agendas, course))
    assert "please do page 00 (Part 1, Part 2 and Part 3, 15 minutes), page 02 (Part 1 and Part 2, 14" in two_hours
    assert "Keep one of the lines" in announce.message(agendas, course)


def test_exercises_go_with_the_parts_that_are_taught(course, agendas):
    steps = {(step.page[:2], step.what) for step in announce.to_measure(course, ["04", "05", "02"], 90).steps}
    assert ("04", "Exercise 2: build a loop that OSR doesn't save") in steps  # Exercise 1 is about Part 3
    assert not [step for step in steps if step[0] == "04" and step[1].startswith(("Part 3", "Exercise 1"))]
    assert not [each.name for each in agendas if "left out here" in each.text(course)]


def test_an_exercise_needs_the_parts_that_it_names_and_those_that_define_what_it_uses(course):
    needs = {f"{page.number} {exercise.label}": exercise.needs for page in course for exercise in page.exercises}
    assert needs["04 Exercise 1"] == {"Part 3"} and needs["02 Exercise 2"] == {"Part 3"}  # in the text
    assert needs["01 Exercise 3"] == {"Part 3"}  # in its cells
    assert needs["23 Exercise 1"] == {"Part 1", "Part 2"} and not needs["02 Exercise 3"]
    assert needs["02 Exercise 1"] == {"Part 2"}  # in its cell's metadata: Part 2 explains strips


def test_a_class_without_the_part_that_an_exercise_needs_gets_another_or_is_told(course):
    for minutes in range(20, 60):
        for numbers in (["02"], ["02", "11"]):
            with suppress(BadInput):
                agenda = announce.to_measure(course, numbers, minutes)
                steps = {step.what for step in agenda.steps if step.page.startswith("02")}
                if "Exercise 1: change a flag" in steps and "Part 2: the same program everywhere else" not in steps:
                    assert "Exercise 1 of 02 uses Part 2, left out here" in agenda.text(course)
                    assert len([step for step in steps if step.startswith("Exercise")]) > 1  # for lack of others


@pytest.mark.each("numbers", [["02"], ["20", "23"], ["02", "11", "23"], ["00", "02", "20", "23"]])
def test_a_part_that_would_fit_comes_before_longer_exercises(course, numbers):
    made = 0
    for minutes in range(30, 300):
        with suppress(BadInput):
            agenda, made = announce.to_measure(course, numbers, minutes), made + 1
            exercises = [step.minutes for step in agenda.steps if step.is_practice]
            working = sum(step.minutes for step in agenda.steps if not step.is_break)
            assert all(12 <= each <= 15 for each in exercises) and sum(exercises) >= 0.4 * working
            least = max(12 * len(exercises), math.ceil(0.4 * working))
            spare = sum(exercises) - least + agenda.steps[-1].minutes - announce.QUESTIONS
            steps = {(step.page, step.what) for step in agenda.steps}
            for each in announce.in_order(agenda, course):
                untold = [part.minutes for part in each.parts if (each.name, part.heading) not in steps]
                assert not untold or untold[0] > spare
    assert made > 10


def test_exercises_to_measure_are_not_all_of_one_kind(course):
    steps = announce.to_measure(course, ["02", "11", "23"], 120).steps
    kinds = [step.what.split()[2] for step in steps if step.is_practice]
    assert kinds == ["change", "build", "change"]


def test_a_class_to_measure_has_its_pages_alone_and_links_that_lead_somewhere():
    made = dict(folder.contents(numbers=["2", "20"], minutes=90))
    assert re.findall(r"^## (\d\d) [A-Z]", made["instructor.md"], re.MULTILINE) == ["02", "20", "00"]
    assert "**Homework.** Students do Part 1, Part 2 and Part 3, 15 minutes, beforehand." in made["instructor.md"]
    assert made["agendas.md"].count("\n## ") == 1
    for kind in ("student", "solutions"):
        assert [name[len(kind) + 1 :][:2] for name in made if name.startswith(f"{kind}/")] == ["02", "20"]
    links = {link for text in made.values() for link in re.findall(r"\(([./\w-]+\.ipynb)\)", text)}
    up = {link for link in links if re.match(r"\.\./\d", link)}  # the lab's own pages, above the students' folder
    assert "../00-start-here.ipynb" in up and not [link for link in up if link[3:5] in ("02", "20")]
    assert {link.rpartition("/")[2][:2] for link in links - up} == {"02", "20"}


def test_the_guide_marks_the_parts_and_exercises_of_the_agenda(course):
    agenda = announce.to_measure(course, ["02", "11", "23"], 120)
    text = guide.guide([each for each in course if each.name in agenda.pages], [agenda], course)
    assert "| 0:05 | [02-when-will-it-exit](student/02-when-will-it-exit.ipynb): Part 1" in text
    assert "| part | minutes | at |" in text and "| Part 3: which cure works? | 6 | 0:19 |" in text
    assert "| Exercise 2: build a polite monitor | 15 | 0:53 |" in text
    assert "| Part 3: which cure would you take? | 7 | – |" in text and "| Exercise 2: build a cure |  | – |" in text
    assert "This agenda leaves out Part 3: what the goal and the lists say of it won't come up." in text
    assert re.findall(r"^(\d)\. \*(Part 3), not in this agenda:\*", text, re.MULTILINE) == [("3", "Part 3")] * 2


def test_a_step_begins_where_the_one_before_it_ends(agendas, course):
    lines = agendas[0].text(course).splitlines()
    assert [line.split(" |")[0] for line in lines[6:9]] == ["| 0:00", "| 0:05", "| 0:11"]
    assert lines[7].startswith("| 0:05 | [00-start-here](student/00-start-here.ipynb): Part 1")


@pytest.mark.each(
    ("steps", "minutes", "words"),
    [
        ('{ page = "02" }', 15, "its steps take 20 minutes, and it has 15"),
        ('{ page = "02", parts = ["Part 9"] }', 90, "02-when-will-it-exit has no Part 9. It has: Part 1"),
        ('{ page = "99" }', 90, "no notebook '99'. There are: 00, 01"),
    ],
)
def test_an_agenda_that_is_too_long_or_names_what_is_not_there_is_refused(course, tmp_path, steps, minutes, words):
    file = tmp_path / "agendas.toml"
    file.write_text(f'[[agenda]]\nname = "x"\ntitle = "X"\nminutes = {minutes}\nsteps = [{steps}]\n')
    with pytest.raises(BadInput, match=words):
        announce.agendas(course, file)


def test_the_message_has_the_lengths_one_size_of_disk_and_a_way_in_for_each_system(agendas, course):
    text = announce.message(agendas, course)
    assert all(words in text for words in ("(1:30 hours", "(3:00 hours", "(8:00 hours", "- 5 GiB of free disk"))
    assert all(command in text for command in ("`make setup`", "safepoint doctor --workshop", "`make lab`"))
    recordings = "On an Apple chip, or wherever no JDK can be installed: recordings"
    assert all(f"### {system}" in text for system in ("Linux on x86-64", "macOS", "Windows", recordings))
    played = text.partition(f"### {recordings}")[2].partition("\n## ")[0]
    told = ("Open a new terminal", "git clone REPOSITORY safepoint-lab`", "`cd safepoint-lab`", "a network", "REPLAY=1")
    assert not [words for words in told if words not in played]
    linux = text.partition("### Linux")[2].partition("###")[0]
    filled = text.partition("Fill in: ")[2].partition("*")[0]
    assert "needs Python PYTHON" in linux and "for which PYTHON" in filled
    assert "student.zip`, with this message or" in text
    mac, windows = (text.partition(f"### {system}")[2].partition("###")[0] for system in ("macOS", "Windows"))
    assert 0 < mac.find("podman machine start") < mac.find("podman run") < mac.find("-v safepoint-work:/home/jovyan")
    assert "memory, 4 for page 18; twice" in text
    assert "for page" not in announce.message([announce.to_measure(course, ["02"], 60)], course)
    assert "Apple chip" in mac and "“On an Apple chip”" in mac and "take the book" in windows
    for words in ("`git clone REPOSITORY safepoint-lab`", "`cd safepoint-lab`", "virtualisation, switch that on"):
        assert words in windows
    at_the_class = text.partition("## At the class")[2]
    assert "**+**" in at_the_class  # a terminal from the menu begins in another folder than the pages'
    assert "where this" not in text  # nothing of the teacher's machine


def test_the_guide_tells_all_of_each_page(course, agendas):
    text = guide.guide(course, agendas)
    sections = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    for each, section in zip(course, sections, strict=True):
        told = [f"| {part.heading} | {part.minutes} |" for part in each.parts]
        told += [each.goal, *each.goes_wrong, *(words for asked in each.asked for words in asked)]
        told += [solution.code for exercise in each.exercises for solution in exercise.solutions]
        assert each.parts and not [words for words in told if words not in section]
        assert f"(#{guide.slug(each.heading)})" in text


def test_a_question_has_what_it_offers_and_what_came(small):
    lines = list(guide.section(page.page("02-exit", small)))
    assert "    - **Result**: It hangs." in lines and "    - **Why**: No poll." in lines
    assert any(line.startswith("    - **Offered**: ") and " · " in line for line in lines)


def test_the_solutions_apart_have_text_code_and_what_it_put_out(small):
    small["cells"][4]["source"] += " See [05](05-counted-or-uncounted.ipynb)."
    apart = guide.solutions(page.page("02-exit", small), ["05-counted-or-uncounted"])
    assert "## Exercise 1: a flag" in apart and 'the_answer("-XX:+Yes")' in apart and "it exits" in apart
    assert "(../student/05-counted-or-uncounted.ipynb)" in apart
    assert "See 05." in guide.solutions(page.page("02-exit", small), [])
