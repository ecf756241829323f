"""How fast the playground follows: frame times while a cloud is dragged, in a headless Chromium.

    python benchmarks/explore/frames.py [--seconds 6] [--p 2] [--shots folder]

A script in the page moves the pointer in every frame, as a hand would. Two rates are told: frames (points follow the
pointer) and answers (RPW, its bounds and its plan belong to where the points are). Other work on the machine counts:
two workers of the page compute beside it, so two quiet cores are needed for figures that mean something.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

from rpw.explore import page

SIZES = ("two-200", "two-2000")
SETTLED = """() => new Promise((done) => {
    const look = () => (!playground.state.isMoving && playground.isUpToDate() ? done() : setTimeout(look, 20));
    look();
})"""

# Drags all of B to and fro; gives the times of frames, and of those in which a new answer was drawn.
DRAG = """async (seconds) => {
    Element.prototype.setPointerCapture = () => {};  // there is no such pointer
    const stage = document.getElementById("stage");
    const box = stage.getBoundingClientRect();
    document.getElementById("select-b").click();
    const { state } = playground;
    const place = [box.left + box.width / 2, box.top + box.height / 2];
    const always = { pointerId: 1, pointerType: "mouse", bubbles: true, buttons: 1 };
    const send = (type, x, y) => stage.dispatchEvent(new PointerEvent(type, { clientX: x, clientY: y, ...always }));
    // A point of B near the middle of the stage, so that the pointer takes hold of it.
    const { view } = playground;
    const b = state.clouds[1].points;
    let best = [Infinity];
    for (let i = 0; i < b.length; i += 2) {
        const x = box.left + view.width / 2 + (b[i] - view.middle[0]) * view.scale;
        const y = box.top + view.height / 2 - (b[i + 1] - view.middle[1]) * view.scale;
        const far = Math.hypot(x - place[0], y - place[1]);
        if (far < best[0]) best = [far, x, y];
    }
    const [, x, y] = best;
    send("pointerdown", x, y);
    const frames = [], answers = [], transports = [];
    let last = 0, lastW = 0;
    const start = performance.now();
    await new Promise((done) => {
        const step = (now) => {
            frames.push(now);
            if (playground.drawn !== last) { last = playground.drawn; answers.push(now); }
            const w = state.transport?.moment ?? 0;
            if (w !== lastW) { lastW = w; transports.push(now); }
            const turn = (now - start) / 1000;
            send("pointermove", x + 90 * Math.sin(2 * turn), y + 50 * Math.sin(1.3 * turn));
            if (turn < seconds) requestAnimationFrame(step);
            else done();
        };
        requestAnimationFrame(step);
    });
    send("pointerup", x, y);
    return { frames, answers, transports, moved: state.crossing.structure === state.structure };
}"""


def intervals(times: list[float]) -> str:
    gaps = np.diff(times)
    rate = 1000 * len(gaps) / (times[-1] - times[0])
    return f"{rate:5.1f}/s; ms median {np.median(gaps):.0f}, 95 % {np.quantile(gaps, 0.95):.0f}, worst {gaps.max():.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--p", default="2")
    parser.add_argument("--shots", type=Path, help="folder for screenshots")
    options = parser.parse_args()
    text = page()
    print(
        f"page: {len(text.encode()):,} bytes; load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    program = next(path for name in ("chromium", "google-chrome") if (path := shutil.which(name)))
    arguments = ["--disable-gpu", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        file = Path(folder) / "playground.html"
        file.write_text(text, encoding="utf-8")
        browser = driver.chromium.launch(executable_path=program, args=arguments)
        print("browser:", browser.version)
        for size in SIZES:
            tab = browser.new_page(viewport={"width": 1280, "height": 860})
            tab.on("pageerror", lambda error: sys.exit(f"the page failed: {error}"))
            tab.goto(file.as_uri())
            tab.wait_for_selector("html[data-ready]")
            tab.evaluate(SETTLED)
            if size == SIZES[0]:
                painted = tab.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
                print(f"first paint: {painted:.0f} ms, first numbers: {tab.evaluate('playground.firstAnswer'):.0f} ms")
            tab.fill("#p-field", options.p)
            tab.press("#p-field", "Tab")
            tab.select_option("#sample", size)
            tab.evaluate(SETTLED)
            found = tab.evaluate(DRAG, options.seconds)
            assert found["moved"]
            print(f"{size}, p = {options.p}")
            for name in ("frames", "answers", "transports"):
                print(f"  {name:10s} {intervals(found[name])}")
            tab.close()
        if options.shots:
            take_shots(browser, file, options.shots)
        browser.close()


def take_shots(browser, file: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for width, name in ((1280, "wide"), (360, "narrow")):
        for scheme in ("light", "dark"):
            tab = browser.new_page(viewport={"width": width, "height": 860}, color_scheme=scheme)
            tab.goto(file.as_uri())
            tab.wait_for_selector("html[data-ready]")
            tab.evaluate(SETTLED)
            tab.screenshot(path=folder / f"{name}-{scheme}.png", full_page=True)
            tab.close()
    print("screenshots:", json.dumps(sorted(path.name for path in folder.glob("*.png"))))


if __name__ == "__main__":
    main()
