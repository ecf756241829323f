"""``rpw-paper reproduce paper``: finished parts are kept whatever interrupts a run; the page shows all of them."""

import json
import re
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from children import start, wait_until
from paper_command import COMMAND, forked_command
from planted_pictures import planted
from results_files import RESULTS

from rpw_paper import files
from rpw_paper.claims import CLAIMS
from rpw_paper.paper import outliers, samples
from rpw_paper.paper.exhibit import NO, OPEN, YES, Exhibit, Table, Verdict
from rpw_paper.paper.page import whole_page
from rpw_paper.paper.parts import FULL, QUICK, Job, Part, all_parts
from rpw_paper.paper.rates import LARGEST_WITH_MATRIX
from rpw_paper.paper.retrieved import Experiment, NotRunError, Runs, claims_exhibit, retrieval_exhibit
from rpw_paper.paper.whole import chosen_parts, in_order_of_work, make_whole
from rpw_paper.robustness import Outliers

pytest.importorskip("matplotlib")
pytest.importorskip("typer")

CHEAP = "introduction,figure 2,lemma 2.2,lemma 4.2"


def call(*arguments):
    return forked_command("reproduce", "paper", "--quick", *arguments, timeout=300)


def bytes_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_parts_have_the_numbers_of_the_paper():
    for size in (QUICK, FULL):
        numbers = [part.number for part in all_parts(size)]
        assert len(set(numbers)) == len(numbers)
        assert len({part.slug for part in all_parts(size)}) == len(numbers)
        for number in ("Figure 1", "Figure 2", "Figure 3", "Figure 4", "Figure 6", "Theorem 2.1", "Theorem 3.1"):
            assert number in numbers
        for number in ("2.2", "3.2", "3.3", "3.4", "3.5", "3.6", "4.1", "4.2", "4.3", "A.1", "A.2", "A.4"):
            assert f"Lemma {number}" in numbers
    full = [part.number for part in all_parts(FULL)]
    assert {"Figure 5, MNIST", "Figure 5, CIFAR-10", "Figure 7, COREL", "Section 6.1", "Ours, k"} <= set(full)


def test_rates_go_to_a_hundred_thousand_points_at_full_size():
    full, quick = ({part.number: part.sizes for part in all_parts(size)} for size in (FULL, QUICK))
    for number in ("Lemma 3.3", "Lemma 3.4", "Lemma 3.6", "Theorem 3.7"):
        assert (full[number]["largest_n"], quick[number]["largest_n"]) == (100_000, 1000)
    assert full["Theorem 3.7, equal distributions"]["largest_n"] == LARGEST_WITH_MATRIX


def test_the_largest_sample_that_is_asked_for_holds_for_all_parts(tmp_path):
    asked = ("--largest-n", "300", "--repeats", "2", "--parts", "lemma 3.4", "--out", tmp_path)
    made = forked_command("reproduce", "paper", *asked, timeout=300)
    assert made.returncode == 0, made.stderr
    lines = (tmp_path / "lemma-3-4" / "values.csv").read_text().splitlines()[1:]
    assert {int(line.rsplit(",", 3)[1]) for line in lines} == {121, 196, 128, 200}


def test_the_same_call_again_computes_nothing_and_writes_the_same(tmp_path):
    first = call("--parts", CHEAP, "--out", tmp_path / "a", "--json")
    assert first.returncode == 0, first.stderr
    answer = json.loads(first.stdout)
    assert answer["made"] == ["introduction", "lemma-2-2", "lemma-4-2", "figure-2"], "the short ones first"
    assert [each["answer"] for each in answer["verdicts"]["Lemma 2.2"]] == [YES, YES, NO]
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("part.json")}
    again = json.loads(call("--parts", CHEAP, "--out", tmp_path / "a", "--json").stdout)
    assert again["made"] == []
    assert again["verdicts"] == answer["verdicts"]
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("part.json")} == before
    assert call("--parts", CHEAP, "--out", tmp_path / "b").returncode == 0
    assert bytes_of(tmp_path / "a") == bytes_of(tmp_path / "b")


