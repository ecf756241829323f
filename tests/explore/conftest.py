"""Pages of the playground, opened in a real browser."""

from types import SimpleNamespace

import pytest

from rpw.explore import page

WIDE = {"width": 1280, "height": 860}


@pytest.fixture(scope="session")
def plain_page(tmp_path_factory):
    path = tmp_path_factory.mktemp("playground") / "playground.html"
    path.write_text(page(), encoding="utf-8")
    return path


@pytest.fixture
def opened(browser):
    """Opens a page, waits until it has solved, and at the end of the test looks at what it asked for and said."""
    seen = SimpleNamespace(requests=[], messages=[])
    contexts = []

    def open_page(path, *, fragment="", **options):
        context = browser.new_context(**{"viewport": WIDE, "reduced_motion": "reduce"} | options)
        contexts.append(context)
        tab = context.new_page()
        tab.on("request", lambda request: seen.requests.append(request.url))
        tab.on("console", lambda message: seen.messages.append(message.text))
        tab.on("pageerror", lambda error: seen.messages.append(str(error)))
        tab.on("dialog", lambda dialog: (seen.messages.append(dialog.message), dialog.dismiss()))
        seen.requests.append(path.as_uri() + fragment)  # the one that is allowed, counted twice below
        tab.goto(path.as_uri() + fragment)
        tab.wait_for_selector("html[data-ready]")
        settle(tab)
        return tab

    yield open_page
    for context in contexts:
        context.close()
    assert seen.messages == []
    assert [url for url in seen.requests if not url.startswith(("blob:", "file:"))] == []
    files = [url for url in seen.requests if url.startswith("file:")]
    assert len(files) == 2 * len(contexts), "a page asked for another file"


# Not `wait_for_function`: it evaluates text, which the page's policy forbids.
SETTLED = """() => new Promise((done) => {
    const look = () => {
        const isDone = !playground.state.isMoving && playground.isUpToDate();
        if (isDone) requestAnimationFrame(() => requestAnimationFrame(done));
        else setTimeout(look, 20);
    };
    look();
})"""


def settle(tab):
    """Wait until all that is shown belongs to what is shown, and is drawn."""
    tab.evaluate(SETTLED)


@pytest.fixture
def settled():
    return settle
