"""folder.py and `safepoint workshop`: one folder with all of it, made again at will, over nothing else."""

import re
from html import unescape

import pytest

from safepointlab import cli
from safepointlab.errors import BadInput
from safepointlab.teaching.workshop import folder


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    out = tmp_path_factory.mktemp("class") / "workshop"
    folder.build(out)
    return out


def test_the_folder_has_all_that_a_class_needs(made):
    names = {str(path.relative_to(made)) for path in made.rglob("*") if path.is_file()}
    assert {"instructor.md", "instructor.html", "agendas.html", "handout.html", "message.md"} <= names
    assert sum(name.startswith("student/") for name in names) == 21
    assert sum(name.startswith("solutions/") for name in names) == 20


def test_each_link_to_a_file_of_the_folder_leads_there(made):
    for path in [*made.glob("*.md"), *made.glob("solutions/*.md"), *made.glob("student/*.ipynb")]:
        targets = re.findall(r"\]\(((?!https?:|#)[^)\s]+)\)", path.read_text())
        assert not [target for target in targets if not (path.parent / target).exists()]


def test_the_pages_to_print_fetch_nothing(made):
    for path in made.glob("*.html"):
        assert not re.findall(r"(?:src|href)=[\"']?(?!#|https?://)[^\"' >]*//|<script|@import|url\(", path.read_text())


def test_each_anchor_of_the_guide_has_its_heading(made):
    text = unescape((made / "instructor.html").read_text())
    anchors = re.findall(r'href="#([^"]+)"', text)
    assert len(anchors) == 21 and all(f'id="{anchor}"' in text for anchor in anchors)


def test_the_command_makes_it_again_and_says_where(made, capsys):
    (made / "student" / "old.ipynb").write_text("{}")
    assert cli.main(["workshop", "--out", str(made)]) == 0
    assert not (made / "student" / "old.ipynb").exists()
    assert "21 student pages" in capsys.readouterr().out


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path, capsys):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(BadInput, match="holds something else"):
        folder.build(tmp_path)
    assert cli.main(["workshop", "--out", str(tmp_path)]) == 2 and "BadInput" in capsys.readouterr().err
    assert (tmp_path / "thesis.txt").read_text() == "mine"