def test_what_was_damaged_is_made_again_and_nothing_else(tmp_path):
    assert call("--parts", CHEAP, "--out", tmp_path).returncode == 0
    before = bytes_of(tmp_path)
    (tmp_path / "introduction" / "triangle.csv").write_text("")
    (tmp_path / "lemma-4-2" / "cases.csv").write_text("case,left\n")
    part = tmp_path / "figure-2" / "part.json"
    part.write_text(part.read_text().replace('"caption"', '"title"'))
    again = call("--parts", CHEAP, "--out", tmp_path, "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["made"] == ["introduction", "lemma-4-2", "figure-2"]
    assert bytes_of(tmp_path) == before


def test_a_killed_run_resumes(tmp_path):
    arguments = ("reproduce", "paper", "--quick", "--parts", "introduction,figure 2,lemma 4.1", "--out", tmp_path)
    with start(*COMMAND, *arguments) as child:
        wait_until((tmp_path / "introduction" / "part.json").exists, child)
        child.kill()
    kept = (tmp_path / "introduction" / "part.json").stat().st_mtime_ns
    done = forked_command(*arguments, "--json", timeout=300)
    assert done.returncode == 0, done.stderr
    assert "introduction" not in json.loads(done.stdout)["made"]
    assert (tmp_path / "introduction" / "part.json").stat().st_mtime_ns == kept


# ---------------------------------------------------------------- every moment of an interruption


def counted_part(number, made):
    def make(job):
        made.append(number)
        job.report(0.5, "half")
        table = Table("numbers", ["a"], [[1.5]], "A number.")
        return Exhibit("a rule", [Verdict(number, "found", YES)], [table, Table("more", ["b"], [[2]])])

    return Part(number, 1.0, make)


class CutOff(BaseException):
    """What Ctrl-C or the end of the power does."""


def test_an_interruption_at_any_write_loses_no_finished_part(tmp_path, monkeypatch):
    writing = files.replacing
    numbers = ("Figure 1", "Lemma 3.2", "Theorem 3.7")

    def made_in(folder, cut_at):
        """Which parts are made, when the write with this number is cut off."""
        made, writes = [], []

        @contextmanager
        def cut(path):
            writes.append(path)
            with writing(path) as stream:
                yield stream
                if len(writes) == cut_at:
                    raise CutOff

        monkeypatch.setattr(files, "replacing", cut)
        parts = [counted_part(number, made) for number in numbers]
        try:
            make_whole(parts, Job(Runs(folder / "runs")), folder, {})
        except CutOff:
            return made, True
        return made, False

    whole = tmp_path / "whole"
    assert made_in(whole, -1) == (list(numbers), False)
    cut_at, was_cut = 0, True
    while was_cut:
        cut_at += 1
        folder = tmp_path / str(cut_at)
        _, was_cut = made_in(folder, cut_at)
        finished = [path.parent.name for path in folder.glob("*/part.json")]
        again, _ = made_in(folder, -1)
        assert [part.slug for number in again for part in [counted_part(number, [])] if part.slug in finished] == []
        assert len(again) == 3 - len(finished)
        assert bytes_of(folder) == bytes_of(whole)
    assert cut_at > 3 * 5, "three files, the verdicts and the page for each part"


def test_the_share_that_is_done_grows_and_begins_with_what_was_there(tmp_path):
    made, shares = [], []
    parts = [counted_part(number, made) for number in ("Figure 1", "Lemma 3.2", "Theorem 3.7")]
    job = Job(Runs(tmp_path / "runs"))
    make_whole(parts[1:2], job, tmp_path, {})
    make_whole(parts, job, tmp_path, {}, lambda share, what: shares.append(share))
    assert made == ["Lemma 3.2", "Figure 1", "Theorem 3.7"]
    assert shares == sorted(shares)
    assert shares[0] == pytest.approx(1 / 3)
    assert shares[-1] < 1


def test_claims_are_judged_after_all_runs():
    numbers = [part.number for part in in_order_of_work(all_parts(FULL))]
    assert numbers[0] == "Introduction"
    assert numbers[-1] == "Section 6.1"
    assert numbers.index("Lemma A.2") < numbers.index("Figure 5, MNIST")


def test_other_facts_are_another_part(tmp_path):
    made = []
    parts = [replace(counted_part("Figure 1", made), sizes={})]
    for seed in (0, 0, 1):
        make_whole(parts, Job(Runs(tmp_path / "runs", seed)), tmp_path, {})
    assert made == ["Figure 1", "Figure 1"]


# ---------------------------------------------------------------- mistakes, and what is not here


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (("--parts", "lemma 9.9"), 2, "there is no part 'lemma 9.9'"),
        (("--parts", ""), 2, "there is no part ''"),
        (("--device", "gpu"), 2, "--device gpu: choose one of"),
        (("--largest-n", "5"), 2, "largest-n"),
        (("--repeats", "1"), 2, "repeats"),
    ],
)
def test_mistakes_get_one_line(tmp_path, arguments, code, reason):
    done = forked_command("reproduce", "paper", "--quick", *arguments, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert reason in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_folder_of_another_run_is_refused(tmp_path):
    assert call("--parts", "introduction", "--out", tmp_path).returncode == 0
    done = call("--parts", "introduction", "--seed", 1, "--out", tmp_path)
    assert done.returncode == 1
    assert "holds another run: seed is 0 there and 1 here" in done.stderr


def test_parts_are_chosen_by_their_number():
    names = [part.number for part in chosen_parts(all_parts(FULL), ["figure 5", "Lemma 3.2"])]
    assert names == ["Lemma 3.2", "Figure 5, MNIST", "Figure 5, CIFAR-10"]
    assert [part.number for part in chosen_parts(all_parts(FULL), ["theorem 3.7"])] == ["Theorem 3.7"], "it alone"


@pytest.mark.parametrize("part", all_parts(FULL), ids=lambda part: part.slug)
def test_every_part_can_be_named_as_it_is_listed(part):
    asked = f"lemma 3.2,{part.number},figure 4"
    names = {each.number for each in chosen_parts(all_parts(FULL), asked.split(","))}
    assert names == {part.number, "Lemma 3.2", "Figure 4"}


def test_pictures_that_are_not_here_leave_a_part_out(tmp_path):
    arguments = ("reproduce", "paper", "--parts", "figure 5,introduction", "--data", tmp_path / "none")
    done = forked_command(*arguments, "--out", tmp_path / "out", timeout=300)
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    assert "Not run: Figure 5, MNIST: the pictures of mnist are not here" in text
    assert "8 yes" in text, "the others are made"
    assert "not run" in (tmp_path / "out" / "index.html").read_text()


# ---------------------------------------------------------------- runs of retrieval


@pytest.fixture(scope="module")
def planted_runs(tmp_path_factory):
    """A data set in a folder, and where its runs go."""
    folder = tmp_path_factory.mktemp("planted")
    pictures = planted(each=12)
    (folder / "mnist").mkdir()
    np.savez(folder / "mnist" / "some.npz", images=pictures.images, labels=pictures.labels)
    return Runs(folder / "runs", data=folder)


def test_a_run_that_is_finished_is_read(planted_runs, tmp_path):
    experiment = Experiment("mnist", "clean", 20, 6, nearest=5, distances=("w1", "tv"))
    assert not planted_runs.is_finished(experiment)
    with pytest.raises(NotRunError, match="the pictures of mnist are not here"):
        retrieval_exhibit(replace(planted_runs, data=tmp_path), [experiment])
    shown = retrieval_exhibit(planted_runs, [experiment])
    rows = {row[1]: row[2:] for row in shown.tables[0].rows}
    assert rows["W1"][0] == 1.0, "classes cannot be mistaken"
    assert planted_runs.is_finished(experiment)
    elsewhere = replace(planted_runs, data=tmp_path)
    assert retrieval_exhibit(elsewhere, [experiment]).tables[0].rows == shown.tables[0].rows, "without the pictures"
    for other in (
        replace(experiment, queries=7),
        replace(experiment, repeats=2),
        replace(experiment, distances=("w1", "w2")),
    ):
        assert not planted_runs.is_finished(other)
    assert not replace(planted_runs, seed=1).is_finished(experiment)
    folder = planted_runs.folder / experiment.name
    hits, curves, facts = ((folder / name).read_text() for name in ("hits.csv", "accuracy.csv", "run.json"))
    for name, damaged in (
        ("hits.csv", "\n".join(line for line in hits.split("\n") if not line.startswith("TV"))),
        ("hits.csv", hits[:-9]),
        ("hits.csv", hits + hits.partition("\n")[2]),
        ("hits.csv", hits.replace("hits_at_1", "hits")),
        ("hits.csv", hits.replace(",1\n", ",99\n")),
        ("hits.csv", "\0" * 200_000),
        ("accuracy.csv", curves[:-60]),
        ("accuracy.csv", curves.replace("1.000000", "0.900000")),
        ("accuracy.csv", curves.replace("accuracy", "share")),
        ("run.json", facts.replace('"lam": 0.1', '"lam": 0.2')),
        ("run.json", facts.replace('"retrieval"', '"sweep"')),
        ("run.json", "junk"),
    ):
        (folder / name).write_text(damaged)
        assert not planted_runs.is_finished(experiment), (name, damaged[:40])
        (folder / name).write_text({"hits.csv": hits, "accuracy.csv": curves, "run.json": facts}[name])
    assert planted_runs.is_finished(experiment)


def test_repeats_are_shown_apart(planted_runs):
    experiment = Experiment("mnist", "both", 20, 4, nearest=12, repeats=3, distances=("w1", "tv"))
    accuracies, apart = retrieval_exhibit(planted_runs, [experiment]).tables
    assert apart.header == ["scenario", "distance", "repeat 1", "repeat 2", "repeat 3"]
    assert [row[:2] for row in apart.rows] == [row[:2] for row in accuracies.rows]
    at_10 = list(accuracies.header).index("m = 10")
    for means, row in zip(accuracies.rows, apart.rows, strict=True):
        assert np.mean(row[2:]) == pytest.approx(means[at_10], abs=1e-6)
    assert any(len(set(row[2:])) > 1 for row in apart.rows), "repeats differ"
    again, also = retrieval_exhibit(planted_runs, [replace(experiment, repeats=2)]).tables
    assert "repeats: 3" in again.caption, "what the run has"
    assert also.rows == apart.rows


def test_a_folder_of_another_run_leaves_a_part_out(planted_runs):
    experiment = Experiment("mnist", "shift", 20, 4, nearest=5, distances=("w1",))
    retrieval_exhibit(planted_runs, [experiment])
    with pytest.raises(NotRunError, match=r"mnist-shift-4 holds something else: .* labelled is 20 there and 21 here"):
        retrieval_exhibit(planted_runs, [replace(experiment, labelled=21)])


def test_other_runs_make_another_part(planted_runs, tmp_path):
    experiment = Experiment("mnist", "noise", 20, 4, nearest=5, distances=("w1", "tv"))
    figure_5 = next(part for part in all_parts(FULL) if part.number == "Figure 5, MNIST")
    part = replace(figure_5, sizes={"experiments": (experiment,)})
    jobs = [Job(replace(planted_runs, folder=tmp_path / name, seed=0)) for name in ("one", "two")]
    for job in jobs:
        retrieval_exhibit(job.runs, [experiment])
    assert part.facts(jobs[0]) == part.facts(jobs[1]), "the same pictures"
    table = tmp_path / "two" / experiment.name / "hits.csv"
    table.write_text(table.read_text() + "\n")
    assert part.facts(jobs[0]) != part.facts(jobs[1])


@pytest.mark.thorough
def test_other_pictures_of_the_same_name_are_noticed(tmp_path):
    """A part that was made from pictures is made again where they are others; where they are gone, it stays."""
    (tmp_path / "mnist").mkdir()
    data, runs = tmp_path / "mnist" / "some.npz", Runs(tmp_path / "runs", data=tmp_path)
    by_number = {part.number: part for part in all_parts(FULL)}
    experiment = Experiment("mnist", "noise", 20, 4, nearest=10, distances=("w1", "tv"))
    sizes = {
        "Figure 5, MNIST": {"experiments": (experiment,)},
        "Ours, thresholds": {"dataset": "mnist", "count": 2},
        "Ours, k": {"experiments": (replace(experiment, scenario="both"),)},
    }
    parts = [replace(by_number[number], sizes=given) for number, given in sizes.items()]

    def made_from(seed):
        pictures = planted(classes=4, seed=seed)
        np.savez(data, images=pictures.images, labels=pictures.labels)
        whole = make_whole(parts, Job(replace(runs)), tmp_path / "out", {})
        return whole.made, whole.left_out

    everything = ["ours-thresholds", "figure-5-mnist", "ours-k"]
    assert made_from(seed=1) == (everything, {})
    assert made_from(seed=1) == ([], {})
    data.unlink()
    assert make_whole(parts, Job(replace(runs)), tmp_path / "out", {}).made == [], "without pictures, as they are"
    again, left_out = made_from(seed=2)
    assert again == ["ours-thresholds", "ours-k"]
    assert list(left_out) == ["figure-5-mnist"]
    assert "holds something else" in left_out["figure-5-mnist"]
    assert "pictures is" in left_out["figure-5-mnist"]
    with pytest.raises(NotRunError, match=r"the runs of mnist in .* were made from other pictures than those here"):
        claims_exhibit(replace(runs))


@pytest.mark.thorough
@pytest.mark.skipif(not RESULTS.exists(), reason="docs/ is not here, as in an sdist")
def test_every_run_of_the_full_size_is_stored():
    experiments = [e for part in all_parts(FULL) for e in part.sizes.get("experiments", ())]
    assert len(experiments) == 3 * 9
    assert all(Runs(RESULTS).is_finished(each) for each in experiments)


@pytest.mark.skipif(not RESULTS.exists(), reason="docs/ is not here, as in an sdist")
def test_stored_runs_are_taken():
    runs = Runs(RESULTS)
    assert runs.is_finished(Experiment("corel", "shift", 2000, 50, repeats=3))
    assert runs.is_finished(Experiment("mnist", "both", 2000, 600, 10))
    assert not runs.is_finished(Experiment("corel", "shift", 2000, 50, repeats=4))
    judged = claims_exhibit(Runs(RESULTS))
    assert len(judged.verdicts) == len(CLAIMS)
    assert sum(each.answer == YES for each in judged.verdicts) >= 14


def test_claims_without_runs_are_not_run(tmp_path):
    with pytest.raises(NotRunError, match="no folder with hits"):
        claims_exhibit(Runs(tmp_path))
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "hits.csv").write_text("junk")
    with pytest.raises(NotRunError, match=r"run\.json"):
        claims_exhibit(Runs(tmp_path))


