"""A page's name becomes the addresses at which it is got and run."""

import pytest

from safepointlab.errors import BadInput
from safepointlab.site import places


def test_without_a_repository_a_page_can_be_downloaded_and_no_link_leaves_the_book():
    links = places.run_links("02-when")
    assert 'href="../downloads/02-when.ipynb" download' in links and "https://" not in links


def test_with_a_repository_a_page_runs_on_binder_and_in_a_codespace():
    links = places.run_links("02-when", "someone/lab")
    assert "https://mybinder.org/v2/gh/someone/lab/HEAD?urlpath=lab/tree/safepoint-lab/02-when.ipynb" in links
    assert "https://codespaces.new/someone/lab?quickstart=1" in links


@pytest.mark.parametrize("repository", ["https://github.com/someone/lab", "lab", "someone/", "some one/lab", "a/b/c"])
def test_a_repository_that_is_not_owner_and_name_is_refused(repository):
    with pytest.raises(BadInput, match="owner/name"):
        places.checked(repository)


@pytest.mark.parametrize("repository", ["", "some-one/lab.js"])
def test_owner_and_name_or_nothing_is_taken(repository):
    assert places.checked(repository) == repository