# ---------------------------------------------------------------- verdicts of parts that compose


def test_a_change_beyond_the_share_is_seen():
    shares = (0.0, 0.1)
    held = Outliers(["W1", "RPW(2,1)"], (1.0,), shares, np.array([[[0.0, 5.0]], [[0.0, 0.1]]]))
    assert outliers.changes_verdict(held).answer == YES
    broken = replace(held, change=np.array([[[0.0, 0.0]], [[0.0, 0.11]]]))
    assert outliers.changes_verdict(broken).answer == NO


def test_words_about_figure_6():
    from rpw_paper.convergence import Curve

    n = np.array([100, 1000, 10_000, 100_000, 1_000_000])
    noise = 1 + 0.01 * np.random.default_rng(0).standard_normal((5, 10))

    def curve(name, exponent, scale=1.0):
        return Curve("c", name, n, scale * n[:, None].astype(float) ** exponent * noise, exponent, 1000)

    agreeing = {"W2": curve("W2", -0.25), "TV": curve("TV", -0.5), "RPW(2,0.1)": curve("", -0.5)}
    agreeing |= {"RPW(2,1)": curve("", -0.5), "RPW(2,10)": curve("", -0.25, 0.09)}
    assert [each.answer for each in samples.case_verdicts("c", agreeing)] == [YES, YES, YES]
    other = {**agreeing, "RPW(2,1)": curve("", -0.1), "TV": curve("TV", -0.6), "RPW(2,10)": curve("", -0.5)}
    assert [each.answer for each in samples.case_verdicts("c", other)] == [NO, NO, NO]
    assert samples.case_verdicts("c", {**agreeing, "RPW(2,1)": curve("", -0.25)})[0].answer == OPEN


# ---------------------------------------------------------------- the page


@pytest.mark.xdist_group("browser")
def test_the_page_in_a_browser(browser, tmp_path):
    done = call("--parts", "figure 1,figure 4,lemma 3.2,introduction", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    requests = []
    tab = browser.new_page(viewport={"width": 1100, "height": 900})
    tab.on("request", lambda request: requests.append(request.url))
    where = (tmp_path / "index.html").as_uri()
    tab.goto(where)
    assert [url for url in requests if not url.startswith("data:")] == [where], "nothing from outside"
    assert tab.evaluate("document.documentElement.scrollWidth") <= 1100
    widths = tab.evaluate("[...document.querySelectorAll('.drawing img')].map(i => i.naturalWidth)")
    assert len(widths) == 3
    assert min(widths) > 300
    assert tab.locator("section.part").count() == len(all_parts(QUICK))
    for link in tab.locator(".verdicts a").all():
        assert tab.locator(link.get_attribute("href").replace(".", "\\.")).count() == 1
    assert "not made yet" in tab.locator("#lemma-3-6").inner_text()
    badges = tab.locator("#lemma-3-2 tbody .answer").all_inner_texts()
    assert badges == ["yes", "yes", "yes"]
    tab.close()


def test_the_page_is_escaped(tmp_path):
    evil = "<script>alert(1)</script>"
    part = replace(
        counted_part("Figure 1", []),
        make=lambda _: Exhibit(evil, [Verdict(evil, evil, OPEN)], [Table("t", [evil], [[evil]], evil)]),
    )
    whole = make_whole([part], Job(Runs(tmp_path / "runs")), tmp_path, {})
    text = whole_page([part], whole.found, {}, {evil: evil})
    assert "<script" not in text
    assert text.count("&lt;script&gt;") >= 6
    assert not re.search(r'src="(?!data:)', text)
